"""CSV and TSV -> Table: pyarrow reads blocks that are plainly well formed, Python's csv module all others.

The csv module defines what a file says, and what is wrong with it and on which line. pyarrow is about twenty times
faster but accepts an unclosed quote and text after a closing one, so it is given only blocks in which every quote opens
or closes a whole cell. Blocks of more columns than rows, most of them numeric, are not read column by column: they are
grids of cells, which become a block of numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from probfs.errors import DataError
from probfs.notes import Note, NoteKind
from probfs.runtime.threads import map_ahead
from probfs.tables.arrow_arrays import text_array
from probfs.tables.missing_words import AMONG_NUMBERS, UNMISTAKABLE
from probfs.tables.number_block import is_wide
from probfs.tables.readers.cell_grid import CellGrid, parse_grid
from probfs.tables.readers.column_builder import ColumnBuilder, EncodedCells, IgnoredColumn
from probfs.tables.readers.csv_blocks import quote_positions, quotes_are_clean, record_blocks, record_lines
from probfs.tables.readers.csv_header import refuse_equal_names, refuse_markup, refuse_other_delimiter
from probfs.tables.readers.csv_layout import DELIMITER_NAMES, recognise_delimiter, rows_have_names
from probfs.tables.readers.csv_records import CsvRecords
from probfs.tables.readers.grid_collector import GridCollector
from probfs.tables.readers.line_recorder import LineRecorder
from probfs.tables.readers.lines import line_ends, parse_block
from probfs.tables.readers.memory_guard import MemoryGuard
from probfs.tables.readers.unnamed_columns import NamedColumns, name_columns
from probfs.tables.source import Utf8Stream
from probfs.tables.table import Integers, NoRowsError, Table
from probfs.text import counted

_ROWS_AT_ONCE = 20_000
_PARSERS = 2
"""Blocks read at a time; more would only take memory, as what comes before and after is done one by one."""
_MOST = 0.5
"""The share of numeric columns above which a block of a wide file is worth a grid: all others are read twice."""
_WORDS = tuple(text for text in (*UNMISTAKABLE, *AMONG_NUMBERS) if text)
_EMPTY_FILE = "is empty; a header line and data rows are needed"


@dataclass(frozen=True, eq=False)
class _Cells:
    """The cells of a block of whole records, column by column; no columns if the block is blank."""

    columns: Sequence[Sequence[EncodedCells]]
    rows: int
    line_ends: int
    """How many physical lines end in the block."""
    lines: Integers | None = None
    """The line of the block on which each row begins; None if rows stand on consecutive lines."""
    grid: CellGrid | None = None
    """The cells, in place of the columns, where these are many and mostly numeric."""


_UNCLEAN = _Cells([], 0, 0)
"""Stands for a block in which not every quote opens or closes a whole cell."""


def read_delimited(stream: Utf8Stream, delimiter: str, other_delimiters: str = "") -> Table:
    """Read a header and the rows below it; one of the other delimiters is recognised from the first lines."""
    return _DelimitedReader(stream, delimiter, other_delimiters).read()


class _DelimitedReader:
    def __init__(self, stream: Utf8Stream, delimiter: str, other_delimiters: str) -> None:
        self._stream = stream
        self._source = stream.source
        self._delimiter = delimiter
        self._other_delimiters = other_delimiters
        self._notes: list[Note] = []
        self._blocks = record_blocks(stream)
        self._lines = LineRecorder()
        self._next_line = 1
        self._columns: list[ColumnBuilder] = []
        self._grids = GridCollector()
        self._reads_grids = True
        """Whether every block so far was a grid; blocks of a file are alike, so others need not be tried after that."""

    def read(self) -> Table:
        first = next(self._blocks, None)
        if first is None:
            raise DataError(_EMPTY_FILE, source=self._source)
        self._choose_delimiter(first)
        header, rest = self._read_header(first)
        self._columns = [
            ColumnBuilder(name) if position >= header.indexes else IgnoredColumn(name)
            for position, name in enumerate(header.names)
        ]
        memory = MemoryGuard(self._stream, [*self._columns, self._grids])
        memory.check()
        parsed = _ahead(self._parse_block, chain([rest], self._blocks))
        for block, cells in parsed:
            if cells is _UNCLEAN:
                # With quotes inside cells, records must be read one after the other to know where they end.
                self._read_records(chain([block], (later for later, _ in parsed)))
            elif cells is None:
                self._read_records([block])
            else:
                self._append_cells(cells)
            memory.check()
        if not self._lines.rows:
            problem = "has no data rows below the header; is the file cut off?"
            raise NoRowsError(problem, source=self._source, columns=header.names[header.indexes :])
        columns = {column.name: column for column in self._grids.finish(self._columns)[header.indexes :]}
        notes = (*self._notes, *header.notes)
        lines = self._lines.finish()
        return Table(self._source, columns, self._lines.rows, lines, notes=notes, left_out=header.left_out)

    def _choose_delimiter(self, first: bytes) -> None:
        usual = self._delimiter
        self._delimiter = recognise_delimiter(first, usual, self._other_delimiters, self._source)
        if self._delimiter != usual:
            shown = DELIMITER_NAMES.get(self._delimiter, self._delimiter)
            what = "tabs" if shown == "tab" else shown
            self._notes.append(NoteKind.DELIMITER.note(f"{self._source}: cells are separated by {what}"))

    def _read_header(self, first: bytes) -> tuple[NamedColumns, bytes]:
        """The columns that the first record names, and the rest of its block."""
        refuse_markup(first, self._source)
        records = CsvRecords(self._source, self._delimiter, chain([first], self._blocks), 1)
        for line, names in records:
            self._next_line = records.next_line
            rest = records.remainder()
            if not rest.strip(b"\r\n"):
                # The header fills its block, so the rows begin in the next one.
                rest += next(self._blocks, b"")
            if rows_have_names(rest, len(names), self._delimiter, self._source):
                names = ["", *names]
            else:
                refuse_other_delimiter(names, self._delimiter, self._source, line)
            header = name_columns(names, self._source)
            refuse_equal_names(header.names, header.indexes, self._source, line)
            return header, rest
        raise DataError(_EMPTY_FILE, source=self._source)

    def _parse_block(self, data: bytes) -> _Cells | None:
        """The cells of a block that pyarrow can be trusted with; None, or ``_UNCLEAN``, for any other block."""
        quotes = quote_positions(data)
        if not quotes_are_clean(data, quotes, self._delimiter):
            return _UNCLEAN
        ends = line_ends(data)
        if not data.strip(b"\r\n"):
            return _Cells([], 0, ends)
        if (
            b"\0" in data
            or (b"\r" in data and data.count(b"\r") != data.count(b"\r\n"))
            or data.startswith(b"\xef\xbb\xbf")
        ):
            return None
        grid = self._parse_grid(data, ends) if not len(quotes) else None
        if grid is not None:
            return _Cells([], grid.rows, ends, grid=grid)
        table = parse_block(
            data, len(self._columns), threads=False, delimiter=self._delimiter, newlines_in_values=len(quotes) > 0
        )
        if table is None:
            return None
        consecutive = not len(quotes) and ends + (not data.endswith(b"\n")) == table.num_rows
        lines = None if consecutive else record_lines(data, quotes)
        if lines is not None and len(lines) != table.num_rows:
            return None
        columns = [builder.encode(cells) for builder, cells in zip(self._columns, table.columns, strict=True)]
        return _Cells(columns, table.num_rows, ends, lines)

    def _parse_grid(self, data: bytes, lines: int) -> CellGrid | None:
        """The cells of a block of many columns, if most of them are numeric."""
        if not self._reads_grids or not is_wide(len(self._columns), lines):
            return None
        grid = parse_grid(data, len(self._columns), self._delimiter, words=_WORDS)
        return grid if grid is not None and np.mean(grid.plain) > _MOST else None

    def _append_cells(self, cells: _Cells) -> None:
        if cells.grid is not None:
            self._grids.append(cells.grid)
        wide = cells.grid is not None and is_wide(len(self._columns), self._grids.rows)
        if cells.rows and not (wide and self._reads_grids):
            self._give_up_grids()
        for builder, blocks in zip(self._columns, cells.columns, strict=bool(cells.columns)):
            builder.extend(blocks)
        if cells.lines is None:
            self._lines.append_run(self._next_line, cells.rows)
        else:
            self._lines.append(self._next_line + cells.lines)
        self._next_line += cells.line_ends

    def _give_up_grids(self) -> None:
        self._reads_grids = False
        self._grids.hand_over(self._columns)

    def _read_records(self, blocks: Iterable[bytes]) -> None:
        """Read blocks with the csv module."""
        rows: list[list[str]] = []
        lines: list[int] = []
        width = len(self._columns)
        records = CsvRecords(self._source, self._delimiter, blocks, self._next_line)
        for line, row in records:
            if len(row) != width:
                problem = f"{counted(len(row), 'field')}, but the header has {width}"
                hint = "; quote a cell that contains the delimiter" if len(row) > width else "; is the line cut off?"
                raise DataError(problem + hint, source=self._source, line=line)
            rows.append(row)
            lines.append(line)
            if len(rows) == _ROWS_AT_ONCE:
                self._append_rows(rows, lines)
                rows, lines = [], []
        self._append_rows(rows, lines)
        self._next_line = records.next_line

    def _append_rows(self, rows: list[list[str]], lines: list[int]) -> None:
        if rows:
            self._give_up_grids()
            for builder, cells in zip(self._columns, zip(*rows, strict=True), strict=True):
                builder.append(text_array(cells))
            self._lines.append(lines)


def _ahead(parse: Callable[[bytes], _Cells | None], blocks: Iterable[bytes]) -> Iterator[tuple[bytes, _Cells | None]]:
    """Blocks and what they hold, in their order, while threads of the pool parse the next ones."""
    return map_ahead(lambda block: (block, parse(block)), blocks, _PARSERS, ahead=_PARSERS + 1)
