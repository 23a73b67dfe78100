"""A table: named Arrow columns, each of one kind, with the file they come from and notes on how it was read."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from probfs.errors import DataError, ProbfsError
from probfs.notes import Note, NoteKind
from probfs.runtime.parallel import count_cores, map_in_threads
from probfs.tables.arrays import EXACT, Flags, Floats, Integers, mask_array
from probfs.tables.cells import Kind, numbers_by_row
from probfs.tables.column import NO_ROW, Column
from probfs.text import and_more, counted, quoted

Lines: TypeAlias = Sequence[int] | Integers
"""The line on which each row began, counted from 1."""
GIVEN_AS_Y = "given as y"
"""Who named the target, where its values were passed beside the table."""
_MANY_ROWS, _ROWS_LOOKED_AT = 10_000, 2_000
"""Beyond how many rows it pays to look for columns whose numbers repeat, and how many of the first rows tell."""
_FEW_COLUMNS = 2
"""Columns of doubles from which on they are made a matrix in one call."""
_MOST_NAMES = 12
"""Columns that the text of a table shows."""
_CELLS_AT_ONCE = 1 << 20
"""Numbers that are sorted or compared at a time: what is made on the way takes several times their memory."""


class NoRowsError(DataError):
    """A file of columns without rows: no table if it is alone, but nothing wrong beside others that have some."""

    def __init__(self, message: str, *, source: str, columns: Sequence[str]) -> None:
        super().__init__(message, source=source)
        self.columns = tuple(columns)


def join_lines(parts: Iterable[Lines]) -> Lines:
    """The lines of all rows; those that follow each other are a range."""
    held = [part for part in parts if len(part)]
    first, last = (int(held[0][0]), int(held[-1][-1])) if held else (1, 0)
    is_range = last - first + 1 == sum(map(len, held))
    return range(first, last + 1) if is_range else np.concatenate(held)


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of equal length, with the file's name and the lines of its rows, by which messages say where a cell
    stands.
    """

    source: str
    columns: Mapping[str, Column]
    rows: int
    lines: Lines | None = None
    target_hint: tuple[str, str] | None = None
    """The target that the file itself suggests, such as an ARFF attribute called class, and the reason."""
    notes: tuple[Note, ...] = ()
    """What the user should know about how the file was read."""
    left_out: tuple[str, ...] = ()
    """What the file calls the row indexes that are not among the columns; empty for one without a name."""
    files: tuple[Table, ...] = ()
    """The files that the rows come from if there are several, without their columns; ``lines`` is None then."""
    first_row: int = 0
    """Where in its source the table begins: some row groups of a file are a table, too."""
    row_counts: Integers | None = None
    """How many rows each row stands for, in a table of counted rows."""

    def __repr__(self) -> str:
        columns = and_more([f"{name!r} ({kind})" for name, kind in self.kinds.items()], _MOST_NAMES)
        number = counted(len(self.columns), "column")
        return f"<Table of {self.source}: {counted(self.rows, 'row')}, {number}: {columns}>"

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
        """The same rows with only these columns, in the order of the table."""
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
        return self.row_error(column, row, problem)

    def row_error(self, column: Column, row: int, problem: str) -> DataError:
        """An error about a column's cell in some row, with its line."""
        source, row, line = self.place(row)
        where = f"column {quoted(column.name)}" + (f", row {row + 1}" if line is None else "")
        return DataError(f"{where}: {problem}", source=source, line=line)

    def place(self, row: int) -> tuple[str, int, int | None]:
        """The file of a row, the row's position there, counted from 0, and its line if that is known."""
        for file in self.files:
            if row < file.rows:
                return file.place(row)
            row -= file.rows
        return self.source, self.first_row + row, None if self.lines is None else int(self.lines[row])


