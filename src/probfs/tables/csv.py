"""CSV and TSV -> Table: pyarrow reads files that are plainly well formed, Python's csv module all others.

The first rows tell which columns are numbers; all rows are then read at once, in parallel, numbers as doubles. A column
that turns out otherwise (a text, 007, a whole number beyond 2⁵³) is read again, as texts, and its texts decide. A
column is one of numbers only if nothing is lost by that.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from probfs.errors import DataError
from probfs.runtime.memory import free_memory, require_memory
from probfs.runtime.parallel import count_cores
from probfs.tables.arrays import (
    EXACT,
    double_array,
    inexact_columns,
    is_empty,
    loses_a_zero,
    parse_numbers,
    text_array,
)
from probfs.tables.cells import AMONG_NUMBERS, OF_THOUSANDS, UNMISTAKABLE, Kind, numbers_by_row
from probfs.tables.column import Column, missing_column, unread_column
from probfs.tables.csv_head import CsvHead, CsvRecords, CsvText, open_csv
from probfs.tables.csv_scan import NotPlainError, RowScan
from probfs.tables.opening import NotUtf8Error, TableInput
from probfs.tables.table import NoRowsError, RowLines, Table
from probfs.text import counted

_NUMBERS, _TEXTS_AMONG_NUMBERS, _TEXTS = pa.float64(), pa.string(), pa.dictionary(pa.int32(), pa.string())
_ROWS_AT_ONCE = 20_000
_BLOCK_BYTES, _MOST_BLOCK_BYTES = 1 << 20, 1 << 30
_BLOCK_ROWS = 500
"""Rows that a block has at least: every block costs time for each column."""
_SMALL_FILE = 1 << 20
"""Bytes of a file that is never refused for want of memory."""
_BYTES_OF_THREADS = 256 << 20
"""Memory that threads may need to parse blocks; with less, they would end the process without a message."""
_MOST_FAILURES = 4
"""Columns that turn out to be texts, one after the other, before all columns of numbers are read as texts."""
_NOT_A_NUMBER = re.compile(r"In CSV column #(\d+): .*conversion error to double: invalid value '(.*)'", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(?!0\d)(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_OF_THOUSANDS = re.compile(OF_THOUSANDS)
_BOM = b"\xef\xbb\xbf"
Cells: TypeAlias = dict[str, pa.ChunkedArray]
"""The cells of columns, which are called by their positions."""


def read_delimited(table_input: TableInput) -> Table:
    """Read a header and the rows below it."""
    source, decimal = table_input.source, table_input.options.decimal
    with open_csv(table_input) as (text, head):
        reader = _RowReader(text, head, table_input)
        cells, lines, rows = reader.read_by_arrow() or reader.read_by_csv_module()
    indexes, names = head.columns.indexes, head.columns.names[head.columns.indexes :]
    if not rows:
        raise NoRowsError("has no data rows below the header; is the file cut off?", source=source, columns=names)
    columns = {}
    for place, name in enumerate(names, start=indexes):
        found = cells.get(str(place))
        if found is None:
            columns[name] = unread_column(name, rows)
        elif str(place) in reader.undecided:
            columns[name] = _decide(name, found, reader.words, decimal)
        else:
            columns[name] = Column(name, found, Kind.NUMBER if found.type == _NUMBERS else Kind.TEXT)
    # Threads that parsed blocks keep much memory for more of them.
    pa.default_memory_pool().release_unused()
    return Table(source, columns, rows, lines, notes=head.notes, left_out=head.columns.left_out)


class _RowReader:
    def __init__(self, text: CsvText, head: CsvHead, table_input: TableInput) -> None:
        self._text, self._head, self._source = text, head, table_input.source
        self._any_encoding = table_input.options.encoding is None
        options, names, indexes = table_input.options, head.columns.names, head.columns.indexes
        unneeded = frozenset(options.unneeded(names[indexes:]) if options.unneeded is not None else ())
        as_text = frozenset(options.as_text(names[indexes:]) if options.as_text is not None else ())
        self._positions = [str(place) for place in range(len(names))]
        self._wanted = [column for column in self._positions[indexes:] if names[int(column)] not in unneeded]
        self.undecided = {column for column in self._wanted if names[int(column)] not in as_text}
        """Columns of texts that may all be numbers."""
        # With decimal commas, 1.234 can be a whole number.
        self._numbers_are_plain = options.decimal != ","
        words = (*UNMISTAKABLE, *AMONG_NUMBERS, *options.na)
        self.words = frozenset(word for word in words if not _is_plain_number(word))
        self._has_words = False
        """Whether words are expected among numbers."""
        self._newlines_in_cells = False
        self._block_bytes, self._in_threads, self._failures = _BLOCK_BYTES, False, 0

    def read_by_arrow(self) -> tuple[Cells, RowLines, int] | None:
        """The cells, lines and number of the rows, or None where only the csv module can be trusted with them."""
        if not self._head.sample.strip(b"\r\n") or self._head.sample.startswith(_BOM):
            return None
        may_be_numbers = self.undecided
        self._plan_blocks()
        try:
            return self._read_columns(self._guess_types())
        except (pa.ArrowInvalid, NotPlainError) as error:
            if "invalid UTF8" in str(error) and self._any_encoding:
                raise NotUtf8Error("is not UTF-8", source=self._source) from error
            self.undecided = may_be_numbers
            return None

    def _guess_types(self) -> dict[str, pa.DataType]:
        """The type of each wanted column by its first cells; columns of nothing but words are left undecided."""
        types = dict.fromkeys(self._wanted, _TEXTS)
        first = self._head.first
        if not (first and self._numbers_are_plain and {len(record) for record in first} == {len(self._positions)}):
            # Rows of other lengths will be refused.
            return types
        may_be_numbers, self.undecided = self.undecided, set()
        for column, cells in zip(self._positions, zip(*first, strict=True), strict=True):
            if column not in may_be_numbers:
                continue
            present = {cell.strip() for cell in set(cells) if cell}
            others = {cell for cell in present if not _is_plain_number(cell)}
            if others <= self.words and not self._may_be_thousands(present - others):
                self._has_words |= bool(others)
                if len(others) == len(present):
                    self.undecided.add(column)
                else:
                    types[column] = _TEXTS_AMONG_NUMBERS if others else _NUMBERS
        return types

    @staticmethod
    def _may_be_thousands(numbers: Collection[str]) -> bool:
        """Whether the points in numbers may stand between thousands: as texts, it can be told by all of them."""
        return any("." in number for number in numbers) and all(map(_OF_THOUSANDS.fullmatch, numbers))

    def _plan_blocks(self) -> None:
        """Choose the size of blocks and whether threads read them, and refuse a file that memory cannot hold."""
        first, size = self._head.first, self._text.size
        self._newlines_in_cells = any("\n" in cell for record in first for cell in record)
        bytes_of_row = self._head.first_bytes // max(len(first), 1) + 1
        self._block_bytes = min(max(_BLOCK_BYTES, _BLOCK_ROWS * bytes_of_row), _MOST_BLOCK_BYTES)
        # Ranking the table will take about as much memory again as the table itself.
        needed = 2 * 8 * len(self._wanted) * (size // bytes_of_row)
        if size > _SMALL_FILE:
            require_memory(needed, "this table", self._source)
        free = free_memory()
        is_enough = free is None or free > needed + _BYTES_OF_THREADS
        self._in_threads = count_cores() > 1 and size > self._block_bytes and is_enough

    def _read_columns(self, types: dict[str, pa.DataType]) -> tuple[Cells, RowLines, int] | None:
        """The rows, with columns read as numbers only where they all are and nothing is lost by that."""
        while True:
            scan = RowScan(self._head.delimiter, len(self._positions), self._head.line)
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
        inexact = inexact_columns(table, numbers) | {str(place) for place in scan.zero_led}.intersection(numbers)
        gaps = {column for column in numbers if self._has_words and cells[column].null_count} - inexact
        if inexact or gaps:
            texts = self._read(dict.fromkeys(inexact, _TEXTS) | dict.fromkeys(gaps, _TEXTS_AMONG_NUMBERS))
            # What was missing as a number is not always empty.
            empty = {name: pc.sum(is_empty(texts.column(name))).as_py() for name in gaps}
            worded = {name for name in gaps if empty[name] < cells[name].null_count}
            cells |= {name: texts.column(name) for name in inexact | worded}
            self.undecided |= inexact
        return cells, lines, scan.rows

    def _adapt(self, types: dict[str, pa.DataType], error: pa.ArrowInvalid) -> dict[str, pa.DataType]:
        """The types with which to read again after an error of Arrow's."""
        fault = _NOT_A_NUMBER.search(str(error))
        if fault is None:
            # A row is longer than a block, or a line end inside a cell was taken for the end of a row.
            if self._block_bytes == _MOST_BLOCK_BYTES:
                raise error
            self._block_bytes, self._newlines_in_cells = _MOST_BLOCK_BYTES, True
            return types
        if fault[2] in self.words and not self._has_words:
            self._has_words = True
            return types
        self._failures += 1
        numbers = {column for column, dtype in types.items() if dtype == _NUMBERS}
        failed = {fault[1]} if self._failures < _MOST_FAILURES else numbers
        self.undecided |= failed
        return types | dict.fromkeys(failed, _TEXTS)

    def _read(self, types: dict[str, pa.DataType], scan: RowScan | None = None) -> pa.Table:
        """Columns of these types as Arrow reads them; a word among numbers is missing, if words are expected."""
        from pyarrow import csv

        # No names mean all columns, and take less time where there are thousands.
        some = [] if len(types) == len(self._positions) else list(types) or self._positions[:1]
        return csv.read_csv(
            pa.PythonFile(self._text.open(self._head.start, None if scan is None else scan.add), "r"),
            csv.ReadOptions(column_names=self._positions, block_size=self._block_bytes, use_threads=self._in_threads),
            csv.ParseOptions(delimiter=self._head.delimiter, newlines_in_values=self._newlines_in_cells),
            csv.ConvertOptions(
                include_columns=some,
                column_types=types,
                null_values=["", *self.words] if self._has_words else [""],
                strings_can_be_null=False,
            ),
        )

    def read_by_csv_module(self) -> tuple[Cells, RowLines | None, int]:
        """The rows as Python's csv module reads them, or its error with the line at fault."""
        chunks: dict[str, list[pa.Array]] = {column: [] for column in self._wanted}
        lines: list[int] = []
        records = self._even_records(lines)
        while batch := list(islice(records, _ROWS_AT_ONCE)):
            by_column = list(zip(*batch, strict=True))
            for column, arrays in chunks.items():
                arrays.append(text_array(by_column[int(column)]).dictionary_encode())
        cells = {column: pa.chunked_array(arrays, _TEXTS) for column, arrays in chunks.items()}
        return cells, RowLines.of(np.array(lines, dtype=np.int64)) if lines else None, len(lines)

    def _even_records(self, lines: list[int]) -> Iterator[list[str]]:
        """Records of equal length; ``lines`` takes the line of each."""
        width, stream = len(self._positions), self._text.open(self._head.start)
        for line, record in CsvRecords(self._source, self._head.delimiter, stream, self._head.line):
            if len(record) != width:
                problem = f"{counted(len(record), 'field')}, but the header has {width}"
                hint = "quote a cell that contains the delimiter" if len(record) > width else "is the line cut off?"
                raise DataError(f"{problem}; {hint}", source=self._source, line=line)
            lines.append(line)
            yield record


