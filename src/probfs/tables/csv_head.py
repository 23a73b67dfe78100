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
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from io import BufferedReader, BytesIO, RawIOBase, TextIOWrapper
from itertools import islice
from typing import Any, BinaryIO

from probfs.errors import DataError
from probfs.notes import Note, NoteKind
from probfs.tables.header import (
    NamedColumns,
    count_titles,
    is_number,
    name_columns,
    note_data,
    note_titles,
    positions_as_names,
)
from probfs.tables.opening import NotUtf8Error, ReadOptions, TableInput, copy_of, decode_line
from probfs.text import option

HEAD_BYTES = 1 << 20
"""How much of a file is read to see how it is laid out; more only if that is less than a header and a row."""
CELLS_LOOKED_AT = 20_000
"""How many of the first cells tell how a file is laid out, and the types of its columns."""
_FEWEST_ROWS = 3
_LINES_LOOKED_AT = 100
_LONGEST_NUMBER = 20
_LONGEST_CELL = 1 << 30
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
"""A physical line with its line end, of whatever kind."""
_LINE_END = re.compile(r"\r\n|\r|\n")
_JSON_ARRAY = re.compile(rb"\s*\[\s*\{\s*\"")
_SEPARATOR_LINE = re.compile(rb'"?sep=([^\r\n"\x80-\xff])"?[ \t]*(?:\r\n|\r|\n)', re.IGNORECASE)
"""What Excel writes above the header to say what separates cells."""
_BETWEEN_BLANKS = re.compile(r'"[^"\r\n]*"(?!\S)|\S+')
_MARKUP = (b"<!doctype", b"<html", b"<?xml")
_DELIMITER_NAMES = {";": "';'", "\t": "tab", "|": "'|'", ",": "','"}
"""Delimiters as messages show them."""


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
    first: Sequence[Sequence[str]]
    """A few of them as records."""
    first_bytes: int
    """How many bytes these have."""


@contextmanager
def open_csv(table_input: TableInput) -> Iterator[tuple[CsvText, CsvHead]]:
    """The text of a delimited file, and what its first lines say; where blanks separate cells, these become tabs."""
    with table_input.as_utf8() as raw, ExitStack() as stack:
        text, notes = CsvText(raw), []
        if table_input.other_delimiters and _has_blanks_between(text, table_input.options):
            notes = [NoteKind.DELIMITER.note(f"{table_input.source}: cells are separated by blanks")]
            table_input = replace(table_input, delimiter="\t", other_delimiters="")
            text = CsvText(stack.enter_context(copy_of(_blanks_as_tabs(text))))
        yield text, read_head(text, table_input, notes)


def _has_blanks_between(text: CsvText, options: ReadOptions) -> bool:
    """Whether nothing but blanks separates the first cells, as some columns of numbers show."""
    lines = (
        text.open(0).read(1 << 16).decode("utf-8", "replace").split("\n")[options.skip_rows or 0 :][:_LINES_LOOKED_AT]
    )
    if any(delimiter in line for line in lines for delimiter in _DELIMITER_NAMES):
        return False
    header, *below = [row for row in map(_BETWEEN_BLANKS.findall, lines) if row] or [[]]
    if len(header) < 2 or not below or any(len(row) != len(header) for row in below[:-1]):
        return False
    # The last line may be cut off.
    columns = zip(*(row for row in below if len(row) == len(header)), strict=True)
    return any(
        all(map(is_number, cells)) and is_number(name) == options.no_header
        for name, cells in zip(header, columns, strict=False)
    )


def _blanks_as_tabs(text: CsvText) -> Iterator[bytes]:
    for line in BufferedReader(text.open(0), HEAD_BYTES):
        cells = _BETWEEN_BLANKS.findall(line.decode("utf-8", "surrogateescape"))
        yield ("\t".join(cells) + "\n").encode("utf-8", "surrogateescape")


