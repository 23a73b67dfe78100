"""probfs select: what it hands to the library, and what it writes. What is selected is tested with the library."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from probfs.api import calls
from probfs.cli import rankings
from probfs.selection.result import Selection
from probfs.tables.table import Table
from tests.support.commands import Run
from tests.support.results import make_feature, make_hostile_selection, make_selection
from tests.support.tables import Write

KEPT = (make_feature(1, "zip", "keep"), make_feature(2, "dose", "keep"), make_feature(3, "note", "noise"))
ODD_TABLE = (
    'note,dose,outcome,n,zip,rest\na,1.50,yes,1,007, x \nb,NA,no,2,"1,5",\nc,,,1,"say ""so""",=1+1\nd,1e3,no,1,é,-\n'
)
"""Cells that a careless writer would change, and a row without a class."""

Selected = Callable[..., dict[str, Any]]


@pytest.fixture
def selected(monkeypatch: pytest.MonkeyPatch, write: Write) -> Selected:
    """Let the library select something made up, and keep what it was called with."""
    write("t.csv", ODD_TABLE)

    def let_select(selection: Selection) -> dict[str, Any]:
        called: dict[str, Any] = {}

        def select(data: Any, **keywords: Any) -> Selection:
            called.update(data=data, **keywords)
            return selection

        monkeypatch.setattr(calls, "select", select)
        return called

    return let_select


def test_names_are_printed_one_a_line_and_escaped_for_eyes(
    run_here: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, selected: Selected
) -> None:
    selected(make_hostile_selection(["a\x1b[31mred", "=1+1", "twin"]))
    assert run_here("select", "t.csv", "--names").stdout == "a\x1b[31mred\n=1+1\n"
    assert run_here("select", "t.csv", "--names", "--top", 1, "--output", "kept.names").stdout == ""
    assert (tmp_path / "kept.names").read_text() == "a\x1b[31mred\n"
    monkeypatch.setattr(rankings, "stdout_is_terminal", lambda: True)
    assert run_here("select", "t.csv", "--names").stdout == "a\\x1b[31mred\n=1+1\n"
    selected(make_hostile_selection(["new\nline", "twin"]))
    problem = "--names: the name 'new\\nline' is more than one line; use --format json"
    monkeypatch.setattr(rankings, "stdout_is_terminal", lambda: False)
    result = run_here("select", "t.csv", "--names")
    assert (result.returncode, result.stdout, result.stderr) == (1, "", f"probfs: error: {problem}\n")


def test_the_reduced_table_has_its_cells_rows_and_columns_as_they_were(
    run_here: Run, tmp_path: Path, write: Write, selected: Selected
) -> None:
    called = selected(make_selection(*KEPT, count="n"))
    assert run_here("select", "t.csv", "--reduced", "small.csv", "--delimiter", ",", "--quiet").stderr == ""
    assert (type(called["data"]), "delimiter" in called) == (Table, False), "read once"
    rows = list(csv.reader(io.StringIO(ODD_TABLE)))
    written = (tmp_path / "small.csv").read_text()
    assert list(csv.reader(io.StringIO(written))) == [row[1:5] for row in rows]
    assert written.splitlines()[:3] == ["dose,outcome,n,zip", "1.50,yes,1,007", 'NA,no,2,"1,5"']
    # Where the format has types, numbers become numbers; and formulas can be guarded.
    selected(make_selection(*KEPT))
    write("t.csv", "dose,outcome,zip\n0.75,=1+1,007\n2,no,8\n")
    run_here("select", "t.csv", "--reduced", "small.jsonl")
    assert (tmp_path / "small.jsonl").read_text().startswith('{"dose": 0.75, "outcome": "=1+1", "zip": "007"}\n')
    run_here("select", "t.csv", "--reduced", "small.csv", "--safe-csv")
    assert ",'=1+1," in (tmp_path / "small.csv").read_text()
