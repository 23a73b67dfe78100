"""Several files, patterns and folders on the command line: one table for every command."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.commands import Run
from tests.support.table_content import Write

ROWS = [f"{row % 3},{'uv'[row % 2]},{row * 5 % 7 % 2}" for row in range(30)]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """The rows in one file and in three of a folder, the columns in another order in the last."""
    (tmp_path / "one.csv").write_text("\n".join(["a,b,y", *ROWS, ""]))
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "1.csv").write_text("\n".join(["a,b,y", *ROWS[:4], ""]))
    (tmp_path / "d" / "2.csv").write_text("\n".join(["a,b,y", *ROWS[4:20], ""]))
    turned = [",".join(row.split(",")[::-1]) for row in ["a,b,y", *ROWS[20:]]]
    (tmp_path / "d" / "3.csv").write_text("\n".join([*turned, ""]))
    return ["d/3.csv", "d/1.csv", "d/2.csv"]


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("rank", ""),
        ("select", "--folds 0 --always a,b --false-discoveries 1 --keep 2 --reduced /dev/stdout"),
        ("suggest", ""),
        ("inspect", "--format csv"),
        ("map", "--mapping m.toml"),
    ],
)
def test_every_command_takes_many_files_as_one_table(
    run_here: Run, write: Write, files: list[str], command: str, options: str
) -> None:
    write("m.toml", "[columns]\nb = {groups = {u = ['u'], other = ['v']}}\n")
    words = [*options.split(), "--target", "y", "--quiet"]
    one = run_here(command, "one.csv", *words)
    assert one.returncode == 0, one.stderr
    for named in (files, ["d"], ["d/*.csv"], ["d/[12].csv", "d/3.csv"]):
        many = run_here(command, *named, *words)
        assert many.returncode == 0, many.stderr
        shown = [line for line in many.stdout.splitlines() if not line.startswith("# Draft")]
        assert shown == [line for line in one.stdout.splitlines() if not line.startswith("# Draft")]


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ("d/*.csv --output d/2.csv", 2, "--output: d/2.csv is an input; name another file"),
        ("- one.csv", 2, "standard input cannot be read together with files; name files only"),
        ("d more/4.csv", 1, "more/4.csv: lacks 1 column of d/1.csv: 'b'; give all files the same columns, or take "),
        ("d --mapping m.toml", 1, "d/1.csv:2: column 'b': "),
    ],
)
def test_a_mistake_names_its_file(
    run_here: Run, write: Write, tmp_path: Path, files: list[str], words: str, status: int, message: str
) -> None:
    (tmp_path / "more").mkdir()
    write("more/4.csv", "a,more,y\n1,p,0\n2,q,1\n")
    write("m.toml", "[columns]\nb = {cut = [1]}\n")
    result = run_here("rank", *words.split(), "--target", "y", "--quiet")
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (status, "", 1)
    assert result.stderr.startswith(f"probfs: error: {message}")
    assert '"more"' in run_here("inspect", "d", "more", "--union", "--target", "y", "--format", "json").stdout
