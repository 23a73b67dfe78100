"""Where to cut: how many of the best columns to keep."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from probfs.classifiers.row_odds import Moments
from probfs.selection.curve import CurvePoint

_TIE = 1e-12
"""Losses that differ by no more than this share of them differ by rounding."""


Compare = Callable[[CurvePoint], Iterable[tuple[CurvePoint, Moments]]]
"""From a point of the curve to all points, each with the moments of the row differences of its loss to that one's."""


def choose_size(points: Sequence[CurvePoint], keep: str | int, least: int, compare: Compare) -> int:
    """How many columns to keep: ``keep`` says by which rule, or how many; never fewer than ``least``."""
    if isinstance(keep, int):
        return max(least, min(keep, len(points) - 1))
    best = find_best(points[least:])
    if keep == "best":
        return best.features
    near = [
        point.features
        for point, difference in compare(best)
        if point.features >= least and difference.mean <= difference.se * (1 + _TIE) + _TIE * best.log_loss
    ]
    return min(near) if keep == "fewest" else max(near)


def find_best(points: Sequence[CurvePoint]) -> CurvePoint:
    """The point of the least loss; of equal losses, that of the fewest columns."""
    least = min(point.log_loss for point in points)
    return next(point for point in points if point.log_loss <= least * (1 + _TIE))
