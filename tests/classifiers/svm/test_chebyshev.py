"""Interpolation at Chebyshev nodes, and the bounds that its module derives."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import iv

from probfs.classifiers.svm.chebyshev import PRECISION, count_chebyshev_nodes, interpolate_columns

RATES = [1e-13, 1e-6, 0.01, 0.3, 1.0, 2.5, 5.67, 6.0]


@pytest.mark.parametrize("rate", RATES)
def test_an_exponential_is_interpolated_within_the_bound(rate: float) -> None:
    points = np.linspace(-1, 1, 2001)
    nodes, polynomials = interpolate_columns(count_chebyshev_nodes(rate), points[:, None])
    for slope in (rate, -rate, rate / 3):
        error = np.abs(polynomials[:, 0] @ np.exp(slope * nodes[0]) - np.exp(slope * points)).max()
        assert error <= 6.6e-12


@pytest.mark.parametrize("rate", RATES)
def test_the_derivation_s_inequalities_hold(rate: float) -> None:
    nodes = count_chebyshev_nodes(rate)
    leading = (rate / 2) ** nodes / math.factorial(nodes)
    factor = math.exp(rate**2 / 4 / (nodes + 1)) / (1 - rate / 2 / (nodes + 1))
    assert leading <= PRECISION
    assert factor <= 1.65
    tail = 4 * sum(iv(order, rate) for order in range(nodes, nodes + 60))
    assert tail <= 4 * leading * factor * (1 + 1e-9) <= 6.6e-12


def test_polynomials_are_reproduced_and_hardly_amplified() -> None:
    """Lagrange polynomials reproduce any polynomial of lower degree, and their absolute values add up to at most 3."""
    generator = np.random.default_rng(0)
    values = np.stack([generator.normal(size=200), generator.uniform(3, 9, 200)], axis=1)
    for count in (2, 7, 24):
        nodes, polynomials = interpolate_columns(count, values)
        for column in range(2):
            own = polynomials[:, column]
            assert own.sum(axis=1) == pytest.approx(1)
            assert own @ nodes[column] == pytest.approx(values[:, column])
            assert np.abs(own).sum(axis=1).max() <= 3


def test_a_value_that_is_a_node_takes_that_node_alone() -> None:
    nodes, _ = interpolate_columns(4, np.array([[0.0], [1.0]]))
    same_nodes, polynomials = interpolate_columns(4, np.array([[0.0], [nodes[0, 1]], [1.0]]))
    assert (same_nodes == nodes).all()
    assert polynomials[1, 0].tolist() == [0, 1, 0, 0]
