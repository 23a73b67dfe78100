"""Ranking with the SVM: what is refused and told, solvers that agree, and Platt's sigmoid."""

from __future__ import annotations

import contextlib
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import SVC, LinearSVC

import probfs
from probfs.classifiers.refitting import svm as model
from probfs.classifiers.refitting.rows import Split, odds_of
from probfs.classifiers.refitting.svm import Sigmoid, Solver, fit_sigmoid, note_on_guessing, to_probabilities
from probfs.tables.arrays import Integers
from probfs.text import command_line_language
from workloads import weston


@pytest.mark.parametrize(
    ("most", "options"),
    [
        ("MOST_ROWS_OF_SVC", {}),
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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "class 'p' has 1 row; the SVM needs two: use {nb}"),
        (
            {"target": "z", "estimate": "loo"},
            "class 'u' has 2 rows, of which {loo} leaves 1 to train on; the SVM needs two: use {resubstitution} or "
            "{nb}",
        ),
        (
            {"target": "w", "estimate": "cv", "folds": 2},
            "class 'u' has 2 rows, of which {cv} leaves 1 to train on; the SVM needs two: use {resubstitution} or "
            "{nb}, or drop the class with {min_class}",
        ),
    ],
)
def test_too_few_rows_of_a_class_are_an_error(options: dict[str, Any], message: str) -> None:
    frame = pd.DataFrame({"a": [1, 2, 3, 5, 8] * 2, "z": list("uuvvvvvvvv"), "y": list("nnnnpnnnnn")})
    frame["w"] = list("uuvvvvwwww")
    for language, shown, least in (
        (contextlib.nullcontext(), '{}="{}"', "min_class=3"),
        (command_line_language(), "--{} {}", "--min-class 3"),
    ):
        named = {name: shown.format("estimate", name) for name in ("loo", "cv", "resubstitution")}
        with language, pytest.raises(probfs.DataError) as caught:
            probfs.rank(frame, **{"target": "y", "classifier": "svm", **options})
        expected = message.format(nb=shown.format("classifier", "nb"), min_class=least, **named)
        assert caught.value.message == expected


def test_solvers_change_at_known_sizes() -> None:
    cells = np.eye(4)
    linear, large = (Solver(cells, None, 1.0, rows)._machine for rows in (1_000, 1_001))
    assert (type(linear), type(large), linear.kernel, large.intercept_scaling) == (SVC, LinearSVC, "precomputed", 10)
    assert [Solver(cells, 0.1, 1.0, rows)._machine.kernel for rows in (2_000, 2_001)] == ["precomputed", "rbf"]


NOTED = "the SVM predicts held-out rows no better than the class shares do"


def draw_noise(generator: np.random.Generator, labels: Integers, columns: int) -> pd.DataFrame:
    cells = generator.normal(size=(len(labels), columns))
    return pd.DataFrame(cells, columns=[f"f{number}" for number in range(columns)]).assign(y=labels.astype(str))


def test_equal_decision_values_tell_only_how_frequent_the_class_is() -> None:
    sigmoid = fit_sigmoid(np.full(9, 2.5), np.arange(9) < 3, np.ones(9))
    assert 1 / (1 + math.exp(-(2.5 * sigmoid.slope + sigmoid.offset))) == pytest.approx((3 * 4 / 5 + 6 / 8) / 9)


def test_classes_of_which_no_svm_knows_anything_are_equally_probable() -> None:
    sigmoids = [Sigmoid(2.0, 0.0), Sigmoid(1.0, math.log(2)), Sigmoid(1.0, 0.0)]
    found = to_probabilities(sigmoids, np.array([[0.0, -1e5], [0.0, -1e5], [0.0, -1e5]]))
    assert found == pytest.approx(np.array([[3 / 10, 1 / 3], [4 / 10, 1 / 3], [3 / 10, 1 / 3]]))


@given(st.integers(0, 10**6), st.integers(2, 4), st.floats(0, 3), st.sampled_from(["copies", "subjects"]))
def test_the_note_on_guessing_compares_the_losses_of_every_row_or_subject(
    seed: int, classes: int, told: float, units: str
) -> None:
    generator = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(classes), generator.integers(classes, size=20)])
    counts = generator.integers(1, 4, len(labels))
    subjects = generator.integers(5, size=len(labels)) if units == "subjects" else None
    of_all = (generator.dirichlet(np.ones(classes), len(labels)) + told * np.eye(classes)[labels]).T / (1 + told)
    rows, frequencies = np.repeat(np.arange(len(labels)), counts), np.bincount(labels, counts) / counts.sum()
    prior_losses = -np.log(frequencies[labels])[rows]
    gains: Any = pd.Series(prior_losses + np.log(of_all[labels, np.arange(len(labels))])[rows])
    error = gains.sem()
    if subjects is not None:
        units_of = gains.groupby(subjects[rows])
        weights = units_of.count()
        spread = np.average((units_of.mean() - gains.mean()) ** 2, weights=weights)
        error = math.sqrt(spread / (weights.sum() ** 2 / (weights**2).sum() - 1))
    sigmoids = 1 if classes == 2 else classes
    chance, prior_loss = (sigmoids - 1) / 2 / len(rows), prior_losses.mean()
    found = f"log-loss {prior_loss - gains.mean() + chance:.3f} against {prior_loss:.3f}, ± {error:.3f}"
    text = f"with all features {NOTED} ({found}): do not rely on its scores"
    split = Split(np.arange(len(labels)), labels, counts, counts.astype(np.float64), subjects)
    note = note_on_guessing(odds_of(of_all, split), frequencies[labels], sigmoids)
    assert note == (None if gains.mean() - chance > error else text)


@pytest.mark.parametrize("options", [{"eliminate": False}, {"eliminate": False, "estimate": "cv"}])
def test_noise_is_noted_and_signal_is_not(options: dict[str, Any]) -> None:
    labels = np.arange(80) % 2
    noise = draw_noise(np.random.default_rng(2), labels, 10)
    signal = noise.assign(f0=noise["f0"] + 3 * labels)
    notes = [probfs.rank(table, target="y", classifier="svm", jobs=1, **options).warnings for table in (noise, signal)]
    assert [any(NOTED in note for note in each) for each in notes] == [True, False]


def test_classes_that_are_not_told_do_not_hide_one_that_is() -> None:
    """Sigmoids on training rows, which replace decreasing ones, would spoil the losses of held-out rows."""
    labels = np.repeat(np.arange(5), 60)
    notes: list[str] = []
    for seed in range(3):
        table = draw_noise(np.random.default_rng([seed, 300, 10]), labels, 10)
        table["f0"] += 1.0 * (labels == 1)
        notes += probfs.rank(table, target="y", classifier="svm", eliminate=False, jobs=1).warnings
    assert any("came out decreasing" in note for note in notes), "nothing was tested"
    assert not any(NOTED in note for note in notes)
