"""What the model of the best k columns achieves, for every k: the path of an elimination, and its losses."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from probfs.classifiers.protocol import OddsClassifier
from probfs.classifiers.scores import Score
from probfs.ranking.elimination import eliminate
from probfs.selection.temperature import fit_temperature, least_probability
from probfs.selection.tempered_sums import row_losses
from probfs.tables.table import Floats


@dataclass(frozen=True)
class EliminatedFeature:
    """A feature, by position, and its scores in the round in which it left."""

    feature: int
    s_s: float
    s_a: float


@dataclass(frozen=True)
class CurvePoint:
    """How the model of so many features does on rows that it does not know, after a temperature."""

    features: int
    log_loss: float
    temperature: float
    errors: int


@dataclass(frozen=True)
class Curve:
    """The features in the order of elimination, the last to leave first, and what the first k of them achieve."""

    order: tuple[EliminatedFeature, ...]
    points: tuple[CurvePoint, ...]
    """For k = 0, 1, … all features."""


def trace_curve(
    classifier: OddsClassifier, names: Sequence[str], score: Score, protected: Collection[int] = ()
) -> Curve:
    """Eliminate all features, one by one, and judge the model of those that are left each time."""
    left: list[EliminatedFeature] = []
    points = [_judge(classifier, start=1.0)]
    for current in eliminate(classifier, names, score, 1, protected):
        (position,) = current.leaving
        (s_s,), (s_a,) = (own.floats_at([position]) for own in (current.scores.s_s, current.scores.s_a))
        if left:
            points.append(_judge(classifier, points[-1].temperature))
        left.append(EliminatedFeature(int(current.scored[position]), s_s, s_a))
    if left:
        points.append(_judge(classifier, points[-1].temperature))
    return Curve(tuple(reversed(left)), tuple(reversed(points)))


def losses_along(curve: Curve, classifier: OddsClassifier) -> Iterator[tuple[CurvePoint, Floats]]:
    """Every point with the log-loss of every row there, from all features to none.

    ``classifier`` must be as it was when the curve was traced: with all features.
    """
    for point in reversed(curve.points):
        odds = classifier.odds()
        yield point, row_losses(odds, point.temperature, least_probability(odds.rows))
        if point.features:
            classifier.drop(np.array([curve.order[point.features - 1].feature]))


def _judge(classifier: OddsClassifier, start: float) -> CurvePoint:
    odds = classifier.odds()
    fitted = fit_temperature(odds, least_probability(odds.rows), start, compiled=classifier.compiled)
    return CurvePoint(len(classifier.active), fitted.log_loss, fitted.temperature, round(odds.errors))
