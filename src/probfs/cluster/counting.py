"""Tables condensed to counts: what is known of a table's columns where its rows are elsewhere.

What is decided about columns depends on how many rows hold each value together with each text of the target and of the
count, and on where a value first stands. A condensed table has a row for each combination of these texts, and columns
that know just that. It is small; blocks of rows are condensed where they are, and joined; and ``prepare`` takes it as
it takes a whole table.

Columns of more different numbers than anyone should list are counted in bins. A sample of the numbers of all blocks
gives their ends. A number at the upper end of a bin is known, and one that many rows hold is such an end; all other
numbers of a bin are counted together, as one number just below its end. Where a number must be known, such as a cut
point, workers list all numbers of its bin, and each becomes an end.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from probfs.columns.choice import CUT_ABOVE
from probfs.columns.missing import without_texts
from probfs.columns.prepare import PreparedTable
from probfs.columns.rules import CutCoder, Rule, some_numbers
from probfs.errors import DataError
from probfs.tables.arrays import (
    Codes,
    Flags,
    Floats,
    Integers,
    Rows,
    double_array,
    index_array,
    mask_array,
    numpy_array,
)
from probfs.tables.column import NO_ROW, Column, dictionary_cells, number_column
from probfs.tables.reading import join_columns, join_notes
from probfs.tables.table import Table

MANY_NUMBERS = 20_000
"""Different numbers in a sample, beyond which a column is counted in bins."""
COUNTED_BINS = 1 << 12
"""Bins of the driver's counts; a cut point lies among as many numbers as one of them has."""
TESTED_BINS = 1 << 15
"""Bins by which a column is tested: with fewer different numbers it is tested exactly. Else the standardized statistic
is off by about one part in as many, so that p is right to three digits down to 1e-12.
"""
SAMPLED_ROWS = 2 * TESTED_BINS
_MOST_KEYS = 1 << 16
"""Keys that are counted at a time, and different keys that are counted without hashing: both stay in the cache."""


