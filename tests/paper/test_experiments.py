"""Experiments: what is not random holds, each claim can fail, and results depend on the seed alone. The page about the
paper shows what most of them find, to which tests/test_docs.py compares it. And random tables and exact scores are what
the paper says.
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
from probfs.paper.catalogue import EXPERIMENTS, PROBLEMS, Experiment
from probfs.paper.estimates import judge_sampling
from probfs.paper.exact_scores import shifted_scores
from probfs.paper.laboratory import Finding, Laboratory, reproduce, write_finding
from probfs.paper.misfit import IRRELEVANT, MISFITS, RELEVANT, Case, Misfit, judge_prediction, mean_and_margin
from probfs.paper.synthetic import draw_tables
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
    assert scores.s_s == pytest.approx(2 * balance * (1 - balance) * p * (2 * normal(c) - 1), abs=2e-6)
    assert scores.s_b == pytest.approx(accuracy - max(balance, 1 - balance), abs=2e-6)


# Random tables


def drawn(problem: str, rows: int, **options: Any) -> tuple[dict[str, Any], Any]:
    """The columns of a table, numbers or texts in each row, and which rows are positive."""
    table, _ = draw_tables(problem, rows, 0, 0, {**PROBLEMS[problem], **options})
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
    columns, positive = drawn("nominal", 200_000, sampling=sampling)
    shares = [first, (1 / 4, 1 / 2, 1 / 4), (1 / 3, 1 / 3, 1 / 3), (1 / 3, 1 / 6, 1 / 2), (1 / 2, 1 / 4, 1 / 4)]
    for cells, expected in zip(columns.values(), shares, strict=True):
        assert [float(np.mean(cells == letter)) for letter in "abc"] == pytest.approx(expected, abs=0.005)
    for letter, share in (("a", 1 / 4), ("b", 1 / 2), ("c", 3 / 4)):
        assert positive[columns["x1"] == letter].mean() == pytest.approx(share, abs=0.01)
        assert positive[columns["x2"] == letter].mean() == pytest.approx(0.5, abs=0.01)
    # Unlabelled rows are drawn from the population, whatever the sampling.
    _, unlabelled = draw_tables("nominal", 10, 100_000, 0, {"sampling": sampling})
    assert list(unlabelled.columns) == ["x1", "x2", "x3", "x4", "x5"]
    column = unlabelled.columns["x1"]
    assert float(np.mean(column.codes == column.values.to_pylist().index("b"))) == pytest.approx(1 / 2, abs=0.01)


def test_numbers_are_drawn_as_footnote_1_and_as_weston_say() -> None:
    columns, positive = drawn("xcp", 100_000, c=2.0, p=0.6, balance=0.3)
    signed = np.where(positive, 1, -1) * columns["relevant_1"]
    assert positive.sum() == 30_000
    assert (signed.mean(), signed.var()) == pytest.approx((2.0 * 0.6, 1 + 4 * 0.6 * 0.4), abs=0.03)
    assert columns["noise_001"].mean() == pytest.approx(0, abs=0.02)
    columns, positive = drawn("weston", 100_000, noise=1)
    assert positive.sum() == 50_000
    for number, mean in enumerate((0.7, 1.4, 2.1, 0.3, 0.6, 0.9), 1):
        assert (np.where(positive, 1, -1) * columns[f"relevant_{number}"]).mean() == pytest.approx(mean, abs=0.03)
    assert columns["noise_001"].var() == pytest.approx(20, rel=0.03)


@pytest.mark.parametrize("misfit", MISFITS, ids=lambda misfit: misfit.name)
def test_only_relevant_columns_of_a_misfit_change_the_class(misfit: Misfit) -> None:
    """Within each combination of the relevant columns, the irrelevant ones say nothing about the class."""
    columns = dict(misfit.problem(40_000, np.random.default_rng(5)).columns)
    positive = columns.pop("class").codes
    bits = {name: one.by_row > 0 if one.is_numeric else one.codes == 1 for name, one in columns.items()}
    deciding = [name for name in bits if name.startswith((RELEVANT, "copy"))]
    group = np.ravel_multi_index(tuple(bits[name].astype(int) for name in deciding), (2,) * len(deciding))
    totals = np.bincount(group, minlength=2 ** len(deciding))
    share = np.bincount(group, positive, minlength=len(totals)) / np.maximum(totals, 1)
    if misfit.classifier == "nb":
        # And each relevant column does, with the others as they are.
        grid, rows = share.reshape((2,) * len(deciding)), totals.reshape((2,) * len(deciding))
        for axis, name in enumerate(name for name in deciding if name.startswith(RELEVANT)):
            seen = rows.min(axis=axis) > 200
            assert np.abs(np.diff(grid, axis=axis).squeeze(axis))[seen].max() > 0.05, name
    surprise = positive - share[group]
    for name in bits:
        if name.startswith(IRRELEVANT):
            within = bits[name] - (np.bincount(group, bits[name]) / np.maximum(np.bincount(group), 1))[group]
            assert abs(np.corrcoef(surprise, within)[0, 1]) < 0.025, name


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
