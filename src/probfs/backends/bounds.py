"""How low a score may have fallen since it was last computed, so that only what may be lowest is computed again.

With two classes and log-odds L, a feature of log-odds l changes a row's probability by
σ(L) - σ(L - l) = (1 - e^-l) / ((1 + e^-L)(1 + e^(L - l))), the logarithm of which has the derivative
σ(-L) - σ(L - l) in L: between -1 and 1. So when a feature k leaves, which moves L by l_k, the change that any other
feature makes to a row is multiplied by something between e^-|l_k| and e^|l_k|, and its score Ŝ_S, or Ŝ_SU, by something
between e^-M and e^M with M = max |l_k|. This holds however close probabilities are to 0 or 1.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from probfs.backends import Features
from probfs.scaled import Scaled
from probfs.table import Floats

_ROUNDING = 1e-9
"""What computed scores may be off by, and ties be apart, in their logarithms; far more than they are."""
_LEAST_BATCH = 2


class Floors:
    """Below which logarithm no feature's score can be."""

    def __init__(self, reach: Floats) -> None:
        """``reach`` is by how much each feature, when it leaves, moves the log-odds of a row at most."""
        self._reach = reach
        self._floor = np.full(len(reach), -np.inf)
        self._needed = 0

    def computed(self, features: Features, scores: Scaled) -> None:
        """Take note of scores."""
        with np.errstate(divide="ignore"):
            self._floor[features] = np.log(np.maximum(scores.mantissa, 0.0)) + scores.exponent * np.log(2.0)

    def of(self, features: Features) -> Floats:
        return self._floor[features]

    def left(self, features: Features) -> None:
        """These features have left: every other score may be lower by what they moved."""
        self._floor -= self._reach[features].sum()

    def batches(self, active: Features) -> Iterator[tuple[Features, float]]:
        """The features by their floors, in ever larger batches, with the floor of the next batch after each."""
        order = active[np.argsort(self._floor[active], kind="stable")]
        # Nothing is known of those without a floor; they all belong to the first batch. As for the others, it takes
        # about as many as last time.
        unknown = int(np.count_nonzero(np.isneginf(self._floor[active])))
        size = max(_LEAST_BATCH, unknown, self._needed // 2)
        self._needed = 0
        while self._needed < len(order):
            batch = order[self._needed : self._needed + size]
            self._needed += len(batch)
            size *= 2
            yield batch, float(self._floor[order[self._needed]]) if self._needed < len(order) else np.inf


def settled(lowest: Floats, wanted: int, next_floor: float) -> bool:
    """Whether the lowest scores so far, and all that are tied with them, are so whatever the others are."""
    return len(lowest) == wanted and bool(lowest[-1] + _ROUNDING < next_floor)
