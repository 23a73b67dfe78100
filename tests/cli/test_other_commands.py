"""probfs map, suggest, inspect, sample, exact, generate and reproduce."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import probfs
from probfs.paper import synthetic
from probfs.paper.catalogue import SAMPLES as SAMPLE_NAMES
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


def test_what_was_made_of_the_cells_is_said(run_here: Run, write: Write) -> None:
    path = write("t.csv", ",x,y\n0,1,p\n1,2,q\n2,3,p\n3,NA,q\n")
    result = run_here("map", path, "--mapping", write("m.toml", ""))
    assert result.stdout == "x,y\n1,p\n2,q\n3,p\n,q\n"
    assert "the unnamed first column was left out as a row index" in result.stderr
    assert "taken as missing among numbers: 'NA' in 'x'" in result.stderr


def test_what_suggest_writes_suits_the_classifier_and_is_a_mapping_of_rank(run_here: Run, write: Write) -> None:
    path = write("t.csv", "row,dose,y\n" + "".join(f"{n},{n * 0.37:.2f},{n % 2}\n" for n in range(200)))
    write("m.toml", run_here("suggest", path).stdout)
    result = run_here("rank", path, "--mapping", "m.toml")
    assert [row["feature"] for row in csv.DictReader(io.StringIO(result.stdout))] == ["dose"]
    assert '"dose" = ' in (path.parent / "m.toml").read_text()
    assert '"dose" = ' not in run_here("suggest", path, "--classifier", "svm").stdout


def test_inspect_says_what_rank_would_do(run_here: Run) -> None:
    document = json.loads(run_here("inspect", SAMPLES / "breast_cancer.csv", "--format", "json").stdout)
    assert document["classes"] == {"benign": 458, "malignant": 241}
    by_name = {column["column"]: column for column in document["columns"]}
    assert by_name["bare_nuclei"]["missing"] == 16
    assert by_name["sample_id"]["use"] == "left out (identifier: named like an identifier, 645 values in 699 rows)"
    assert by_name["sample_id"]["flags"] == ["identifier"]
    assert by_name["class"]["use"] == "target (the last column)"
    mapped = run_here("inspect", SAMPLES / "breast_cancer.csv", "--mapping", SAMPLES / "breast_cancer.toml").stdout
    assert "left out (dropped by the mapping)" in mapped
    assert "yes/no: <= 5 (mapping)" in mapped


@pytest.mark.parametrize("name", SAMPLE_NAMES)
def test_a_sample_is_listed_and_written_as_it_is(run_here: Run, tmp_path: Path, name: str) -> None:
    assert [line.split()[0] for line in run_here("sample").stdout.splitlines()] == list(SAMPLE_NAMES)
    content = (SAMPLES / f"{name}.csv").read_text()
    assert run_here("sample", name).stdout == content
    assert run_here("sample", name, "-o", "t.csv").stdout == ""
    assert (tmp_path / "t.csv").read_text() == content


# probfs exact, generate and reproduce


def test_the_distribution_of_section_4_1(run_here: Run) -> None:
    result = run_here("exact", SAMPLES / "joint.csv")
    assert (result.returncode, result.stderr) == (0, "")
    header, first, second = result.stdout.splitlines()
    assert header == "feature,s_s,s_a,s_b"
    assert [float(cell) for cell in first.split(",")[1:]] == pytest.approx([0.15, 0.0495, 1 / 220], abs=1e-15)
    assert [float(cell) for cell in second.split(",")[1:]] == pytest.approx([12 / 110, 0.0765, 1 / 22], abs=1e-15)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("x,p,p_y\na,0.5,0.1\nb,0.4,0.2\n", ": the probabilities in 'p' add up to 0.9, not to 1"),
        ("x,p,p_y\na,1.5,0.1\nb,-0.5,0.2\n", ":2: column 'p': '1.5' is not a probability; write a number from 0 to 1"),
        ("p,p_y\n1,0.5\n", ": no column beside p and p_y; the others are the features"),
        ("x,p,p_y\na,0.5,0.1\n,0.5,0.2\n", ":3: column 'x': the value is missing; every cell has one"),
        ("x,p,p_y\na,1,\nb,0,1\n", ":2: column 'p_y': the probability is missing; write 0 for what never happens"),
        (
            "x,z,p,p_y\na,u,0.5,0.1\na,v,0.25,1\na,u,0.25,0.2\n",
            ":4: the cell 'x=a', 'z=u' is there a second time; give each cell once",
        ),
        ("x,P,p_y\na,1,0\n", ": no column 'p'; did you mean 'P'?; p and p_y hold the probabilities"),
    ],
)
def test_a_wrong_distribution_is_one_clear_line(run_here: Run, write: Write, content: str, message: str) -> None:
    joint = write("joint.csv", content)
    result = run_here("exact", joint)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == f"probfs: error: {joint}{message}\n"


def test_probabilities_may_be_fractions_and_have_decimal_commas(run_here: Run, write: Write) -> None:
    plain = "a,b,p,p_y\n0,0,0.25,0.5\n0,1,1/4,0.125\n1,0,0.5,1\n"
    path = write("c.csv", plain.replace(",", ";").replace(".", ","))
    assert run_here("exact", path, "--decimal", ",").stdout == run_here("exact", write("p.csv", plain)).stdout
    assert "'0,25' is not a number" in run_here("exact", path).stderr


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


def test_unlabelled_rows_can_go_to_a_file_of_their_own(run_here: Run, tmp_path: Path) -> None:
    options = ("generate", "nominal", "--rows", 30, "--unlabeled-rows", 50, "--seed", 3)
    together = pd.read_csv(io.StringIO(run_here(*options).stdout))
    apart = pd.read_csv(io.StringIO(run_here(*options, "--unlabeled-output", "more.csv").stdout))
    assert apart.equals(together[:30])
    more = together[30:].drop(columns="class").reset_index(drop=True)
    assert pd.read_csv(tmp_path / "more.csv").equals(more)


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
