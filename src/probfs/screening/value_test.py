"""Whether a feature's values are related to the class: X² of its table, and its p-value under shuffled labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from probfs.screening.all_tables import DOUBTFUL, FEW_ROWS, exact_probabilities
from probfs.screening.column_tests import ColumnTests
from probfs.screening.drawn_tables import MOST_ROWS, Relation, drawn_probabilities, enough_draws
from probfs.screening.permutation_law import Projections, largest_probabilities, sum_in_order, tail_probabilities
from probfs.screening.value_counts import ValueCounts
from probfs.tables.table import Floats, Integers

_RARE = 1.0
"""An expected count below this makes the gamma tail too light."""
_DOUBTFUL = 0.05
"""Larger p-values than this are no claim, and need no draws."""


def chi_squared_test(counts: ValueCounts, seed: int) -> ColumnTests:
    """X² and p of every feature. Of fewer than 20 rows p is exact, unless there are too many tables. Else, where an
    expected count is below 1 and p would be below 0.05, p comes from drawn tables, unless there are a billion rows or
    more, of which none can be drawn.
    """
    most_draws = enough_draws(len(counts.values))
    tests = ColumnTests.of_nothing(len(counts.values))
    for features, tables in counts.tables():
        if tables.shape[1] > 1:
            tests.put(features, _test_tables(tables, seed, most_draws))
    return tests


def _test_tables(tables: Floats, seed: int, most_draws: int) -> ColumnTests:
    """X² and p of tables of one shape: features × values × classes."""
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
    # No draws could give less than what is certain.
    doubtful = doubtful[p[doubtful] * (most_draws + 1) > 1]
    for same, margins in _with_equal_margins(doubtful, value_rows, class_rows):
        p[same] = drawn_probabilities(*margins, _relation_of(*margins), relation[same], seed, most_draws)
    return ColumnTests(relation * rows, p, varies)


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
