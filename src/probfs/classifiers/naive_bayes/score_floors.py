"""Lower bounds on scores, so that most features need not be scored again when another has left.

Let z be a row's log-weights, and λ_j the logarithms of the factors that the removal of feature j divides out of them:
with shrinkage, A times those of the model. The probabilities are P(z), and the change that j makes is
Δ_j(z) = P(z) - P(z - λ_j). When k is removed, this becomes Δ_j(z - λ_k), a difference of

    ∫∫ P''(z - s·λ_j - t·λ_k)[λ_j, λ_k] ds dt    over 0 ≤ s, t ≤ 1.

The second derivative of P_c in the directions u and v is P_c·((u_c - ū)(v_c - v̄) - Cov(u, v)), with means and
covariance under P. Half the sum of its sizes over all classes is at most the mean of |u_c - ū|·|v_c - v̄|, which is at
most the product of two standard deviations, and so at most ¼·R(u)·R(v), R being the range over the classes. As all
classes' derivatives add up to 0, no single one is larger than that half sum. With two classes P is σ of the log-odds,
of which |σ''| ≤ 1/(6·√3). So in each row both ½ Σ |Δ_j| and the change of the row's own class differ by at most
c·R(λ_j)·R(λ_k), with c = ¼ or 1/(6·√3). The mean over rows differs, by Cauchy and Schwarz, by at most
c·r_j·r_k, where r² is the mean of R². This holds for all three scores; it is little where λ is small, as it is in tall
tables and while shrinkage acts.

A floor is kept as score + c·r_j·f, with f = Σ r_k over all features that had left when the score was computed, and read
as that minus c·r_j·f with the f of now. Rounding of f and of the products is far below ``_ROUNDING`` times c·r_j·f,
which is taken off as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from probfs.classifiers.protocol import Features
from probfs.tables.arrays import Floats

_ROUNDING = 1e-9
"""Bound on rounding errors of scores and on differences between tied scores, relative to the sum of the sizes of a
score's terms; and on those of floors, relative to how far they have fallen. Far above either.
"""


class ScoreFloors:
    """Lower bounds on the scores of active features while an exponent is held."""

    def __init__(self, reach: Floats, active: Features, classes: int) -> None:
        """``reach`` is r of each feature under the exponent."""
        self._reach = reach
        self._slope = reach / (6 * math.sqrt(3)) if classes == 2 else reach / 4
        self._fallen = 0.0
        """The reaches of all features that have left."""
        self._at_start = np.full(len(reach), np.inf)
        """Each floor, raised by what it has fallen since nothing had left; infinity for what is not active."""
        self._at_start[active] = -np.inf
        self._expected = -math.inf
        """About the score of the features that will be lowest next."""

    def floors(self) -> Floats:
        """The lower bound of each feature; minus infinity where nothing is known."""
        return np.asarray(self._at_start - self._slope * (self._fallen * (1 + _ROUNDING)))

    def lower_after_removal(self, features: Features) -> None:
        """Lower all floors by what the removal of these features may have taken from a score."""
        self._fallen += float(self._reach[features].sum())
        self._at_start[features] = np.inf

    def score_lowest(self, wanted: int, score: Callable[[Features], tuple[Floats, Floats]]) -> Features:
        """Score all features that may be among the ``wanted`` lowest or tied with these, those first whose floors are
        no higher than the lowest scores were expected to be; and say which they were.

        ``score`` tells the scores of features, and the sums of the sizes of their terms.
        """
        floors = self.floors()
        first = np.flatnonzero(floors <= self._expected)
        if len(first) < wanted:
            first = np.sort(np.argpartition(floors, wanted - 1)[:wanted])
        size = self._record(first, *score(first))
        taken_off = _ROUNDING * self._fallen * float(self._slope[first].max(initial=0.0))
        highest = self._lowest(first, wanted) + 3 * _ROUNDING * size + 2 * taken_off
        floors[first] = np.inf
        rest = np.flatnonzero(floors <= highest)
        if len(rest):
            self._record(rest, *score(rest))
        scored: Features = np.concatenate([first, rest])
        # When these have left, as many of the others will be lowest.
        self._expected = self._lowest(scored, min(2 * wanted, len(scored)))
        return scored

    def _record(self, features: Features, scores: Floats, sizes: Floats) -> float:
        """Take note of scores, and of the sums of their terms' sizes; the largest of these."""
        self._at_start[features] = scores - _ROUNDING * sizes + self._slope[features] * self._fallen
        return float(sizes.max(initial=0.0))

    def _lowest(self, features: Features, place: int) -> float:
        """The floor at this place, from 1, among those of some features in rising order."""
        floors = self._at_start[features] - self._slope[features] * (self._fallen * (1 + _ROUNDING))
        return float(np.partition(floors, place - 1)[place - 1])
