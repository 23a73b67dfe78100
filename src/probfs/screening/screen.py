"""Every feature of a table tested against the class: p-values, and the rate of false discoveries among them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

import numpy as np

from probfs.columns.dataset import LEAST_TOTAL, Dataset, ValueCounts
from probfs.rows.blocks import Blocks, Part, Sample
from probfs.runtime.parallel import count_cores, map_in_threads
from probfs.screening.column_tests import ColumnTests, chi_squared_test, order_test, rank_test, rank_test_of_counts
from probfs.screening.counting import RankedNumbers, count_numbers, count_values, features_with_numbers
from probfs.screening.permutations import enough_draws
from probfs.screening.subjects import subject_tests
from probfs.tables.arrays import Floats, Integers

_COLUMNS_AT_ONCE = 8
"""The counts of all numbers in all blocks might not fit in one place."""


def screen_part(blocks: Blocks, dataset: Dataset, sample: Sample | None, counts: ValueCounts, seed: int) -> Floats:
    """The p-value of every feature of the dataset by some rows of all blocks, of which the counts are known.

    For columns that are ranked together, it is the smallest p-value of these columns, times their number (Bonferroni).
    """
    part = Part(sample=sample)
    if blocks.here is not None and counts.members:
        columns, rows = counts.by_column, blocks.here.rows_of(part).ungrouped()
        p = screen(rows, blocks.here.numbers, seed, columns.counts)
        _, starts, number = np.unique(columns.feature, return_index=True, return_counts=True)
        return np.minimum(np.minimum.reduceat(p, starts) * number, 1.0)
    if blocks.here is not None:
        return screen(blocks.here.rows_of(part), blocks.here.numbers, seed, counts)
    draws = enough_draws(len(counts.values))
    tests = order_test(counts, [feature.scale for feature in dataset.features], seed, draws)
    features = blocks.each(features_with_numbers)[0]
    for first in range(0, len(features), _COLUMNS_AT_ONCE):
        counted = blocks.ask(count_numbers, part, first, first + _COLUMNS_AT_ONCE)
        for feature, by_class in zip(features[first:], counted, strict=False):
            tests.put(np.array([feature]), rank_test_of_counts(by_class[None], seed, draws))
    return combined_probabilities(chi_squared_test(counts, seed, draws), tests)


def screen(
    dataset: Dataset,
    numbers: Iterable[RankedNumbers] = (),
    seed: int = 0,
    counts: ValueCounts | None = None,
) -> Floats:
    """The p-value of every feature: the probability of a relation to the class as large as seen, by values or by
    numbers, if it had none. Rows whose cell is missing are left out.

    ``numbers`` are the numbers of features that were cut into intervals, row by row as in the dataset; a feature that
    holds numbers itself needs none. ``seed`` is for tables drawn where values or classes are rare. ``counts`` are the
    dataset's, where they are known already. A row may count for no row at all.

    Weighted counts are scaled to the effective number of rows, and judged by the law alone: no table that could be
    drawn or enumerated has weights.
    """
    if dataset.groups is not None:
        return combined_probabilities(*subject_tests(dataset, numbers, seed))
    uncut = (
        RankedNumbers.of_codes(position, feature.labelled, feature.numbers)
        for position, feature in enumerate(dataset.features)
        if feature.numbers is not None
    )
    draws = enough_draws(len(dataset.features))
    counts = count_values(dataset) if counts is None else counts
    rows: Integers | Floats = dataset.counts
    if dataset.weights is not None:
        draws, scale = 0, dataset.effective_rows / max(dataset.total_weight, LEAST_TOTAL)
        counts, rows = counts.scaled(scale), np.asarray(dataset.row_weights * scale)
    tests = order_test(counts, [feature.scale for feature in dataset.features], seed, draws)

    def test(numbers: RankedNumbers) -> tuple[Integers, ColumnTests]:
        return numbers.features, rank_test(numbers, dataset.labels, len(dataset.classes), rows, seed, draws)

    for features, tested in map_in_threads(test, chain(uncut, numbers), count_cores()):
        tests.put(features, tested)
    return combined_probabilities(chi_squared_test(counts, seed, draws), tests)


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
