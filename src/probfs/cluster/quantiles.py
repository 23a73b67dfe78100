"""Columns of more different numbers than anyone should list, known by quantiles, and exactly where that matters.

Each block sketches its numbers by some thousand quantiles, and the sketches of all blocks part them into bins. A number
at the upper end of a bin is known, and one that many rows hold is such an end; all other numbers of a bin are counted
together, as one number just below its end. Where a number must be known, such as a cut point, workers list all numbers
of its bin, which are few, and each becomes the end of a bin.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
import numpy.typing as npt
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
"""Different numbers in a block, beyond which a column is counted in bins."""
COUNTED_BINS = 1 << 12
"""Bins of the driver's counts; a cut point lies among as many numbers as one of them has."""
TESTED_BINS = 1 << 15
"""Bins by which a column is tested: with fewer different numbers it is tested exactly. Else the standardized statistic
is off by about one part in as many, so that p is right to three digits down to 1e-12.
"""
_FEWEST_QUANTILES = 1 << 10
_HASHES = 1 << 10
"""The least hashes that are kept: how many different numbers there are is known to about 3 % from them."""


@dataclass(frozen=True, eq=False)
class Sketch:
    """What is known of the numbers of some rows."""

    numbers: Floats
    """Quantiles in rising order, or all different numbers if they are fewer."""
    rows: Integers
    """How many rows hold each of these, or a number between it and the one before."""
    hashes: npt.NDArray[np.uint64]
    """The least hashes of different numbers."""
    marked: frozenset[str] = frozenset()
    """The texts that mean missing and that were among them."""

    @classmethod
    def of(cls, numbers: Floats, most: int, marked: Iterable[str] = ()) -> Sketch:
        from pandas.util import hash_array

        # Adding 0 makes -0 the same as 0.
        different, counts = np.unique(numbers[~np.isnan(numbers)] + 0.0, return_counts=True)
        chosen = thin(different, counts, most)
        ends = np.append(0, np.cumsum(counts))[np.searchsorted(different, chosen, side="right")]
        return cls(chosen, np.diff(ends, prepend=0), np.sort(hash_array(different))[:_HASHES], frozenset(marked))

    @classmethod
    def join(cls, sketches: Sequence[Sketch]) -> Sketch:
        numbers, places = np.unique(np.concatenate([one.numbers for one in sketches]), return_inverse=True)
        rows = np.bincount(places, np.concatenate([one.rows for one in sketches]), minlength=len(numbers))
        hashes = np.unique(np.concatenate([one.hashes for one in sketches]))[:_HASHES]
        return cls(numbers, rows.astype(np.int64), hashes, frozenset().union(*(one.marked for one in sketches)))

    @property
    def different(self) -> int:
        """About how many different numbers there are."""
        if len(self.hashes) < _HASHES:
            return len(self.hashes)
        return round((_HASHES - 1) / (float(self.hashes[-1]) / 2.0**64))


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
    sketch: Sketch
    """Of the numbers of all rows."""

    @classmethod
    def of(cls, column: CountedColumn, ends: Floats, sketch: Sketch) -> BinnedColumn:
        return cls(**{one.name: getattr(column, one.name) for one in fields(column)}, ends=ends, sketch=sketch)

    @property
    def marked(self) -> frozenset[str]:
        """The texts that mean missing and that some cell held."""
        return self.sketch.marked

    def _is_known(self) -> Flags:
        """For each value, whether it is a number that some rows hold."""
        return np.isin(numbers_of_values(self), self.ends)

    def distinct(self, weights: Integers | None = None) -> int:
        """About how many different numbers are in rows of positive weight."""
        rows = self.counts(None if weights is None else np.where(weights > 0, self.row_counts, 0))[:-1]
        known = self._is_known()
        others = min(max(self.sketch.different - int(np.count_nonzero(known)), 1), int(rows[~known].sum()))
        return int(np.count_nonzero(rows[known])) + others

    def of_known_numbers(self) -> Column:
        kept = self.is_missing() | np.append(self._is_known(), False)[self.codes]
        arrays = {name: getattr(self, name)[kept] for name in ("cell_rows", "cell_counts", "cell_places")}
        return replace(self, cells=self.cells.filter(mask_array(kept)), **arrays)

    def bins_to_open(self, prepared: PreparedTable, rule: Rule) -> Integers:
        """The bins with numbers that are not known, though they decide what becomes of the column: where it is cut or
        gives the class away, the least and the greatest of labelled rows, or all of these if they are few.
        """
        numbers = numbers_of_values(self)
        held = np.sort(numbers[self.counts(prepared.labelled_weights)[:-1] > 0])
        wanted = held
        if len(held) > CUT_ABOVE:
            at_cuts = numbers_at_cuts(self, numbers, prepared.target, prepared.labelled_weights)
            wanted = np.append(held[[0, -1]], at_cuts)
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
        return thin(column.sketch.numbers, column.sketch.rows, TESTED_BINS)
    numbers, counts = numbers_of_values(column), column.counts(weights)[:-1]
    held = (counts > 0) & ~np.isnan(numbers)
    different, places = np.unique(numbers[held] + 0.0, return_inverse=True)
    return thin(different, np.bincount(places, counts[held], minlength=len(different)), TESTED_BINS)


