"""The grids of a wide file -> its plainly numeric columns as one block of numbers, and the others one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pyarrow as pa

from probfs.tables.arrow_arrays import index_array
from probfs.tables.mixed_column import MixedColumn
from probfs.tables.number_block import NumberBlock, NumberColumn, have_one_text_for_each_number
from probfs.tables.readers.cell_grid import CellGrid
from probfs.tables.readers.column_builder import ColumnBuilder
from probfs.tables.table import Column, Floats, Integers, Kind


class GridCollector:
    """Collects the blocks of a file as long as all of them are grids."""

    def __init__(self, clean: Callable[[pa.StringArray], pa.StringArray] | None = None) -> None:
        """``clean`` makes of cells what the builder of a single column wants to be given."""
        self._clean = clean
        self._grids: list[CellGrid] = []

    @property
    def nbytes(self) -> int:
        """The memory that the collected cells take."""
        return sum(grid.nbytes for grid in self._grids)

    @property
    def rows(self) -> int:
        return sum(grid.rows for grid in self._grids)

    def append(self, grid: CellGrid) -> None:
        self._grids.append(grid)

    def hand_over(self, builders: Sequence[ColumnBuilder], positions: Iterable[int] | None = None) -> None:
        """Give the cells of some columns, or of all, to the builders of single columns, and forget all cells."""
        if not self._grids:
            return
        for position in range(len(builders)) if positions is None else positions:
            for grid in self._grids:
                cells = grid.texts(position)
                builders[position].append(cells if self._clean is None else self._clean(cells))
        self._grids.clear()

    def plain_columns(self) -> Integers:
        """The positions of the columns that hold nothing but plain numbers, missing cells and words."""
        return np.flatnonzero(np.all([grid.plain for grid in self._grids], axis=0))

    def numbers(self, positions: Integers) -> Floats:
        """The numbers of some plain columns, a line for each."""
        numbers = np.empty((len(positions), self.rows))
        first = 0
        for grid in self._grids:
            numbers[:, first : first + grid.rows] = grid.numbers[:, positions].T
            first += grid.rows
        return numbers

    def finish(self, builders: Sequence[ColumnBuilder]) -> list[Column]:
        """A column for each builder, in their order, whose texts are those of the file: plain ones of a block."""
        by_position: dict[int, Column] = {}
        if self._grids:
            positions = self.plain_columns()
            numbers, cells = self.numbers(positions), _Cells(self._grids, len(builders))
            fits = have_one_text_for_each_number(numbers, lambda lines, rows: cells.texts(positions[lines], rows))
            if not fits.all():
                positions, numbers = positions[fits], numbers[fits]
            block = NumberBlock(numbers, lambda lines, rows: cells.texts(positions[lines], rows))
            columns = block.columns([builders[position].name for position in positions.tolist()], Kind.TEXT)
            words = _words_by_position(self._grids, len(builders))
            for position, column in zip(positions.tolist(), columns, strict=True):
                by_position[position] = _with_words(column, words.get(position, ()), position, cells)
        others = [position for position in range(len(builders)) if position not in by_position]
        self.hand_over(builders, others)
        by_position |= {position: builders[position].finish()[0] for position in others}
        return [by_position[position] for position in range(len(builders))]


class _Cells:
    """The texts of several grids; their numbers are not kept."""

    def __init__(self, grids: Sequence[CellGrid], columns: int) -> None:
        self._cells = [grid.cells for grid in grids]
        self._columns = columns
        self._first_rows = np.cumsum([0, *(grid.rows for grid in grids)])[:-1]

    def texts(self, positions: Integers, rows: Integers) -> pa.StringArray:
        """The texts of some cells."""
        owners = np.searchsorted(self._first_rows, rows, side="right") - 1
        places = (rows - self._first_rows[owners]) * self._columns + positions
        order = np.argsort(owners, kind="stable")
        ends = np.searchsorted(owners[order], np.arange(len(self._cells)), side="right")
        parts = [
            cells.take(index_array(places[own]))
            for cells, own in zip(self._cells, np.split(order, ends[:-1]), strict=True)
        ]
        back = np.empty(len(order), dtype=np.int64)
        back[order] = np.arange(len(order))
        return pa.concat_arrays(parts).take(index_array(back))


def _words_by_position(grids: Sequence[CellGrid], columns: int) -> dict[int, list[str]]:
    """The different words that some columns hold beside numbers, in the order of their first rows."""
    found: dict[int, dict[str, None]] = {}
    for grid in grids:
        words = grid.cells.take(index_array(grid.words)).to_pylist()
        for position, word in zip((grid.words % columns).tolist(), words, strict=True):
            found.setdefault(position, {})[word] = None
    return {position: list(words) for position, words in found.items()}


def _with_words(column: NumberColumn, words: Sequence[str], position: int, cells: _Cells) -> Column:
    if not words:
        return column

    def make() -> Column:
        builder = ColumnBuilder(column.name)
        builder.append(cells.texts(np.full(column.rows, position), np.arange(column.rows)))
        return builder.finish()[0]

    return MixedColumn(column, words, make)
