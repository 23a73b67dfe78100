"""How many rows of each class hold each value of each feature, and each number that a feature was cut from."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, replace

import numpy as np

from probfs.columns.dataset import Dataset, Feature, ValueCounts
from probfs.columns.prepare import PreparedTable
from probfs.columns.rules import cuts_numbers, some_numbers
from probfs.rows.blocks import Block, Part
from probfs.runtime.memory import require_memory
from probfs.tables.arrays import Codes, Floats, Integers, Labels, code_type
from probfs.tables.table import number_groups, number_matrix

_CELLS_AT_A_TIME = 1 << 17
"""So that their positions, eight bytes each, stay in the cache."""
_MOST_COUNTED = 1 << 22
"""Counts of one block, beyond which they are added where they belong: an array of zeros would cost more."""
_REPEATED = 4
"""Rows for each different number, above which sorting the numbers alone is faster than sorting the rows."""
_COPIES = 3
"""How many arrays as large as the counts there are at a time while these are made, tested and used."""


@dataclass(frozen=True, eq=False)
class NumberBlock:
    """The numbers of several features, by position: features × labelled rows, NaN where a cell is missing."""

    features: Integers
    numbers: Floats


@dataclass(frozen=True, eq=False)
class CodedNumbers:
    """The numbers of one feature, by position, as one code a labelled row: ``numbers[code]``, or missing where the code
    is ``len(numbers)``. Distinct numbers are sorted, not rows, which is several times faster where numbers repeat.
    """

    feature: int
    codes: Codes
    numbers: Floats

    def count(self, labels: Labels, classes: int, counts: Integers | Floats) -> Floats:
        """How many rows of each class hold each number: numbers × classes."""
        weights = None if (counts == 1).all() else counts
        slots = (len(self.numbers) + 1) * classes
        # The narrower the places, the faster they are computed; bincount widens them.
        narrow = np.min_scalar_type(slots)
        places = self.codes.astype(narrow) * narrow.type(classes) + labels.astype(narrow)
        by_class = np.bincount(places, weights, minlength=slots)
        return by_class.reshape(-1, classes)[:-1].astype(np.float64)


@dataclass(frozen=True, eq=False)
class NumbersBeforeCutting:
    """The numbers, in labelled rows, of every feature of the dataset that was cut into intervals, on whoever's word.
    They come one after the other, as often as they are asked for: all at once would take more memory than the table.
    """

    prepared: PreparedTable
    dataset: Dataset
    """The prepared table in the order of its rows: encoded, and not yet arranged for a classifier."""

    def __iter__(self) -> Iterator[NumberBlock | CodedNumbers]:
        prepared = self.prepared
        position = {feature.name: place for place, feature in enumerate(self.dataset.features)}
        cut = [plan.name for plan in prepared.features if plan.name in position and cuts_numbers(plan.rule)]
        many = []
        for column in (prepared.table.columns[name] for name in cut):
            if column.is_numeric and prepared.profiles[column.name].distinct * _REPEATED > column.rows:
                many.append(column)
                continue
            codes = column.codes if prepared.labelled_rows == column.rows else column.codes[prepared.labelled]
            # Texts that are no numbers stand in unlabelled rows only.
            yield CodedNumbers(position[column.name], codes, some_numbers(column.entries, column.kind))
        rows = slice(None) if prepared.labelled_weights is None else prepared.labelled
        for group in number_groups(many):
            features = np.array([position[column.name] for column in group], dtype=np.int64)
            yield NumberBlock(features, number_matrix(group)[:, rows])


def coded_numbers(
    block: Block, wanted: Container[int], taken: Integers | slice = slice(None)
) -> Iterator[CodedNumbers]:
    """The numbers of some features, by position, in all labelled rows of a block or in some: those that they were cut
    from, those that are measured, and those that are values.
    """
    cut = set()
    for part in block.numbers:
        if isinstance(part, CodedNumbers):
            cut.add(part.feature)
            if part.feature in wanted:
                yield replace(part, codes=part.codes[taken])
            continue
        for feature, by_row in zip(part.features.tolist(), part.numbers, strict=True):
            cut.add(feature)
            if feature in wanted:
                # Missing cells are NaN, of which unique leaves one, at the end.
                numbers, codes = np.unique(by_row[taken], return_inverse=True)
                yield CodedNumbers(feature, codes.astype(code_type(len(numbers))), numbers[~np.isnan(numbers)])
    for feature, known in enumerate(block.dataset.features):
        found = known.scale if known.numbers is None else known.numbers
        if found is not None and feature in wanted and feature not in cut:
            yield CodedNumbers(feature, np.minimum(known.labelled[taken], len(found)), found)


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
    by_slot = np.zeros((slots, classes))
    # Counting is faster than adding up weights of 1.
    row_weights = dataset.row_weights
    counts = None if (row_weights == 1).all() else row_weights
    features_at_a_time = max(1, _CELLS_AT_A_TIME // max(rows, 1))
    for first in range(0, len(values), features_at_a_time):
        block = columns[first : first + features_at_a_time]
        counted = by_slot[offset[first] : ends[first + len(block) - 1]].reshape(-1)
        starts = (offset[first : first + len(block), None] - offset[first]) * classes
        narrow = np.min_scalar_type(counted.size)
        for start in range(0, rows, _CELLS_AT_A_TIME):
            part = slice(start, start + _CELLS_AT_A_TIME)
            # The narrower the numbers, the faster they are computed; bincount widens them.
            places = np.array([codes[part] for codes, _ in block], dtype=narrow)
            places *= classes
            places += dataset.labels[part].astype(narrow)
            places += starts.astype(narrow)
            weights = None if counts is None else np.broadcast_to(counts[part], places.shape).ravel()
            if counted.size <= _MOST_COUNTED:
                counted += np.bincount(places.ravel(), weights, minlength=counted.size)
            else:
                np.add.at(counted, places.ravel(), 1.0 if weights is None else weights)
    class_rows = np.bincount(dataset.labels, weights=row_weights, minlength=classes).astype(np.float64)
    together = enumerate(feature.members for feature in dataset.features)
    members = {place: [_counted_codes(own) for own in columns] for place, columns in together if columns}
    return ValueCounts(values, offset, by_slot, class_rows, members)


def _counted_codes(feature: Feature) -> tuple[Codes, int]:
    """A feature's codes and its number of values. Numbers are not counted, only whether a cell has one: to count each
    would take a table as long as the column, and say nothing.
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
    """The features, by position, whose numbers a block keeps as codes."""
    return [column.feature for column in block.numbers if isinstance(column, CodedNumbers)]


def count_numbers(block: Block, part: Part, first: int, end: int) -> list[Floats]:
    """How many rows of each class of a part hold each number, for some of those features."""
    rows = block.rows_of(part)
    columns = [column for column in block.numbers if isinstance(column, CodedNumbers)][first:end]
    return [column.count(rows.labels, len(rows.classes), rows.counts) for column in columns]
