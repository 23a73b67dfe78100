"""The paper's random tables are drawn as it says, and exact scores are their definitions in fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.paper import synthetic
from probfs.paper.catalogue import PROBLEMS, Sampling
from probfs.paper.synthetic import Sample
from probfs.paper.theory import Joint, population_scores
from probfs.tables.cells import Kind
from tests.support.table_content import table_content


@pytest.mark.parametrize(
    ("sampling", "first"),
    [
        ("proportionate", (1 / 4, 1 / 2, 1 / 4)),
        ("oversampling", (1 / 3, 1 / 3, 1 / 3)),
        ("undersampling", (1 / 8, 3 / 4, 1 / 8)),
    ],
)
def test_nominal_is_drawn_as_section_5_2_says(sampling: Sampling, first: tuple[float, ...]) -> None:
    sample = synthetic.nominal(200_000, np.random.default_rng(0), sampling=sampling)
    shares = [first, (1 / 4, 1 / 2, 1 / 4), (1 / 3, 1 / 3, 1 / 3), (1 / 3, 1 / 6, 1 / 2), (1 / 2, 1 / 4, 1 / 4)]
    for column, expected in zip(sample.columns.values(), shares, strict=True):
        assert [float(np.mean(column == letter)) for letter in "abc"] == pytest.approx(expected, abs=0.005)
    for letter, positive in (("a", 1 / 4), ("b", 1 / 2), ("c", 3 / 4)):
        assert sample.positive[sample.columns["x1"] == letter].mean() == pytest.approx(positive, abs=0.01)
        assert sample.positive[sample.columns["x2"] == letter].mean() == pytest.approx(0.5, abs=0.01)


def test_xcp_is_drawn_as_footnote_1_says() -> None:
    random = np.random.default_rng(0)
    sample = synthetic.shifted_columns(100_000, random, c=2.0, p=0.6, relevant=1, noise=1, balance=0.3)
    assert sample.positive.sum() == 30_000
    signed = np.where(sample.positive, 1, -1) * sample.columns["relevant_1"]
    assert signed.mean() == pytest.approx(2.0 * 0.6, abs=0.02)
    assert signed.var() == pytest.approx(1 + 4 * 0.6 * 0.4, abs=0.03)
    assert sample.columns["noise_001"].mean() == pytest.approx(0, abs=0.02)


def test_weston_is_drawn_as_it_was_published() -> None:
    sample = synthetic.weston(100_000, np.random.default_rng(0), noise=1)
    assert sample.positive.sum() == 50_000
    signs = np.where(sample.positive, 1, -1)
    for number, share in zip(range(1, 7), (0.7, 0.7, 0.7, 0.3, 0.3, 0.3), strict=True):
        shift = (number - 1) % 3 + 1
        assert (signs * sample.columns[f"relevant_{number}"]).mean() == pytest.approx(share * shift, abs=0.03)
    assert sample.columns["noise_001"].var() == pytest.approx(20, rel=0.03)


def a_sample() -> Sample:
    columns = {"x": np.array([0.5, -1.0, 2.0]), "k": np.array(["b", "a", "b"])}
    return Sample(columns, np.array([True, False, True]), ("a", "b", "c"))


def test_a_sample_is_a_table_with_its_class_last() -> None:
    table = a_sample().labelled()
    assert table_content(table) == {
        "x": ["0.5", "-1", "2"],
        "k": ["b", "a", "b"],
        "class": ["positive", "negative", "positive"],
    }
    assert table.columns["x"].kind is Kind.NUMBER
    declared = table.columns["k"].declared
    assert declared is not None
    assert declared.to_pylist() == ["a", "b", "c"]


def test_further_rows_have_no_class() -> None:
    sample = a_sample()
    assert list(sample.unlabelled().columns) == ["x", "k"]
    both = sample.followed_by(sample)
    assert table_content(both)["class"] == ["positive", "negative", "positive", None, None, None]
    assert table_content(both)["x"] == ["0.5", "-1", "2"] * 2


def test_unlabelled_rows_are_drawn_from_the_population_whatever_the_sampling() -> None:
    _, unlabelled = synthetic.draw_sample("nominal", 10, 100_000, 0, {"sampling": "undersampling"})
    assert float(np.mean(unlabelled.columns["x1"] == "b")) == pytest.approx(1 / 2, abs=0.01)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_problem_is_drawn_with_its_defaults(problem: str) -> None:
    labelled, unlabelled = synthetic.draw_sample(problem, 10, 4, 0, PROBLEMS[problem])
    assert (labelled.rows, unlabelled.rows) == (10, 4)
    assert list(labelled.columns) == list(unlabelled.columns)


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
