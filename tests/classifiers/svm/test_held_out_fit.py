"""Errors and losses on held-out rows, and notes on models that know no more than the shares of the classes."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import probfs
from probfs.classifiers.refitting.training_rows import TrainingRows
from probfs.classifiers.svm.held_out_fit import HeldOutFit
from probfs.tables.table import Integers

NOTED = "the SVM tells no more of held-out rows than the shares of the classes do"


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 4))
def test_the_measures_are_those_of_every_row_by_itself(seed: int, classes: int) -> None:
    generator = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(classes), generator.integers(classes, size=20)])
    weights = generator.integers(1, 4, len(labels))
    of_all = generator.dirichlet(np.ones(classes), len(labels)).T
    fit = HeldOutFit.measure(7, of_all[1:] if classes == 2 else of_all, labels, weights.astype(np.float64))
    rows = [(label, of_all[:, row]) for row, label in enumerate(labels) for _ in range(weights[row])]
    shares = [sum(own == label for own, _ in rows) / len(rows) for label in range(classes)]
    losses = [-math.log(given[label]) for label, given in rows]
    shares_losses = [-math.log(shares[label]) for label, _ in rows]
    assert fit.errors == 7
    sigmoids = 1 if classes == 2 else classes
    assert fit.log_loss == pytest.approx(np.mean(losses) + (sigmoids - 1) / 2 / len(rows))
    assert fit.shares_log_loss == pytest.approx(np.mean(shares_losses))
    differences = np.array(losses) - np.array(shares_losses)
    assert fit.standard_error == pytest.approx(differences.std() / math.sqrt(len(rows)))


@pytest.mark.parametrize(("log_loss", "noted"), [(0.589, False), (0.591, True), (0.6, True), (0.7, True)])
def test_better_is_better_by_more_than_a_standard_error(log_loss: float, noted: bool) -> None:
    note = HeldOutFit(30, log_loss, 0.6, 0.01).note
    assert note == (
        f"with all features {NOTED} (log-loss {log_loss:.3f} against 0.600, ± 0.010): do not rely on its scores"
        if noted
        else None
    )


@pytest.mark.parametrize("counts", [[30, 70], [3, 3, 1]])
def test_the_shares_themselves_are_noted(counts: list[int]) -> None:
    """Nor does rounding make them better than they are."""
    labels = np.repeat(np.arange(len(counts)), counts)
    ones = np.ones(len(labels), dtype=np.int64)
    nothing = HeldOutFit.of_shares(TrainingRows(np.arange(len(labels)), labels, ones, len(counts)))
    log_odds = np.log(np.array(counts) / (sum(counts) - np.array(counts)))
    shares = np.tile(1 / (1 + np.exp(-log_odds)), (len(labels), 1)).T
    measured = HeldOutFit.measure(0, shares[1:] if len(counts) == 2 else shares, labels, ones.astype(np.float64))
    assert nothing.errors == sum(counts) - max(counts)
    assert measured.shares_log_loss == pytest.approx(nothing.log_loss)
    assert measured.note is not None
    assert nothing.note is not None


def test_a_row_that_was_held_impossible_does_not_make_the_loss_infinite() -> None:
    fit = HeldOutFit.measure(1, np.array([[0.0, 1.0, 0.0]]), np.array([0, 1, 1]), np.ones(3))
    assert 12 < fit.log_loss < 13
    assert fit.note is not None


@pytest.mark.parametrize("options", [{}, {"estimate": "cv"}, {"removal": "retrain"}])
def test_noise_is_noted_and_signal_is_not(options: dict[str, str]) -> None:
    generator = np.random.default_rng(2)
    labels = np.arange(80) % 2
    noise = draw_noise(generator, labels, 10)
    signal = noise.assign(f0=noise["f0"] + 3 * labels)
    assert [is_noted(table, **options) for table in (noise, signal)] == [True, False]


def test_a_model_that_ranks_the_rows_of_a_rare_class_first_is_not_noted() -> None:
    """Hardly any row is more probably of the rare class than of the other, so the errors are those of guessing."""
    labels = (np.arange(2_000) < 100).astype(int)
    table = draw_noise(np.random.default_rng(3), labels, 6)
    table["f0"] += 1.3 * labels
    table["f1"] += 0.9 * labels
    ranking = probfs.rank(table, target="y", classifier="svm", eliminate=False, jobs=1)
    assert ranking.rounds[0].cv_errors is not None
    assert ranking.rounds[0].cv_errors > 90
    assert [feature.feature for feature in ranking.features[:2]] == ["f0", "f1"]
    assert not any(NOTED in warning for warning in ranking.warnings)


def test_noise_beside_many_classes_is_noted_most_of_the_time() -> None:
    labels = np.arange(300) % 5
    assert sum(is_noted(draw_noise(np.random.default_rng(seed), labels, 10)) for seed in range(6)) >= 5


def test_noise_beside_a_rare_class_is_noted() -> None:
    labels = (np.arange(1_000) < 50).astype(int)
    assert is_noted(draw_noise(np.random.default_rng(1), labels, 6))


def test_classes_that_are_not_told_do_not_hide_one_that_is() -> None:
    """Sigmoids on training rows, which replace decreasing ones, would spoil the losses of held-out rows."""
    labels = np.repeat(np.arange(5), 60)
    notes: list[str] = []
    for seed in range(5):
        table = draw_noise(np.random.default_rng([seed, 300, 10]), labels, 10)
        table["f0"] += 1.0 * (labels == 1)
        notes += probfs.rank(table, target="y", classifier="svm", eliminate=False, jobs=1).warnings
    assert any("came out decreasing" in note for note in notes), "nothing was tested"
    assert not any(NOTED in note for note in notes)


def draw_noise(generator: np.random.Generator, labels: Integers, columns: int) -> pd.DataFrame:
    cells = generator.normal(size=(len(labels), columns))
    return pd.DataFrame(cells, columns=[f"f{number}" for number in range(columns)]).assign(y=labels.astype(str))


def is_noted(table: pd.DataFrame, **options: str) -> bool:
    ranking = probfs.rank(table, target="y", classifier="svm", eliminate=False, jobs=1, **options)  # type: ignore[arg-type]
    return any(NOTED in warning for warning in ranking.warnings)
