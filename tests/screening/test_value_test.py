"""X² and its p-value, against all orders of the labels and against many shuffles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaincc
from scipy.stats import chi2_contingency

from probfs.columns.dataset import Dataset
from probfs.screening import column_tests
from probfs.screening.column_tests import ColumnTests, chi_squared_test
from probfs.screening.counting import count_values
from probfs.tables.arrays import Integers
from tests.support.screening import dataset_of, datasets, enumerated_p, value_relation


def run(columns: Sequence[Integers], labels: Integers, counts: Integers | None = None, seed: int = 0) -> ColumnTests:
    return chi_squared_test(count_values(dataset_of(columns, labels, counts)), seed)


@given(datasets())
@settings(max_examples=30)
def test_the_statistic_is_that_of_fractions(dataset: Dataset) -> None:
    tests = chi_squared_test(count_values(dataset), 0)
    for position, feature in enumerate(dataset.features):
        codes = np.repeat(feature.labelled, dataset.counts).tolist()
        labels = np.repeat(dataset.labels, dataset.counts).tolist()
        present = [(code, label) for code, label in zip(codes, labels, strict=True) if code < feature.values]
        wanted = value_relation(*map(list, zip(*present, strict=True))) * len(present) if present else 0
        assert tests.statistic[position] == pytest.approx(float(wanted), abs=1e-12)


def test_p_of_few_rows_is_the_share_of_all_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where it is no claim, and the tail would do."""
    monkeypatch.setattr(column_tests, "_CLAIM_OF_FEW_ROWS", 2.0)
    random = np.random.default_rng(5)
    labels = np.array([0, 0, 0, 0, 1, 1, 1, 2])
    for _ in range(12):
        values = random.integers(0, 3, 8)
        tests = run([values], labels)
        wanted = enumerated_p(value_relation, values.tolist(), labels.tolist())
        assert tests.p[0] == pytest.approx(wanted, rel=1e-9)


def x_squared(column: Integers, labels: Integers) -> float:
    classes = labels.max() + 1
    table = np.bincount(column * classes + labels, minlength=(column.max() + 1) * classes).reshape(-1, classes)
    table = table[table.any(axis=1)]
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    return float(((table - expected) ** 2 / expected).sum())


@pytest.mark.parametrize(("rows", "values", "classes"), [(60, 2, 2), (200, 5, 3), (40, 8, 2), (150, 20, 4)])
def test_p_is_near_the_share_of_many_shuffles(rows: int, values: int, classes: int) -> None:
    random = np.random.default_rng(rows)
    labels = random.integers(0, classes, rows)
    for strength in (0.1, 0.25):
        told = random.random(rows) < strength
        column = np.where(told, labels % values, random.integers(0, values, rows))
        limit = x_squared(column, labels) * (1 - 1e-9)
        share = float(np.mean([x_squared(column, random.permutation(labels)) >= limit for _ in range(1500)]))
        assert run([column], labels).p[0] == pytest.approx(share, abs=0.03 + 0.1 * share)


def test_the_closed_form_is_that_of_scipys_gamma_function() -> None:
    random = np.random.default_rng(0)
    labels = random.integers(0, 3, 400)
    columns = [np.where(random.random(400) < share, labels, random.integers(0, 5, 400)) for share in (0, 0.1, 0.3, 0.9)]
    tests = run(columns, labels)
    for column, p, statistic in zip(columns, tests.p, tests.statistic, strict=True):
        table = np.zeros((5, 3))
        np.add.at(table, (column, labels), 1)
        value_rows, class_rows, n = table.sum(axis=1), table.sum(axis=0), table.sum()
        assert statistic == pytest.approx(chi2_contingency(table, correction=False).statistic)
        v = [(n - len(m)) * (len(m) - 1) / (n - 1) for m in (value_rows, class_rows)]
        w = [(n * (1 / m).sum() - len(m) ** 2) / (n - 2) for m in (value_rows, class_rows)]
        mean = n * 8 / (n - 1)
        variance = 2 * n / (n - 3) * (v[0] - w[0]) * (v[1] - w[1]) + n**2 / (n - 1) * w[0] * w[1]
        assert p == pytest.approx(gammaincc(mean**2 / variance, statistic * (1 - 1e-9) * mean / variance), rel=1e-9)


def test_a_rare_value_is_judged_by_drawn_tables() -> None:
    # The six rows of a rare value all have the rare class: one order in C(200, 6) / C(20, 6).
    labels = (np.arange(200) < 20).astype(np.int64)
    together, apart = (np.arange(200) < 6).astype(np.int64), (np.arange(200) % 40 == 0).astype(np.int64)
    tests = run([together, apart], labels)
    assert tests.p[0] <= 2 / 401
    assert tests.p[1] > 0.05
    doubtful = np.isin(np.arange(200), [0, 1, 2, 60, 70, 80]).astype(np.int64)
    p = [run([doubtful], labels, seed=seed).p[0] for seed in (0, 0, 1)]
    assert p[0] == p[1] != p[2]


@pytest.mark.parametrize("classes", [2, 3])
def test_what_says_nothing_has_p_1(classes: int) -> None:
    labels = np.arange(30) % classes
    columns = [np.zeros(30, np.int64), np.arange(30), np.full(30, -1), np.where(np.arange(30) < 3, labels, -1)]
    tests = run(columns, labels)
    assert tests.p.tolist() == [1.0] * 4
    assert not tests.varies.any()


@given(datasets(), st.randoms(use_true_random=False))
@settings(max_examples=25)
def test_neither_order_nor_names_change_anything(dataset: Dataset, random: Random) -> None:
    before = chi_squared_test(count_values(dataset), 3)
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
    after = chi_squared_test(count_values(shuffled), 3)
    assert after.p == pytest.approx(before.p[columns], rel=1e-9)
    assert after.statistic == pytest.approx(before.statistic[columns], abs=1e-12)
