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

import numpy as np

from probfs.classifiers.protocol import Features
from probfs.tables.arrays import Floats

_ROUNDING = 1e-9
"""Bound on rounding errors of scores and on differences between tied scores, relative to the sum of the sizes of a
score's terms; and on those of floors, relative to how far they have fallen. Far above either.
"""
_MIN_BATCH = 4
_ROUNDS_OF_A_POOL = 16
"""How many features may leave until all features are looked at again; costs little and saves most of looking at all."""
_MIN_POOL = 128


class ScoreFloors:
    """Lower bounds on all features' scores while an exponent is held, and the features that may be lowest by them.

    Floors fall slowly, so the features of the lowest floors are a pool that lasts for some rounds: while no other
    feature can be among the lowest, only the pool is looked at.
    """

    def __init__(self, reach: Floats, classes: int) -> None:
        """``reach`` is r of each feature under the exponent."""
        self._reach = reach
        self._slope = reach / (6 * math.sqrt(3)) if classes == 2 else reach / 4
        self._fallen = 0.0
        """The reaches of all features that have left."""
        self._at_start = np.full(len(reach), -np.inf)
        """Each floor, raised by what it has fallen since nothing had left."""
        self._sizes = np.zeros(len(reach))
        self.unscored = self._rescored = 0
        """How many of the features looked at last had no score yet, and how many others were scored again."""
        self._pool: Features | None = None
        self._pool_lasts_until = 0.0
        """How far floors may fall until the pool has to be chosen anew."""
        self._pool_limit = 0.0
        """No feature outside the pool has a lower floor while the pool lasts."""

    def record(self, features: Features, scores: Floats, sizes: Floats) -> None:
        """Take note of scores that were computed, and of the sums of their terms' sizes."""
        self._sizes[features] = sizes
        self._at_start[features] = scores - _ROUNDING * sizes + self._slope[features] * self._fallen

    def floors(self, features: Features) -> Floats:
        """The lower bounds of some features; minus infinity where nothing is known."""
        return self._floors_at(self._fallen, features)

    def lower_after_removal(self, features: Features) -> None:
        """Lower all floors by what the removal of these features may have taken from a score."""
        self._fallen += float(self._reach[features].sum())
        if self._pool is not None:
            self._pool = self._pool[(self._pool[:, None] != features).all(axis=1)]

    def first_batch(self, active: Features, wanted: int) -> Features:
        """The features to score first: those that were never scored, and the lowest of the others, about half as many
        as had to be scored last time.
        """
        if self._pool is None or self._fallen > self._pool_lasts_until:
            self._choose_pool(active)
        features = active if self._pool is None else self._pool
        floors = self.floors(features)
        self.unscored = int(np.count_nonzero(np.isneginf(floors)))
        size = self.unscored + max(_MIN_BATCH, wanted, self._rescored // 2)
        if size >= len(features):
            return features
        lowest: Features = np.sort(features[np.argpartition(floors, size)[:size]])
        return lowest

    def second_batch(self, active: Features, computed: Features, wanted: int) -> Features:
        """The other features that may be among the ``wanted`` lowest, or tied with these, given the scores so far."""
        highest = math.inf
        if len(computed) >= wanted:
            highest = float(np.partition(self.floors(computed), wanted - 1)[wanted - 1]) + self._tolerance(computed)
        if highest >= self._pool_limit:
            self._pool = None
        features = active if self._pool is None else self._pool
        may_be = self.floors(features) <= highest
        may_be[np.searchsorted(features, computed)] = False
        others: Features = features[may_be]
        self._rescored = len(computed) + len(others) - self.unscored
        return others

    def _floors_at(self, fallen: float, features: Features) -> Floats:
        floors: Floats = self._at_start[features] - self._slope[features] * (fallen * (1 + _ROUNDING))
        return floors

    def _tolerance(self, features: Features) -> float:
        """By how much a floor must be above those of these features, just scored, not to be tied with any of them."""
        taken_off = _ROUNDING * self._fallen * float(self._slope[features].max(initial=0.0))
        return 3 * _ROUNDING * float(self._sizes[features].max(initial=0.0)) + 2 * taken_off

    def _choose_pool(self, active: Features) -> None:
        # In each round about as many features come within reach of the lowest as were scored in the last one.
        size = _MIN_POOL + _ROUNDS_OF_A_POOL * self._rescored
        self._pool = None
        if len(active) < 2 * size or np.isneginf(self._at_start[active]).any():
            return
        self._pool_lasts_until = self._fallen + _ROUNDS_OF_A_POOL * float(self._reach[active].mean())
        floors = self._floors_at(self._pool_lasts_until, active)
        nearest = np.argpartition(floors, size)
        self._pool_limit = float(floors[nearest[size]])
        self._pool = np.sort(active[nearest[:size]])
