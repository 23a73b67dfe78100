"""Shuffled rows: the law of X² is that of all orders of the labels, and that of drawn tables."""

from __future__ import annotations

from collections import defaultdict
from itertools import permutations

import numpy as np
import pytest
from probfs.screening.drawn_tables import drawn_probabilities
from probfs.screening.shuffled_rows import shuffled_probabilities
from scipy.stats import chi2_contingency, ks_2samp

from probfs.screening import drawn_tables, shuffled_rows
from probfs.screening.value_test import _relation_of
from probfs.tables.arrays import Floats


def shuffle(value_rows: list[int], class_rows: list[int], seed: int, draws: int) -> Floats:
    margins = np.array(value_rows), np.array(class_rows)
    return np.concatenate(list(shuffled_rows._shuffle_labels(*margins, seed, draws)))


def test_every_relation_comes_as_often_as_shuffled_labels_give_it() -> None:
    values, labels = np.array([0, 0, 1, 1, 1, 2]), (0, 0, 1, 1, 2, 2)
    orders: defaultdict[float, float] = defaultdict(float)
    for order in permutations(labels):
        table = np.zeros((3, 3))
        np.add.at(table, (values, np.array(order)), 1)
        orders[round(chi2_contingency(table, correction=False).statistic / 6, 9)] += 1 / 720
    drawn: defaultdict[float, float] = defaultdict(float)
    for one in shuffle([2, 3, 1], [2, 2, 2], 0, 40_000).tolist():
        drawn[round(one, 9)] += 1 / 40_000
    assert sum(drawn.values()) == pytest.approx(1)
    assert set(drawn) == set(orders)
    # Six standard errors of the most frequent one.
    assert max(abs(drawn[one] - share) for one, share in orders.items()) < 6 * (0.25 / 40_000) ** 0.5


def test_relations_are_distributed_as_those_of_drawn_tables() -> None:
    value_rows, class_rows = np.array([1, 2, 3, 5, 9]), np.array([2, 4, 6, 8])
    relation = _relation_of(value_rows, class_rows)
    tables = np.concatenate(
        list(drawn_tables._draw_tables(value_rows, class_rows, np.random.default_rng(1), 5_000)), axis=2
    )
    shuffled = shuffle(value_rows.tolist(), class_rows.tolist(), 2, 5_000)
    assert ks_2samp(relation(tables).round(9), shuffled.round(9)).pvalue > 1e-4


def test_probabilities_are_those_of_drawn_tables_but_for_chance() -> None:
    value_rows, class_rows = np.array([1, 2, 3, 5, 9]), np.array([2, 4, 6, 8])
    seen = np.array([0.2, 0.9, 1.4, 3.1])
    by_tables = drawn_probabilities(value_rows, class_rows, _relation_of(value_rows, class_rows), seen, 1, 20_000)
    by_rows = shuffled_probabilities(value_rows, class_rows, seen, 1, 20_000)
    # Each stops at its twentieth hit, so that its relative error is about 1 / √20.
    assert by_rows == pytest.approx(by_tables, rel=6 * (2 / 20) ** 0.5)
    assert by_rows[-1] == 1 / 20_001
