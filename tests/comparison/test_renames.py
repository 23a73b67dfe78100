"""Columns that are probably the same under another name."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probfs.comparison.documents import ComparedColumn
from probfs.comparison.renames import find_renames


def column(name: str, strength: float | None, signed: float | None = 0.1, p: float | None = 0.25) -> ComparedColumn:
    return ComparedColumn(name, 1, strength, strength, (strength, signed, None), p)


def test_a_column_with_the_same_scores_is_probably_the_same() -> None:
    old = [column("a", 0.5), column("b", 0.25)]
    new = [column("z", 0.25 * (1 + 1e-12), 0.1 * (1 - 1e-12)), column("y", 0.75)]
    assert find_renames(old, new) == {"b": "z"}


@pytest.mark.parametrize(
    "other",
    [
        column("z", 0.5 * (1 + 1e-6)),
        column("z", 0.5, 0.1 + 1e-7),
        column("z", 0.5, None),
        column("z", 0.5, p=0.26),
        column("z", 0.5, p=None),
        column("z", None),
    ],
)
def test_any_other_score_tells_two_columns_apart(other: ComparedColumn) -> None:
    assert find_renames([column("a", 0.5)], [other]) == {}
    assert find_renames([column("a", 0.5)], [column("z", 0.5)]) == {"a": "z"}


def test_nothing_is_said_where_two_could_be_meant() -> None:
    twins = [column("y", 0.5), column("z", 0.5)]
    assert find_renames([column("a", 0.5)], twins) == {}
    assert find_renames(twins, [column("a", 0.5)]) == {}
    assert find_renames([column(str(number), 0.5) for number in range(500)], twins) == {}


def test_very_many_columns_of_one_score_take_no_time() -> None:
    """They differ in another score, but comparing each with each would take hours."""
    old, new = ([column(f"{sign}{n}", 0.5, sign * n * 1e-3) for n in range(30_000)] for sign in (1, -1))
    start = time.process_time()
    assert find_renames(old, new) == {}
    assert time.process_time() - start < 5


def test_columns_without_effect_are_never_matched() -> None:
    assert find_renames([column("a", 0.0, 0.0)], [column("z", 0.0, 0.0)]) == {}
    for p in (0.0, 1.0, None):
        assert find_renames([column("a", None, None, p)], [column("z", None, None, p)]) == {}


def test_a_column_that_was_screened_out_is_told_by_p() -> None:
    old, new = [column("a", None, None, 0.3), column("b", None, None, 0.4)], [column("z", None, None, 0.4)]
    assert find_renames(old, new) == {"b": "z"}


def test_of_two_columns_alone_the_test_against_the_class_tells() -> None:
    """Scores may depend on names and on other columns, but that test does not."""
    old, new = [column("a", 0.5, p=0.03)], [column("z", 0.45, p=0.03 * (1 + 1e-12))]
    assert find_renames(old, new, same_rows=True) == {"a": "z"}
    assert find_renames(old, new) == {}
    assert find_renames(old, [column("z", 0.45, p=0.031)], same_rows=True) == {}
    assert find_renames([*old, column("b", 0.1, p=0.2)], new, same_rows=True) == {}
    for p in (0.0, 1.0, None):
        assert find_renames([column("a", 0.5, p=p)], [column("z", 0.4, p=p)], same_rows=True) == {}


def test_rounding_is_measured_by_the_size_of_the_column() -> None:
    """A signed score may cancel to nearly nothing; what rounding leaves of it is no difference."""
    assert find_renames([column("a", 0.5, 1e-17)], [column("z", 0.5, -2e-17)]) == {"a": "z"}


VALUES = st.sampled_from([0.0, 0.25, 0.5, 0.5 * (1 + 1e-13), None])


@settings(max_examples=40)
@given(st.lists(st.tuples(VALUES, VALUES), max_size=6), st.lists(st.tuples(VALUES, VALUES), max_size=6))
def test_matches_are_those_of_comparing_each_with_each(
    old_values: list[tuple[float | None, float | None]], new_values: list[tuple[float | None, float | None]]
) -> None:
    old = [column(f"old {n}", size, signed) for n, (size, signed) in enumerate(old_values)]
    new = [column(f"new {n}", size, signed) for n, (size, signed) in enumerate(new_values)]

    def matches(one: ComparedColumn, other: ComparedColumn) -> bool:
        telling = one.strength is None or one.strength > 0
        rounded = [
            replace(item, name="", traits=tuple(None if x is None else round(x, 11) for x in item.traits), score=None,
                    strength=None if item.strength is None else round(item.strength, 11))
            for item in (one, other)
        ]  # fmt: skip
        return telling and rounded[0] == rounded[1]

    pairs = [(one.name, other.name) for one, other in product(old, new) if matches(one, other)]
    alone = [
        (a, b)
        for a, b in pairs
        if sum(a == first for first, _ in pairs) == sum(b == second for _, second in pairs) == 1
    ]
    assert find_renames(old, new) == dict(alone)
