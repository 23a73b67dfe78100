"""Columns of more different numbers than anyone should list, known by quantiles, and exactly where that matters.

A sample of the numbers of all blocks parts them into bins. A number at the upper end of a bin is known, and one that
many rows hold is such an end; all other numbers of a bin are counted together, as one number just below its end. Where
a number must be known, such as a cut point, workers list all numbers of its bin, and each becomes an end.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from probfs.cluster.counting import CondensedTable, CountedColumn, condense
from probfs.columns.choice import CUT_ABOVE
from probfs.columns.leakage import numbers_at_cuts
from probfs.columns.missing import mark_missing
from probfs.columns.prepare import PreparedTable
from probfs.columns.rules import CutCoder, Rule, some_numbers
from probfs.errors import DataError
from probfs.tables.arrays import EXACT, Flags, Floats, Integers, mask_array
from probfs.tables.cells import Kind
from probfs.tables.column import Column, number_column
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
    def of(cls, numbers: Floats, marked: frozenset[str], step: int) -> Sample:
        """A sample of one in so many rows."""
        numbers = numbers[~np.isnan(numbers)]
        some = numbers[::step]
        if step > 1 and len(some):
            some = np.append(some, [numbers.min(), numbers.max()])
        # Adding 0 makes -0 the same as 0.
        different, rows = np.unique(some + 0.0, return_counts=True)
        return cls(different, rows.astype(np.int64), step == 1, marked)

    @classmethod
    def join(cls, samples: Sequence[Sample]) -> Sample:
        numbers, places = np.unique(np.concatenate([one.numbers for one in samples]), return_inverse=True)
        rows = np.bincount(places, np.concatenate([one.rows for one in samples]), minlength=len(numbers))
        marked = frozenset().union(*(one.marked for one in samples))
        return cls(numbers, rows.astype(np.int64), all(one.complete for one in samples), marked)

    @property
    def is_many(self) -> bool:
        """Whether nobody should list the numbers. Whole ones may be identifiers, which are told by their values."""
        return len(self.numbers) > MANY_NUMBERS and bool(np.any(self.numbers != np.rint(self.numbers)))

    @property
    def different(self) -> float:
        """About how many different numbers all rows hold, by Chao's estimate from those that were sampled once."""
        once, twice = (int(np.count_nonzero(self.rows == times)) for times in (1, 2))
        return len(self.numbers) + (0 if self.complete else once**2 / (2 * max(twice, 1)))


def thin(numbers: Floats, rows: Integers, most: int) -> Floats:
    """About ``most`` of different numbers in rising order, the first and the last among them, evenly spread over the
    rows that hold them; a number that is chosen several times has a bin of its own.
    """
    if len(numbers) <= most:
        return numbers
    ends = np.cumsum(rows)
    chosen = numbers[np.searchsorted(ends, np.linspace(1, ends[-1], most))]
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
        """The bins with numbers that are not known, though they decide what becomes of the column: where it is cut or
        gives the class away, the least and the greatest of labelled rows, or all of these if they are few.
        """
        numbers = numbers_of_values(self)
        wanted = np.sort(numbers[self.counts(prepared.labelled_weights)[:-1] > 0])
        if len(wanted) > CUT_ABOVE:
            at_cuts = numbers_at_cuts(self, numbers, prepared.target, prepared.labelled_weights)
            wanted = np.append(wanted[[0, -1]], at_cuts)
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
        return thin(column.sample.numbers, column.sample.rows, TESTED_BINS)
    numbers, counts = numbers_of_values(column), column.counts(weights)[:-1]
    held = (counts > 0) & ~np.isnan(numbers)
    different, places = np.unique(numbers[held] + 0.0, return_inverse=True)
    return thin(different, np.bincount(places, counts[held], minlength=len(different)), TESTED_BINS)


# What workers do


def sample_block(table: Table, names: Sequence[str], missing: Sequence[str], step: int) -> dict[str, Sample | None]:
    """Samples of some columns of a block, of one in so many rows; None where it does not hold plain numbers: cells that
    are missing, or numbers that doubles tell apart.
    """
    samples: dict[str, Sample | None] = {}
    for name in names:
        column = table.columns[name]
        is_plain = column.cells.null_count == column.rows
        if column.is_numeric and column.kind is Kind.NUMBER:
            is_small = np.nanmax(np.abs(column.by_row), initial=0.0) < EXACT
            is_plain = pa.types.is_floating(column.cells.type) or (pa.types.is_integer(column.cells.type) and is_small)
        samples[name] = Sample.of(*_numbers_by_row(table, name, missing), step) if is_plain else None
    return samples


def _numbers_by_row(table: Table, name: str, missing: Sequence[str]) -> tuple[Floats, frozenset[str]]:
    """The number in each row of a column, NaN where a cell is missing, and the texts found that mean missing."""
    found: set[str] = set()
    column = table.columns[name]
    if column.cells.null_count < column.rows:
        column = mark_missing(table.only([name]), missing, found).columns[name]
    is_empty = column.cells.null_count == column.rows
    return np.full(table.rows, np.nan) if is_empty else column.by_row + 0.0, frozenset(found)


def list_numbers(
    table: Table, missing: Sequence[str], wanted: Mapping[str, tuple[Floats, Integers]]
) -> dict[str, Floats]:
    """The different numbers of some columns in some bins, whose ends are given."""
    listed = {}
    for name, (ends, bins) in wanted.items():
        numbers, _ = _numbers_by_row(table, name, missing)
        listed[name] = np.unique(numbers[np.isin(bins_of(numbers, ends), bins) & ~np.isnan(numbers)])
    return listed


def count_block(
    table: Table, naming: Sequence[str], names: Sequence[str], missing: Sequence[str], ends: Mapping[str, Floats]
) -> CondensedTable:
    """Count the values of some columns; where the ends of bins are given, each number is rounded to these."""
    rounded = {
        name: number_column(name, round_to(own, _numbers_by_row(table, name, missing)[0])) for name, own in ends.items()
    }
    return condense(table.only(names).with_columns(rounded), naming)
