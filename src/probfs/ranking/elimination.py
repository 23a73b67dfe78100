"""Recursive elimination: score the active features, let the lowest leave, and go on until none is left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from probfs.classifiers.extended_range import ExtendedFloats
from probfs.classifiers.protocol import Classifier, Features, RoundScores
from probfs.classifiers.scores import Score

_TIE = 1e-12
# A signed score is a sum of terms of either sign: it is known to a fraction of the terms' size, not of its own.
_ROUNDING = 1e-13


@dataclass(frozen=True, eq=False)
class Round:
    """One round: the active features at its start, and which of them leave."""

    number: int
    active: Features
    scored: Features
    """The features that were scored: all in the first round, later those that might be lowest."""
    scores: RoundScores
    leaving: tuple[int, ...]
    """Positions, among the scored, of the leaving features, in order of leaving."""


def eliminate(classifier: Classifier, names: Sequence[str], score: Score, step: int | float | None) -> Iterator[Round]:
    """The rounds of the elimination; with no step there is one round, in which all features leave."""
    number = 0
    while len(classifier.active):
        number += 1
        active = classifier.active
        wanted = leaving_count(step, len(active))
        scored, scores = (active, classifier.score()) if number == 1 else classifier.lowest(score, wanted)
        leaving = leaving_order(scores, score, scored, names, wanted)
        yield Round(number, active, scored, scores, tuple(leaving))
        classifier.drop(scored[leaving])


def schedule(features: int, step: int | float | None) -> list[int]:
    """How many features each round will start with.

    >>> schedule(5, 2)
    [5, 3, 1]
    """
    rounds = []
    while features:
        rounds.append(features)
        features -= leaving_count(step, features)
    return rounds


def leaving_count(step: int | float | None, remaining: int) -> int:
    """How many features leave: a number of them, or a fraction of those that remain, at least one."""
    if step is None:
        return remaining
    if isinstance(step, int):
        return min(step, remaining)
    # The fraction as it is written: 0.29 of 100 is 29, not the 28 of binary floating point.
    return max(1, int(Fraction(repr(step)) * remaining))


def leaving_order(scores: RoundScores, score: Score, scored: Features, names: Sequence[str], wanted: int) -> list[int]:
    """The positions of the lowest scores, lowest first; of equal scores, the last name in the alphabet leaves first."""
    if len(scored) == 1:
        return [0]
    near = _near_the_lowest(scores, score, wanted)
    if len(near) == 1:
        return [int(near[0])]
    driving, sizes = scores.driving(score).take(near), scores.s_s.take(near)
    lowest_first = _ascending(driving)
    order: list[int] = []
    while len(order) < wanted:
        start = len(order)
        end = start + 1
        while end < len(lowest_first) and _tied(driving, sizes, lowest_first[start], lowest_first[end], score):
            end += 1
        tied = [int(near[position]) for position in lowest_first[start:end]]
        order += sorted(tied, key=lambda position: names[int(scored[position])], reverse=True)
    return order[:wanted]


def _near_the_lowest(scores: RoundScores, score: Score, wanted: int) -> Features:
    """The positions of the lowest scores and of all that may be tied with them: in most rounds very few."""
    driving = scores.driving(score)
    if driving.power is not None or scores.s_s.power is not None:
        return np.arange(len(driving))
    values = driving.values
    last = values.min() if wanted == 1 else np.partition(values, wanted - 1)[wanted - 1]
    # More than any two that are tied differ by.
    tie = 2 * _TIE * abs(last) + (2 * _ROUNDING * scores.s_s.values.max() if score.signed else 0.0)
    return np.flatnonzero(values <= last + tie)


def _ascending(values: ExtendedFloats) -> list[int]:
    if values.power is None:
        return np.argsort(values.values, kind="stable").tolist()  # type: ignore[no-any-return]  # of int
    mantissa, exponent = values.parts
    sign = np.sign(mantissa)
    # Among negative numbers the larger exponent is the lower number; lexsort's last key counts first.
    order: list[int] = np.lexsort((mantissa, sign * exponent, sign)).tolist()
    return order


def _tied(driving: ExtendedFloats, sizes: ExtendedFloats, first: int, second: int, score: Score) -> bool:
    if driving.power is None and sizes.power is None:
        low, high = driving.floats_at((first, second))
        largest = max(sizes.floats_at((first, second)))
    else:
        pair = np.array([first, second])
        values = driving.take(pair)
        mantissa, exponent = values.parts
        unit = int(max(exponent[mantissa != 0], default=0))
        low, high = values.relative_to(unit).tolist()
        largest = float(sizes.take(pair).relative_to(unit).max())
    difference = abs(high - low)
    if difference <= _TIE * max(abs(low), abs(high)):
        return True
    return score.signed and difference <= _ROUNDING * largest
