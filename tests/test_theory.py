"""The exact scores against their definitions in fractions, and the command that prints them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.paper.experiments.figure2 import shifted_scores
from probfs.paper.theory import Joint, population_scores
from tests.conftest import SAMPLES, Run

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


@given(st.floats(0.05, 4), st.floats(0.05, 1), st.floats(0.01, 0.99))
def test_a_shifted_feature_integrates_to_its_closed_form(c: float, p: float, balance: float) -> None:
    """∫|f₁ - f₀| is 2p(2Φ(c) - 1); the best classifier errs beyond the one place where both classes are as likely."""

    def normal(x: float) -> float:
        return math.erfc(-x / math.sqrt(2)) / 2

    telling, even = p * math.exp(-(c**2) / 2), (1 - p) * (2 * balance - 1)
    root = (math.sqrt(even**2 + 4 * balance * (1 - balance) * telling**2) - even) / (2 * balance * telling)
    place = math.log(root) / c
    accuracy = balance * (1 - p * normal(place - c) - (1 - p) * normal(place))
    accuracy += (1 - balance) * (p * normal(place + c) + (1 - p) * normal(place))
    scores = shifted_scores(c, p, balance)
    assert scores.s_s == pytest.approx(2 * balance * (1 - balance) * p * (2 * normal(c) - 1), abs=1e-12)
    assert scores.s_b == pytest.approx(accuracy - max(balance, 1 - balance), abs=1e-12)


def test_section_4_1(run: Run) -> None:
    result = run("exact", SAMPLES / "joint.csv")
    assert (result.returncode, result.stderr) == (0, "")
    header, first, second = result.stdout.splitlines()
    assert header == "feature,s_s,s_a,s_b"
    assert [float(cell) for cell in first.split(",")[1:]] == pytest.approx([0.15, 0.0495, 1 / 220], abs=1e-15)
    assert [float(cell) for cell in second.split(",")[1:]] == pytest.approx([12 / 110, 0.0765, 1 / 22], abs=1e-15)


def test_probabilities_may_be_fractions(run: Run, write: Callable[[str, str], Path]) -> None:
    joint = write("thirds.csv", "x,p,p_y\na,1/3,1/3\nb,1/3,1/3\nc,1/3,1\n")
    result = run("exact", joint, "--format", "json")
    (feature,) = json.loads(result.stdout)["features"]
    assert feature["s_s"] == pytest.approx(8 / 27, abs=1e-15)


def test_names_are_shown_escaped_and_kept_in_csv(run: Run, write: Callable[[str, str], Path]) -> None:
    joint = write("names.csv", '"a\x1b[31m|b",p,p_y\n0,0.5,0\n1,0.5,1\n')
    assert "\x1b" not in run("exact", joint, "--format", "table").stdout
    assert "\\|b" in run("exact", joint, "--format", "markdown").stdout
    assert run("exact", joint).stdout.splitlines()[1].startswith("a\x1b[31m|b,")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("x,p,p_y\na,0.5,0.1\nb,0.4,0.2\n", ": the probabilities in 'p' add up to 0.9, not to 1"),
        ("x,p,p_y\na,1.5,0.1\nb,-0.5,0.2\n", ":2: column 'p': '1.5' is no probability; they lie between 0 and 1"),
        (
            "x,p,p_y\na,1.0,0.1\nb,-0.0001,0.2\n",
            ":3: column 'p': '-0.0001' is no probability; they lie between 0 and 1",
        ),
        ("x,p,p_y\na,0.5,0.1\nb,0.5,1.2\n", ":3: column 'p_y': '1.2' is no probability; they lie between 0 and 1"),
        ("x,p,p_y\na,0.5,nan\nb,0.5,1\n", ":2: column 'p_y': 'nan' is no number; write it like 0.25 or 1/4"),
        ("x,p,p_y\na,٠.٥,0.1\nb,0.5,1\n", ":2: column 'p': '٠.٥' is no number; write it like 0.25 or 1/4"),
        ("x,p,p_y\na,1e99999,0.1\nb,0.5,1\n", ":2: column 'p': '1e99999' is no probability; they lie between 0 and 1"),
        ("x,p,p_y\na,1/0,0\nb,0.5,1\n", ":2: column 'p': '1/0' is no number; write it like 0.25 or 1/4"),
        ("x,p,p_y\na,0.5,\nb,0.5,1\n", ":2: column 'p_y': the probability is missing; write 0 for what never happens"),
        ("x,p,p_y\n,0.5,1\nb,0.5,1\n", ":2: column 'x': the value is missing; every cell has one"),
        (
            "x,z,p,p_y\na,1,0.5,0.1\nb,2,0.25,1\na,1,0.25,1\n",
            ":4: the cell of line 2 again, 'x=a', 'z=1'; give each cell once",
        ),
        ("x,P,p_y\na,1,0\n", ": no column 'p'; did you mean 'P'?; p and p_y hold the probabilities"),
        ("p,p_y\n1,0.5\n", ": no column beside p and p_y; the others are the features"),
        ("x,p,p_y\n", ": has no data rows below the header; is the file cut off?"),
    ],
)
def test_a_wrong_distribution_is_one_clear_line(
    run: Run, write: Callable[[str, str], Path], content: str, message: str
) -> None:
    joint = write("joint.csv", content)
    result = run("exact", joint)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == f"probfs: error: {joint}{message}\n"
