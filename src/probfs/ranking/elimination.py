"""Recursive elimination: score the active features, let the lowest leave, and go on until none is left."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from probfs.classifiers.protocol import Classifier, Features, RoundScores
from probfs.classifiers.scores import Score
from probfs.ranking.settings import Step
from probfs.tables.arrays import Floats

_TIE = 1e-12
# A signed score is a sum of terms of either sign: it is known to a fraction of the terms' size, not of its own.
_ROUNDING = 1e-13
_ONE_BY_ONE = 30
"""How many features ``auto`` lets leave one by one."""


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


def eliminate(
    classifier: Classifier,
    names: Sequence[str],
    score: Score,
    step: Step | None,
    protected: Collection[int] = (),
) -> Iterator[Round]:
    """The rounds of the elimination; with no step there is one round, in which all features leave.

    ``protected`` features, by position, leave after all others.
    """
    number = 0
    while len(classifier.active):
        number += 1
        active = classifier.active
        staying = frozenset(protected if len(protected) < len(active) else ())
        wanted = min(leaving_count(step, len(active)), len(active) - len(staying))
        lowest = wanted + len(staying)
        scored, scores = (active, classifier.score()) if number == 1 else classifier.lowest(score, lowest)
        leaving = leaving_order(scores, score, scored, names, lowest)
        if staying:
            leaving = [position for position in leaving if int(scored[position]) not in staying][:wanted]
        yield Round(number, active, scored, scores, tuple(leaving))
        classifier.drop(scored[leaving])


def schedule(features: int, step: Step | None) -> list[int]:
    """How many features each round will start with.

    >>> schedule(5, 2)
    [5, 3, 1]
    """
    rounds = []
    while features:
        rounds.append(features)
        features -= leaving_count(step, features)
    return rounds


def leaving_count(step: Step | None, remaining: int) -> int:
    """How many features leave: a number of them, or a fraction of those that remain, at least one.

    ``auto`` lets a tenth leave while there are many, and the last ones, whose order matters most, one by one.
    """
    if step is None:
        return remaining
    if isinstance(step, str):
        return remaining // 10 if remaining > _ONE_BY_ONE else 1
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
    driving = scores.driving(score)
    near = near[np.argsort(driving[near], kind="stable")]
    driving, sizes = driving[near], scores.s_s[near]
    tied_with_next = [*_tied(driving[:-1], driving[1:], np.maximum(sizes[:-1], sizes[1:]), score).tolist(), False]
    order: list[int] = []
    while len(order) < wanted:
        start = end = len(order)
        if tied_with_next[start]:
            tied = _tied(driving[start], driving[start:], np.maximum(sizes[start], sizes[start:]), score)
            end += len(tied) if tied.all() else int(tied.argmin())
        else:
            end += 1
        order += sorted(near[start:end].tolist(), key=lambda position: names[int(scored[position])], reverse=True)
    return order[:wanted]


def _near_the_lowest(scores: RoundScores, score: Score, wanted: int) -> Features:
    """The positions of the lowest scores and of all that may be tied with them: in most rounds very few."""
    values = scores.driving(score)
    last = values.min() if wanted == 1 else np.partition(values, wanted - 1)[wanted - 1]
    # More than any two that are tied differ by.
    tie = 2 * _TIE * abs(last) + (2 * _ROUNDING * scores.s_s.max() if score.signed else 0.0)
    return np.flatnonzero(values <= last + tie)


def _tied(scores: Floats, others: Floats, sizes: Floats, score: Score) -> npt.NDArray[np.bool_]:
    """Whether two scores differ by no more than rounding, for each pair; ``sizes`` is that of the larger terms."""
    difference = np.abs(others - scores)
    tied: npt.NDArray[np.bool_] = difference <= _TIE * np.maximum(np.abs(others), np.abs(scores))
    return tied | (difference <= _ROUNDING * sizes) if score.signed else tied
