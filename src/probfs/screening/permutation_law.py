"""How large the relation of a column to the class is when labels are shuffled: exact mean and variance, and a tail.

A column with a value in N rows is a projection A of the N-dimensional space of rows, centred: onto the indicators of
its values (rank values - 1), or onto its scores if it is numeric (rank 1). The classes are another, B. Then

    relation = trace(A·B) = X² / N for values, and SSB / SST (Kruskal-Wallis: H / (N-1)) for scores.

Shuffled labels turn B into P·B·Pᵀ with a random permutation P. The diagonal of A sums to its rank a, its squares to
s_A, and with

    v_A = a (N-1-a) / (N-1),    w_A = (N s_A - a²) / (N-2),    v_B, w_B alike,

    mean = a b / (N-1),    variance = 2 (v_A-w_A) (v_B-w_B) / (N (N-3)) + w_A w_B / (N-1).

For values and classes these are Dawson's (1954) moments of X². docs/screening.md has the derivation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from probfs.tables.arrays import Flags, Floats, Integers

NEARLY = 1 - 1e-9
"""Shuffles that give the same relation may differ from it by rounding."""
_FEWEST_ROWS = 4
"""The variance has N - 3 in a denominator; and of three rows nothing can be said."""
_ROUNDING = 1e-12
"""Variance, as a share of the squared mean, that is no more than rounding: the relation is the same in any order."""
_NODES = 48
_TAILS_AT_A_TIME = 1 << 10
_NEGLIGIBLE = 40.0
"""e to the minus this is nothing beside 1."""
_STIRLING_FROM = 30.0
_SMALL_SHAPE = 0.5
_SMALL_X = 1e-10


@dataclass(frozen=True, eq=False)
class ColumnTests:
    """A statistic and its p-value for each of several columns, and whether the labels' order could change them."""

    statistic: Floats
    p: Floats
    varies: Flags

    @classmethod
    def of_nothing(cls, columns: int) -> ColumnTests:
        """Tests of columns that say nothing."""
        return cls(np.zeros(columns), np.ones(columns), np.zeros(columns, dtype=np.bool_))

    def put(self, columns: Integers, tests: ColumnTests) -> None:
        """Replace the tests of some columns."""
        self.statistic[columns], self.p[columns], self.varies[columns] = tests.statistic, tests.p, tests.varies


@dataclass(frozen=True, eq=False)
class Projections:
    """One side of the relation, for each of several columns: ranks, and N s - rank², 0 for an even diagonal."""

    rank: Floats
    unevenness: Floats

    @classmethod
    def onto_groups(cls, sizes: Floats) -> Projections:
        """For rows that fall into groups of these sizes (columns × groups); a group without rows is none."""
        inverse = np.where(sizes > 0, 1 / np.where(sizes > 0, sizes, 1.0), 0.0)
        groups = (sizes > 0).sum(axis=1).astype(np.float64)
        return cls(groups - 1, sizes.sum(axis=1) * sum_in_order(inverse) - groups**2)

    @classmethod
    def onto_scores(cls, rows: Floats, squares: Floats, fourth_powers: Floats) -> Projections:
        """For one score a row, from the sums of second and fourth powers of the scores around their mean."""
        spread = np.where(squares > 0, squares, 1.0)
        return cls((squares > 0).astype(np.float64), np.where(squares > 0, rows * (fourth_powers / spread**2) - 1, 0.0))


@dataclass(frozen=True, eq=False)
class PermutationLaw:
    """Mean and variance of the relation of several columns over all orders of the labels."""

    mean: Floats
    variance: Floats
    varies: Flags
    """Whether the relation depends on the order of the labels at all."""

    @classmethod
    def of(cls, rows: Floats, column: Projections, classes: Projections) -> PermutationLaw:
        n = np.maximum(rows, _FEWEST_ROWS)
        mean = column.rank * classes.rank / (n - 1)
        w_a, w_b = (side.unevenness / (n - 2) for side in (column, classes))
        v_a, v_b = (side.rank * (n - 1 - side.rank) / (n - 1) for side in (column, classes))
        variance = 2 * (v_a - w_a) * (v_b - w_b) / (n * (n - 3)) + w_a * w_b / (n - 1)
        return cls(mean, variance, (rows >= _FEWEST_ROWS) & (mean > 0) & (variance > _ROUNDING * mean**2))

    def tail(self, relation: Floats) -> Floats:
        """The p-value of each relation by the gamma law of this mean and variance; 1 where it never varies."""
        p = np.ones(len(relation))
        mean, variance = self.mean[self.varies], self.variance[self.varies]
        p[self.varies] = gamma_tail(mean**2 / variance, relation[self.varies] * NEARLY * (mean / variance))
        return p

    def largest_tail(self, relation: Floats) -> Floats:
        """What no p-value exceeds, by mean and variance alone, whatever the tail is like: Cantelli's inequality."""
        excess = np.maximum(relation * NEARLY - self.mean, 0.0)
        return np.where(excess > 0, self.variance / np.where(excess > 0, self.variance + excess**2, 1.0), 1.0)


