"""probfs map, suggest, inspect and sample."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from probfs.paper.catalogue import SAMPLES as SAMPLE_NAMES
from tests.support.commands import Run
from tests.support.paths import SAMPLES
from tests.support.results import hostile_csv
from tests.support.table_content import Write


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
def test_a_sample_is_written_as_it_is(run_here: Run, tmp_path: Path, name: str) -> None:
    content = (SAMPLES / f"{name}.csv").read_text()
    assert run_here("sample", name).stdout == content
    assert run_here("sample", name, "-o", "t.csv").stdout == ""
    assert (tmp_path / "t.csv").read_text() == content


def test_samples_are_listed_and_an_unknown_one_is_refused(run_here: Run) -> None:
    assert [line.split()[0] for line in run_here("sample").stdout.splitlines()] == list(SAMPLE_NAMES)
    wrong = run_here("sample", "iris")
    assert (wrong.returncode, wrong.stdout, wrong.stderr.count("\n")) == (2, "", 1)
    assert f"'iris' is not one of {', '.join(SAMPLE_NAMES)}" in wrong.stderr
