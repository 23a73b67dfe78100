"""Scores of classifiers that are refitted against a hand-written loop of refits and really permuted matrices."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
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
from sklearn.tree import DecisionTreeClassifier

from probfs.classifiers import compiling
from probfs.classifiers.catalogue import SVM, find_classifier
from probfs.classifiers.protocol import FitRequest, HoldOutRequest
from probfs.classifiers.refitting import models
from probfs.classifiers.refitting.classifier import RefittedClassifier
from probfs.classifiers.refitting.rows import Split, draw_donors, odds_of
from probfs.columns.dataset import Dataset
from probfs.columns.together import put_together
from probfs.notes import Note
from probfs.screening.counting import count_values
from tests.support import refits
from tests.support.datasets import mixed_dataset

CASES: dict[str, tuple[Any, dict[str, Any], str]] = {
    "logistic": ("logistic", {"C": 0.3}, "standardised"),
    "logistic with a scale": ("logistic", {}, "standardised"),
    "forest": ("forest", {"trees": 5, "leaf": 2, "depth": 3}, "onehot"),
    "boosting": ("boosting", {"iterations": 4, "leaf": 2, "depth": 2, "learning_rate": 0.3}, "native"),
    "a tree": (DecisionTreeClassifier(max_depth=3), {}, "onehot"),
    "neighbours, which take no weights": (KNeighborsClassifier(3), {}, "filled"),
    "a pipeline": (make_pipeline(StandardScaler(), LogisticRegression(C=0.5)), {}, "filled"),
    "calibration, which cuts folds of its own": (CalibratedClassifierCV(GaussianNB(), cv=2), {}, "filled"),
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


def fit(dataset: Dataset, classifier: Any, **more: Any) -> RefittedClassifier:
    rounds = list(range(len(dataset.features), 0, -1))
    chosen = {"estimate": "resubstitution", "folds": None, "seed": 0, "rounds": rounds, "on_model": None, **more}
    found = classifier.fit(FitRequest(dataset=dataset, on_note=lambda note: None, **chosen))
    assert isinstance(found, RefittedClassifier)
    return found


def check(fast: RefittedClassifier, loop: refits.SlowRound, removal: str, rounds: int, tolerance: float) -> None:
    """Compare some rounds with the reference."""
    for number in range(1, rounds + 1):
        expected = replace(loop, number=number).score(fast.active.tolist(), removal)
        found = fast.score()
        for own, others in ((found.s_s, expected.s_s), (found.s_a, expected.s_a), (found.s_su, expected.s_su or None)):
            assert (own is None) == (others is None)
            np.testing.assert_allclose(own or [] if own is None else own, others or [], rtol=0, atol=tolerance)
        assert abs(found.errors - expected.errors) <= expected.ties
        assert found.cv_errors == expected.cv_errors
        assert found.absolute_loss == pytest.approx(expected.absolute_loss, abs=tolerance)
        assert (fast.odds().errors, fast.odds().loss_and_derivatives(1.0)[0]) == (found.errors, found.log_loss)
        fast.drop(fast.active[number % 2 : number % 2 + 1] if len(fast.active) > 2 else fast.active[:1])
    # Without a feature there are the frequencies of the classes among the rows that a model is trained on.
    data = loop.dataset
    frequencies = np.bincount(data.labels, weights=data.counts) / data.rows
    fast.drop(fast.active)
    assert fast.odds().rows == data.rows
    expected_loss = -float(frequencies @ np.log(frequencies))
    assert fast.odds().loss_and_derivatives(1.0)[0] == pytest.approx(
        expected_loss, abs=1e-9 if loop.estimate == "resubstitution" else 0.3
    )


# Estimators


def reference(name: str, dataset: Dataset) -> tuple[Any, refits.Block]:
    classifier, _, block = CASES[name]
    estimator = clone(BUILT_IN.get(name, classifier))
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    if name == "logistic with a scale":
        cells = np.hstack([refits.standardised(column, dataset.counts) for column in dataset.ungrouped().features])
        repeated = np.repeat(cells[: len(dataset.labels)], dataset.counts, axis=0)
        estimator.set_params(C=1 / np.mean(np.sum(repeated**2, axis=1)))
    return estimator, getattr(refits, block)


def model_of(name: str, removal: str = "permute") -> Any:
    classifier, options, _ = CASES[name]
    permutations = {"permutations": 3} if removal == "permute" else {}
    return find_classifier(classifier, {"jobs": 1, "removal": removal, **permutations, **options})


def with_one_row_of_a_class(dataset: Dataset) -> Dataset:
    """So that the model of its fold has never seen the class."""
    kept = np.append(np.flatnonzero(dataset.labels != 2), np.flatnonzero(dataset.labels == 2)[:1])
    features = tuple(replace(own, labelled=own.labelled[kept]) for own in dataset.features)
    return replace(dataset, features=features, labels=dataset.labels[kept], counts=dataset.counts[kept])


MIXED = {
    "counted": mixed_dataset(11, 36, "ctd", 3, 5, counted=True, gaps=0.15),
    "a rare class": with_one_row_of_a_class(mixed_dataset(11, 36, "ctd", 3, 5, gaps=0.15)),
    "together": put_together(
        mixed_dataset(12, 36, "ctdct", 3, 5, counted=True, gaps=0.15), {"one": ["f1"], "others": ["f2", "f3", "f4"]}
    ),
}
"""Three classes, unlabelled rows, missing cells, categories and numbers; and columns that are one feature."""


@pytest.mark.parametrize(
    ("table", "name", "removal", "estimate"),
    [
        *(("counted", name, "permute", "cv") for name in CASES),
        *(("counted", name, "retrain", "cv") for name in ("logistic", "forest", "a pipeline")),
        *(("counted", name, "permute", "resubstitution") for name in ("logistic", "a tree")),
        *(("counted", "a tree", removal, "loo") for removal in ("permute", "retrain")),
        *(("a rare class", name, "permute", "cv") for name in ("logistic", "forest", "boosting")),
        *(("together", name, "permute", "cv") for name in (*BUILT_IN, "a tree", "a pipeline")),
        *(("together", name, "retrain", "cv") for name in ("logistic with a scale", "boosting")),
    ],
)
def test_scores_of_estimators_are_those_of_a_hand_written_loop(
    table: str, name: str, removal: str, estimate: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = MIXED[table]
    # In batches of a few rows or, of the tree, of all at once.
    monkeypatch.setattr("probfs.classifiers.refitting.estimators.CELLS_PER_CALL", 1 << 22 if name == "a tree" else 40)
    fast = fit(dataset, model_of(name, removal), estimate=estimate, folds=3)
    check(fast, refits.SlowRound(dataset, *reference(name, dataset), estimate), removal, 2, 1e-9)


# The SVM


def with_far_rows(dataset: Dataset) -> Dataset:
    """Two unlabelled rows are far from all labelled ones."""
    first = dataset.features[0]
    assert first.numbers is not None
    numbers = first.numbers.copy()
    numbers[np.setdiff1d(first.unlabelled, [*first.labelled, len(numbers)])[-2:]] = [40.0, 300.0]
    return replace(dataset, features=(replace(first, numbers=numbers), *dataset.features[1:]))


def check_svm(
    dataset: Dataset, rounds: int = 1, estimate: Any = "resubstitution", folds: int | None = None, **options: Any
) -> RefittedClassifier:
    svm = SVM(jobs=1, **options)
    reference_svm = refits.ReferenceSvm.of(dataset, svm)
    permutations = svm.in_effect()["permutations"] or 0
    loop = refits.SlowRound(dataset, reference_svm, refits.standardised, estimate, folds, permutations)
    fast = fit(dataset, svm, estimate=estimate, folds=folds)
    check(fast, loop, svm.removal, rounds, 1e-6)
    return fast


TABLES = {
    "quantities": mixed_dataset(1, 30, "cccc"),
    "categories": mixed_dataset(2, 30, "ttd"),
    "mixed": mixed_dataset(3, 40, "ctdcs"),
    "three classes": mixed_dataset(4, 45, "ctcd", classes=3),
    "unlabelled": mixed_dataset(5, 24, "ctd", unlabelled=17),
    "far rows": with_far_rows(mixed_dataset(13, 30, "ccd", unlabelled=12)),
    "counted": mixed_dataset(6, 24, "ctd", unlabelled=9, counted=True),
    "two rows of a class": mixed_dataset(7, 9, "cct", classes=4),
    "one feature": mixed_dataset(8, 20, "c"),
    "constants": mixed_dataset(0, 6, "ss", classes=3),
    "missing as a value": mixed_dataset(13, 36, "cdts", unlabelled=8, counted=True, gaps=0.3, missing_is_value=True),
    "columns together": put_together(
        mixed_dataset(15, 36, "ctdcs", 3, unlabelled=7, counted=True, gaps=0.2, missing_is_value=True),
        {"ab": ["f0", "f1"], "cde": ["f2", "f3", "f4"]},
    ),
    "missing numbers as a value": mixed_dataset(14, 30, "ccd", classes=3, gaps=0.3, missing_is_value=True),
}


@pytest.mark.parametrize("table", list(TABLES))
def test_scores_of_the_svm_are_those_of_refits_and_permuted_matrices(table: str) -> None:
    dataset = TABLES[table]
    notes: list[Note] = []
    for kernel, removal in product(("linear", "rbf"), ("permute", "retrain")):
        notes += check_svm(dataset, min(2, len(dataset.features)), kernel=kernel, removal=removal).notes
    decreasing = any("came out decreasing" in note for note in notes)
    assert decreasing or table not in ("categories", "two rows of a class"), "models that follow are not tested"


@pytest.mark.parametrize(
    ("table", "options"),
    [
        *(("far rows", {"gamma": gamma}) for gamma in (0.01, 3.0)),
        *(("mixed", {"gamma": gamma, "C": C}) for gamma, C in (("auto", "scale"), (1e-6, 100.0), (40.0, 1e-3))),
        ("mixed", {"gamma": 1e4}),
        *(
            ("counted", {"kernel": kernel, "estimate": estimate, "folds": folds, "removal": removal})
            for kernel in ("linear", "rbf")
            for estimate, folds, removal in (("cv", 3, "permute"), ("cv", 10, "retrain"), ("loo", None, "permute"))
        ),
    ],
)
def test_gamma_cost_and_estimate_are_those_asked_for(table: str, options: dict[str, Any]) -> None:
    check_svm(TABLES[table], **{"kernel": "rbf", **options})


@pytest.mark.parametrize("table", ["three classes", "unlabelled", "far rows", "columns together"])
@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "no compiler"])
def test_permuted_kernels_are_summed_by_loops_or_by_numpy_and_in_parts(
    table: str, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "_WORTH_COMPILING", 0)
    monkeypatch.setattr(models, "_CELLS_IN_CACHE", 500)
    if not compiled:
        monkeypatch.setattr(compiling, "why_not_compiled", lambda: "no compiler")
    check_svm(TABLES[table], 2, kernel="rbf", gamma=0.5, permutations=3)


# Rows held out


@pytest.mark.parametrize("name", ["logistic", "forest", "boosting", "linear", "rbf"])
@pytest.mark.parametrize(
    ("dataset", "features"),
    [
        (mixed_dataset(1, 40, "cccc"), [3, 0]),
        (mixed_dataset(2, 45, "ccdt", classes=3), [1, 0, 3]),
        (mixed_dataset(3, 36, "cdt", counted=True, gaps=0.2, missing_is_value=True), [0, 1, 2]),
        (mixed_dataset(4, 30, "ct"), []),
        (mixed_dataset(5, 30, "cs"), [1]),
    ],
    ids=["numbers", "three classes", "counted", "no feature", "a constant"],
)
def test_held_out_rows_are_judged_as_by_a_refit(dataset: Dataset, features: list[int], name: str) -> None:
    held_out = np.where(np.arange(len(dataset.labels)) % 3 == 1, (dataset.counts + 1) // 2, 0)
    training = replace(dataset, counts=dataset.counts - held_out)

    def make(table: Dataset) -> tuple[Any, refits.Block]:
        if isinstance(model, SVM):
            return refits.ReferenceSvm.of(table, model), refits.standardised
        return reference(name, table)

    model = model_of(name) if name in CASES else SVM(kernel=name)  # type: ignore[arg-type]
    odds = model.hold_out(HoldOutRequest(training, features, count_values(training), held_out, 0))
    expected = refits.held_out_probabilities(training, features, held_out, make)
    members = np.flatnonzero(held_out)
    labels = dataset.labels[members]
    np.testing.assert_array_equal(odds.counts, held_out[members])
    found = 1 / (1 + np.exp(odds.against_own).sum(axis=0))
    np.testing.assert_allclose(found, expected[np.arange(len(members)), labels], atol=1e-6)
    assert odds.errors == held_out[members][expected.argmax(axis=1) != labels].sum()


def test_impossible_classes_have_infinite_odds() -> None:
    probabilities = np.array([[0.0, 1.0, 0.0], [0.25, 0.0, 0.0], [0.75, 0.0, 1.0]])
    rows, counts = np.arange(3), np.array([1, 2, 1])
    odds = odds_of(probabilities, Split(rows, np.array([1, 1, 2]), counts, counts.astype(np.float64)))
    np.testing.assert_allclose(odds.against_own, [[-np.inf, np.inf, -np.inf], [np.log(3), np.inf, -np.inf]])
    assert odds.errors == 3
    # Of equally probable ones, the first is told.
    even = np.array([[0.5, 0.5 - 1e-14], [0.5, 0.5 + 1e-14]])
    ones = np.ones(2, dtype=np.int64)
    assert odds_of(even, Split(ones, np.array([0, 1]), ones, np.ones(2))).errors == 1


def test_donors_are_a_permutation_when_all_rows_count_once_or_drawn_as_often_as_they_count() -> None:
    ones = np.ones(50, dtype=np.int64)
    donors = draw_donors(ones, ones, 30, np.random.default_rng(0))
    assert (np.sort(donors, axis=1) == np.arange(50)).all()
    assert len({tuple(row) for row in donors.tolist()}) == 30
    # Fewer rows are spread over all donors.
    fewer = draw_donors(ones[:25], ones, 30, np.random.default_rng(0))
    assert {len(set(row)) for row in fewer.tolist()} == {25}
    counts = np.array([1, 5, 10, 84])
    for column in draw_donors(np.array([3, 1, 40]), counts, 20_000, np.random.default_rng(0)).T:
        assert np.bincount(column, minlength=4) / len(column) == pytest.approx(counts / 100, abs=0.02)
