"""probfs rank and compare: what they hand to the library, and what they write."""

from __future__ import annotations

import html
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
from tests.support import SAMPLES
from tests.support.commands import Run
from tests.support.results import as_version_2, ranking_document, write_document

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
