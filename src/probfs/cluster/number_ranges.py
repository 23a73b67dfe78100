"""The numbers of a column whose rows are spread over many blocks, parted into ranges that are sorted one by one.

A block counts its numbers by the leading bits of doubles (``histogram``). The histograms of all blocks, added up, tell
where to part the numbers so that each range is small enough to sort, and how many rows lie below it
(``choose_ranges``). Then a block hands out its numbers range by range (``pieces``), and ``range_summary`` joins the
pieces of one range from all blocks. Everything is exact, and the same however rows are split into blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from probfs.columns.rules import rows_up_to_each_share
from probfs.tables.arrays import Codes, Flags, Floats, Integers, Labels, code_type

EVERY = slice(None)
"""The groups of all rows."""
COUNTED = slice(-1)
"""The groups of rows that count for some row."""
LABELLED = slice(-2)
"""The groups of counted rows that have a class."""
_LEADING_BITS = 16
_PARTS = 256
"""A bin of too many rows is split into so many."""
_SIGN = np.uint64(1 << 63)
_LAST = np.uint64(2**64 - 1)

Images = npt.NDArray[np.uint64]
"""Doubles as whole numbers of the same order."""


@dataclass(frozen=True, eq=False)
class RowGroups:
    """What the rows of a block are: one of ``classes + 2`` groups for each row, and how many rows it stands for.

    The classes come first, then counted rows without a class, then rows that count for none.
    """

    groups: Codes
    classes: int
    weights: Integers | None
    """None where every row stands for one."""

    @classmethod
    def of(cls, labels: Labels, classes: int, weights: Integers | None) -> RowGroups:
        """From the class of each row, negative where it has none or its class was dropped, and the row counts.

        Rows of a dropped class keep their counts: they are among the rows that may be identified by a column.
        """
        groups = labels.astype(code_type(classes + 1))
        groups[labels < 0] = classes
        if weights is not None:
            groups[weights == 0] = classes + 1
        return cls(groups, classes, weights)

    def sums(self, rows: Integers, bins: Integers, size: int) -> tuple[Integers, Integers]:
        """Groups × bins: how many of some rows are in each, and their weight; ``bins`` has the bin of each row."""
        count = self.classes + 2
        places = self.groups[rows] + bins * count
        held = np.bincount(places, minlength=size * count).reshape(size, count).T
        if self.weights is None:
            return held, held
        # Row counts add up to 2^53 at most, so doubles are exact.
        weight = np.bincount(places, self.weights[rows], minlength=size * count).reshape(size, count).T
        return held, weight.astype(np.int64)


@dataclass(frozen=True, eq=False)
class Histogram:
    """The numbers of some blocks, counted by group of rows and bin; bins without a number are left out."""

    starts: Images
    """Where bins begin, in rising order."""
    ends: Images
    rows: Integers
    """Groups × bins."""
    weights: Integers
    missing_rows: Integers
    """How many rows of each group have no number."""
    missing_weights: Integers
    least: Floats
    """The least number of each group; infinity where it has none."""
    greatest: Floats
    fractional: Flags
    """Whether a group has a number that is not whole."""

    @classmethod
    def joined(cls, parts: Sequence[Histogram]) -> Histogram:
        """The histogram of all rows, from those of some blocks, which have the same bins."""
        starts, first = np.unique(np.concatenate([part.starts for part in parts]), return_index=True)
        rows, weights = np.zeros((2, len(parts[0].least), len(starts)), dtype=np.int64)
        for part in parts:
            places = np.searchsorted(starts, part.starts)
            rows[:, places] += part.rows
            weights[:, places] += part.weights
        return cls(
            starts,
            np.concatenate([part.ends for part in parts])[first],
            rows,
            weights,
            np.sum([part.missing_rows for part in parts], axis=0),
            np.sum([part.missing_weights for part in parts], axis=0),
            np.min([part.least for part in parts], axis=0),
            np.max([part.greatest for part in parts], axis=0),
            np.any([part.fractional for part in parts], axis=0),
        )


@dataclass(frozen=True, eq=False)
class Ranges:
    """Ranges of numbers that follow each other."""

    starts: Images
    """Where each range begins: the first one below all numbers."""
    below: Integers
    """The weight of the labelled rows whose numbers lie below each range."""
    labelled_weight: int
    """The weight of all labelled rows that have a number."""
    classes: int
    whole: bool
    """Whether no counted row has a number with a fraction."""


@dataclass(frozen=True, eq=False)
class Piece:
    """The numbers of one block in one range, in rising order, with the group and the weight of each number's row."""

    numbers: Floats
    groups: Codes
    weights: Codes | None
    """In a narrow dtype; None where every row stands for one."""


