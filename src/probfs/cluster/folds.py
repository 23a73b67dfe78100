"""Folds of rows that live in blocks: the same that ``columns.folds`` deals out where all rows are in one place.

There rows are sorted by class and by a hash of their content, and dealt out in turn. So a row's fold follows from its
place in that order, which is found by ranges of hashes: of each range one task gets the hashes of all blocks, and tells
each block at which places its rows begin, counted from the first of their class in the range.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from probfs.classifiers.naive_bayes.counts import ClassCounts
from probfs.classifiers.naive_bayes.row_groups import Grouping
from probfs.cluster.block import Block
from probfs.columns.dataset import Dataset
from probfs.columns.distinct_rows import Hashes, value_hashes
from probfs.columns.folds import deal_from, refuse_many_folds
from probfs.tables.table import Floats, Integers

if TYPE_CHECKING:
    from distributed import Future

    from probfs.cluster.connection import Cluster

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


def deal_blocks(
    cluster: Cluster, blocks: Sequence[Future[Any]], dataset: Dataset, grouping: Grouping
) -> tuple[list[Future[Any]], tuple[ClassCounts, ...]]:
    """The blocks with their rows dealt out to folds, and the counts of each fold."""
    refuse_many_folds(dataset, grouping.folds)
    hashes = [value_hashes(feature, grouping.seed) for feature in dataset.features]
    ranges, classes = min(_MOST_RANGES, len(blocks)), len(dataset.classes)
    pieces = cluster.map("hash", _split_by_hash, blocks, hashes=hashes, ranges=ranges)
    placed = []
    for number in range(ranges):
        own = [cluster.submit("piece", itemgetter(number), piece) for piece in pieces]
        placed.append(cluster.submit("place", _place, classes, own))
    class_rows = np.array(cluster.gather([cluster.submit("count", _class_rows, one) for one in placed]))
    # The first place of each class in each range: classes one after the other, in each the ranges.
    ends = np.cumsum(class_rows.T).reshape(classes, ranges)
    first = (ends - class_rows.T).T
    dealt = []
    for number, (block, piece) in enumerate(zip(blocks, pieces, strict=True)):
        starts = [cluster.submit("starts", _starts_of, one, number) for one in placed]
        dealt.append(cluster.submit("deal", _deal, block, piece, starts, first, grouping.folds))
    counts = cluster.gather(cluster.map("count", _count_folds, dealt, grouping=grouping, classes=classes))
    totals = np.sum([own for own, _ in counts], axis=0), np.sum([own for _, own in counts], axis=0)
    return dealt, tuple(ClassCounts(rows, by_slot) for rows, by_slot in zip(*totals, strict=True))


def _split_by_hash(block: Block, hashes: Sequence[Hashes], ranges: int) -> list[_Piece]:
    """A block's rows by ranges of their hashes."""
    rows = block.labelled
    own = np.zeros(len(rows.labels), dtype=np.uint64)
    for by_value, codes in zip(hashes, rows.codes, strict=True):
        own += by_value[codes]
    order = np.lexsort((own, rows.labels))
    number = (own >> np.uint64(48)).astype(np.int64) * ranges >> 16
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


def _count_folds(block: Block, grouping: Grouping, classes: int) -> tuple[Floats, Floats]:
    """How many rows of each class each fold has in this block: in all, and at each slot."""
    rows, copies = block.labelled, block.copies
    assert copies is not None
    by_class = [slice(*np.searchsorted(rows.labels, [label, label + 1])) for label in range(classes)]
    totals = np.array([[own[members].sum() for members in by_class] for own in copies], dtype=np.float64)
    by_slot: Floats = np.array(
        [
            [grouping.layout.count(rows.codes[:, members], own[members].astype(np.float64)) for members in by_class]
            for own in copies
        ]
    )
    return totals, by_slot.transpose(0, 2, 1)
