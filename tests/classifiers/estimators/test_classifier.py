"""Scores of estimators against a hand-written loop, and what users rely on whatever the model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
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

import probfs
from probfs.classifiers.catalogue import find_classifier
from probfs.classifiers.estimators.classifier import EstimatorClassifier
from probfs.classifiers.model import Model
from probfs.classifiers.protocol import FitRequest, HoldOutRequest, OddsClassifier
from probfs.columns.dataset import Dataset
from probfs.columns.distinct_rows import order_by_content
from probfs.screening.value_counts import count_values
from tests.support import refitted_estimators as slow
from tests.support.svm_tables import random_dataset

FEW: dict[str, Any] = {"permutations": 3, "jobs": 1}
CASES: dict[str, tuple[Any, dict[str, Any], str]] = {
    "logistic": ("logistic", {"C": 0.3}, "standardised"),
    "logistic with a scale": ("logistic", {}, "standardised"),
    "forest": ("forest", {"trees": 5, "leaf": 2}, "onehot"),
    "boosting": ("boosting", {"iterations": 4, "leaf": 2, "depth": 2}, "native"),
    "a tree": (DecisionTreeClassifier(max_depth=3), {}, "onehot"),
    "neighbours, which take no weights": (KNeighborsClassifier(3), {}, "filled"),
    "a pipeline, whose scaler takes no weights": (
        make_pipeline(StandardScaler(), LogisticRegression(C=0.5)),
        {},
        "filled",
    ),
    "a logistic regression": (LogisticRegression(C=0.5, max_iter=1_000), {}, "filled"),
    "an SVM, which cuts folds of its own": (SVC(probability=True, random_state=0), {}, "filled"),
    "calibration, which cuts folds too": (CalibratedClassifierCV(GaussianNB(), cv=2), {}, "filled"),
    "extremely random trees": (ExtraTreesClassifier(4), {}, "onehot"),
}
BUILT_IN: dict[str, Any] = {
    "logistic": LogisticRegression(C=0.3, max_iter=1_000),
    "logistic with a scale": LogisticRegression(max_iter=1_000),
    "forest": RandomForestClassifier(5, min_samples_leaf=2),
    "boosting": HistGradientBoostingClassifier(
        max_iter=4, min_samples_leaf=2, max_depth=2, categorical_features=None, early_stopping=False
    ),
}
"""What the registered classifiers of the cases are, in scikit-learn's terms."""


def request_for(
    dataset: Dataset, classifier: Any, given: dict[str, Any], removal: str = "permute", **more: Any
) -> tuple[Model, FitRequest]:
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
    ("name", "removal", "estimate"),
    [
        *((name, removal, "cv") for name in CASES for removal in ("permute", "retrain")),
        *((name, "permute", "resubstitution") for name in ("logistic", "forest", "a tree")),
    ],
)
def test_scores_are_those_of_a_hand_written_loop(name: str, removal: str, estimate: str) -> None:
    """Three classes, unlabelled and counted rows, missing cells, categories and numbers; in the second round, too."""
    classifier, options, _ = CASES[name]
    dataset = random_dataset(11, 36, "ctd", 3, 5, counted=True, gaps=0.15)
    fast = fit(dataset, classifier, {**FEW, **options}, removal=removal, estimate=estimate)
    loop = slow_round(dataset, name, estimate)
    features = [0, 1, 2]
    for number in (1, 2, 3):
        found = fast.score()
        expected = replace(loop, number=number).score(features, removal)
        np.testing.assert_allclose(found.s_s, expected.s_s, rtol=0, atol=1e-9)
        np.testing.assert_allclose(found.s_a, expected.s_a, rtol=0, atol=1e-9)
        assert found.s_su is not None
        np.testing.assert_allclose(found.s_su, expected.s_su, rtol=0, atol=1e-9)
        assert found.errors == expected.errors
        assert found.absolute_loss == pytest.approx(expected.absolute_loss, abs=1e-9)
        fast.drop(np.array([features.pop(1 if len(features) == 3 else 0)]))


