"""The blocks of a table, and questions that all of them answer: what they say is added up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from typing import Any, Protocol, TypeVar

import numpy as np

from probfs.rows.block import Block, Part, class_rows, deal_block
from probfs.tables.arrays import Integers

Answer = TypeVar("Answer")


class Blocks(Protocol):
    """The rows of a table. Functions that are asked of blocks take the block first, and change nothing in it."""

    @property
    def here(self) -> Block | None:
        """All rows, where they are in this process."""

    def ask(self, function: Callable[..., Answer], *arguments: Any) -> Answer:
        """The sum of what a function says of each block."""

    def each(self, function: Callable[..., Answer], *arguments: Any) -> list[Answer]:
        """What a function says of each block, in their order."""

    def map(self, function: Callable[..., Block], *arguments: Any) -> Blocks:
        """The blocks that a function makes of these."""

    def share(self, value: Any) -> Any:
        """A value that many questions bring along, to be given to ``ask`` in its place."""


class LocalBlocks:
    """One block, in this process."""

    def __init__(self, block: Block) -> None:
        self.here = block

    def ask(self, function: Callable[..., Answer], *arguments: Any) -> Answer:
        return function(self.here, *arguments)

    def each(self, function: Callable[..., Answer], *arguments: Any) -> list[Answer]:
        return [function(self.here, *arguments)]

    def map(self, function: Callable[..., Block], *arguments: Any) -> LocalBlocks:
        return LocalBlocks(function(self.here, *arguments))

    def share(self, value: Any) -> Any:
        return value


def add_answers(answers: Sequence[Any]) -> Any:
    """The sum of some answers, or a tuple of sums where they are tuples or lists; None adds nothing."""
    telling = [answer for answer in answers if answer is not None]
    if not telling:
        return None
    if isinstance(telling[0], (tuple, list)):
        return tuple(add_answers(own) for own in zip(*telling, strict=True))
    return reduce(add, telling)


def deal_blocks(blocks: Blocks, part: Part, folds: int, seed: int, *, by_some: bool = False) -> Blocks:
    """A part of the blocks with its rows dealt out to folds, so that each fold has its share of every class.

    ``by_some`` columns rows are put in order, as many as it takes to tell them apart, or by all.
    """
    return blocks.map(deal_block, part, deal_starts(blocks, part), folds, seed, by_some)


def deal_starts(blocks: Blocks, part: Part) -> Integers:
    """Where the rows of each class begin in each block, if all rows are dealt out: classes one after the other, in each
    the blocks.
    """
    by_block: Integers = np.array(blocks.each(class_rows, part))
    by_class = by_block.sum(axis=0)
    starts: Integers = np.cumsum(by_class) - by_class + np.cumsum(by_block, axis=0) - by_block
    return starts
