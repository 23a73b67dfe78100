"""What the first lines of a delimited file say: what separates cells, what columns are called, where rows begin.

Python's csv module defines what a file says, and what is wrong with it and on which line. Light to import, as shells
ask for the names of columns.
"""

from __future__ import annotations

import csv
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from io import BufferedReader, RawIOBase, StringIO, TextIOWrapper
from typing import Any, BinaryIO

from probfs.errors import DataError
from probfs.notes import Note, NoteKind
from probfs.tables.header import NamedColumns, count_titles, holds_counts, is_number, read_header
from probfs.tables.opening import ReadOptions, TableInput, copy_of, decode_line
from probfs.text import listed, option

HEAD_BYTES = 1 << 20
"""How much of a file is read to see how it is laid out; more only if that is less than a header and a row."""
CELLS_LOOKED_AT = 20_000
"""How many of the first cells tell how a file is laid out, and the types of its columns."""
_FEWEST_ROWS = 3
_LINES_LOOKED_AT = 100
_LONGEST_NUMBER = 20
_LONGEST_CELL = 1 << 30
_JSON_ARRAY = re.compile(r"\s*\[\s*\{\s*\"")
_SEPARATOR_LINE = re.compile(r'"?sep=([\t !-~])"?[ \t]*(?:\r\n|\r|\n)', re.IGNORECASE)
"""What Excel writes above the header to say what separates cells."""
_BETWEEN_BLANKS = re.compile(r'"[^"\r\n]*"(?!\S)|\S+')
_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d)")
_MARKUP = ("<!doctype", "<html", "<?xml")
_DELIMITER_NAMES = {";": "';'", "\t": "tab", "|": "'|'", ",": "','"}
"""Delimiters as messages show them."""
_ONE_AT_A_TIME = threading.Lock()


class Reading(RawIOBase):
    """A file from some place on, with a position of its own: threads of a failed read may still be reading it."""

    def __init__(self, raw: Any, position: int, look: Callable[[bytes], None] | None = None) -> None:
        self._raw, self._position, self._look = raw, position, look

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with _ONE_AT_A_TIME:
            self._raw.seek(self._position)
            count: int = self._raw.readinto(buffer)
        self._position += count
        if self._look is not None:
            self._look(bytes(buffer[:count]))
        return count


@dataclass(frozen=True)
class CsvHead:
    """What the first lines of a file say."""

    raw: BinaryIO
    """The file, in UTF-8."""
    columns: NamedColumns
    delimiter: str
    notes: tuple[Note, ...]
    start: int
    """The place of the first byte below the header."""
    line: int
    """The line below the header."""
    first: Sequence[Sequence[str]]
    """The first records below the header."""
    first_bytes: int
    """How many bytes these have, roughly."""


@dataclass(frozen=True)
class _Layout:
    delimiter: str
    records: list[list[str]]
    ends: list[int]
    """How many lines there are up to the end of each record."""
    titles: int

    def is_even(self) -> bool:
        """Whether all rows have as many cells as the header, or one more for row names."""
        header, *rows = self.records[self.titles :] or [[]]
        return len(header) > 1 and {len(row) for row in rows} in ({len(header)}, {len(header) + 1})


def csv_records(
    lines: Iterable[str], delimiter: str, source: str, first_line: int = 1
) -> Iterator[tuple[int, int, list[str]]]:
    """The first line of each record, the line after it, and its cells; lines are counted from that of the first."""
    limit = csv.field_size_limit(_LONGEST_CELL)
    reader, start = csv.reader(lines, delimiter=delimiter, strict=True), first_line
    try:
        for record in reader:
            end = first_line + reader.line_num
            if record:
                yield start, end, record
            start = end
    except csv.Error as error:
        if "unexpected end" in str(error):
            problem = "a quote opens here and is never closed; close it, or double a quote inside a cell"
            raise DataError(problem, source=source, line=start) from error
        problem = "text follows a closing quote; double a quote inside a quoted cell"
        raise DataError(problem, source=source, line=first_line + reader.line_num - 1) from error
    finally:
        csv.field_size_limit(limit)