def histogram(numbers: Floats, rows: RowGroups, bins: Images | None = None) -> Histogram:
    """Count the numbers of a block, NaN where one is missing; ``bins`` says where bins begin, the first one at 0.

    Without bins, there is one for each combination of the leading 16 bits: a sign, an exponent, and four binary digits.
    """
    size = rows.classes + 2
    missing = np.isnan(numbers)
    present, absent = np.flatnonzero(~missing), np.flatnonzero(missing)
    # Adding zero turns -0 into 0.
    own = numbers[present] + 0.0
    images = ordered_images(own)
    if bins is None:
        bins = np.arange(1 << _LEADING_BITS, dtype=np.uint64) << np.uint64(64 - _LEADING_BITS)
        places = (images >> np.uint64(64 - _LEADING_BITS)).astype(np.int64)
    else:
        places = np.searchsorted(bins, images, side="right") - 1
    occupied = np.flatnonzero(np.bincount(places, minlength=len(bins)))
    place_among_occupied = np.zeros(len(bins), dtype=np.int64)
    place_among_occupied[occupied] = np.arange(len(occupied))
    held, weights = rows.sums(present, place_among_occupied[places], len(occupied))
    missing_rows, missing_weights = rows.sums(absent, np.zeros(len(absent), dtype=np.int64), 1)
    groups = rows.groups[present]
    least, greatest = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(least, groups, own)
    np.maximum.at(greatest, groups, own)
    fractional = np.bincount(groups[own != np.rint(own)], minlength=size) > 0
    ends = np.append(bins[1:], _LAST)
    return Histogram(
        bins[occupied],
        ends[occupied],
        held,
        weights,
        missing_rows[:, 0],
        missing_weights[:, 0],
        least,
        greatest,
        fractional,
    )


def finer_bins(counted: Histogram, most_rows: int) -> Images | None:
    """Bins for a second histogram, in which those with more than ``most_rows`` rows are split; None if none is.

    Where numbers are close together, as times of one year are, the leading bits of most are the same.
    """
    widths = counted.ends - counted.starts
    heavy = np.flatnonzero((counted.rows.sum(axis=0) > most_rows) & (widths > 1))
    if not len(heavy):
        return None
    steps = np.maximum(widths[heavy] // np.uint64(_PARTS), np.uint64(1))
    splits = counted.starts[heavy, None] + steps[:, None] * np.arange(_PARTS, dtype=np.uint64)
    inside = splits < counted.ends[heavy, None]
    bins: Images = np.unique(
        np.concatenate([np.zeros(1, dtype=np.uint64), counted.starts, counted.ends, splits[inside]])
    )
    return bins


def choose_ranges(counted: Histogram, most_rows: int) -> Ranges:
    """Ranges of at most ``most_rows`` rows, unless a single bin has more; none where there is no number."""
    ends = np.cumsum(counted.rows.sum(axis=0))
    firsts: list[int] = []
    first, before = 0, 0
    while first < len(ends):
        firsts.append(first)
        first = max(first + 1, int(np.searchsorted(ends, before + most_rows, side="right")))
        before = int(ends[first - 1])
    labelled = counted.weights[LABELLED].sum(axis=0)
    starts = counted.starts[firsts]
    starts[:1] = 0
    return Ranges(
        starts,
        (np.cumsum(labelled) - labelled)[firsts],
        int(labelled.sum()),
        len(counted.least) - 2,
        not counted.fractional[COUNTED].any(),
    )


def quantile_ranks(counted: Histogram, intervals: int) -> list[int]:
    """The ranks among the labelled rows at which a column must be asked for its numbers to be cut at quantiles."""
    rows = counted.weights[LABELLED].sum()
    ranks: list[int] = rows_up_to_each_share(np.array([rows]), intervals)[0].tolist()
    return ranks


def pieces(numbers: Floats, rows: RowGroups, ranges: Ranges) -> list[Piece]:
    """The numbers of a block, a piece for each range."""
    present = np.flatnonzero(~np.isnan(numbers))
    # Adding zero turns -0 into 0.
    own = numbers[present] + 0.0
    order = np.argsort(own)
    ordered, places = own[order], present[order]
    groups = rows.groups[places]
    weights: Codes | None = None
    if rows.weights is not None:
        own_weights = rows.weights[places]
        weights = own_weights.astype(np.min_scalar_type(int(own_weights.max(initial=1))))
    cuts = np.searchsorted(ordered_images(ordered), ranges.starts[1:]).tolist()
    parts = [slice(low, high) for low, high in zip([0, *cuts], [*cuts, len(ordered)], strict=True)]
    # Copies, since a slice would keep the whole block in memory.
    return [
        Piece(ordered[part].copy(), groups[part].copy(), None if weights is None else weights[part].copy())
        for part in parts[: len(ranges.starts)]
    ]


def ordered_images(numbers: Floats) -> Images:
    """Doubles as whole numbers that have the same order; -0 and 0 are the same."""
    bits = (numbers + 0.0).view(np.uint64)
    # All bits of negative numbers are flipped, and only the sign of others: without a branch, which would be slower.
    negative = (bits.view(np.int64) >> 63).view(np.uint64)
    images: Images = bits ^ (negative | _SIGN)
    return images
