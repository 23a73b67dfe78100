"""The exact scores against their definitions in fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.paper.theory import Joint, population_scores

Cell = tuple[tuple[int, ...], Fraction, Fraction]


@st.composite
def distributions(draw: st.DrawFn) -> list[Cell]:
    """Some cells of a grid, of which some may never happen and some be certain of their class."""
    features = draw(st.integers(1, 4))
    value = st.integers(0, draw(st.integers(1, 3)))
    places = draw(st.lists(st.tuples(*[value] * features), min_size=1, max_size=20, unique=True))
    weights = draw(st.lists(st.integers(0, 9), min_size=len(places), max_size=len(places)).filter(any))
    shares = draw(st.lists(st.integers(0, 12), min_size=len(places), max_size=len(places)))
    total = sum(weights)
    return [
        (place, Fraction(weight, total), Fraction(share, 12))
        for place, weight, share in zip(places, weights, shares, strict=True)
    ]


def joint_of(cells: list[Cell]) -> Joint:
    def exact(numbers: list[Fraction]) -> np.ndarray:
        return np.array([np.longdouble(number.numerator) / number.denominator for number in numbers], np.longdouble)

    codes = np.array([place for place, _, _ in cells]).T
    names = tuple(f"x{number}" for number in range(len(codes)))
    return Joint(names, codes, exact([p for _, p, _ in cells]), exact([p_y for _, _, p_y in cells]))


def by_definition(cells: list[Cell], feature: int) -> tuple[Fraction, Fraction, Fraction]:
    """Eqs. (1), (12) and (5), term by term."""
    half = Fraction(1, 2)
    s_s = s_a = s_b = Fraction(0)
    for place, p, p_y in cells:
        alike = [
            (weight, share)
            for other, weight, share in cells
            if other[:feature] + other[feature + 1 :] == place[:feature] + place[feature + 1 :]
        ]
        if not p:
            continue
        zero = Fraction(0)
        without = sum((w * share for w, share in alike), zero) / sum((w for w, _ in alike), zero)
        s_s += p * abs(p_y - without)
        s_a += p * (2 * p_y - 1) * (p_y - without)
        s_b += p * (abs(p_y - half) - abs(without - half))
    return s_s, s_a, s_b


@given(distributions())
def test_the_scores_are_their_definitions(cells: list[Cell]) -> None:
    for feature, scores in enumerate(population_scores(joint_of(cells))):
        s_s, s_a, s_b = by_definition(cells, feature)
        assert scores.s_s == pytest.approx(float(s_s), abs=1e-15)
        assert scores.s_a == pytest.approx(float(s_a), abs=1e-15)
        assert scores.s_b == pytest.approx(float(s_b), abs=1e-15)


@given(distributions())
def test_the_chain_of_inequalities_holds(cells: list[Cell]) -> None:
    for scores in population_scores(joint_of(cells)):
        assert scores.s_a >= 0
        assert scores.s_b >= 0
        assert max(scores.s_a, scores.s_b) <= scores.s_s + 1e-15
        assert scores.s_s <= math.sqrt(scores.s_a / 2) + 1e-9  # the root of a rounding error of 1e-18
        assert math.sqrt(scores.s_a / 2) <= 0.5 + 1e-15
