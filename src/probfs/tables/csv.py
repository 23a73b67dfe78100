"""CSV and TSV -> Table: pyarrow reads files that are plainly well formed, Python's csv module all others.

The first rows tell which columns are numbers; all rows are then read at once, in parallel, numbers as doubles. A column
that turns out otherwise (a text, 007, a whole number beyond 2⁵³) is read again, as texts, and its texts decide. A
column becomes numbers only if that loses nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from probfs.errors import DataError
from probfs.runtime.memory import free_memory, require_memory
from probfs.runtime.parallel import count_cores
from probfs.tables.arrays import (
    EXACT,
    Flags,
    Integers,
    double_array,
    is_empty,
    known_numbers,
    loses_a_zero,
    numpy_array,
    text_array,
)
from probfs.tables.cells import AMONG_NUMBERS, OF_THOUSANDS, UNMISTAKABLE, Kind, numbers_by_row
from probfs.tables.column import Column, dictionary_cells, missing_column, unread_column
from probfs.tables.csv_head import CsvHead, Reading, csv_records, open_csv, text_lines
from probfs.tables.opening import NotUtf8Error, ReadOptions, TableInput
from probfs.tables.table import Lines, NoRowsError, Table, join_lines
from probfs.text import counted

_NUMBERS, _TEXTS_AMONG_NUMBERS, _TEXTS = pa.float64(), pa.string(), pa.dictionary(pa.int32(), pa.string())
_ROWS_AT_ONCE = 20_000
_BLOCK_BYTES, _MOST_BLOCK_BYTES = 1 << 20, 1 << 30
_BLOCK_ROWS = 500
"""Rows that a block has at least: every block costs time for each column."""
_CHUNK_BYTES = 1 << 18
"""Bytes that are looked at together, which stay in the cache."""
_FEW_TEXTS = 20
_SMALL_FILE = 1 << 20
"""Bytes of a file that is never refused for want of memory."""
_BYTES_OF_THREADS = 256 << 20
"""Memory that threads may need to parse blocks; with less, they would end the process without a message."""
_MOST_FAILURES = 4
"""After so many columns have turned out to be texts, one read each, all columns of numbers are read as texts."""
_NOT_A_NUMBER = re.compile(r"In CSV column #(\d+): .*conversion error to double: invalid value '(.*)'", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(?!0\d)(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_OF_THOUSANDS = re.compile(OF_THOUSANDS)
_BOM = b"\xef\xbb\xbf"
_NEWLINE, _RETURN, _QUOTE, _POINT, _ZERO = b'\n\r".0'
_BLANKS, _SIGNS = b" \t", b"+-"
Bytes = npt.NDArray[np.uint8]
Types: TypeAlias = dict[str, pa.DataType]
"""The types of columns, which are called by their positions."""
Read: TypeAlias = "tuple[dict[str, pa.ChunkedArray], Lines, int]"
"""The cells of the columns, the lines of the rows, and how many rows there are."""


def read_delimited(table_input: TableInput) -> Table:
    """Read a header and the rows below it."""
    source = table_input.source
    with open_csv(table_input) as head:
        reader = _RowReader(head, table_input.options, source)
        cells, lines, rows = reader.read_by_arrow() or reader.read_by_csv_module()
    indexes = head.columns.indexes
    names = head.columns.names[indexes:]
    if not rows:
        raise NoRowsError("has no data rows below the header; is the file cut off?", source=source, columns=names)
    columns = {}
    for place, name in enumerate(names, start=indexes):
        read = cells.pop(str(place), None)
        columns[name] = unread_column(name, rows) if read is None else reader.column(name, read)
    # Threads that parsed blocks keep much memory for more of them.
    pa.default_memory_pool().release_unused()
    return Table(source, columns, rows, lines, notes=head.notes, left_out=head.columns.left_out)


class _RowReader:
    def __init__(self, head: CsvHead, options: ReadOptions, source: str) -> None:
        self._head, self._options, self._source = head, options, source
        indexes, names = head.columns.indexes, head.columns.names
        unneeded = frozenset(options.unneeded(names[indexes:]) if options.unneeded is not None else ())
        self._texts = frozenset(options.as_text(names[indexes:]) if options.as_text is not None else ())
        """Columns that the user calls texts, even if all of their cells are numbers."""
        self._positions = [str(place) for place in range(len(names))]
        wanted = zip(names[indexes:], self._positions[indexes:], strict=True)
        self._wanted = {column: name for name, column in wanted if name not in unneeded}
        words = (*UNMISTAKABLE, *AMONG_NUMBERS, *options.na)
        self._words = frozenset(word for word in words if not _is_plain_number(word))
        self._has_words = False
        """Whether words such as NA are expected among numbers."""
        self._newlines_in_cells = any("\n" in cell for record in head.first for cell in record)
        self._block_bytes, self._in_threads, self._failures = _BLOCK_BYTES, False, 0

    def read_by_arrow(self) -> Read | None:
        """The rows, or None where only the csv module can be trusted with them."""
        # pyarrow would drop a byte-order mark.
        if Reading(self._head.raw, self._head.start).read(len(_BOM)) == _BOM:
            return None
        size = self._head.raw.seek(0, 2) - self._head.start
        bytes_of_row = self._head.first_bytes // max(len(self._head.first), 1) + 1
        self._block_bytes = min(max(_BLOCK_BYTES, _BLOCK_ROWS * bytes_of_row), _MOST_BLOCK_BYTES)
        # Ranking the table will take about as much memory again as the table itself.
        needed = 2 * 8 * len(self._wanted) * (size // bytes_of_row)
        if size > _SMALL_FILE:
            require_memory(needed, "this table", self._source)
        free = free_memory()
        is_enough = free is None or free > needed + _BYTES_OF_THREADS
        self._in_threads = count_cores() > 1 and size > self._block_bytes and is_enough
        try:
            return self._read_columns(self._guess_types())
        except (pa.ArrowInvalid, _NotPlainError) as error:
            if "invalid UTF8" in str(error) and self._options.encoding is None:
                raise NotUtf8Error("is not UTF-8", source=self._source) from error
            return None

    def _guess_types(self) -> Types:
        types, first = dict.fromkeys(self._wanted, _TEXTS), self._head.first
        # Rows of other lengths will be refused; and with decimal commas, 1.234 can be a whole number.
        if {len(record) for record in first} != {len(self._positions)} or self._options.decimal == ",":
            return types
        for column, cells in zip(self._positions, zip(*first, strict=True), strict=True):
            if self._wanted.get(column, "") in self._texts or column not in types:
                continue
            present = {cell.strip() for cell in set(cells) if cell}
            others = {cell for cell in present if not _is_plain_number(cell)}
            numbers = present - others
            # Points may stand between thousands.
            in_doubt = any("." in number for number in numbers) and all(map(_OF_THOUSANDS.fullmatch, numbers))
            if numbers and others <= self._words and not in_doubt:
                self._has_words |= bool(others)
                types[column] = _TEXTS_AMONG_NUMBERS if others else _NUMBERS
        return types

    def _read_columns(self, types: Types) -> Read | None:
        """The rows, with columns read as numbers only where they all are and nothing is lost by that."""
        while True:
            scan = _RowScan(self._head.delimiter, len(self._positions), self._head.line)
            try:
                table = self._read(types, scan)
                lines = scan.finish()
            except pa.ArrowInvalid as error:
                types = self._adapt(types, error)
                continue
            if self._newlines_in_cells or not scan.newlines_in_cells:
                break
            self._newlines_in_cells = True
        if table.num_rows != scan.rows:
            return None
        cells = {name: table.column(name) for name in types}
        numbers = [column for column, dtype in types.items() if dtype == _NUMBERS]
        inexact = {str(place) for place in scan.zero_led}.intersection(numbers)
        # One call for all columns, as in wide tables the calls are what takes time.
        for batch in table.select(numbers).to_batches() if numbers else ():
            matrix = batch.to_tensor(null_to_nan=True, row_major=False).to_numpy().T
            # A number that is NaN, infinite, or too large has lost something.
            exact = np.count_nonzero(np.abs(matrix) < EXACT, axis=1)
            present = batch.num_rows - np.array([column.null_count for column in batch.columns])
            inexact.update(numbers[place] for place in np.flatnonzero(exact < present).tolist())
        gaps = {column for column in numbers if self._has_words and cells[column].null_count} - inexact
        if inexact or gaps:
            texts = self._read(dict.fromkeys(inexact, _TEXTS) | dict.fromkeys(gaps, _TEXTS_AMONG_NUMBERS))
            # What was missing as a number is not always empty.
            empty = {name: pc.sum(is_empty(texts.column(name))).as_py() for name in gaps}
            worded = {name for name in gaps if empty[name] < cells[name].null_count}
            cells |= {name: texts.column(name) for name in inexact | worded}
        return cells, lines, scan.rows

    def _adapt(self, types: Types, error: pa.ArrowInvalid) -> Types:
        """The types with which to read again after an error of Arrow's."""
        fault = _NOT_A_NUMBER.search(str(error))
        if fault is None:
            # A row is longer than a block, or a line end inside a cell was taken for the end of a row.
            if self._block_bytes == _MOST_BLOCK_BYTES:
                raise error
            self._block_bytes, self._newlines_in_cells = _MOST_BLOCK_BYTES, True
            return types
        if fault[2] in self._words and not self._has_words:
            self._has_words = True
            return types
        self._failures += 1
        if self._failures < _MOST_FAILURES:
            return types | {fault[1]: _TEXTS}
        return {column: _TEXTS if dtype == _NUMBERS else dtype for column, dtype in types.items()}

    def _read(self, types: Types, scan: _RowScan | None = None) -> pa.Table:
        """Columns of these types as Arrow reads them; a word among numbers is missing, if words are expected."""
        from pyarrow import csv

        # No names mean all columns, and take less time where there are thousands.
        some = [] if len(types) == len(self._positions) else list(types) or self._positions[:1]
        return csv.read_csv(
            pa.PythonFile(Reading(self._head.raw, self._head.start, None if scan is None else scan.add), "r"),
            csv.ReadOptions(column_names=self._positions, block_size=self._block_bytes, use_threads=self._in_threads),
            csv.ParseOptions(delimiter=self._head.delimiter, newlines_in_values=self._newlines_in_cells),
            csv.ConvertOptions(
                include_columns=some,
                column_types=types,
                null_values=["", *self._words] if self._has_words else [""],
                strings_can_be_null=False,
            ),
        )

    def read_by_csv_module(self) -> Read:
        """The rows as Python's csv module reads them, or its error with the line at fault."""
        head, width = self._head, len(self._positions)
        chunks: dict[str, list[pa.Array]] = {column: [] for column in self._wanted}
        lines: list[int] = []

        def even_records() -> Iterator[Sequence[str]]:
            text = text_lines(head.raw, head.start, self._source, head.line)
            for line, _, record in csv_records(text, head.delimiter, self._source, head.line):
                if len(record) != width:
                    problem = f"{counted(len(record), 'field')}, but the header has {width}"
                    hint = "quote a cell that contains the delimiter" if len(record) > width else "is the line cut off?"
                    raise DataError(f"{problem}; {hint}", source=self._source, line=line)
                lines.append(line)
                yield record

        records = even_records()
        while batch := list(islice(records, _ROWS_AT_ONCE)):
            by_column = list(zip(*batch, strict=True))
            for column, arrays in chunks.items():
                arrays.append(text_array(by_column[int(column)]).dictionary_encode())
        cells = {column: pa.chunked_array(arrays, _TEXTS) for column, arrays in chunks.items()}
        return cells, join_lines([lines]), len(lines)

    def column(self, name: str, cells: pa.ChunkedArray) -> Column:
        """A column of texts, or of numbers if all texts are, as these say exactly."""
        if cells.type == _NUMBERS:
            return Column(name, cells, Kind.NUMBER)
        if cells.type == _TEXTS_AMONG_NUMBERS:
            return Column(name, cells)
        if cells.num_chunks > 1:
            cells = cells.unify_dictionaries()
            codes = np.concatenate([numpy_array(chunk.indices) for chunk in cells.chunks])
            cells = dictionary_cells(codes, cells.chunk(0).dictionary)
        distinct = cells.chunk(0).dictionary
        few = map(str.strip, distinct[:_FEW_TEXTS].to_pylist())
        # Python sees more quickly than Arrow that most columns are texts: tables may be wide.
        are_texts = any(text and text not in self._words and not _NUMBER.fullmatch(text) for text in few)
        if name in self._texts or are_texts:
            return Column(name, cells)
        distinct = distinct.filter(pc.invert(is_empty(distinct)))
        if not len(distinct):
            return missing_column(name, len(cells))
        if _are_plain_numbers(distinct, self._options.decimal):
            return Column(name, pa.chunked_array([double_array(numbers_by_row(cells, Kind.NUMBER))]), Kind.NUMBER)
        return Column(name, cells)


