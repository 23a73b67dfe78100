"""Folds of rows in blocks are those of all rows together."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from probfs.cluster.folds import count_folds, deal_blocks, find_telling_features

from probfs.classifiers.naive_bayes.model import SlotLayout
from probfs.cluster.blocks import Blocks
from probfs.columns.dataset import Dataset
from probfs.columns.folds import deal_folds, telling_rows_apart
from probfs.screening.screen import count_values
from tests.support.blocks import blocks_of, condense
from tests.support.datasets import random_dataset
from tests.support.screening import datasets


def rows_of_folds(codes: Any, labels: Any, copies: Any) -> Counter[Any]:
    """How many copies of each row, by its class and cells, each fold has."""
    found: Counter[Any] = Counter()
    for fold, own in enumerate(copies):
        for row in np.flatnonzero(own):
            found[fold, int(labels[row]), *codes[:, row].tolist()] += int(own[row])
    return found


def dealt(blocks: Blocks) -> Counter[Any]:
    parts = blocks.cluster.gather(blocks.futures)
    return sum((rows_of_folds(own.labelled.codes, own.labelled.labels, own.copies) for own in parts), Counter())


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("values", [2, 5])
def test_rows_are_dealt_out_as_in_one_place(seed: int, values: int) -> None:
    dataset = random_dataset(200, 6, values, 3, seed)
    dataset = replace(dataset, counts=np.random.default_rng(seed).integers(1, 4, 200))
    blocks = blocks_of(dataset, [20, 20, 130])
    telling = find_telling_features(blocks, dataset.features, 3)
    expected = telling_rows_apart(dataset)
    assert [own.name for own in telling.values()] == [own.name for own in expected.features]
    assert [dataset.features[place].name for place in telling] == [own.name for own in telling.values()]
    codes = np.stack([own.labelled for own in dataset.features])
    assert dealt(deal_blocks(blocks, condense(dataset), telling, 4, seed)) == rows_of_folds(
        codes, dataset.labels, deal_folds(expected, 4, seed)
    )


@given(datasets(rows=14), st.lists(st.integers(0, 14), max_size=3).map(sorted))
def test_as_many_features_tell_rows_apart(dataset: Dataset, cuts: list[int]) -> None:
    dataset = replace(dataset, counts=np.maximum(dataset.counts, 1))
    found = find_telling_features(blocks_of(dataset, cuts), dataset.features, len(dataset.classes))
    assert [own.name for own in found.values()] == [own.name for own in telling_rows_apart(dataset).features]


def test_folds_are_counted() -> None:
    dataset = random_dataset(100, 4, 3, 2, seed=0)
    blocks = blocks_of(dataset, [30, 60])
    own = deal_blocks(blocks, condense(dataset), dict(enumerate(dataset.features)), 3, 0)
    layout = SlotLayout.of([feature.values for feature in dataset.features])
    for counts, copies in zip(count_folds(own, layout, 2), deal_folds(dataset, 3, 0), strict=True):
        expected = count_values(replace(dataset, counts=copies))
        np.testing.assert_array_equal(counts.rows, expected.class_rows)
        np.testing.assert_array_equal(counts.by_slot, expected.by_slot)


@given(
    st.integers(0, 1000),
    st.integers(2, 3),
    st.integers(2, 4),
    st.lists(st.integers(0, 60), max_size=4).map(sorted),
    st.integers(1, 3),
)
def test_every_row_is_dealt_as_it_would_be(seed: int, classes: int, folds: int, cuts: list[int], values: int) -> None:
    dataset = random_dataset(60, 3, values, classes, seed)
    counts = np.random.default_rng(seed).integers(0, 4, 60)
    dataset = replace(dataset, counts=counts + (np.arange(60) < 2 * classes))
    every = dict(enumerate(dataset.features))
    found = dealt(deal_blocks(blocks_of(dataset, cuts), condense(dataset), every, folds, 0))
    codes = np.stack([own.labelled for own in dataset.features])
    assert found == rows_of_folds(codes, dataset.labels, deal_folds(dataset, folds, 0))