def _is_plain_number(cell: str) -> bool:
    """Whether a text is a number of which nothing is lost as a double."""
    return _NUMBER.fullmatch(cell) is not None and abs(float(cell)) < EXACT


def _decide(name: str, cells: pa.ChunkedArray, words: Collection[str], decimal: str | None) -> Column:
    """A column of texts, or of numbers if all texts are, as these say exactly."""
    distinct = pa.chunked_array([chunk.dictionary for chunk in cells.chunks], pa.string()).unique()
    distinct = distinct.filter(pc.invert(is_empty(distinct)))
    if not len(distinct):
        return missing_column(name, len(cells))
    if _are_plain_numbers(distinct, decimal):
        return Column(name, pa.chunked_array([double_array(numbers_by_row(cells, Kind.NUMBER))]), Kind.NUMBER)
    meant = pc.is_in(pc.utf8_trim_whitespace(distinct), value_set=text_array(sorted(words)))
    others = distinct.filter(pc.invert(meant))
    is_worded = len(others) and _are_plain_numbers(others, decimal)
    return Column(name, cells.cast(pa.string()) if is_worded else cells)


def _are_plain_numbers(distinct: pa.StringArray, decimal: str | None) -> bool:
    numbers = parse_numbers(distinct)
    if numbers is None or not np.all(np.abs(numbers) < EXACT) or loses_a_zero(distinct):
        return False
    return decimal != "," or not pc.any(pc.match_substring(distinct, "."), min_count=0).as_py()
