"""Solvers that agree, fits that do not converge, rows that are held out, and classes of too few rows."""

from __future__ import annotations

import contextlib
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.svm import SVC

import probfs
from probfs.classifiers.protocol import HoldOutRequest
from probfs.classifiers.svm import model
from probfs.classifiers.svm.classifier import Svm, judge_rows_by_svm
from probfs.classifiers.svm.model import SvmTrainer, balance_sides
from probfs.columns.dataset import Dataset
from probfs.screening.counting import count_values
from probfs.text import command_line_language
from tests.support.held_out_svm import held_out_probabilities
from tests.support.refitted_svm import SvmParameters
from tests.support.svm_tables import random_dataset, weston


@pytest.mark.parametrize("kinds", ["cccccc", "ddtt", "ccdt"])
@pytest.mark.parametrize("cost", ["scale", 0.5])
def test_liblinear_s_hyperplane_is_libsvm_s(kinds: str, cost: float | str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three classes of different size; LIBSVM with a hundredth of its tolerance."""
    monkeypatch.setattr(model, "MOST_ROWS_OF_SVC", 0)
    dataset = random_dataset(2, 400, kinds, classes=3, counted=True)
    everything = np.arange(len(kinds))
    trainer = SvmTrainer.of(dataset, "linear", cost, None)  # type: ignore[arg-type]
    found = trainer.fit(everything, dataset.counts)
    assert found.report.unconverged == 0
    cells = trainer.builder.build(everything, dataset.counts).cells
    for target, values in enumerate(found.values.of(np.arange(len(cells)))):
        members = dataset.labels == target
        costs = balance_sides(members.astype(np.int64), dataset.counts.astype(np.float64))
        svc = SVC(kernel="linear", C=trainer.cost, tol=1e-5).fit(cells, members, sample_weight=costs)
        expected = svc.decision_function(cells)
        assert np.abs(values - expected).max() < 0.02 * np.abs(expected).max()
        assert np.corrcoef(values, expected)[0, 1] > 0.9999


@pytest.mark.parametrize(
    ("most", "options"),
    [
        ("MOST_ROWS_OF_SVC", {}),
        ("MOST_ROWS_OF_SVC", {"estimate": "cv", "folds": 3}),
        ("MOST_ROWS_OF_SVC", {"removal": "retrain", "step": 0.5}),
        ("MOST_ROWS_OF_MATRIX", {"kernel": "rbf", "eliminate": False}),
    ],
)
def test_large_tables_are_ranked_as_small_ones(
    most: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By LIBLINEAR, or without a kernel matrix. The usual tolerance leaves the order of noise columns to chance, so a
    hundredth of it is used here.
    """
    monkeypatch.setattr(model, "TOLERANCE", 1e-5)
    frame = weston(400, 12)
    chosen: dict[str, Any] = {"target": "y", "classifier": "svm", "jobs": 1, **options}
    small = probfs.rank(frame, **chosen)
    monkeypatch.setattr(model, most, 0)
    large = probfs.rank(frame, **chosen)
    assert small != large
    assert [own.feature for own in small.features] == [own.feature for own in large.features]
    for own, other in zip(small.features, large.features, strict=True):
        assert (own.s_s, own.s_a) == pytest.approx((other.s_s, other.s_a), abs=2e-3)
    assert probfs.rank(frame.sample(frac=1, random_state=1), **chosen).to_csv() == large.to_csv()


@pytest.mark.parametrize(("rows_of_svc", "limit"), [(10**6, "MOST_ITERATIONS"), (0, "MOST_LINEAR_ITERATIONS")])
def test_fits_that_do_not_converge_are_counted_and_noted_once(
    rows_of_svc: int, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "MOST_ROWS_OF_SVC", rows_of_svc)
    monkeypatch.setattr(model, limit, 2)
    notes: list[str] = []
    probfs.rank(weston(200, 3), target="y", classifier="svm", jobs=1, on_note=notes.append)
    assert [note for note in notes if "converge" in note] == [
        "3 of 3 fits did not converge, so their scores are rough; a smaller C= or count= would help"
    ]


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize(
    ("dataset", "features"),
    [
        (random_dataset(1, 40, "cccc"), [3, 0]),
        (random_dataset(2, 45, "ccdt", classes=3), [1, 0, 3]),
        (random_dataset(3, 36, "cdt", counted=True, gaps=0.2, missing_is_value=True), [0, 1, 2]),
        (random_dataset(4, 30, "ct"), []),
        (random_dataset(5, 30, "cs"), [1]),
    ],
    ids=["numbers", "three classes", "counted", "no feature", "a constant"],
)
def test_held_out_rows_are_judged_as_by_a_refit(dataset: Dataset, features: list[int], kernel: str) -> None:
    held_out = np.where(np.arange(len(dataset.labels)) % 3 == 1, (dataset.counts + 1) // 2, 0)
    parameters = SvmParameters(kernel=kernel)  # type: ignore[arg-type]
    training = replace(dataset, counts=dataset.counts - held_out)
    request = HoldOutRequest(training, features, count_values(training), held_out, 0)
    odds = judge_rows_by_svm(request, parameters.kernel, parameters.C, parameters.gamma)
    expected = held_out_probabilities(training, features, held_out, parameters)
    members = np.flatnonzero(held_out)
    labels = dataset.labels[members]
    own = expected[np.arange(len(members)), labels]
    np.testing.assert_array_equal(odds.counts, held_out[members])
    np.testing.assert_allclose(1 / (1 + np.exp(odds.against_own).sum(axis=0)), own, atol=1e-6)
    assert odds.errors == held_out[members][expected.argmax(axis=1) != labels].sum()


@pytest.mark.parametrize("estimate", ["cv", "loo", "resubstitution"])
def test_unlabelled_rows_are_not_judged_when_no_feature_is_left(estimate: str) -> None:
    """They are scored by a model of their own, or beside the labelled ones, and have no class to be right about."""
    dataset = random_dataset(5, 24, "ct", unlabelled=7, counted=True)
    parameters = SvmParameters(estimate=estimate, folds=3 if estimate == "cv" else None)  # type: ignore[arg-type]
    svm = Svm(dataset, **asdict(parameters), rounds=[2], jobs=1)
    svm.drop(svm.active)
    odds = svm.odds()
    assert odds.rows == dataset.rows
    frequencies = np.bincount(dataset.labels, weights=dataset.counts) / dataset.rows
    assert odds.mean_loss == pytest.approx(-float(frequencies @ np.log(frequencies)), abs=0.1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "class 'p' has one row only, and the SVM's probabilities need two or more; drop the row, or use {nb}"),
        (
            {"target": "z", "estimate": "loo"},
            "class 'u' has 2 rows, of which {loo} leaves 1 to train on; the SVM needs two: use {resubstitution}",
        ),
        ({"target": "z", "estimate": "cv", "folds": 2}, "class 'u' has 2 rows, of which {cv} leaves 1"),
    ],
)
def test_too_few_rows_of_a_class_are_an_error(options: dict[str, Any], message: str) -> None:
    frame = pd.DataFrame({"a": [1, 2, 3, 5, 8], "z": list("uuvvv"), "y": list("nnnnp")})
    for language, shown in ((contextlib.nullcontext(), '{}="{}"'), (command_line_language(), "--{} {}")):
        with language, pytest.raises(probfs.DataError) as caught:
            probfs.rank(frame, **{"target": "y", "classifier": "svm", **options})
        named = {estimate: shown.format("estimate", estimate) for estimate in ("loo", "cv", "resubstitution")}
        assert message.format(nb=shown.format("classifier", "nb"), **named) in str(caught.value)
