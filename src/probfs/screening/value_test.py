"""Whether a feature's values are related to the class: X² of its table, and its p-value under shuffled labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from probfs.columns.dataset import ValueCounts
from probfs.screening.all_tables import DOUBTFUL, FEW_ROWS, exact_probabilities
from probfs.screening.column_tests import ColumnTests
from probfs.screening.drawn_tables import MOST_ROWS, Relation, drawn_probabilities, enough_draws
from probfs.screening.permutation_law import Projections, largest_probabilities, sum_in_order, tail_probabilities
from probfs.screening.shuffled_rows import shuffled_probabilities
from probfs.tables.arrays import Floats, Integers

_RARE = 1.0
"""An expected count below this makes the gamma tail too light."""
_DOUBTFUL = 0.05
"""Larger p-values than this are no claim, and need no draws."""
_FEWEST_DRAWS = 999
_MOST_WORK = 10_000_000
"""Cells, or rows, of all drawn tables together: about a second."""


def chi_squared_test(counts: ValueCounts, seed: int) -> ColumnTests:
    """X² and p of every feature. Of fewer than 20 rows p is exact, unless there are too many tables. Else, where an
    expected count is below 1 and p would be below 0.05, p comes from drawn tables, unless there are a billion rows or
    more, of which none can be drawn.
    """
    most_draws = enough_draws(len(counts.values))
    tests = ColumnTests.of_nothing(len(counts.values))
    rare: list[_RareTables] = []
    for features, tables in counts.tables():
        if tables.shape[1] > 1:
            own, doubtful = _test_tables(tables, most_draws)
            tests.put(features, own)
            rare += [replace(same, features=features[same.features]) for same in doubtful]
    draws = _affordable_draws(rare, most_draws)
    for same in rare:
        # No draws could give less than what is certain.
        unsure = tests.p[same.features] * (draws + 1) > 1
        if unsure.any():
            tests.p[same.features[unsure]] = same.draw(seed, draws)[unsure]
    return tests


@dataclass(frozen=True, eq=False)
class _RareTables:
    """Features with the same sorted margins, of which some are too small for the gamma tail."""

    features: Integers
    value_rows: Integers
    class_rows: Integers
    relation: Floats
    """Of each feature: X² divided by the rows."""

    @property
    def work(self) -> int:
        """What one draw costs: the cells of the table, or the rows where these are fewer."""
        return min(len(self.value_rows) * len(self.class_rows), int(self.class_rows.sum()))

    def draw(self, seed: int, draws: int) -> Floats:
        """The p-values."""
        margins = self.value_rows, self.class_rows
        if self.work < len(self.value_rows) * len(self.class_rows):
            return shuffled_probabilities(*margins, self.relation, seed, draws)
        return drawn_probabilities(*margins, _relation_of(*margins), self.relation, seed, draws)


def _affordable_draws(rare: Sequence[_RareTables], wanted: int) -> int:
    """How many tables are drawn for each of some margins: as many as wanted, if that does not take long; never fewer
    than a thousand. Where many features need draws, many may be related, and then less than the smallest p is enough.
    """
    work = sum(same.work for same in rare)
    return min(wanted, max(_FEWEST_DRAWS, _MOST_WORK // max(work, 1)))


def _test_tables(tables: Floats, most_draws: int) -> tuple[ColumnTests, list[_RareTables]]:
    """X² and p of tables of one shape (features × values × classes), and those of which p is to be drawn yet: till then
    it is what no p-value exceeds.
    """
    value_rows, class_rows = tables.sum(axis=2), tables.sum(axis=1)
    rows = class_rows.sum(axis=1)
    expected = value_rows[:, :, None] * class_rows[:, None, :] / np.maximum(rows, 1)[:, None, None]
    terms = (tables - expected) ** 2 / np.where(expected > 0, expected, 1.0)
    relation = sum_in_order(terms.reshape(len(terms), -1)) / np.maximum(rows, 1)
    column, classes = Projections.onto_groups(value_rows), Projections.onto_groups(class_rows)
    p, varies = tail_probabilities(relation, rows, column, classes)
    known = _put_exact(p, np.flatnonzero(varies & (rows < FEW_ROWS) & (p < DOUBTFUL)), relation, value_rows, class_rows)
    least = _least_seen(value_rows) * _least_seen(class_rows) / np.maximum(rows, 1)
    doubtful = np.flatnonzero((least < _RARE) & ~known & (p < _DOUBTFUL) & (rows < MOST_ROWS))
    p[doubtful] = largest_probabilities(relation, rows, column, classes)[doubtful]
    doubtful = doubtful[p[doubtful] * (most_draws + 1) > 1]
    rare = [
        _RareTables(same, *margins, relation[same])
        for same, margins in _with_equal_margins(doubtful, value_rows, class_rows)
    ]
    return ColumnTests(relation * rows, p, varies), rare


def _put_exact(
    p: Floats, features: Integers, relation: Floats, value_rows: Floats, class_rows: Floats
) -> npt.NDArray[np.bool_]:
    """Replace the p-values of some features by exact ones; of which that was possible."""
    known = np.zeros(len(p), dtype=np.bool_)
    for same, margins in _with_equal_margins(features, value_rows, class_rows):
        exact = exact_probabilities(*margins, _relation_of(*margins), relation[same])
        if exact is not None:
            p[same], known[same] = exact, True
    return known


def _least_seen(sizes: Floats) -> Floats:
    least: Floats = np.where(sizes > 0, sizes, np.inf).min(axis=1)
    return least


def _with_equal_margins(
    features: Integers, value_rows: Floats, class_rows: Floats
) -> Iterator[tuple[Integers, tuple[Integers, Integers]]]:
    """Groups of features that share their sorted margins, and so the tables that are looked at, with the margins."""
    groups: defaultdict[bytes, list[int]] = defaultdict(list)
    sorted_margins = [np.sort(sizes[features], axis=1) for sizes in (value_rows, class_rows)]
    for feature, margin in zip(features.tolist(), np.concatenate(sorted_margins, axis=1), strict=True):
        groups[margin.tobytes()].append(feature)
    for members in groups.values():
        yield np.array(members), (_sorted_margin(value_rows[members[0]]), _sorted_margin(class_rows[members[0]]))


def _sorted_margin(sizes: Floats) -> Integers:
    return np.sort(sizes[sizes > 0]).astype(np.int64)


def _relation_of(value_rows: Integers, class_rows: Integers) -> Relation:
    rows = float(value_rows.sum())
    expected = np.outer(value_rows, class_rows)[:, :, None] / rows

    def relation(tables: Integers) -> Floats:
        terms: Floats = ((tables - expected) ** 2 / expected).sum(axis=(0, 1)) / rows
        return terms

    return relation
