"""Drawn tables: their margins, their law, and when drawing stops."""

from __future__ import annotations

from collections import defaultdict
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from probfs.screening.drawn_tables import drawn_probabilities

from probfs.screening import drawn_tables
from probfs.tables.arrays import Floats, Integers


def first_cell(tables: Integers) -> Floats:
    cells: Floats = tables[0, 0].astype(np.float64)
    return cells


@given(st.lists(st.integers(1, 9), min_size=2, max_size=5), st.lists(st.integers(1, 9), min_size=2, max_size=4))
@settings(max_examples=30)
def test_drawn_tables_have_the_margins(values: list[int], classes: list[int]) -> None:
    values[0] += max(sum(classes) - sum(values), 0) + 1
    classes[-1] += sum(values) - sum(classes)
    margins = np.array(values), np.array(classes)
    tables = next(drawn_tables._draw_tables(*margins, np.random.default_rng(1)))
    assert (tables >= 0).all()
    assert (tables.sum(axis=1) == margins[0][:, None]).all()
    assert (tables.sum(axis=0) == margins[1][:, None]).all()


def test_tables_are_drawn_as_often_as_shuffled_labels_give_them() -> None:
    values, labels = (0, 0, 1, 1, 1, 2), (0, 0, 1, 1, 2, 2)
    orders: defaultdict[bytes, float] = defaultdict(float)
    for order in permutations(labels):
        table = np.zeros((3, 3), dtype=np.int64)
        np.add.at(table, (np.array(values), np.array(order)), 1)
        orders[table.tobytes()] += 1 / 720
    drawn: defaultdict[bytes, float] = defaultdict(float)
    for tables in drawn_tables._draw_tables(np.array([2, 3, 1]), np.array([2, 2, 2]), np.random.default_rng(0)):
        for number in range(tables.shape[2]):
            drawn[np.ascontiguousarray(tables[:, :, number]).tobytes()] += 1 / drawn_tables.MOST_DRAWS
    assert sum(drawn.values()) == pytest.approx(1)
    assert set(drawn) <= set(orders)
    # Six standard errors of the most frequent table.
    assert (
        max(abs(drawn[table] - share) for table, share in orders.items()) < 6 * (0.25 / drawn_tables.MOST_DRAWS) ** 0.5
    )


def test_drawing_stops_at_the_twentieth_table_as_large() -> None:
    margins = np.array([3, 5]), np.array([4, 4])
    batches = [first_cell(tables) for tables in drawn_tables._draw_tables(*margins, np.random.default_rng(7))]
    relations = np.concatenate(batches)
    assert len(relations) == 99_999
    seen = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
    expected = [20 / (np.flatnonzero(relations >= one)[19] + 1) for one in seen[:4]]
    assert drawn_probabilities(*margins, first_cell, seen, 7).tolist() == [*expected, 1 / 100_000]
    assert drawn_probabilities(*margins, first_cell, seen[2:3], 7).tolist() == expected[2:3]


def test_fewer_than_twenty_are_counted_with_the_table_seen() -> None:
    # One table in 24,310 has all nine rows of a class in one value.
    margins = np.array([9, 9]), np.array([9, 9])
    relations = np.concatenate([first_cell(t) for t in drawn_tables._draw_tables(*margins, np.random.default_rng(2))])
    hits = int((relations == 9).sum())
    assert hits < 20
    assert drawn_probabilities(*margins, first_cell, np.array([9.0]), 2).tolist() == [(1 + hits) / 100_000]


def test_the_seed_changes_the_draws() -> None:
    margins = np.array([30, 50]), np.array([40, 40])
    p = [drawn_probabilities(*margins, first_cell, np.array([18.0]), seed)[0] for seed in (1, 1, 2)]
    assert p[0] == p[1] != p[2]


def test_more_features_take_more_draws_up_to_a_limit() -> None:
    assert [drawn_tables.enough_draws(features) for features in (0, 1, 50, 499, 500, 10**6)] == [
        *(200, 200, 10_000, 99_800),
        *(99_999, 99_999),
    ]
    # No table of 1,000 has all nine rows of a class in one value.
    margins = np.array([9, 9]), np.array([9, 9])
    assert drawn_probabilities(*margins, first_cell, np.array([9.0]), 0, 1_000).tolist() == [1 / 1_001]
