"""A table as the readers leave it: named columns of text categories, each cell a small integer."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from probfs.errors import DataError, UsageError
from probfs.notes import Note
from probfs.tables.arrow_arrays import looked_up, numpy_array, text_array
from probfs.tables.row_lines import FileLines, RowLines
from probfs.text import did_you_mean, option, quoted

Codes = npt.NDArray[np.unsignedinteger[Any]]
Integers = npt.NDArray[np.int64]
Labels = npt.NDArray[np.signedinteger[Any]]
"""Positions of classes, in the narrowest dtype that holds them."""
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.intp] | slice
"""Some rows of a table, by position."""

_NUMBER = r"^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|(?i:inf|infinity))$"
WORTH_PAIRING = 200_000
"""Cells above which counting them in pairs is faster."""
_BLOCK = 1 << 17
"""Pairs of cells counted at a time, so that numpy's wider copy of them stays in the cache."""
_LOSES_A_ZERO = r"^[+-]?0\d"

NO_ROW = np.iinfo(np.int64).max
"""In place of the first row of a value that no row holds."""
GIVEN_AS_Y = "given as y"
"""Who named the target, where its values were passed beside the table."""
_NOT_READ = "was not read"


class NoRowsError(DataError):
    """A file of columns without rows: no table if it is alone, but nothing wrong beside others that have some."""

    def __init__(self, message: str, *, source: str, columns: Sequence[str]) -> None:
        super().__init__(message, source=source)
        self.columns = tuple(columns)


class Kind(Enum):
    """The type that a file declares for a column; CSV declares none, so its columns are text."""

    TEXT = "text"
    NUMBER = "number"
    DATE = "date"
    NESTED = "nested"
    """Lists, structs and maps, which only a column that nobody uses may hold."""
    OTHER = "other"
    """Bytes and other types that are neither text nor numbers, as unusable as nested ones."""


def code_type(distinct: int) -> type[np.unsignedinteger[Any]]:
    """The narrowest dtype for the codes 0…distinct, of which the last means missing."""
    if distinct <= np.iinfo(np.uint8).max:
        return np.uint8
    return np.uint16 if distinct <= np.iinfo(np.uint16).max else np.uint32


@dataclass(frozen=True, eq=False)
class Column:
    """One column: ``values[codes[i]]`` is the text of row i, and the code ``len(values)`` is a missing cell."""

    name: str
    codes: Codes
    values: pa.StringArray
    kind: Kind = Kind.TEXT
    declared: bool = False
    """Whether ``values`` is the file's own list (an ARFF nominal), so that all of them count, seen or not."""
    problem: str | None = None
    """Why the cells cannot be used, as a message has it after the column's name; such a column may only be left out."""
    categorical: bool = False
    """Whether the column's own type says that its values are categories, also where they look like numbers or dates."""
    ordered: bool = False
    """Whether that type orders them; ``values`` stand in this order then."""
    order: pa.StringArray | None = None
    """All values that an ordering type knows, in its order, whether a row holds them or not."""

    @property
    def is_nominal(self) -> bool:
        """Whether the values are categories by the word of the file or frame, whatever they look like."""
        return self.declared or self.categorical

    def renamed(self, name: str) -> Column:
        """The same column by another name."""
        return replace(self, name=name)

    def counts(self, weights: Integers | None = None) -> Integers:
        """How many rows hold each value, the last entry being missing cells; without weights, each row counts once."""
        if weights is None:
            return self._row_counts
        # Weighted bincount adds in double precision, exact up to 2**53 rows.
        return np.bincount(self.codes, weights=weights, minlength=self.distinct() + 1).astype(np.int64)

    @cached_property
    def _row_counts(self) -> Integers:
        if self.codes.dtype != np.uint8 or len(self.codes) < WORTH_PAIRING:
            return np.bincount(self.codes, minlength=self.distinct() + 1)
        # Two cells at a time, as one number of two bytes: half as many numbers to count.
        even = len(self.codes) & ~1
        cells = self.codes[:even].view(np.uint16)
        pairs = np.zeros(1 << 16, dtype=np.int64)
        for first in range(0, len(cells), _BLOCK):
            pairs += np.bincount(cells[first : first + _BLOCK], minlength=1 << 16)
        by_cell = pairs.reshape(256, 256)
        counts: Integers = by_cell.sum(axis=0) + by_cell.sum(axis=1)
        counts[self.codes[even:]] += 1
        return counts[: self.distinct() + 1]

    @property
    def rows(self) -> int:
        return len(self.codes)

    @property
    def unread(self) -> bool:
        """Whether the cells were left in the file, since nobody needs them."""
        return self.problem == _NOT_READ

    def distinct(self, weights: Integers | None = None) -> int:
        """How many values are in rows of positive weight; without weights, how many there are."""
        return len(self.values) if weights is None else int(np.count_nonzero(self.counts(weights)[:-1]))

    def missing(self, weights: Integers | None = None) -> int:
        """The weight of the rows whose cells are missing; without weights, their number."""
        return int(self.counts(weights)[-1])

    def is_missing(self) -> Flags:
        """For each row, whether its cell is missing."""
        return np.equal(self.codes, len(self.values))

    def missing_cells(self, weights: Integers | None) -> tuple[Integers, Integers | None]:
        """The row of each missing cell, and its weight; None without weights, where each weighs one."""
        rows = np.flatnonzero(self.is_missing())
        return rows, None if weights is None else weights[rows]

    def cells(self, rows: Rows, weights: Integers | None) -> tuple[Codes, Rows, Integers | None]:
        """The code of each cell in some rows, the cell's position among these rows, and its weight.

        ``weights`` are those of these rows; None where each weighs one.
        """
        return self.codes[rows], slice(None), weights

    def first_rows(self) -> Integers:
        """The first row that holds each value, the last entry being missing cells; NO_ROW where none does."""
        rows = np.full(self.distinct() + 1, NO_ROW)
        # Of the rows that a code has, the last one written is the first.
        rows[self.codes[::-1]] = np.arange(len(self.codes) - 1, -1, -1)
        return rows

    def recoded(self, new_codes: Codes, values: pa.StringArray) -> Column:
        """The column with other values; ``new_codes`` has the new code of each value, and that of missing cells."""
        flags = self.declared, self.problem, self.categorical, self.ordered, self.order
        return Column(self.name, looked_up(new_codes, self.codes), values, self.kind, *flags)

    def as_dates(self) -> Column:
        """The same texts, declared to be dates."""
        return Column(self.name, self.codes, self.values, Kind.DATE, problem=self.problem)

    def numbers(self) -> Floats | None:
        """The values as numbers (dates as seconds since 1970), or None when the column is not numeric."""
        return numbers_of(self.values, self.kind)


