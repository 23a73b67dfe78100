"""What workers do to test numbers without each fold: part them into ranges, and sum those up for every fold.

See ``fold_numbers`` for the order of these steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from probfs.cluster.block import Block
from probfs.cluster.number_cells import NumberCells
from probfs.cluster.number_ranges import Histogram, Images, Piece, Ranges, RowGroups, histogram, ordered_images
from probfs.cluster.range_summary import ScoreSums, summarize
from probfs.tables.arrays import Codes, Floats, Integers, Labels

RangeKey = tuple[int, int]
"""A column's place among those that blocks keep numbers of, and the place of one of its ranges."""


@dataclass(frozen=True, eq=False)
class FoldCells:
    """Numbers in rising order with the class of some rows, how many rows hold both, and how many of each fold."""

    numbers: Floats
    labels: Codes
    counts: Integers
    copies: Integers
    """Folds × numbers."""

    @classmethod
    def of(cls, numbers: Floats, labels: Codes, counts: Integers, copies: Integers) -> FoldCells:
        """From numbers in any order, some of which may have the same class, too."""
        order = np.lexsort((labels, numbers))
        numbers, labels, counts, copies = numbers[order], labels[order], counts[order], copies[:, order]
        new = np.ones(len(order), dtype=np.bool_)
        new[1:] = (numbers[1:] != numbers[:-1]) | (labels[1:] != labels[:-1])
        if new.all():
            return cls(numbers, labels, counts, copies)
        starts = np.flatnonzero(new)
        added = np.add.reduceat(copies, starts, axis=1, dtype=np.int64)
        return cls(numbers[starts], labels[starts], np.add.reduceat(counts, starts), _narrow(added))

    @classmethod
    def of_rows(cls, cells: NumberCells, labels: Labels, counts: Integers, copies: Integers, classes: int) -> FoldCells:
        """From the rows of a block; those without a number are left out."""
        size = len(cells.numbers) * classes
        if size > len(labels):
            present = np.flatnonzero(cells.places < len(cells.numbers))
            numbers = cells.numbers[cells.places[present]]
            return cls.of(numbers, labels[present].astype(np.uint32), counts[present], copies[:, present])
        # Numbers repeat: each combination of number and class is counted, without sorting rows.
        keys = cells.places.astype(np.int64) * classes + labels
        by_key, *by_fold = (np.bincount(keys, own, minlength=size)[:size] for own in (counts, *copies))
        held = np.flatnonzero(by_key)
        own_copies = np.array([own[held] for own in by_fold], dtype=np.int64)
        labels_held = (held % classes).astype(np.uint32)
        return cls(cells.numbers[held // classes], labels_held, by_key[held].astype(np.int64), _narrow(own_copies))

    @classmethod
    def joined(cls, parts: Sequence[FoldCells]) -> FoldCells:
        return cls.of(
            np.concatenate([part.numbers for part in parts]),
            np.concatenate([part.labels for part in parts]),
            np.concatenate([part.counts for part in parts]),
            np.concatenate([part.copies for part in parts], axis=1),
        )

    def between(self, first: int, end: int) -> FoldCells:
        # Copies, since a slice would keep all numbers in memory.
        own = slice(first, end)
        return FoldCells(
            self.numbers[own].copy(), self.labels[own].copy(), self.counts[own].copy(), self.copies[:, own].copy()
        )

    def without(self, fold: int) -> Piece:
        """The numbers of all rows but those of a fold."""
        left: Integers = self.counts - self.copies[fold]
        held = left > 0
        return Piece(self.numbers[held], self.labels[held], left[held].astype(np.uint64))


def _narrow(copies: Integers) -> Integers:
    return copies.astype(np.min_scalar_type(-int(copies.max(initial=0)) - 1))


def gather_cells(block: Block, classes: int) -> list[FoldCells]:
    """The numbers of all columns of which the block keeps them."""
    rows, copies = block.labelled, block.copies
    assert copies is not None, "the rows were not dealt out"
    return [FoldCells.of_rows(own, rows.labels, rows.counts, copies, classes) for own in rows.numbers]


def count_numbers(
    columns: Sequence[FoldCells], classes: int, bins: Mapping[int, Images | None]
) -> dict[int, Histogram]:
    """Count the different numbers and classes of the columns that ``bins`` names."""
    return {
        place: histogram(columns[place].numbers, RowGroups(columns[place].labels, classes, None), own)
        for place, own in bins.items()
    }


def part_numbers(
    columns: Sequence[FoldCells], starts: Mapping[int, Images], shards: Sequence[Sequence[RangeKey]]
) -> list[dict[RangeKey, FoldCells]]:
    """A block's numbers range by range; ``starts`` says where ranges begin, and ``shards`` which go together."""
    found: dict[RangeKey, FoldCells] = {}
    for place, own_starts in starts.items():
        cells = columns[place]
        cuts = np.searchsorted(ordered_images(cells.numbers), own_starts[1:]).tolist()
        for number, (first, end) in enumerate(zip([0, *cuts], [*cuts, len(cells.numbers)], strict=True)):
            found[place, number] = cells.between(first, end)
    return [{key: found[key] for key in shard} for shard in shards]


def join_shard(parts: Sequence[Mapping[RangeKey, FoldCells]]) -> dict[RangeKey, FoldCells]:
    """The numbers of some ranges, from those of all blocks."""
    return {key: FoldCells.joined([part[key] for part in parts]) for key in parts[0]}


@dataclass(frozen=True, eq=False)
class RangeSizes:
    """How many rows are left in a range without each fold, and how many different numbers they hold."""

    rows: Integers
    distinct: Integers


def measure_shard(shard: Mapping[RangeKey, FoldCells]) -> dict[RangeKey, RangeSizes]:
    return {key: _measure(cells) for key, cells in shard.items()}


def _measure(cells: FoldCells) -> RangeSizes:
    left = [cells.without(fold) for fold in range(len(cells.copies))]
    weights = [0 if own.weights is None else int(own.weights.sum()) for own in left]
    distinct = [np.count_nonzero(own.numbers[1:] != own.numbers[:-1]) + bool(len(own.numbers)) for own in left]
    return RangeSizes(np.array(weights, dtype=np.int64), np.array(distinct, dtype=np.int64))


def sum_shard(
    shard: Mapping[RangeKey, FoldCells], below: Mapping[RangeKey, Sequence[tuple[int, int]] | None], classes: int
) -> dict[RangeKey, FoldCells | list[ScoreSums]]:
    """The sums of each range without each fold, given for every fold how many rows lie below the range, and how many
    there are in all; or the numbers themselves, where nothing is given.
    """
    found: dict[RangeKey, FoldCells | list[ScoreSums]] = {}
    for key, cells in shard.items():
        own = below[key]
        if own is None:
            found[key] = cells
            continue
        found[key] = [_sums(cells.without(fold), *rows, classes) for fold, rows in enumerate(own)]
    return found


def _sums(piece: Piece, below: int, rows: int, classes: int) -> ScoreSums:
    ranges = Ranges(np.zeros(1, dtype=np.uint64), np.array([below]), rows, classes, whole=False)
    return summarize(0, [piece], ranges).scores