def table_of_columns(
    columns: Iterable[Column], source: str, rows: int, notes: tuple[Note, ...] = (), lines: Lines | None = None
) -> Table:
    """The table of these columns, whose names differ; without rows there is none."""
    by_name = {column.name: column for column in columns}
    if not rows:
        hint = "" if source.startswith("<") else "; is it the right file?"
        raise NoRowsError(f"has no data rows{hint}", source=source, columns=tuple(by_name))
    return Table(source, by_name, rows, lines, notes=notes)


def without_blank_rows(table: Table) -> Table:
    """The table without rows of empty cells, such as spreadsheets write below the data; they are no unlabelled rows.

    Only in files of text, where the lines of the other rows still say where they stand.
    """
    blank: Flags = np.ones(table.rows, dtype=np.bool_)
    for column in table.columns.values():
        if (column.is_numeric and not column.cells.null_count) or not blank.any():
            return table
        blank &= column.is_missing()
    if blank.all() or not blank.any() or any(file.lines is None for file in table.files or (table,)):
        return table
    kept = ~blank
    columns = {
        name: replace(column, cells=column.cells.filter(mask_array(kept))) for name, column in table.columns.items()
    }
    skipped = f"{table.source}: {counted(int(np.count_nonzero(blank)), 'blank row')} skipped"
    return replace(_with_rows(table, kept), columns=columns).with_notes([NoteKind.BLANK_ROWS.note(skipped)])


def _with_rows(table: Table, kept: Flags) -> Table:
    """Where some rows of a table come from."""
    starts = np.cumsum([0, *(file.rows for file in table.files)]).tolist()
    files = (
        _with_rows(file, kept[start : start + file.rows]) for start, file in zip(starts, table.files, strict=False)
    )
    lines = None if table.lines is None else np.asarray(table.lines)[kept]
    return replace(table, rows=int(np.count_nonzero(kept)), lines=lines, files=tuple(files))


@contextmanager
def recalling_header(table: Table) -> Iterator[None]:
    """Errors about a table say, too, if its row of names looks like data: that may be why, and no note will be told."""
    try:
        yield
    except ProbfsError as error:
        for note in table.notes:
            if note.code == NoteKind.NO_HEADER.code:
                error.message += f"; {note.removeprefix(f'{table.source}: ')}"
        raise


