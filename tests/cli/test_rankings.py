"""probfs rank, select and compare: what they hand to the library, and what they write."""

from __future__ import annotations

import csv
import html
import io
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import probfs
from probfs.api import calls
from probfs.cli import rankings
from probfs.tables.table import Table
from tests.support import SAMPLES
from tests.support.commands import Run
from tests.support.results import as_version_2, make_feature, make_selection, ranking_document, write_document
from tests.support.tables import Write

CANCER = SAMPLES / "breast_cancer.csv"


def test_a_report_names_the_command_that_makes_it_again(run_here: Run, run: Run, tmp_path: Path) -> None:
    (tmp_path / "my kiln.csv").write_bytes((SAMPLES / "kiln.csv").read_bytes())
    words = ["rank", "my kiln.csv", "--exclude", "load", "--output", "it's.html", "--quiet"]
    assert run_here(*words).returncode == 0
    page = (tmp_path / "it's.html").read_text()
    (command,) = re.findall("<code>(.*?)</code>", page)
    assert shlex.split(html.unescape(command)) == ["probfs", *words]
    table = (SAMPLES / "kiln.csv").read_bytes()
    redirected = run("rank", "--target", "cracked", "--format", "html", "--quiet", stdin=table).stdout
    assert "<code>probfs rank --target cracked --format html --quiet &lt; TABLE &gt; REPORT</code>" in redirected


def test_options_are_keywords_of_the_library(
    run_here: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, frame: pd.DataFrame
) -> None:
    called: dict[str, Any] = {}
    ranking = probfs.rank(frame, target="y")
    monkeypatch.setattr(calls, "rank", lambda data, **keywords: called.update(data=data, **keywords) or ranking)
    words = "u.csv v.csv --unlabeled w.csv --no-eliminate --no-screen --classifier forest --trees 4 --estimate oob"
    others = "--together k=a,b --join a+b --step .2 --uncertainty --keep-identifiers --engine dask --workers 2 --top 1"
    result = run_here("rank", *words.split(), *others.split(), "--format", "html")
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("<!DOCTYPE html>")
    assert called.pop("on_note") is not None
    assert called == {
        "data": ["u.csv", "v.csv"],
        "unlabeled": ("w.csv",),
        "eliminate": False,
        "screen": False,
        "classifier": "forest",
        "trees": 4,
        "estimate": "oob",
        "together": (("k", "a,b"),),
        "join": ("a+b",),
        "step": 0.2,
        "uncertainty": True,
        "keep_identifiers": True,
        "engine": "dask",
        "workers": 2,
        "report": True,
    }
    assert run_here("rank", "u.csv", "--top", "1").stdout.count("\n") == 2
    assert called["eliminate"] is True
    assert called["report"] is False


# select

ODD_TABLE = (
    'note,dose,outcome,n,zip,rest\na,1.50,yes,1,007, x \nb,NA,no,2,"1,5",\nc,,,1,"say ""so""",=1+1\nd,1e3,no,1,é,-\n'
)
"""Cells that a careless writer would change, and a row without a class."""


def select_these(monkeypatch: pytest.MonkeyPatch, *names: str, **settings: Any) -> dict[str, Any]:
    """Let the library select these columns, and say what it is called with."""
    called: dict[str, Any] = {}
    features = [make_feature(rank, name, "keep") for rank, name in enumerate(names, 1)]
    selection = make_selection(*features, **settings)
    monkeypatch.setattr(calls, "select", lambda data, **keywords: called.update(data=data, **keywords) or selection)
    return called


def test_names_are_printed_one_a_line_and_escaped_for_eyes(
    run_here: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    select_these(monkeypatch, "a\x1b[31mred", "=1+1")
    assert run_here("select", "t.csv", "--names").stdout == "a\x1b[31mred\n=1+1\n"
    assert run_here("select", "t.csv", "--names", "--top", 1, "--output", "kept.names").stdout == ""
    assert (tmp_path / "kept.names").read_text() == "a\x1b[31mred\n"
    monkeypatch.setattr(rankings, "stdout_is_terminal", lambda: True)
    assert run_here("select", "t.csv", "--names").stdout == "a\\x1b[31mred\n=1+1\n"
    select_these(monkeypatch, "new\nline")
    problem = "--names: the name 'new\\nline' is more than one line; use --format json"
    monkeypatch.setattr(rankings, "stdout_is_terminal", lambda: False)
    result = run_here("select", "t.csv", "--names")
    assert (result.returncode, result.stdout, result.stderr) == (1, "", f"probfs: error: {problem}\n")


def test_the_reduced_table_has_its_cells_rows_and_columns_as_they_were(
    run_here: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, write: Write
) -> None:
    write("t.csv", ODD_TABLE)
    called = select_these(monkeypatch, "zip", "dose", count="n")
    assert run_here("select", "t.csv", "--reduced", "small.csv", "--delimiter", ",", "--quiet").stderr == ""
    assert (type(called["data"]), "delimiter" in called) == (Table, False), "read once"
    rows = list(csv.reader(io.StringIO(ODD_TABLE)))
    written = (tmp_path / "small.csv").read_text()
    assert list(csv.reader(io.StringIO(written))) == [row[1:5] for row in rows]
    assert written.splitlines()[:3] == ["dose,outcome,n,zip", "1.50,yes,1,007", 'NA,no,2,"1,5"']
    # Where the format has types, numbers become numbers; and formulas can be guarded.
    select_these(monkeypatch, "zip", "dose")
    write("t.csv", "dose,outcome,zip\n0.75,=1+1,007\n2,no,8\n")
    run_here("select", "t.csv", "--reduced", "small.jsonl")
    assert (tmp_path / "small.jsonl").read_text().startswith('{"dose": 0.75, "outcome": "=1+1", "zip": "007"}\n')
    run_here("select", "t.csv", "--reduced", "small.csv", "--safe-csv")
    assert ",'=1+1," in (tmp_path / "small.csv").read_text()


# compare


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return write_document(tmp_path / "old.json", ranking_document("abcdefgh"))


@pytest.fixture
def new(tmp_path: Path) -> Path:
    return write_document(tmp_path / "new.json", as_version_2(ranking_document("bacdefxg")))


def test_standard_input_is_a_document_or_a_table_and_an_early_reader_changes_no_status(old: Path, new: Path) -> None:
    def run_line(line: str) -> subprocess.CompletedProcess[str]:
        line = line.replace("probfs ", f"{sys.executable} -m probfs ")
        return subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)

    unchanged = "--fail-if 'changed>0'"
    assert run_line(f"cat {old} | probfs compare {old} - {unchanged}").returncode == 0
    ranked = old.parent / "ranked.json"
    table = f"probfs rank {CANCER} -q -o {ranked} && cat {CANCER} | probfs compare {ranked} - -q"
    assert run_line(f"{table} {unchanged}").returncode == 0
    substituted = run_line(f"probfs compare {old} <(cat {old}) {unchanged}")
    assert (substituted.returncode, substituted.stderr) == (0, "")
    assert run_line(f"probfs compare {old} {new} {unchanged} | true; echo ${{PIPESTATUS[0]}}").stdout == "3\n"