def read_head(text: CsvText, table_input: TableInput, notes: Sequence[Note] = ()) -> CsvHead:
    """Read the header, below titles and comments; another delimiter is recognised from the first lines."""
    source, options = table_input.source, table_input.options
    usual, others = _delimiters(table_input)
    start, block = _first_block(text, options.skip_rows)
    if block[:1000].lstrip().lower().startswith(_MARKUP):
        raise DataError("is a web page or XML, not a table; was the download refused?", source=source)
    if _JSON_ARRAY.match(block[:1000]):
        raise DataError("is a JSON array, not a table; write one object a line (JSON lines)", source=source)
    line = (options.skip_rows or 0) + 1
    told = _SEPARATOR_LINE.match(block)
    if told is not None:
        block, start, line = block[told.end() :], start + told.end(), line + 1
        usual, others = (told[1].decode(), "") if others else (usual, "")
    find_titles = options.skip_rows is None and not options.no_header
    look = _lay_out(usual, others, partial(_Look, block, find_titles, options.encoding is None))
    delimiter, titles, first = look.delimiter, look.titles, look.records
    if delimiter != table_input.delimiter:
        shown = _DELIMITER_NAMES.get(delimiter, delimiter).replace("tab", "tabs")
        notes = [*notes, NoteKind.DELIMITER.note(f"{source}: cells are separated by {shown}")]
    if len(first) <= titles:
        # Say what is wrong with the header.
        next(iter(CsvRecords(source, delimiter, BytesIO(block), line)), None)
        raise DataError("is empty; a header line and data rows are needed", source=source)
    names, rows = first[titles], first[titles + 1 :]
    if options.no_header:
        columns = positions_as_names(len(names))
        return CsvHead(columns, delimiter, tuple(notes), start, line, block, first, look.ends[-1][0])
    end, lines = look.ends[titles]
    line, sample = line + lines, block[end:]
    if rows and len(rows[0]) == len(names) + 1 and _rows_have_names(sample, len(names), delimiter):
        names = ["", *names]
    elif len(names) == 1:
        other = next((other for other in _DELIMITER_NAMES if other != delimiter and other in names[0]), None)
        if other is not None:
            shown = _DELIMITER_NAMES[other]
            remedy = f"use {option('delimiter', other, typed=shown)}"
            raise DataError(f"the header is one column and contains {shown}; {remedy}", source=source, line=line - 1)
    columns = name_columns(names, source)
    notes = [*notes, *note_titles(first[:titles], source), *columns.notes, *note_data(names, rows, source)]
    return CsvHead(columns, delimiter, tuple(notes), start + end, line, sample, rows, look.ends[-1][0] - end)


class _Look:
    """The first records of a block as one delimiter separates them."""

    def __init__(self, block: bytes, find_titles: bool, any_encoding: bool, delimiter: str) -> None:
        self.delimiter = delimiter
        self.records: list[list[str]] = []
        self.ends: list[tuple[int, int]] = []
        """How many bytes and lines there are up to the end of each record."""
        records, cells = CsvRecords("", delimiter, BytesIO(block)), 0
        try:
            for _, record in records:
                self.records.append(record)
                self.ends.append((records.bytes_read, records.next_line - 1))
                cells += len(record)
                if cells >= CELLS_LOOKED_AT and len(self.records) >= _FEWEST_ROWS:
                    break
        except DataError as error:
            # What else is wrong with them will be found with its line.
            if isinstance(error, NotUtf8Error) and any_encoding:
                raise
        self.titles = count_titles(self.records) if find_titles else 0

    def is_even(self) -> bool:
        """Whether all rows have as many cells as the header, or one more, their names."""
        header, *rows = self.records[self.titles :] or [[]]
        return len(header) > 1 and {len(row) for row in rows} in ({len(header)}, {len(header) + 1})


def _delimiters(table_input: TableInput) -> tuple[str, str]:
    """The usual delimiter, and others: what begins the decimals separates cells only where nothing else does."""
    usual, others = table_input.delimiter, table_input.other_delimiters
    return (others[0], others[1:] + usual) if table_input.options.decimal == usual and others else (usual, others)


def _lay_out(usual: str, others: str, look_by: Callable[[str], _Look]) -> _Look:
    """The first records, separated by what splits header and rows evenly below the fewest titles.

    That is one of the other delimiters if it alone does; else the usual one, and what is wrong with the file will be
    found with it.
    """
    look = look_by(usual)
    if not others or (look.is_even() and not look.titles):
        return look
    even = [one for one in (look, *map(look_by, others)) if one.is_even()]
    fewest = min((one.titles for one in even), default=0)
    best = [one for one in even if one.titles == fewest]
    return best[0] if len(best) == 1 else look


def _first_block(text: CsvText, skipped: int | None) -> tuple[int, bytes]:
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


def _rows_have_names(block: bytes, width: int, delimiter: str) -> bool:
    """Whether each of a block's rows begins with a name that the header of ``width`` columns does not count.

    So R's ``write.table`` writes row names. Rows can be too long for other reasons: a last cell that is empty in all of
    them comes from a delimiter at the end of each line; and where decimal commas split a column, the first cells are
    hardly all different, nor numbers in ascending order. A single column is left alone: commas in it are likelier.
    """
    rows = _records(block, delimiter) if width > 1 else []
    if any(len(row) != width + 1 for row in rows) or all(row[-1] == "" for row in rows):
        return False
    names = [row[0] for row in rows if row[0].strip()]
    if not 1 < len(rows) == len(set(names)):
        return False
    numbers = [int(name) for name in names if name.isascii() and name.isdigit() and len(name) < _LONGEST_NUMBER]
    return len(numbers) < len(names) or numbers == sorted(numbers)


def _records(block: bytes, delimiter: str) -> list[list[str]]:
    """The records of a block; none if one of them is broken."""
    try:
        return [record for _, record in CsvRecords("", delimiter, BytesIO(block))]
    except DataError:
        return []