def unusable_column(
    name: str, missing: Flags, kind: Kind, problem: str, remedy: str = "turn it into text or numbers"
) -> Column:
    """A column whose cells cannot be used: it is known which of them are missing, and nothing else."""
    return Column(
        name, missing.astype(np.uint8), text_array([kind.value]), kind, problem=f"{problem}; {remedy}, or leave it out"
    )


def unread_column(name: str, rows: int) -> Column:
    """A column that is left out, of which nothing but the name was read."""
    return Column(name, np.zeros(rows, dtype=np.uint8), text_array([]), problem=_NOT_READ)


def numbers_of(values: pa.StringArray, kind: Kind) -> Floats | None:
    """The texts as numbers, or None unless all of them are numbers and reading them loses nothing, as 007 would."""
    if kind is Kind.DATE:
        try:
            return np.array(values.to_pylist(), dtype="datetime64[us]").astype(np.int64) / 1e6
        except ValueError:
            return None
    trimmed = pc.utf8_trim_whitespace(values)
    if not pc.all(pc.match_substring_regex(trimmed, _NUMBER), min_count=0).as_py():
        return None
    if kind is Kind.TEXT and pc.any(pc.match_substring_regex(trimmed, _LOSES_A_ZERO), min_count=0).as_py():
        return None
    return numpy_array(pc.cast(trimmed, pa.float64()))


def is_number(values: pa.StringArray, kind: Kind = Kind.NUMBER) -> Flags:
    """For each text, whether it can be read as a number, or as a date in ISO form."""
    if kind is Kind.DATE:
        return np.array(
            [numbers_of(text_array([text]), kind) is not None for text in values.to_pylist()], dtype=np.bool_
        )
    return numpy_array(pc.match_substring_regex(pc.utf8_trim_whitespace(values), _NUMBER))


@dataclass(frozen=True, eq=False)
class Table:
    """A file's columns, with the file's name and the lines of its rows, by which messages say where a cell stands."""

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
    standing_for: Integers | None = None
    """In a condensed table (see ``counted_column``), how many rows each of its rows stands for."""
    condensed_by: tuple[str, ...] = ()
    """The columns of which a condensed table has a row for each text: the target and the count, as far as there are."""
    parts: tuple[Table, ...] = ()
    """The tables, without their columns, whose rows a condensed table holds one after the other."""

    def column(self, name: str, parameter: str) -> Column:
        """The column called ``name``, or an error that suggests the nearest name.

        ``parameter`` is the parameter by which the user named the column, such as ``target``.
        """
        if name not in self.columns:
            index = "; it was left out as a row index, give it another name" if name in self.left_out else None
            near = index or did_you_mean(name, self.columns)
            raise UsageError(f"{option(parameter)}: no column {quoted(name)} in {self.source}{near}")
        return self.columns[name]

    def __sizeof__(self) -> int:
        """The bytes of its cells, as far as they have been made: Dask asks for them."""
        held = [column for column in self.columns.values() if type(column) is Column]
        blocks = {id(own): own.numbers.nbytes for own in map(_block_of, self.columns.values()) if own is not None}
        return int(sum(column.codes.nbytes + column.values.nbytes for column in held) + sum(blocks.values()))

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
        for part in self.parts:
            if row < part.rows:
                return part.place(row)
            row -= part.rows
        if self.files is not None:
            return self.files.place(row)
        return self.source, self.first_row + row, None if self.lines is None else self.lines.line(row)


def _block_of(column: Column) -> Any:
    """The block of numbers that a column is a line of, if it is one; blocks are built on columns, not beneath them."""
    return getattr(column, "block", None)
