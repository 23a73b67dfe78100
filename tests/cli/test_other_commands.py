"""probfs map, suggest, inspect, sample, exact, generate and reproduce."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import probfs
from probfs.paper import synthetic
from tests.support import SAMPLES
from tests.support.commands import Run
from tests.support.results import hostile_csv
from tests.support.tables import Write


@pytest.mark.parametrize("kind", ["csv", "tsv", "arff", "parquet"])
def test_a_mapped_table_survives_every_format(run_here: Run, write: Write, kind: str) -> None:
    path = write("t.csv", hostile_csv())
    write("m.toml", "drop = ['[/x]']\n")
    assert run_here("map", path, "--mapping", "m.toml", "--output", f"out.{kind}").returncode == 0
    expected = run_here("rank", path, "--exclude", "[/x]").stdout
    assert run_here("rank", f"out.{kind}", "--target", "y").stdout == expected


def test_mapping_inside_rank_and_before_it_are_the_same(run: Run) -> None:
    sample, mapping = SAMPLES / "breast_cancer.csv", SAMPLES / "breast_cancer.toml"
    inside = run("rank", sample, "--mapping", mapping).stdout
    piped = run("map", sample, "--mapping", mapping)
    assert run("rank", "-", stdin=piped.stdout.encode()).stdout == inside


# probfs exact, generate and reproduce


@pytest.mark.parametrize(
    ("problem", "options", "ending"),
    [
        ("xcp", {"c": 1.5, "p": 0.6, "relevant": 2, "noise": 3, "balance": 0.3}, "csv"),
        ("weston", {"noise": 4}, "parquet"),
        ("nominal", {"sampling": "undersampling"}, "arff"),
    ],
)
def test_a_sample_ranks_as_its_file_does(
    problem: str, options: dict[str, Any], ending: str, tmp_path: Path, run_here: Run
) -> None:
    """What experiments rank in memory is what anybody ranks who writes and reads the table."""
    given = [word for name, value in options.items() for word in (f"--{name}", value)]
    labelled, unlabelled = synthetic.draw_tables(problem, 60, 40, 7, options)
    words = ("--rows", 60, "--unlabeled-rows", 40, "--seed", 7, *given, "--output", f"table.{ending}")
    result = run_here("generate", problem, *words)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    expected = probfs.rank(labelled, target="class", unlabeled=unlabelled).features
    assert probfs.rank(tmp_path / f"table.{ending}", target="class").features == expected


def test_what_is_not_said_of_a_table_has_the_defaults_of_help(run_here: Run) -> None:
    table = run_here("generate", "xcp").stdout
    said = "--rows 100 --unlabeled-rows 0 --seed 0 --c 1 --p 0.7 --balance 0.5 --relevant 1 --noise 1"
    assert run_here("generate", "xcp", *said.split()).stdout == table
    assert (table.count("\n"), table.count("positive")) == (101, 50)


def test_reproduce_writes_numbers_claims_and_figures(run_here: Run, tmp_path: Path) -> None:
    result = run_here("reproduce", "errors", "example", "--output", "out/deep", "--format", "json")
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
    header, *_ = run_here("reproduce", "example", "--format", "csv").stdout.splitlines()
    assert header == "experiment,place,says,measured,verdict,runs"
    assert [path.name for path in tmp_path.iterdir()] == ["out"], "without an output nothing is written"
