"""How many rows of each class hold each value of each feature, and the numbers that features were cut from."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, replace

import numpy as np

from probfs.columns.dataset import Dataset, Feature, ValueCounts
from probfs.columns.prepare import PreparedTable
from probfs.columns.rules import cuts_numbers, some_numbers
from probfs.rows.blocks import Block, Part
from probfs.runtime.memory import require_memory
from probfs.runtime.parallel import count_cores, map_in_threads
from probfs.tables.arrays import Codes, Floats, Integers, code_type
from probfs.tables.table import number_groups, number_matrix

_CELLS_AT_A_TIME = 1 << 17
"""Cells of several columns that are counted, or sorted, together: so few stay in the cache."""
_REPEATED = 4
"""Rows for each different number, from which sorting the numbers alone is faster than sorting the rows."""
_COPIES = 3
"""How many arrays as large as the counts there are at a time while these are made, tested and used."""


@dataclass(frozen=True, eq=False)
class RankedNumbers:
    """The numbers of several features, by position, as ranks: features × labelled rows. The smallest number has rank 0,
    equal numbers have the same rank, and a missing cell has the rank ``distinct``, which no number has.

    Numbers are sorted once, however many samples of the rows they are tested in.
    """

    features: Integers
    ranks: Codes
    distinct: int

    @classmethod
    def of_matrix(cls, features: Integers, numbers: Floats) -> RankedNumbers:
        """From the numbers of each row, NaN where one is missing: features × rows."""
        missing = numbers.shape[1]
        ranks = np.empty(numbers.shape, dtype=code_type(missing))
        at_a_time = max(1, _CELLS_AT_A_TIME // max(1, missing))

        def rank_some(first: int) -> int:
            some = numbers[first : first + at_a_time]
            order = np.argsort(some, axis=1)
            in_order = np.take_along_axis(some, order, axis=1)
            # NaN comes last, and is not more than anything.
            rises = in_order[:, 1:] > in_order[:, :-1]
            by_place = np.zeros(some.shape, dtype=ranks.dtype)
            np.cumsum(rises, axis=1, out=by_place[:, 1:])
            by_place[np.isnan(in_order)] = missing
            np.put_along_axis(ranks[first : first + at_a_time], order, by_place, axis=1)
            return 1 + int(rises.sum(axis=1).max())

        distinct = max(map_in_threads(rank_some, range(0, len(numbers), at_a_time), count_cores()))
        return cls(features, np.minimum(ranks, distinct, out=ranks), distinct)

    @classmethod
    def of_codes(cls, feature: int, codes: Codes, numbers: Floats) -> RankedNumbers:
        """From the number of each code; those of other codes are missing."""
        # Texts that are written differently may be the same number.
        known, ranks = np.unique(numbers, return_inverse=True)
        distinct = len(known) - int(np.isnan(known[-1:]).sum())
        by_code = np.append(ranks, distinct).astype(code_type(distinct))
        return cls(np.array([feature]), by_code[np.minimum(codes, len(numbers))][None], distinct)


@dataclass(frozen=True, eq=False)
class NumbersBeforeCutting:
    """The numbers, in labelled rows, of every feature of the dataset that was cut into intervals. Each iteration makes
    them again, one after the other: all at once would take more memory than the table.
    """

    prepared: PreparedTable
    dataset: Dataset
    """The prepared table in the order of its rows: encoded, and not yet arranged for a classifier."""

    def __iter__(self) -> Iterator[RankedNumbers]:
        return self.in_rows(slice(None))

    def in_rows(self, taken: Integers | slice) -> Iterator[RankedNumbers]:
        """The numbers in some labelled rows, ranked among these."""
        prepared = self.prepared
        position = {feature.name: place for place, feature in enumerate(self.dataset.features)}
        cut = [plan.name for plan in prepared.features if plan.name in position and cuts_numbers(plan.rule)]
        many = []
        for column in (prepared.table.columns[name] for name in cut):
            # Sorting the different numbers alone is several times faster where each is in several rows.
            if column.is_numeric and prepared.profiles[column.name].distinct * _REPEATED > column.rows:
                many.append(column)
                continue
            codes = column.codes if prepared.labelled_rows == column.rows else column.codes[prepared.labelled]
            # Texts that are no numbers stand in unlabelled rows only.
            yield RankedNumbers.of_codes(position[column.name], codes[taken], some_numbers(column.entries, column.kind))
        rows = slice(None) if prepared.labelled_weights is None else prepared.labelled
        for group in number_groups(many):
            features = np.array([position[column.name] for column in group], dtype=np.int64)
            yield RankedNumbers.of_matrix(features, number_matrix(group)[:, rows][:, taken])


def ranks_by_feature(
    block: Block, wanted: Container[int], taken: Integers | slice = slice(None)
) -> Iterator[tuple[int, Codes, int]]:
    """The ranks of some features, by position, in all labelled rows of a block or in some, and how many there may be:
    of the numbers that they were cut from, of those that are measured, and of those that are values.
    """
    cut, before_cutting = set(), block.numbers
    if isinstance(before_cutting, NumbersBeforeCutting):
        # Nothing is ranked yet, and ranking a sample takes less time than ranking all.
        before_cutting = before_cutting.in_rows(taken)
    else:
        before_cutting = (replace(some, ranks=some.ranks[:, taken]) for some in before_cutting)
    for numbers in before_cutting:
        for feature, ranks in zip(numbers.features.tolist(), numbers.ranks, strict=True):
            cut.add(feature)
            if feature in wanted:
                yield feature, ranks, numbers.distinct
    for feature, known in enumerate(block.dataset.features):
        found = known.scale if known.numbers is None else known.numbers
        if found is not None and feature in wanted and feature not in cut:
            numbers = RankedNumbers.of_codes(feature, known.labelled[taken], found)
            yield feature, numbers.ranks[0], numbers.distinct


def count_values(dataset: Dataset, folds: int = 1) -> ValueCounts:
    """How many labelled rows of each class hold each value of each feature; or of each class of each of some folds."""
    columns = [_counted_codes(feature) for feature in dataset.features]
    values = np.array([distinct for _, distinct in columns], dtype=np.int64)
    ends = np.cumsum(values + 1)
    offset = ends - values - 1
    classes, rows, slots = len(dataset.classes), len(dataset.labels), int((values + 1).sum())
    purpose = f"counting {slots:,} values in {classes // folds:,} classes" + (
        f" and {folds} folds" if folds > 1 else ""
    )
    require_memory(_COPIES * 8 * slots * classes, purpose, dataset.source)
    by_slot = np.empty((slots, classes))
    weights = dataset.row_weights.astype(np.float64)
    at_a_time = max(1, _CELLS_AT_A_TIME // max(rows, 1))
    for first in range(0, len(values), at_a_time):
        some = columns[first : first + at_a_time]
        counted = by_slot[offset[first] : ends[first + len(some) - 1]]
        # The narrower the numbers, the faster they are computed; bincount widens them.
        places = np.array([codes for codes, _ in some], dtype=np.min_scalar_type(counted.size))
        places += (offset[first : first + len(some), None] - offset[first]).astype(places.dtype)
        places *= classes
        places += dataset.labels.astype(places.dtype)
        of_cells = np.broadcast_to(weights, places.shape).ravel()
        counted[:] = np.bincount(places.ravel(), of_cells, minlength=counted.size).reshape(counted.shape)
    class_rows = np.bincount(dataset.labels, weights, minlength=classes).astype(np.float64)
    together = enumerate(feature.members for feature in dataset.features)
    members = {place: [_counted_codes(column) for column in columns] for place, columns in together if columns}
    return ValueCounts(values, offset, by_slot, class_rows, members)


def _counted_codes(feature: Feature) -> tuple[Codes, int]:
    """A feature's codes and its number of values. Of measured numbers it only counts whether a cell has one: a count
    for each number would take a table as long as the column, and tell nothing.
    """
    if feature.numbers is None:
        return feature.labelled, feature.values
    return (feature.labelled >= len(feature.numbers)).astype(np.uint8), 1 + feature.missing_is_value


# What is asked of a block


def count_part(block: Block, part: Part) -> ValueCounts:
    """The counts of the rows of a part that are in a block."""
    return count_values(block.rows_of(part))


def count_folds(block: Block) -> tuple[ValueCounts, ...]:
    """The counts of each fold of a block whose rows were dealt out."""
    rows, folds = block.dataset, block.folds
    if not rows.keeps_copies_together and rows.counts.max(initial=1) > 1:
        return tuple(count_values(replace(rows, counts=block.copies(fold))) for fold in range(folds))
    # One pass, as if each fold had classes of its own.
    assert block.places is not None, "the rows were dealt out"
    classes = len(rows.classes)
    labels = block.places.astype(np.int64) * classes + rows.labels
    every = count_values(replace(rows, labels=labels, classes=rows.classes * folds), folds)
    parts = (slice(fold * classes, (fold + 1) * classes) for fold in range(folds))
    return tuple(replace(every, by_slot=every.by_slot[:, one], class_rows=every.class_rows[one]) for one in parts)


def features_with_numbers(block: Block) -> list[int]:
    """The features, by position, whose numbers a block of a cluster keeps, each by itself."""
    return [int(numbers.features[0]) for numbers in block.numbers]


def count_numbers(block: Block, part: Part, first: int, end: int) -> list[Floats]:
    """How many rows of each class of a part hold each number of some of those features: numbers × classes."""
    rows, counted = block.rows_of(part), []
    classes = len(rows.classes)
    for numbers in tuple(block.numbers)[first:end]:
        slots = (numbers.distinct + 1) * classes
        # The narrower the places, the faster they are computed; bincount widens them.
        narrow = np.min_scalar_type(slots)
        places = numbers.ranks[0].astype(narrow) * narrow.type(classes) + rows.labels.astype(narrow)
        by_class = np.bincount(places, rows.counts.astype(np.float64), minlength=slots)
        counted.append(by_class.reshape(-1, classes)[:-1].astype(np.float64))
    return counted
