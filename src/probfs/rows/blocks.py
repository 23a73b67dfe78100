"""The rows of an encoded table, in blocks: a function is asked of every block, and the answers are added up.

A block remembers the last result of each kind, such as the log-odds of its rows. A block that is sent to another
process, or written to disk, takes only its rows along and computes the rest again.
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
"""Memory that a model takes for each row beside its codes: class, count, log-odds, and the results of a round."""


class Sample(Protocol):
    """Some copies of some rows of all blocks."""

    def counts(self, block: Block) -> tuple[Integers, Integers]:
        """How many copies of each labelled and of each unlabelled row of a block belong to it."""


@dataclass(frozen=True, eq=False)
class Part:
    """The features and rows of a table that a model is made of."""

    features: Integers | None = None
    """Positions of features; None for all."""
    sample: Sample | None = None
    """None for all rows."""


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
        """``numbers`` are the numbers before cutting, which tests of columns need; ``number`` tells blocks apart.

        Once rows are dealt out to folds, ``places`` has the fold of the first copy of each labelled row.
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
        """The last result of this kind if it was made for the same key; otherwise a new one, which replaces it."""
        known = self._remembered.get(what)
        if known is None or known[0] != key:
            # The old result must not take memory while the new one is made.
            self._remembered.pop(what, None)
            known = self._remembered[what] = (key, make())
        made: Value = known[1]
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Block, (self.dataset, tuple(self.numbers), self.number, self.places, self.folds)

    def __sizeof__(self) -> int:
        """The bytes of the rows and of what a model will keep of them: Dask asks before the model is made."""
        codes = sum(feature.labelled.nbytes + feature.unlabelled.nbytes for feature in self.dataset.features)
        numbers = sum(column.ranks.nbytes for column in self.numbers)
        return codes + numbers + BYTES_OF_A_ROW * (len(self.dataset.counts) + len(self.dataset.unlabelled_counts))


# Folds


@dataclass(frozen=True)
class WithoutFold:
    """The labelled rows outside of a fold; with ``by_time``, those of the folds before it."""

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
    """A part of a block with its rows dealt out to folds: class by class, in an order that their content decides,
    beginning at this block's ``starts``. Rows of subjects, which are all in one block, are dealt out by subject, and
    rows that are ordered in time one after the other.
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
    # Only the remainder matters, and it fits into a narrow type.
    narrow = (places % folds).astype(np.min_scalar_type(folds))
    return Block(rows, block.numbers if part.features is None else (), block.number, narrow, folds)


# Random samples. They are the same however a table was shuffled if the content of rows decides their order in blocks.


@dataclass(frozen=True)
class RandomSample:
    """One sample of a series, by its number."""

    series: SampleSeries
    number: int

    def counts(self, block: Block) -> tuple[Integers, Integers]:
        drawn: _Replay = block.recall("samples", self.series, lambda: _Replay(lambda: self.series.draw(block)))
        return drawn[self.number]


@dataclass(frozen=True)
class SampleSeries:
    """First ``pairs`` pairs of samples, each of half of the rows of every class; then ``groups`` samples, each without
    one of as many random groups of rows.
    """

    pairs: int
    groups: int
    seed: int
    with_unlabelled: bool
    starts: tuple[tuple[int, ...], ...]
    """For each block, where the first row of each class comes if all rows are dealt out in turn."""

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
    """Items of an iterator by number; to get at an earlier item again, the iterator is made anew."""

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
    """How many copies of each labelled row fall to each of several groups; rows of a subject fall to the same group."""
    if dataset.groups is None:
        return _deal_rows_at_random(dataset.labels, dataset.counts, groups, generator, starts)
    order = generator.permutation(int(dataset.groups.max(initial=-1)) + 1)
    dealt = deal_subjects(dataset.labels, dataset.counts, dataset.groups, order, groups)[dataset.groups]
    return [np.where(dealt == group, dataset.counts, 0) for group in range(groups)]


def _deal_rows_at_random(
    labels: Labels, counts: Integers, groups: int, generator: np.random.Generator, starts: Integers
) -> list[Integers]:
    """How many copies of each row fall to each of several groups if the rows of each class are dealt out at random."""
    members = [np.flatnonzero(labels == label) for label in range(len(starts))]
    sizes = deal(np.array([counts[rows].sum() for rows in members], dtype=np.int64), groups, starts)
    left = counts.astype(np.int64)
    dealt = []
    for group in range(groups):
        taken = np.zeros(len(counts), dtype=np.int64)
        for label, rows in enumerate(members):
            taken[rows] = generator.multivariate_hypergeometric(left[rows], sizes[group, label], method="marginals")
        left = left - taken
        dealt.append(taken)
    return dealt


# All blocks


class Blocks(Protocol):
    """All rows of a table. A function that is asked of blocks takes a block as its first argument, and does not change
    it.
    """

    @property
    def here(self) -> Block | None:
        """The only block, if it is in this process."""

    def ask(self, function: Callable[..., Answer], *arguments: Any) -> Answer:
        """The sum of a function's answers for all blocks."""

    def each(self, function: Callable[..., Answer], *arguments: Any) -> list[Answer]:
        """A function's answer for each block, in the order of blocks."""

    def map(self, function: Callable[..., Block], *arguments: Any) -> Blocks:
        """The blocks that a function makes of these blocks."""

    def share(self, value: Any) -> Any:
        """Send a value to where the blocks are, once; give what is returned to ``ask`` in place of the value."""


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
    given = [answer for answer in answers if answer is not None]
    if not given:
        return None
    if isinstance(given[0], (tuple, list)):
        return tuple(add_answers(parts) for parts in zip(*given, strict=True))
    return reduce(add, given)


def deal_blocks(blocks: Blocks, part: Part, folds: int, seed: int, *, by_some: bool = False) -> Blocks:
    """A part of the blocks with its rows dealt out to folds, so that each fold has its share of every class.

    The content of rows decides their order: with ``by_some``, only as many columns of it as distinguish all rows.
    """
    return blocks.map(deal_block, part, deal_starts(blocks, part), folds, seed, by_some)


def deal_starts(blocks: Blocks, part: Part) -> Integers:
    """Where the rows of each class of each block begin (blocks × classes) if all rows are dealt out class by class, and
    block by block within a class.
    """
    by_block: Integers = np.array(blocks.each(class_rows, part))
    by_class = by_block.sum(axis=0)
    starts: Integers = np.cumsum(by_class) - by_class + np.cumsum(by_block, axis=0) - by_block
    return starts
