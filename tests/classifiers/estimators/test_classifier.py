"""Scores of estimators against a hand-written loop."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from probfs.classifiers.catalogue import find_classifier
from probfs.classifiers.estimators.classifier import EstimatorClassifier
from probfs.classifiers.protocol import FitRequest, HoldOutRequest, OddsClassifier
from probfs.classifiers.unfitted import UnfittedClassifier
from probfs.columns.dataset import Dataset
from probfs.columns.folds import order_by_content
from probfs.screening.counting import count_values
from tests.support import refitted_estimators as slow
from tests.support.svm_tables import random_dataset

FEW: dict[str, Any] = {"permutations": 3, "jobs": 1}
CASES: dict[str, tuple[Any, dict[str, Any], str]] = {
    "logistic": ("logistic", {"C": 0.3}, "standardised"),
    "logistic with a scale": ("logistic", {}, "standardised"),
    "forest": ("forest", {"trees": 5, "leaf": 2, "depth": 3}, "onehot"),
    "boosting": ("boosting", {"iterations": 4, "leaf": 2, "depth": 2, "learning_rate": 0.3}, "native"),
    "a tree": (DecisionTreeClassifier(max_depth=3), {}, "onehot"),
    "neighbours, which take no weights": (KNeighborsClassifier(3), {}, "filled"),
    "a pipeline": (make_pipeline(StandardScaler(), LogisticRegression(C=0.5)), {}, "filled"),
    "a logistic regression": (LogisticRegression(C=0.5, max_iter=1_000), {}, "filled"),
    "an SVM, which cuts folds of its own": (SVC(probability=True, random_state=0), {}, "filled"),
    "calibration, which cuts folds too": (CalibratedClassifierCV(GaussianNB(), cv=2), {}, "filled"),
    "extremely random trees": (ExtraTreesClassifier(4), {}, "onehot"),
}
BUILT_IN: dict[str, Any] = {
    "logistic": LogisticRegression(C=0.3, max_iter=1_000),
    "logistic with a scale": LogisticRegression(max_iter=1_000),
    "forest": RandomForestClassifier(5, min_samples_leaf=2, max_depth=3),
    "boosting": HistGradientBoostingClassifier(
        max_iter=4, min_samples_leaf=2, max_depth=2, learning_rate=0.3, categorical_features=None, early_stopping=False
    ),
}
"""What the registered classifiers of the cases are, in scikit-learn's terms."""


def request_for(
    dataset: Dataset, classifier: Any, given: dict[str, Any], removal: str = "permute", **more: Any
) -> tuple[UnfittedClassifier, FitRequest]:
    if removal == "retrain":
        given = {name: value for name, value in given.items() if name != "permutations"}
    rounds = list(range(len(dataset.features), 0, -1))
    chosen = {"estimate": "cv", "folds": 3, "seed": 0, "rounds": rounds, "on_model": None, **more}
    model = find_classifier(classifier, {**given, "removal": removal})
    return model, FitRequest(dataset=dataset, on_note=lambda note: None, **chosen)


def fit(dataset: Dataset, classifier: Any, given: dict[str, Any], **more: Any) -> EstimatorClassifier:
    model, request = request_for(dataset, classifier, given, **more)
    found = model.fit(request)
    assert isinstance(found, EstimatorClassifier)
    assert isinstance(found, OddsClassifier)
    return found


def slow_round(dataset: Dataset, name: str, estimate: Any) -> slow.SlowRound:
    """The loop for a case; it repeats every row as often as it occurs."""
    classifier, _, block = CASES[name]
    estimator = clone(BUILT_IN.get(name, classifier))
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    if name == "logistic with a scale":
        cells = np.hstack([slow.standardised(feature, dataset.counts) for feature in dataset.features])
        repeated = np.repeat(cells[: len(dataset.labels)], dataset.counts, axis=0)
        estimator.set_params(C=1 / np.mean(np.sum(repeated**2, axis=1)))
    return slow.SlowRound(dataset, estimator, getattr(slow, block), estimate)


