"""Copies among features, against a comparison of all pairs of cells."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from probfs.columns.dataset import Dataset, Feature
from probfs.screening import copies
from probfs.screening.redundancy import find_copies
from probfs.screening.screen import count_values
from probfs.tables.arrays import text_array
from tests.support.datasets import feature_of, random_dataset
from tests.support.screening import datasets


def divide_alike(dataset: Dataset, one: Feature, other: Feature) -> bool:
    """Whether two cells are equal in one feature exactly where they are in the other, missing ones included."""
    rows = np.flatnonzero(dataset.counts > 0).tolist()
    return all(
        (one.labelled[a] == one.labelled[b]) == (other.labelled[a] == other.labelled[b]) for a in rows for b in rows
    ) and all((one.labelled[a] == one.values) == (other.labelled[a] == other.values) for a in rows)


def found(dataset: Dataset) -> set[tuple[int, ...]]:
    groups = find_copies(dataset, count_values(dataset))
    return {pair for group in groups for pair in combinations(sorted(group), 2)}


@given(datasets(rows=5), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_copies_divide_the_rows_alike(dataset: Dataset, random: Random) -> None:
    features = list(dataset.features)
    for feature in dataset.features[:2]:
        # The same values under other codes, one of which no row holds.
        codes = np.array([*random.sample(range(feature.values + 1), feature.values), feature.values + 1])
        features.append(feature_of(f"{feature.name}_copy", feature.values + 1, codes[feature.labelled]))
    dataset = replace(dataset, features=tuple(features))
    wanted = {
        (a, b) for a, b in combinations(range(len(features)), 2) if divide_alike(dataset, features[a], features[b])
    }
    assert found(dataset) == wanted


def test_rows_are_compared_only_where_counts_allow_a_copy() -> None:
    dataset = random_dataset(2_000, features=40, values=3, classes=2, seed=0)
    twin = feature_of("twin", 3, (dataset.features[7].labelled.astype(np.int64) + 1) % 3)
    dataset = replace(dataset, features=(*dataset.features, twin))
    counts = count_values(dataset)
    assert copies.with_equal_sums(counts, np.arange(41)).tolist() == [7, 40]
    assert find_copies(dataset, counts) == ((7, 40),)


def test_a_missing_cell_is_no_value_and_measured_numbers_have_no_copies() -> None:
    codes = np.array([0, 1, 2, 2, 0, 1])
    labels = np.array([0, 1, 0, 1, 0, 1], dtype=np.int8)
    skipped, counted = feature_of("skipped", 2, codes), feature_of("counted", 3, codes)
    measured = Feature("m", text_array([]), codes.astype(np.uint8), np.empty(0, np.uint8), np.array([1.0, 5.0, 6.0]))
    features = (skipped, counted, measured, replace(measured, name="n"))
    dataset = Dataset(features, ("n", "y"), labels, np.ones(6, np.int64), np.empty(0, np.int64))
    assert found(dataset) == set()
    assert found(replace(dataset, features=())) == set()