def _is_plain_number(cell: str) -> bool:
    """Whether a text is a number of which nothing is lost as a double."""
    return _NUMBER.fullmatch(cell) is not None and abs(float(cell)) < EXACT


def _are_plain_numbers(distinct: pa.StringArray, decimal: str | None) -> bool:
    # NaN, in place of what is no number, is not below anything.
    if not np.all(np.abs(known_numbers(distinct)) < EXACT) or loses_a_zero(distinct):
        return False
    if not pc.any(pc.match_substring(distinct, "."), min_count=0).as_py():
        return True
    of_thousands = pc.match_substring_regex(pc.utf8_trim_whitespace(distinct), f"^(?:{OF_THOUSANDS})$")
    return decimal != "," and not pc.all(of_thousands).as_py()


class _NotPlainError(Exception):
    """Only Python's csv reads these rows rightly: they hold a NUL, a lone carriage return, a quote that does not open
    or close a whole cell, or a delimiter that may be a part of a number.
    """


class _RowScan:
    """A look at the bytes of rows on their way to pyarrow, in one piece after the other: whether it reads them as
    Python's csv would, on which lines rows begin, and which columns hold a leading zero that a number would lose.

    pyarrow accepts an unclosed quote and text after a closing one, and says nothing of lines. Each byte and its
    neighbours show all of this, so numpy checks many bytes at once, in about 1 ns a byte.
    """

    def __init__(self, delimiter: str, width: int, first_line: int) -> None:
        if delimiter.isalnum() or delimiter in "+-./":
            raise _NotPlainError
        self._delimiter, self._width = ord(delimiter), width
        self._line = first_line - 1
        self._delimiters = self._quotes = 0
        self._lines: list[Lines] = []
        # Each chunk begins with the two bytes before it; its last byte is looked at together with the next chunk.
        self._tail = b"\n\n"
        self.rows = 0
        self.newlines_in_cells = False
        self.zero_led: set[int] = set()
        """The positions of columns with a cell such as 007, if all rows have as many cells as the header; cells that
        only seem to begin with a zero are possible."""

    def add(self, piece: bytes) -> None:
        for start in range(0, len(piece), _CHUNK_BYTES):
            data = self._tail + piece[start : start + _CHUNK_BYTES]
            self._look_at(data)
            self._tail = data[-3:]

    def finish(self) -> Lines:
        """Look at the last byte; the lines of all rows."""
        self._look_at(self._tail + b"\n")
        if self._quotes % 2:
            raise _NotPlainError
        return join_lines(self._lines)

    def _look_at(self, data: bytes) -> None:
        """Look at all bytes but the first two and the last."""
        cells = np.frombuffer(data, np.uint8)
        before, here, after = cells[1:-2], cells[2:-1], cells[3:]
        if b"\0" in data or (b"\r" in data and np.any((here == _RETURN) & (after != _NEWLINE))):
            raise _NotPlainError
        newlines, delimiters = before == _NEWLINE, here == self._delimiter
        starts = newlines & (here != _NEWLINE)
        if b"\r" in data:
            starts &= here != _RETURN
        if self._quotes % 2 or b'"' in data:
            inside = self._inside_quotes(before, here, after)
            self.newlines_in_cells |= bool(np.any(newlines & inside))
            starts &= ~inside
            delimiters &= ~inside
        # Bytes wrap around: those below the point and the zero become large.
        zeros = (here == _ZERO) & (after - np.uint8(_ZERO) < 10) & (before - np.uint8(_POINT) > _ZERO + 9 - _POINT)
        if zeros.any():
            self._find_zeros(cells, np.flatnonzero(zeros), starts, delimiters)
        self._delimiters += int(np.count_nonzero(delimiters))
        ended, begun = int(np.count_nonzero(newlines)), int(np.count_nonzero(starts))
        if begun == ended:
            self._lines.append(range(self._line + 1, self._line + 1 + begun))
        else:
            lines = np.searchsorted(np.flatnonzero(newlines), np.flatnonzero(starts), side="right")
            self._lines.append(self._line + lines)
        self._line += ended
        self.rows += begun

    def _inside_quotes(self, before: Bytes, here: Bytes, after: Bytes) -> Flags:
        """For each byte, whether the number of quotes before it is odd."""
        quotes = here == _QUOTE
        places, odd = np.flatnonzero(quotes), self._quotes % 2
        opening, closing = places[odd::2], places[1 - odd :: 2]
        # Every first quote of a pair must open a cell (or double a quote), and every second one close it.
        if not (
            np.isin(before[opening], (self._delimiter, _NEWLINE, _QUOTE)).all()
            and np.isin(after[closing], (self._delimiter, _NEWLINE, _RETURN, _QUOTE)).all()
        ):
            raise _NotPlainError
        self._quotes += len(places)
        inside: Flags = ((np.cumsum(quotes, dtype=np.uint8) - quotes + odd) & 1).view(np.bool_)
        return inside

    def _find_zeros(self, cells: Bytes, places: Integers, starts: Flags, delimiters: Flags) -> None:
        """Remember the columns of cells that begin with a zero and a digit; ``places`` hold what may be such zeros."""
        before, begins = cells[1:-2], (self._delimiter, _NEWLINE, _QUOTE)
        led = np.isin(before[places], begins)
        led |= np.isin(before[places], list(_BLANKS + _SIGNS)) & np.isin(cells[places], [*begins, *_BLANKS])
        places = places[led]
        row = self.rows + np.searchsorted(np.flatnonzero(starts), places, side="right") - 1
        passed = self._delimiters + np.searchsorted(np.flatnonzero(delimiters), places)
        self.zero_led.update(np.unique(passed - row * (self._width - 1)).tolist())