def gamma_tail(shape: Floats, x: Floats) -> Floats:
    """The probability that a gamma variable of this shape and scale 1 is at least ``x``, element by element.

    ``scipy.special.gammaincc`` is the same, but importing it takes half as long as ranking a small table.

    >>> gamma_tail(np.array([1.0, 0.5]), np.array([2.0, 0.0]))
    array([0.13533528, 1.        ])
    """
    tail = np.ones(len(x))
    positive = np.flatnonzero(x > 0)
    for first in range(0, len(positive), _TAILS_AT_A_TIME):
        some = positive[first : first + _TAILS_AT_A_TIME]
        tail[some] = _gamma_tail(shape[some], x[some])
    return np.clip(tail, 0.0, 1.0)


def _gamma_tail(a: Floats, x: Floats) -> Floats:
    """With t = x eᵛ in Γ(a, x) = ∫ tᵃ⁻¹ e⁻ᵗ dt, Q = xᵃ e⁻ˣ / Γ(a) ∫ exp(a v - x (eᵛ - 1)) dv over v > 0, and 1 - Q is
    the integral over v < 0. Gauss and Legendre's rule is right to ten digits for the one of the two that decays from
    v = 0 on; or for the upper one, if the shape is so small that this one rises but little.
    """
    log_gamma = np.array([math.lgamma(shape + 1) for shape in a.tolist()])
    # For a very small x, Q = 1 - xᵃ / Γ(a+1).
    tiny = x < _SMALL_X
    near_zero = -np.expm1(np.minimum(a * np.log(x) - log_gamma, 0.0))
    x = np.maximum(x, _SMALL_X)
    upper = (x >= a) | (a < _SMALL_SHAPE)
    nodes, weights = _gauss_legendre()
    end = _end_of_integral(a, x, upper)
    v = np.where(upper, end, -end)[:, None] * nodes
    integral = end * (np.exp(a[:, None] * v - x[:, None] * np.expm1(v)) * weights).sum(axis=1)
    # xᵃ e⁻ˣ / Γ(a+1), as a (log(x/a) - (x-a)/a) less half the logarithm of 2πa and what Stirling's formula lacks:
    # adding and subtracting logarithms of large shapes would lose digits.
    away = (x - a) / a
    log_ratio = np.where(np.abs(away) < 0.5, np.log1p(np.clip(away, -0.5, 0.5)), np.log(x / a))
    half_log = np.log(2 * np.pi * a) / 2
    series = (1 / 12 - (1 / 360 - 1 / 1260 / a**2) / a**2) / a
    correction = np.where(a < _STIRLING_FROM, log_gamma - a * np.log(a) + a - half_log, series)
    part = a * np.exp(a * (log_ratio - away) - half_log - correction) * integral
    tail: Floats = np.where(tiny, near_zero, np.where(upper, part, 1 - part))
    return tail


def _end_of_integral(a: Floats, x: Floats, upper: Flags) -> Floats:
    """The |v| from which on a v - x (eᵛ - 1) is below -40, or a little more."""
    # eᵛ - 1 ≥ v + v²/2 above 0, and ≥ v + v²/3 from -1 to 0; the larger factor of v is the distance from the mean.
    distance = np.abs(x - a)
    curvature = np.where(upper, x / 2, x / 3)
    by_square = 2 * _NEGLIGIBLE / (distance + np.sqrt(distance**2 + 4 * _NEGLIGIBLE * curvature))
    enough = _NEGLIGIBLE + 5
    by_exponential = np.log1p(enough / x)
    short = a * by_exponential <= enough - _NEGLIGIBLE
    above = np.where(x < a, by_exponential, np.where(short, np.minimum(by_square, by_exponential), by_square))
    return np.where(upper, above, np.where(by_square <= 1, by_square, (_NEGLIGIBLE + x) / a))


@cache
def _gauss_legendre() -> tuple[Floats, Floats]:
    """Nodes and weights of the integral from 0 to 1."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return (nodes + 1) / 2, weights / 2


def sum_in_order(terms: Floats) -> Floats:
    """Sums along each row that do not depend, not even in the last digit, on the order of the terms or on zeros."""
    # A sum over the first axis adds one term after the other.
    total: Floats = np.sort(terms, axis=1).T.copy().sum(axis=0)
    return total
