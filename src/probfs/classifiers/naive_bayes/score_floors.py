"""Bounds on how far scores can have fallen since they were computed: only those that may be lowest are computed again.

With two classes and log-odds L, a feature of log-odds l changes a row's probability by
σ(L) - σ(L - l) = (1 - e^-l) / ((1 + e^-L)(1 + e^(L - l))), the logarithm of which has the derivative
σ(-L) - σ(L - l) in L: between -1 and 1. So when a feature k is removed, which moves L by l_k, the change that any other
feature makes to a row is multiplied by something between e^-|l_k| and e^|l_k|, and its score Ŝ_S, or Ŝ_SU, by something
between e^-M and e^M with M = max |l_k|. This holds however close probabilities are to 0 or 1.

With more classes, ½ Σ |P - Q| is the maximum of P(A) - Q(A) over all sets A of classes. If removing the feature
multiplies the classes' weights by f, then P(A) - Q(A) = Σ p_a·p_b·(f_b - f_a) / Σ p·f over a in A and b not in A, and
the maximizing set has no negative terms. When k is removed, p becomes p·g / Σ p·g, and each term is multiplied by
g_a·g_b over two means of g: by a factor between e^-2R and e^2R, with R = max log g - min log g. So is the maximum.
"""

from __future__ import annotations

import numpy as np

from probfs.classifiers.extended_range import ExtendedFloats
from probfs.classifiers.protocol import Features
from probfs.tables.table import Floats

_ROUNDING = 1e-9
"""Bound on rounding errors of scores and on differences between tied scores, in logarithms; far above either."""
_MIN_BATCH = 4


class ScoreFloors:
    """Lower bounds on the logarithms of all features' scores."""

    def __init__(self, reach: Floats, classes: int) -> None:
        """``reach`` is M, or R, for each feature."""
        self._reach = reach
        self._classes = classes
        self._exponent = 1.0
        self._floor = np.full(len(reach), -np.inf)
        self._unscored = self._rescored = 0

    def record(self, features: Features, scores: ExtendedFloats) -> None:
        """Take note of scores that were computed."""
        self._floor[features] = scores.logs()

    def lower_after_removal(self, features: Features) -> None:
        """Lower all floors by what the removal of these features may have taken from a score."""
        self._floor -= self._per_shift * self._exponent * self._reach[features].sum()

    def follow_exponent(self, exponent: float, largest_gap: float) -> None:
        """Move all floors by the least that a larger exponent does to scores. ``largest_gap`` is G, of any row."""
        ratio, growth = exponent / self._exponent, exponent - self._exponent
        self._floor -= self._per_shift * growth * largest_gap
        if self._classes == 2:
            reach = np.where(self._reach > 0, self._reach, 1.0)
            self._floor += np.log(np.expm1(-exponent * reach) / np.expm1(-self._exponent * reach))
        else:
            self._floor += np.log(ratio) - growth * self._reach
        self._exponent = exponent

    @property
    def _per_shift(self) -> int:
        """By how much at most the logarithm of a change moves when the log-weights of a row move by 1."""
        return 1 if self._classes == 2 else 2

    def first_batch(self, active: Features, wanted: int) -> Features:
        """The features to score first: those that were never scored, and the lowest of the others, about half as many
        as had to be scored last time.
        """
        floors = self._floor[active]
        self._unscored = int(np.count_nonzero(np.isneginf(floors)))
        size = self._unscored + max(_MIN_BATCH, wanted, self._rescored // 2)
        if size >= len(active):
            return active
        lowest: Features = np.sort(active[np.argpartition(floors, size)[:size]])
        return lowest

    def second_batch(self, active: Features, computed: Features, wanted: int) -> Features:
        """The other features that may be among the ``wanted`` lowest, or tied with these, given the scores so far."""
        last = np.partition(self._floor[computed], wanted - 1)[wanted - 1]
        may_be = self._floor <= last + _ROUNDING
        may_be[computed] = False
        others: Features = active[may_be[active]]
        self._rescored = len(computed) + len(others) - self._unscored
        return others
