"""P-values from tables with given margins: all of them, and drawn ones, against all orders of the labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probfs.screening import permutations
from probfs.screening.permutations import Margins
from tests.support.screening import enumerated_p, midranks, score_relation, value_relation

SEVEN_CODES = st.lists(st.integers(0, 2), min_size=7, max_size=7)


def margins_of(values: list[int], classes: list[int], *, numbers: bool = False) -> Margins:
    return Margins(np.array(values), np.array(classes), numbers)


def relation_of(values: list[int], numbers: bool) -> tuple[Callable[..., Fraction], Sequence[Any]]:
    """The relation that a test is of, and the column as it takes it."""
    return (score_relation, midranks(values)) if numbers else (value_relation, values)


@given(SEVEN_CODES, SEVEN_CODES, st.booleans())
@settings(max_examples=40)
def test_exact_p_is_the_share_of_all_orders(values: list[int], labels: list[int], numbers: bool) -> None:
    _, value_rows = np.unique(values, return_counts=True)
    _, class_rows = np.unique(labels, return_counts=True)
    relation, column = relation_of(values, numbers)
    if numbers and len(value_rows) == 1:
        return
    p = Margins(value_rows, class_rows, numbers).exact_p(np.array([float(relation(column, labels))]))
    assert p is not None
    assert p[0] == pytest.approx(enumerated_p(relation, column, labels), rel=1e-12)


def test_too_many_tables_are_not_looked_at() -> None:
    assert margins_of([1] * 18, [6, 6, 6]).exact_p(np.array([0.5])) is None


# The first draws tables, the second shuffles its rows, which are fewer than the cells; numbers are never shuffled.
@pytest.mark.parametrize(
    "margins",
    [
        margins_of([6, 3, 3], [7, 5]),
        margins_of([1, 2, 3, 2], [2, 3, 3]),
        margins_of([1, 2, 3, 2], [2, 3, 3], numbers=True),
        margins_of([9, 1, 2], [4, 8], numbers=True),
    ],
)
def test_drawn_relations_have_the_law_of_all_tables(margins: Margins, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(permutations, "_ENOUGH_AS_LARGE", 10**9)
    values, labels = (np.repeat(np.arange(len(rows)), rows) for rows in (margins.value_rows, margins.class_rows))
    random = np.random.default_rng(0)
    relation, column = relation_of(values.tolist(), margins.numbers)
    possible = {relation(column, random.permutation(labels).tolist()) for _ in range(200)}
    seen = np.array([float(one) for one in sorted(possible)])
    exact = margins.exact_p(seen)
    assert exact is not None
    draws = 20_000
    # Five standard errors of a share of one half.
    drawn = margins.drawn_p(seen, 3, draws)
    assert drawn == pytest.approx(exact, abs=5 * (0.25 / draws) ** 0.5)
    assert len(seen) > 5


def test_drawing_stops_at_the_twentieth_table_as_large() -> None:
    margins = margins_of([3, 5], [4, 4])
    seen = np.array([0.0, 0.2, 0.5, 2.0])
    p = margins.drawn_p(seen, 7, 9_999)
    assert p[0] == 1
    tables = 20 / p[1:3]
    assert tables == pytest.approx(tables.round())
    exact = margins.exact_p(seen[1:3])
    assert p[1:3] == pytest.approx(exact, rel=1)
    # Nothing is as large as 2, and the table that was seen counts as well.
    assert p[3] == 1 / 10_000
    assert margins.drawn_p(seen[2:3], 7, 9_999)[0] == p[2] != margins.drawn_p(seen[2:3], 8, 9_999)[0]
