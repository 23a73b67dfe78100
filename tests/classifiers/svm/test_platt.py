"""Platt's sigmoid against scikit-learn's, sigmoids that decrease, and notes on models that know nothing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV

import probfs
from probfs.classifiers.svm.platt import HeldOutFit, fit_sigmoid
from probfs.tables.arrays import Integers

NOTED = "the SVM tells no more of held-out rows than the shares of the classes do"


class GivenDecisions(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """A classifier whose input is its decision values."""

    def fit(self, cells: Any, labels: Any, sample_weight: Any = None) -> GivenDecisions:
        self.classes_ = np.unique(labels)
        return self

    def decision_function(self, cells: Any) -> Any:
        return cells[:, 0]

    def predict(self, cells: Any) -> Any:
        return cells[:, 0] > 0


@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(4, 60),
    shift=st.sampled_from([-1.0, 0.0, 0.5, 3.0, 50.0]),
    scale=st.sampled_from([1e-6, 1e4]),
)
def test_the_sigmoid_is_that_of_scikit_learn(seed: int, rows: int, shift: float, scale: float) -> None:
    generator = np.random.default_rng(seed)
    members = np.append([0, 0, 1, 1], generator.integers(0, 2, rows - 4))
    decisions = generator.normal(size=rows) + shift * members
    weights = generator.integers(1, 4, rows).astype(np.float64)
    everything = np.arange(rows)
    reference = CalibratedClassifierCV(
        GivenDecisions(), method="sigmoid", ensemble=False, cv=[(everything, everything)]
    ).fit(decisions[:, None], members, sample_weight=weights)
    expected = reference.predict_proba(decisions[:, None])[:, 1]
    sigmoid = fit_sigmoid(decisions, members, weights)
    found = 1 / (1 + np.exp(-(sigmoid.slope * decisions + sigmoid.offset)))
    np.testing.assert_allclose(found, expected, atol=2e-3)
    own, others = weights[members == 1].sum(), weights[members == 0].sum()
    targets = np.where(members == 1, (own + 1) / (own + 2), 1 / (others + 2))
    excess = weights * (found - targets)
    # At the minimum the gradient is 0, which scikit-learn's is only nearly.
    assert np.abs([excess.sum(), excess @ decisions]).max() < 1e-6 * rows * (1 + abs(shift))
    # In other units it is the same, which scikit-learn's is not.
    scaled = fit_sigmoid(scale * decisions, members, weights)
    assert (scaled.slope * scale, scaled.offset) == pytest.approx((sigmoid.slope, sigmoid.offset), rel=1e-6, abs=1e-9)


def test_equal_decision_values_tell_only_how_frequent_the_class_is() -> None:
    sigmoid = fit_sigmoid(np.full(9, 2.5), np.array([1] * 3 + [0] * 6), np.ones(9))
    assert 1 / (1 + math.exp(-(2.5 * sigmoid.slope + sigmoid.offset))) == pytest.approx((3 * 4 / 5 + 6 / 8) / 9)


@pytest.mark.parametrize("tables", [12, pytest.param(50, marks=pytest.mark.slow)])
def test_a_weak_table_is_not_turned_upside_down(tables: int) -> None:
    ranks, inverted = [], 0
    for seed in range(tables):
        shifted = np.arange(40) % 2
        table = draw_noise(np.random.default_rng(seed), shifted, 20)
        table["f7"] += 1.2 * shifted
        ranking = probfs.rank(table, target="y", classifier="svm", score="signed", seed=seed)
        ranks.append(next(feature.rank for feature in ranking.features if feature.feature == "f7"))
        inverted += sum("came out decreasing" in warning for warning in ranking.warnings)
    assert np.median(ranks) == 1
    assert max(ranks) < 20
    assert inverted > 0, "no sigmoid came out decreasing, so nothing was tested"


def test_a_refit_that_knows_nothing_does_not_make_its_column_matter() -> None:
    """Retrain compares models: a noise column without which the sigmoid decreases must not outscore other noise."""
    generator = np.random.default_rng(0)
    fell = 0
    for _ in range(6):
        shifted = np.arange(40) % 2
        table = draw_noise(generator, shifted, 12)
        table["f3"] += 0.9 * shifted
        ranking = probfs.rank(table, target="y", classifier="svm", removal="retrain", eliminate=False, jobs=1)
        fell += sum("came out decreasing" in warning for warning in ranking.warnings)
        noise = [feature.s_s for feature in ranking.features if feature.feature != "f3"]
        assert max(noise) < 8 * np.median(noise) + 0.05
    assert fell, "no sigmoid came out decreasing, so nothing was tested"


@given(st.integers(0, 10**6), st.integers(2, 4))
def test_held_out_losses_are_those_of_every_row_by_itself(seed: int, classes: int) -> None:
    generator = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(classes), generator.integers(classes, size=20)])
    weights = generator.integers(1, 4, len(labels))
    of_all = generator.dirichlet(np.ones(classes), len(labels)).T
    fit = HeldOutFit.measure(7, of_all[1:] if classes == 2 else of_all, labels, weights.astype(np.float64))
    rows = [(label, of_all[:, row]) for row, label in enumerate(labels) for _ in range(weights[row])]
    frequencies = [sum(own == label for own, _ in rows) / len(rows) for label in range(classes)]
    losses = [-math.log(given[label]) for label, given in rows]
    prior_losses = [-math.log(frequencies[label]) for label, _ in rows]
    sigmoids = 1 if classes == 2 else classes
    assert fit.log_loss == pytest.approx(np.mean(losses) + (sigmoids - 1) / 2 / len(rows))
    assert fit.prior_log_loss == pytest.approx(np.mean(prior_losses))
    differences = np.array(losses) - np.array(prior_losses)
    assert fit.standard_error == pytest.approx(differences.std() / math.sqrt(len(rows)))


@pytest.mark.parametrize(("log_loss", "noted"), [(0.589, False), (0.591, True), (0.7, True)])
def test_better_is_better_by_more_than_a_standard_error(log_loss: float, noted: bool) -> None:
    text = f"with all features {NOTED} (log-loss {log_loss:.3f} against 0.600, ± 0.010): do not rely on its scores"
    assert HeldOutFit(30, log_loss, 0.6, 0.01).note == (text if noted else None)


@pytest.mark.parametrize("options", [{}, {"estimate": "cv"}, {"removal": "retrain"}])
def test_noise_is_noted_and_signal_is_not(options: dict[str, str]) -> None:
    labels = np.arange(80) % 2
    noise = draw_noise(np.random.default_rng(2), labels, 10)
    signal = noise.assign(f0=noise["f0"] + 3 * labels)
    assert [is_noted(table, **options) for table in (noise, signal)] == [True, False]


def test_a_model_that_ranks_the_rows_of_a_rare_class_first_is_not_noted() -> None:
    """Hardly any row is more probably of the rare class than of the other, so the errors are those of guessing."""
    labels = (np.arange(2_000) < 100).astype(int)
    table = draw_noise(np.random.default_rng(3), labels, 6)
    assert is_noted(table)
    table["f0"] += 1.3 * labels
    table["f1"] += 0.9 * labels
    ranking = probfs.rank(table, target="y", classifier="svm", eliminate=False, jobs=1)
    assert ranking.rounds[0].cv_errors is not None
    assert ranking.rounds[0].cv_errors > 90
    assert [feature.feature for feature in ranking.features[:2]] == ["f0", "f1"]
    assert not any(NOTED in warning for warning in ranking.warnings)


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
