"""The header of an ARFF file: attributes with their names, kinds and declared values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from probfs.errors import DataError
from probfs.tables.readers.arff_dates import make_date_parser
from probfs.tables.readers.arff_scanner import Scanner
from probfs.tables.table import Kind
from probfs.text import quoted

_NUMERIC = ("numeric", "real", "integer")
_DEFAULT_DATE = "yyyy-MM-dd'T'HH:mm:ss"
_DECLARATIONS = ("@attribute ", "@attribute\t", "@data")


@dataclass(frozen=True)
class Attribute:
    """A column as an @attribute line declares it."""

    name: str
    kind: Kind
    nominal: tuple[str, ...] | None = None
    """The declared values of a nominal attribute."""
    date_format: str | None = None


@dataclass(frozen=True)
class Header:
    """The attributes in their order, and notes about what was ignored."""

    attributes: tuple[Attribute, ...]
    notes: tuple[str, ...]


def read_header(lines: Iterator[tuple[int, str]], source: str) -> Header:
    """Read the header from numbered lines, of which it takes those up to and including @data."""
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
            attribute = _parse_attribute(scanner, lines, notes)
            if attribute.name in seen:
                problem = (
                    f"attribute {quoted(attribute.name)} is declared on line {seen[attribute.name]} already; rename one"
                )
                raise DataError(problem, source=source, line=number)
            seen[attribute.name] = number
            attributes.append(attribute)
        elif keyword != "@relation":
            problem = f"{quoted(keyword)} is not an ARFF declaration; choose from @relation, @attribute and @data"
            raise DataError(problem, source=source, line=number)
    if not last:
        raise DataError("is empty; an ARFF header and data rows are needed", source=source)
    raise DataError("the ARFF header has no @data line; is the file cut off?", source=source, line=last)


def _parse_attribute(scanner: Scanner, lines: Iterator[tuple[int, str]], notes: list[str]) -> Attribute:
    if scanner.at_end():
        raise scanner.error("@attribute needs a name and a type")
    name = scanner.text(stop=" \t{")
    if not name.strip():
        raise scanner.error("the attribute's name is blank")
    if scanner.at_end():
        raise scanner.error(f"attribute {quoted(name)} has no type; choose from numeric, string, date and {{a,b,c}}")
    if scanner.peek() == "{":
        attribute = Attribute(name, Kind.TEXT, _parse_nominal_values(scanner, lines, name))
    else:
        attribute = _parse_type(scanner, name, notes)
    if not scanner.at_end() and scanner.peek() == "{":
        notes.append(f"{scanner.source}: attribute weights are ignored")
    elif not scanner.at_end():
        raise scanner.error(f"attribute {quoted(name)}: {quoted(scanner.rest())} after the type is not understood")
    return attribute


def _parse_type(scanner: Scanner, name: str, notes: list[str]) -> Attribute:
    kind = scanner.text(stop=" \t[{").lower()
    if kind in _NUMERIC:
        if not scanner.at_end() and scanner.peek() == "[":
            scanner.skip_past("]")
        return Attribute(name, Kind.NUMBER)
    if kind == "string":
        return Attribute(name, Kind.TEXT)
    if kind == "date":
        pattern = _DEFAULT_DATE if scanner.at_end() or scanner.peek() == "{" else scanner.text(stop="{")
        if make_date_parser(pattern.strip()) is None:
            notes.append(
                f"{scanner.source}: attribute {quoted(name)}: the date format {quoted(pattern.strip())} is not "
                "understood, so its dates are taken as text"
            )
        return Attribute(name, Kind.DATE, date_format=pattern.strip())
    if kind == "relational":
        problem = f"attribute {quoted(name)} is relational (a table in a cell), which cannot be ranked; flatten it"
        raise scanner.error(problem)
    raise scanner.error(f"attribute {quoted(name)}: type {quoted(kind)} is not one of numeric, string, date, {{a,b,c}}")


def _parse_nominal_values(scanner: Scanner, lines: Iterator[tuple[int, str]], name: str) -> tuple[str, ...]:
    """The values between braces, which may span several lines."""
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
