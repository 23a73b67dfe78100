"""How low a score may have fallen since it was last computed, so that only what may be lowest is computed again.

With two classes and log-odds L, a feature of log-odds l changes a row's probability by
σ(L) - σ(L - l) = (1 - e^-l) / ((1 + e^-L)(1 + e^(L - l))), the logarithm of which has the derivative
σ(-L) - σ(L - l) in L: between -1 and 1. So when a feature k leaves, which moves L by l_k, the change that any other
feature makes to a row is multiplied by something between e^-|l_k| and e^|l_k|, and its score Ŝ_S, or Ŝ_SU, by something
between e^-M and e^M with M = max |l_k|. This holds however close probabilities are to 0 or 1.

With more classes, half the sum of |P - Q| is the largest of P(A) - Q(A) over sets A of classes. If its leaving
multiplies the weights of classes by f, that is Σ p_a·p_b·(f_b - f_a) / Σ p·f over a in A and b not in A, and no term of
the largest is negative. When k leaves, p becomes p·g / Σ p·g, and each term is multiplied by g_a·g_b over two means of
g: by something between e^-2R and e^2R, with R = max log g - min log g, and so is the largest of the sums.
"""

from __future__ import annotations

import numpy as np

from probfs.classifiers.extended_range import ExtendedFloats
from probfs.classifiers.protocol import Features
from probfs.tables.table import Floats

_ROUNDING = 1e-9
"""What computed scores may be off by, and ties be apart, in their logarithms; far more than they are."""
_LEAST_BATCH = 4


class Floors:
    """Below which logarithm no feature's score can be."""

    def __init__(self, reach: Floats) -> None:
        """``reach`` is M for each feature: what its leaving multiplies scores by lies between e^-M and e^M."""
        self._reach = reach
        self._floor = np.full(len(reach), -np.inf)
        self._unknown = self._known_but_computed = 0

    def computed(self, features: Features, scores: ExtendedFloats) -> None:
        """Take note of scores."""
        self._floor[features] = scores.logs()

    def left(self, features: Features) -> None:
        """These features have left: every other score may be lower by what they moved."""
        self._floor -= self._reach[features].sum()

    def first(self, active: Features, wanted: int) -> Features:
        """The features to begin with: those of which nothing is known, and the lowest of the others, about half as many
        as there were to compute last time.
        """
        floors = self._floor[active]
        self._unknown = int(np.count_nonzero(np.isneginf(floors)))
        size = self._unknown + max(_LEAST_BATCH, wanted, self._known_but_computed // 2)
        if size >= len(active):
            return active
        lowest: Features = np.sort(active[np.argpartition(floors, size)[:size]])
        return lowest

    def others(self, active: Features, computed: Features, wanted: int) -> Features:
        """The features that may be among the ``wanted`` lowest too, or be tied with these."""
        last = np.partition(self._floor[computed], wanted - 1)[wanted - 1]
        may_be = self._floor <= last + _ROUNDING
        may_be[computed] = False
        others: Features = active[may_be[active]]
        self._known_but_computed = len(computed) + len(others) - self._unknown
        return others
