"""Columns of numbers tested without each fold, where the rows are in blocks: the same as where they are together.

Numbers are parted into ranges, each of which one worker gets from all blocks, with the folds of their rows. It tells
how many rows are left in the range without each fold, and then, knowing how many lie below it, the range's part of
every sum. A column of few different numbers is listed instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from probfs.cluster.blocks import Blocks
from probfs.cluster.fold_cells import (
    FoldCells,
    RangeKey,
    RangeSizes,
    count_numbers,
    gather_cells,
    join_shard,
    measure_shard,
    part_numbers,
    sum_shard,
)
from probfs.cluster.number_ranges import Histogram, choose_ranges, finer_bins
from probfs.cluster.range_summary import NumberSummary, Repeats, ScoreSums
from probfs.screening.column_tests import ColumnTests
from probfs.screening.drawn_tables import enough_draws
from probfs.screening.number_test import FEW_NUMBERS, CodedNumbers, rank_test_of_codes, rank_test_of_sums
from probfs.tables.arrays import Integers

if TYPE_CHECKING:
    from distributed import Future

_CELLS_OF_A_RANGE = 1 << 20
_MOST_SHARDS = 64
"""Each block sends a piece to each."""


@dataclass(frozen=True, eq=False)
class FoldNumbers:
    """What tests without each fold need of the numbers of some features."""

    features: Sequence[int]
    """The position of each column's feature."""
    classes: int
    columns: Sequence[FoldCells | Sequence[NumberSummary]]
    """All numbers of a column, or a summary without each fold."""

    def test(self, fold: int, seed: int, features: int) -> ColumnTests:
        """H and p of so many features without a fold; of those that are not made of numbers, nothing."""
        tests = ColumnTests.of_nothing(features)
        for feature, column in zip(self.features, self.columns, strict=True):
            if isinstance(column, FoldCells):
                tested = self._test_listed(column, fold, seed, enough_draws(features))
            else:
                tested = rank_test_of_sums(column[fold])
            tests.put(np.array([feature]), tested)
        return tests

    def _test_listed(self, column: FoldCells, fold: int, seed: int, draws: int) -> ColumnTests:
        left = column.without(fold)
        assert left.weights is not None
        numbers, codes = np.unique(left.numbers, return_inverse=True)
        coded = CodedNumbers(0, codes.astype(np.uint32), numbers)
        labels, weights = left.groups.astype(np.int64), left.weights.astype(np.int64)
        return rank_test_of_codes(coded, labels, self.classes, weights, seed, draws)


def gather_fold_numbers(blocks: Blocks, features: Sequence[int], classes: int) -> FoldNumbers:
    """The numbers that dealt blocks keep; ``features`` are those made of them, in the order of the blocks."""
    if not features:
        return FoldNumbers((), classes, ())
    # Where rows repeat numbers, these cells are few; they are what is asked from here on.
    cells = Blocks(blocks.cluster, blocks.cluster.map("cells", gather_cells, blocks.futures, classes=classes))
    histograms = _count(cells, classes, dict.fromkeys(range(len(features))))
    # Where numbers are close together, their leading bits do not tell them apart.
    finer = {place: finer_bins(own, _CELLS_OF_A_RANGE) for place, own in histograms.items()}
    close = {place: bins for place, bins in finer.items() if bins is not None}
    if close:
        histograms |= _count(cells, classes, close)
    shards = _part(cells, histograms)
    blocks.cluster.release(cells.futures)
    cluster = blocks.cluster
    sizes: dict[RangeKey, RangeSizes] = _merged(cluster.gather(cluster.map("sizes", measure_shard, shards)))
    by_column = [[sizes[key] for key in sorted(sizes) if key[0] == place] for place in histograms]
    below = _rows_below(by_column)
    asked = cluster.map("numbers", sum_shard, shards, below=blocks.send("below", below), classes=classes)
    found: dict[RangeKey, FoldCells | list[ScoreSums]] = _merged(cluster.gather(asked))
    cluster.release([*shards, *asked])
    columns = [
        _join([found[key] for key in sorted(found) if key[0] == place], own, histograms[place])
        for place, own in enumerate(by_column)
    ]
    return FoldNumbers(features, classes, columns)


def _count(blocks: Blocks, classes: int, bins: Mapping[int, Any]) -> dict[int, Histogram]:
    parts = blocks.ask("numbers", count_numbers, classes=classes, bins=blocks.send("bins", bins))
    return {place: Histogram.joined([part[place] for part in parts]) for place in bins}


def _part(blocks: Blocks, histograms: Mapping[int, Histogram]) -> list[Future[Any]]:
    """The numbers of all blocks by ranges, some of which are together."""
    cluster = blocks.cluster
    # Of a column without a number, there is a range all the same.
    starts = {
        place: own if len(own) else np.zeros(1, dtype=np.uint64)
        for place, histogram in histograms.items()
        for own in (choose_ranges(histogram, _CELLS_OF_A_RANGE).starts,)
    }
    keys = [(place, number) for place, own in starts.items() for number in range(len(own))]
    wanted = min(_MOST_SHARDS, len(blocks), len(keys))
    shards = [keys[number::wanted] for number in range(wanted)]
    parted = cluster.map("part", part_numbers, blocks.futures, starts=starts, shards=shards)
    joined = []
    for number in range(wanted):
        own = [cluster.submit("piece", itemgetter(number), part) for part in parted]
        joined.append(cluster.submit("range", join_shard, own))
        cluster.release(own)
    cluster.release(parted)
    return joined


def _merged(answers: Sequence[Mapping[RangeKey, Any]]) -> dict[RangeKey, Any]:
    return {key: value for answer in answers for key, value in answer.items()}


def _rows_below(by_column: Sequence[Sequence[RangeSizes]]) -> dict[RangeKey, Sequence[tuple[int, int]] | None]:
    """For each range and fold, how many rows lie below and how many there are; None for ranges of few numbers."""
    below: dict[RangeKey, Sequence[tuple[int, int]] | None] = {}
    for place, sizes in enumerate(by_column):
        few = _distinct(sizes).min() <= FEW_NUMBERS
        ends = np.cumsum([own.rows for own in sizes], axis=0)
        for number, own in enumerate(sizes):
            pairs = zip((ends[number] - own.rows).tolist(), ends[-1].tolist(), strict=True)
            below[place, number] = None if few else list(pairs)
    return below


def _distinct(sizes: Sequence[RangeSizes]) -> Integers:
    """How many different numbers a column has without each fold, from those of its ranges."""
    distinct: Integers = np.sum([own.distinct for own in sizes], axis=0)
    return distinct


def _join(
    found: Sequence[FoldCells | list[ScoreSums]], sizes: Sequence[RangeSizes], histogram: Histogram
) -> FoldCells | list[NumberSummary]:
    """A column from what its ranges told."""
    listed = [own for own in found if isinstance(own, FoldCells)]
    if listed:
        return FoldCells.joined(listed)
    sums = [own for own in found if not isinstance(own, FoldCells)]
    classes = len(histogram.least) - 2
    none = Repeats()
    return [
        NumberSummary(histogram, none, none, Repeats(int(numbers)), ScoreSums.joined(parts, classes), {})
        for numbers, *parts in zip(_distinct(sizes), *sums, strict=True)
    ]
