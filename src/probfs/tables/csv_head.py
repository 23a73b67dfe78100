"""What the first lines of a file say: what columns are called, which are row indexes, what separates cells; and the
records of a delimited file by Python's csv module.

The csv module defines what a file says, and what is wrong with it and on which line. Light to import, as shells ask
for the names of columns.
"""

from __future__ import annotations

import csv
import os
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import BufferedReader, BytesIO, RawIOBase, TextIOWrapper
from itertools import count, islice
from typing import Any, BinaryIO

from probfs.errors import DataError
from probfs.notes import Note, NoteKind
from probfs.tables.opening import TableInput, decode_line
from probfs.text import counted, listed, option, quoted

HEAD_BYTES = 1 << 20
"""How much of a file is read to see how it is laid out; more only if that is less than a header and a row."""
_ROWS_LOOKED_AT = 10
_LONGEST_NUMBER = 20
_LONGEST_CELL = 1 << 30
# What pandas calls a first column without a name, and again when such a file is written and read once more.
_PANDAS_INDEX = re.compile(r"Unnamed: 0(?:\.\d+)*")
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
"""A physical line with its line end, of whatever kind."""
_LINE_END = re.compile(r"\r\n|\r|\n")
_JSON_ARRAY = re.compile(rb"\s*\[\s*\{\s*\"")
_MARKUP = (b"<!doctype", b"<html", b"<?xml")
_DELIMITER_NAMES = {";": "';'", "\t": "tab", "|": "'|'", ",": "','"}
"""Delimiters as messages show them."""


@dataclass(frozen=True)
class NamedColumns:
    """The columns of a file, all of them named, of which the first few may be row indexes."""

    names: tuple[str, ...]
    """A name for every column; those of row indexes are as the file has them."""
    indexes: int
    """How many of the first columns are row indexes, to be left out."""
    notes: tuple[Note, ...]

    @property
    def left_out(self) -> tuple[str, ...]:
        """The names of the row indexes as the file has them."""
        return self.names[: self.indexes]


def name_columns(names: Sequence[str], source: str) -> NamedColumns:
    """Find the row index among a file's columns, and name the other columns that have no name.

    >>> name_columns(["", "a", "", "b"], "t.csv").names
    ('', 'a', 'column 3', 'b')
    """
    indexes = 1 if names and not names[0].strip() else 0
    while indexes < len(names) and _PANDAS_INDEX.fullmatch(names[indexes]):
        indexes += 1
    if indexes == len(names):
        # A table of nothing else keeps them.
        indexes = 0
    complete, notes = name_by_position(names, source, "column", indexes)
    if indexes:
        which = "the unnamed first column was" if indexes == 1 else f"the unnamed first {indexes} columns were"
        left_out = NoteKind.ROW_INDEX.note(f"{source}: {which} left out as a row index", names[:indexes])
        notes = [left_out, *notes]
    return NamedColumns(tuple(complete), indexes, tuple(notes))


def name_by_position(names: Sequence[str], source: str, noun: str, first: int = 0) -> tuple[list[str], list[Note]]:
    """The names with one by position in place of each blank one from the first on, and a note that says so."""
    complete, given, taken = list(names), [], set(names)
    for position in range(first, len(names)):
        if not names[position].strip():
            name = f"column {position + 1}"
            if name in taken:
                name = next(other for number in count(2) if (other := f"{name} ({number})") not in taken)
            complete[position] = name
            given.append(name)
            taken.add(name)
    if not given:
        return complete, []
    what = counted(len(given), f"{noun} has no name", f"{noun}s have no name")
    message = f"{source}: {what}, so named by position: {listed(given)}"
    return complete, [NoteKind.UNNAMED_COLUMNS.note(message, given)]


class CsvText:
    """The text of a file, which can be read from any place and by several readers: Arrow's threads may still be busy
    with a reading that failed.
    """

    def __init__(self, raw: BinaryIO) -> None:
        self.raw, self.start, self.lock = raw, raw.tell(), threading.Lock()
        self.size = raw.seek(0, os.SEEK_END) - self.start

    def open(self, position: int, look: Callable[[bytes], None] | None = None) -> CsvReading:
        """The text from a place on; ``look`` is given all bytes that are read."""
        return CsvReading(self, self.start + position, look)


