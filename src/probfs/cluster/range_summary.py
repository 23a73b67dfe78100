"""What a column is asked for, from ranges of its numbers: how many are different, the sums of a test, some quantiles.

A range tells these of its own numbers, knowing only the weight of the rows below it (``summarize``); added up over all
ranges (``combine``) they are those of the column.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from probfs.cluster.number_ranges import Histogram, Piece, Ranges
from probfs.tables.arrays import Codes, Flags, Floats, Integers

_EXACT_BITS = 53
"""Sums of whole numbers below 2^53 are exact in doubles."""


@dataclass(frozen=True)
class Repeats:
    """How the numbers of some rows repeat."""

    distinct: int = 0
    most_repeated: int = 0
    """The largest number of rows that hold the same number; weights do not matter."""
    tens: int = 0
    """How many different numbers are multiples of ten; 0 where some number has a fraction."""

    @classmethod
    def joined(cls, parts: Sequence[Repeats]) -> Repeats:
        """Of all ranges."""
        return cls(
            sum(part.distinct for part in parts),
            max((part.most_repeated for part in parts), default=0),
            sum(part.tens for part in parts),
        )


@dataclass(frozen=True)
class ScoreSums:
    """The numbers of labelled rows as scores 2·midrank - (N+1), which are whole numbers, added up.

    N is the weight of all labelled rows with a number, and a row of weight m is ranked as m rows would be.
    """

    class_rows: tuple[int, ...]
    """The weight of the rows of each class."""
    class_sums: tuple[int, ...]
    """The sum of scores of each class."""
    squares: float
    fourth_powers: float
    most_rows: int
    """The largest weight of the rows that hold the same number."""

    @classmethod
    def joined(cls, parts: Sequence[ScoreSums], classes: int) -> ScoreSums:
        """Of all ranges."""
        return cls(
            tuple(sum(part.class_rows[label] for part in parts) for label in range(classes)),
            tuple(sum(part.class_sums[label] for part in parts) for label in range(classes)),
            math.fsum(part.squares for part in parts),
            math.fsum(part.fourth_powers for part in parts),
            max((part.most_rows for part in parts), default=0),
        )


@dataclass(frozen=True, eq=False)
class ListedNumbers:
    """Numbers of labelled rows, and the weight of each class's rows that hold them: numbers × classes."""

    numbers: Floats
    by_class: Integers

    def only(self, which: Flags) -> ListedNumbers:
        return ListedNumbers(self.numbers[which], self.by_class[which])


@dataclass(frozen=True)
class RangeSummary:
    """One range of a column's numbers."""

    every: Repeats
    counted: Repeats
    labelled: Repeats
    scores: ScoreSums
    found: tuple[tuple[int, float], ...]
    """The wanted ranks that lie in this range, and the number at each."""
    heaviest: tuple[int, float] | None
    """The largest weight of the counted rows that hold the same number, and the least such number."""
    listed: ListedNumbers


@dataclass(frozen=True, eq=False)
class NumberSummary:
    """All numbers of a column."""

    counted_numbers: Histogram
    every: Repeats
    """Of all rows."""
    counted: Repeats
    """Of the rows that count for some row."""
    labelled: Repeats
    """Of the counted rows that have a class."""
    scores: ScoreSums
    at_rank: dict[int, float]
    """The number at each wanted rank."""


def summarize(
    place: int,
    parts: Sequence[Piece],
    ranges: Ranges,
    wanted: Sequence[int] = (),
    *,
    few: int = 0,
    least_weight: int | None = None,
) -> RangeSummary:
    """Summarize the range at a place, from its pieces in all blocks.

    ``wanted`` are ranks among the labelled rows, from 1 on, at which the number is asked for: a row of weight m has m
    ranks. Those that lie in other ranges are passed over. Numbers of at least some weight are listed, or all of them
    if there are but few.
    """
    numbers, groups, weights = _merged(parts)
    every = _repeats(numbers, ranges.whole)
    counted = labelled = every
    if len(groups) and groups.max() > ranges.classes:
        counted = _repeats(numbers[groups <= ranges.classes], ranges.whole)
    heaviest = _heaviest(numbers, groups, weights, ranges.classes)
    if len(groups) and groups.max() >= ranges.classes:
        has_class = groups < ranges.classes
        numbers, groups = numbers[has_class], groups[has_class]
        weights = None if weights is None else weights[has_class]
        labelled = _repeats(numbers, ranges.whole)
    rows = _LabelledRows(numbers, groups, weights)
    below = int(ranges.below[place])
    least = 1 if labelled.distinct <= few else least_weight
    return RangeSummary(
        every,
        counted,
        labelled,
        rows.score_sums(below, ranges),
        rows.numbers_at(wanted, below),
        heaviest,
        rows.listed(least, ranges.classes),
    )


def combine(counted: Histogram, summaries: Sequence[RangeSummary]) -> NumberSummary:
    """All ranges of a column as one summary, with the histogram that the ranges were chosen by."""
    return NumberSummary(
        counted,
        Repeats.joined([one.every for one in summaries]),
        Repeats.joined([one.counted for one in summaries]),
        Repeats.joined([one.labelled for one in summaries]),
        ScoreSums.joined([one.scores for one in summaries], len(counted.least) - 2),
        {rank: number for one in summaries for rank, number in one.found},
    )


