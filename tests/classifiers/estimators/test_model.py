"""Probabilities aligned with all classes; permuted batches and out-of-bag votes against loops; failures in one line."""

from __future__ import annotations

import warnings
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import probfs
from probfs.classifiers.estimators import model as model_module
from probfs.classifiers.estimators.encoders import MatrixCells
from probfs.classifiers.estimators.model import FittedEstimator
from probfs.classifiers.estimators.recipes import (
    Encoding,
    choose_copies,
    gradient_boosting,
    is_forest,
    takes_weights_for_copies,
)
from probfs.errors import DataError
from probfs.tables.arrays import Floats
from tests.support.fitted_estimators import donors_of, fitted, rows_of, slow_changes, without_codes_of_classes
from tests.support.svm_tables import random_dataset

MODELS: list[tuple[Any, Encoding, bool]] = [
    (DecisionTreeClassifier(random_state=0), "onehot", False),
    (RandomForestClassifier(4, random_state=0), "single", False),
    (ExtraTreesClassifier(3, random_state=0), "single", False),
    (HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=3), "native", False),
    (GaussianNB(), "filled", False),
    (GaussianNB(), "codes", False),
    (LogisticRegression(), "standardised", True),
]


@given(
    seed=st.integers(0, 10_000),
    # The first column varies: without any that does, there is nothing to fit.
    kinds=st.text("cdts", min_size=1, max_size=4).map("c".__add__),
    classes=st.integers(2, 4),
    model=st.sampled_from(MODELS),
    permutations=st.integers(1, 8),
    missing_is_value=st.booleans(),
    cells_per_call=st.sampled_from([40, model_module.CELLS_PER_CALL]),
)
def test_permuted_probabilities_are_those_of_a_call_for_each_feature_and_shuffle(
    seed: int,
    kinds: str,
    classes: int,
    model: tuple[Any, Encoding, bool],
    permutations: int,
    missing_is_value: bool,
    cells_per_call: int,
) -> None:
    dataset = random_dataset(seed, 24, kinds, classes, 5, gaps=0.2, missing_is_value=missing_is_value)
    estimator, encoding, linear_terms = model
    own = fitted(dataset, estimator, encoding, linear_terms=linear_terms)
    rows, donors = rows_of(dataset), donors_of(dataset, permutations)
    actual, changes = slow_changes(own, rows, donors, len(kinds))
    with patch.object(model_module, "CELLS_PER_CALL", cells_per_call):
        found, found_changes = own.permute(rows, donors, 1)
    np.testing.assert_allclose(found, actual, atol=1e-12)
    np.testing.assert_allclose(found_changes, changes, atol=1e-12)


def test_rows_are_predicted_once_for_each_new_value_and_many_at_a_time() -> None:
    dataset = random_dataset(4, 50, "tds", gaps=0)
    own = fitted(dataset, GaussianNB(), "codes")
    calls: list[int] = []

    def predict(cells: Any) -> Any:
        calls.append(len(cells))
        # Some estimators answer a little differently in other batches.
        return own.estimator.predict_proba(cells) + 1e-16 * len(cells)  # type: ignore[union-attr]

    rows, donors = rows_of(dataset), donors_of(dataset, 20)
    counting = SimpleNamespace(classes_=own.estimator.classes_, predict_proba=predict)  # type: ignore[union-attr]
    _, changes = replace(own, estimator=counting).permute(rows, donors, 1)
    pairs = [(row, donor) for line in donors for row, donor in enumerate(line)]
    distinct = {
        (place, row, codes[to]) for place, codes in enumerate(own.codes) for row, to in pairs if codes[to] != codes[row]
    }
    assert calls == [len(rows), len(distinct)]
    assert len(distinct) < 0.4 * donors.size * 3
    assert (changes[:, :, 2] == 0).all(), "a constant changes nothing at all"


