"""Batches of exchanged rows against one call for each feature and shuffle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from probfs.classifiers.estimators.column_encoders import all_codes
from probfs.classifiers.estimators.permuted_batches import find_exchanges, permute_in_batches
from probfs.classifiers.estimators.recipe import Encoding
from tests.support.fitted_estimators import donors_of, fitted, rows_of, slow_changes
from tests.support.svm_tables import random_dataset


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    # The first column varies: without any that does, there is nothing to fit.
    kinds=st.text("cdts", min_size=1, max_size=4).map("c".__add__),
    classes=st.integers(2, 3),
    model=st.sampled_from(
        [
            (DecisionTreeClassifier(random_state=0), "onehot"),
            (GaussianNB(), "filled"),
            (GaussianNB(), "codes"),
        ]
    ),
    permutations=st.integers(1, 8),
    threads=st.integers(1, 2),
)
def test_changes_are_those_of_single_calls(
    seed: int, kinds: str, classes: int, model: tuple[Any, Encoding], permutations: int, threads: int
) -> None:
    dataset = random_dataset(seed, 24, kinds, classes, 5, gaps=0.2)
    own = fitted(dataset, *model)
    rows, donors = rows_of(dataset), donors_of(dataset, permutations)
    codes = [all_codes(feature) for feature in dataset.features]
    actual, changes = slow_changes(own, rows, donors, len(kinds))
    found, found_changes = permute_in_batches(own, rows, donors, codes, threads)
    np.testing.assert_allclose(found, actual, atol=1e-12)
    np.testing.assert_allclose(found_changes, changes, atol=1e-12)


@pytest.mark.parametrize("cells", [40, 1 << 22])
def test_boosting_takes_categories_as_codes(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probfs.classifiers.estimators.permuted_batches.CELLS_PER_BATCH", cells)
    dataset = random_dataset(4, 60, "ctt", 3, gaps=0.1)
    own = fitted(dataset, HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=3), "native")
    assert own.estimator is not None
    assert own.estimator.is_categorical_.tolist() == [False, True, True]
    rows, donors = rows_of(dataset), donors_of(dataset, 2)
    codes = [all_codes(feature) for feature in dataset.features]
    _, changes = slow_changes(own, rows, donors, 3)
    assert np.abs(changes).max() > 0.01
    np.testing.assert_allclose(permute_in_batches(own, rows, donors, codes, 2)[1], changes, atol=1e-12)


def test_rows_are_predicted_once_for_each_new_value_and_many_at_a_time() -> None:
    dataset = random_dataset(4, 50, "tds", gaps=0)
    own = fitted(dataset, GaussianNB(), "codes")
    calls: list[int] = []

    class Counting:
        classes_ = own.estimator.classes_  # type: ignore[union-attr]

        def predict_proba(self, table: Any) -> Any:
            calls.append(len(table))
            return own.estimator.predict_proba(table)  # type: ignore[union-attr]

    from dataclasses import replace

    rows, donors = rows_of(dataset), donors_of(dataset, 20)
    codes = [all_codes(feature) for feature in dataset.features]
    _, changes = permute_in_batches(replace(own, estimator=Counting()), rows, donors, codes, 1)
    distinct = {
        (feature, row, int(own_codes[donor]))
        for feature, own_codes in enumerate(codes)
        for line in donors
        for row, donor in enumerate(line)
        if own_codes[donor] != own_codes[row]
    }
    assert calls == [len(rows), len(distinct)]
    assert len(distinct) < 0.4 * donors.size * 3
    assert (changes[:, :, 2] == 0).all()


def test_exchanges_of_many_values_are_taken_as_they_come() -> None:
    codes = [np.arange(100)]
    donors = np.array([np.roll(np.arange(100), 1), np.arange(100), np.roll(np.arange(100), 1)], dtype=np.int32)
    exchanges = find_exchanges(np.arange(100), donors, codes)
    assert len(exchanges.rows) == 200
    np.testing.assert_allclose(exchanges.shares, 1 / 3)
    assert (exchanges.donors == (exchanges.rows - 1) % 100).all()
    merged = find_exchanges(np.arange(100), np.repeat(donors, 30, axis=0), codes)
    assert len(merged.rows) == 100
    np.testing.assert_allclose(merged.shares, 2 / 3)


def test_an_estimator_that_rounds_differently_in_other_batches_changes_nothing() -> None:
    dataset = random_dataset(4, 30, "cs", gaps=0)
    own = fitted(dataset, GaussianNB(), "codes")

    class Rounding:
        classes_ = own.estimator.classes_  # type: ignore[union-attr]

        def predict_proba(self, table: Any) -> Any:
            return np.full((len(table), 2), 0.5) + 1e-16 * len(table) * np.array([1, -1])

    from dataclasses import replace

    codes = [all_codes(feature) for feature in dataset.features]
    model = replace(own, estimator=Rounding())
    assert (permute_in_batches(model, rows_of(dataset), donors_of(dataset), codes, 1)[1] == 0).all()