def number_groups(columns: Iterable[Column]) -> Iterator[list[Column]]:
    """The columns of numbers and dates, as many at a time as there is memory to work on."""
    numeric = [column for column in columns if column.is_numeric]
    at_once = max(1, _CELLS_AT_ONCE // max(1, numeric[0].rows)) if numeric else 1
    return (numeric[first : first + at_once] for first in range(0, len(numeric), at_once))


def number_matrix(columns: Sequence[Column]) -> Floats:
    """The numbers of some columns, a row of the matrix for each, NaN where one is missing."""
    is_plain = np.array([column.cells.type == pa.float64() for column in columns], dtype=np.bool_)
    if np.count_nonzero(is_plain) < _FEW_COLUMNS:
        return np.stack([column.by_row for column in columns])
    # One call for all, as in wide tables the calls are what takes time.
    plain = [column.cells for column, is_one in zip(columns, is_plain, strict=True) if is_one]
    table = pa.Table.from_arrays(plain, names=[str(place) for place in range(len(plain))])
    batches = [batch.to_tensor(null_to_nan=True, row_major=False).to_numpy().T for batch in table.to_batches()]
    numbers: Floats = batches[0] if len(batches) == 1 else np.concatenate(batches, axis=1)
    if is_plain.all():
        return numbers
    matrix = np.empty((len(columns), columns[0].rows))
    matrix[is_plain] = numbers
    for place in np.flatnonzero(~is_plain).tolist():
        matrix[place] = columns[place].by_row
    return matrix


@dataclass(frozen=True, slots=True)
class Profile:
    """A few facts about a column in some rows, each of which counts for some."""

    distinct: int
    """How many different values there are."""
    missing: int
    """How many rows have none."""
    whole: bool
    """Whether no number has a fraction."""
    repeats: bool
    """Whether some value may stand in as many rows as was asked for; of numbers, each row counts once."""
    least: float = field(default=math.nan, compare=False)
    """The least and the greatest number; NaN where there is none."""
    greatest: float = field(default=math.nan, compare=False)

    @property
    def infinite(self) -> bool:
        return math.isinf(self.least) or math.isinf(self.greatest)


def profile_columns(columns: Iterable[Column], weights: Integers | None, times: int = 2) -> dict[str, Profile]:
    """The profiles of columns by their names.

    ``weights`` says for how many rows each row counts, None where each is one; ``times`` is how often a value must
    repeat to be of interest.
    """
    every, threads = list(columns), count_cores()
    map_in_threads(attrgetter("codes"), filter(_has_few_numbers, every), threads)
    by_value = [column for column in every if column.is_encoded or not column.is_numeric]
    profiles = {column.name: _profile_values(column, weights) for column in by_value}
    look = partial(_profile_numbers, weights=weights, times=times)
    for found in map_in_threads(look, number_groups(column for column in every if not column.is_encoded), threads):
        profiles |= found
    return profiles


def _has_few_numbers(column: Column) -> bool:
    """Whether a hash table of a column's numbers is built faster than its rows are sorted, by its first rows."""
    if not column.is_numeric or column.rows <= _MANY_ROWS:
        return False
    first = np.sort(numbers_by_row(column.cells[:_ROWS_LOOKED_AT], column.kind))
    return bool(np.count_nonzero(first[1:] == first[:-1]) > _ROWS_LOOKED_AT // 8)


def _profile_values(column: Column, weights: Integers | None) -> Profile:
    counts = column.counts(weights)
    numbers = column.numbers() if column.kind is Kind.NUMBER and column.problem is None else None
    held = counts[:-1] > 0
    present = np.empty(0) if numbers is None else numbers[held]
    whole = bool(np.all(present == np.rint(present)))
    ends = (float(np.fmin.reduce(present)), float(np.fmax.reduce(present))) if len(present) else ()
    return Profile(column.distinct(weights), int(counts[-1]), whole, True, *ends)


def _profile_numbers(columns: Sequence[Column], weights: Integers | None, times: int) -> dict[str, Profile]:
    numbers = number_matrix(columns)
    # As doubles, neighbours beyond 2^53 are the same; whole numbers and texts tell them apart.
    exact = [place for place, column in enumerate(columns) if not pa.types.is_floating(column.cells.type)]
    beyond = np.any(np.abs(numbers[exact]) >= EXACT, axis=1).tolist()
    merged = (columns[place] for place, is_beyond in zip(exact, beyond, strict=True) if is_beyond)
    apart = {column.name: _profile_values(column, weights) for column in merged}
    if weights is not None:
        rows = np.flatnonzero(weights > 0)
        numbers, weights = numbers[:, rows], weights[rows]
    absent = np.isnan(numbers)
    missing = np.count_nonzero(absent, axis=1) if weights is None else absent @ weights
    whole = np.all((numbers == np.rint(numbers)) | absent, axis=1)
    ordered = np.sort(numbers, axis=1)
    # NaN, which is last, is not greater than anything, and equal to nothing.
    distinct = np.count_nonzero(ordered[:, 1:] > ordered[:, :-1], axis=1) + ~absent.all(axis=1)
    later = ordered[:, times - 1 :]
    repeats = np.any(later == ordered[:, : later.shape[1]], axis=1)
    least, greatest = (end.reduce(ordered, axis=1, initial=np.nan) for end in (np.fmin, np.fmax))
    facts = (distinct, missing, whole, repeats, least, greatest)
    by_column = zip(*(fact.tolist() for fact in facts), strict=True)
    return {column.name: Profile(*found) for column, found in zip(columns, by_column, strict=True)} | apart
