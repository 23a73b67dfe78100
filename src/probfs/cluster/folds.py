"""Folds of rows that live in blocks: the same that ``columns.folds`` deals out where all rows are in one place.

There rows are sorted by class and by a hash of their content, and dealt out in turn. So a row's fold follows from its
place in that order, which is found by ranges of hashes: of each range one task gets the hashes of all blocks, and tells
each block at which places its rows begin, counted from the first of their class in the range.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from probfs.classifiers.naive_bayes.model import ClassCounts, SlotLayout
from probfs.cluster.block import Block
from probfs.cluster.blocks import Blocks
from probfs.columns.dataset import Dataset, Feature
from probfs.columns.folds import (
    Hashes,
    deal_from,
    distinct_hashes,
    features_telling_apart,
    refuse_many_folds,
    row_sums,
    value_hashes,
)
from probfs.tables.arrays import Floats, Integers

_MOST_RANGES = 16
"""Each block sends a piece to each range."""


@dataclass(frozen=True, eq=False)
class _Piece:
    """A block's rows with hashes of one range: their classes and hashes, in this order, and how many rows each is."""

    rows: Integers
    """Positions in the block."""
    labels: Integers
    hashes: Hashes
    counts: Integers


@dataclass(frozen=True, eq=False)
class _Placed:
    """Where the rows of each block's piece begin, counted from the first row of their class in the range."""

    starts: list[Integers]
    class_rows: Integers


def deal_blocks(blocks: Blocks, dataset: Dataset, telling: Mapping[int, Feature], folds: int, seed: int) -> Blocks:
    """The blocks with their rows dealt out to folds, by class and by a hash of the cells of telling features, which are
    given with their positions.
    """
    refuse_many_folds(dataset, folds)
    cluster = blocks.cluster
    hashes = blocks.send("hashes", {place: value_hashes(feature, seed) for place, feature in telling.items()})
    ranges, classes = min(_MOST_RANGES, len(blocks)), len(dataset.classes)
    pieces = cluster.map("hash", _split_by_hash, blocks.futures, hashes=hashes, ranges=ranges)
    placed = []
    for number in range(ranges):
        own = [cluster.submit("piece", itemgetter(number), piece) for piece in pieces]
        placed.append(cluster.submit("place", _place, classes, own))
        cluster.release(own)
    class_rows = np.array(cluster.gather([cluster.submit("count", _class_rows, one) for one in placed]))
    # The first place of each class in each range: classes one after the other, in each the ranges.
    ends = np.cumsum(class_rows.T).reshape(classes, ranges)
    first = (ends - class_rows.T).T
    dealt = []
    for number, (block, piece) in enumerate(zip(blocks.futures, pieces, strict=True)):
        starts = [cluster.submit("starts", _starts_of, one, number) for one in placed]
        dealt.append(cluster.submit("deal", _deal, block, piece, starts, first, folds))
        cluster.release(starts)
    cluster.release([*pieces, *placed])
    return Blocks(cluster, dealt)


def count_folds(blocks: Blocks, layout: SlotLayout, classes: int) -> tuple[ClassCounts, ...]:
    """The counts of each fold of blocks that were dealt out."""
    counts = blocks.ask("count", _count_folds, layout=layout, classes=classes)
    totals = np.sum([own for own, _ in counts], axis=0), np.sum([own for _, own in counts], axis=0)
    return tuple(ClassCounts(rows, by_slot) for rows, by_slot in zip(*totals, strict=True))


def find_telling_features(blocks: Blocks, features: Sequence[Feature], classes: int) -> dict[int, Feature]:
    """As many features as it takes to tell the blocks' rows apart, as ``columns.folds`` finds them, by position."""
    position = {feature.name: place for place, feature in enumerate(features)}

    def count_distinct(chosen: Sequence[Feature]) -> int:
        return _count_distinct(blocks, [(position[own.name], own.values) for own in chosen])

    return {position[own.name]: own for own in features_telling_apart(features, classes, count_distinct)}


