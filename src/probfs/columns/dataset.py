"""What a classifier is fitted on: features as integer codes, classes, and how many equal rows each row stands for."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from probfs.tables.arrays import Codes, Floats, Integers, Labels

MISSING_LABEL = "(missing)"
"""The label of a missing cell that counts as a value."""
MOST_VALUES = 1_000_000
"""Values of one feature: a column with more does not hold categories, and would take all memory."""
LEAST_TOTAL = 1e-300
"""In place of a sum of weights that is 0, or less than this, in a denominator."""
_EXACT_BITS = 52
"""Doubles of up to so many binary digits are added and subtracted without rounding, with one digit to spare."""
_MOST_NUMBERED = 1 << 62
"""Rows are not numbered beyond, which an integer holds."""


@dataclass(frozen=True, eq=False)
class DeferredLabels:
    """Labels that nobody may want to see: how many they are, and a way to make them."""

    number: int
    make: Callable[[], pa.StringArray]

    def __len__(self) -> int:
        return self.number

    @cached_property
    def made(self) -> pa.StringArray:
        return self.make()


@dataclass(frozen=True, eq=False)
class Feature:
    """One feature's codes: 0…values-1, and ``values`` itself for a cell without a value.

    Such a cell is missing, or it is unlabelled and holds what no labelled cell holds. Where missing counts as a value,
    a missing cell has the last code, values-1.
    """

    name: str
    label_source: pa.StringArray | DeferredLabels
    """The labels, or what makes them once they are asked for."""
    labelled: Codes
    unlabelled: Codes
    numbers: Floats | None = None
    """The number of each value, where the classifier is to measure and not to count; missing has none."""
    missing_is_value: bool = False
    nominal: bool = False
    """Whether the values are those of a type of categories, as a data frame has it."""
    scale: Floats | None = None
    """The number that each value stands for, where values have an order: intervals, and numbers that are few; NaN for
    missing.
    """
    members: tuple[Feature, ...] = ()
    """The columns that are this feature together, if there are such. Its values are combinations of theirs: in place of
    labelled rows, a member has its code for each value of the feature, and at the end for a cell without a value.
    """

    @property
    def labels(self) -> pa.StringArray:
        """The text of each value, with ``(missing)`` at the end where that is one; none where there are numbers."""
        return self.label_source.made if isinstance(self.label_source, DeferredLabels) else self.label_source

    @property
    def values(self) -> int:
        return len(self.label_source) if self.numbers is None else len(self.numbers) + self.missing_is_value

    def columns(self) -> tuple[Feature, ...]:
        """The columns that the feature is, each with the codes of all rows: itself, unless it is several together."""
        return tuple(
            replace(column, labelled=column.labelled[self.labelled], unlabelled=column.labelled[self.unlabelled])
            for column in self.members
        ) or (self,)

    def categories(self) -> pa.StringArray:
        """The texts that cells hold: the labels without that of missing."""
        return self.labels[:-1] if self.missing_is_value and self.numbers is None else self.labels


@dataclass(frozen=True, eq=False)
class Dataset:
    """Features, classes and row counts of a table, labelled rows apart from unlabelled ones."""

    features: tuple[Feature, ...]
    classes: tuple[str, ...]
    labels: Labels
    counts: Integers
    unlabelled_counts: Integers
    source: str = "table"
    groups: Integers | None = None
    """The subject that each labelled row belongs to, by number; None where each row is one of its own."""
    weights: Floats | None = None
    """How important each copy of a labelled row is, about 1 on average; None where all are equally important."""
    times: Integers | None = None
    """The place of each labelled row in time; None where rows have no order."""

    @property
    def rows(self) -> int:
        return int(self.counts.sum())

    @property
    def row_weights(self) -> Floats:
        """What each labelled row weighs with all of its copies."""
        return weigh(self.counts, self.weights)

    @property
    def total_weight(self) -> float:
        return float(self.row_weights.sum())

    @property
    def effective_rows(self) -> float:
        """How many equally important rows would say as much (Kish 1965)."""
        if self.weights is None:
            return float(self.rows)
        return self.total_weight**2 / max(float(self.counts @ self.weights**2), LEAST_TOTAL)

    @property
    def keeps_copies_together(self) -> bool:
        """Whether all copies of a row are in the same fold: that of its subject, or of its time."""
        return self.groups is not None or self.times is not None

    def row_keys(self) -> list[Integers]:
        """What tells rows apart beside their class and features: numbers of their subject, weight and time."""
        weights = None if self.weights is None else np.unique(self.weights, return_inverse=True)[1].astype(np.int64)
        return [numbers for numbers in (self.groups, weights, self.times) if numbers is not None]

    @cached_property
    def units(self) -> int:
        """How many rows, or subjects, can be left out one by one."""
        return self.rows if self.groups is None else int(np.count_nonzero(np.bincount(self.groups, self.counts)))

    @property
    def unlabelled_rows(self) -> int:
        return int(self.unlabelled_counts.sum())

    @cached_property
    def owner(self) -> Integers:
        """The feature of each column, by position."""
        return np.repeat(np.arange(len(self.features)), [len(feature.members) or 1 for feature in self.features])

    def ungrouped(self) -> Dataset:
        """The same rows with each column as a feature of its own."""
        return replace(self, features=tuple(column for feature in self.features for column in feature.columns()))

    def take(self, labelled: Integers, unlabelled: Integers) -> Dataset:
        """Some rows, by position."""
        features = (
            replace(f, labelled=f.labelled[labelled], unlabelled=f.unlabelled[unlabelled]) for f in self.features
        )
        labels, counts, others = self.labels[labelled], self.counts[labelled], self.unlabelled_counts[unlabelled]
        groups = None if self.groups is None else self.groups[labelled]
        weights = None if self.weights is None else self.weights[labelled]
        times = None if self.times is None else self.times[labelled]
        return Dataset(tuple(features), self.classes, labels, counts, others, self.source, groups, weights, times)

    def class_rows(self) -> dict[str, int]:
        totals = np.bincount(self.labels, weights=self.counts, minlength=len(self.classes)).astype(np.int64)
        return dict(zip(self.classes, totals.tolist(), strict=True))

    def class_units(self) -> dict[str, int]:
        """How many rows, or subjects that have such rows, there are of each class."""
        if self.groups is None:
            return self.class_rows()
        held = np.flatnonzero(self.counts)
        pairs = np.unique(self.groups[held] * len(self.classes) + self.labels[held])
        totals = np.bincount(pairs % len(self.classes), minlength=len(self.classes))
        return dict(zip(self.classes, totals.tolist(), strict=True))


def normalise_weights(importance: Floats, counts: Integers) -> Floats | None:
    """Weights in proportion to the importance of rows, which is above 0: 1 on average over all copies, so that no
    constant factor changes an answer. None where all are equal.

    They are multiples of a power of 2 so large that all sums of them are exact, and do not depend on the order of rows:
    what is left without the only row that holds a value is 0.
    """
    if importance.min() == importance.max():
        return None
    importance = importance / importance.max()
    weights = importance * (counts.sum() / (counts @ importance))
    unit = 2.0 ** (math.ceil(math.log2(counts.sum())) - _EXACT_BITS)
    normalised: Floats = np.maximum(np.rint(weights / unit), 1) * unit
    return normalised


def weigh(counts: Integers, weights: Floats | None) -> Floats:
    """What rows weigh with all of their copies."""
    return counts.astype(np.float64) if weights is None else counts * weights


def number_rows(columns: Sequence[npt.NDArray[Any]], sizes: Sequence[int]) -> npt.NDArray[Any]:
    """A number for each row, of which every column is a digit, in the narrowest type that holds them."""
    numbers = np.zeros(len(columns[0]), dtype=np.min_scalar_type(min(math.prod(sizes), _MOST_NUMBERED)))
    numbered = 1
    for column, size in zip(columns, sizes, strict=True):
        if numbered * size > _MOST_NUMBERED:
            numbers = np.unique(numbers, return_inverse=True)[1].astype(numbers.dtype)
            numbered = len(numbers)
        numbers *= numbers.dtype.type(size)
        numbers += column.astype(numbers.dtype, copy=False)
        numbered *= size
    return numbers


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """Counts by value and class of all features, one below the other: feature j owns the rows ``offset[j]`` to
    ``offset[j] + values[j]`` of ``by_slot``, the last of them for missing cells that are no value.
    """

    values: Integers
    offset: Integers
    by_slot: Floats
    class_rows: Floats
    """How many rows each class has. Like all counts, a sum of weights where rows are not equally important."""
    members: Mapping[int, Sequence[tuple[Codes, int]]] = field(default_factory=dict)
    """Of features, by position, that are several columns together: each column's codes, as in ``Feature.members``, and
    its number of values.
    """

    def __add__(self, other: ValueCounts) -> ValueCounts:
        by_slot, class_rows = self.by_slot + other.by_slot, self.class_rows + other.class_rows
        return replace(self, by_slot=by_slot, class_rows=class_rows)

    def __sub__(self, other: ValueCounts) -> ValueCounts:
        by_slot, class_rows = self.by_slot - other.by_slot, self.class_rows - other.class_rows
        return replace(self, by_slot=by_slot, class_rows=class_rows)

    def scaled(self, factor: float) -> ValueCounts:
        return replace(self, by_slot=self.by_slot * factor, class_rows=self.class_rows * factor)

    def of_features(self, features: Integers) -> ValueCounts:
        """The counts of some features, by position."""
        widths = self.values[features] + 1
        ends = np.cumsum(widths)
        starts = np.repeat(self.offset[features] - (ends - widths), widths)
        places = enumerate(features.tolist())
        return replace(
            self,
            values=widths - 1,
            offset=ends - widths,
            by_slot=self.by_slot[starts + np.arange(len(starts))],
            members={place: self.members[feature] for place, feature in places if feature in self.members},
        )

    @cached_property
    def by_column(self) -> ColumnCounts:
        """The counts of each column, of those of features added up."""
        features = [
            self.members.get(feature, ((np.arange(distinct + 1), distinct),))
            for feature, distinct in enumerate(self.values.tolist())
        ]
        values = np.array([number for columns in features for _, number in columns])
        offset = np.cumsum(values + 1) - values - 1
        # Codes may be of a byte each, which places of many columns do not fit into.
        starts = iter(offset)
        parts = [
            np.stack([np.add(codes, next(starts), dtype=np.intp) for codes, _ in columns], axis=1)
            for columns in features
        ]
        part = np.concatenate([slots.ravel() for slots in parts])
        size = np.concatenate([np.full(*slots.shape) for slots in parts])
        by_slot = np.zeros((int((values + 1).sum()), len(self.class_rows)))
        np.add.at(by_slot, part, np.repeat(self.by_slot, size, axis=0))
        owner = np.repeat(np.arange(len(features)), [len(columns) for columns in features])
        return ColumnCounts(ValueCounts(values, offset, by_slot, self.class_rows), owner, part, np.cumsum(size) - size)


@dataclass(frozen=True, eq=False)
class ColumnCounts:
    """The counts of columns, some of which are features only together."""

    counts: ValueCounts
    feature: Integers
    """Which feature each column belongs to."""
    part: Integers
    """The slots of columns that make up the first slot of features, then those of the second slot, and so on."""
    start: Integers
    """Where the columns' slots of each slot of features begin in ``part``."""

    def add_up(self, by_slot: Floats) -> Floats:
        """For each slot of features the sum over its columns of what their slots, the last axis, have."""
        total: Floats = np.add.reduceat(by_slot[..., self.part], self.start, axis=-1)
        return total
