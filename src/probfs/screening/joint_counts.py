"""How many rows hold each two values of two features, by class: counted in one place, or in several and added up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from probfs.columns.dataset import Dataset
from probfs.tables.arrays import Codes, Floats, Integers, Labels

CELLS_AT_A_TIME = 1 << 21
"""Cells of the tables, and rows times features, handled together."""


class Pairs(NamedTuple):
    """A feature, and others with which it is counted, by position."""

    feature: int
    others: list[int]


class JointCounts(Protocol):
    """Rows that can be counted, wherever they are."""

    @property
    def values(self) -> Integers:
        """How many values each feature has."""

    @property
    def classes(self) -> int: ...

    @property
    def rows_at_a_time(self) -> int:
        """How many rows are counted together."""

    def count(self, plan: Sequence[Pairs]) -> Iterator[PairCounts]:
        """The counts of each of some pairs."""


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
            np.add.reduceat(log_terms(tables).sum(axis=(0, 2)), first),
            np.add.reduceat(log_terms(tables.sum(axis=2)).sum(axis=0), first),
            log_terms(value_class).sum(axis=(0, 2)),
            np.add.reduceat(log_terms(tables.sum(axis=0)).sum(axis=1), first),
            log_terms(value_rows).sum(axis=0),
            np.add.reduceat(log_terms(other_rows), first),
            log_terms(class_rows).sum(axis=1),
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
        return self.of(
            np.concatenate([self.combinations, other.combinations], axis=1),
            np.concatenate([self.counts, other.counts]),
        )

    def sums(self) -> PairSums:
        value, other, label = self.combinations
        chosen = [(value, other, label), (value, other), (value, label), (other, label), (value,), (other,), (label,)]
        counted = [np.bincount(_numbered(columns), self.counts).astype(np.float64) for columns in chosen]
        seen = (float(len(own)) for own in counted[-3:])
        sums = [*(log_terms(own).sum() for own in counted), self.counts.sum(), *seen]
        return PairSums(*(np.array([one]) for one in sums))


PairCounts: TypeAlias = CountTables | CountedCombinations


@dataclass(frozen=True, eq=False)
class CodedTable:
    """Rows that are here: a line of codes for each feature, where a code of ``values`` is a missing cell."""

    codes: Sequence[Codes]
    values: Integers
    labels: Labels
    counts: Integers
    classes: int

    @classmethod
    def of(cls, dataset: Dataset) -> CodedTable:
        return cls(
            [feature.labelled for feature in dataset.features],
            np.array([feature.values for feature in dataset.features], dtype=np.int64),
            dataset.labels,
            dataset.counts,
            len(dataset.classes),
        )

    @property
    def rows_at_a_time(self) -> int:
        return len(self.labels)

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
        combinations = np.array([own[both] for own in columns], dtype=np.int64)
        return CountedCombinations.of(combinations, self.counts[both].astype(np.float64))


def cells_of(rows: JointCounts, pairs: Pairs) -> int:
    """How many combinations of values and classes the tables of some pairs have."""
    across = int((rows.values[pairs.others] + 1).sum())
    return (int(rows.values[pairs.feature]) + 1) * across * rows.classes


def log_terms(counts: Floats) -> Floats:
    """c log c of every count, and 0 for none."""
    return counts * np.log(np.where(counts > 0, counts, 1.0))


def _numbered(columns: Sequence[Integers] | Integers) -> Integers:
    """For each row the number of its combination among those that occur."""
    numbers = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        _, numbers = np.unique(numbers * (column.max(initial=0) + 1) + column, return_inverse=True)
    return numbers
