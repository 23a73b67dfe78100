"""The rows of an encoded table in blocks, and questions that all of them answer: what they say is added up.

What a block works out is remembered in it until something else of the same kind is asked for, and made again where it
is lost: a block that travels, or is put on disk, takes its rows along and nothing else.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from probfs.columns.dataset import Dataset
from probfs.columns.folds import deal, deal_subjects, fold_of_each_row, row_hashes
from probfs.tables.arrays import Integers, Labels

if TYPE_CHECKING:
    from probfs.screening.counting import RankedNumbers

Value = TypeVar("Value")
Answer = TypeVar("Answer")

BYTES_OF_A_ROW = 56
"""What a model keeps of a row beside its codes: its class, its count, its log-odds, and what a round needs."""


class Sample(Protocol):
    """Some of the rows of all blocks, some of them several times."""

    def counts(self, block: Block) -> tuple[Integers, Integers]:
        """How many copies of each labelled and of each unlabelled row of a block belong to it."""


@dataclass(frozen=True, eq=False)
class Part:
    """Which features and rows of a table a model is made of: all of them, unless some are named."""

    features: Integers | None = None
    """By position."""
    sample: Sample | None = None


EVERYTHING = Part()


class Block:
    """Rows with classes and rows without, as codes."""

    def __init__(
        self,
        dataset: Dataset,
        numbers: Iterable[RankedNumbers] = (),
        number: int = 0,
        places: Integers | None = None,
        folds: int = 0,
    ) -> None:
        """``numbers`` are those that features were cut from, for tests; ``number`` tells this block from others.

        Once rows are dealt out to folds, ``places`` has the place of each labelled row in the deal.
        """
        self.dataset = dataset
        self.numbers = numbers
        self.number = number
        self.places = places
        self.folds = folds
        self.lock = threading.Lock()
        self._remembered: dict[str, tuple[Any, Any]] = {}

    def rows_of(self, part: Part) -> Dataset:
        """The features and rows of a part; rows that do not belong to it count for nothing."""
        dataset = self.dataset
        if part.features is not None:
            dataset = replace(dataset, features=tuple(dataset.features[place] for place in part.features.tolist()))
        if part.sample is not None:
            counts, unlabelled = part.sample.counts(self)
            dataset = replace(dataset, counts=counts, unlabelled_counts=unlabelled)
        return dataset

    def copies(self, fold: int) -> Integers:
        """How many copies of each labelled row a fold has."""
        assert self.places is not None, "the rows were not dealt out"
        counts = self.dataset.counts
        if self.dataset.keeps_copies_together or counts.max(initial=1) <= 1:
            # Most tables have single rows, and then no array but the answer is made.
            return np.where(self.places == fold, counts, 0)
        return deal(counts, self.folds, self.places.astype(np.int64), fold)

    def recall(self, what: str, key: Any, make: Callable[[], Value]) -> Value:
        """What was made for this key, if nothing else of its kind was made since; else it is made now."""
        known = self._remembered.get(what)
        if known is None or known[0] != key:
            # What is forgotten should not take memory while the new is made.
            self._remembered.pop(what, None)
            known = self._remembered[what] = (key, make())
        made: Value = known[1]
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Block, (self.dataset, tuple(self.numbers), self.number, self.places, self.folds)

    def __sizeof__(self) -> int:
        """With what a model will keep of the rows: Dask asks before the first question."""
        codes = sum(one.labelled.nbytes + one.unlabelled.nbytes for one in self.dataset.features)
        numbers = sum(one.ranks.nbytes for one in self.numbers)
        return codes + numbers + BYTES_OF_A_ROW * (len(self.dataset.counts) + len(self.dataset.unlabelled_counts))


# Folds


@dataclass(frozen=True)
class WithoutFold:
    """The labelled rows of all folds but one, or only of those before it, and no others."""

    fold: int
    by_time: bool = False

    def counts(self, block: Block) -> tuple[Integers, Integers]:
        assert block.places is not None, "the rows were not dealt out"
        counts = block.dataset.counts
        left = np.where(block.places < self.fold, counts, 0) if self.by_time else counts - block.copies(self.fold)
        return left, np.zeros_like(block.dataset.unlabelled_counts)


def class_rows(block: Block, part: Part) -> Integers:
    """How many labelled rows of each class of a part a block has."""
    rows = block.rows_of(part)
    return np.bincount(rows.labels, rows.counts, minlength=len(rows.classes)).astype(np.int64)


def deal_block(block: Block, part: Part, starts: Integers, folds: int, seed: int, by_some: bool) -> Block:
    """A part of a block with its rows dealt out to folds: class by class, in an order that their content decides, the
    first row of each class at the place of ``starts`` that is this block's. Rows of subjects, which are all in one
    block, are dealt out by subject, and rows that are ordered in time one after the other.
    """
    rows = block.rows_of(part)
    hashes = row_hashes(rows, seed, by_some)
    if rows.keeps_copies_together:
        places = fold_of_each_row(rows, hashes, folds)
    else:
        order = np.lexsort((hashes, rows.labels))
        by_class = class_rows(block, part)
        places = np.empty(len(order), dtype=np.int64)
        places[order] = np.cumsum(rows.counts[order]) - rows.counts[order]
        places += (starts[block.number] - (np.cumsum(by_class) - by_class))[rows.labels]
    # Only the remainder counts, and it is small.
    narrow = (places % folds).astype(np.min_scalar_type(folds))
    return Block(rows, block.numbers if part.features is None else (), block.number, narrow, folds)


# Random samples, for which blocks should have their rows in an order that only content decides


@dataclass(frozen=True)
class RandomSample:
    """The sample of this number of a series: half of the rows of each class, or all but one of several groups."""

    series: SampleSeries
    number: int

    def counts(self, block: Block) -> tuple[Integers, Integers]:
        drawn: _Replay = block.recall("samples", self.series, lambda: _Replay(lambda: self.series.draw(block)))
        return drawn[self.number]


@dataclass(frozen=True)
class SampleSeries:
    """Pairs of halves, and then what is left without each of some groups; rows are dealt out class by class."""

    pairs: int
    groups: int
    seed: int
    with_unlabelled: bool
    starts: tuple[tuple[int, ...], ...]
    """For each block, the place of the first row of each class, if all rows were dealt out in turn."""

    def draw(self, block: Block) -> Iterator[tuple[Integers, Integers]]:
        dataset = block.dataset
        generator = np.random.default_rng(self.seed if not block.number else (self.seed, block.number))
        no_class = np.zeros(len(dataset.unlabelled_counts), dtype=np.int8)
        none = np.zeros_like(dataset.unlabelled_counts)
        starts = np.array(self.starts[block.number], dtype=np.int64)
        for _ in range(self.pairs):
            halves = _deal_at_random(dataset, 2, generator, starts)
            others = [none, none]
            if self.with_unlabelled:
                others = _deal_rows_at_random(no_class, dataset.unlabelled_counts, 2, generator, np.zeros(1, np.int64))
            yield from zip(halves, others, strict=True)
        for group in _deal_at_random(dataset, self.groups, generator, starts):
            yield dataset.counts - group, none


class _Replay:
    """An iterator that can be asked for any item: for an earlier one it begins anew."""

    def __init__(self, begin: Callable[[], Iterator[tuple[Integers, Integers]]]) -> None:
        self._begin = begin
        self._number = -1
        self._items = begin()

    def __getitem__(self, number: int) -> tuple[Integers, Integers]:
        if number < self._number:
            self._number, self._items = -1, self._begin()
        while self._number < number:
            self._current = next(self._items)
            self._number += 1
        return self._current


def _deal_at_random(dataset: Dataset, groups: int, generator: np.random.Generator, starts: Integers) -> list[Integers]:
    """How many copies of each labelled row fall to each of several groups; those of a subject fall to the same one."""
    if dataset.groups is None:
        return _deal_rows_at_random(dataset.labels, dataset.counts, groups, generator, starts)
    order = generator.permutation(int(dataset.groups.max(initial=-1)) + 1)
    dealt = deal_subjects(dataset.labels, dataset.counts, dataset.groups, order, groups)[dataset.groups]
    return [np.where(dealt == group, dataset.counts, 0) for group in range(groups)]


def _deal_rows_at_random(
    labels: Labels, counts: Integers, groups: int, generator: np.random.Generator, starts: Integers
) -> list[Integers]:
    """How many copies of each row fall to each of several groups, when those of each class are dealt out at random."""
    members = [np.flatnonzero(labels == label) for label in range(len(starts))]
    sizes = deal(np.array([counts[own].sum() for own in members], dtype=np.int64), groups, starts)
    left = counts.astype(np.int64)
    dealt = []
    for group in range(groups):
        taken = np.zeros(len(counts), dtype=np.int64)
        for label, own in enumerate(members):
            taken[own] = generator.multivariate_hypergeometric(left[own], sizes[group, label], method="marginals")
        left = left - taken
        dealt.append(taken)
    return dealt


# All blocks


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
