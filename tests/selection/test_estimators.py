"""Selecting by the support vector machine and by other estimators, judged by cross-validation: no temperature."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import probfs
from probfs import DataError
from probfs.classifiers.catalogue import SVM
from probfs.classifiers.protocol import FitRequest
from probfs.classifiers.scores import SCORES
from probfs.columns.dataset import Dataset
from probfs.columns.folds import deal_folds, order_by_content, with_distinguishing_features
from probfs.ranking.elimination import eliminate, schedule
from probfs.ranking.settings import choose_selection_settings
from probfs.runtime.progress import Progress
from probfs.selection.nested import nested_cross_validation
from tests.selection.test_choice import candidates_of, dealt
from tests.support.datasets import mixed_dataset
from tests.support.plain_selection import standard_error
from tests.support.refits import ReferenceSvm, held_out_probabilities, standardised


def linear_frame(rows: int = 60) -> pd.DataFrame:
    """Two columns that tell the class, a near copy of one of them, and noise."""
    random = np.random.default_rng(0)
    first, second, noise = (random.normal(size=rows).round(3) for _ in range(3))
    sick = first + second + random.normal(size=rows) / 2 > 0
    copy = (first + random.normal(size=rows) / 3).round(3)
    return pd.DataFrame({"first": first, "second": second, "copy": copy, "noise": noise, "sick": sick})


def select(frame: pd.DataFrame, **keywords: Any) -> probfs.Selection:
    return probfs.select(frame, target="sick", **{"classifier": "svm", "folds": 0, "permutations": 5, **keywords})


@pytest.mark.parametrize(
    ("classifier", "options"),
    [
        ("svm", {"kernel": "rbf"}),
        ("forest", {"trees": 5, "permutations": 3, "jobs": 3}),
        (DecisionTreeClassifier(max_depth=3), {"permutations": 3}),
    ],
    ids=["svm", "forest", "estimator"],
)
def test_columns_that_tell_only_together_are_kept_and_none_is_tested(
    classifier: Any, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    fit, jobs = RandomForestClassifier.fit, set()

    def recording_fit(self: Any, *cells: Any, **more: Any) -> Any:
        jobs.add(self.n_jobs)
        return fit(self, *cells, **more)

    monkeypatch.setattr(RandomForestClassifier, "fit", recording_fit)
    one, other = np.random.default_rng(3).integers(0, 2, (2, 80))
    noise = np.random.default_rng(4).integers(0, 3, 80)
    frame = pd.DataFrame({"noise": noise, "one": one, "other": other}).astype(str).assign(sick=one ^ other)
    with threadpool_limits(1):
        selection = select(frame, classifier=classifier, **{"folds": 2, **options})
    assert set(selection.kept) == {"one", "other"}
    assert selection.honest is not None
    assert selection.honest.kept.errors < 0.2 * selection.honest.kept.rows
    assert {own.verdict for own in selection.features} <= {"keep", "weak", "redundant"}
    document = json.loads(selection.to_json())
    assert [own["temperature"] for own in document["sizes"]] == [None] * 4
    assert [(own["p"], own["q"]) for own in document["features"]] == [(None, None)] * 3
    assert document["settings"]["estimate"] == "cv"
    assert jobs == ({3} if classifier == "forest" else set()), "of the models of the folds, too"


def test_a_linear_choice_has_the_order_and_the_losses_of_a_ranking() -> None:
    frame = linear_frame()
    heard: list[Progress] = []
    selection = select(frame, on_progress=heard.append)
    verdicts = {own.feature: own.verdict for own in selection.features}
    assert verdicts["noise"] == "noise"
    assert verdicts["second"] == "keep"
    assert {verdicts["first"], verdicts["copy"]} == {"keep", "redundant"}
    survivors = [own for own in selection.features if own.verdict != "noise"]
    ranking = probfs.rank(
        frame,
        target="sick",
        classifier="svm",
        estimate="cv",
        permutations=5,
        score="signed",
        include=[own.feature for own in survivors],
    )
    assert [own.feature for own in ranking.features] == [own.feature for own in survivors]
    by_size = {own.features: own for own in ranking.rounds}
    for size in selection.sizes[1:]:
        assert size.log_loss == pytest.approx(by_size[size.features].log_loss, rel=1e-12)
        assert size.errors == by_size[size.features].errors
    models = [(own.done, own.total) for own in heard if own.unit == "models"]
    assert models[-1] == (33, 33)


def test_a_number_of_columns_and_counted_rows() -> None:
    frame = linear_frame(40)[["first", "second", "sick"]]
    counts = np.random.default_rng(5).integers(1, 4, len(frame))
    repeated = select(frame.loc[frame.index.repeat(counts)], keep=1)
    counted = select(frame.assign(n=counts), count="n", keep=1)
    assert len(counted.kept) == 1
    assert counted.features == repeated.features
    assert counted.sizes == repeated.sizes


def test_a_class_of_too_few_rows_for_two_to_train_on_is_refused() -> None:
    frame = linear_frame(20)[["first", "second", "sick"]].astype({"sick": str})
    frame.loc[:2, "sick"] = "rare"
    with pytest.raises(DataError, match=r"'rare' has 3 rows only, .* use folds=0, or drop the class with min_class=5"):
        select(frame, folds=3)
    assert select(frame, always="first").input.classes["rare"] == 3


def shares_loss(dataset: Dataset, folds: int) -> float:
    """The cross-validated log-loss of the class shares."""
    total = 0.0
    for held in deal_folds(dataset, folds, 0):
        shares = np.bincount(dataset.labels, weights=dataset.counts - held) / (dataset.rows - held.sum())
        total -= held @ np.log(shares[dataset.labels])
    return float(total / dataset.rows)


def plain_choice(training: Dataset) -> list[int]:
    """The features of the size with the least loss, by the rounds of an elimination."""
    dataset = order_by_content(training, 0)
    names = [feature.name for feature in dataset.features]
    request = FitRequest(dataset, "cv", 10, 0, schedule(len(names), 1), lambda note: None, None)
    svm = SVM(kernel="rbf", permutations=5, jobs=1).fit(request)
    left: list[str] = []
    losses = [shares_loss(dataset, 10)]
    for current in eliminate(svm, names, SCORES["signed"], 1):
        losses.insert(1, current.scores.log_loss)
        left.insert(0, names[current.active[current.leaving[0]]])
    best = int(np.argmin(losses))
    return [[feature.name for feature in training.features].index(name) for name in left[:best]]


def test_the_honest_estimate_is_that_of_a_plain_loop() -> None:
    dataset = mixed_dataset(3, 26, "ccc", counted=True)
    settings = choose_selection_settings(classifier="svm", options={"permutations": 5, "kernel": "rbf"})
    estimate, kept_in_each = nested_cross_validation(*dealt(candidates_of(dataset, settings), 2), "best")
    losses: list[list[float]] = [[], [], []]
    errors = [0, 0, 0]
    kept_in_folds = np.zeros(3, dtype=np.int64)
    for held in deal_folds(with_distinguishing_features(dataset), 2, 0):
        training = replace(dataset, counts=dataset.counts - held)
        kept = plain_choice(training)
        kept_in_folds[kept] += 1
        members = np.flatnonzero(held)
        labels = dataset.labels[members]
        for model, features in enumerate((kept, [0, 1, 2], [])):
            found = held_out_probabilities(
                training, features, held, lambda table: (ReferenceSvm.of(table, SVM(kernel="rbf")), standardised)
            )
            own = np.maximum(found[np.arange(len(members)), labels], 1 / (2 * dataset.rows))
            losses[model] += np.repeat(-np.log(own), held[members]).tolist()
            errors[model] += int(held[members][found.argmax(axis=1) != labels].sum())
    for judged, own_losses, own_errors in zip(
        (estimate.kept, estimate.all, estimate.none), losses, errors, strict=True
    ):
        assert (judged.rows, judged.errors) == (dataset.rows, own_errors)
        assert judged.log_loss == pytest.approx(np.mean(own_losses), abs=1e-6)
        assert judged.se == pytest.approx(standard_error(own_losses), abs=1e-6)
    np.testing.assert_array_equal(kept_in_each, kept_in_folds)


def test_a_linear_model_tests_columns_first() -> None:
    generator = np.random.default_rng(0)
    sick = np.arange(60) % 2
    frame = pd.DataFrame({"dose": generator.normal(size=60) + 2 * sick, "noise": generator.normal(size=60)})
    frame["sick"] = np.where(sick, "yes", "no")
    for classifier in ("logistic", GaussianNB()):
        selection = probfs.select(frame, target="sick", classifier=classifier, folds=0)
        assert selection.kept == ("dose",)
        assert selection.settings.model.default_estimate == "cv"