@pytest.mark.parametrize("removal", ["permute", "retrain"])
def test_leave_one_out_is_a_fit_for_each_row(removal: str) -> None:
    dataset = random_dataset(12, 14, "ct", 2, 3, counted=True)
    fast = fit(dataset, DecisionTreeClassifier(max_depth=3), FEW, removal=removal, estimate="loo")
    expected = slow_round(dataset, "a tree", "loo").score([0, 1], removal)
    found = fast.score()
    np.testing.assert_allclose(found.s_s, expected.s_s, atol=1e-9)
    np.testing.assert_allclose(found.s_a, expected.s_a, atol=1e-9)
    assert found.s_su is not None
    np.testing.assert_allclose(found.s_su, expected.s_su, atol=1e-9)


def test_a_fold_may_lack_a_class() -> None:
    """With one row of a class, the model of its fold has never seen the class."""
    dataset = random_dataset(13, 21, "cd", 3)
    rows = np.append(np.flatnonzero(dataset.labels != 2), np.flatnonzero(dataset.labels == 2)[:1])
    dataset = replace(
        dataset,
        features=tuple(replace(own, labelled=own.labelled[rows]) for own in dataset.features),
        labels=dataset.labels[rows],
        counts=dataset.counts[rows],
    )
    for name in ("logistic", "forest", "boosting"):
        classifier, options, _ = CASES[name]
        fast = fit(dataset, classifier, {**FEW, **options})
        expected = slow_round(dataset, name, "cv").score([0, 1], "permute")
        found = fast.score()
        np.testing.assert_allclose(found.s_s, expected.s_s, atol=1e-9)
        assert found.errors == expected.errors


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


# --- through the front door -------------------------------------------------------------------------------------------

QUICK: dict[str, dict[str, Any]] = {
    "logistic": {},
    "forest": {"trees": 3},
    "boosting": {"iterations": 2},
}


@pytest.fixture
def mixed() -> pd.DataFrame:
    generator = np.random.default_rng(5)
    sick = np.arange(60) % 2
    frame = pd.DataFrame(
        {
            "dose": generator.normal(size=60) + 2 * sick,
            "site": np.where(generator.random(60) < 0.3 + 0.4 * sick, "north", "south"),
            "noise": generator.normal(size=60),
            "sick": np.where(sick, "yes", "no"),
        }
    )
    frame.loc[::9, "noise"] = np.nan
    return frame


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("logistic", {"removal": "retrain"}),
        ("forest", {}),
        ("forest", {"removal": "retrain"}),
        ("forest", {"estimate": "oob"}),
        ("boosting", {}),
    ],
)
def test_neither_order_nor_repetition_nor_another_run_changes_a_byte(
    mixed: pd.DataFrame, name: str, options: dict[str, Any]
) -> None:
    def ranked(frame: pd.DataFrame, **more: Any) -> str:
        chosen = {"folds": 3, "permutations": 4, **QUICK[name], **options, **more}
        if "removal" in options:
            del chosen["permutations"]
        if "estimate" in options:
            del chosen["folds"]
        return probfs.rank(frame, target="sick", classifier=name, **chosen).to_csv()

    twice = pd.concat([mixed, mixed.iloc[:20]])
    counted = mixed.assign(n=np.where(np.arange(len(mixed)) < 20, 2, 1))
    shuffled = twice.sample(frac=1, random_state=1)[["sick", "noise", "site", "dose"]]
    assert ranked(twice) == ranked(twice)
    assert ranked(shuffled) == ranked(twice)
    assert ranked(counted, count="n") == ranked(twice)