class CsvReading(RawIOBase):
    """One of several readings of a file."""

    def __init__(self, text: CsvText, position: int, look: Callable[[bytes], None] | None) -> None:
        self._text, self._position, self._look = text, position, look

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        with self._text.lock:
            self._text.raw.seek(self._position)
            data = self._text.raw.read(size)
        self._position += len(data)
        if self._look is not None:
            self._look(data)
        return data

    def readinto(self, buffer: Any) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


class CsvRecords:
    """Iterates over the records of a stream, each with the physical line on which it begins."""

    def __init__(self, source: str, delimiter: str, stream: Any, first_line: int = 1) -> None:
        self._source, self._delimiter = source, delimiter
        buffered = stream if isinstance(stream, BytesIO) else BufferedReader(stream, HEAD_BYTES)
        self._text = TextIOWrapper(buffered, "utf-8", "surrogateescape", newline="")
        self._unfinished: list[str] = []
        self.next_line = first_line
        """The first line that has not been read."""
        self.bytes_read = 0
        """How many bytes the lines have that were read so far."""

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        limit = csv.field_size_limit(_LONGEST_CELL)
        try:
            for record in csv.reader(self._lines(), delimiter=self._delimiter, strict=True):
                start = self.next_line - len(self._unfinished)
                self._unfinished.clear()
                if record:
                    yield start, record
        except csv.Error as error:
            raise self._quote_error(str(error)) from error
        finally:
            csv.field_size_limit(limit)

    def _lines(self) -> Iterator[str]:
        for line in self._text:
            encoded = line.encode("utf-8", "surrogateescape")
            text = decode_line(encoded, self.next_line, self._source)
            self.next_line += 1
            self.bytes_read += len(encoded)
            self._unfinished.append(text)
            yield text

    def _quote_error(self, problem: str) -> DataError:
        if "unexpected end" not in problem:
            problem = "text follows a closing quote; double a quote inside a quoted cell"
            return DataError(problem, source=self._source, line=self.next_line - 1)
        # The quote that opens the last, unfinished cell of the record.
        text, end, position = "".join(self._unfinished), re.escape(self._delimiter), 0
        cell = re.compile(rf'"(?:[^"]|"")*"{end}|[^"{end}][^{end}]*{end}|{end}')
        while (match := cell.match(text, position)) is not None:
            position = match.end()
        line = self.next_line - len(self._unfinished) + len(_LINE_END.findall(text[:position]))
        problem = "a quote opens here and is never closed; close it, or double a quote inside a cell"
        return DataError(problem, source=self._source, line=line)


@dataclass(frozen=True)
class CsvHead:
    """What the first lines of a file say."""

    columns: NamedColumns
    delimiter: str
    notes: tuple[Note, ...]
    start: int
    """How many bytes come before the first row."""
    line: int
    """The line after the header."""
    sample: bytes
    """The first rows, whole ones."""


def read_head(text: CsvText, table_input: TableInput) -> CsvHead:
    """Read the header; one of the other delimiters is recognised from the first lines."""
    source, usual = table_input.source, table_input.delimiter
    skipped = table_input.options.skip_rows
    start, block = _first_block(text, skipped)
    if block[:1000].lstrip().lower().startswith(_MARKUP):
        raise DataError("is a web page or XML, not a table; was the download refused?", source=source)
    if _JSON_ARRAY.match(block[:1000]):
        raise DataError("is a JSON array, not a table; write one object a line (JSON lines)", source=source)
    delimiter = _recognise_delimiter(block, usual, table_input.other_delimiters)
    notes: tuple[Note, ...] = ()
    if delimiter != usual:
        shown = _DELIMITER_NAMES.get(delimiter, delimiter).replace("tab", "tabs")
        notes = (NoteKind.DELIMITER.note(f"{source}: cells are separated by {shown}"),)
    records = CsvRecords(source, delimiter, BytesIO(block), skipped + 1)
    line, names = next(iter(records), (0, None))
    if names is None:
        raise DataError("is empty; a header line and data rows are needed", source=source)
    sample = block[records.bytes_read :]
    if _rows_have_names(sample, len(names), delimiter):
        names = ["", *names]
    elif len(names) == 1:
        other = next((other for other in _DELIMITER_NAMES if other != delimiter and other in names[0]), None)
        if other is not None:
            shown = _DELIMITER_NAMES[other]
            remedy = f"use {option('delimiter', other, typed=shown)}"
            raise DataError(f"the header is one column and contains {shown}; {remedy}", source=source, line=line)
    columns = name_columns(names, source)
    first: dict[str, int] = {}
    # The names of row indexes do not matter.
    for number, name in enumerate(columns.names[columns.indexes :], start=columns.indexes + 1):
        if first.setdefault(name, number) != number:
            problem = f"{quoted(name)} is column {first[name]} and {number}; rename one of them"
            raise DataError(problem, source=source, line=line)
    return CsvHead(columns, delimiter, notes + columns.notes, start + records.bytes_read, records.next_line, sample)


