"""What the model of the best k columns achieves, for every k: the path of an elimination, its losses, and where to cut.

Naive Bayes counts columns that say the same several times over, and is too sure then. A model of fewer columns would
look better merely for being less sure. So all rows are given one sharpness: P_c ∝ exp(b·L_c), with the b from 0 to 1 of
the largest likelihood, L being log-weights of models that do not know the row. After that, models of few and of many
columns can be compared. The sum of -log P_own is a convex function of b, so that it has one minimum.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from probfs.classifiers.protocol import OddsClassifier
from probfs.classifiers.row_odds import Moments, Odds, TemperedSums, least_probability
from probfs.ranking.elimination import Round
from probfs.selection.result import Size
from probfs.tables.arrays import Integers

_NEGLIGIBLE = 1e-15
"""What another step could take from the mean loss, when the search ends."""
_LAST_TERM = 1e-12
_SMALL_STEP = 0.05
"""A step that is small relative to the sharpness, and whose term of fourth order is small relative to the loss, needs
no measurement of the loss after it.
"""
_MOST_STEPS = 100
_TIE = 1e-12
"""Losses that differ by no more than this, relative to their size, differ by rounding."""


@dataclass(frozen=True)
class Curve:
    """The features in the order of elimination, the last to leave first, and what the first k of them achieve."""

    order: tuple[int, ...]
    """By their positions in the table."""
    sizes: tuple[Size, ...]
    """For k = 0, 1, … all features."""
    odds: tuple[Odds, ...] = field(default=(), compare=False)
    """Of the rows at every size; only of a calibrated classifier, whose models take long to fit again."""


def trace_curve(classifier: OddsClassifier, rounds: Iterable[Round]) -> Curve:
    """Go through the rounds of an elimination one by one, and judge the model of those that are left each time."""
    left: list[int] = []
    sizes: list[Size] = []
    odds: list[Odds] = []

    def judge() -> None:
        current = classifier.odds()
        sizes.append(_judge(classifier, current, sizes[-1].temperature if sizes else None))
        if classifier.calibrated:
            odds.append(current)

    for current in rounds:
        judge()
        left.append(int(current.scored[current.leaving[0]]))
    judge()
    return Curve(tuple(reversed(left)), tuple(reversed(sizes)), tuple(reversed(odds)))


def _judge(classifier: OddsClassifier, odds: Odds, start: float | None) -> Size:
    features = len(classifier.active)
    if classifier.calibrated:
        loss = odds.tempered(least_probability(odds.rows))(1.0).loss / odds.rows
        return Size(features, loss, None, round(odds.errors))
    sharpness, loss = fit_sharpness(odds, 1.0 if start is None else start)
    return Size(features, loss, sharpness, round(odds.errors))


# Sharpness


def fit_sharpness(odds: Odds, start: float = 1.0) -> tuple[float, float]:
    """The best sharpness from 0 to 1 for some rows, and their mean loss at it; the nearer ``start`` is, the sooner it
    is found.

    Each step goes to the minimum of the Taylor series of fourth order, or halves the range where that is outside of it.
    """
    sums = odds.tempered(least_probability(odds.rows))
    low, high, sharpness = 0.0, 1.0, start
    at = sums(sharpness)
    for _ in range(_MOST_STEPS):
        if at.slope == at.curvature == 0:
            # No sharpness changes anything.
            return 1.0, at.loss / odds.rows
        outwards = (sharpness == 1 and at.slope <= 0) or (sharpness == 0 and at.slope >= 0)
        if outwards or at.slope**2 <= 2 * _NEGLIGIBLE * odds.rows * at.curvature:
            break
        low, high = (sharpness, high) if at.slope < 0 else (low, sharpness)
        step = _best_step(at)
        wanted = sharpness + step
        if low < wanted < high and _is_small(step, sharpness, at):
            return wanted, (at.loss + _taylor(at, step)) / odds.rows
        # An end of the range that no step has come to yet may be the answer itself.
        if wanted >= 1 and high == 1 != sharpness:
            sharpness = 1.0
        elif wanted <= 0 and low == 0 != sharpness:
            sharpness = 0.0
        else:
            sharpness = wanted if low < wanted < high else (low + high) / 2
        at = sums(sharpness)
    return sharpness, at.loss / odds.rows


def _best_step(at: TemperedSums) -> float:
    """Where the series of the slope is 0, near the step of Newton's; far away where the loss is a straight line."""
    if at.curvature <= 0:
        return -math.copysign(math.inf, at.slope)
    newton = step = -at.slope / at.curvature
    for _ in range(5):
        slope = at.slope + step * (at.curvature + step * (at.third / 2 + step * at.fourth / 6))
        curvature = at.curvature + step * (at.third + step * at.fourth / 2)
        if curvature <= 0:
            return newton
        step -= slope / curvature
    return step if abs(step - newton) <= abs(newton) else newton


def _is_small(step: float, sharpness: float, at: TemperedSums) -> bool:
    term = abs(at.fourth) * step**4 / 24
    return not at.clipped and abs(step) <= _SMALL_STEP * sharpness and term <= _LAST_TERM * at.loss


def _taylor(at: TemperedSums, step: float) -> float:
    """What a step adds to the loss."""
    return step * (at.slope + step * (at.curvature / 2 + step * (at.third / 6 + step * at.fourth / 24)))


# Where to cut

Compare = Callable[[Size], Iterable[tuple[Size, Moments]]]
"""From one size to all, each with the moments of the row differences of its loss to that one's."""


def choose_size(sizes: Sequence[Size], keep: str | int, least: int, compare: Compare) -> int:
    """How many columns to keep: ``keep`` says by which rule, or how many; never fewer than ``least``."""
    if isinstance(keep, int):
        return max(least, min(keep, len(sizes) - 1))
    best = find_best(sizes[least:])
    if keep == "best":
        return best.features
    near = [
        size.features
        for size, difference in compare(best)
        if size.features >= least and difference.mean <= difference.se * (1 + _TIE) + _TIE * best.log_loss
    ]
    return min(near) if keep == "fewest" else max(near)


def find_best(sizes: Sequence[Size]) -> Size:
    """The size of the least loss; of equal losses, that of the fewest columns."""
    least = min(size.log_loss for size in sizes)
    return next(size for size in sizes if size.log_loss <= least * (1 + _TIE))


def compare_sizes(
    curve: Curve, best: Size, fit: Callable[[], tuple[OddsClassifier, Integers]]
) -> Iterator[tuple[Size, Moments]]:
    """How much more than at one size the rows lose at each size, on average, from all features to none.

    ``fit`` makes the classifier that the curve was traced with. Unless odds were kept, the elimination is gone through
    once more: the losses of all rows at all sizes would take more memory than the table.
    """
    classifier, columns = (None, np.empty(0)) if curve.odds else fit()
    place_of = {column: place for place, column in enumerate(columns.tolist())}
    order = [place_of.get(column, 0) for column in curve.order]
    kept = curve.odds[best.features] if classifier is None else classifier.odds(order[: best.features])
    least = least_probability(kept.rows)
    least_losses = kept.losses(best.temperature, least)
    for size in reversed(curve.sizes):
        odds = curve.odds[size.features] if classifier is None else classifier.odds()
        yield size, odds.losses(size.temperature, least).minus(least_losses)
        if classifier is not None and size.features:
            classifier.drop(np.array([order[size.features - 1]]))
