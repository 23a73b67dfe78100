"""Which kept feature says what a dropped one says about the class, and how much of it.

For a dropped feature j, its twin is the kept feature i that shares most with it within the classes: the one with the
largest I(j;i|Y) / min(H(j|Y), H(i|Y)). Features that merely follow the same class share nothing there. The twin
explains 1 - I(j;Y|i) / I(j;Y) of what j says about the class. Every information I is reduced by its expectation for
independent columns, cells / 2N (Miller 1955), and both shares lie between 0 and 1.

Each pair is judged by the labelled rows in which neither cell is missing, and by the values seen there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from probfs.screening.joint_counts import CELLS_AT_A_TIME, JointCounts, Pairs, PairSums, cells_of, log_terms
from probfs.tables.arrays import Floats, Integers

_NO_TWIN = -1
_NEARLY_EQUAL = 1e-9
"""Features that share equally much may differ by rounding; the first of them is the twin."""


@dataclass(frozen=True, eq=False)
class Twins:
    """For each dropped feature: the position of its twin in the dataset (-1 where none is kept), what share of the
    within-class information both have, and what share of the dropped feature's say on the class the twin explains.
    """

    twin: Integers
    shared: Floats
    explained: Floats


def find_twins(rows: JointCounts, dropped: Integers, kept: Integers) -> Twins:
    """The twins of dropped features, by position; of equally good twins, the one that comes first in ``kept``."""
    twins = Twins(np.full(len(dropped), _NO_TWIN), np.zeros(len(dropped)), np.zeros(len(dropped)))
    if not len(kept):
        return twins
    plan = [(place, pairs) for place, own in enumerate(dropped.tolist()) for pairs in _pairs(rows, own, kept.tolist())]
    compared: list[list[tuple[Floats, Floats]]] = [[] for _ in dropped]
    for (place, _), counts in zip(plan, rows.count([pairs for _, pairs in plan]), strict=True):
        compared[place].append(_compare(counts.sums()))
    for place, parts in enumerate(compared):
        shared, explained = (np.concatenate(both) for both in zip(*parts, strict=True))
        best = int(np.argmax(shared >= shared.max() - _NEARLY_EQUAL))
        twins.twin[place], twins.shared[place], twins.explained[place] = kept[best], shared[best], explained[best]
    return twins


def _pairs(rows: JointCounts, dropped: int, kept: list[int]) -> Iterator[Pairs]:
    """Kept features whose tables, and whose rows, are handled together; there is at least one each time."""
    chunk: list[int] = []
    cells = 0
    for position in kept:
        own = max(cells_of(rows, Pairs(dropped, [position])), rows.rows_at_a_time)
        if chunk and cells + own > CELLS_AT_A_TIME:
            yield Pairs(dropped, chunk)
            chunk, cells = [], 0
        chunk.append(position)
        cells += own
    yield Pairs(dropped, chunk)


def _compare(sums: PairSums) -> tuple[Floats, Floats]:
    """What each kept feature shares with a dropped one, and how much of it the kept one explains."""
    values, others, classes = sums.values - 1, sums.others - 1, sums.classes - 1
    # N times each information, of which half the cells is expected by chance.
    within = sums.value_other_class + sums.label - sums.value_class - sums.other_class
    within -= values * others * sums.classes / 2
    given = sums.value_other_class + sums.other - sums.value_other - sums.other_class
    given -= values * classes * sums.others / 2
    alone = sums.value_class + log_terms(sums.rows) - sums.value - sums.label - values * classes / 2
    smaller = sums.label - np.maximum(sums.value_class, sums.other_class)
    least = _NEARLY_EQUAL * sums.rows
    unexplained = np.where(alone > least, _share(given, alone, least), 1.0)
    return _share(within, smaller, least), 1 - unexplained


def _share(part: Floats, whole: Floats, least: Floats) -> Floats:
    """A share from 0 to 1, and 0 of a whole that is no more than rounding."""
    return np.clip(np.where(whole > least, part / np.where(whole > least, whole, 1.0), 0.0), 0.0, 1.0)
