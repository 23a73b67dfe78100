"""The paper's claims, as the product regenerates them."""

from __future__ import annotations

import csv
import importlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from probfs.paper import experiments
from probfs.paper.catalogue import EXPERIMENTS
from probfs.paper.claims import Claim
from probfs.paper.experiments import figure4, table1
from probfs.paper.experiments.laboratory import Finding, Laboratory, portions
from probfs.paper.experiments.misfit import Case, Draw, claims_of, found, together
from probfs.paper.experiments.misfit_tables import IRRELEVANT, MISFITS, RELEVANT
from tests.conftest import ROOT, Run

FEW: dict[str, int] = {"bound": 20, "figure4": 3, "table1": 2, "equivalence": 2, "misfit": 2, "figure3": 1}


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Experiments of the same shape that take seconds."""
    monkeypatch.setattr("probfs.paper.experiments.table1._RUNS_IN_A_TABLE", 4)
    monkeypatch.setattr("probfs.paper.experiments.figure3._SHIFTS", (0.0, 1.0, 3.0))
    monkeypatch.setattr("probfs.paper.experiments.figure3._SHARES", (0.0, 0.7, 1.0))
    fewer = tuple(replace(misfit, sizes=misfit.sizes[:1]) for misfit in MISFITS)
    monkeypatch.setattr("probfs.paper.experiments.misfit.MISFITS", fewer)


def conducted(name: str, runs: int, jobs: int = 1) -> Finding:
    ((_, finding),) = experiments.reproduce([name], runs=runs, jobs=jobs)
    return finding


def verdicts(claims: tuple[Claim, ...]) -> dict[str, str]:
    return {claim.says: claim.verdict for claim in claims}


@pytest.mark.parametrize("name", ["example", "figure1", "figure2", "errors"])
def test_what_is_not_random_holds(name: str) -> None:
    for claim in conducted(name, 1).claims:
        assert claim.verdict == "holds", claim


def test_balanced_scores_are_equal_to_eight_digits_and_dominate_elsewhere() -> None:
    """Figure 2, from the numbers themselves."""
    for _, percent, s_s, s_a, s_b in conducted("figure2", 1).rows:
        assert isinstance(s_s, float)
        assert isinstance(s_a, float)
        assert isinstance(s_b, float)
        assert s_s > s_a + 1e-8
        assert abs(s_s - s_b) < 1e-8 if percent == 50 else s_s > s_b + 1e-8


def test_the_worst_pairs_hold_feature_9_but_not_by_errors_of_the_binarised_table() -> None:
    held = [claim.verdict for claim in conducted("pairs", 1).claims]
    assert held == ["holds", "holds", "does not hold", "holds"]


def test_bounds_and_identities_hold_on_random_distributions() -> None:
    assert {claim.verdict for claim in conducted("bound", 60).claims} == {"holds"}


def test_elimination_by_the_signed_score_is_elimination_by_absolute_loss() -> None:
    assert {claim.verdict for claim in conducted("equivalence", 4).claims} == {"holds"}


def test_a_wrong_number_would_be_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A claim is judged by the numbers: with other numbers it does not hold."""
    monkeypatch.setattr("probfs.paper.experiments.example._PAPER", {"x1": (0.16, 0.0495), "x2": (12 / 110, 0.0765)})
    judged_anew = verdicts(conducted("example", 1).claims)
    assert judged_anew["S_S(x1) = 0.15"] == "does not hold"
    assert judged_anew["S_A(x1) = 0.0495"] == "holds"


@pytest.mark.slow
def test_figure_4_as_printed() -> None:
    """The order in the third trial at every size, and the steadiness of Ŝ_SU, over 500 runs."""
    claims = conducted("figure4", 500, jobs=os.cpu_count() or 1).claims
    held = verdicts(tuple(claim for claim in claims if claim.place.endswith("--smoothing 0")))
    assert held["Ŝ_SU is above Ŝ_A, and Ŝ_A above Ŝ_S"] == "holds"
    assert held["Ŝ_SU is far more robust to how the rows are sampled"] == "holds"
    assert held["Ŝ_A is less sensitive to how the rows are sampled than Ŝ_S"] == "holds"