def _merged(parts: Sequence[Piece]) -> tuple[Floats, Codes, Integers | None]:
    """The numbers of some pieces in rising order, with their groups and weights."""
    numbers = np.concatenate([part.numbers for part in parts])
    # A stable sort merges what is sorted in pieces.
    order = np.argsort(numbers, kind="stable")
    groups = np.concatenate([part.groups for part in parts])[order]
    if all(part.weights is None for part in parts):
        return numbers[order], groups, None
    weights = [
        np.ones(len(part.numbers), dtype=np.int64) if part.weights is None else part.weights.astype(np.int64)
        for part in parts
    ]
    return numbers[order], groups, np.concatenate(weights)[order]


def _starts_of_distinct(ordered: Floats) -> Integers:
    """Where each distinct number begins, among numbers in rising order."""
    new: Flags = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return np.flatnonzero(new)


def _repeats(ordered: Floats, whole: bool) -> Repeats:
    starts = _starts_of_distinct(ordered)
    rows = np.diff(starts, append=len(ordered))
    tens = int(np.count_nonzero(np.fmod(ordered[starts], 10) == 0)) if whole else 0
    return Repeats(len(starts), int(rows.max(initial=0)), tens)


def _heaviest(ordered: Floats, groups: Codes, weights: Integers | None, classes: int) -> tuple[int, float] | None:
    counted = groups <= classes
    if not counted.all():
        ordered, weights = ordered[counted], None if weights is None else weights[counted]
    if not len(ordered):
        return None
    starts = _starts_of_distinct(ordered)
    held = np.diff(starts, append=len(ordered)) if weights is None else np.add.reduceat(weights, starts)
    place = int(held.argmax())
    return int(held[place]), float(ordered[starts[place]])


class _LabelledRows:
    """The labelled rows of a range, by their numbers in rising order; the class of each row, and its weight."""

    def __init__(self, numbers: Floats, labels: Codes, weights: Integers | None) -> None:
        self.labels, self.weights = labels, weights
        starts = _starts_of_distinct(numbers)
        self.numbers = numbers[starts]
        """The distinct ones."""
        self.repeated = np.diff(starts, append=len(numbers))
        """How many rows hold each distinct number."""
        before = np.append(0, np.cumsum(self.repeated if weights is None else weights))
        self.ends = before[1:] if weights is None else before[starts + self.repeated]
        """The weight of the rows up to each distinct number."""
        self.held = np.diff(self.ends, prepend=0)
        """The weight of the rows that hold each distinct number."""

    def numbers_at(self, ranks: Sequence[int], below: int) -> tuple[tuple[int, float], ...]:
        """Those of some ranks that are in this range, and the number at each."""
        last = below + int(self.held.sum())
        inside = [rank for rank in ranks if below < rank <= last]
        places = np.searchsorted(self.ends, [rank - below for rank in inside])
        return tuple(zip(inside, self.numbers[places].tolist(), strict=True))

    def listed(self, least_weight: int | None, classes: int) -> ListedNumbers:
        """The distinct numbers of at least this weight; without one, none."""
        heavy = np.zeros(len(self.held), dtype=np.bool_) if least_weight is None else self.held >= least_weight
        chosen = np.repeat(heavy, self.repeated)
        place = np.cumsum(heavy)[np.repeat(np.arange(len(heavy)), self.repeated)[chosen]] - 1
        slots = place * classes + self.labels[chosen]
        weights = None if self.weights is None else self.weights[chosen]
        shape = int(np.count_nonzero(heavy)), classes
        by_class = np.bincount(slots, weights, minlength=math.prod(shape)).astype(np.int64).reshape(shape)
        return ListedNumbers(self.numbers[heavy], by_class)

    def score_sums(self, below: int, ranges: Ranges) -> ScoreSums:
        # A score is what it would be below all numbers of the range, and more by twice the weight in between.
        lowest = 2 * below - ranges.labelled_weight
        above_lowest = 2 * self.ends - self.held
        scores = (above_lowest + lowest).astype(np.float64)
        squared = scores**2
        class_rows = _sums_by_class(self.labels, self.weights, None, ranges.classes)
        more = _sums_by_class(self.labels, self.weights, np.repeat(above_lowest, self.repeated), ranges.classes)
        return ScoreSums(
            tuple(class_rows),
            tuple(lowest * rows + further for rows, further in zip(class_rows, more, strict=True)),
            float((self.held * squared).sum()),
            float((self.held * squared**2).sum()),
            int(self.held.max(initial=0)),
        )


def _sums_by_class(labels: Codes, weights: Integers | None, terms: Integers | None, classes: int) -> list[int]:
    """For each class, the sum of weight times term (1 without terms), none of which is negative: exact at any size."""
    if terms is None:
        return [int(total) for total in np.bincount(labels, weights, minlength=classes).tolist()]
    heaviest = len(labels) if weights is None else int(weights.sum())
    # So few bits of the terms at a time that no sum reaches 2^53.
    bits = max(1, _EXACT_BITS - heaviest.bit_length())
    totals = [0] * classes
    for shift in range(0, int(terms.max(initial=0)).bit_length(), bits):
        digits = (terms >> shift) & ((1 << bits) - 1)
        sums = np.bincount(labels, digits if weights is None else digits * weights, minlength=classes)
        totals = [total + (int(part) << shift) for total, part in zip(totals, sums.tolist(), strict=True)]
    return totals
