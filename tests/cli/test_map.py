"""probfs map."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.commands import Run
from tests.support.hostile_names import hostile_csv
from tests.support.paths import SAMPLES
from tests.support.table_content import Write


@pytest.mark.parametrize("kind", ["csv", "tsv", "arff", "parquet"])
def test_a_mapped_table_survives_every_format(run: Run, write: Write, tmp_path: Path, kind: str) -> None:
    path = write("t.csv", hostile_csv())
    write("m.toml", "drop = ['[/x]']\n")
    assert run("map", path, "--mapping", "m.toml", "--output", f"out.{kind}").returncode == 0
    expected = run("rank", path, "--exclude", "[/x]").stdout
    assert run("rank", f"out.{kind}", "--target", "y").stdout == expected


def test_mapping_inside_rank_and_before_it_are_the_same(run: Run, tmp_path: Path) -> None:
    sample, mapping = SAMPLES / "breast_cancer.csv", SAMPLES / "breast_cancer.toml"
    assert run("map", sample, "--mapping", mapping, "--output", "mapped.arff").returncode == 0
    inside = run("rank", sample, "--mapping", mapping).stdout
    assert run("rank", "mapped.arff").stdout == inside
    piped = run("map", sample, "--mapping", mapping)
    assert run("rank", "-", stdin=piped.stdout.encode()).stdout == inside


def test_what_was_made_of_the_cells_is_said(run: Run, write: Write) -> None:
    path = write("t.csv", ",x,y\n0,1,p\n1,2,q\n2,3,p\n3,NA,q\n")
    result = run("map", path, "--mapping", write("m.toml", ""))
    assert result.stdout == "x,y\n1,p\n2,q\n3,p\n,q\n"
    assert "the unnamed first column was left out as a row index" in result.stderr
    assert "taken as missing among numbers: 'NA' in 'x'" in result.stderr
