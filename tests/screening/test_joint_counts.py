"""Counts of pairs of features: of all rows at once, and of parts added up."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields, replace
from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.columns.dataset import Dataset
from probfs.screening import joint_counts
from probfs.screening.redundancy import CodedTable, CountedCombinations, CountTables, PairCounts, Pairs, PairSums
from tests.support.screening import datasets


def part_of(dataset: Dataset, rows: slice) -> Dataset:
    features = tuple(replace(own, labelled=own.labelled[rows]) for own in dataset.features)
    return replace(dataset, features=features, labels=dataset.labels[rows], counts=dataset.counts[rows])


def count_one(dataset: Dataset, pairs: Pairs) -> PairCounts:
    (counts,) = CodedTable.of(dataset).count([pairs])
    return counts


def assert_same_sums(found: PairSums, expected: PairSums) -> None:
    for own in fields(PairSums):
        np.testing.assert_allclose(getattr(found, own.name), getattr(expected, own.name), rtol=1e-12, atol=1e-12)


@given(datasets(rows=20), st.integers(0, 20), st.integers(0, 20), st.sampled_from([0, 1 << 21]))
def test_parts_add_up(dataset: Dataset, first: int, second: int, at_a_time: int) -> None:
    pairs = Pairs(0, [len(dataset.features) - 1])
    low, high = sorted((first, second))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(joint_counts, "CELLS_AT_A_TIME", at_a_time)
        whole = count_one(dataset, pairs)
        parts = [count_one(part_of(dataset, own), pairs) for own in (slice(low), slice(low, high), slice(high, None))]
    assert isinstance(whole, CountTables if at_a_time else CountedCombinations)
    assert_same_sums(reduce(add, parts).sums(), whole.sums())


@given(datasets(rows=20))
def test_few_and_many_combinations_are_counted_alike(dataset: Dataset) -> None:
    pairs = Pairs(0, [len(dataset.features) - 1])
    tables = count_one(dataset, pairs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(joint_counts, "CELLS_AT_A_TIME", 0)
        combinations = count_one(dataset, pairs)
    assert_same_sums(combinations.sums(), tables.sums())


@given(datasets(rows=20))
def test_tables_hold_the_rows_of_each_combination(dataset: Dataset) -> None:
    others = list(range(len(dataset.features)))
    counts = count_one(dataset, Pairs(0, others))
    assert isinstance(counts, CountTables)
    first = dataset.features[0]
    for place, start in zip(others, counts.first.tolist(), strict=True):
        other = dataset.features[place]
        rows: Counter[tuple[int, int, int]] = Counter()
        for j, i, label, own in zip(first.labelled, other.labelled, dataset.labels, dataset.counts, strict=True):
            rows[int(j), int(i), int(label)] += int(own)
        for (j, i, label), own in rows.items():
            if j < first.values and i < other.values:
                assert counts.tables[j, start + i, label] == own
        # Rows in which the other cell is missing are not counted.
        assert not counts.tables[:, start + other.values].any()