@pytest.mark.parametrize("options", [{"folds": 2}, {"estimate": "oob"}])
def test_jobs_do_not_change_the_result(
    mixed: pd.DataFrame, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("probfs.runtime.parallel.SECONDS_WORTH_WORKERS", 0.0)
    alone, together = (
        probfs.rank(mixed, target="sick", classifier="forest", trees=3, jobs=jobs, step=2, **options).to_csv()
        for jobs in (1, 2)
    )
    assert together == alone


def test_progress_and_notes_are_told(mixed: pd.DataFrame) -> None:
    heard: list[tuple[int, int]] = []
    notes: list[str] = []
    ranking = probfs.rank(
        mixed,
        target="sick",
        classifier="forest",
        trees=1,
        estimate="oob",
        on_model=lambda done, total: heard.append((done, total)),
        on_note=notes.append,
    )
    assert heard == [(1, 3), (2, 3), (3, 3)]
    drawn = [note for note in ranking.warnings if "drawn for every tree" in note]
    assert len(drawn) == 1
    assert 'estimate="cv"' in drawn[0]
    assert drawn[0] in notes


@pytest.mark.parametrize("name", QUICK)
def test_columns_without_numbers_or_always_the_same_score_nothing(name: str) -> None:
    generator = np.random.default_rng(0)
    sick = np.arange(40) % 2
    frame = pd.DataFrame({"far": 1e300 * (generator.random(40) + sick), "same": "x", "empty": [np.nan] * 40})
    frame["sick"] = np.where(sick, "yes", "no")
    more = frame.drop(columns="sick").assign(empty=1.0).iloc[:4]
    ranking = probfs.rank(frame, target="sick", classifier=name, unlabeled=more, folds=3, **QUICK[name])
    by_name = {own.feature: own for own in ranking.features}
    assert by_name["same"].s_s == by_name["empty"].s_s == by_name["empty"].s_su == 0
    assert by_name["far"].s_s > 0.05
    assert not any("warned" in note for note in ranking.warnings)


def test_leave_one_out_says_how_many_models_there_will_be(mixed: pd.DataFrame) -> None:
    notes: list[str] = []
    probfs.rank(
        mixed.iloc[:20], target="sick", classifier="logistic", estimate="loo", eliminate=False, on_note=notes.append
    )
    note = 'leave-one-out with the logistic regression: 20 models will be fitted; estimate="cv" takes less'
    assert note in notes


# --- columns that matter together -------------------------------------------------------------------------------------


def xor(rows: int = 240) -> pd.DataFrame:
    generator = np.random.default_rng(3)
    first, second = generator.integers(0, 2, (2, rows))
    frame = pd.DataFrame({f"noise{number}": generator.integers(0, 3, rows).astype(str) for number in range(4)})
    frame["one"], frame["other"] = np.array(["a", "b"])[first], np.array(["u", "v"])[second]
    return frame.assign(y=np.where(first ^ second, "yes", "no"))


def circle(rows: int = 400) -> pd.DataFrame:
    """On a ring or beside it, inside or outside: either coordinate alone says next to nothing."""
    generator = np.random.default_rng(1)
    points = generator.uniform(-1, 1, (rows, 2))
    radius = np.hypot(*points.T)
    frame = pd.DataFrame(generator.uniform(-1, 1, (rows, 4)), columns=[f"noise{number}" for number in range(4)])
    ring = (radius > 0.55) & (radius < 1.0)
    return frame.assign(one=points[:, 0], other=points[:, 1], y=np.where(ring, "on", "beside"))


@pytest.mark.parametrize("table", [xor, circle])
@pytest.mark.parametrize(
    ("name", "options"), [("forest", {"trees": 40, "estimate": "oob"}), ("boosting", {"folds": 2, "iterations": 30})]
)
def test_forest_and_boosting_find_columns_that_tell_only_together(
    table: Any, name: str, options: dict[str, Any]
) -> None:
    ranking = probfs.rank(table(), target="y", classifier=name, permutations=5, score="signed", step=2, **options)
    assert {own.feature for own in ranking.features[:2]} == {"one", "other"}
    naive = probfs.rank(table(), target="y", score="signed")
    assert {own.feature for own in naive.features[:2]} != {"one", "other"}
    rows = ranking.input.labelled_rows
    assert ranking.rounds[0].errors < 0.3 * rows < 0.4 * rows < naive.rounds[0].errors
