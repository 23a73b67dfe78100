"""The header of an ARFF file: attributes with their names, kinds and declared values; and Java's patterns of dates.

Light to import, as shells ask for the names of columns.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from io import BufferedReader, TextIOWrapper
from itertools import chain
from typing import BinaryIO

from probfs.errors import DataError
from probfs.notes import Note, NoteKind
from probfs.tables.csv_head import HEAD_BYTES, CsvText
from probfs.tables.header import tell_apart
from probfs.tables.opening import decode_line
from probfs.text import quoted

QUOTED = r"""'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*\""""
"""A text in quotes of either kind, with a backslash before a quote inside it."""
UNCLOSED_QUOTE = "a quote opens and is never closed on its line; close it, or put a backslash before it"
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "a": "\a", "v": "\v"}
_ESCAPE = re.compile(
    r"\\(?:u([0-9a-cA-Ce-fE-F][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2})|([0-3][0-7]{0,2}|[4-7][0-7]?)|(.))", re.DOTALL
)
"""A backslash sequence; ``\\u`` before the code of a surrogate, which is no character, stands for the letter u."""
_KEYWORD = re.compile(r"[\s\0-\x20,]*(@[^\s\0-\x20,%{}'\"]*|[^\s%]\S*)?")
"""A keyword ends where any other token may begin; a word that is none is shown whole in the error about it."""
_END = re.compile(r"[\s\0-\x20,]*(?:%.*)?")
_NAME = re.compile(rf"[\s\0-\x20,]*+(?:({QUOTED})|(?!['\"])([^ \t,{{]*))[\s\0-\x20,]*")
_TYPE = re.compile(r"'?([^\s,\[{%']*)'?")
_BOUNDS = re.compile(r"[, \t]*\[([^\]]*\]?)")
_DATE_FORMAT = re.compile(rf"[\s\0-\x20,]*({QUOTED}|[^{{%]*)")
_VALUE = re.compile(rf"""({QUOTED})|(}})|(,)|(%.*)|([^\s\0-\x20,}}%'"](?:[^\s,}}%]|(?<!\s)%|\s(?!['"]))*)|(['"])""")
"""In a list of declared values: a quoted one, the end of the list, a comma, a comment, a bare value, an open quote.

A bare value may have blanks inside, but a comment or a quoted value after a blank ends it.
"""
_DECLARATIONS = ("@attribute ", "@attribute\t", "@data")
_DEFAULT_DATE = "yyyy-MM-dd'T'HH:mm:ss"
_YEARS_AHEAD = 20
"""How far in the future Java lets a year of two digits be; beyond that, it is in the past."""
_DATE_PARTS = {
    "yyyy": "%Y", "yy": "%y", "MMMM": "%B", "MMM": "%b", "MM": "%m", "M": "%m", "dd": "%d", "d": "%d",
    "HH": "%H", "H": "%H", "hh": "%I", "h": "%I", "mm": "%M", "m": "%M", "ss": "%S", "s": "%S", "SSS": "%f", "a": "%p",
}  # fmt: skip
"""Letters of java.text.SimpleDateFormat and their directives in strptime."""
_DATE_TOKEN = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+")
DateParser = Callable[[str], str]


@dataclass(frozen=True)
class Attribute:
    """A column as an @attribute line declares it."""

    name: str
    kind: str = "text"
    """The value of its ``Kind``."""
    nominal: tuple[str, ...] | None = None
    """The declared values of a nominal attribute."""
    date_format: str = ""
    parse_date: DateParser | None = None
    """Turns a date into ISO form."""


@dataclass(frozen=True)
class Header:
    """The attributes in their order, and notes about what was ignored."""

    attributes: tuple[Attribute, ...]
    notes: tuple[Note, ...]
    lines: int
    """How many lines the header takes, the one of @data included."""
    row_on_data_line: str = ""
    """What follows @data on its line, which Weka reads as the first row."""


def open_text(raw: BinaryIO) -> TextIOWrapper:
    """The text of a file, whose lines may end in any way; bytes that are not UTF-8 are found line by line."""
    # The file stays open when the text is closed.
    return TextIOWrapper(BufferedReader(CsvText(raw).open(0), HEAD_BYTES), "utf-8", "surrogateescape")


def as_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def read_header(text: TextIOWrapper, source: str) -> Header:
    """Read the header from a text, of which it takes the lines up to and including @data."""
    return _HeaderParser(text, source).parse()


def _split(pattern: re.Pattern[str], text: str) -> tuple[str, str]:
    """The first group that matches at the start of a text, and the rest behind the match."""
    match = pattern.match(text)
    return (next(filter(None, match.groups()), ""), text[match.end() :]) if match else ("", text)


