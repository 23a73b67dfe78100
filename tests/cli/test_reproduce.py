"""probfs reproduce."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.commands import Run


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
