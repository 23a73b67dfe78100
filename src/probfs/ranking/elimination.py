"""Recursive elimination: score the active features, let the lowest leave, and go on until none is left."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from probfs.classifiers.protocol import Classifier, Features, RoundScores
from probfs.classifiers.scores import Score
from probfs.ranking.settings import Step
from probfs.tables.arrays import Flags, Floats, Integers

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
    scores: RoundScores
    leaving: tuple[int, ...]
    """Positions, among the active, of the leaving features, in order of leaving."""
    classifier: Classifier
    """That of the active features, until the next round."""


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
    number, alphabet = 0, alphabetical_ranks(names)
    while len(classifier.active):
        number += 1
        active = classifier.active
        staying = frozenset(protected if len(protected) < len(active) else ())
        wanted = min(leaving_count(step, len(active)), len(active) - len(staying))
        scores = classifier.score()
        leaving = leaving_order(scores, score, alphabet[active], wanted + len(staying))
        if staying:
            leaving = [position for position in leaving if int(active[position]) not in staying][:wanted]
        yield Round(number, active, scores, tuple(leaving), classifier)
        classifier.drop(active[leaving])


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


def alphabetical_ranks(names: Sequence[str]) -> Integers:
    """The place of each name in the alphabet."""
    ranks = np.empty(len(names), dtype=np.int64)
    ranks[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    return ranks


def leaving_order(scores: RoundScores, score: Score, alphabet: Integers, wanted: int) -> list[int]:
    """The positions of the lowest scores, lowest first; of equal scores, the last name in the alphabet leaves first.

    ``alphabet`` has the place of each feature's name in the alphabet.
    """
    driving, sizes = scores.driving(score), scores.s_s
    if wanted == 1:
        # Scores that are the same to the last digit may have terms of other sizes: the name tells which is looked at.
        lowests = np.flatnonzero(driving == driving.min())
        lowest = lowests[alphabet[lowests].argmax()]
        equal = np.flatnonzero(_tied(driving[lowest], driving, np.maximum(sizes[lowest], sizes), score))
        return [int(equal[alphabet[equal].argmax()])]
    near = np.lexsort((-alphabet, driving))
    driving, sizes = driving[near], sizes[near]
    tied_with_next = [*_tied(driving[:-1], driving[1:], np.maximum(sizes[:-1], sizes[1:]), score).tolist(), False]
    order: list[int] = []
    while len(order) < wanted:
        start, end = len(order), len(order) + 1
        if tied_with_next[start]:
            tied = _tied(driving[start], driving[start:], np.maximum(sizes[start], sizes[start:]), score)
            end = len(near) if tied.all() else start + int(tied.argmin())
        group = near[start:end]
        order += group[np.argsort(-alphabet[group])].tolist()
    return order[:wanted]


def _tied(scores: Floats, others: Floats, sizes: Floats, score: Score) -> Flags:
    """Whether two scores differ by no more than rounding, for each pair; ``sizes`` is that of the larger terms."""
    difference = np.abs(others - scores)
    tied: Flags = difference <= _TIE * np.maximum(np.abs(others), np.abs(scores))
    return tied | (difference <= _ROUNDING * sizes) if score.signed else tied
