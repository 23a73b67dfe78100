"""CSV and TSV -> Table: pyarrow reads files that are plainly well formed, Python's csv module all others.

The first rows tell which columns are numbers; all rows are then read at once, in parallel, numbers as doubles. A column
that turns out otherwise (a text, 007, a whole number beyond 2⁵³) is read again, as texts, and its texts decide. A
column is one of numbers only if nothing is lost by that.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from probfs.errors import DataError
from probfs.runtime.memory import free_memory, require_memory
from probfs.runtime.threads import count_cores
from probfs.tables.arrays import EXACT, double_array, is_empty, loses_a_zero, parse_numbers, text_array
from probfs.tables.cells import AMONG_NUMBERS, UNMISTAKABLE, Kind, numbers_by_row
from probfs.tables.column import Column, missing_column, unread_column
from probfs.tables.csv_head import CsvHead, CsvRecords, CsvText, line_blocks, read_head
from probfs.tables.csv_scan import scan_rows
from probfs.tables.opening import ReadOptions, TableInput
from probfs.tables.row_lines import RowLines
from probfs.tables.table import NoRowsError, Table
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
_CELLS_LOOKED_AT, _FEWEST_ROWS = 20_000, 2
"""How many of the first cells tell the types of columns, and how many rows at least."""
_MOST_FAILURES = 4
"""Columns that turn out to be texts, one after the other, before all columns of numbers are read as texts."""
_NOT_A_NUMBER = re.compile(r"In CSV column #(\d+): .*conversion error to double: invalid value '(.*)'", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(?!0\d)(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_BOM = b"\xef\xbb\xbf"


def read_delimited(table_input: TableInput) -> Table:
    """Read a header and the rows below it."""
    with CsvText(table_input) as text:
        head = read_head(text, table_input)
        reader = _RowReader(text, head, table_input.source, table_input.options)
        rows = reader.read_by_arrow() or reader.read_by_csv_module()
    names, indexes = head.columns.names, head.columns.indexes
    if not rows.number:
        problem = "has no data rows below the header; is the file cut off?"
        raise NoRowsError(problem, source=table_input.source, columns=names[indexes:])
    columns = {}
    for position, name in enumerate(names[indexes:], start=indexes):
        cells = rows.cells.get(str(position))
        if cells is None:
            columns[name] = unread_column(name, rows.number)
        elif str(position) in rows.undecided:
            columns[name] = _decide(name, cells, reader.words, table_input.options.decimal)
        else:
            columns[name] = Column(name, cells, Kind.NUMBER if cells.type == _NUMBERS else Kind.TEXT)
    # Threads that parsed blocks keep much memory for more of them.
    pa.default_memory_pool().release_unused()
    left_out = head.columns.left_out
    return Table(table_input.source, columns, rows.number, rows.lines, notes=head.notes, left_out=left_out)


@dataclass(frozen=True, eq=False)
class _Rows:
    """The cells of all rows; columns are called by their positions."""

    cells: dict[str, pa.ChunkedArray]
    number: int
    lines: RowLines | None
    undecided: Collection[str]
    """Columns of texts that may all be numbers."""


class _RowReader:
    def __init__(self, text: CsvText, head: CsvHead, source: str, options: ReadOptions) -> None:
        self._text, self._head, self._source, self._options = text, head, source, options
        names, indexes = head.columns.names, head.columns.indexes
        unneeded = frozenset(options.unneeded(names[indexes:])) if options.unneeded is not None else ()
        as_text = frozenset(options.as_text(names[indexes:])) if options.as_text is not None else ()
        self._positions = [str(position) for position in range(len(names))]
        wanted = [position for position in range(indexes, len(names)) if names[position] not in unneeded]
        self._wanted = [str(position) for position in wanted]
        self._as_text = {str(position) for position in wanted if names[position] in as_text}
        words = (*UNMISTAKABLE, *AMONG_NUMBERS, *options.na)
        self.words = frozenset(word for word in words if not _is_plain_number(word))
        self._has_words = False
        """Whether words are expected among numbers."""
        self._newlines_in_cells = False
        self._block_bytes, self._in_threads = _BLOCK_BYTES, False

    def read_by_arrow(self) -> _Rows | None:
        """The rows, or None where only the csv module can be trusted with them."""
        if not self._head.sample.strip(b"\r\n") or self._head.sample.startswith(_BOM):
            return None
        try:
            types, undecided = self._guess_types()
            numbers = [column for column, dtype in types.items() if dtype == _NUMBERS]
            rows = self._text.open(self._head.start)
            width, first_line = len(self._positions), self._head.line
            scan = scan_rows(rows, self._head.delimiter, width, first_line, zeros=bool(numbers))
            if scan is None:
                return None
            self._newlines_in_cells = scan.newlines_in_cells
            led = {column for column in numbers if int(column) in scan.zero_led}
            types |= dict.fromkeys(led, _TEXTS)
            cells, undecided = self._read_columns(types, undecided | led)
        except pa.ArrowInvalid:
            return None
        if any(len(column) != scan.rows for column in cells.values()):
            return None
        return _Rows(cells, scan.rows, scan.lines, undecided)

    def _guess_types(self) -> tuple[dict[str, pa.DataType], set[str]]:
        """The type of each wanted column by its first cells, and which columns they leave undecided."""
        types = dict.fromkeys(self._wanted, _TEXTS)
        first = self._first_records()
        if not first or self._options.decimal == "," or any(len(record) != len(self._positions) for record in first):
            # 1.234 can be a whole number, then; and rows of other lengths will be refused.
            return types, set(self._wanted) - self._as_text
        undecided = set()
        for column, cells in zip(self._positions, zip(*first, strict=True), strict=True):
            if column not in types or column in self._as_text:
                continue
            present = {cell.strip() for cell in set(cells) if cell}
            others = {cell for cell in present if not _is_plain_number(cell)}
            if not others <= self.words:
                continue
            self._has_words |= bool(others)
            if len(others) == len(present):
                undecided.add(column)
            else:
                types[column] = _TEXTS_AMONG_NUMBERS if others else _NUMBERS
        return types, undecided

    def _first_records(self) -> list[list[str]]:
        """Some of the first records; also choose the size of blocks, and refuse a file that memory cannot hold."""
        width, size = len(self._positions), self._text.size
        records = CsvRecords(self._source, self._head.delimiter, [self._head.sample])
        first: list[list[str]] = []
        # What is wrong with them will be found with its line.
        with suppress(DataError):
            first.extend(record for _, record in islice(records, max(_FEWEST_ROWS, _CELLS_LOOKED_AT // width)))
        bytes_of_row = records.bytes_read // max(len(first), 1) + 1
        self._block_bytes = min(max(_BLOCK_BYTES, _BLOCK_ROWS * bytes_of_row), _MOST_BLOCK_BYTES)
        # Ranking the table will take about as much memory again as the table itself.
        needed = 2 * 8 * len(self._wanted) * (size // bytes_of_row)
        if size > _SMALL_FILE:
            require_memory(needed, "this table", self._source)
        free = free_memory()
        self._in_threads = (
            count_cores() > 1 and size > self._block_bytes and (free is None or free > needed + _BYTES_OF_THREADS)
        )
        return first

    def _read_columns(
        self, types: dict[str, pa.DataType], undecided: set[str]
    ) -> tuple[dict[str, pa.ChunkedArray], set[str]]:
        """The cells of columns, read as numbers only where they all are, and those columns that are undecided."""
        failures = 0
        while True:
            try:
                table = self._read(types)
                break
            except pa.ArrowInvalid as error:
                fault = _NOT_A_NUMBER.search(str(error))
                if fault is None:
                    raise
                if fault[2] in self.words and not self._has_words:
                    self._has_words = True
                    continue
                failures += 1
                failed = {column for column, dtype in types.items() if dtype == _NUMBERS}
                failed = {fault[1]} if failures < _MOST_FAILURES else failed
                types, undecided = types | dict.fromkeys(failed, _TEXTS), undecided | failed
        cells = {name: column for name, column in zip(table.column_names, table.columns, strict=True) if name in types}
        numbers = [column for column, dtype in types.items() if dtype == _NUMBERS]
        too_large = _not_plain(table, numbers)
        gaps = [
            column for column in numbers if self._has_words and cells[column].null_count and column not in too_large
        ]
        again = dict.fromkeys(gaps, _TEXTS_AMONG_NUMBERS) | dict.fromkeys(too_large, _TEXTS)
        if again:
            read = self._read(again)
            texts = dict(zip(read.column_names, read.columns, strict=True))
            # What was missing as a number is not always empty.
            cells |= {
                name: texts[name] for name in again if name in too_large or _holds_words(texts[name], cells[name])
            }
        return cells, undecided | too_large

    def _read(self, types: dict[str, pa.DataType]) -> pa.Table:
        """Columns of these types as Arrow reads them; a word among numbers is missing, if words are expected."""
        from pyarrow import csv

        try:
            return csv.read_csv(
                self._text.open(self._head.start),
                read_options=csv.ReadOptions(
                    column_names=self._positions, block_size=self._block_bytes, use_threads=self._in_threads
                ),
                parse_options=csv.ParseOptions(
                    delimiter=self._head.delimiter, newlines_in_values=self._newlines_in_cells
                ),
                convert_options=csv.ConvertOptions(
                    # No names mean all columns, and take less time where there are thousands.
                    include_columns=[] if len(types) == len(self._positions) else list(types) or self._positions[:1],
                    column_types=types,
                    null_values=["", *self.words] if self._has_words else [""],
                    strings_can_be_null=False,
                ),
            )
        except pa.ArrowInvalid as error:
            if "straddl" not in str(error) or self._block_bytes == _MOST_BLOCK_BYTES:
                raise
            # A row is longer than a block.
            self._block_bytes = _MOST_BLOCK_BYTES
            return self._read(types)

    def read_by_csv_module(self) -> _Rows:
        """The rows as Python's csv module reads them, or its error with the line at fault."""
        batches: dict[str, list[pa.Array]] = {column: [] for column in self._wanted}
        lines: list[int] = []
        for batch in self._record_batches(lines):
            by_column = list(zip(*batch, strict=True))
            for column, arrays in batches.items():
                arrays.append(text_array(by_column[int(column)]).dictionary_encode())
        cells = {column: pa.chunked_array(arrays, _TEXTS) for column, arrays in batches.items()}
        row_lines = RowLines.of(np.array(lines, dtype=np.int64)) if lines else None
        return _Rows(cells, len(lines), row_lines, set(self._wanted) - self._as_text)

    def _record_batches(self, lines: list[int]) -> Iterator[list[list[str]]]:
        """Records of equal length, some at a time; ``lines`` takes the line of each."""
        width, batch = len(self._positions), []
        blocks = line_blocks(self._text.open(self._head.start))
        for line, record in CsvRecords(self._source, self._head.delimiter, blocks, self._head.line):
            if len(record) != width:
                problem = f"{counted(len(record), 'field')}, but the header has {width}"
                hint = "; quote a cell that contains the delimiter" if len(record) > width else "; is the line cut off?"
                raise DataError(problem + hint, source=self._source, line=line)
            lines.append(line)
            batch.append(record)
            if len(batch) == _ROWS_AT_ONCE:
                yield batch
                batch = []
        if batch:
            yield batch