def text_lines(raw: Any, start: int, source: str, first_line: int) -> Iterator[str]:
    """The lines of a file from some byte on, which end in any way."""
    text = TextIOWrapper(BufferedReader(Reading(raw, start), HEAD_BYTES), "utf-8", "surrogateescape", newline="")
    return _checked(text, source, first_line)


def _checked(lines: Iterable[str], source: str, first_line: int) -> Iterator[str]:
    for number, line in enumerate(lines, first_line):
        if not line.isascii() or "\0" in line:
            decode_line(line.encode("utf-8", "surrogateescape"), number, source)
        yield line


@contextmanager
def open_csv(table_input: TableInput) -> Iterator[CsvHead]:
    """What the first lines of a delimited file say; where blanks separate cells, these become tabs."""
    with table_input.as_utf8() as raw, ExitStack() as stack:
        notes, start = [], raw.tell()
        lines = _first_lines(raw, start, table_input)
        if table_input.other_delimiters and _has_blanks_between(lines, table_input.options):
            notes = [NoteKind.DELIMITER.note(f"{table_input.source}: cells are separated by blanks")]
            table_input = replace(table_input, delimiter="\t", other_delimiters="")
            every_line = text_lines(raw, start, table_input.source, 1)
            rows = ("\t".join(_BETWEEN_BLANKS.findall(line)) + "\n" for line in every_line)
            raw, start = stack.enter_context(copy_of(row.encode("utf-8", "surrogateescape") for row in rows)), 0
            lines = _first_lines(raw, start, table_input)
        yield _read_head(raw, start, lines, table_input, notes)


def _has_blanks_between(lines: Sequence[str], options: ReadOptions) -> bool:
    """Whether nothing but blanks separates the first cells, as some columns of numbers show; rows may have names."""
    some = lines[options.skip_rows or 0 :][:_LINES_LOOKED_AT]
    if any(delimiter in _DECIMAL_COMMA.sub(".", line) for line in some for delimiter in _DELIMITER_NAMES):
        return False
    header, *below = [row for line in some if (row := _BETWEEN_BLANKS.findall(line))] or [[]]
    if len(header) > 1 and all(len(row) == len(header) + 1 for row in below) and _rows_have_names(below, len(header)):
        below = [row[1:] for row in below]
    if len(header) < 2 or not below or any(len(row) != len(header) for row in below):
        return False
    columns = zip(header, zip(*below, strict=True), strict=True)
    return any(
        is_number(name) == options.no_header
        and all(cell == "NA" or is_number(_DECIMAL_COMMA.sub(".", cell)) for cell in cells)
        for name, cells in columns
    )


def _first_lines(raw: Any, start: int, table_input: TableInput) -> list[str]:
    """Whole lines from the beginning of the file, with at least two below the skipped ones if it has as many."""
    size, skipped = HEAD_BYTES, table_input.options.skip_rows or 0
    while True:
        block = Reading(raw, start).read(size) or b""
        lines = list(StringIO(block.decode("utf-8", "surrogateescape"), newline=""))
        if len(block) < size:
            break
        # The last one may be cut off.
        del lines[-1:]
        if len(lines) >= skipped + 2:
            break
        size *= 4
    return list(_checked(lines, table_input.source, 1))