def _count_distinct(blocks: Blocks, chosen: list[tuple[int, int]]) -> int:
    """How many distinct rows there are of class and some features, of each its position and its number of values."""
    cluster = blocks.cluster
    ranges = min(_MOST_RANGES, len(blocks))
    pieces = cluster.map("sums", _distinct_sums, blocks.futures, chosen=chosen, ranges=ranges)
    counted = []
    for number in range(ranges):
        own = [cluster.submit("piece", itemgetter(number), piece) for piece in pieces]
        counted.append(cluster.submit("distinct", _count_together, own))
        cluster.release(own)
    cluster.release(pieces)
    distinct: int = sum(cluster.gather(counted))
    cluster.release(counted)
    return distinct


def _distinct_sums(block: Block, chosen: Sequence[tuple[int, int]], ranges: int) -> list[Hashes]:
    """The different sums of a block's rows, by ranges."""
    rows = block.labelled
    sums = row_sums(rows.labels, (rows.codes[place] for place, _ in chosen), (values for _, values in chosen))
    sums = distinct_hashes(sums)
    return np.split(sums, np.searchsorted(_range_of(sums, ranges), np.arange(1, ranges)))


def _count_together(parts: Sequence[Hashes]) -> int:
    return len(distinct_hashes(np.concatenate(parts)))


def _range_of(hashes: Hashes, ranges: int) -> Integers:
    """Which range each hash is in: the larger the hash, the later the range."""
    number: Integers = (hashes >> np.uint64(48)).astype(np.int64) * ranges >> 16
    return number


def _split_by_hash(block: Block, hashes: Mapping[int, Hashes], ranges: int) -> list[_Piece]:
    """A block's rows by ranges of their hashes."""
    rows = block.labelled
    own = np.zeros(len(rows.labels), dtype=np.uint64)
    for place, by_value in hashes.items():
        own += by_value[rows.codes[place]]
    order = np.lexsort((own, rows.labels))
    number = _range_of(own, ranges)
    return [
        _Piece(places, rows.labels[places].astype(np.int64), own[places], rows.counts[places])
        for places in (order[number[order] == wanted] for wanted in range(ranges))
    ]


def _place(classes: int, pieces: Sequence[_Piece]) -> _Placed:
    """Where the rows of all blocks with hashes of one range begin."""
    labels, hashes, counts = (
        np.concatenate([getattr(piece, name) for piece in pieces]) for name in ("labels", "hashes", "counts")
    )
    # Stable: of equal rows, those of earlier blocks come first.
    order = np.lexsort((hashes, labels))
    class_rows = np.zeros(classes, dtype=np.int64)
    np.add.at(class_rows, labels, counts)
    before = np.cumsum(class_rows) - class_rows
    starts = np.empty(len(order), dtype=np.int64)
    starts[order] = np.cumsum(counts[order]) - counts[order]
    starts -= before[labels]
    ends = np.cumsum([len(piece.labels) for piece in pieces])
    return _Placed(np.split(starts, ends[:-1]), class_rows)


def _class_rows(placed: _Placed) -> Integers:
    return placed.class_rows


def _starts_of(placed: _Placed, number: int) -> Integers:
    return placed.starts[number]


def _deal(block: Block, pieces: Sequence[_Piece], starts: Sequence[Integers], first: Integers, folds: int) -> Block:
    """The block with its rows dealt out; ``first`` has the first place of each range and class."""
    begins = np.empty(len(block.labelled.labels), dtype=np.int64)
    for number, (piece, own) in enumerate(zip(pieces, starts, strict=True)):
        begins[piece.rows] = own + first[number, piece.labels]
    return block.with_folds(deal_from(begins, block.labelled.counts, folds))


def _count_folds(block: Block, layout: SlotLayout, classes: int) -> tuple[Floats, Floats]:
    """How many rows of each class each fold has in this block: in all, and at each slot."""
    rows, copies = block.labelled, block.copies
    assert copies is not None
    by_class = [slice(*np.searchsorted(rows.labels, [label, label + 1])) for label in range(classes)]
    totals = np.array([[own[members].sum() for members in by_class] for own in copies], dtype=np.float64)
    by_slot: Floats = np.array(
        [
            [layout.count(rows.codes[:, members], own[members].astype(np.float64)) for members in by_class]
            for own in copies
        ]
    )
    return totals, by_slot.transpose(0, 2, 1)