def votes_of_trees(model: FittedEstimator, rows: np.ndarray, cells: Floats) -> Floats:
    """The mean vote of the trees for which a row was not drawn, one row and tree after the other; of all trees for
    an unlabelled row, and the frequencies of the classes for a row that was drawn for every tree.
    """
    forest, trained = model.estimator, model.rows
    assert forest is not None
    # Each copy of a row is judged by the trees that it was not drawn for.
    copies = np.repeat(trained.positions, trained.counts).tolist()
    means = []
    for row, own in zip(rows.tolist(), cells, strict=True):
        places = [place for place, copy in enumerate(copies) if copy == row] or [-1]
        votes = [
            tree.predict_proba(own[None].astype(np.float32))[0]
            for tree, known in zip(forest.estimators_, forest.estimators_samples_, strict=True)
            for place in places
            if place not in known
        ]
        means.append(np.mean(votes, axis=0) if votes else trained.class_counts / trained.counts.sum())
    return np.array(means).T


@pytest.mark.parametrize(("classes", "trees", "counted"), [(2, 12, False), (3, 12, True), (3, 2, False)])
def test_out_of_bag_a_row_is_judged_by_the_trees_that_did_not_see_it(classes: int, trees: int, counted: bool) -> None:
    dataset = random_dataset(5, 30, "cdt", classes, 4, counted)
    model = fitted(dataset, RandomForestClassifier(trees, random_state=2), "single", out_of_bag=True)
    rows, donors = rows_of(dataset), donors_of(dataset, 3)
    found, changes = model.permute(rows, donors, 1)
    assert isinstance(model.cells, MatrixCells)
    actual = votes_of_trees(model, rows, model.cells.cells)
    first = 1 if classes == 2 else 0
    np.testing.assert_allclose(found, actual[first:], atol=1e-12)
    for feature in range(3):
        columns = model.cells.columns(feature)
        change = np.zeros_like(actual)
        for line in donors:
            permuted = model.cells.cells.copy()
            permuted[:, columns] = model.cells.cells[line, columns]
            # A row that has its own value again is not asked about again.
            change += (actual - votes_of_trees(model, rows, permuted)) / len(donors)
        np.testing.assert_allclose(changes[:, :, feature], change[first:], atol=1e-12)
    drawn = [set(model.trained[own].tolist()) for own in model.estimator.estimators_samples_]  # type: ignore[union-attr]
    unjudged = model.report.unjudged
    assert counted or unjudged == len(set.intersection(*drawn))
    assert unjudged or trees > 2


@pytest.mark.parametrize("absent", [0, 1, 2])
def test_a_class_that_is_not_trained_on_is_impossible(absent: int) -> None:
    dataset = without_codes_of_classes(random_dataset(1, 30, "cd", 3), absent)
    rows = np.arange(10)
    others = [label for label in range(3) if label != absent]
    for estimator in (LogisticRegression(), RandomForestClassifier(3, random_state=0)):
        model = fitted(dataset, estimator, "filled")
        found = model.probabilities(rows)
        assert model.estimator is not None
        np.testing.assert_array_equal(found[others].T, model.estimator.predict_proba(model.cells.take(rows)))
        assert (found[absent] == 0).all()
        assert (model.permute(rows, donors_of(dataset)[:, rows], 1)[1][absent] == 0).all()
        # Nor need an estimator name its classes in order.
        mirrored = SimpleNamespace(
            classes_=model.estimator.classes_[::-1],
            predict_proba=lambda cells, own=model.estimator: own.predict_proba(cells)[:, ::-1],
        )
        np.testing.assert_array_equal(replace(model, estimator=mirrored).probabilities(rows), found)


def test_one_class_or_no_column_leaves_the_frequencies() -> None:
    dataset = random_dataset(1, 30, "cd", 3, counted=True)
    alone = without_codes_of_classes(without_codes_of_classes(dataset, 0), 2)
    model = fitted(alone, LogisticRegression(), "standardised")
    assert model.probabilities(np.arange(2)).tolist() == [[0, 0], [1, 1], [0, 0]]
    bare = fitted(replace(dataset, features=()), LogisticRegression(), "standardised")
    frequencies = np.bincount(dataset.labels, weights=dataset.counts) / dataset.rows
    np.testing.assert_allclose(bare.probabilities(np.arange(2)), np.stack([frequencies, frequencies], axis=1))


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
        warnings.warn("of predictions", UserWarning, stacklevel=1)
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
        fitted(random_dataset(1, 30, "cd"), Odd(failure), "onehot").probabilities(np.arange(15))
    assert str(caught.value) == message