def _read_head(raw: Any, start: int, lines: Sequence[str], table_input: TableInput, notes: Sequence[Note]) -> CsvHead:
    """Read the header, below titles and comments; another delimiter is recognised from the first lines."""
    source, options = table_input.source, table_input.options
    usual, others = table_input.delimiter, table_input.other_delimiters
    if options.decimal == usual and others:
        # What begins the decimals separates cells only where nothing else does.
        usual, others = others[0], others[1:] + usual
    skipped = options.skip_rows or 0
    beginning = "".join(lines[skipped:])[:1000].lstrip()
    if beginning.lower().startswith(_MARKUP):
        raise DataError("is a web page or XML, not a table; was the download refused?", source=source)
    if _JSON_ARRAY.match(beginning):
        raise DataError("is a JSON array, not a table; write one object a line (JSON lines)", source=source)
    told = _SEPARATOR_LINE.fullmatch(lines[skipped]) if len(lines) > skipped else None
    if told is not None:
        skipped += 1
        usual, others = (told[1], "") if others else (usual, "")
    layout = _lay_out(usual, others, lines[skipped:], options.skip_rows is None and not options.no_header)
    delimiter, titles, first = layout.delimiter, layout.titles, layout.records
    if delimiter != table_input.delimiter:
        shown = _DELIMITER_NAMES.get(delimiter, delimiter).replace("tab", "tabs")
        notes = [*notes, NoteKind.DELIMITER.note(f"{source}: cells are separated by {shown}")]
    end_of_rows = skipped + layout.ends[-1] if first else 0
    if len(first) <= titles:
        # Say what is wrong with the header.
        next(csv_records(lines[skipped:], delimiter, source, skipped + 1), None)
        raise DataError("is empty; a header line and data rows are needed", source=source)
    no_header = options.no_header
    if options.skip_rows is None and not no_header and holds_counts(first):
        message = f"{source}: the first row holds counts and class names, no names of columns: {listed(first.pop(0))}"
        remedy = f"it was skipped, as {option('skip_rows', 1)} {option('no_header', True)} would do"
        notes = [*notes, NoteKind.NO_HEADER.note(f"{message}; {remedy}")]
        skipped, no_header = skipped + layout.ends[0], True
    if not no_header:
        header, skipped = first[titles], skipped + layout.ends[titles]
        other = next((mark for mark in _DELIMITER_NAMES if mark != delimiter and mark in header[0]), None)
        if _rows_have_names(first[titles + 1 :], len(header)):
            first[titles] = ["", *header]
        elif len(header) == 1 and other is not None:
            shown = _DELIMITER_NAMES[other]
            remedy = f"use {option('delimiter', other, typed=shown)}"
            raise DataError(f"the header is one column and contains {shown}; {remedy}", source=source, line=skipped)
    columns = read_header(first, titles, source, no_header=no_header)
    rows = first if no_header else first[titles + 1 :]
    start += len("".join(lines[:skipped]).encode())
    first_bytes = sum(map(len, lines[skipped:end_of_rows]))
    return CsvHead(raw, columns, delimiter, (*notes, *columns.notes), start, skipped + 1, rows, first_bytes)


def _lay_out(usual: str, others: str, lines: Sequence[str], find_titles: bool) -> _Layout:
    """The first records, split by the delimiter that makes header and rows equally long below the fewest titles.

    If no delimiter does, or several do, the usual one is taken, and what is wrong with the file is reported with it.
    """
    layouts: list[_Layout] = []
    for delimiter in usual + others:
        records, ends, cells = list[list[str]](), list[int](), 0
        # What is wrong with a row will be found with its line.
        with suppress(DataError):
            for _, end, record in csv_records(lines, delimiter, "", 0):
                records.append(record)
                ends.append(end)
                cells += len(record)
                if cells >= CELLS_LOOKED_AT and len(records) >= _FEWEST_ROWS:
                    break
        layout = _Layout(delimiter, records, ends, count_titles(records) if find_titles else 0)
        if delimiter == usual and layout.is_even() and not layout.titles:
            return layout
        layouts.append(layout)
    even = [layout for layout in layouts if layout.is_even()]
    fewest = min((layout.titles for layout in even), default=0)
    best = [layout for layout in even if layout.titles == fewest]
    return best[0] if len(best) == 1 else layouts[0]


def _rows_have_names(rows: Sequence[Sequence[str]], width: int) -> bool:
    """Whether each row begins with a name that the header of ``width`` columns does not count.

    So R's ``write.table`` writes row names. Rows can be too long for other reasons: a last cell that is empty in all of
    them comes from a delimiter at the end of each line; and where decimal commas split a column, the first cells are
    hardly all different, nor numbers in ascending order. A single column is left alone: commas in it are likelier.
    """
    if width < 2 or any(len(row) != width + 1 for row in rows) or all(row[-1] == "" for row in rows):
        return False
    names = [row[0] for row in rows if row[0].strip()]
    if not 1 < len(rows) == len(set(names)):
        return False
    numbers = [int(name) for name in names if name.isascii() and name.isdigit() and len(name) < _LONGEST_NUMBER]
    return len(numbers) < len(names) or numbers == sorted(numbers)
