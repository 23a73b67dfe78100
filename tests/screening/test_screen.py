"""Tests of columns by values and by numbers: what changes nothing, what is rare, and what says nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probfs.columns.dataset import Dataset
from probfs.screening import column_tests
from probfs.screening.column_tests import ColumnTests, chi_squared_test, rank_test, rank_test_of_counts
from probfs.screening.counting import count_values
from probfs.screening.screen import screen
from probfs.tables.arrays import Floats, Integers
from tests.support.datasets import dataset_of_codes, datasets, repeat_rows

# Values


def run_values(columns: Sequence[Integers], labels: Integers, seed: int = 0, draws: int | None = None) -> ColumnTests:
    return chi_squared_test(count_values(dataset_of_codes(columns, labels)), seed, draws)


@given(datasets(), st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_neither_order_nor_names_nor_repetition_change_anything(dataset: Dataset, random: Random) -> None:
    before = screen(dataset, seed=3)
    rows = random.sample(range(len(dataset.labels)), len(dataset.labels))
    classes = np.array(random.sample(range(len(dataset.classes)), len(dataset.classes)))
    features = []
    for feature in dataset.features:
        names = np.array([*random.sample(range(feature.values), feature.values), feature.values])
        features.append(replace(feature, labelled=names[feature.labelled][rows].astype(np.uint8)))
    columns = random.sample(range(len(features)), len(features))
    shuffled = replace(
        dataset,
        features=tuple(features[column] for column in columns),
        labels=classes[dataset.labels][rows].astype(np.int8),
        counts=dataset.counts[rows],
    )
    for same in (shuffled, repeat_rows(shuffled)):
        assert screen(same, seed=3) == pytest.approx(before[columns], rel=1e-9)


def test_a_rare_value_is_judged_by_drawn_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    # The six rows of a rare value all have the rare class: one order in C(200, 6) / C(20, 6).
    labels = (np.arange(200) < 20).astype(np.int64)
    together, apart = (np.arange(200) < 6).astype(np.int64), (np.arange(200) % 40 == 0).astype(np.int64)
    tests = run_values([together, apart], labels)
    assert tests.p[0] <= 2 / 401
    assert tests.p[1] > 0.05
    # As many tables of four cells as there is work for, but 999 at least, which could not tell of as small a p.
    for work, p in ((5_000, 1 / 1_251), (3_000, 0.00091807789)):
        monkeypatch.setattr(column_tests, "_MOST_WORK", work)
        assert run_values([together, apart], labels, 0, 99_999).p[0] == pytest.approx(p, rel=1e-8)
    doubtful = np.isin(np.arange(200), [0, 1, 2, 60, 70, 80]).astype(np.int64)
    one, same, other = (run_values([doubtful], labels, seed).p[0] for seed in (0, 0, 1))
    assert one == same != other


# Numbers


def run_numbers(numbers: Floats, labels: Integers, seed: int = 0) -> ColumnTests:
    return rank_test(np.atleast_2d(numbers), labels, int(labels.max(initial=0)) + 1, np.ones(len(labels)), seed)


def test_where_most_rows_hold_one_number_tables_are_drawn_unless_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = (np.arange(50) < 5).astype(np.int64)
    numbers = np.zeros(50)
    numbers[[0, 1, 20, 30, 40]] = [3, 2, 1, 1, 2]
    drawn = [run_numbers(numbers, labels, seed=seed).p[0] for seed in (0, 1)]
    assert drawn[0] != drawn[1]
    assert 20 / np.array(drawn) == pytest.approx(np.round(20 / np.array(drawn))), "the twentieth as large is the last"
    # Four different numbers in two classes.
    for cells, known in ((8, True), (7, False)):
        monkeypatch.setattr(column_tests, "FEW_NUMBERS", cells)
        tests = run_numbers(numbers, labels)
        assert (tests.p[0], tests.varies[0]) == (drawn[0] if known else 1.0, known)


@pytest.mark.parametrize("classes", [2, 3])
def test_what_says_nothing_has_p_1(classes: int) -> None:
    labels = np.arange(30) % classes
    first = np.arange(30) < 3
    values = [np.zeros(30, np.int64), np.arange(30), np.full(30, -1), np.where(first, labels, -1)]
    numbers = np.array([np.full(30, np.nan), np.full(30, 7.0), np.where(first, np.arange(30), np.nan)])
    for tests in (
        *(run_values(values, labels), run_numbers(numbers, labels), run_numbers(numbers, np.zeros(30, np.int64))),
        *(run_numbers(np.empty((2, 0)), labels[:0]), rank_test_of_counts(np.zeros((1, 0, 2)), 0)),
    ):
        assert set(tests.p.tolist()) == {1.0}
        assert not tests.varies.any()