def _not_plain(table: pa.Table, columns: Sequence[str]) -> set[str]:
    """Those columns of numbers that lost some: one is NaN, infinite, or beyond whole doubles."""
    if not columns:
        return set()
    found: set[str] = set()
    for batch in (table if len(columns) == table.num_columns else table.select(list(columns))).to_batches():
        matrix = batch.to_tensor(null_to_nan=True, row_major=False).to_numpy().T
        plain = np.count_nonzero(np.abs(matrix) < EXACT, axis=1)
        present = batch.num_rows - np.array([column.null_count for column in batch.columns])
        found.update(columns[place] for place in np.flatnonzero(plain < present).tolist())
    return found


def _holds_words(texts: pa.ChunkedArray, numbers: pa.ChunkedArray) -> bool:
    """Whether some text that is missing among the numbers is not empty."""
    empty = 0
    for chunk in texts.chunks:
        ends = np.frombuffer(chunk.buffers()[1], np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
        empty += int(np.count_nonzero(ends[1:] == ends[:-1]))
    return bool(empty < numbers.null_count)


def _is_plain_number(cell: str) -> bool:
    """Whether a text is a number of which nothing is lost as a double."""
    return _NUMBER.fullmatch(cell) is not None and abs(float(cell)) < EXACT


def _decide(name: str, cells: pa.ChunkedArray, words: Collection[str], decimal: str | None) -> Column:
    """A column of texts, or of numbers if all texts are, as these say exactly."""
    dictionaries = pa.chunked_array([chunk.dictionary for chunk in cells.chunks], pa.string())
    distinct = dictionaries.unique()
    distinct = distinct.filter(pc.invert(is_empty(distinct)))
    if not len(distinct):
        return missing_column(name, len(cells))
    if _are_plain_numbers(distinct, decimal):
        return Column(name, pa.chunked_array([double_array(numbers_by_row(cells, Kind.NUMBER))]), Kind.NUMBER)
    meant = pc.is_in(pc.utf8_trim_whitespace(distinct), value_set=text_array(sorted(words)))
    others = distinct.filter(pc.invert(meant))
    if len(others) and _are_plain_numbers(others, decimal):
        return Column(name, cells.cast(pa.string()))
    return Column(name, cells)


def _are_plain_numbers(distinct: pa.StringArray, decimal: str | None) -> bool:
    numbers = parse_numbers(distinct)
    if numbers is None or not np.all(np.abs(numbers) < EXACT) or loses_a_zero(distinct):
        return False
    return decimal != "," or not pc.any(pc.match_substring(distinct, "."), min_count=0).as_py()
