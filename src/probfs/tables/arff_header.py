"""The header of an ARFF file: attributes with their names, kinds and declared values.

Light to import, as shells ask for the names of columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from io import BufferedReader, TextIOWrapper
from typing import BinaryIO

from probfs.errors import DataError
from probfs.notes import Note, NoteKind
from probfs.tables.csv_head import HEAD_BYTES, Reading
from probfs.tables.header import tell_apart
from probfs.tables.opening import decode_line
from probfs.text import quoted

_QUOTED = re.compile(r"""(?<![^\s,{])('[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*\")(?![^\s,{}%])""")
"""A value in quotes of either kind, with a backslash before a quote inside it."""
_COMMENT = re.compile(r"(?:^|(?<=[\s,}\0]))%.*", re.DOTALL)
_KEYWORD = re.compile(r"@([a-z]+)(?![^\s{\0])\s*(.*)", re.DOTALL | re.IGNORECASE)
_NAME_AND_TYPE = re.compile(r"(\0|[^\s{'\"]+)\s*(.*)", re.DOTALL)
_TYPE = re.compile(r"(\0|[^\s{\[]+)\s*(?:\[[^\]]*\])?\s*(.*)", re.DOTALL)
_ISO_DATE = "yyyy-MM-dd'T'HH:mm:ss"
_DATE_PART = re.compile(r"'([^']*)'|([A-Za-z])\2*")
_DATE_PARTS = {
    "yyyy": "%Y", "yy": "%y", "MMM": "%b", "MM": "%m", "M": "%m", "dd": "%d", "d": "%d", "HH": "%H", "H": "%H",
    "mm": "%M", "m": "%M", "ss": "%S", "s": "%S",
}  # fmt: skip
_DECLARATIONS = ("@attribute ", "@attribute\t", "@data")


class LineError(Exception):
    """What is wrong with a line."""


@dataclass(frozen=True)
class Attribute:
    """A column as an @attribute line declares it."""

    name: str
    is_number: bool = False
    nominal: tuple[str, ...] | None = None
    """The declared values of a nominal attribute."""
    date_format: str | None = None
    """How dates of a date attribute are written, as ``strptime`` has it; "" if that is not understood."""


@dataclass(frozen=True)
class Header:
    """The attributes in their order, and notes about what was ignored."""

    attributes: tuple[Attribute, ...]
    notes: tuple[Note, ...]
    lines: int
    """How many lines the header takes, the one of @data included."""


def _as_strptime(pattern: str) -> str:
    """A pattern of Java's for dates as ``strptime`` has it; "" if it has a part that is not known.

    >>> _as_strptime("dd.MM.yyyy 'at' HH:mm"), _as_strptime("G yyyy")
    ('%d.%m.%Y at %H:%M', '')
    """
    try:
        return _DATE_PART.sub(lambda part: part[1] if part[2] is None else _DATE_PARTS[part[0]], pattern)
    except KeyError:
        return ""


def open_text(raw: BinaryIO) -> TextIOWrapper:
    """The text of a file, whose lines may end in any way; bytes that are not UTF-8 are found line by line."""
    # The file stays open when the text is closed.
    return TextIOWrapper(BufferedReader(Reading(raw, raw.tell()), HEAD_BYTES), "utf-8", "surrogateescape")


def as_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def outline_of(line: str) -> tuple[str, Iterator[str]]:
    """A line with NUL in place of each quoted value, without the comment behind it; and these values."""
    return _COMMENT.sub("", _QUOTED.sub("\0", line)).strip(), iter(_QUOTED.findall(line))


def split_values(outline: str, quoted_values: Iterator[str]) -> list[str | None]:
    """The values of a row or a list, between commas, or else blanks; None for a missing one."""
    cells = outline.split("," if "," in outline else None)
    return [_value(cell.strip(), quoted_values) for cell in cells]


def _value(cell: str, quoted_values: Iterator[str]) -> str | None:
    if cell == "\0":
        return unquote(next(quoted_values))
    if not cell:
        raise LineError("an empty value; a missing one is written ?")
    if cell[0] in "'\"":
        raise LineError("a quote opens and is never closed on its line; close it, or put a backslash before it")
    return None if cell == "?" else re.sub("\0", lambda _: next(quoted_values), cell)


def unquote(text: str) -> str:
    """A quoted text without its quotes, its backslash sequences replaced by their characters."""
    if "\\" not in text:
        return text[1:-1]
    from arff import DenseGeneratorData

    try:
        (value,) = next(DenseGeneratorData().decode_rows((text,), [str]))
    except ValueError as error:
        raise LineError(f"{quoted(text)} has a backslash that stands before no character that needs one") from error
    return str(value)


def read_header(text: TextIOWrapper, source: str) -> Header:
    """Read the header from a text, of which it takes the lines up to and including @data."""
    parser = _HeaderParser(text, source)
    try:
        return parser.parse()
    except LineError as error:
        raise DataError(str(error), source=source, line=parser.line) from error


class _HeaderParser:
    def __init__(self, text: TextIOWrapper, source: str) -> None:
        numbered = enumerate(iter(text.readline, ""), 1)
        self._lines = ((number, decode_line(as_bytes(line), number, source).strip()) for number, line in numbered)
        self._source = source
        self.line = 0
        """The line that is being read."""
        self._notes: list[Note] = []

    def parse(self) -> Header:
        attributes: list[Attribute] = []
        for number, line in self._lines:
            self.line = number
            outline, values = outline_of(line)
            if not outline:
                continue
            declaration = _KEYWORD.match(outline)
            keyword = declaration[1].lower() if declaration else ""
            if declaration and keyword == "attribute":
                attributes.append(self._parse_attribute(declaration[2], values))
            elif declaration and keyword == "data":
                return self._finish(attributes, declaration[2])
            elif keyword != "relation":
                choices = "choose from @relation, @attribute and @data"
                raise LineError(f"{quoted(line.split()[0])} is not an ARFF declaration; {choices}")
        if not self.line:
            raise DataError("is empty; an ARFF header and data rows are needed", source=self._source)
        raise LineError("the ARFF header has no @data line; is the file cut off?")

    def _finish(self, attributes: list[Attribute], rest: str) -> Header:
        if not attributes:
            raise LineError("no @attribute comes before @data; declare each column with one")
        if rest:
            raise LineError("something follows @data; begin the rows on the next line")
        names, notes = tell_apart([attribute.name for attribute in attributes], self._source, "attribute")
        named = tuple(replace(attribute, name=name) for attribute, name in zip(attributes, names, strict=True))
        return Header(named, (*notes, *self._notes), self.line)

    def _parse_attribute(self, outline: str, values: Iterator[str]) -> Attribute:
        """What follows @attribute; a list of values may go on in further lines."""
        match = _NAME_AND_TYPE.match(outline)
        if match is None:
            raise LineError("@attribute needs a name and a type; is a quote never closed?")
        name, rest = (_value(match[1], values) or "").strip(), match[2]
        subject = f"attribute {quoted(name)}"
        if rest.startswith("{"):
            nominal, rest = self._parse_list(subject, rest[1:], values)
            attribute = Attribute(name, nominal=nominal)
        elif declared := _TYPE.match(rest):
            rest = declared[2]
            kind = (_value(declared[1], values) or "?").lower()
            if kind == "date":
                pattern = (_value(rest, values) if rest else None) or _ISO_DATE
                attribute, rest = Attribute(name, date_format=_as_strptime(pattern)), ""
                if not attribute.date_format:
                    problem = f"the format {quoted(pattern)} of dates is not understood, so they are texts"
                    self._notes.append(NoteKind.DATE_FORMAT.note(f"{self._source}: {subject}: {problem}", [name]))
            elif kind in ("numeric", "real", "integer", "string"):
                attribute = Attribute(name, is_number=kind != "string")
            else:
                raise LineError(f"{subject}: type {quoted(kind)} is not one of numeric, string, date, {{a,b,c}}")
        else:
            raise LineError(f"{subject} has no type; choose from numeric, string, date and {{a,b,c}}")
        if rest:
            message = f"{self._source}: {subject}: {quoted(rest)} after the type is ignored"
            self._notes.append(NoteKind.IGNORED.note(message, [name]))
        return attribute

    def _parse_list(self, subject: str, outline: str, values: Iterator[str]) -> tuple[tuple[str, ...], str]:
        """The values of a list that stand before its closing brace, and what follows that."""
        start, outlines, every = self.line, [outline], [*values]
        while "}" not in outlines[-1]:
            self.line, line = next(self._lines, (start, "@data"))
            if line.lower().startswith(_DECLARATIONS):
                self.line = start
                raise LineError(f"{subject}: the list of values is never closed with '}}'")
            outline, values = outline_of(line)
            outlines.append(outline)
            every += values
        inside, _, rest = " ".join(outlines).partition("}")
        listed = split_values(inside.strip(", \t"), iter(every)) if inside.strip(", \t") else []
        declared = tuple("?" if value is None else value for value in listed)
        if len(set(declared)) < len(declared):
            twice = next(value for place, value in enumerate(declared) if value in declared[:place])
            raise LineError(f"{subject}: value {quoted(twice)} is declared twice")
        return declared, rest.strip()
