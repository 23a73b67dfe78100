"""Options of the built-in estimators reach scikit-learn; which estimators take weights, and copies for the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import ExtraTreesClassifier, GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import probfs
from probfs.classifiers.estimators.recipes import (
    choose_copies,
    gradient_boosting,
    is_forest,
    logistic_regression,
    random_forest,
    takes_weights_for_copies,
)
from tests.support import refitted_estimators as slow
from tests.support.svm_tables import random_dataset

SMALL, LARGE = random_dataset(1, 60, "c", gaps=0), random_dataset(1, 500, "c", gaps=0)


def test_options_reach_scikit_learn() -> None:
    forest = random_forest(SMALL, 7, 2, 4, None, 2**32 + 1).estimator.get_params()
    assert (forest["n_estimators"], forest["min_samples_leaf"], forest["max_depth"]) == (7, 2, 4)
    assert (forest["random_state"], forest["n_jobs"]) == (1, 1)
    assert random_forest(SMALL, 7, "auto", "any", None, 0).estimator.min_samples_leaf == 5
    boosting = gradient_boosting(LARGE, 4, 0.5, 9, 2, 3).estimator.get_params()
    assert (boosting["max_iter"], boosting["learning_rate"]) == (4, 0.5)
    assert (boosting["min_samples_leaf"], boosting["max_depth"], boosting["random_state"]) == (9, 2, 3)
    assert boosting["early_stopping"] is False
    leaves = [gradient_boosting(own, 4, 0.5, "auto", "any", 3).estimator.min_samples_leaf for own in (SMALL, LARGE)]
    assert leaves == [3, 20]


def test_the_penalty_of_logistic_regression_follows_the_table_unless_it_is_given() -> None:
    dataset = random_dataset(1, 60, "cdt", counted=True)
    cells = np.hstack([slow.standardised(feature, dataset.counts) for feature in dataset.features])
    repeated = np.repeat(cells[: len(dataset.labels)], dataset.counts, axis=0)
    found = logistic_regression(dataset, "scale").estimator.C
    assert found == pytest.approx(1 / np.mean(np.sum(repeated**2, axis=1)))
    assert logistic_regression(dataset, 3.0).estimator.C == 3.0


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


@pytest.mark.parametrize(
    "estimator",
    [
        Mine(),
        LogisticRegression(solver="saga"),
        LogisticRegression(class_weight="balanced"),
        LogisticRegressionCV(),
        GaussianNB(),
        DecisionTreeClassifier(),
        SVC(),
        CalibratedClassifierCV(BernoulliNB()),
        make_pipeline(StandardScaler(), LogisticRegression()),
    ],
    ids=lambda own: type(own).__name__,
)
def test_others_are_given_copies(estimator: Any) -> None:
    assert not takes_weights_for_copies(estimator)


def test_only_forests_that_average_their_trees_are_asked_tree_by_tree() -> None:
    found = [is_forest(kind()) for kind in (RandomForestClassifier, ExtraTreesClassifier, GradientBoostingClassifier)]
    assert found == [True, True, False]
    assert not is_forest(Other())


@settings(max_examples=40, deadline=None)
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