class _HeaderParser:
    def __init__(self, text: TextIOWrapper, source: str) -> None:
        numbered = enumerate(iter(text.readline, ""), 1)
        self._lines = ((number, decode_line(as_bytes(line), number, source).strip()) for number, line in numbered)
        self._source = source
        self._line = 0
        """The line that is being read."""
        self._notes: list[Note] = []

    def _error(self, problem: str) -> DataError:
        return DataError(problem, source=self._source, line=self._line)

    def parse(self) -> Header:
        attributes: list[Attribute] = []
        for number, line in self._lines:
            self._line = number
            word, rest = _split(_KEYWORD, line)
            keyword = word.lower()
            if keyword == "@data":
                if not attributes:
                    raise self._error("no @attribute comes before @data; declare each column with one")
                names, notes = tell_apart([attribute.name for attribute in attributes], self._source, "attribute")
                named = tuple(replace(attribute, name=name) for attribute, name in zip(attributes, names, strict=True))
                row = "" if _END.fullmatch(rest) else rest.strip()
                return Header(named, tuple(dict.fromkeys([*notes, *self._notes])), self._line, row)
            if keyword == "@attribute":
                attributes.append(self._parse_attribute(rest))
            elif keyword not in ("", "@relation"):
                choices = "choose from @relation, @attribute and @data"
                raise self._error(f"{quoted(keyword)} is not an ARFF declaration; {choices}")
        if not self._line:
            raise DataError("is empty; an ARFF header and data rows are needed", source=self._source)
        raise self._error("the ARFF header has no @data line; is the file cut off?")

    def _parse_attribute(self, text: str) -> Attribute:
        """What follows @attribute; a list of values may go on in further lines."""
        if _END.fullmatch(text):
            raise self._error("@attribute needs a name and a type")
        if not _NAME.match(text):
            raise self._error(UNCLOSED_QUOTE)
        name, rest = _split(_NAME, text)
        name = unquote(name.strip())
        subject = f"attribute {quoted(name)}"
        if _END.fullmatch(rest):
            raise self._error(f"{subject} has no type; choose from numeric, string, date and {{a,b,c}}")
        if rest.startswith("{"):
            nominal, rest = self._parse_values(subject, rest[1:])
            attribute = Attribute(name, nominal=nominal)
        else:
            attribute, rest = self._parse_type(name, subject, rest)
        rest = rest.lstrip(", \t")
        if rest.startswith("{"):
            self._notes.append(NoteKind.IGNORED.note(f"{self._source}: attribute weights are ignored"))
        elif not _END.fullmatch(rest):
            problem = f"{subject}: {quoted(rest)} after the type is"
            if attribute.nominal is not None:
                raise self._error(f"{problem} not understood")
            self._notes.append(NoteKind.IGNORED.note(f"{self._source}: {problem} ignored", [name]))
        return attribute

    def _parse_type(self, name: str, subject: str, text: str) -> tuple[Attribute, str]:
        """The attribute, and what follows its type."""
        kind, rest = _split(_TYPE, text)
        kind = kind.lower()
        if kind in ("numeric", "real", "integer"):
            bounds = _BOUNDS.match(rest)
            if bounds is not None and not bounds[1].endswith("]"):
                raise self._error("no ']' closes the bracket")
            return Attribute(name, "number"), rest if bounds is None else rest[bounds.end() :]
        if kind == "string":
            return Attribute(name), rest
        if kind == "date":
            pattern, rest = _split(_DATE_FORMAT, rest)
            pattern = unquote(pattern.strip()).strip() or _DEFAULT_DATE
            parse = make_date_parser(pattern)
            if parse is None:
                problem = f"the date format {quoted(pattern)} is not understood, so its dates are taken as text"
                self._notes.append(NoteKind.DATE_FORMAT.note(f"{self._source}: {subject}: {problem}", [name]))
            return Attribute(name, "date" if parse else "text", None, pattern, parse), rest
        if kind == "relational":
            raise self._error(f"{subject} is relational (a table in a cell), which cannot be ranked; flatten it")
        raise self._error(f"{subject}: type {quoted(kind)} is not one of numeric, string, date, {{a,b,c}}")

    def _parse_values(self, subject: str, text: str) -> tuple[tuple[str, ...], str]:
        """The values of a list that stand before its closing brace, and what follows that."""
        start = self._line
        values: dict[str, bool] = {}
        has_commas = False
        while True:
            for match in _VALUE.finditer(text):
                if match[2]:
                    # Blanks separate bare values; where commas do, "New York" is one value.
                    parts = [value.split() if bare and not has_commas else [value] for value, bare in values.items()]
                    return tuple(chain.from_iterable(parts)), text[match.end() :]
                if match[6]:
                    raise self._error(UNCLOSED_QUOTE)
                has_commas = has_commas or bool(match[3])
                if match[1] or match[5]:
                    value = unquote(match[0].strip())
                    if value in values:
                        raise self._error(f"{subject}: value {quoted(value)} is declared twice")
                    values[value] = bool(match[5])
            following = next(self._lines, None)
            if following is None or following[1].lower().startswith(_DECLARATIONS):
                self._line = start
                raise self._error(f"{subject}: the list of values is never closed with '}}'")
            self._line, text = following


def unquote(text: str) -> str:
    """A text without the quotes around it, if it has some, its backslash sequences replaced by their characters."""
    if text[:1] not in ("'", '"'):
        return text

    def character(escape: re.Match[str]) -> str:
        if escape[1] or escape[2]:
            return chr(int(escape[1], 16) if escape[1] else int(escape[2], 8))
        return _ESCAPES.get(escape[3], escape[3])

    return _ESCAPE.sub(character, text[1:-1])


def make_date_parser(pattern: str) -> DateParser | None:
    """A function that turns a date written in a pattern of Java's into ISO form; None if the pattern is not supported.

    >>> parse = make_date_parser("dd.MM.yyyy HH:mm")
    >>> parse and parse("31.12.2020 07:05")
    '2020-12-31 07:05:00'
    """
    directives: list[str] = []
    for match in _DATE_TOKEN.finditer(pattern):
        if match[2] is None:
            text = match[0] if match[1] is None else match[1].replace("''", "'") or "'"
            directives.append(text.replace("%", "%%"))
        elif match[0] in _DATE_PARTS and _DATE_PARTS[match[0]] not in directives:
            directives.append(_DATE_PARTS[match[0]])
        else:
            # Unknown, or there already: strptime takes each directive only once.
            return None

    def parse(text: str) -> str:
        moment = datetime.strptime(text, "".join(directives))
        if "%y" in directives and moment.year > datetime.now().year + _YEARS_AHEAD:
            moment = moment.replace(year=moment.year - 100)
        return moment.isoformat(sep=" ")

    return parse