def test_table_1_puts_noise_last() -> None:
    """Among twelve features three of noise have a mean aggregate rank of 11 where they are always last."""
    finding = conducted("table1", 3)
    for smoothing, _, score, _, *places in finding.rows:
        if smoothing == 1:
            assert np.mean([float(str(place)) for place in places]) > (9.5 if score == "s_s" else 8)
    means = [
        np.mean([float(str(place)) for row in finding.rows if row[0] == 1 and row[2] == score for place in row[4:]])
        for score in ("s_s", "s_a")
    ]
    assert means[0] > 10.5
    assert means[1] > 9.5


def test_portions_hold_every_run_once() -> None:
    assert [run for part in portions(53) for run in part] == list(range(53))


def test_relevant_before_irrelevant_is_counted_in_pairs() -> None:
    assert found(["relevant_1", "relevant_2", "noise_1", "proxy_1"]) == 1
    assert found(["noise_1", "proxy_1", "relevant_1"]) == 0
    assert found(["noise_1", "copy_1", "relevant_1", "proxy_1"]) == 0.5


def case(*gains: float, rows: int = 40, number: int = -1) -> Case:
    """A case whose draws rank all right by Ŝ_S but for what Ŝ_A gains."""
    draws = [Draw(0.5, 0.5 + gain, 0.5, 0.5, 0.5, 0.5) for gain in gains]
    return Case(MISFITS[number], rows, draws)


def test_an_interval_decides_and_few_draws_do_not() -> None:
    assert case(*[0.1, 0.12] * 10).verdict() == "holds"
    assert case(*[-0.1, -0.12] * 10).verdict() == "does not hold"
    assert case(*[-0.2, 0.21] * 10).verdict() == "undecided"
    assert case(0.1, 0.1, 0.1).verdict() == "undecided"
    # One interval of 95 % would exclude 0 here; one of many that hold together does not.
    assert case(*[0.0] * 15, *[0.1] * 5).verdict() == "undecided"


def test_verdicts_together_are_the_worst_of_them() -> None:
    assert together(["holds", "undecided"]) == "holds"
    assert together(["holds", "does not hold", "undecided"]) == "does not hold"
    assert together(["undecided"]) == "undecided"


def test_the_third_prediction_is_judged_by_its_cases() -> None:
    laboratory = Laboratory("misfit", 20, 0, 1, lambda done, total: None)
    better, worse = [0.1, 0.12] * 10, [-0.1, -0.12] * 10
    claims = claims_of(laboratory, [case(*better, rows=60), case(*worse, rows=200), case(*better, number=0)])
    overall, *_, last, controls = claims
    assert overall.verdict == last.verdict == "does not hold"
    assert "of 2 cases Ŝ_A is better in 1 (steps and bends 60) and worse in 1 (steps and bends 200)" in overall.measured
    # A control in which one score is better says that they are not alike.
    assert controls.verdict == "does not hold"
    assert claims_of(laboratory, [case(*better, rows=60)])[0].verdict == "holds"


def figure_4(**trials: list[list[float]]) -> dict[str, str]:
    """The verdicts for shares by trial, size and score, of two sizes."""
    shares = {
        "first": [[0.5, 0.5, 0.5], [0.9, 0.9, 0.9]],
        "second": [[0.6, 0.58, 0.5], [0.95, 0.94, 0.9]],
        "third": [[0.2, 0.3, 0.45], [0.6, 0.7, 0.85]],
        **trials,
    }
    share = np.array([shares["first"], shares["second"], shares["third"]])
    laboratory = Laboratory("figure4", 500, 0, 1, lambda done, total: None)
    return verdicts(figure4.judged(laboratory, share, "--smoothing 0"))


