"""Whether a feature's values are related to the class: X² of its table, and its p-value under shuffled labels."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from probfs.screening.column_tests import ColumnTests
from probfs.screening.drawn_tables import MOST_ROWS, drawn_probabilities, enough_draws
from probfs.screening.permutation_law import Projections, largest_probabilities, sum_in_order, tail_probabilities
from probfs.screening.value_counts import ValueCounts
from probfs.tables.table import Floats, Integers

_RARE = 1.0
"""An expected count below this makes the gamma tail too light."""
_DOUBTFUL = 0.05
"""Larger p-values than this are no claim, and need no draws."""


def chi_squared_test(counts: ValueCounts, seed: int) -> ColumnTests:
    """X² and p of every feature. Where an expected count is below 1 and p would be below 0.05, p comes from drawn
    tables instead, unless there are a billion rows or more, of which none can be drawn.
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
    least = _least_seen(value_rows) * _least_seen(class_rows) / np.maximum(rows, 1)
    doubtful = np.flatnonzero((least < _RARE) & (p < _DOUBTFUL) & (rows < MOST_ROWS))
    p[doubtful] = largest_probabilities(relation, rows, column, classes)[doubtful]
    # No draws could give less than what is certain.
    doubtful = doubtful[p[doubtful] * (most_draws + 1) > 1]
    for members in _with_equal_margins(value_rows[doubtful], class_rows[doubtful]):
        same = doubtful[members]
        margins = _sorted_margin(value_rows[same[0]]), _sorted_margin(class_rows[same[0]])
        p[same] = _drawn(*margins, relation[same], seed, most_draws)
    return ColumnTests(relation * rows, p, varies)


def _least_seen(sizes: Floats) -> Floats:
    least: Floats = np.where(sizes > 0, sizes, np.inf).min(axis=1)
    return least


def _with_equal_margins(value_rows: Floats, class_rows: Floats) -> list[Integers]:
    """Groups of tables that share their sorted margins, and so the tables that are drawn."""
    groups: dict[bytes, list[int]] = defaultdict(list)
    margins = np.concatenate([np.sort(value_rows, axis=1), np.sort(class_rows, axis=1)], axis=1)
    for position, margin in enumerate(margins):
        groups[margin.tobytes()].append(position)
    return [np.array(members) for members in groups.values()]


def _sorted_margin(sizes: Floats) -> Integers:
    return np.sort(sizes[sizes > 0]).astype(np.int64)


def _drawn(value_rows: Integers, class_rows: Integers, seen: Floats, seed: int, most_draws: int) -> Floats:
    rows = float(value_rows.sum())
    expected = np.outer(value_rows, class_rows)[:, :, None] / rows

    def relation(tables: Integers) -> Floats:
        terms: Floats = ((tables - expected) ** 2 / expected).sum(axis=(0, 1)) / rows
        return terms

    return drawn_probabilities(value_rows, class_rows, relation, seen, seed, most_draws)
