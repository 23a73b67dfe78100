"""Counts of rows that are in blocks, for questions that one count of each column does not answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TypeVar

import numpy as np

from probfs.cluster.block import Block
from probfs.cluster.blocks import Blocks
from probfs.columns.number_coding import NumberCoding
from probfs.screening.joint_counts import CELLS_AT_A_TIME, CodedTable, PairCounts, Pairs, cells_of
from probfs.screening.number_test import CodedNumbers
from probfs.tables.table import Integers

Item = TypeVar("Item")


@dataclass(frozen=True, eq=False)
class JointCountsInBlocks:
    """How many rows hold each two values of two features."""

    blocks: Blocks
    values: Integers
    classes: int
    rows: int
    """Of all blocks."""

    @property
    def rows_at_a_time(self) -> int:
        return self.rows // max(1, len(self.blocks))

    def count(self, plan: Sequence[Pairs]) -> Iterator[PairCounts]:
        for together in _batches(plan, [cells_of(self, pairs) for pairs in plan]):
            answers: list[list[PairCounts]] = self.blocks.ask(
                "pairs", _count_pairs, plan=together, values=self.values, classes=self.classes
            )
            for own in zip(*answers, strict=True):
                yield reduce(add, own)


def _count_pairs(block: Block, plan: Sequence[Pairs], values: Integers, classes: int) -> list[PairCounts]:
    rows = block.labelled
    return list(CodedTable(list(rows.codes), values, rows.labels, rows.counts, classes).count(plan))


@dataclass(frozen=True, eq=False)
class CountedNumbers:
    """A column's numbers, and how many rows of which class hold them."""

    coded: CodedNumbers
    labels: Integers
    counts: Integers


def count_numbers(
    blocks: Blocks, columns: Sequence[tuple[int, NumberCoding]], classes: int, held_out: int
) -> Iterator[CountedNumbers]:
    """The numbers of some features, by position, without the rows of a fold. Blocks keep the columns in this order."""
    sizes = [len(coding.numbers) for _, coding in columns]
    places = range(len(columns))
    for together in _batches(places, [size * classes for size in sizes]):
        asked = [(place, sizes[place]) for place in together]
        answers = blocks.ask("numbers", _count_numbers, columns=asked, classes=classes, held_out=held_out)
        for place, own in zip(together, zip(*answers, strict=True), strict=True):
            feature, coding = columns[place]
            cells = np.sum(own, axis=0)
            held = np.flatnonzero(cells)
            coded = CodedNumbers(feature, (held // classes).astype(np.uint32), coding.numbers)
            yield CountedNumbers(coded, held % classes, cells[held].astype(np.int64))


def _count_numbers(block: Block, columns: Sequence[tuple[int, int]], classes: int, held_out: int) -> list[Integers]:
    """How many rows hold each number, by class; missing cells are not counted."""
    counts, labels = block.counts_without(held_out), block.labelled.labels.astype(np.int64)
    counted = []
    for place, size in columns:
        cells = block.labelled.numbers[place].astype(np.int64) * classes + labels
        counted.append(np.bincount(cells, counts, minlength=(size + 1) * classes)[: size * classes])
    return counted


def _batches(items: Sequence[Item], cells: Sequence[int]) -> Iterator[list[Item]]:
    """Items whose answers are sent together: each batch has one, or several with not too many cells."""
    batch: list[Item] = []
    total = 0
    for item, own in zip(items, cells, strict=True):
        if batch and total + own > CELLS_AT_A_TIME:
            yield batch
            batch, total = [], 0
        batch.append(item)
        total += own
    if batch:
        yield batch
