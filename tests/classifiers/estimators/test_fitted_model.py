"""A fitted estimator's probabilities, aligned with all classes; row counts; and what goes wrong in one line."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from probfs.classifiers.estimators.fitted_model import fit_model
from probfs.errors import DataError
from tests.support.fitted_estimators import fitted, without_codes_of_classes
from tests.support.svm_tables import random_dataset

ROWS = np.arange(15)


@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_are_classes_by_rows_and_of_two_only_the_second(classes: int) -> None:
    model = fitted(random_dataset(1, 30, "cd", classes), DecisionTreeClassifier(max_depth=2), "onehot")
    assert model.estimator is not None
    expected = model.estimator.predict_proba(model.cells.take(ROWS)).T
    np.testing.assert_array_equal(model.probabilities(ROWS), expected[1:] if classes == 2 else expected)


def test_many_rows_are_predicted_in_several_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    model = fitted(random_dataset(1, 30, "cd"), DecisionTreeClassifier(max_depth=2), "onehot")
    expected = model.probabilities(ROWS)
    monkeypatch.setattr("probfs.classifiers.estimators.fitted_model._CELLS_PER_CALL", 7)
    np.testing.assert_array_equal(model.probabilities(ROWS), expected)


@pytest.mark.parametrize("absent", [0, 1, 2])
def test_a_class_that_is_not_trained_on_is_impossible(absent: int) -> None:
    dataset = without_codes_of_classes(random_dataset(1, 30, "cd", 3), absent)
    model = fitted(dataset, LogisticRegression(), "standardised")
    found = model.probabilities(np.arange(10))
    others = [label for label in range(3) if label != absent]
    assert model.present.tolist() == others
    assert model.estimator is not None
    np.testing.assert_array_equal(found[others].T, model.estimator.predict_proba(model.cells.take(np.arange(10))))
    assert (found[absent] == 0).all()


def test_classes_may_come_in_another_order() -> None:
    class Reversed:
        classes_ = np.array([2, 1, 0])

        def predict_proba(self, table: Any) -> Any:
            return np.tile([0.5, 0.3, 0.2], (len(table), 1))

    model = replace(fitted(random_dataset(1, 30, "cd", 3), LogisticRegression(), "standardised"), estimator=Reversed())
    assert model.probabilities(np.array([4]))[:, 0].tolist() == [0.2, 0.3, 0.5]


def test_one_class_or_no_column_leaves_the_shares() -> None:
    dataset = random_dataset(1, 30, "cd", 3, counted=True)
    alone = fitted(
        without_codes_of_classes(without_codes_of_classes(dataset, 0), 2), LogisticRegression(), "standardised"
    )
    assert alone.estimator is None
    assert alone.probabilities(np.arange(2)).tolist() == [[0, 0], [1, 1], [0, 0]]
    bare = fitted(replace(dataset, features=()), LogisticRegression(), "standardised")
    shares = np.bincount(dataset.labels, weights=dataset.counts) / dataset.rows
    np.testing.assert_allclose(bare.probabilities(np.arange(2)), np.stack([shares, shares], axis=1))


def test_counts_are_copies_or_where_the_recipe_says_so_weights() -> None:
    dataset = random_dataset(1, 30, "cd", counted=True, gaps=0)
    weighted = fitted(dataset, LogisticRegression(), "standardised", weighted=True)
    repeated = fit_model(replace(weighted.recipe, weighted=False), weighted.cells, weighted.rows)
    np.testing.assert_allclose(weighted.probabilities(ROWS), repeated.probabilities(ROWS), atol=1e-6)
    assert len(weighted.trained) == len(dataset.labels) < len(repeated.trained) == dataset.rows
    neighbours = fitted(dataset, KNeighborsClassifier(3), "onehot")
    assert neighbours.estimator is not None
    assert neighbours.estimator.n_samples_fit_ == dataset.rows
    assert not neighbours.thinned
    assert not weighted.thinned


def test_beyond_the_most_copies_fewer_are_made_in_proportion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probfs.classifiers.estimators.row_copies.MOST_COPIES", 40)
    dataset = random_dataset(1, 30, "cd", counted=True, gaps=0)
    model = fitted(dataset, KNeighborsClassifier(3), "onehot")
    assert model.thinned
    assert set(model.trained.tolist()) == set(range(len(dataset.labels)))
    assert 40 <= len(model.trained) < dataset.rows


def test_the_recipe_s_estimator_is_not_touched() -> None:
    forest = RandomForestClassifier(3)
    fitted(random_dataset(1, 30, "cd"), forest, "single")
    assert not hasattr(forest, "estimators_")


class Odd(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Fails as it is told to."""

    def __init__(self, failure: str) -> None:
        self.failure = failure

    def fit(self, cells: Any, labels: Any, sample_weight: Any = None) -> Odd:
        if self.failure == "fit":
            raise ValueError("columns are wrong.\nsecond line")
        warnings.warn("first line\nsecond line", ConvergenceWarning, stacklevel=1)
        warnings.warn("old", FutureWarning, stacklevel=1)
        self.classes_ = np.unique(labels)
        return self

    def predict_proba(self, cells: Any) -> Any:
        if self.failure == "predict":
            raise TypeError("no such thing")
        return np.full((len(cells), 3 if self.failure == "shape" else 2), np.nan if self.failure == "nan" else 0.5)


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        ("fit", "the test could not be fitted: columns are wrong"),
        ("predict", "the test failed to predict: no such thing"),
        ("shape", "predict_proba of the test must give 2 finite probabilities for each row, and does not"),
        ("nan", "predict_proba of the test must give 2 finite probabilities for each row, and does not"),
    ],
)
def test_failures_are_told_in_one_line(failure: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        fitted(random_dataset(1, 30, "cd"), Odd(failure), "onehot").probabilities(ROWS)
    assert str(caught.value) == message


def test_warnings_of_a_fit_are_kept_and_not_shown() -> None:
    assert fitted(random_dataset(1, 30, "cd"), Odd(""), "onehot").warning == "ConvergenceWarning: first line"
    assert fitted(random_dataset(1, 30, "cd"), LogisticRegression(), "standardised").warning is None