@pytest.mark.filterwarnings("ignore:The `probability` parameter:FutureWarning")
@pytest.mark.parametrize(
    ("name", "removal", "estimate", "rare"),
    [
        *((name, removal, "cv", False) for name in CASES for removal in ("permute", "retrain")),
        *((name, "permute", "resubstitution", False) for name in ("logistic", "forest", "a tree")),
        *(("a tree", removal, "loo", False) for removal in ("permute", "retrain")),
        *((name, "permute", "cv", True) for name in ("logistic", "forest", "boosting")),
    ],
)
def test_scores_are_those_of_a_hand_written_loop(name: str, removal: str, estimate: str, rare: bool) -> None:
    """Three classes, unlabelled and counted rows, missing cells, categories and numbers; in the second round, too.
    With one row of a class, the model of its fold has never seen the class.
    """
    classifier, options, _ = CASES[name]
    dataset = random_dataset(11, 36, "ctd", 3, 5, counted=not rare, gaps=0.15)
    if rare:
        kept = np.append(np.flatnonzero(dataset.labels != 2), np.flatnonzero(dataset.labels == 2)[:1])
        features = tuple(replace(own, labelled=own.labelled[kept]) for own in dataset.features)
        dataset = replace(dataset, features=features, labels=dataset.labels[kept], counts=dataset.counts[kept])
    fast = fit(dataset, classifier, {**FEW, **options}, removal=removal, estimate=estimate)
    loop = slow_round(dataset, name, estimate)
    left = [0, 1, 2]
    for number in (1, 2, 3):
        found = fast.score()
        expected = replace(loop, number=number).score(left, removal)
        np.testing.assert_allclose(found.s_s, expected.s_s, rtol=0, atol=1e-9)
        np.testing.assert_allclose(found.s_a, expected.s_a, rtol=0, atol=1e-9)
        assert found.s_su is not None
        np.testing.assert_allclose(found.s_su, expected.s_su, rtol=0, atol=1e-9)
        assert found.errors == expected.errors
        assert found.absolute_loss == pytest.approx(expected.absolute_loss, abs=1e-9)
        fast.drop(np.array([left.pop(1 if len(left) == 3 else 0)]))


@pytest.mark.parametrize("name", ["logistic", "forest", "boosting"])
def test_held_out_rows_are_judged_by_a_model_of_the_others(name: str) -> None:
    classifier, options, _ = CASES[name]
    dataset = random_dataset(14, 30, "ctd", 3, counted=True)
    held_out = np.where(np.arange(len(dataset.labels)) % 3 == 0, 1, 0)
    training = replace(dataset, counts=dataset.counts - held_out)
    model, _ = request_for(training, classifier, {**FEW, **options})
    odds = model.hold_out(HoldOutRequest(training, [0, 2], count_values(training), held_out, 0))
    assert odds.counts.tolist() == held_out[held_out > 0].tolist()
    some = order_by_content(replace(training, features=(dataset.features[0], dataset.features[2])), 0)
    members = np.flatnonzero(held_out)
    judging = [
        replace(own, unlabelled=found.labelled[members])
        for own in some.features
        for found in dataset.features
        if found.name == own.name
    ]
    some = replace(some, features=tuple(judging), unlabelled_counts=held_out[members])
    judged = slow_round(some, name, "cv")
    rows = len(some.labels) + np.arange(len(members))
    p = judged.predict(
        judged.fit([0, 1], some.counts), np.hstack(judged.blocks([0, 1], some.counts)), rows, some.counts
    )
    right = p[np.arange(len(members)), dataset.labels[members]]
    np.testing.assert_allclose(1 / (1 + np.exp(odds.against_own).sum(axis=0)), right, atol=1e-9)


def test_odds_are_those_of_the_scored_models_and_at_last_of_none() -> None:
    dataset = random_dataset(15, 30, "cd", 2)
    fast = fit(dataset, "logistic", FEW)
    with pytest.raises(ValueError, match="no odds before"):
        fast.odds()
    scores = fast.score()
    odds = fast.odds()
    assert odds.errors == scores.errors
    np.testing.assert_allclose(np.mean(np.log1p(np.exp(odds.against_own[0]))), scores.log_loss)
    fast.drop(np.array([0, 1]))
    assert len(fast.odds().counts) == 30
    assert fast.odds().errors >= 14
