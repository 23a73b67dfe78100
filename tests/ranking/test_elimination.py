"""The elimination: how many leave, in which order, and ties."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import probfs
from probfs.classifiers.extended_range import ExtendedFloats
from probfs.classifiers.protocol import RoundScores
from probfs.classifiers.scores import ABSOLUTE, SIGNED
from probfs.ranking.elimination import leaving_count, leaving_order
from tests.support.paths import SAMPLES


def scored(values: list[float], s_s: list[float] | None = None) -> RoundScores:
    signed = ExtendedFloats.of(np.array(values))
    return RoundScores(ExtendedFloats.of(np.array(s_s or [abs(v) for v in values])), signed, None, 1, 0, 0.0, 0.0)


def test_a_tie_falls_to_the_name() -> None:
    values = [0.5, 0.25, 0.5 * (1 + 1e-13), 0.25 * (1 - 1e-13)]
    order = leaving_order(scored(values), SIGNED, np.arange(4), ["a", "c", "b", "d"], 4)
    assert order == [3, 1, 2, 0]
    assert leaving_order(scored([0.5, 0.5 * (1 + 1e-11)]), ABSOLUTE, np.arange(2), ["a", "b"], 2) == [0, 1]


def test_a_signed_score_that_is_only_rounding_is_a_tie() -> None:
    assert leaving_order(scored([1e-18, -3e-18], [0.2, 0.2]), SIGNED, np.arange(2), ["a", "b"], 2) == [1, 0]
    assert leaving_order(scored([-3e-18, 1e-18], [0.2, 0.2]), SIGNED, np.arange(2), ["a", "b"], 2) == [1, 0]


@given(
    st.lists(st.tuples(st.floats(-1, 1).filter(lambda v: v == 0 or abs(v) > 1e-9), st.integers(-9000, 0)), min_size=2)
)
def test_numbers_below_the_smallest_double_are_ordered_as_integers_would_be(pairs: list[tuple[float, int]]) -> None:
    values, exponents = (np.array(column) for column in zip(*pairs, strict=True))
    scaled = ExtendedFloats.of(values.astype(float), exponents.astype(np.int64))
    scores = RoundScores(scaled, scaled, None, 1, 0, 0.0, 0.0)
    order = leaving_order(scores, ABSOLUTE, np.arange(len(pairs)), ["same"] * len(pairs), len(pairs))
    exact = [int(math.ldexp(value, 100)) * 2 ** (9000 + exponent) for value, exponent in pairs]
    for lower, higher in pairwise(order):
        assert exact[lower] - exact[higher] <= abs(exact[higher]) // 10**11


@pytest.mark.parametrize(
    ("step", "remaining", "count"), [(1, 5, 1), (7, 5, 5), (0.3, 10, 3), (0.29, 100, 29), (0.3, 2, 1), (None, 4, 4)]
)
def test_how_many_leave(step: int | float | None, remaining: int, count: int) -> None:
    assert leaving_count(step, remaining) == count


def test_one_round_without_elimination_ranks_by_its_scores() -> None:
    ranking = probfs.rank(SAMPLES / "commute.csv", exclude=["person"], eliminate=False)
    assert len(ranking.rounds) == 1
    sizes = [feature.s_s for feature in ranking.features]
    assert sizes == sorted(sizes, reverse=True)
    assert all(f.round == 1 and f.s_s == f.initial_s_s for f in ranking.features)
