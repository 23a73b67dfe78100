"""Which kept feature says what a dropped one says about the class, and how much of it; and which features are copies.

For a dropped feature j, its twin is the kept feature i that shares most with it within the classes: the one with the
largest I(j;i|Y) / min(H(j|Y), H(i|Y)). Features that merely follow the same class share nothing there. The twin
explains 1 - I(j;Y|i) / I(j;Y) of what j says about the class. Every information I is reduced by its expectation for
independent columns, cells / 2N (Miller 1955), and both shares lie between 0 and 1.

Each pair is judged by the labelled rows in which neither cell is missing, and by the values seen there: how many rows
hold each two values of two features, by class. Rows are counted in one place, or in several and added up.

Copies divide the labelled rows in exactly the same way. The names of values do not matter, so a copy may be a
one-to-one recoding, or the same length in centimetres and in inches once it is cut. Missing cells must be the same. A
feature whose numbers are measured and not counted has no copies: another scale is another feature there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from probfs.columns.dataset import Dataset, ValueCounts
from probfs.rows.block import Block
from probfs.rows.blocks import Blocks
from probfs.screening.value_test import parts_of_slots
from probfs.tables.arrays import Codes, Floats, Integers, Labels

CELLS_AT_A_TIME = 1 << 21
"""Cells of the tables, and rows times features, handled together."""
_NO_TWIN = -1
_NEARLY_EQUAL = 1e-9
"""Features that share equally much may differ by rounding; the first of them is the twin."""


class Pairs(NamedTuple):
    """A feature, and others with which it is counted, by position."""

    feature: int
    others: list[int]


@dataclass(frozen=True, eq=False)
class JointCounts:
    """Rows in blocks that can be counted."""

    blocks: Blocks
    values: Integers
    """How many values each feature has."""
    classes: int
    rows_at_a_time: int
    """How many rows a block counts together."""

    @classmethod
    def of(cls, blocks: Blocks, dataset: Dataset) -> JointCounts:
        """``dataset`` has the features and the classes."""
        values = np.array([feature.values for feature in dataset.features], dtype=np.int64)
        return cls(blocks, values, len(dataset.classes), max(blocks.each(_rows)))

    def count(self, plan: Sequence[Pairs]) -> Iterator[PairCounts]:
        """The counts of each of some pairs."""
        batch: list[Pairs] = []
        cells = 0
        for pairs in plan:
            cells += cells_of(self, pairs)
            if batch and cells > CELLS_AT_A_TIME:
                yield from self.blocks.ask(_count_pairs, batch)
                batch, cells = [], cells_of(self, pairs)
            batch.append(pairs)
        if batch:
            yield from self.blocks.ask(_count_pairs, batch)


def _rows(block: Block) -> int:
    return len(block.dataset.labels)


def _count_pairs(block: Block, plan: Sequence[Pairs]) -> list[PairCounts]:
    return list(CodedTable.of(block.dataset).count(plan))


@dataclass(frozen=True, eq=False)
class Twins:
    """For each dropped feature: the position of its twin in the dataset (-1 where none is kept), what share of the
    within-class information both have, and what share of the dropped feature's say on the class the twin explains.
    """

    twin: Integers
    shared: Floats
    explained: Floats


def find_twins(rows: JointCounts, dropped: Integers, kept: Integers) -> Twins:
    """The twins of dropped features, by position; of equally good twins, the one that comes first in ``kept``."""
    twins = Twins(np.full(len(dropped), _NO_TWIN), np.zeros(len(dropped)), np.zeros(len(dropped)))
    if not len(kept):
        return twins
    plan = [(place, pairs) for place, own in enumerate(dropped.tolist()) for pairs in _pairs(rows, own, kept.tolist())]
    compared: list[list[tuple[Floats, Floats]]] = [[] for _ in dropped]
    for (place, _), counts in zip(plan, rows.count([pairs for _, pairs in plan]), strict=True):
        compared[place].append(counts.sums().shares())
    for place, parts in enumerate(compared):
        shared, explained = (np.concatenate(both) for both in zip(*parts, strict=True))
        best = int(np.argmax(shared >= shared.max() - _NEARLY_EQUAL))
        twins.twin[place], twins.shared[place], twins.explained[place] = kept[best], shared[best], explained[best]
    return twins


def find_copies(blocks: Blocks, dataset: Dataset, counts: ValueCounts) -> tuple[tuple[int, ...], ...]:
    """Groups of two or more features, by position, that are copies; ``dataset`` has the features, and ``counts`` are
    those of all rows.

    Each row is given random numbers. Features divide the rows in the same way if the sums of these numbers over the
    rows of each value are the same, whatever the values are called: but for one chance in 2^40, and sums can be added
    up over blocks.
    """
    counted = np.array([feature.numbers is None for feature in dataset.features], dtype=np.bool_)
    alike = with_equal_sums(counts, np.flatnonzero(counted))
    if not len(alike):
        return ()
    groups: defaultdict[bytes, list[int]] = defaultdict(list)
    for position, (values, missing) in zip(alike.tolist(), blocks.ask(_random_sums, alike), strict=True):
        held = values[:, values.any(axis=0)]
        ordered = held[:, np.lexsort(held)]
        groups[ordered.tobytes() + missing.tobytes()].append(position)
    return tuple(tuple(members) for members in groups.values() if len(members) > 1)


def _random_sums(block: Block, features: Integers) -> list[tuple[Floats, Floats]]:
    """Two sums for each value of some features, and for missing cells: so small numbers that sums are exact."""
    dataset = block.dataset
    random = np.random.default_rng((7, block.number)).integers(1, 1 << 20, (2, len(dataset.labels)))
    random[:, dataset.counts == 0] = 0
    found = []
    for position in features.tolist():
        feature = dataset.features[position]
        sums = np.array([np.bincount(feature.labelled, own, minlength=feature.values + 1) for own in random])
        found.append((sums[:, :-1], sums[:, -1]))
    return found


def with_equal_sums(counts: ValueCounts, features: Integers) -> Integers:
    """The features whose counts by class allow a copy: comparing a few numbers of each spares comparing all its rows.

    The sum over values of a function of their counts does not depend on which value is which, nor on values that no row
    holds. Sums of whole numbers that wrap around are exact in any order.
    """
    if not len(features):
        return features
    multipliers = np.random.default_rng(0).integers(1, 1 << 63, len(counts.class_rows), dtype=np.uint64)
    parts = [counts.by_slot[part].astype(np.uint64) @ multipliers for part in parts_of_slots(counts)]
    mixed = np.concatenate(parts)
    sums = np.add.reduceat(mixed * mixed, counts.offset)[features]
    _, which, times = np.unique(sums, return_inverse=True, return_counts=True)
    return features[times[which] > 1]


@dataclass(frozen=True, eq=False)
class PairSums:
    """For each pair, Σ c log c over the counts c of each combination of value, other value and class, over those of
    each two and each one of the three; and how many of each one are seen.
    """

    value_other_class: Floats
    value_other: Floats
    value_class: Floats
    other_class: Floats
    value: Floats
    other: Floats
    label: Floats
    rows: Floats
    values: Floats
    others: Floats
    classes: Floats

    def shares(self) -> tuple[Floats, Floats]:
        """What each other feature shares with the first, and how much of it the other explains."""
        values, classes = self.values - 1, self.classes - 1
        # N times each information, of which half the cells is expected by chance.
        within = self.value_other_class + self.label - self.value_class - self.other_class
        within -= values * (self.others - 1) * self.classes / 2
        given = self.value_other_class + self.other - self.value_other - self.other_class
        given -= values * classes * self.others / 2
        alone = self.value_class + _log_terms(self.rows) - self.value - self.label - values * classes / 2
        smaller = self.label - np.maximum(self.value_class, self.other_class)
        least = _NEARLY_EQUAL * self.rows
        unexplained = np.where(alone > least, _share(given, alone, least), 1.0)
        return _share(within, smaller, least), 1 - unexplained


@dataclass(frozen=True, eq=False)
class CountTables:
    """Rows by value, other value and class in which neither cell is missing. The tables of several others stand side by
    side along the second axis; ``first`` says where each begins.
    """

    tables: Floats
    first: Integers

    def __add__(self, other: CountTables) -> CountTables:
        return CountTables(self.tables + other.tables, self.first)

    def sums(self) -> PairSums:
        tables, first = self.tables, self.first
        value_class = np.add.reduceat(tables, first, axis=1)
        class_rows, value_rows = value_class.sum(axis=0), value_class.sum(axis=2)
        other_rows = tables.sum(axis=(0, 2))
        return PairSums(
            np.add.reduceat(_log_terms(tables).sum(axis=(0, 2)), first),
            np.add.reduceat(_log_terms(tables.sum(axis=2)).sum(axis=0), first),
            _log_terms(value_class).sum(axis=(0, 2)),
            np.add.reduceat(_log_terms(tables.sum(axis=0)).sum(axis=1), first),
            _log_terms(value_rows).sum(axis=0),
            np.add.reduceat(_log_terms(other_rows), first),
            _log_terms(class_rows).sum(axis=1),
            class_rows.sum(axis=1),
            np.count_nonzero(value_rows, axis=0).astype(np.float64),
            np.add.reduceat((other_rows > 0).astype(np.float64), first),
            np.count_nonzero(class_rows, axis=1).astype(np.float64),
        )


@dataclass(frozen=True, eq=False)
class CountedCombinations:
    """The same of one pair with more combinations than there is room for: only those that occur."""

    combinations: Integers
    """Value, other value and class of each: 3 × combinations."""
    counts: Floats

    @classmethod
    def of(cls, combinations: Integers, counts: Floats) -> CountedCombinations:
        """Equal combinations as one."""
        which = _numbered(combinations)
        _, first = np.unique(which, return_index=True)
        return cls(combinations[:, first], np.bincount(which, counts).astype(np.float64))

    def __add__(self, other: CountedCombinations) -> CountedCombinations:
        combinations = np.concatenate([self.combinations, other.combinations], axis=1)
        return self.of(combinations, np.concatenate([self.counts, other.counts]))

    def sums(self) -> PairSums:
        value, other, label = self.combinations
        chosen = [(value, other, label), (value, other), (value, label), (other, label), (value,), (other,), (label,)]
        counted = [np.bincount(_numbered(columns), self.counts).astype(np.float64) for columns in chosen]
        seen = (float(len(rows)) for rows in counted[-3:])
        sums = [*(_log_terms(rows).sum() for rows in counted), self.counts.sum(), *seen]
        return PairSums(*(np.array([one]) for one in sums))


PairCounts: TypeAlias = CountTables | CountedCombinations


@dataclass(frozen=True, eq=False)
class CodedTable:
    """Rows that are here: the codes of each feature, where a code of ``values`` is a missing cell."""

    codes: Sequence[Codes]
    values: Integers
    labels: Labels
    counts: Integers
    classes: int

    @classmethod
    def of(cls, dataset: Dataset) -> CodedTable:
        codes = [feature.labelled for feature in dataset.features]
        values = np.array([feature.values for feature in dataset.features], dtype=np.int64)
        return cls(codes, values, dataset.labels, dataset.counts, len(dataset.classes))

    def count(self, plan: Sequence[Pairs]) -> Iterator[PairCounts]:
        for pairs in plan:
            few = len(pairs.others) > 1 or cells_of(self, pairs) <= CELLS_AT_A_TIME
            yield self._tables(*pairs) if few else self._combinations(pairs.feature, pairs.others[0])

    def _tables(self, feature: int, others: list[int]) -> CountTables:
        values, widths = int(self.values[feature]), self.values[others] + 1
        first = np.cumsum(widths) - widths
        across = int(widths.sum())
        places = np.array([self.codes[other] for other in others], dtype=np.intp)
        places += first[:, None]
        places += self.codes[feature].astype(np.intp) * across
        places *= self.classes
        places += self.labels
        weights = None if (self.counts == 1).all() else np.broadcast_to(self.counts, places.shape).ravel()
        counted = np.bincount(places.ravel(), weights, minlength=(values + 1) * across * self.classes)
        tables = counted.reshape(values + 1, across, self.classes)[:values].astype(np.float64)
        tables[:, first + widths - 1] = 0
        return CountTables(tables, first)

    def _combinations(self, feature: int, other: int) -> CountedCombinations:
        both = (self.codes[feature] < self.values[feature]) & (self.codes[other] < self.values[other])
        both &= self.counts > 0
        columns = (self.codes[feature], self.codes[other], self.labels)
        combinations = np.array([column[both] for column in columns], dtype=np.int64)
        return CountedCombinations.of(combinations, self.counts[both].astype(np.float64))


def cells_of(rows: JointCounts | CodedTable, pairs: Pairs) -> int:
    """How many combinations of values and classes the tables of some pairs have."""
    across = int((rows.values[pairs.others] + 1).sum())
    return (int(rows.values[pairs.feature]) + 1) * across * rows.classes


def _pairs(rows: JointCounts, dropped: int, kept: list[int]) -> Iterator[Pairs]:
    """Kept features whose tables, and whose rows, are handled together; there is at least one each time."""
    chunk: list[int] = []
    cells = 0
    for position in kept:
        own = max(cells_of(rows, Pairs(dropped, [position])), rows.rows_at_a_time)
        if chunk and cells + own > CELLS_AT_A_TIME:
            yield Pairs(dropped, chunk)
            chunk, cells = [], 0
        chunk.append(position)
        cells += own
    yield Pairs(dropped, chunk)


def _log_terms(counts: Floats) -> Floats:
    """c log c of every count, and 0 for none."""
    return counts * np.log(np.where(counts > 0, counts, 1.0))


def _share(part: Floats, whole: Floats, least: Floats) -> Floats:
    """A share from 0 to 1, and 0 of a whole that is no more than rounding."""
    return np.clip(np.where(whole > least, part / np.where(whole > least, whole, 1.0), 0.0), 0.0, 1.0)


def _numbered(columns: Sequence[Integers] | Integers) -> Integers:
    """For each row the number of its combination among those that occur."""
    numbers = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        _, numbers = np.unique(numbers * (column.max(initial=0) + 1) + column, return_inverse=True)
    return numbers
