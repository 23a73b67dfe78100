"""Whether a feature's values are related to the class: X² of its table, and its p-value under shuffled labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from probfs.columns.dataset import ValueCounts
from probfs.screening.permutation_law import ColumnTests, PermutationLaw, Projections, sum_in_order
from probfs.screening.permutations import CLAIM, MOST_ROWS, Margins, enough_draws, put_exact, with_equal_margins
from probfs.tables.arrays import Floats, Integers

_RARE = 1.0
"""An expected count below this makes the gamma tail too light."""
_FEWEST_DRAWS = 999
_MOST_WORK = 10_000_000
"""Cells, or rows, of all drawn tables together: about a second."""
_MOST_WORK_OF_A_DRAW = 1 << 24
"""Cells, or rows, of one table, beyond which a thousand tables take hours, and each a lot of memory."""
_CELLS_AT_A_TIME = 1 << 20


def chi_squared_test(counts: ValueCounts, seed: int) -> ColumnTests:
    """X² and p of every feature. Of fewer than 20 rows p is exact, unless there are too many tables. Else, where an
    expected count is below 1 and p would be below 0.05, p comes from drawn tables, unless these are too large to be
    drawn.
    """
    most_draws = enough_draws(len(counts.values))
    tests = ColumnTests.of_nothing(len(counts.values))
    rare: list[_RareTables] = []
    value_rows, class_rows, terms = _sums_of_slots(counts)
    for width in np.unique(counts.values[counts.values > 1]).tolist():
        features = np.flatnonzero(counts.values == width)
        slots = counts.offset[features][:, None] + np.arange(width)
        found, doubtful = _test_tables(features, value_rows[slots], class_rows[features], terms[slots], most_draws)
        tests.put(features, found)
        rare += doubtful
    draws = _affordable_draws([same.margins for same in rare], most_draws)
    for same in rare:
        # No draws could give less than what is certain.
        unsure = tests.p[same.features] * (draws + 1) > 1
        if unsure.any():
            tests.p[same.features[unsure]] = same.margins.drawn_p(same.relation[unsure], seed, draws)
    return tests


def parts_of_slots(counts: ValueCounts) -> Iterator[slice]:
    """Slots whose counts are handled together, so that nothing else is as large as the counts."""
    at_a_time = max(1, _CELLS_AT_A_TIME // max(1, counts.by_slot.shape[1]))
    for first in range(0, len(counts.by_slot), at_a_time):
        yield slice(first, first + at_a_time)


@dataclass(frozen=True, eq=False)
class _RareTables:
    """Features with the same margins, of which some are too small for the gamma tail."""

    features: Integers
    margins: Margins
    relation: Floats
    """Of each feature: X² divided by the rows."""


def _affordable_draws(rare: Sequence[Margins], wanted: int) -> int:
    """How many tables are drawn for each of some margins: as many as wanted, if that does not take long; never fewer
    than a thousand. Where many features need draws, many may be related, and then less than the smallest p is enough.
    """
    work = sum(margins.work for margins in rare)
    return min(wanted, max(_FEWEST_DRAWS, _MOST_WORK // max(work, 1)))


def _sums_of_slots(counts: ValueCounts) -> tuple[Floats, Floats, Floats]:
    """The rows of each slot, the rows of each feature and class, and each slot's part of X²; missing cells are none."""
    features, missing = len(counts.values), counts.offset + counts.values
    value_rows = counts.by_slot.sum(axis=1)
    value_rows[missing] = 0
    class_rows = np.add.reduceat(counts.by_slot, counts.offset) if features else np.empty((0, len(counts.class_rows)))
    class_rows -= counts.by_slot[missing]
    feature = np.repeat(np.arange(features), counts.values + 1)
    rows = np.maximum(class_rows.sum(axis=1), 1)
    terms = np.zeros(len(value_rows))
    for part in parts_of_slots(counts):
        expected = value_rows[part, None] * class_rows[feature[part]] / rows[feature[part], None]
        seen = expected > 0
        difference = np.where(seen, counts.by_slot[part] - expected, 0.0)
        terms[part] = sum_in_order(difference**2 / np.where(seen, expected, 1.0))
    return value_rows, class_rows, terms


def _test_tables(
    features: Integers, value_rows: Floats, class_rows: Floats, terms: Floats, most_draws: int
) -> tuple[ColumnTests, list[_RareTables]]:
    """X² and p of features of equally many values (features × values, features × classes), and those of which p is to
    be drawn yet: till then it is what no p-value exceeds.
    """
    rows = class_rows.sum(axis=1)
    relation = sum_in_order(terms) / np.maximum(rows, 1)
    law = PermutationLaw.of(rows, Projections.onto_groups(value_rows), Projections.onto_groups(class_rows))
    p = law.tail(relation)
    known = put_exact(p, law.varies, relation, value_rows, class_rows, numbers=False)
    least = _least_seen(value_rows) * _least_seen(class_rows) / np.maximum(rows, 1)
    cells = np.count_nonzero(value_rows, axis=1) * np.count_nonzero(class_rows, axis=1)
    drawable = (rows < MOST_ROWS) & (np.minimum(cells, rows) <= _MOST_WORK_OF_A_DRAW)
    doubtful = np.flatnonzero((least < _RARE) & ~known & (p < CLAIM) & drawable)
    p[doubtful] = law.largest_tail(relation)[doubtful]
    doubtful = doubtful[p[doubtful] * (most_draws + 1) > 1]
    rare = [
        _RareTables(features[same], margins, relation[same])
        for same, margins in with_equal_margins(doubtful, value_rows, class_rows, numbers=False)
    ]
    return ColumnTests(relation * rows, p, law.varies), rare


def _least_seen(sizes: Floats) -> Floats:
    least: Floats = np.where(sizes > 0, sizes, np.inf).min(axis=1)
    return least
