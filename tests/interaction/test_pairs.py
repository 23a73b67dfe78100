"""Pairs of columns: their tables, the test of no interaction, the gain, and what users see of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import probfs
from probfs.columns.choice import ColumnChoice
from probfs.columns.encode import encode
from probfs.interaction.three_way import MOST_VALUES, count_tables, degrees_of_freedom, fit_without_interaction
from probfs.ranking.inputs import InputRequest, read_prepared
from tests.conftest import Run


def switches(rows: int = 500, columns: int = 6, seed: int = 0) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    table = pd.DataFrame(random.integers(0, 3, (rows, columns)), columns=[f"x{i}" for i in range(columns)])
    table["y"] = (table.x0 > 0) ^ (table.x1 > 0) ^ (random.random(rows) < 0.1)
    return table


def tables_of(table: pd.DataFrame) -> list[tuple[int, int, Any]]:
    """The positions of both columns of each pair, and their counts."""
    prepared = read_prepared(InputRequest(table, choice=ColumnChoice("y", keep_identifiers=True)))
    return [
        (a, b, counts)
        for first, second, tables in count_tables(encode(prepared, ())[0])
        for a, b, counts in zip(first.tolist(), second.tolist(), np.moveaxis(tables, -1, 0), strict=True)
    ]


@given(st.integers(0, 10**6))
def test_tables_are_counts_of_rows_that_have_both_values(seed: int) -> None:
    random = np.random.default_rng(seed)
    table = pd.DataFrame({f"x{i}": random.choice(list("abcd")[: i + 2], 200).astype(object) for i in range(3)})
    table = table.assign(y=[0, 1] * 100).mask(random.random((200, 4)) < [0.1, 0.1, 0.1, 0.0])
    found = tables_of(table)
    for a, b, counts in found:
        both = table.dropna(subset=[f"x{a}", f"x{b}"])
        expected = both.groupby([f"x{a}", f"x{b}", "y"]).size()
        assert sorted(counts[counts > 0].tolist()) == sorted(expected.tolist())
        assert counts.sum(axis=(0, 1)).tolist() == both.groupby("y").size().tolist()
    assert len(found) == 3


def test_rare_values_are_taken_together_and_many_columns_are_counted_in_tiles() -> None:
    random = np.random.default_rng(1)
    many = pd.DataFrame({f"x{i}": random.choice([f"v{j}" for j in range(40)], 2_000) for i in range(60)})
    many["y"] = random.integers(0, 2, 2_000)
    found = tables_of(many)
    assert len({(a, b) for a, b, _ in found}) == len(found) == 60 * 59 // 2
    assert {counts.shape for _, _, counts in found} == {(MOST_VALUES, MOST_VALUES, 2)}
    assert {counts.sum() for _, _, counts in found} == {2_000}


@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(2, 4), st.integers(2, 3))
def test_the_fit_has_the_margins_of_the_table_and_no_interaction(seed: int, a: int, b: int, y: int) -> None:
    counts = np.random.default_rng(seed).integers(1, 30, (a, b, y, 3)).astype(np.float64)
    fitted = fit_without_interaction(counts)
    for axis in (0, 1, 2):
        np.testing.assert_allclose(fitted.sum(axis=axis), counts.sum(axis=axis), atol=2e-4)
    # The log-odds ratios of a and b are the same in every class.
    logs = np.log(fitted)
    ratios = logs[1:, 1:] - logs[:1, 1:] - logs[1:, :1] + logs[:1, :1]
    np.testing.assert_allclose(ratios - ratios[:, :, :1], 0, atol=1e-9)
    assert degrees_of_freedom(counts).tolist() == [(a - 1) * (b - 1) * (y - 1)] * 3


def test_the_gain_is_the_difference_of_log_losses_that_rank_has() -> None:
    table = switches(200)[["x0", "x1", "y"]].astype(str)
    joint = table.assign(x0=table.x0 + table.x1)[["x0", "y"]]
    losses = [probfs.rank(one, target="y", shrink="off", eliminate=False).rounds[0].log_loss for one in (table, joint)]
    (pair,) = probfs.pairs(table, target="y").pairs
    assert pair.gain == pytest.approx(losses[0] - losses[1], abs=1e-9)


def test_columns_that_matter_only_together_are_found_and_neither_sums_of_effects_nor_copies() -> None:
    result = probfs.pairs(switches(), target="y")
    (best,) = result.found
    assert (best.a, best.b, result.tested) == ("x0", "x1", 15)
    assert best.q < 1e-20
    assert best.gain > 0.1
    random = np.random.default_rng(4)
    table = pd.DataFrame(random.integers(0, 3, (600, 3)), columns=list("abc"))
    table["d"] = table.a
    table["y"] = random.random(600) < 1 / (1 + np.exp(1.2 * table.b - table.a))
    nothing = probfs.pairs(table, target="y")
    assert not nothing.found
    assert [pair.p for pair in nothing.pairs if (pair.a, pair.b) == ("a", "d")] == [1]


def test_pairs_of_rare_values_are_judged_by_drawn_tables() -> None:
    found = 0
    for seed in range(12):
        random = np.random.default_rng(seed)
        table = pd.DataFrame({f"x{i}": random.integers(0, 5, 80) for i in range(6)}).astype(str)
        table["y"] = np.where(random.random(80) < 0.12, "rare", "usual")
        found += bool(probfs.pairs(table, target="y").found)
    assert found <= 2


def test_far_beyond_all_drawn_tables_p_is_that_of_a_law_unless_tables_take_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    random = np.random.default_rng(3)
    a, b = random.integers(0, 7, (2, 200))
    table = pd.DataFrame({"a": a, "b": b, "y": (a + b) % 2 ^ (random.random(200) < 0.15)})
    # A thousand tables of 98 cells.
    for most, p in ((50_000_000, 6.702806034e-11), (999 * 98, 6.702806034e-11), (999 * 98 - 1, 1.0)):
        monkeypatch.setattr("probfs.interaction.three_way._MOST_WORK", most)
        assert probfs.pairs(table, target="y").pairs[0].p == pytest.approx(p, rel=1e-8)


def test_the_command_lists_the_best_and_its_page_runs_no_name(run_here: Run) -> None:
    table = switches().rename(columns={"x0": "<script>alert(1)</script>", "x1": '"><img onerror=x>'})
    table.to_csv("t.csv", index=False)
    document = json.loads(run_here("pairs", "t.csv", "--format", "json", "--top", "3").stdout)
    assert [document["pairs"][0][name] for name in "ab"] == list(table.columns[:2])
    assert (len(document["pairs"]), document["tested"]) == (3, 15)
    switches().to_csv("plain.csv", index=False)
    assert "--join 'x0+x1'" in run_here("pairs", "plain.csv", "--format", "table").stdout
    run_here("pairs", "t.csv", "--output", "p.html")
    page = Path("p.html").read_text()
    assert "&lt;script&gt;alert" in page
    assert "<script>alert" not in page
    assert "<img" not in page
    assert page.count("fill-opacity") == 30


def test_what_is_no_table_or_option_for_pairs_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probfs.interaction.pairs.MOST_COLUMNS", 4)
    table = switches(50)
    for number, problem in ((1, "has one column to test, and a pair needs two"), (5, "has 5 columns, and pairs of at")):
        with pytest.raises(probfs.DataError, match=problem):
            probfs.pairs(table[[*list(table)[:number], "y"]], target="y")
    assert probfs.pairs(table[[*list(table)[:4], "y"]], target="y").tested == 6
    for options in ({"smoothing": 3}, {"shrink": "off"}):
        with pytest.raises(probfs.ProbfsError, match="has no meaning for pairs"):
            probfs.pairs(table, target="y", **options)


def test_a_joined_pair_is_ranked_as_one_column() -> None:
    table = switches()
    table[table.columns[:-1]] = table[table.columns[:-1]].replace({0: "a", 1: "b", 2: "c"})
    ranking = probfs.rank(table, target="y", join="x0+x1")
    assert ranking.features[0].feature == "x0+x1"
    assert (ranking.features[0].q or 0) < 1e-20
    joint = table.assign(**{"x0+x1": table.x0 + table.x1}).drop(columns=["x0", "x1"])[
        ["x0+x1", "x2", "x3", "x4", "x5", "y"]
    ]
    assert [vars(one) for one in probfs.rank(joint, target="y").features] == [vars(one) for one in ranking.features]
    for classifier in ("svm", "logistic"):
        assert probfs.rank(table, target="y", join="x0+x1", classifier=classifier).features[0].feature == "x0+x1"


def test_a_kept_pair_is_kept_as_its_two_columns(run_here: Run) -> None:
    table = switches()
    selection = probfs.select(table, target="y", join="x0+x1", always="x0+x1", folds=0)
    assert selection.kept[0] == "x0+x1"
    assert list(selection.reduced(table).columns[:2]) == ["x0", "x1"]
    table.to_csv("t.csv", index=False)
    run_here("select", "t.csv", "--join", "x0+x1", "--folds", "0", "--reduced", "r.csv")
    assert {"x0", "x1", "y"} <= {*pd.read_csv("r.csv").columns}


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        *(
            ({"join": join}, rf"join=: '{join[-5:]}' does not name two columns that are ranked, as a\+b does")
            for join in ("x0+x9", "x0", "x0+x0")
        ),
        ({"join": ["x0+x1", "x1+x2"]}, r"join=: 'x1\+x2' does not name two columns that are ranked, as a\+b does"),
        ({"join": ["x0+x1", "x0+x2"]}, "join=: column 'x0' is in two pairs; keep one of them"),
        ({"join": "x2+x3"}, r"join=: there is a column 'x2\+x3' already; leave it out or rename it"),
        ({"join": "x0+n", "classifier": "svm"}, "join=: column 'n' is numbers to this classifier; cut it in a mapping"),
        (
            {"join": "x0+x1", "together": {"x0+x1": "x2"}},
            r"together=: join= makes a column 'x0\+x1'; give the group another name",
        ),
    ],
)
def test_what_is_no_pair_is_one_line(options: dict[str, Any], problem: str) -> None:
    frame = switches().replace({0: "a", 1: "b", 2: "c"}).assign(n=np.random.default_rng(0).normal(size=500))
    with pytest.raises(probfs.ProbfsError, match=f"^{problem.replace('x0+x', 'x0[+]x')}"):
        probfs.rank(frame.assign(**{"x2+x3": frame["x0"]})[["x2+x3", *frame]], target="y", **options)


@pytest.mark.slow
def test_rates_of_finding_and_of_false_alarms() -> None:
    """XOR of 2 among 30 columns is first in at least 95 of 100; without interaction, at most 10 % find something."""
    first = alarms = 0
    for seed in range(100):
        table = switches(500, 30, seed)
        pairs = probfs.pairs(table, target="y").pairs
        first += (pairs[0].a, pairs[0].b) == ("x0", "x1")
        odds = table.x2 - table.x3 + 0.5 * table.x4
        chance = np.random.default_rng(seed).random(500)
        alarms += bool(probfs.pairs(table.assign(y=chance < 1 / (1 + np.exp(-odds))), target="y").found)
    print(f"first {first} of 100, false alarms {alarms} of 100")
    assert first >= 95
    assert alarms <= 10


def test_rows_of_one_subject_are_warned_of_without_an_option_that_pairs_has_not() -> None:
    random = np.random.default_rng(0)
    labels = np.arange(40) % 2
    rows = np.repeat(np.arange(40), 10)
    table = pd.DataFrame({"patient": rows, "a": random.integers(0, 3, 400), "b": random.integers(0, 3, 400)})
    found = probfs.pairs(table.assign(y=labels[rows]), target="y")
    (note,) = (note for note in found.warnings if note.code == "subjects")
    assert note.endswith("pairs cannot allow for that: keep one row of each subject")
