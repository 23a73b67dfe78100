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

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from probfs.screening.gamma_tail import upper_tail
from probfs.tables.arrays import Floats

FEWEST_ROWS = 4
"""The variance has N - 3 in a denominator; and of three rows nothing can be said."""
_ROUNDING = 1e-12
"""Variance, as a share of the squared mean, that is no more than rounding: the relation is the same in any order."""
_NEARLY = 1 - 1e-9
"""Shuffles that give the same relation may differ from it by rounding."""


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


def shuffled_moments(rows: Floats, column: Projections, classes: Projections) -> tuple[Floats, Floats]:
    """Mean and variance of the relation over all orders of the labels; for at least four rows."""
    mean = column.rank * classes.rank / (rows - 1)
    free, uneven = [], []
    for side in (column, classes):
        w = side.unevenness / (rows - 2)
        free.append(side.rank * (rows - 1 - side.rank) / (rows - 1) - w)
        uneven.append(w)
    return mean, 2 * free[0] * free[1] / (rows * (rows - 3)) + uneven[0] * uneven[1] / (rows - 1)


def tail_probabilities(
    relation: Floats, rows: Floats, column: Projections, classes: Projections
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """The p-value of each relation by the gamma law of the same mean and variance, and whether the relation varies at
    all with the order of the labels; where it does not, p = 1.
    """
    enough = rows >= FEWEST_ROWS
    mean, variance = shuffled_moments(np.where(enough, rows, FEWEST_ROWS), column, classes)
    varies = enough & (mean > 0) & (variance > _ROUNDING * mean**2)
    mean, variance = np.where(varies, mean, 1.0), np.where(varies, variance, 1.0)
    p = upper_tail(mean**2 / variance, relation * _NEARLY * (mean / variance))
    return np.where(varies, p, 1.0), varies


def largest_probabilities(relation: Floats, rows: Floats, column: Projections, classes: Projections) -> Floats:
    """What no p-value exceeds, by mean and variance alone, whatever the tail is like: Cantelli's inequality."""
    mean, variance = shuffled_moments(np.maximum(rows, FEWEST_ROWS), column, classes)
    excess = np.maximum(relation * _NEARLY - mean, 0.0)
    return np.where(excess > 0, variance / np.where(excess > 0, variance + excess**2, 1.0), 1.0)


def at_least(drawn: Floats, seen: float) -> npt.NDArray[np.bool_]:
    """Which drawn relations count as no smaller than the one seen."""
    return np.asarray(drawn >= seen * _NEARLY)


def sum_in_order(terms: Floats) -> Floats:
    """Sums along each row that do not depend, not even in the last digit, on the order of the terms or on zeros."""
    # A sum over the first axis adds one term after the other.
    total: Floats = np.sort(terms, axis=1).T.copy().sum(axis=0)
    return total
