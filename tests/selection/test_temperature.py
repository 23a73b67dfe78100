"""One temperature for all rows, against a search by scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from probfs.selection.temperature import fit_temperature
from scipy.optimize import minimize_scalar

from probfs.classifiers.row_odds import RowOdds, least_probability
from tests.support.row_odds import random_odds


@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(1, 60),
    classes=st.integers(2, 5),
    size=st.sampled_from([0.1, 1.0, 5.0, 300.0]),
    lead=st.floats(-1, 1),
    zeros=st.booleans(),
    start=st.floats(0, 1),
)
@settings(max_examples=60, deadline=None)
def test_no_temperature_has_a_larger_likelihood(
    seed: int, rows: int, classes: int, size: float, lead: float, zeros: bool, start: float
) -> None:
    odds = random_odds(seed, rows, classes, size, lead, zeros)
    least = least_probability(odds.rows)
    fitted = fit_temperature(odds, least, start)
    assert 0 <= fitted.temperature <= 1

    def likelihood(temperature: float) -> float:
        # With no floor to the probabilities, but that of doubles; rows that no temperature changes are left out.
        possible = odds.against_own[0] != np.inf
        return float(odds.counts[possible] @ odds.losses(temperature, 5e-324).values[possible])

    found = minimize_scalar(likelihood, bounds=(0, 1), method="bounded", options={"xatol": 1e-12})
    best = min(found.fun, likelihood(0.0), likelihood(1.0))
    assert likelihood(fitted.temperature) <= best + 1e-11 * odds.rows
    assert fitted.log_loss == pytest.approx(
        float(odds.counts @ odds.losses(fitted.temperature, least).values) / odds.rows
    )


def test_a_model_that_is_too_sure_is_cooled_and_one_that_is_too_modest_stays() -> None:
    """Of odds 4 : 1 that come true in 3 of 4 cases, the right ones are 3 : 1."""
    against_own = np.log(4.0) * np.array([[-1.0, -1.0, -1.0, 1.0]])
    too_sure = fit_temperature(RowOdds(against_own, np.ones(4), 1), least_probability(4))
    assert too_sure.temperature == pytest.approx(np.log(3) / np.log(4), abs=1e-7)
    modest = fit_temperature(RowOdds(against_own / 2, np.ones(4), 1), least_probability(4))
    assert modest.temperature == 1.0
    wrong = fit_temperature(RowOdds(-against_own, np.ones(4), 3), least_probability(4))
    assert wrong.temperature == 0.0
    assert wrong.log_loss == pytest.approx(np.log(2))


def test_rows_that_no_temperature_changes_have_the_largest_loss_and_no_say() -> None:
    impossible = RowOdds(np.array([[np.inf, -1.0, -2.0]]), np.array([5.0, 1.0, 1.0]), 5)
    possible = RowOdds(np.array([[-1.0, -2.0]]), np.ones(2), 0)
    least = least_probability(7)
    fitted, alone = fit_temperature(impossible, least), fit_temperature(possible, least)
    assert fitted.temperature == alone.temperature == 1.0
    assert fitted.log_loss == pytest.approx((2 * alone.log_loss + 5 * np.log(14)) / 7)


def test_where_nothing_depends_on_the_temperature_it_is_1() -> None:
    even = RowOdds(np.zeros((2, 3)), np.ones(3), 2)
    assert fit_temperature(even, least_probability(3), start=0.3).temperature == 1.0
    ruled_out = RowOdds(np.full((1, 3), np.inf), np.ones(3), 3)
    assert fit_temperature(ruled_out, least_probability(3), start=0.3).temperature == 1.0


@given(seed=st.integers(0, 10**6), temperature=st.floats(0.01, 0.99), classes=st.integers(2, 5))
@settings(max_examples=30, deadline=None)
def test_slope_and_curvature_are_derivatives(seed: int, temperature: float, classes: int) -> None:
    odds = random_odds(seed, 20, classes, 3.0, 0.2, zeros=False)
    step = 1e-5
    below, at, above = (odds.tempered(1e-300)(temperature + shift) for shift in (-step, 0.0, step))
    assert (above.loss - below.loss) / (2 * step) == pytest.approx(at.slope, rel=1e-6, abs=1e-6)
    assert (above.slope - below.slope) / (2 * step) == pytest.approx(at.curvature, rel=1e-6, abs=1e-6)