def test_figure_4_is_judged_by_its_counts() -> None:
    assert set(figure_4().values()) == {"holds"}


@pytest.mark.parametrize(
    ("trials", "broken"),
    [
        ({"first": [[0.5, 0.8, 0.5], [0.9, 0.9, 0.9]]}, "sampled proportionately, the three scores perform comparably"),
        (
            {"second": [[0.4, 0.58, 0.5], [0.95, 0.94, 0.9]]},
            "Ŝ_S and Ŝ_A find x1 more often than in the first trial",
        ),
        ({"second": [[0.6, 0.58, 0.8], [0.95, 0.94, 0.9]]}, "Ŝ_SU performs nearly as in the first trial"),
        (
            {"third": [[0.2, 0.3, 0.45], [0.6, 0.97, 0.98]]},
            "Ŝ_S and Ŝ_A find x1 less often than in either other trial",
        ),
        ({"third": [[0.3, 0.2, 0.45], [0.6, 0.7, 0.85]]}, "the degradation is greatest for Ŝ_S"),
        ({"third": [[0.05, 0.1, 0.2], [0.5, 0.6, 0.7]]}, "Ŝ_SU performs at approximately the same level as in the"),
        ({"third": [[0.2, 0.3, 0.45], [0.6, 0.7, 0.69]]}, "Ŝ_SU is above Ŝ_A, and Ŝ_A above Ŝ_S"),
        ({"third": [[0.1, 0.11, 0.45], [0.6, 0.8, 0.85]]}, "by how much Ŝ_SU outperforms the others does not depend"),
        ({"third": [[0.2, 0.3, 0.29], [0.6, 0.7, 0.5]]}, "Ŝ_SU is far more robust to how the rows are sampled"),
        ({"third": [[0.5, 0.1, 0.45], [0.6, 0.5, 0.85]]}, "Ŝ_A is less sensitive to how the rows are sampled than"),
    ],
)
def test_each_claim_of_figure_4_can_fail(trials: dict[str, list[list[float]]], broken: str) -> None:
    (says,) = [says for says in figure_4() if says.startswith(broken)]
    assert figure_4(**trials)[says] == "does not hold"


def table_1(**changes: float) -> dict[str, str]:
    """The verdicts for two tables in which noise is last, but for single places: tables × sizes × runs × scores."""
    places = np.broadcast_to(np.arange(1.0, 13.0), (2, 10, 20, 2, 12)).copy()
    # Ŝ_A ranks noise fifth in two runs of a hundred rows.
    places[:, -1, :2, 1, 9] = 5
    for change, value in changes.items():
        size, score, feature = (int(part) for part in change.split("_")[1:])
        places[0, size, 0, score, feature] = value
    laboratory = Laboratory("table1", 2, 0, 1, lambda done, total: None)
    return verdicts(tuple(table1.judged(laboratory, places, table1.aggregated(places), "--smoothing 1")))


def test_table_1_is_judged_by_its_places() -> None:
    assert set(table_1().values()) == {"holds"}


@pytest.mark.parametrize(
    ("change", "value", "broken"),
    [
        # size_score_feature: a place in one run of one table.
        ("at_0_1_9", 1.0, "in no run does either score rank noise first"),
        ("at_4_0_9", 1.5, "in no run does either score rank noise first"),
        ("at_2_0_11", 8.0, "with 30 rows or more, Ŝ_S ranks all noise among the last four in all 20 runs"),
        ("at_9_0_10", 7.0, "only with 10 or 20 rows does Ŝ_S, in some runs, rank noise above the eighth place"),
        ("at_3_1_9", -100.0, "for all sizes and both scores, the aggregate ranks of the noise are among the last five"),
    ],
)
def test_claims_of_table_1_can_fail(change: str, value: float, broken: str) -> None:
    assert table_1(**{change: value})[broken] == "does not hold"


