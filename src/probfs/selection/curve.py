"""What the model of the best k columns achieves, for every k: the path of an elimination, and its losses."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from probfs.classifiers.protocol import OddsClassifier
from probfs.classifiers.row_odds import Losses, Odds, least_probability
from probfs.classifiers.scores import Score
from probfs.ranking.elimination import Round, eliminate
from probfs.ranking.story import StoryRecorder
from probfs.selection.temperature import fit_temperature


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
    temperature: float | None
    """None for a classifier whose probabilities are calibrated already."""
    errors: int


@dataclass(frozen=True)
class Curve:
    """The features in the order of elimination, the last to leave first, and what the first k of them achieve."""

    order: tuple[EliminatedFeature, ...]
    points: tuple[CurvePoint, ...]
    """For k = 0, 1, … all features."""
    odds: tuple[Odds, ...] = field(default=(), compare=False)
    """Of the rows at every point; only of a calibrated classifier, whose models take long to fit again."""


def trace_curve(
    classifier: OddsClassifier,
    names: Sequence[str],
    score: Score,
    protected: Collection[int] = (),
    on_round: Callable[[Round], None] | None = None,
    recorder: StoryRecorder | None = None,
) -> Curve:
    """Eliminate all features, one by one, and judge the model of those that are left each time.

    ``recorder`` hears of every round.
    """
    left: list[EliminatedFeature] = []
    points: list[CurvePoint] = []
    odds: list[Odds] = []

    def judge() -> None:
        own = classifier.odds()
        points.append(_judge(classifier, own, points[-1].temperature if points else None))
        if classifier.calibrated:
            odds.append(own)

    rounds = eliminate(classifier, names, score, 1, protected)
    for current in rounds if recorder is None else recorder.follow(rounds, classifier):
        if on_round is not None:
            on_round(current)
        (position,) = current.leaving
        s_s, s_a = float(current.scores.s_s[position]), float(current.scores.s_a[position])
        judge()
        left.append(EliminatedFeature(int(current.scored[position]), s_s, s_a))
    judge()
    return Curve(tuple(reversed(left)), tuple(reversed(points)), tuple(reversed(odds)))


def losses_along(curve: Curve, fit: Callable[[], OddsClassifier]) -> Iterator[tuple[CurvePoint, Losses]]:
    """Every point with the log-losses of the rows there, from all features to none.

    ``fit`` makes the classifier that the curve was traced with; it is not called where the odds were kept.
    """
    classifier = None if curve.odds else fit()
    for point in reversed(curve.points):
        odds = curve.odds[point.features] if classifier is None else classifier.odds()
        yield point, odds.losses(point.temperature, least_probability(odds.rows))
        if classifier is not None and point.features:
            classifier.drop(np.array([curve.order[point.features - 1].feature]))


def _judge(classifier: OddsClassifier, odds: Odds, start: float | None) -> CurvePoint:
    least = least_probability(odds.rows)
    features, errors = len(classifier.active), round(odds.errors)
    if classifier.calibrated:
        return CurvePoint(features, odds.tempered(least)(1.0).loss / odds.rows, None, errors)
    fitted = fit_temperature(odds, least, 1.0 if start is None else start, compiled=classifier.compiled)
    return CurvePoint(features, fitted.log_loss, fitted.temperature, errors)
