"""How large the relation of a column to the class is when labels are shuffled: exact mean and variance, and a tail.

A column with a value in N rows is a projection A of the N-dimensional space of rows, centred: onto the indicators of
its values (rank values - 1), or onto its scores if it is numeric (rank 1). The classes are another, B. Then

    relation = trace(A·B) = X² / N for values, and SSB / SST (Kruskal-Wallis: H / (N-1)) for scores.

Shuffled labels turn B into P·B·Pᵀ with a random permutation P. The diagonal of A sums to its rank a, its squares to
s_A, and with

    v_A = a (N-1-a) / (N-1),    w_A = (N s_A - a²) / (N-2),    v_B, w_B alike,

    mean = a b / (N-1),    variance = 2 (v_A-w_A) (v_B-w_B) / (N (N-3)) + w_A w_B / (N-1).

For values and classes these are Dawson's (1954) moments of X². docs/background/screening.md has the derivation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from probfs.tables.arrays import Flags, Floats

NEARLY = 1 - 1e-9
"""Shuffles that give the same relation may differ from it by rounding."""
_FEWEST_ROWS = 4
"""The variance has N - 3 in a denominator; and of three rows nothing can be said."""
_ROUNDING = 1e-12
"""Variance, relative to the squared mean, that is no more than rounding: the relation is the same in any order."""
_EPSILON, _NEARLY_ONE, _TINY = 1e-17, 1e-14, 1e-300
_MOST_TERMS = 100_000


class Projections(NamedTuple):
    """One side of the relation, for each of several columns: ranks, and N s - rank², 0 for an even diagonal."""

    rank: Floats
    unevenness: Floats

    @classmethod
    def onto_groups(cls, sizes: Floats) -> Projections:
        """For rows that fall into groups of these sizes (columns × groups); a group without rows is none."""
        seen = sizes > 0
        groups = seen.sum(axis=1).astype(np.float64)
        inverse = np.where(seen, 1 / np.where(seen, sizes, 1.0), 0.0).sum(axis=1)
        return cls(groups - 1, sizes.sum(axis=1) * inverse - groups**2)

    @classmethod
    def onto_scores(cls, rows: Floats, squares: Floats, fourth_powers: Floats) -> Projections:
        """For one score a row, from the sums of second and fourth powers of the scores around their mean."""
        differ = squares > 0
        ratio = fourth_powers / np.where(differ, squares, 1.0) ** 2
        return cls(differ.astype(np.float64), np.where(differ, rows * ratio - 1, 0.0))


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

    ``scipy.special.gammaincc`` is the same, but importing it takes a sixth of the time of a small ranking.

    >>> gamma_tail(np.array([1.0, 0.5]), np.array([2.0, 0.0]))
    array([0.13533528, 1.        ])
    """
    tail = np.ones(len(x))
    for parts, is_lower in (((x > 0) & (x < shape + 1), True), (x >= shape + 1, False)):
        a, b = shape[parts], x[parts]
        density = np.exp(a * np.log(b) - b - np.array([math.lgamma(one) for one in a.tolist()]))
        tail[parts] = 1 - density * _power_series(a, b) if is_lower else density * _continued_fraction(a, b)
    return np.clip(tail, 0.0, 1.0)


def _power_series(a: Floats, x: Floats) -> Floats:
    """Σ xⁿ / (a (a+1) … (a+n)), the lower part of the integral."""
    term = series = 1 / a
    for n in range(1, _MOST_TERMS):
        term = term * x / (a + n)
        series = series + term
        if (term <= _EPSILON * series).all():
            break
    return series


def _continued_fraction(a: Floats, x: Floats) -> Floats:
    """1 / (x+1-a - 1 (1-a) / (x+3-a - 2 (2-a) / (x+5-a - …))), the upper part, by Lentz's method."""
    b = x + 1 - a
    c, d = np.full(len(a), 1 / _TINY), 1 / np.where(b == 0, _TINY, b)
    fraction = d
    for n in range(1, _MOST_TERMS):
        numerator, b = n * (a - n), b + 2
        d, c = numerator * d + b, b + numerator / c
        d, c = 1 / np.where(d == 0, _TINY, d), np.where(c == 0, _TINY, c)
        fraction = fraction * d * c
        if (np.abs(d * c - 1) <= _NEARLY_ONE).all():
            break
    return fraction