def test_small_sets_may_rank_noise_higher() -> None:
    """With 10 or 20 rows the paper promises less."""
    judged = table_1(at_1_0_9=6.0)
    assert judged["only with 10 or 20 rows does Ŝ_S, in some runs, rank noise above the eighth place"] == "holds"
    assert judged["with 30 rows or more, Ŝ_S ranks all noise among the last four in all 20 runs"] == "holds"


def test_an_aggregate_rank_is_the_rank_of_the_mean_place() -> None:
    places = np.array([[[[[1.0, 2.0, 3.0]], [[3.0, 1.0, 2.0]], [[3.0, 1.0, 2.0]]]]])
    assert table1.aggregated(places).tolist() == [[[[2.5, 1.0, 2.5]]]]


@pytest.mark.parametrize("misfit", MISFITS, ids=lambda misfit: misfit.name)
def test_only_relevant_columns_of_a_misfit_change_the_class(misfit: Any) -> None:
    """Within each combination of the relevant columns, the irrelevant ones say nothing about the class."""
    sample = misfit.problem(60_000, np.random.default_rng(5))
    names = list(sample.columns)
    assert any(name.startswith(RELEVANT) for name in names)
    if misfit.classifier == "svm":
        relevant = [(sample.columns[name] > 0).astype(int) for name in names if name.startswith(RELEVANT)]
    else:
        deciding = [name for name in names if name.startswith((RELEVANT, "copy"))]
        relevant = [(sample.columns[name] == "yes").astype(int) for name in deciding]
    group = np.ravel_multi_index(tuple(relevant), (2,) * len(relevant))
    totals = np.bincount(group, minlength=2 ** len(relevant))
    share = np.bincount(group, sample.positive, minlength=len(totals)) / np.maximum(totals, 1)
    if misfit.classifier == "nb":
        # And each relevant column does, with the others as they are.
        grid, rows = share.reshape((2,) * len(relevant)), totals.reshape((2,) * len(relevant))
        for axis, name in enumerate(name for name in deciding if name.startswith(RELEVANT)):
            seen = rows.min(axis=axis) > 300
            assert np.abs(np.diff(grid, axis=axis).squeeze(axis))[seen].max() > 0.05, name
    surprise = sample.positive - share[group]
    for name in names:
        if name.startswith(IRRELEVANT):
            cells = sample.columns[name]
            other = (cells > 0 if misfit.classifier == "svm" else cells == "yes").astype(float)
            within = other - (np.bincount(group, other) / np.maximum(np.bincount(group), 1))[group]
            assert abs(np.corrcoef(surprise, within)[0, 1]) < 0.02, name


@pytest.mark.parametrize("name", ["figure4", "equivalence"])
def test_results_do_not_depend_on_the_number_of_processes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = conducted(name, FEW[name])
    monkeypatch.setattr("probfs.runtime.processes.SECONDS_WORTH_WORKERS", 0.0)
    shared = conducted(name, FEW[name], jobs=2)
    assert shared.rows == alone.rows
    assert shared.claims == alone.claims


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_is_planned_and_says_what_it_is(name: str) -> None:
    module = importlib.import_module(f"probfs.paper.experiments.{name}")
    assert module.__doc__
    plan = EXPERIMENTS[name]
    assert plan.quick <= plan.runs


@pytest.mark.parametrize("name", EXPERIMENTS)
@pytest.mark.usefixtures("small")
def test_figures_show_all_their_text(name: str, tmp_path: Path) -> None:
    """Nothing is cut off: every label, tick and legend lies within the figure."""
    from matplotlib.figure import Figure

    finding = conducted(name, FEW.get(name, 1))
    seen: list[Figure] = []

    def draw(figure: Figure) -> None:
        finding.draw(figure)
        seen.append(figure)

    from probfs.paper.experiments.figures import save_figure

    png, svg = save_figure(draw, finding.size, tmp_path, name)
    assert png.read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in svg.read_bytes()
    (figure,) = seen
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figure)
    # In inches; all that is drawn, sub-titles, ticks and legends among it.
    drawn = figure.get_tightbbox(canvas.get_renderer())  # type: ignore[no-untyped-call]
    width, height = finding.size
    assert drawn.x0 >= -0.01
    assert drawn.y0 >= -0.01
    assert drawn.x1 <= width + 0.01
    assert drawn.y1 <= height + 0.01


