"""A table: named Arrow columns, each of one kind, with the file they come from and notes on how it was read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from probfs.errors import DataError
from probfs.notes import Note
from probfs.tables.arrays import Floats, Integers
from probfs.tables.cells import Kind
from probfs.tables.column import NO_ROW, Column
from probfs.tables.row_lines import FileLines, RowLines
from probfs.text import quoted

GIVEN_AS_Y = "given as y"
"""Who named the target, where its values were passed beside the table."""
_CELLS_AT_ONCE = 1 << 20
"""Numbers that are sorted or compared at a time: what is made on the way takes several times their memory."""


class NoRowsError(DataError):
    """A file of columns without rows: no table if it is alone, but nothing wrong beside others that have some."""

    def __init__(self, message: str, *, source: str, columns: Sequence[str]) -> None:
        super().__init__(message, source=source)
        self.columns = tuple(columns)


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of equal length, with the file's name and the lines of its rows, by which messages say where a cell
    stands.
    """

    source: str
    columns: Mapping[str, Column]
    rows: int
    lines: RowLines | None = None
    target_hint: tuple[str, str] | None = None
    """The target that the file itself suggests, such as an ARFF attribute called class, and the reason."""
    notes: tuple[Note, ...] = ()
    """What the user should know about how the file was read."""
    left_out: tuple[str, ...] = ()
    """What the file calls the row indexes that are not among the columns; empty for one without a name."""
    files: FileLines | None = None
    """Where the rows stand if they come from several files; ``lines`` is None then."""
    first_row: int = 0
    """Where in its source the table begins: some row groups of a file are a table, too."""
    row_counts: Integers | None = None
    """How many rows each row stands for, in a table of counted rows."""

    @property
    def arrow(self) -> pa.Table:
        """The cells as the file or frame had them."""
        return pa.Table.from_arrays([column.stored_cells for column in self.columns.values()], names=list(self.columns))

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:  # Arrow's name
        return self.arrow.__arrow_c_stream__(requested_schema)

    @property
    def kinds(self) -> dict[str, str]:
        """What each column holds: ``number``, ``text`` or ``date``."""
        return {name: column.kind.value for name, column in self.columns.items()}

    def __sizeof__(self) -> int:
        """The bytes of its cells: Dask asks for them."""
        return int(sum(column.cells.nbytes for column in self.columns.values()))

    def with_columns(self, changed: Mapping[str, Column]) -> Table:
        """The table with other columns in place of some; new ones come last."""
        return replace(self, columns={**self.columns, **changed}) if changed else self

    def with_notes(self, notes: Iterable[Note]) -> Table:
        """The table with further notes, each once."""
        return replace(self, notes=tuple(dict.fromkeys((*self.notes, *notes))))

    def only(self, names: Collection[str]) -> Table:
        """The same rows with only the columns called so, in the table's own order."""
        return replace(self, columns={name: column for name, column in self.columns.items() if name in names})

    def usable(self, column: Column) -> Column:
        """The column, or an error if nothing but leaving it out can be done with it."""
        if column.problem is not None:
            raise DataError(f"column {quoted(column.name)} {column.problem}", source=self.source)
        return column

    def cell_error(self, column: Column, value_code: int, problem: str) -> DataError:
        """An error about the first cell that holds a value, with the line on which the cell stands."""
        row = int(column.first_rows()[value_code])
        if row == NO_ROW:
            # A declared value that no row holds: there is nothing better to point at.
            row = 0
        source, row, line = self.place(row)
        where = f"column {quoted(column.name)}" + (f", row {row + 1}" if line is None else "")
        return DataError(f"{where}: {problem}", source=source, line=line)

    def place(self, row: int) -> tuple[str, int, int | None]:
        """The file of a row, the row's position there, counted from 0, and its line if that is known."""
        if self.files is not None:
            return self.files.place(row)
        return self.source, self.first_row + row, None if self.lines is None else self.lines.line(row)


def table_of_columns(
    columns: Iterable[Column], source: str, rows: int, notes: tuple[Note, ...] = (), lines: RowLines | None = None
) -> Table:
    """The table of these columns, whose names must differ; without rows there is none."""
    by_name: dict[str, Column] = {}
    for column in columns:
        if column.name in by_name:
            raise DataError(f"two columns are called {quoted(column.name)}; rename one", source=source)
        by_name[column.name] = column
    if not rows:
        hint = "" if source.startswith("<") else "; is it the right file?"
        raise NoRowsError(f"has no data rows{hint}", source=source, columns=tuple(by_name))
    return Table(source, by_name, rows, lines, notes=notes)


def number_groups(columns: Iterable[Column]) -> Iterator[list[Column]]:
    """The columns of numbers and dates, as many at a time as there is memory to work on."""
    numeric = [column for column in columns if column.is_numeric]
    at_once = max(1, _CELLS_AT_ONCE // max(1, numeric[0].rows)) if numeric else 1
    return (numeric[first : first + at_once] for first in range(0, len(numeric), at_once))


def number_matrix(columns: Sequence[Column]) -> Floats:
    """The numbers of some columns, a row of the matrix for each, NaN where one is missing."""
    if len(columns) > 1 and all(_is_double(column) for column in columns):
        # One call for all, as in wide tables the calls are what takes time.
        names = [str(place) for place in range(len(columns))]
        table = pa.Table.from_arrays([column.cells for column in columns], names=names)
        batches = table.combine_chunks().to_batches()
        if len(batches) == 1:
            matrix: Floats = batches[0].to_tensor(null_to_nan=True, row_major=False).to_numpy().T
            return matrix
    return np.stack([column.by_row for column in columns])


def _is_double(column: Column) -> bool:
    return column.kind is Kind.NUMBER and bool(column.cells.type == pa.float64())
