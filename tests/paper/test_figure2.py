"""Figure 2."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.paper.experiments.figure2 import shifted_scores
from tests.support.experiments import conduct


def test_balanced_scores_are_equal_to_eight_digits_and_dominate_elsewhere() -> None:
    """Figure 2, from the numbers themselves."""
    for _, percent, s_s, s_a, s_b in conduct("figure2", 1).rows:
        assert isinstance(s_s, float)
        assert isinstance(s_a, float)
        assert isinstance(s_b, float)
        assert s_s > s_a + 1e-8
        assert abs(s_s - s_b) < 1e-8 if percent == 50 else s_s > s_b + 1e-8


@given(st.floats(0.05, 4), st.floats(0.05, 1), st.floats(0.01, 0.99))
def test_a_shifted_feature_integrates_to_its_closed_form(c: float, p: float, balance: float) -> None:
    """∫|f₁ - f₀| is 2p(2Φ(c) - 1); the best classifier errs beyond the one place where both classes are as likely."""

    def normal(x: float) -> float:
        return math.erfc(-x / math.sqrt(2)) / 2

    telling, even = p * math.exp(-(c**2) / 2), (1 - p) * (2 * balance - 1)
    root = (math.sqrt(even**2 + 4 * balance * (1 - balance) * telling**2) - even) / (2 * balance * telling)
    place = math.log(root) / c
    accuracy = balance * (1 - p * normal(place - c) - (1 - p) * normal(place))
    accuracy += (1 - balance) * (p * normal(place + c) + (1 - p) * normal(place))
    scores = shifted_scores(c, p, balance)
    assert scores.s_s == pytest.approx(2 * balance * (1 - balance) * p * (2 * normal(c) - 1), abs=1e-12)
    assert scores.s_b == pytest.approx(accuracy - max(balance, 1 - balance), abs=1e-12)