def test_reproduce_writes_numbers_claims_and_figures(run: Run, tmp_path: Path) -> None:
    result = run("reproduce", "errors", "example", "--output", "out/deep", "--format", "json")
    assert result.returncode == 0
    document = json.loads(result.stdout)
    assert document["schema"] == "probfs.reproduction/1"
    assert document["settings"] == {"runs": {"example": 1, "errors": 1}, "seed": 0}
    assert set(document["claims"][0]) == {"experiment", "place", "says", "measured", "verdict", "runs"}
    folder = tmp_path / "out" / "deep"
    assert {path.name for path in folder.iterdir()} == {
        f"{name}{ending}" for name in ("example", "errors") for ending in (".csv", "_claims.csv", ".png", ".svg")
    }
    with (folder / "errors_claims.csv").open() as lines:
        assert [row["verdict"] for row in csv.DictReader(lines)] == ["holds"] * 6
    assert "wrote out/deep/example.csv" in result.stderr


def test_the_same_seed_writes_the_same_files(run: Run, tmp_path: Path) -> None:
    for folder in ("first", "second"):
        assert run("reproduce", "bound", "--runs", 5, "--output", folder, "--seed", 3).returncode == 0
    for path in (tmp_path / "first").iterdir():
        assert path.read_bytes() == (tmp_path / "second" / path.name).read_bytes(), path.name


def test_without_an_output_nothing_is_written_and_matplotlib_not_imported(tmp_path: Path) -> None:
    program = "import sys; from probfs.cli import run; run(sys.argv[1:]); print('matplotlib' in sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", program, "reproduce", "example", "figure2", "--format", "csv"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )
    header, *rows, imported = result.stdout.splitlines()
    assert header == "experiment,place,says,measured,verdict,runs"
    assert len(rows) == 9
    assert imported == "False"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("figur2",), 2, "no experiment 'figur2'; did you mean 'figure2'?"),
        (("example", "--quick", "--runs", 3), 2, "--quick chooses the number of runs; give it or --runs"),
        (("example", "--runs", 1), 2, "Invalid value for '--runs': '1' is not a whole number from 2 to 1000000"),
        (("example", "--output", "taken"), 1, "taken: cannot be made a folder: file exists"),
        (("example", "--output", ""), 2, "--output: is empty; name a folder, . for this one"),
    ],
)
def test_what_cannot_be_is_said_at_once(
    run: Run, tmp_path: Path, arguments: tuple[object, ...], status: int, message: str
) -> None:
    (tmp_path / "taken").write_text("a file")
    result = run("reproduce", *arguments)
    assert (result.returncode, result.stdout) == (status, "")
    assert result.stderr.startswith(f"probfs: error: {message}")
    assert result.stderr.count("\n") == 1


def test_claims_fit_a_terminal_and_markdown(run: Run) -> None:
    table = run("reproduce", "example", "--format", "table").stdout
    assert "7 of 7 hold." in table
    assert max(map(len, table.splitlines())) <= 120
    assert run("reproduce", "example", "--format", "markdown").stdout.startswith("| where | the paper says |")


def test_the_tables_that_come_along_are_the_samples() -> None:
    """They are links, so that a table is in the repository once."""
    for path in (ROOT / "src" / "probfs" / "paper" / "experiments" / "data").iterdir():
        assert path.read_bytes() == (ROOT / "sample_data" / path.name).read_bytes()


def test_progress_counts_to_the_end() -> None:
    seen: list[tuple[int, int]] = []
    Laboratory("test", 1, 0, 1, lambda done, total: seen.append((done, total))).each(abs, [1, -2, 3])
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]
