"""Bounds on how far scores can have fallen since they were computed: only those that may be lowest are computed again.

**When features leave.** With two classes and log-odds z (which is L, or A·L where weights are raised to a power A), a
feature of log-odds λ changes a row's probability by Δ = σ(z) - σ(z - λ) = (1 - e^-λ) / ((1 + e^-z)(1 + e^(z - λ))). The
derivative of log |Δ| in z is σ(-z) - σ(z - λ): between -1 and 1. So when a feature k is removed, which moves z by λ_k,
the change that any other feature makes to a row is multiplied by something between e^-|λ_k| and e^|λ_k|, and its score
Ŝ_S, or Ŝ_SU, by something between e^-m and e^m with m = A·M, M = max |l_k|. This holds however close probabilities are
to 0 or 1. Where |z| ≤ Z on the way, and |λ| ≤ Λ, the derivative is at most s = σ(Z) + σ(Z + Λ) - 1 in size, because it
falls with z and grows with λ; so s·m takes the place of m, which is far less where all rows are uncertain. The changes
keep their signs. So a signed score, in which changes that gain add up to g and those that lose to
-h, is at least e^-m·g - e^m·h afterwards.

With more classes, ½ Σ |P - Q| is the maximum of P(S) - Q(S) over all sets S of classes. If removing the feature
multiplies the classes' weights by f, then P(S) - Q(S) = Σ p_a·p_b·(f_b - f_a) / Σ p·f over a in S and b not in S, and
the maximizing set has no negative terms. When k is removed, p becomes p·g / Σ p·g, and each term is multiplied by
g_a·g_b over two means of g: by a factor between e^-2m and e^2m, with m = max log g - min log g = A·R. So is the
maximum.

**When A becomes ρ·A, ρ ≥ 1.** With two classes, first let z become ρ·z for unchanged λ. This moves z by at most
(ρ - 1)·A·G, where G = max |L| of any row, and by the above multiplies changes by e^±(ρ - 1)·A·G. Then let λ become ρ·λ.
For λ > 0 the derivative of log |Δ| in λ is 1/(e^λ - 1) + σ(z - λ): between 1/(e^λ - 1) and 1/(1 - e^-λ). Integrated
from λ to ρ·λ, log |Δ| grows by at least log((1 - e^-ρλ)/(1 - e^-λ)), which falls as λ grows, and by at most
log((e^ρλ - 1)/(e^λ - 1)), which grows; so both bounds hold for all rows with λ = A·M. For λ < 0 they hold because
swapping the classes changes the signs of z, λ and Δ.

With more classes, p first moves as if a feature of m = (ρ - 1)·A·G had left, G being the largest difference between two
classes' log-weights: a factor of at least e^-2m. Then f becomes f^ρ. For f_b > f_a, as powers are convex,
f_b^ρ - f_a^ρ ≥ ρ·min(f)^(ρ-1)·(f_b - f_a), and Σ p·f^ρ ≤ max(f)^(ρ-1)·Σ p·f. With max(f)/min(f) ≤ e^(A·R), each term,
and the maximum, is multiplied by at least ρ·e^-(ρ - 1)·A·R.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np

from probfs.classifiers.extended_range import ExtendedFloats
from probfs.classifiers.naive_bayes.rows import LARGEST_EXPONENT
from probfs.classifiers.protocol import Features
from probfs.tables.table import Floats

_ROUNDING = 1e-9
"""Bound on rounding errors of scores and on differences between tied scores, relative to the sum of the sizes of a
score's terms; far above either.
"""
_MIN_BATCH = 4
_ROUNDS_OF_A_POOL = 8
"""How many features may leave until all features are looked at again; costs little and saves most of looking at all."""
_MIN_POOL = 128


class ScoreFloors(ABC):
    """Lower bounds on all features' scores, and the features that may be lowest by them.

    Where floors fall slowly, the features of the lowest ones are a pool that lasts for many rounds: while no other
    feature can be among the lowest, only the pool is looked at.
    """

    def __init__(self, reach: Floats, classes: int, exponent: float) -> None:
        """``reach`` is M for each feature or, with more than two classes, R."""
        self._reach = reach
        self._classes = classes
        self._exponent = exponent
        self._mean_reach, self._largest_reach = float(reach.mean()), float(reach.max())
        self._unscored = self._rescored = 0
        self._gap = math.inf
        self._pool: Features | None = None
        self._pool_lasts = 0.0
        """By how much floors may still fall until the pool has to be chosen anew."""
        self._pool_limit = 0.0
        """No feature outside the pool has a lower floor while the pool lasts."""

    @abstractmethod
    def record(self, features: Features, scores: ExtendedFloats, sizes: ExtendedFloats) -> None:
        """Take note of scores that were computed, and of the sums of their terms' sizes."""

    @abstractmethod
    def _floors(self, features: Features, fall: float = 0.0) -> Floats:
        """The lower bounds of some features, as they are or as they will be when they have fallen further."""

    @abstractmethod
    def _tolerance(self, features: Features) -> float:
        """By how much a floor must be above those of these features, just scored, not to be tied with any of them."""

    @abstractmethod
    def _lower(self, fall: float) -> None:
        """Lower all floors for changes that may have been multiplied by anything between e^-fall and e^fall."""

    @property
    def mean_fall(self) -> float:
        """By how much floors fall when a feature of average reach leaves."""
        return self._fall(self._exponent * self._mean_reach, self._exponent * self._gap)

    def lower_after_removal(self, features: Features, largest_gap: float) -> None:
        """Lower all floors by what the removal of these features may have taken from a score. ``largest_gap`` is G
        without them, or infinite.
        """
        self._gap = largest_gap
        moved = self._exponent * float(self._reach[features].sum())
        fall = self._fall(moved, self._exponent * largest_gap + moved)
        self._lower(fall)
        self._pool_lasts -= fall
        if self._pool is not None:
            self._pool = self._pool[(self._pool[:, None] != features).all(axis=1)]

    def follow_exponent(self, exponent: float, largest_gap: float) -> None:
        """Move all floors by the least that a larger exponent does to scores. ``largest_gap`` is G."""
        self._lower(self._fall((exponent - self._exponent) * largest_gap, exponent * largest_gap))
        self._exponent = exponent
        self._pool = None

    def _fall(self, moved: float, farthest: float) -> float:
        """s·m for m = ``moved`` and Z = ``farthest``; with more than two classes, 2m."""
        if self._classes > 2:
            return 2 * moved
        return moved * (_sigmoid(farthest) + _sigmoid(farthest + self._exponent * self._largest_reach) - 1)

    def first_batch(self, active: Features, wanted: int) -> Features:
        """The features to score first: those that were never scored, and the lowest of the others, about half as many
        as had to be scored last time.
        """
        if self._pool is None or self._pool_lasts < 0:
            self._choose_pool(active)
        features = active if self._pool is None else self._pool
        floors = self._floors(features)
        self._unscored = int(np.count_nonzero(np.isneginf(floors)))
        size = self._unscored + max(_MIN_BATCH, wanted, self._rescored // 2)
        if size >= len(features):
            return features
        lowest: Features = np.sort(features[np.argpartition(floors, size)[:size]])
        return lowest

    def second_batch(self, active: Features, computed: Features, wanted: int) -> Features:
        """The other features that may be among the ``wanted`` lowest, or tied with these, given the scores so far."""
        highest, tolerance = np.inf, self._tolerance(computed)
        if len(computed) >= wanted and tolerance < np.inf:
            highest = np.partition(self._floors(computed), wanted - 1)[wanted - 1] + tolerance
        if self._pool is not None and highest >= self._pool_limit:
            self._pool = None
        features = active if self._pool is None else self._pool
        may_be = self._floors(features) <= highest
        may_be[np.searchsorted(features, computed)] = False
        others: Features = features[may_be]
        self._rescored = len(computed) + len(others) - self._unscored
        return others

    def _choose_pool(self, active: Features) -> None:
        # In each round about as many features come within reach of the lowest as were scored in the last one.
        size = _MIN_POOL + _ROUNDS_OF_A_POOL * self._rescored
        self._pool = None
        if self._exponent == 1 or len(active) < 2 * size:
            return
        fall = _ROUNDS_OF_A_POOL * self.mean_fall
        floors = self._floors(active, fall)
        nearest = np.argpartition(floors, size)
        self._pool_limit = float(floors[nearest[size]])
        self._pool_lasts = fall
        self._pool = np.sort(active[nearest[:size]])


class AbsoluteFloors(ScoreFloors):
    """Floors of Ŝ_S or Ŝ_SU, as logarithms."""

    def __init__(self, reach: Floats, classes: int, exponent: float) -> None:
        super().__init__(reach, classes, exponent)
        self._logs = np.full(len(reach), -np.inf)

    def record(self, features: Features, scores: ExtendedFloats, sizes: ExtendedFloats) -> None:
        self._logs[features] = scores.logs()

    def _floors(self, features: Features, fall: float = 0.0) -> Floats:
        return self._logs[features] - fall

    def _tolerance(self, features: Features) -> float:
        return _ROUNDING

    def _lower(self, fall: float) -> None:
        self._logs -= fall

    def follow_exponent(self, exponent: float, largest_gap: float) -> None:
        before = self._exponent
        super().follow_exponent(exponent, largest_gap)
        if self._classes == 2:
            self._logs += np.log(least_growth(self._reach, before, exponent))
        else:
            self._logs += np.log(exponent / before) - (exponent - before) * self._reach


class SignedFloors(ScoreFloors):
    """Floors of Ŝ_A with two classes: its gains at their lowest, less its losses at their highest."""

    def __init__(self, reach: Floats, exponent: float) -> None:
        super().__init__(reach, 2, exponent)
        # Before gains fell and losses grew by the factor e^fallen.
        self._gains = np.zeros(len(reach))
        self._losses = np.full(len(reach), np.inf)
        self._fallen = 0.0

    def record(self, features: Features, scores: ExtendedFloats, sizes: ExtendedFloats) -> None:
        if scores.power is not None or sizes.power is not None:
            # Too small for doubles: not known, so that these features are scored in every round.
            self._gains[features], self._losses[features] = 0.0, np.inf
            return
        factor = math.exp(self._fallen)
        gains = np.maximum(sizes.values + scores.values, 0.0) / 2
        losses = np.maximum(sizes.values - scores.values, 0.0) / 2
        self._gains[features] = (1 - _ROUNDING) * factor * gains
        self._losses[features] = (1 + _ROUNDING) / factor * losses

    def _floors(self, features: Features, fall: float = 0.0) -> Floats:
        factor = math.exp(self._fallen + fall)
        return self._gains[features] / factor - self._losses[features] * factor

    def _tolerance(self, features: Features) -> float:
        factor = math.exp(self._fallen)
        sizes = self._gains[features] / factor + self._losses[features] * factor
        return 3 * _ROUNDING * float(sizes.max(initial=0.0))

    def _lower(self, fall: float) -> None:
        self._fallen += fall
        if self._fallen > 1:
            factor = math.exp(min(self._fallen, LARGEST_EXPONENT))
            self._gains /= factor
            self._losses *= factor
            self._fallen = 0.0

    def follow_exponent(self, exponent: float, largest_gap: float) -> None:
        growth = least_growth(self._reach, self._exponent, exponent)
        self._gains *= growth
        self._losses *= growth * np.exp((exponent - self._exponent) * self._reach)
        super().follow_exponent(exponent, largest_gap)


def _sigmoid(z: float) -> float:
    return 1 / (1 + math.exp(-z))


def least_growth(reach: Floats, before: float, after: float | Floats) -> Floats:
    """(1 - e^-ρλ) / (1 - e^-λ) for λ = A·M, as A grows; the most is e^(ρ - 1)λ times as much."""
    # A feature that changes nothing has a score of 0, however its floor moves.
    reach = np.where(reach > 0, reach, 1.0)
    growth: Floats = np.expm1(-after * reach) / np.expm1(-before * reach)
    return growth