def _first_block(text: CsvText, skipped: int) -> tuple[int, bytes]:
    """Whole records after the lines that are passed over, at least two if there are as many; and where they begin."""
    size = HEAD_BYTES
    while True:
        data = text.open(0).read(size)
        is_all = len(data) < size
        last = next(islice(_LINE.finditer(data), skipped - 1, None), None) if skipped else None
        start = 0 if not skipped else len(data) if last is None else last.end()
        body = data[start:]
        if is_all:
            return start, body
        # A quote inside a cell may have turned inside into outside, so that no record seems to end.
        for records in (_whole_records(body), body[: body.rfind(b"\n") + 1]):
            if len(records.splitlines()) > 1:
                return start, records
        size *= 4


def _whole_records(data: bytes) -> bytes:
    """The data up to the last line end before which an even number of quotes stands."""
    end, quotes = len(data), data.count(b'"')
    while (line_end := data.rfind(b"\n", 0, end)) >= 0:
        quotes -= data.count(b'"', line_end, end)
        if quotes % 2 == 0:
            return data[: line_end + 1]
        end = line_end
    return b""


def _recognise_delimiter(block: bytes, delimiter: str, others: Sequence[str]) -> str:
    """The one of the ``others`` that splits the first records evenly, if ``delimiter`` does not split the header.

    If none of them does, or several do, it is ``delimiter``, and what is wrong with the file will be found with it.
    """
    if not others or len((_records(block, delimiter, 1) or [[]])[0]) > 1:
        return delimiter
    fitting = []
    for other in others:
        header, *rows = _records(block, other, 1 + _ROWS_LOOKED_AT) or [[]]
        # Each row may have one cell more, its name.
        if len(header) > 1 and {len(row) for row in rows} in ({len(header)}, {len(header) + 1}):
            fitting.append(other)
    return fitting[0] if len(fitting) == 1 else delimiter


def _rows_have_names(block: bytes, width: int, delimiter: str) -> bool:
    """Whether each of a block's rows begins with a name that the header of ``width`` columns does not count.

    So R's ``write.table`` writes row names. Rows can be too long for other reasons: a last cell that is empty in all of
    them comes from a delimiter at the end of each line; and where decimal commas split a column, the first cells are
    hardly all different, nor numbers in ascending order. A single column is left alone: commas in it are likelier.
    """
    # Nearly all files are told by their first row, and need no more than that.
    if width < 2 or [len(row) for row in _records(block, delimiter, 1)] != [width + 1]:
        return False
    rows = _records(block, delimiter, None)
    if any(len(row) != width + 1 for row in rows) or all(row[-1] == "" for row in rows):
        return False
    names = [row[0] for row in rows if row[0].strip()]
    if not 1 < len(rows) == len(set(names)):
        return False
    numbers = [int(name) for name in names if name.isascii() and name.isdigit() and len(name) < _LONGEST_NUMBER]
    return len(numbers) < len(names) or numbers == sorted(numbers)


def _records(block: bytes, delimiter: str, most: int | None) -> list[list[str]]:
    """The first records of a block; none if one of them is broken."""
    try:
        return [record for _, record in islice(CsvRecords("", delimiter, BytesIO(block)), most)]
    except DataError:
        return []