# What workers do


def find_many_numbers(table: Table, names: Sequence[str], missing: Sequence[str], many: int) -> dict[str, bool | None]:
    """For each of some columns of a block, whether it has many different numbers, some of them with fractions; None
    where it does not hold plain numbers. Whole numbers may be identifiers, which are told by their values.
    """
    found: dict[str, bool | None] = dict.fromkeys(names)
    plain = [name for name in names if _holds_plain_numbers(table.columns[name])]
    for name, numbers, _ in _each_numbers(table, plain, missing):
        # Some rows are sorted sooner than all.
        some = numbers[:: max(1, len(numbers) // (4 * many))]
        has_fractions = bool(np.any((numbers != np.rint(numbers)) & ~np.isnan(numbers)))
        found[name] = has_fractions and len(np.unique(some)) > many + 1
    return found


def _holds_plain_numbers(column: Column) -> bool:
    """Whether all cells of a column are missing, or numbers that doubles tell apart."""
    if column.cells.null_count == column.rows:
        return True
    if not column.is_numeric or column.kind is not Kind.NUMBER:
        return False
    dtype = column.cells.type
    is_exact = pa.types.is_integer(dtype) and np.nanmax(np.abs(column.by_row), initial=0.0) < EXACT
    return bool(is_exact or pa.types.is_floating(dtype))


def _each_numbers(
    table: Table, names: Iterable[str], missing: Sequence[str]
) -> Iterator[tuple[str, Floats, frozenset[str]]]:
    """Of each column the number in each row, NaN where a cell is missing, and the texts found that mean missing."""
    for name in names:
        found: set[str] = set()
        column = table.columns[name]
        if column.cells.null_count < column.rows:
            column = mark_missing(table.only([name]), missing, found).columns[name]
        is_empty = column.cells.null_count == column.rows
        yield name, np.full(table.rows, np.nan) if is_empty else column.by_row + 0.0, frozenset(found)


def sketch_block(table: Table, names: Sequence[str], missing: Sequence[str], blocks: int) -> dict[str, Sketch]:
    """Sketches of some columns of one of so many blocks."""
    most = max(2 * TESTED_BINS // blocks, _FEWEST_QUANTILES)
    return {name: Sketch.of(numbers, most, found) for name, numbers, found in _each_numbers(table, names, missing)}


def list_numbers(
    table: Table, missing: Sequence[str], wanted: Mapping[str, tuple[Floats, Integers]]
) -> dict[str, Floats]:
    """The different numbers of some columns in some bins, whose ends are given."""
    listed = {}
    for name, numbers, _ in _each_numbers(table, wanted, missing):
        ends, bins = wanted[name]
        listed[name] = np.unique(numbers[np.isin(bins_of(numbers, ends), bins) & ~np.isnan(numbers)])
    return listed


def count_in_bins(
    table: Table, naming: Sequence[str], missing: Sequence[str], ends: Mapping[str, Floats]
) -> CondensedTable:
    """Count the columns that have bins, each number rounded to these."""
    rounded = {
        name: number_column(name, round_to(ends[name], numbers))
        for name, numbers, _ in _each_numbers(table, ends, missing)
    }
    return condense(table.only(naming).with_columns(rounded), naming)
