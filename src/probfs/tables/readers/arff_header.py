"""The header of an ARFF file: attributes with their names, kinds and declared values.

Every line is scanned once from left to right, so that no line, however odd, takes more than linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from probfs.errors import DataError
from probfs.tables.table import Kind
from probfs.text import quoted

_NUMERIC = ("numeric", "real", "integer")
_NAMED_ZONE = re.compile(r"\b(?:UTC|GMT|UT)$")
"""Java, which these patterns come from, reads names where it writes numbers; these three are the same everywhere."""
_YEARS_AHEAD = 20
"""How far ahead Java looks for a year of two digits, before it looks back."""
_DEFAULT_DATE = "yyyy-MM-dd'T'HH:mm:ss"
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
# Patterns of java.text.SimpleDateFormat and what they are called in strptime.
_DATE_PARTS = {
    "yyyy": "%Y", "yy": "%y", "MMMM": "%B", "MMM": "%b", "MM": "%m", "M": "%m", "dd": "%d", "d": "%d",
    "HH": "%H", "H": "%H", "hh": "%I", "h": "%I", "mm": "%M", "m": "%M", "ss": "%S", "s": "%S",
    "SSS": "%f", "a": "%p", "Z": "%z", "X": "%z", "XX": "%z", "XXX": "%z", "z": "%z", "zz": "%z", "zzz": "%z",
    "y": "%Y", "yyy": "%Y", "D": "%j", "DD": "%j", "DDD": "%j",
    "E": "%a", "EE": "%a", "EEE": "%a", "EEEE": "%A",
}  # fmt: skip
QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")
"""A text in quotes of either kind, with a backslash before a quote inside it."""
_ESCAPE = re.compile(r"\\(?:u([0-9a-cA-Ce-fE-F][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2})|(.))", re.DOTALL)
_DATE_TOKEN = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+")


@dataclass(frozen=True)
class Attribute:
    """One @attribute line."""

    name: str
    kind: Kind
    nominal: tuple[str, ...] | None = None
    date_format: str | None = None


@dataclass(frozen=True)
class Header:
    """The attributes in their order, and what in the header was passed over."""

    attributes: tuple[Attribute, ...]
    notes: tuple[str, ...]


def read_header(lines: Iterator[tuple[int, str]], source: str) -> Header:
    """Take lines up to and including @data."""
    attributes: list[Attribute] = []
    seen: dict[str, int] = {}
    notes: list[str] = []
    last = 0
    for number, line in lines:
        last = number
        scanner = Scanner(line, number, source)
        if scanner.at_end():
            continue
        keyword = scanner.word().lower()
        if keyword == "@data":
            if not attributes:
                raise DataError(
                    "no @attribute comes before @data; declare each column with one", source=source, line=number
                )
            return Header(tuple(attributes), tuple(dict.fromkeys(notes)))
        if keyword == "@attribute":
            attribute = _attribute(scanner, lines, notes)
            if attribute.name in seen:
                problem = (
                    f"attribute {quoted(attribute.name)} is declared on line {seen[attribute.name]} already; rename one"
                )
                raise DataError(problem, source=source, line=number)
            seen[attribute.name] = number
            attributes.append(attribute)
        elif keyword != "@relation":
            problem = f"{quoted(keyword)} is no ARFF declaration; @relation, @attribute and @data are"
            raise DataError(problem, source=source, line=number)
    if not last:
        raise DataError("is empty; an ARFF header and data rows are needed", source=source)
    raise DataError("the ARFF header has no @data line; is the file cut off?", source=source, line=last)


def _attribute(scanner: Scanner, lines: Iterator[tuple[int, str]], notes: list[str]) -> Attribute:
    if scanner.at_end():
        raise scanner.error("@attribute needs a name and a type")
    name = scanner.text(stop=" \t{")
    if not name.strip():
        raise scanner.error("the attribute's name is blank")
    if scanner.at_end():
        raise scanner.error(f"attribute {quoted(name)} has no type; numeric, string, date or {{a,b,c}}")
    if scanner.peek() == "{":
        attribute = Attribute(name, Kind.TEXT, _nominal(scanner, lines, name))
    else:
        attribute = _typed(scanner, name, notes)
    if not scanner.at_end() and scanner.peek() == "{":
        notes.append(f"{scanner.source}: attribute weights are ignored")
    elif not scanner.at_end():
        raise scanner.error(f"attribute {quoted(name)}: {quoted(scanner.rest())} after the type is not understood")
    return attribute


def _typed(scanner: Scanner, name: str, notes: list[str]) -> Attribute:
    kind = scanner.text(stop=" \t[{").lower()
    if kind in _NUMERIC:
        if not scanner.at_end() and scanner.peek() == "[":
            scanner.skip_past("]")
        return Attribute(name, Kind.NUMBER)
    if kind == "string":
        return Attribute(name, Kind.TEXT)
    if kind == "date":
        pattern = _DEFAULT_DATE if scanner.at_end() or scanner.peek() == "{" else scanner.text(stop="{")
        if date_parser(pattern.strip()) is None:
            notes.append(
                f"{scanner.source}: attribute {quoted(name)}: the date format {quoted(pattern.strip())} is not "
                "understood, so its dates are taken as text"
            )
        return Attribute(name, Kind.DATE, date_format=pattern.strip())
    if kind == "relational":
        problem = f"attribute {quoted(name)} is relational (a table in a cell), which cannot be ranked; flatten it"
        raise scanner.error(problem)
    raise scanner.error(f"attribute {quoted(name)}: type {quoted(kind)} is not one of numeric, string, date, {{a,b,c}}")


_DECLARATIONS = ("@attribute ", "@attribute\t", "@data")


def _nominal(scanner: Scanner, lines: Iterator[tuple[int, str]], name: str) -> tuple[str, ...]:
    """The values between braces, which may go on over several lines."""
    start = scanner.line
    values: dict[str, None] = {}
    scanner.advance()
    while True:
        while scanner.at_end():
            following = next(lines, None)
            if following is None or following[1].lower().startswith(_DECLARATIONS):
                problem = f"attribute {quoted(name)}: the list of values is never closed with '}}'"
                raise DataError(problem, source=scanner.source, line=start)
            scanner.restart(*following)
        if scanner.peek() == "}":
            scanner.advance()
            return tuple(values)
        if scanner.peek() == ",":
            scanner.advance()
            continue
        value = scanner.text(stop=",}")
        if value in values:
            raise scanner.error(f"attribute {quoted(name)}: value {quoted(value)} is declared twice")
        values[value] = None


class Scanner:
    """Reads one line of ARFF from left to right."""

    def __init__(self, text: str, line: int, source: str) -> None:
        self.source = source
        self.restart(line, text)

    def restart(self, line: int, text: str) -> None:
        """Go on with another line."""
        self.line = line
        self._text = text
        self._position = 0

    def at_end(self) -> bool:
        """Skip blanks; true at the end of the line or at a comment."""
        text = self._text
        while self._position < len(text) and text[self._position].isspace():
            self._position += 1
        return self._position == len(text) or text[self._position] == "%"

    def peek(self) -> str:
        return self._text[self._position]

    def advance(self) -> None:
        self._position += 1

    def rest(self) -> str:
        return self._text[self._position :].strip()

    def skip_past(self, end: str) -> None:
        found = self._text.find(end, self._position)
        if found < 0:
            raise self.error(f"no {end!r} closes what was opened")
        self._position = found + 1

    def word(self) -> str:
        """Everything up to the next blank."""
        start = self._position
        while self._position < len(self._text) and not self._text[self._position].isspace():
            self._position += 1
        return self._text[start : self._position]

    def text(self, stop: str) -> str:
        """A quoted text, or what stands before one of the ``stop`` characters or a comment, without outer blanks."""
        if self.peek() in "'\"":
            return self._quoted()
        start = self._position
        text = self._text
        while self._position < len(text) and text[self._position] not in stop:
            if text[self._position] == "%" and text[self._position - 1].isspace():
                break
            self._position += 1
        return text[start : self._position].strip()

    def _quoted(self) -> str:
        match = QUOTED.match(self._text, self._position)
        if match is None:
            raise self.error("a quote opens and is never closed on its line; close it, or put a backslash before it")
        self._position = match.end()
        return unescaped(match[1] if match[1] is not None else match[2])

    def error(self, problem: str) -> DataError:
        return DataError(problem, source=self.source, line=self.line)


def unescaped(text: str) -> str:
    """A quoted text with its backslash sequences replaced by what they stand for."""
    return _ESCAPE.sub(_meant, text) if "\\" in text else text


def _meant(escape: re.Match[str]) -> str:
    if escape[1]:
        return chr(int(escape[1], 16))
    return _ESCAPES.get(escape[2], escape[2])


def date_parser(pattern: str) -> Callable[[str], str] | None:
    """A function from a date written as ``pattern`` says to the same moment in ISO form; None if beyond us."""
    directives = []
    for match in _DATE_TOKEN.finditer(pattern):
        if match[1] is not None:
            directives.append((match[1].replace("''", "'") or "'").replace("%", "%%"))
        elif match[2] is not None:
            if match[0] not in _DATE_PARTS:
                return None
            directives.append(_DATE_PARTS[match[0]])
        else:
            directives.append(match[0].replace("%", "%%"))
    if len({part for part in directives if part.startswith("%")}) < sum(part.startswith("%") for part in directives):
        return None
    directive = "".join(directives)
    zoned, short_year = "%z" in directives, "%y" in directives

    def parse(text: str) -> str:
        moment = datetime.strptime(_NAMED_ZONE.sub("+0000", text) if zoned else text, directive)
        if short_year and moment.year > datetime.now().year + _YEARS_AHEAD:
            moment = moment.replace(year=moment.year - 100)
        if moment.tzinfo is not None:
            moment = (moment - (moment.utcoffset() or moment.min - moment.min)).replace(tzinfo=None)
        return moment.isoformat(sep=" ")

    return parse