@dataclass(frozen=True, eq=False, kw_only=True)
class CountedColumn(Column):
    """A column of a condensed table: each cell stands for some equal cells, whose rows one condensed row stands for.

    The columns that name condensed rows (the target, the count) have one cell for each of these, in order. Weights are
    those of condensed rows: how much all rows weigh that one stands for, or 0 if they do not take part.
    """

    cell_rows: Integers
    """The condensed row of each cell."""
    cell_counts: Integers
    """How many rows each cell stands for."""
    cell_places: Integers
    """The first of these rows."""
    row_counts: Integers
    """How many rows each condensed row stands for."""

    @property
    def is_numeric(self) -> bool:
        return False

    @property
    def rows(self) -> int:
        return int(self.row_counts.sum())

    def counts(self, weights: Integers | None = None) -> Integers:
        # Adds in double precision, exact up to 2**53 rows.
        return np.bincount(self.codes, self._weigh(weights), minlength=len(self.entries) + 1).astype(np.int64)

    def _weigh(self, weights: Integers | None) -> Integers:
        """The weight of each cell."""
        return self.cell_counts if weights is None else self.cell_counts * (weights // self.row_counts)[self.cell_rows]

    def missing_cells(self, weights: Integers | None) -> tuple[Integers, Integers | None]:
        missing = self.is_missing()
        return self.cell_rows[missing], self._weigh(weights)[missing]

    def count_rows(self, cells: Flags) -> int:
        return int(self.cell_counts[cells].sum())

    def coded_cells(self, weights: Integers | None) -> tuple[Codes, Rows, Integers | None]:
        return self.codes, self.cell_rows, self._weigh(weights)

    def first_rows(self) -> Integers:
        rows = np.full(len(self.entries) + 1, NO_ROW)
        np.minimum.at(rows, self.codes.astype(np.intp), self.cell_places)
        return rows


@dataclass(frozen=True, eq=False, kw_only=True)
class CondensedTable(Table):
    """A table of counted columns."""

    columns: Mapping[str, CountedColumn]
    row_counts: Integers


def bytes_of_columns(table: CondensedTable) -> dict[str, int]:
    return {name: column.cells.nbytes + 3 * column.cell_rows.nbytes for name, column in table.columns.items()}


def join_condensed(parts: Sequence[CondensedTable], naming: Sequence[str]) -> CondensedTable:
    """The condensed table of some parts, which have the same columns and follow each other."""
    # What has no rows decides nothing.
    parts = [part for part in parts if part.rows] or parts[:1]
    sources, sizes = [part.source for part in parts], [len(part.row_counts) for part in parts]
    columns = {
        name: join_columns([Column(**_fields_of(part.columns[name])) for part in parts], sources)
        for name in parts[0].columns
    }
    rows = _group(_combine([columns[name] for name in naming], sum(sizes)))
    row_counts = np.bincount(rows, np.concatenate([part.row_counts for part in parts])).astype(np.int64)
    first_rows = np.cumsum([0, *sizes[:-1]])
    first_places = np.cumsum([0, *(part.rows for part in parts[:-1])])
    counted = {}
    for name, column in columns.items():
        pieces = [part.columns[name] for part in parts]
        cell_rows = np.concatenate([piece.cell_rows + row for piece, row in zip(pieces, first_rows, strict=True)])
        places = np.concatenate([piece.cell_places + row for piece, row in zip(pieces, first_places, strict=True)])
        counts = np.concatenate([piece.cell_counts for piece in pieces])
        counted[name] = _count_cells(column, rows[cell_rows], counts, places, row_counts)
    return replace(
        parts[0],
        columns=counted,
        rows=sum(part.rows for part in parts),
        lines=None,
        notes=join_notes(parts),
        row_counts=row_counts,
        files=tuple(table for part in parts for table in part.files),
    )


def _combine(columns: Sequence[Column], rows: int) -> Integers:
    """One number for each row, the same where the codes of all columns are."""
    numbers = np.zeros(rows, dtype=np.int64)
    for column in columns:
        numbers = numbers * (len(column.entries) + 1) + column.codes
    return numbers


def _group(keys: Integers) -> Integers:
    """A number for each key, equal ones together, in the order in which they first appear."""
    return numpy_array(index_array(keys).dictionary_encode().indices).astype(np.int64)


def _count_equal(keys: npt.NDArray[Any], counts: Integers | None, most: int) -> tuple[Integers, Integers]:
    """Where each different key first appears, in order, and the sum of its counts; keys are below ``most``."""
    if most > _MOST_KEYS:
        keys = _group(keys)
        most = int(keys.max(initial=-1)) + 1
    sums = np.zeros(most)
    for first in range(0, len(keys), _MOST_KEYS):
        some = slice(first, first + _MOST_KEYS)
        sums += np.bincount(keys[some], None if counts is None else counts[some], minlength=most)
    firsts = np.full(most, NO_ROW)
    # Nearly always, the first rows have all keys.
    for rows in (_MOST_KEYS, len(keys)):
        # Of the places of a key, the last one written is the first.
        firsts[keys[:rows][::-1]] = np.arange(min(rows, len(keys)) - 1, -1, -1)
        if (firsts[sums > 0] != NO_ROW).all():
            break
    held = np.argsort(firsts)[: np.count_nonzero(sums)]
    return firsts[held], sums[held].astype(np.int64)


def _count_cells(
    column: Column, rows: npt.NDArray[Any], counts: Integers | None, places: Integers | None, row_counts: Integers
) -> CountedColumn:
    """A column with one cell for each value and condensed row that occur together, in the order of their first rows.

    Without ``counts`` and ``places``, each cell is one row.
    """
    values = len(column.entries) + 1
    most = values * len(row_counts)
    # The narrower the keys, the faster they are counted.
    narrow = np.min_scalar_type(max(most, values))
    firsts, cell_counts = _count_equal(rows.astype(narrow) * narrow.type(values) + column.codes, counts, most)
    codes = column.codes[firsts]
    if pa.types.is_floating(column.entries.type):
        cells = pa.chunked_array([double_array(np.append(numpy_array(column.entries), np.nan)[codes])])
    else:
        cells = dictionary_cells(codes, column.entries)
    return CountedColumn(
        **{**_fields_of(column), "cells": cells, "stored": None},
        cell_rows=rows[firsts],
        cell_counts=cell_counts,
        cell_places=firsts if places is None else places[firsts],
        row_counts=row_counts,
    )


def _fields_of(column: Column) -> dict[str, Any]:
    return {field.name: getattr(column, field.name) for field in fields(Column)}


# Columns counted in bins


@dataclass(frozen=True, eq=False)
class Sample:
    """Some of the numbers of a column, the least and the greatest among them."""

    numbers: Floats
    """The different ones in rising order."""
    rows: Integers
    """How many of the sampled rows hold each of them."""
    complete: bool
    """Whether all rows were sampled."""
    marked: frozenset[str]
    """The texts that mean missing and that were found in all rows."""

    @classmethod
    def of(cls, column: Column, marked: frozenset[str], step: int) -> Sample:
        """A sample of one in so many rows."""
        if pa.types.is_dictionary(column.cells.type):
            numbers = np.append(numbers_of_values(column), np.nan)
            some = numbers[column.codes[::step]]
        else:
            numbers = column.by_row + 0.0
            some = numbers[::step]
        if step > 1 and not np.isnan(numbers).all():
            some = np.append(some, [np.nanmin(numbers), np.nanmax(numbers)])
        # Adding 0 makes -0 the same as 0.
        different, rows = np.unique(some[~np.isnan(some)] + 0.0, return_counts=True)
        return cls(different, rows.astype(np.int64), step == 1, marked)

    @classmethod
    def join(cls, samples: Sequence[Sample]) -> Sample:
        numbers, places = np.unique(np.concatenate([sample.numbers for sample in samples]), return_inverse=True)
        rows = np.bincount(places, np.concatenate([sample.rows for sample in samples]), minlength=len(numbers))
        marked = frozenset().union(*(sample.marked for sample in samples))
        return cls(numbers, rows.astype(np.int64), all(sample.complete for sample in samples), marked)

    @property
    def is_many(self) -> bool:
        """Whether nobody should list the numbers. Whole ones may be identifiers, which are told by their values."""
        return len(self.numbers) > MANY_NUMBERS and bool(np.any(self.numbers != np.rint(self.numbers)))

    @property
    def different(self) -> float:
        """About how many different numbers all rows hold, by Chao's estimate from those that were sampled once."""
        once, twice = (int(np.count_nonzero(self.rows == times)) for times in (1, 2))
        return len(self.numbers) + (0 if self.complete else once**2 / (2 * max(twice, 1)))

    def thin(self, most: int) -> Floats:
        """About ``most`` of the numbers in rising order, the first and the last among them, evenly spread over the rows
        that hold them; a number that is chosen several times has a bin of its own.
        """
        if len(self.numbers) <= most:
            return self.numbers
        ends = np.cumsum(self.rows)
        chosen = self.numbers[np.searchsorted(ends, np.linspace(1, ends[-1], most))]
        repeated = chosen[1:][chosen[1:] == chosen[:-1]]
        return np.unique(np.concatenate([chosen, _just_below(repeated)]))


def _just_below(numbers: Floats) -> Floats:
    with np.errstate(over="ignore"):
        # Nothing lies below the least double.
        return np.nextafter(numbers, -np.inf)


def bins_of(numbers: Floats, ends: Floats) -> Integers:
    """The bin of each number, given their upper ends, beyond the last of which there is nothing but NaN."""
    return np.minimum(np.searchsorted(ends, numbers), len(ends) - 1)


def round_to(ends: Floats, numbers: Floats) -> Floats:
    """The numbers that are ends of bins, and for all others the one just below the end of their bin."""
    upper = ends[bins_of(numbers, ends)]
    return np.where(np.isnan(numbers) | (numbers == upper), numbers, _just_below(upper))


@dataclass(frozen=True, eq=False, kw_only=True)
class BinnedColumn(CountedColumn):
    """A counted column of numbers that were rounded to bins."""

    ends: Floats
    """The upper ends of the bins; of other numbers it is not known which they are."""
    sample: Sample

    @property
    def marked(self) -> frozenset[str]:
        """The texts that mean missing and that some cell held."""
        return self.sample.marked

    def _is_known(self) -> Flags:
        """For each value, whether it is a number that some rows hold."""
        return np.isin(numbers_of_values(self), self.ends)

    def distinct(self, weights: Integers | None = None) -> int:
        """About how many different numbers are in rows of positive weight."""
        rows = self.counts(None if weights is None else np.where(weights > 0, self.row_counts, 0))[:-1]
        known = self._is_known()
        others = min(max(self.sample.different - np.count_nonzero(known), 1), rows[~known].sum())
        return int(np.count_nonzero(rows[known]) + round(others))

    def of_known_numbers(self) -> Column:
        kept = self.is_missing() | np.append(self._is_known(), False)[self.codes]
        arrays = {name: getattr(self, name)[kept] for name in ("cell_rows", "cell_counts", "cell_places")}
        return replace(self, cells=self.cells.filter(mask_array(kept)), **arrays)

    def bins_to_open(self, prepared: PreparedTable, rule: Rule) -> Integers:
        """The bins with numbers that are not known, though they decide what becomes of the column: where it is cut, the
        least and the greatest of labelled rows, or all of these if they are few.
        """
        numbers = numbers_of_values(self)
        wanted = np.sort(numbers[self.counts(prepared.labelled_weights)[:-1] > 0])
        if len(wanted) > CUT_ABOVE:
            wanted = wanted[[0, -1]]
            # An infinite number is refused once all is known.
            with contextlib.suppress(DataError):
                coder = prepared.learn(self, rule)
                wanted = np.append(wanted, coder.points if isinstance(coder, CutCoder) else [])
        return np.intersect1d(bins_of(wanted, self.ends), bins_of(numbers[~self._is_known()], self.ends))


def numbers_of_values(column: Column) -> Floats:
    """The number of each value."""
    return some_numbers(column.entries, column.kind)


def tested_numbers(column: Column, weights: Integers | None) -> Floats:
    """The upper ends of bins by which a counted column is tested."""
    if isinstance(column, BinnedColumn):
        return column.sample.thin(TESTED_BINS)
    numbers, counts = numbers_of_values(column), column.counts(weights)[:-1]
    held = (counts > 0) & ~np.isnan(numbers)
    return Sample.join([Sample(numbers[held] + 0.0, counts[held], True, frozenset())]).thin(TESTED_BINS)


# What workers do


def sample_block(table: Table, names: Sequence[str], missing: Sequence[str], step: int) -> dict[str, Sample | None]:
    """Samples of some columns of a block, of one in so many rows; None where a column holds anything but numbers."""
    samples = {}
    for name in names:
        found: set[str] = set()
        column = _column_of_numbers(table, name, missing, found)
        samples[name] = None if column is None else Sample.of(column, frozenset(found), step)
    return samples


def _column_of_numbers(table: Table, name: str, missing: Sequence[str], found: set[str] | None = None) -> Column | None:
    """A column without the texts that mean missing, of which ``found`` takes those that a cell holds; None if it holds
    anything but numbers.
    """
    column = table.columns[name]
    if column.cells.null_count == column.rows:
        return number_column(name, np.full(column.rows, np.nan))
    dtype = column.cells.type
    is_double = pa.types.is_float64(dtype.value_type if pa.types.is_dictionary(dtype) else dtype)
    if not (is_double and column.is_numeric):
        return None
    return without_texts({name: column}, missing, found).get(name, column)


def _numbers_by_row(table: Table, name: str, missing: Sequence[str]) -> Floats:
    """The number in each row of a column that was sampled, NaN where a cell is missing; -0 is 0."""
    column = _column_of_numbers(table, name, missing)
    assert column is not None, "only columns of numbers have samples"
    return column.by_row + 0.0


def list_numbers(
    table: Table, missing: Sequence[str], wanted: Mapping[str, tuple[Floats, Integers]]
) -> dict[str, Floats]:
    """The different numbers of some columns in some bins, whose ends are given."""
    listed = {}
    for name, (ends, bins) in wanted.items():
        numbers = _numbers_by_row(table, name, missing)
        listed[name] = np.unique(numbers[np.isin(bins_of(numbers, ends), bins) & ~np.isnan(numbers)])
    return listed


def count_block(
    table: Table, naming: Sequence[str], names: Sequence[str], missing: Sequence[str], ends: Mapping[str, Floats]
) -> CondensedTable:
    """Some columns of a block, condensed; where the ends of bins are given, each number is rounded to these."""
    rounded = {name: number_column(name, round_to(ends[name], _numbers_by_row(table, name, missing))) for name in ends}
    table = table.only(names).with_columns(rounded)
    rows = _group(_combine([table.columns[name] for name in naming], table.rows))
    row_counts = np.bincount(rows)
    columns = {name: _count_cells(column, rows, None, None, row_counts) for name, column in table.columns.items()}
    known = {**vars(table), "columns": columns, "row_counts": row_counts, "files": (replace(table, columns={}),)}
    return CondensedTable(**known)
