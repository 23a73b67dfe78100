"""How many rows hold each two values of two features, where the rows are in blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

from probfs.cluster.block import Block
from probfs.cluster.blocks import Blocks
from probfs.screening.joint_counts import CELLS_AT_A_TIME, CodedTable, PairCounts, Pairs, cells_of
from probfs.tables.arrays import Integers


@dataclass(frozen=True, eq=False)
class JointCountsInBlocks:
    """Rows that can be counted, block by block."""

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


def _batches(plan: Sequence[Pairs], cells: Sequence[int]) -> Iterator[list[Pairs]]:
    """Pairs whose counts are sent together: each batch has one, or several with not too many cells."""
    batch: list[Pairs] = []
    total = 0
    for pairs, own in zip(plan, cells, strict=True):
        if batch and total + own > CELLS_AT_A_TIME:
            yield batch
            batch, total = [], 0
        batch.append(pairs)
        total += own
    if batch:
        yield batch
