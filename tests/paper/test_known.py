"""The paper's random tables are drawn as it says, and exact scores are their definitions in fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.paper import synthetic
from probfs.paper.catalogue import PROBLEMS
from probfs.paper.theory import Joint, population_scores


def draw(problem: str, rows: int, **options: Any) -> tuple[dict[str, Any], Any]:
    """The columns of a table, numbers or texts in each row, and which rows are positive."""
    table, _ = synthetic.draw_tables(problem, rows, 0, 0, {**PROBLEMS[problem], **options})
    columns = {
        name: column.by_row if column.is_numeric else np.array(column.values.to_pylist())[column.codes]
        for name, column in table.columns.items()
    }
    return columns, columns.pop("class") == "positive"


@pytest.mark.parametrize(
    ("sampling", "first"),
    [
        ("proportionate", (1 / 4, 1 / 2, 1 / 4)),
        ("oversampling", (1 / 3, 1 / 3, 1 / 3)),
        ("undersampling", (1 / 8, 3 / 4, 1 / 8)),
    ],
)
def test_nominal_is_drawn_as_section_5_2_says(sampling: str, first: tuple[float, ...]) -> None:
    columns, positive = draw("nominal", 200_000, sampling=sampling)
    shares = [first, (1 / 4, 1 / 2, 1 / 4), (1 / 3, 1 / 3, 1 / 3), (1 / 3, 1 / 6, 1 / 2), (1 / 2, 1 / 4, 1 / 4)]
    for cells, expected in zip(columns.values(), shares, strict=True):
        assert [float(np.mean(cells == letter)) for letter in "abc"] == pytest.approx(expected, abs=0.005)
    for letter, share in (("a", 1 / 4), ("b", 1 / 2), ("c", 3 / 4)):
        assert positive[columns["x1"] == letter].mean() == pytest.approx(share, abs=0.01)
        assert positive[columns["x2"] == letter].mean() == pytest.approx(0.5, abs=0.01)


def test_xcp_is_drawn_as_footnote_1_says() -> None:
    columns, positive = draw("xcp", 100_000, c=2.0, p=0.6, balance=0.3)
    assert positive.sum() == 30_000
    signed = np.where(positive, 1, -1) * columns["relevant_1"]
    assert signed.mean() == pytest.approx(2.0 * 0.6, abs=0.02)
    assert signed.var() == pytest.approx(1 + 4 * 0.6 * 0.4, abs=0.03)
    assert columns["noise_001"].mean() == pytest.approx(0, abs=0.02)


def test_weston_is_drawn_as_it_was_published() -> None:
    columns, positive = draw("weston", 100_000, noise=1)
    assert positive.sum() == 50_000
    signs = np.where(positive, 1, -1)
    for number, share in zip(range(1, 7), (0.7, 0.7, 0.7, 0.3, 0.3, 0.3), strict=True):
        shift = (number - 1) % 3 + 1
        assert (signs * columns[f"relevant_{number}"]).mean() == pytest.approx(share * shift, abs=0.03)
    assert columns["noise_001"].var() == pytest.approx(20, rel=0.03)


def test_unlabelled_rows_are_drawn_from_the_population_whatever_the_sampling() -> None:
    _, unlabelled = synthetic.draw_tables("nominal", 10, 100_000, 0, {"sampling": "undersampling"})
    assert list(unlabelled.columns) == ["x1", "x2", "x3", "x4", "x5"]
    column = unlabelled.columns["x1"]
    assert float(np.mean(column.codes == column.values.to_pylist().index("b"))) == pytest.approx(1 / 2, abs=0.01)


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
