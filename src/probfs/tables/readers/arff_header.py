"""The header of an ARFF file: attributes with their names, kinds and declared values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from probfs.errors import DataError
from probfs.notes import Note, NoteKind
from probfs.tables.readers.arff_dates import make_date_parser
from probfs.tables.readers.arff_scanner import Scanner
from probfs.tables.table import Kind
from probfs.text import counted, listed, quoted

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
    otherwise_nominal: tuple[str, ...] | None = None
    """The values if blanks are read the other way, where a list has some between words: as separators, or as text."""
    date_format: str | None = None

    def may_hold(self, text: str) -> bool:
        """Whether an odd text, which is neither a number nor a date, may be a value of the attribute."""
        if self.nominal is not None:
            return text in self.nominal
        return self.kind is Kind.TEXT


@dataclass(frozen=True)
class Header:
    """The attributes in their order, and notes about what was ignored."""

    attributes: tuple[Attribute, ...]
    notes: tuple[Note, ...]
    row_on_data_line: str = ""
    """What follows @data on its line, which Weka reads as the first row."""


def read_header(lines: Iterator[tuple[int, str]], source: str) -> Header:
    """Read the header from numbered lines, of which it takes those up to and including @data."""
    attributes: list[Attribute] = []
    seen: dict[str, int] = {}
    notes: list[Note] = []
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
            named, naming = _name_attributes(attributes, source)
            row = scanner.rest()
            row = "" if scanner.at_end() else row
            return Header(named, tuple(dict.fromkeys(naming + notes)), row)
        if keyword == "@attribute":
            attribute = _parse_attribute(scanner, lines, notes)
            if attribute.name.strip() and attribute.name in seen:
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


def _name_attributes(attributes: Sequence[Attribute], source: str) -> tuple[tuple[Attribute, ...], list[Note]]:
    """The attributes, with the position for a name where the file has a blank one, and a note that says so."""
    taken = {attribute.name for attribute in attributes}
    named: list[Attribute] = []
    given: list[str] = []
    for position, attribute in enumerate(attributes, start=1):
        if attribute.name.strip():
            named.append(attribute)
            continue
        name = f"column {position}"
        if name in taken:
            name = next(other for number in count(2) if (other := f"{name} ({number})") not in taken)
        taken.add(name)
        given.append(name)
        named.append(replace(attribute, name=name))
    if not given:
        return tuple(named), []
    what = counted(len(given), "attribute has no name", "attributes have no name")
    message = f"{source}: {what}, so named by position: {listed(given)}"
    return tuple(named), [NoteKind.UNNAMED_COLUMNS.note(message, given)]


def _parse_attribute(scanner: Scanner, lines: Iterator[tuple[int, str]], notes: list[Note]) -> Attribute:
    if scanner.at_end():
        raise scanner.error("@attribute needs a name and a type")
    name = _parse_name(scanner)
    if scanner.at_end():
        raise scanner.error(f"attribute {quoted(name)} has no type; choose from numeric, string, date and {{a,b,c}}")
    attribute = _parse_nominal(scanner, lines, name) if scanner.peek() == "{" else _parse_type(scanner, name, notes)
    if scanner.at_end():
        return attribute
    if scanner.peek() == "{":
        notes.append(NoteKind.IGNORED.note(f"{scanner.source}: attribute weights are ignored"))
    elif attribute.nominal is None:
        message = f"{scanner.source}: attribute {quoted(name)}: {quoted(scanner.rest())} after the type is ignored"
        notes.append(NoteKind.IGNORED.note(message, [name]))
    else:
        raise scanner.error(f"attribute {quoted(name)}: {quoted(scanner.rest())} after the type is not understood")
    return attribute


def _parse_name(scanner: Scanner) -> str:
    """A name, quoted or not; commas separate it from the type, and belong to it only inside a bare name."""
    is_bare = scanner.peek() not in "'\""
    name = scanner.text(stop=" \t{")
    if not is_bare or "," not in name:
        return name
    if scanner.at_end():
        # As in "age,numeric": the comma separates the name from its type.
        name, _, kind = name.partition(",")
        scanner.restart(scanner.line, kind)
    return name.rstrip(",")


def _parse_type(scanner: Scanner, name: str, notes: list[Note]) -> Attribute:
    kind = scanner.text(stop=" \t,[{").lower()
    if kind in _NUMERIC:
        if not scanner.at_end() and scanner.peek() == "[":
            scanner.skip_past("]")
        return Attribute(name, Kind.NUMBER)
    if kind == "string":
        return Attribute(name, Kind.TEXT)
    if kind == "date":
        pattern = _DEFAULT_DATE if scanner.at_end() or scanner.peek() == "{" else scanner.text(stop="{")
        if make_date_parser(pattern.strip()) is None:
            problem = f"the date format {quoted(pattern.strip())} is not understood, so its dates are taken as text"
            message = f"{scanner.source}: attribute {quoted(name)}: {problem}"
            notes.append(NoteKind.DATE_FORMAT.note(message, [name]))
        return Attribute(name, Kind.DATE, date_format=pattern.strip())
    if kind == "relational":
        problem = f"attribute {quoted(name)} is relational (a table in a cell), which cannot be ranked; flatten it"
        raise scanner.error(problem)
    raise scanner.error(f"attribute {quoted(name)}: type {quoted(kind)} is not one of numeric, string, date, {{a,b,c}}")


def _parse_nominal(scanner: Scanner, lines: Iterator[tuple[int, str]], name: str) -> Attribute:
    """A nominal attribute with its values, which stand between braces and may span several lines."""
    start = scanner.line
    values: dict[str, bool] = {}
    has_commas = False
    scanner.advance()
    while True:
        while scanner.at_end():
            following = next(lines, None)
            if following is None or following[1].lower().startswith(_DECLARATIONS):
                problem = f"attribute {quoted(name)}: the list of values is never closed with '}}'"
                raise DataError(problem, source=scanner.source, line=start)
            scanner.restart(*following)
        if scanner.peek() == "}":
            break
        is_bare = scanner.peek() not in "'\""
        value = scanner.text(stop=",}")
        if value in values:
            raise scanner.error(f"attribute {quoted(name)}: value {quoted(value)} is declared twice")
        values[value] = is_bare
        has_commas = has_commas or scanner.is_before_comma()
    scanner.advance()
    separated = [part for value, is_bare in values.items() for part in (value.split() if is_bare else [value])]
    readings = [tuple(values), tuple(dict.fromkeys(separated))]
    if len(readings[1]) < len(separated) or readings[0] == readings[1]:
        readings.pop()
    # Blanks separate values in Weka. Beside commas, though, "New York" is one value, unless the data say otherwise.
    if not has_commas:
        readings.reverse()
    return Attribute(name, Kind.TEXT, readings[0], readings[1] if len(readings) > 1 else None)