def test_warnings_of_a_model_are_kept_and_not_shown() -> None:
    odd = fitted(random_dataset(1, 30, "cd"), Odd(""), "onehot")
    odd.probabilities(np.arange(3))
    assert odd.report.warning == "ConvergenceWarning: first line"
    assert not hasattr(odd.recipe.estimator, "classes_"), "the recipe's own estimator is not touched"


# --- what estimators are made and given -------------------------------------------------------------------------------


def test_leaves_are_smaller_in_small_tables() -> None:
    small, large = (random_dataset(1, rows, "c", gaps=0) for rows in (60, 500))
    found = [gradient_boosting(own, 4, 0.5, "auto", "any", 2**32 + 3).estimator for own in (small, large)]
    assert [(own.min_samples_leaf, own.random_state) for own in found] == [(3, 3), (20, 3)]


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(C=0.5, tol=1e-10, max_iter=1_000),
        LogisticRegression(solver="newton-cholesky", tol=1e-10, class_weight={0: 2.0}),
        BernoulliNB(binarize=1.0),
        CategoricalNB(),
        ComplementNB(),
        MultinomialNB(),
    ],
    ids=lambda own: type(own).__name__,
)
def test_a_weight_is_so_many_copies_to_those_that_are_given_weights(estimator: Any) -> None:
    assert takes_weights_for_copies(estimator)
    generator = np.random.default_rng(1)
    cells, labels, counts = generator.integers(0, 4, (40, 3)), np.arange(40) % 3, generator.integers(1, 9, 40)
    weighted = estimator.fit(cells, labels, sample_weight=counts.astype(float)).predict_proba(cells)
    repeated = estimator.fit(np.repeat(cells, counts, axis=0), np.repeat(labels, counts)).predict_proba(cells)
    np.testing.assert_allclose(weighted, repeated, atol=1e-9)


class Mine(LogisticRegression):  # type: ignore[misc]  # scikit-learn has no types
    """May do anything."""


class Other(RandomForestClassifier):  # type: ignore[misc]  # scikit-learn has no types
    """May do anything, too."""


def test_others_are_given_copies_and_only_forests_that_average_are_asked_tree_by_tree() -> None:
    linear = [Mine(), LogisticRegression(solver="saga"), LogisticRegression(class_weight="balanced")]
    composed = [CalibratedClassifierCV(BernoulliNB()), make_pipeline(StandardScaler(), LogisticRegression())]
    others = [*linear, LogisticRegressionCV(), GaussianNB(), DecisionTreeClassifier(), SVC(), *composed]
    assert not any(takes_weights_for_copies(own) for own in others)
    forests = [RandomForestClassifier(), ExtraTreesClassifier(), GradientBoostingClassifier(), Other()]
    assert [is_forest(own) for own in forests] == [True, True, False, False]


@given(counts=st.lists(st.integers(1, 10_000), min_size=1, max_size=30), most=st.integers(1, 5_000))
def test_copies_are_in_proportion_and_never_none(counts: list[int], most: int) -> None:
    own = np.array(counts)
    copies = choose_copies(own, most)
    assert (copies >= 1).all()
    if own.sum() <= most:
        assert copies.tolist() == counts
        return
    assert most <= copies.sum() <= most + len(counts)
    assert (np.abs(copies - own * most / own.sum()) <= 1).all()


def test_a_ranking_says_that_copies_were_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(2)
    frame = pd.DataFrame({"a": generator.integers(0, 3, 90), "b": generator.integers(0, 2, 90), "y": ["n", "p"] * 45})
    chosen: dict[str, Any] = {"target": "y", "classifier": DecisionTreeClassifier(max_depth=2), "folds": 3}
    assert not any("in proportion" in note for note in probfs.rank(frame, **chosen, jobs=1).warnings)
    monkeypatch.setattr("probfs.classifiers.estimators.recipes.MOST_COPIES", 30)
    notes = [note for note in probfs.rank(frame, **chosen, jobs=1).warnings if "in proportion" in note]
    assert notes == [
        "there are more rows than the 30 that DecisionTreeClassifier is given: of equal rows it was given fewer, in "
        "proportion, and each different row at least once"
    ]
