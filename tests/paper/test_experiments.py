"""Experiments: what is not random holds, each claim can fail, and results depend on the seed alone. The page about the
paper shows what most of them find, to which tests/test_docs.py compares it. Exact scores are what the paper says.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from probfs.paper.breast_cancer import aggregate_ranks, judge_noise
from probfs.paper.catalogue import EXPERIMENTS, Experiment
from probfs.paper.estimates import judge_sampling
from probfs.paper.laboratory import Finding, Laboratory, reproduce, write_finding
from probfs.paper.misfit import MISFITS, Case, Misfit, judge_prediction, mean_and_margin
from probfs.paper.theory import Joint, PopulationScores, population_scores
from tests.support.results import assert_as_before, describe_figure

# Experiments


def conduct(name: str, runs: int = 1, jobs: int = 1) -> Finding:
    ((_, finding),) = reproduce([name], runs=runs, jobs=jobs)
    return finding


def sum_of(text: str) -> float:
    """The sum of all numbers in a text, each times its place."""
    return sum(place * float(number) for place, number in enumerate(re.findall(r"-?\d+(?:\.\d+)?", text), 1))


SMALL: dict[str, tuple[int, float, float, float, str]] = {
    "example": (1, 1.096182, 371.947818, 296021961.794, "hhhhhhh"),
    "bound": (20, 3306.630813, 3060.000000, 85566.6396, "hhhhhh"),
    "figure1": (1, 1473.636441, 0.507333, 2345331.3882, "h"),
    "figure2": (1, 40281.904932, 1188.022000, 533924968.744, "hh"),
    "figure3": (1, 69.376406, 218.311000, 16555.828, "hdh"),
    "figure4": (1, 17238.000000, 71639.000000, 167555270.54, "hddhddddddhddhdddddd"),
    "errors": (1, 2.000000, 7227.190000, 1665118516.53, "hhhhhh"),
    "table1": (1, 17190.500000, 28239.700000, 3195379.01, "dhhhdddhhhdd"),
    "pairs": (1, 19629.290525, 6527.690000, 656413348.8, "hhdh"),
    "equivalence": (2, 168.087695, 46.000000, 11552.3833, "hh"),
    "misfit": (2, 10060.209872, 20800.834000, 226968.1613, "uuuuuuuuuuu"),
}
"""Of small experiments: runs, the sums of all numbers in rows, each times its column, in what was measured and in the
figure, each times its place, and the verdicts by their first letters.
"""


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_finds_what_it_found_and_its_figure_shows_all_its_text(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("probfs.paper.breast_cancer._RUNS_IN_A_TABLE", 2)
    monkeypatch.setattr("probfs.paper.estimates._SHIFTS", (0.0, 1.0, 3.0))
    monkeypatch.setattr("probfs.paper.estimates._SHARES", (0.0, 0.7, 1.0))
    monkeypatch.setattr(Misfit, "sizes", (40,))
    runs, in_rows, in_claims, in_figure, verdicts_found = SMALL[name]
    finding = conduct(name, runs)
    assert {len(row) for row in finding.rows} == {len(finding.header)}
    cells = [place * cell for row in finding.rows for place, cell in enumerate(row, 1) if isinstance(cell, int | float)]
    assert sum(filter(math.isfinite, cells)) == pytest.approx(in_rows, rel=1e-7, abs=1e-6)
    # What differs by rounding alone is another number on another machine.
    measured = re.sub(r"\d(\.\d+)?e[-+]\d+", "0", " ".join(claim.measured for claim in finding.claims))
    assert sum_of(measured) == pytest.approx(in_claims, rel=1e-7)
    assert "".join(claim.verdict[0] for claim in finding.claims) == verdicts_found
    seen: list[Figure] = []

    def draw(figure: Figure) -> None:
        finding.draw(figure)
        seen.append(figure)

    written = write_finding(name, replace(finding, draw=draw), tmp_path)
    assert [path.name for path in written] == [f"{name}{end}" for end in (".csv", "_claims.csv", ".png", ".svg")]
    assert [path.read_bytes()[1:4] for path in written[2:]] == [b"PNG", b"?xm"]
    (figure,) = seen
    # In inches; all that is drawn, sub-titles, ticks and legends among it.
    drawn = figure.get_tightbbox(FigureCanvasAgg(figure).get_renderer())  # type: ignore[no-untyped-call]
    width, height = finding.size
    assert sum_of(describe_figure(figure)) == pytest.approx(in_figure, rel=1e-7)
    assert min(drawn.x0, drawn.y0, width - drawn.x1, height - drawn.y1) >= -0.01


def test_results_do_not_depend_on_the_number_of_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[tuple[str, int, int]] = []
    ((_, alone),) = reproduce(["equivalence"], runs=2, jobs=1, on_progress=lambda *now: heard.append(now))
    assert heard == [("equivalence", done, 2) for done in range(3)]
    monkeypatch.setattr("probfs.runtime.parallel.SECONDS_WORTH_WORKERS", 0.0)
    shared = conduct("equivalence", 2, jobs=2)
    assert (shared.rows, shared.claims) == (alone.rows, alone.claims)


def test_what_is_random_is_repeated_as_often_as_asked() -> None:
    for experiment, repetitions in ((Experiment("m", 500, 20), [500, 20, 7]), (Experiment("m"), [1, 1, 1])):
        asked = ((None, False), (None, True), (7, False))
        assert [experiment.repetitions(runs, quick) for runs, quick in asked] == repetitions
    # As many as take a minute or so, or seconds.
    repeated = [(experiment.runs, experiment.quick) for experiment in EXPERIMENTS.values() if experiment.runs > 1]
    assert repeated == [(2_000, 300), (3, 1), (500, 20), (20, 1), (30, 4), (120, 8)]


# Claims, each of which can fail


def judge_random_shares(laboratory: Laboratory, random: np.random.Generator) -> None:
    """Figure 4: shares by trial, size and score, of two sizes, as the paper has them but for some noise."""
    paper = [[[0.5] * 3, [0.9] * 3], [[0.6, 0.58, 0.5], [0.95, 0.94, 0.9]], [[0.2, 0.3, 0.45], [0.6, 0.7, 0.85]]]
    judge_sampling(laboratory, np.clip(paper + random.choice([0, 0.02, 0.1]) * random.normal(size=(3, 2, 3)), 0, 1))


def judge_random_places(laboratory: Laboratory, random: np.random.Generator) -> None:
    """Table 1: two tables in which noise is last, but for some places, by size, run, score and feature."""
    places = np.broadcast_to(np.arange(1.0, 13.0), (2, 10, 20, 2, 12)).copy()
    # Ŝ_A ranks noise fifth in two runs of a hundred rows.
    places[:, -1, : random.choice([1, 2, 2, 3]), 1, 9] = 5
    for _ in range(random.choice([0, 1, 4])):
        table, *where = random.integers([2, 10, 20, 2, 12])
        places[table, *where] = random.choice([-100, 1, 1.5, 2, 5, 7, 8, 8.5, 9])
    if random.random() < 0.5:
        # A column of noise is eighth in the aggregate, or seventh.
        places[0, 0, :, 0, 9] = random.choice([7.5, 6.5])
    if random.random() < 0.3:
        # The ninth measure is not the least useful.
        places[..., 8] = 0
    judge_noise(laboratory, places, aggregate_ranks(places))


def judge_random_cases(laboratory: Laboratory, random: np.random.Generator) -> None:
    """The third prediction, by what Ŝ_A gains over Ŝ_S in draws of some cases."""
    cases, lowest = [], random.choice([-0.1, 0])
    for misfit in MISFITS:
        draws = np.full((random.choice([3, 9, 10, 20]), 6), random.choice([0.5, 1.0], p=[0.8, 0.2]))
        gains = random.choice([lowest, 0, 0.1]) + random.choice([0, 0.02, 0.3]) * random.normal(size=len(draws))
        draws[:, 1] += np.where(draws[:, 0] == 1, 0, gains)
        cases += [Case(misfit, size, draws) for size in (40, 60)[: random.integers(1, 3)]]
    judge_prediction(laboratory, cases)


@pytest.mark.parametrize(
    ("name", "judge"),
    [("figure4", judge_random_shares), ("table1", judge_random_places), ("misfit", judge_random_cases)],
)
def test_claims_are_judged_as_before_and_each_both_ways(
    name: str, judge: Callable[[Laboratory, np.random.Generator], None]
) -> None:
    laboratory = Laboratory(name, 500)
    for seed in range(25):
        judge(laboratory, np.random.default_rng(seed))
    claims = laboratory.claims
    for says in {claim.says for claim in claims}:
        assert len({claim.verdict for claim in claims if claim.says == says}) > 1, says
    assert_as_before("\n".join(f"{claim.verdict}: {claim.measured}" for claim in claims), f"{name}.claims.txt")


def test_a_margin_is_student_s_and_wider_for_several_that_hold_together() -> None:
    mean, margin = mean_and_margin(np.array([1.0, 2.0, 3.0]))
    assert (mean, margin) == pytest.approx((2.0, 4.302653 / 3**0.5), rel=1e-6)
    assert mean_and_margin(np.array([1.0, 2.0, 3.0]), together=4)[1] == pytest.approx(8.860200 / 3**0.5, rel=1e-6)
    assert mean_and_margin(np.array([1.0])) == (1.0, math.inf)


@pytest.mark.parametrize(
    ("changed", "broken"),
    [
        ({"s_s": 1.0}, {"eq. 9", "eq. 16"}),
        ({"s_s": 0.0}, {"eq. 7", "eq. 9", "eq. 16"}),
        ({"s_a": 1.0}, {"eq. 15", "eqs. 12–15", "eq. 16"}),
        ({"s_b": 1.0}, {"eq. 7", "eqs. 5–6", "eq. 16"}),
        ({"s_b": -1.0}, {"eqs. 5–6", "eq. 16"}),
    ],
)
def test_each_bound_can_be_broken(changed: dict[str, Any], broken: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(joint: Joint) -> list[PopulationScores]:
        return [replace(scores, **changed) for scores in population_scores(joint)]

    monkeypatch.setattr("probfs.paper.exact_scores.population_scores", wrong)
    assert {claim.place for claim in conduct("bound", 5).claims if claim.verdict != "holds"} == broken


def test_a_wrong_number_would_be_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probfs.paper.exact_scores._PAPER", {"x1": (0.16, 0.0495), "x2": (12 / 110, 0.07)})
    assert [claim.verdict for claim in conduct("example").claims[2:6]] == [
        "does not hold",
        "holds",
        "holds",
        "does not hold",
    ]


# Exact scores are their definitions, in fractions

Cell = tuple[tuple[int, ...], Fraction, Fraction]


@st.composite
def distributions(draw: st.DrawFn) -> list[Cell]:
    """Some cells of a grid, of which some may never happen and some be certain of their class."""
    features = draw(st.integers(1, 4))
    value = st.integers(0, draw(st.integers(1, 3)))
    places = draw(st.lists(st.tuples(*[value] * features), min_size=1, max_size=20, unique=True))
    weights = draw(st.lists(st.integers(0, 9), min_size=len(places), max_size=len(places)).filter(any))
    shares = draw(st.lists(st.integers(0, 12), min_size=len(places), max_size=len(places)))
    return [
        (place, Fraction(weight, sum(weights)), Fraction(share, 12))
        for place, weight, share in zip(places, weights, shares, strict=True)
    ]


def by_definition(cells: list[Cell], feature: int) -> tuple[Fraction, Fraction, Fraction]:
    """Eqs. (1), (12) and (5), term by term."""
    s_s = s_a = s_b = zero = Fraction(0)
    for place, p, p_y in cells:
        alike = [
            (weight, share)
            for other, weight, share in cells
            if other[:feature] + other[feature + 1 :] == place[:feature] + place[feature + 1 :]
        ]
        if p:
            without = sum((w * share for w, share in alike), zero) / sum((w for w, _ in alike), zero)
            s_s += p * abs(p_y - without)
            s_a += p * (2 * p_y - 1) * (p_y - without)
            s_b += p * (abs(p_y - Fraction(1, 2)) - abs(without - Fraction(1, 2)))
    return s_s, s_a, s_b


@given(distributions())
def test_the_scores_are_their_definitions(cells: list[Cell]) -> None:
    codes, *shares = zip(*cells, strict=True)
    p, p_y = (np.array([np.longdouble(each.numerator) / each.denominator for each in share]) for share in shares)
    names = tuple(f"x{number}" for number in range(len(codes[0])))
    for feature, found in enumerate(population_scores(Joint(names, np.array(codes).T, p, p_y))):
        expected = [float(score) for score in by_definition(cells, feature)]
        assert [found.s_s, found.s_a, found.s_b] == pytest.approx(expected, abs=1e-15)
