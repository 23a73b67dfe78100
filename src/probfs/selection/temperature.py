"""One temperature for all rows: P_c ∝ exp(b·L_c), with the b from 0 to 1 of the largest likelihood.

Naive Bayes counts columns that say the same several times over, and is too sure then. A model of fewer columns would
look better merely for being less sure; after a temperature, models of few and of many columns can be compared.

L are log-weights of models that do not know the row. The sum of -log P_own is a convex function of b, so Newton's
search finds its one minimum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from probfs.classifiers.row_odds import Odds, TemperedSums

_NEGLIGIBLE = 1e-15
"""What another step could take from the mean loss, when the search ends."""
_MOST_STEPS = 100


@dataclass(frozen=True)
class Tempered:
    """A temperature, and the mean log-loss of the rows at it."""

    temperature: float
    log_loss: float


def fit_temperature(odds: Odds, least: float, start: float = 1.0, *, compiled: bool = False) -> Tempered:
    """The best temperature for some rows; the nearer ``start`` is to it, the sooner it is found."""
    temperature, loss = _minimize(odds.tempered(least, compiled=compiled), odds.rows, start)
    return Tempered(temperature, loss / odds.rows)


def _minimize(sums: Callable[[float], TemperedSums], rows: float, start: float) -> tuple[float, float]:
    """The temperature from 0 to 1 of the largest likelihood, and the sum of losses there.

    Newton's steps, and halvings of the range that is left where a step would leave it.
    """
    low, high = 0.0, 1.0
    temperature = start
    for _ in range(_MOST_STEPS):
        at = sums(temperature)
        if at.slope == at.curvature == 0:
            # No temperature changes anything.
            return 1.0, at.loss
        outwards = (temperature == 1 and at.slope <= 0) or (temperature == 0 and at.slope >= 0)
        if outwards or at.slope**2 <= 2 * _NEGLIGIBLE * rows * at.curvature:
            break
        low, high = (temperature, high) if at.slope < 0 else (low, temperature)
        wanted = temperature - at.slope / at.curvature if at.curvature > 0 else (1.0 if at.slope < 0 else 0.0)
        # An end of the range that no step has come to yet may be the answer itself.
        if wanted >= 1 and high == 1 != temperature:
            temperature = 1.0
        elif wanted <= 0 and low == 0 != temperature:
            temperature = 0.0
        else:
            temperature = wanted if low < wanted < high else (low + high) / 2
    return temperature, at.loss
