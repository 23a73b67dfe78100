"""Bounds on how far scores can have fallen since they were computed: only those that may be lowest are computed again.

**By what share.** With two classes and log-odds L, a feature of log-odds l changes a row's probability by
Δ = σ(L) - σ(L - l) = (1 - e^-l) / ((1 + e^-L)(1 + e^(L - l))), the logarithm of which has the derivative
σ(-L) - σ(L - l) in L: between -1 and 1. So when a feature k is removed, which moves L by l_k, the change that any other
feature makes to a row is multiplied by something between e^-|l_k| and e^|l_k|, and its score Ŝ_S, or Ŝ_SU, by something
between e^-M and e^M with M = max |l_k|. This holds however close probabilities are to 0 or 1.

With more classes, ½ Σ |P - Q| is the maximum of P(S) - Q(S) over all sets S of classes. If removing the feature
multiplies the classes' weights by f, then P(S) - Q(S) = Σ p_a·p_b·(f_b - f_a) / Σ p·f over a in S and b not in S, and
the maximizing set has no negative terms. When k is removed, p becomes p·g / Σ p·g, and each term is multiplied by
g_a·g_b over two means of g: by a factor between e^-2M and e^2M, with M = max log g - min log g. So is the maximum.

**By how much.** Let z be a row's log-weights, and λ_j the logarithms of the factors that the removal of feature j
divides out of them: with shrinkage, A times those of the model. The probabilities are P(z), and the change that j makes
is Δ_j(z) = P(z) - P(z - λ_j). When k is removed, this becomes Δ_j(z - λ_k), a difference of

    ∫∫ P''(z - s·λ_j - t·λ_k)[λ_j, λ_k] ds dt    over 0 ≤ s, t ≤ 1.

The second derivative of P_c in the directions u and v is P_c·((u_c - ū)(v_c - v̄) - Cov(u, v)), with means and
covariance under P. Half the sum of its sizes over all classes is at most the mean of |u_c - ū|·|v_c - v̄|, which is at
most the product of two standard deviations, and so at most ¼·R(u)·R(v), R being the range over the classes. As all
classes' derivatives add up to 0, no single one is larger than that half sum. With two classes P is σ of the log-odds,
of which |σ''| ≤ 1/(6·√3). So in each row both ½ Σ |Δ_j| and the change of the row's own class differ by at most
c·R(λ_j)·R(λ_k), with c = ¼ or 1/(6·√3). The mean over rows differs, by Cauchy and Schwarz, by at most
c·r_j·r_k, where r² is the mean of R². This is little where λ is small, as it is while shrinkage acts; and it holds for
all three scores.

**Rounding.** A floor is kept as score + c·r_j·f, with f = Σ r_k over all features that had left when the score was
computed, and read as that minus c·r_j·f with the f of now. Both products, the sum and the difference are rounded by at
most half an ulp each, together by less than 3 ε·c·r_j·f beside what is relative to the score. So 8 ε·c·r_j·f is taken
off every floor; and f itself is rounded up whenever it grows, so that it grows by no less than r_k.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np

from probfs.classifiers.extended_range import ExtendedFloats
from probfs.classifiers.protocol import Features
from probfs.tables.table import Floats

_ROUNDING = 1e-9
"""Bound on rounding errors of scores and on differences between tied scores, relative to the sum of the sizes of a
score's terms; far above either.
"""
_ULPS = 8 * float(np.finfo(np.float64).eps)
"""Bound on rounding errors of a plain floor, relative to how far all floors of its slope have fallen."""
_MIN_BATCH = 4
_ROUNDS_OF_A_POOL = 16
"""How many features may leave until all features are looked at again; costs little and saves most of looking at all."""
_MIN_POOL = 128


class ScoreFloors(ABC):
    """Lower bounds on all features' scores, and the features that may be lowest by them."""

    def __init__(self, reach: Floats) -> None:
        """``reach`` says how far each feature's removal lowers floors: M (or 2M), or r."""
        self._reach = reach
        self._unscored = self._rescored = 0

    @abstractmethod
    def record(self, features: Features, scores: ExtendedFloats, sizes: ExtendedFloats) -> None:
        """Take note of scores that were computed, and of the sums of their terms' sizes."""

    @abstractmethod
    def floors(self, features: Features) -> Floats:
        """The lower bounds of some features; minus infinity where nothing is known."""

    @abstractmethod
    def _tolerance(self, features: Features) -> float:
        """By how much a floor must be above those of these features, just scored, not to be tied with any of them."""

    @abstractmethod
    def lower_after_removal(self, features: Features) -> None:
        """Lower all floors by what the removal of these features may have taken from a score."""

    def first_batch(self, active: Features, wanted: int) -> Features:
        """The features to score first: those that were never scored, and the lowest of the others, about half as many
        as had to be scored last time.
        """
        features = self._lowest_of(active)
        floors = self.floors(features)
        self._unscored = int(np.count_nonzero(np.isneginf(floors)))
        size = self._unscored + max(_MIN_BATCH, wanted, self._rescored // 2)
        if size >= len(features):
            return features
        lowest: Features = np.sort(features[np.argpartition(floors, size)[:size]])
        return lowest

    def second_batch(self, active: Features, computed: Features, wanted: int) -> Features:
        """The other features that may be among the ``wanted`` lowest, or tied with these, given the scores so far."""
        highest, tolerance = math.inf, self._tolerance(computed)
        if len(computed) >= wanted and tolerance < math.inf:
            highest = float(np.partition(self.floors(computed), wanted - 1)[wanted - 1]) + tolerance
        features = self._all_below(highest, active)
        may_be = self.floors(features) <= highest
        may_be[np.searchsorted(features, computed)] = False
        others: Features = features[may_be]
        self._rescored = len(computed) + len(others) - self._unscored
        return others

    def _lowest_of(self, active: Features) -> Features:
        """Some active features, in order of position, among them many of the lowest floors."""
        return active

    def _all_below(self, highest: float, active: Features) -> Features:
        """Some active features, in order of position, among them all whose floors are not above ``highest``."""
        return active


class LogFloors(ScoreFloors):
    """Floors of the logarithms of Ŝ_S or Ŝ_SU: when a feature leaves, all fall by M, or by 2M."""

    def __init__(self, reach: Floats) -> None:
        super().__init__(reach)
        self._logs = np.full(len(reach), -np.inf)

    def record(self, features: Features, scores: ExtendedFloats, sizes: ExtendedFloats) -> None:
        self._logs[features] = scores.logs()

    def floors(self, features: Features) -> Floats:
        return self._logs[features]

    def _tolerance(self, features: Features) -> float:
        return _ROUNDING

    def lower_after_removal(self, features: Features) -> None:
        self._logs -= self._reach[features].sum()


class PlainFloors(ScoreFloors):
    """Floors of any score while an exponent is held: when feature k leaves, that of feature j falls by c·r_j·r_k.

    They fall slowly, so the features of the lowest floors are a pool that lasts for some rounds: while no other feature
    can be among the lowest, only the pool is looked at.
    """

    def __init__(self, reach: Floats, curvature: float) -> None:
        """``reach`` is r of each feature under the exponent, and ``curvature`` is c."""
        super().__init__(reach)
        self._slope = curvature * reach
        self._fallen = 0.0
        """The reaches of all features that have left."""
        self._at_start = np.full(len(reach), -np.inf)
        """Each floor, raised by what it has fallen since nothing had left."""
        self._sizes = np.zeros(len(reach))
        self._pool: Features | None = None
        self._pool_lasts_until = 0.0
        """How far floors may fall until the pool has to be chosen anew."""
        self._pool_limit = 0.0
        """No feature outside the pool has a lower floor while the pool lasts."""

    def record(self, features: Features, scores: ExtendedFloats, sizes: ExtendedFloats) -> None:
        if scores.power is not None or sizes.power is not None:
            # Too small for doubles: not known, so that these features, and all others, are scored in every round.
            self._at_start[features], self._sizes[features] = -np.inf, np.inf
            return
        self._sizes[features] = sizes.values
        least = scores.values - _ROUNDING * sizes.values
        self._at_start[features] = least + self._slope[features] * self._fallen

    def floors(self, features: Features) -> Floats:
        return self._floors_at(self._fallen, features)

    def _floors_at(self, fallen: float, features: Features) -> Floats:
        floors: Floats = self._at_start[features] - self._slope[features] * (fallen * (1 + _ULPS))
        return floors

    def _tolerance(self, features: Features) -> float:
        # Floors of these features are below their scores by what was taken off them for rounding.
        taken_off = _ULPS * self._fallen * float(self._slope[features].max(initial=0.0))
        return 3 * _ROUNDING * float(self._sizes[features].max(initial=0.0)) + 2 * taken_off

    def lower_after_removal(self, features: Features) -> None:
        exact = math.fsum([self._fallen, *self._reach[features].tolist()])
        self._fallen = math.nextafter(exact, math.inf)
        if self._pool is not None:
            self._pool = self._pool[(self._pool[:, None] != features).all(axis=1)]

    def _lowest_of(self, active: Features) -> Features:
        if self._pool is None or self._fallen > self._pool_lasts_until:
            self._choose_pool(active)
        return active if self._pool is None else self._pool

    def _all_below(self, highest: float, active: Features) -> Features:
        if highest >= self._pool_limit:
            self._pool = None
        return active if self._pool is None else self._pool

    def _choose_pool(self, active: Features) -> None:
        # In each round about as many features come within reach of the lowest as were scored in the last one.
        size = _MIN_POOL + _ROUNDS_OF_A_POOL * self._rescored
        self._pool = None
        if len(active) < 2 * size:
            return
        self._pool_lasts_until = self._fallen + _ROUNDS_OF_A_POOL * float(self._reach[active].mean())
        floors = self._floors_at(self._pool_lasts_until, active)
        nearest = np.argpartition(floors, size)
        self._pool_limit = float(floors[nearest[size]])
        self._pool = np.sort(active[nearest[:size]])


def curvature(classes: int) -> float:
    """c: how much the second derivative of probabilities can be for a range of 1 in either direction."""
    return 1 / (6 * math.sqrt(3)) if classes == 2 else 0.25
