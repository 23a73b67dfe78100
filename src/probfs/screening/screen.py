"""Every feature of a dataset tested against the class, with the rate of false discoveries among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import TypeAlias

import numpy as np

from probfs.columns.dataset import Dataset, Feature, ValueCounts
from probfs.columns.prepare import PreparedTable
from probfs.columns.rules import cuts_numbers, some_numbers
from probfs.rows.block import Block, Part, Sample
from probfs.rows.blocks import Blocks
from probfs.runtime.memory import require_memory
from probfs.runtime.threads import count_cores, map_ahead
from probfs.screening.number_test import (
    CodedNumbers,
    NumberBlock,
    NumberCounts,
    rank_test,
    rank_test_of_codes,
    rank_test_of_counts,
)
from probfs.screening.permutation_law import ColumnTests
from probfs.screening.permutations import enough_draws
from probfs.screening.value_test import chi_squared_test
from probfs.tables.arrays import Codes, Floats
from probfs.tables.cells import encode_cells
from probfs.tables.column import Column
from probfs.tables.table import number_groups, number_matrix

_CELLS_AT_A_TIME = 1 << 17
"""So that their positions, eight bytes each, stay in the cache."""
_MOST_COUNTED = 1 << 22
_COLUMNS_AT_ONCE = 8
"""Counts of one block, beyond which they are added where they belong: an array of zeros would cost more."""
_REPEATED = 4
"""Rows for each different number, above which sorting the numbers alone is faster than sorting the rows."""


@dataclass(frozen=True, eq=False)
class Screening:
    """The tests of all features, in the order of the dataset."""

    p: Floats
    """The probability of a relation as large as seen if the feature were independent of the class."""
    q: Floats
    """The least rate of false discoveries at which the feature counts as related."""
    chi_squared: Floats
    """X² of class and value; 0 for a feature of one value."""
    kruskal_wallis: Floats
    """H of class and number; 0 for a feature without numbers."""

    @classmethod
    def of(cls, by_value: ColumnTests, by_number: ColumnTests) -> Screening:
        """What the tests of values and those of numbers say together."""
        p = combined_probabilities(by_value, by_number)
        return cls(p, q_values(p), by_value.statistic, by_number.statistic)


NumberSource: TypeAlias = NumberBlock | CodedNumbers | NumberCounts
"""The numbers of one feature or of several."""


def screen_part(blocks: Blocks, sample: Sample | None, counts: ValueCounts, seed: int) -> Screening:
    """Test every feature by some rows of all blocks, of which the counts are known."""
    part = Part(sample=sample)
    if blocks.here is not None:
        return screen(blocks.here.rows_of(part), blocks.here.numbers, seed, counts)
    tests, draws = ColumnTests.of_nothing(len(counts.values)), enough_draws(len(counts.values))
    columns = sum(blocks.each(_columns_of_numbers)[:1])
    for first in range(0, columns, _COLUMNS_AT_ONCE):
        # The counts of all columns in all blocks might not fit in one place.
        for own in blocks.ask(count_numbers, part, first, first + _COLUMNS_AT_ONCE):
            tests.put(np.array([own.feature]), rank_test_of_counts(own.by_class, seed, draws))
    return Screening.of(chi_squared_test(counts, seed), tests)


def screen(
    dataset: Dataset,
    numbers: Iterable[NumberSource] = (),
    seed: int = 0,
    counts: ValueCounts | None = None,
) -> Screening:
    """Test every feature against the class, in labelled rows whose cell is not missing.

    ``numbers`` are the numbers of features that were cut into intervals, row by row as in the dataset; a feature that
    holds numbers itself needs none. ``seed`` is for tables drawn where values or classes are rare. ``counts`` are the
    dataset's own, where they are known already. A row may count for no row at all.
    """
    by_value = chi_squared_test(count_values(dataset) if counts is None else counts, seed)
    return Screening.of(by_value, _number_tests(dataset, numbers, seed))


def combined_probabilities(first: ColumnTests, second: ColumnTests) -> Floats:
    """One p-value of two tests of each column: twice the smaller one, or that of the only test that could tell.

    Whether a test can tell depends on the column and on how large the classes are, not on which row has which class.
    """
    both = np.minimum(1.0, 2 * np.minimum(first.p, second.p))
    return np.where(first.varies & second.varies, both, np.where(second.varies, second.p, first.p))


def q_values(p: Floats) -> Floats:
    """For each p-value, the least rate of false discoveries at which it still counts as a discovery (Benjamini &
    Hochberg 1995).

    >>> q_values(np.array([0.01, 0.04, 0.03, 1.0])).round(4)
    array([0.04  , 0.0533, 0.0533, 1.    ])
    """
    order = np.argsort(p, kind="stable")
    rates = p[order] * len(p) / np.arange(1, len(p) + 1)
    q = np.empty(len(p))
    q[order] = np.minimum(np.minimum.accumulate(rates[::-1])[::-1], 1.0)
    return q


def count_values(dataset: Dataset) -> ValueCounts:
    """How many labelled rows of each class hold each value of each feature."""
    columns = [_counted_codes(feature) for feature in dataset.features]
    values = np.array([distinct for _, distinct in columns], dtype=np.int64)
    ends = np.cumsum(values + 1)
    offset = ends - values - 1
    classes, rows, slots = len(dataset.classes), len(dataset.labels), int((values + 1).sum())
    require_memory(8 * slots * classes, f"counting {slots:,} values in {classes:,} classes", dataset.source)
    by_slot = np.zeros((slots, classes))
    # Counting is faster than adding up weights of 1.
    counts = None if (dataset.counts == 1).all() else dataset.counts.astype(np.float64)
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
    class_rows = np.bincount(dataset.labels, weights=dataset.counts, minlength=classes).astype(np.float64)
    return ValueCounts(values, offset, by_slot, class_rows)


def _counted_codes(feature: Feature) -> tuple[Codes, int]:
    """A feature's codes and its number of values. Numbers are not counted, only whether a cell has one: to count each
    would take a table as long as the column, and say nothing.
    """
    if feature.numbers is None:
        return feature.labelled, feature.values
    return (feature.labelled >= len(feature.numbers)).astype(np.uint8), 1 + feature.missing_is_value


def _columns_of_numbers(block: Block) -> int:
    return len(tuple(block.numbers))


def count_numbers(block: Block, part: Part, first: int, end: int) -> list[NumberCounts]:
    """How many rows of a part hold each number that some features were cut from, in a block that keeps their codes."""
    rows = block.rows_of(part)
    classes = len(rows.classes)
    counted = []
    for own in tuple(block.numbers)[first:end]:
        assert isinstance(own, CodedNumbers), "blocks of a cluster keep codes"
        places = own.codes * np.int64(classes) + rows.labels
        by_class = np.bincount(places, rows.counts, minlength=(len(own.numbers) + 1) * classes)
        counted.append(NumberCounts(own.feature, by_class.reshape(-1, classes)[:-1].astype(np.float64)))
    return counted


def count_part(block: Block, part: Part) -> ValueCounts:
    """The counts of the rows of a part that are in a block."""
    return count_values(block.rows_of(part))


def count_folds(block: Block) -> tuple[ValueCounts, ...]:
    """The counts of each fold of a block whose rows were dealt out."""
    rows, folds = block.dataset, block.folds
    if rows.counts.max(initial=1) > 1:
        return tuple(count_values(replace(rows, counts=block.copies(fold))) for fold in range(folds))
    # One pass, as if each fold had classes of its own.
    assert block.places is not None, "the rows were dealt out"
    classes = len(rows.classes)
    labels = block.places.astype(np.int64) * classes + rows.labels
    every = count_values(replace(rows, labels=labels, classes=rows.classes * folds))
    parts = (slice(fold * classes, (fold + 1) * classes) for fold in range(folds))
    return tuple(replace(every, by_slot=every.by_slot[:, own], class_rows=every.class_rows[own]) for own in parts)


def _number_tests(dataset: Dataset, numbers: Iterable[NumberSource], seed: int) -> ColumnTests:
    uncut = (
        CodedNumbers(position, feature.labelled, feature.numbers)
        for position, feature in enumerate(dataset.features)
        if feature.numbers is not None
    )
    rows = (dataset.labels, len(dataset.classes), dataset.counts, seed, enough_draws(len(dataset.features)))

    def test(part: NumberSource) -> ColumnTests:
        if isinstance(part, NumberCounts):
            return rank_test_of_counts(part.by_class, *rows[-2:])
        return rank_test(part.numbers, *rows) if isinstance(part, NumberBlock) else rank_test_of_codes(part, *rows)

    tests = ColumnTests.of_nothing(len(dataset.features))
    threads = count_cores()
    for part, found in map_ahead(lambda part: (part, test(part)), chain(uncut, numbers), threads, ahead=threads):
        tests.put(part.features if isinstance(part, NumberBlock) else np.array([part.feature]), found)
    return tests


def numbers_before_cutting(prepared: PreparedTable, dataset: Dataset) -> Iterator[NumberBlock | CodedNumbers]:
    """The numbers, in labelled rows, of every feature of the dataset that was cut into intervals, on whoever's word.

    ``dataset`` has the rows of the prepared table in their order: it is encoded, and not yet arranged for a classifier.
    """
    if len(dataset.labels) != prepared.labelled_rows:
        raise ValueError("the dataset has other rows than the table")
    position = {feature.name: place for place, feature in enumerate(dataset.features)}
    cut = [
        prepared.table.columns[plan.name]
        for plan in prepared.features
        if plan.name in position and cuts_numbers(plan.rule)
    ]
    many = []
    for column in cut:
        distinct = prepared.facts.labelled[column.name].distinct
        if column.is_numeric and distinct * _REPEATED > column.rows:
            many.append(column)
        else:
            yield _coded_numbers(prepared, column, position[column.name])
    rows = slice(None) if prepared.labelled_weights is None else prepared.labelled
    for group in number_groups(many):
        features = np.array([position[column.name] for column in group], dtype=np.int64)
        yield NumberBlock(features, number_matrix(group)[:, rows])


def _coded_numbers(prepared: PreparedTable, column: Column, feature: int) -> CodedNumbers:
    # Not the column's own codes, which it would keep.
    codes, entries = encode_cells(column.cells, column.kind) if column.is_numeric else (column.codes, column.entries)
    if prepared.labelled_rows != column.rows:
        codes = codes[prepared.labelled]
    # Texts that are no numbers stand in unlabelled rows only.
    return CodedNumbers(feature, codes, some_numbers(entries, column.kind))
