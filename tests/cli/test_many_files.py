"""Several files, patterns and folders on the command line: one table for every command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.commands import Run
from tests.support.table_content import Write

ROWS = [f"{row % 3},{'uv'[row % 2]},{row * 5 % 7 % 2}" for row in range(30)]
NAMES = "a,b,y"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """The rows in one file and in three of a folder, the columns in another order in the last."""
    (tmp_path / "one.csv").write_text("\n".join([NAMES, *ROWS, ""]))
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "1.csv").write_text("\n".join([NAMES, *ROWS[:4], ""]))
    (tmp_path / "d" / "2.csv").write_text("\n".join([NAMES, *ROWS[4:20], ""]))
    turned = [",".join(row.split(",")[::-1]) for row in ["a,b,y", *ROWS[20:]]]
    (tmp_path / "d" / "3.csv").write_text("\n".join([*turned, ""]))
    return ["d/3.csv", "d/1.csv", "d/2.csv"]


COMMANDS = {
    "rank": (),
    "select": ("--folds", "0"),
    "suggest": (),
    "inspect": ("--format", "csv"),
    "map": ("--mapping", "m.toml"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_many_files_as_one_table(
    run_here: Run, write: Write, files: list[str], command: str
) -> None:
    write("m.toml", "[columns]\nb = {groups = {u = ['u'], other = ['v']}}\n")
    options = [*COMMANDS[command], "--target", "y", "--quiet"]
    one = run_here(command, "one.csv", *options)
    assert one.returncode == 0, one.stderr
    for named in (files, ["d"], ["d/*.csv"], ["d/[12].csv", "d/3.csv"]):
        many = run_here(command, *named, *options)
        assert many.returncode == 0, many.stderr
        shown = [line for line in many.stdout.splitlines() if not line.startswith("# Draft")]
        assert shown == [line for line in one.stdout.splitlines() if not line.startswith("# Draft")]


def test_the_reduced_table_is_one(run_here: Run, tmp_path: Path, files: list[str]) -> None:
    options = ("--target", "y", "--folds", "0", "--always", "a,b", "--false-discoveries", "1", "--keep", "2")
    for data, output in ((["one.csv"], "one.out.csv"), (files, "many.out.csv")):
        result = run_here("select", *data, *options, "--reduced", output)
        assert result.returncode == 0, result.stderr
    assert (tmp_path / "many.out.csv").read_text() == (tmp_path / "one.out.csv").read_text()


def test_a_table_of_many_files_is_compared(run_here: Run, write: Write, files: list[str]) -> None:
    ranking = run_here("rank", "one.csv", "--target", "y", "--format", "json")
    write("old.json", ranking.stdout)
    for new in ("d", "d/*.csv"):
        result = run_here("compare", "old.json", new, "--format", "json")
        assert result.returncode == 0, result.stderr
        assert json.loads(result.stdout)["measures"]["changed"] == 0


def test_all_columns_can_be_taken(run_here: Run, write: Write, files: list[str]) -> None:
    write("d/4.csv", "a,more,y\n1,p,0\n2,q,1\n")
    refused = run_here("rank", "d", "--target", "y")
    assert refused.returncode == 1
    expected = (
        "d/4.csv: lacks 1 column of d/1.csv: 'b'; give all files the same columns, or take those of all with --union"
    )
    assert refused.stderr == f"probfs: error: {expected}\n"
    taken = run_here("inspect", "d", "--union", "--target", "y", "--format", "json")
    assert taken.returncode == 0, taken.stderr
    assert '"more"' in taken.stdout


def test_columns_of_folders_are_ranked(run_here: Run, tmp_path: Path) -> None:
    for year in (2025, 2026):
        folder = tmp_path / "sales" / f"year={year}"
        folder.mkdir(parents=True)
        (folder / "t.csv").write_text("a,y\n" + f"x,{year % 2}\nz,{year % 2}\n" * 5)
    result = run_here("rank", "sales", "--quiet")
    assert [line.split(",")[1] for line in result.stdout.splitlines()] == ["feature", "year", "a"]
    assert "target: y (the last column)" in run_here("rank", "sales").stderr


def test_an_output_that_is_one_of_the_inputs_is_refused(run_here: Run, files: list[str]) -> None:
    for data in (["d"], ["d/*.csv"], files):
        result = run_here("rank", *data, "--target", "y", "--output", "d/2.csv")
        assert (result.returncode, result.stderr) == (
            2,
            "probfs: error: --output: d/2.csv is an input; name another file\n",
        )


def test_standard_input_cannot_be_one_of_several(run_here: Run, files: list[str]) -> None:
    result = run_here("rank", "-", "one.csv", "--target", "y")
    expected = "standard input cannot be read together with files; name files only"
    assert (result.returncode, result.stderr) == (2, f"probfs: error: {expected}\n")


def test_a_wrong_cell_is_found_in_its_file(run_here: Run, write: Write, files: list[str]) -> None:
    write("m.toml", "[columns]\na = {cut = [1]}\n")
    write("d/2.csv", "a,b,y\n1,u,0\nmany,v,1\n")
    result = run_here("rank", "d", "--target", "y", "--mapping", "m.toml", "--quiet")
    assert result.returncode == 1
    assert result.stderr.startswith("probfs: error: d/2.csv:3: column 'a': ")


def test_hostile_names_of_files_are_escaped(run_here: Run, tmp_path: Path) -> None:
    for name in ("a\x1b[31m.csv", "b.csv"):
        (tmp_path / name).write_text("u,y\n1,0\n" if name == "b.csv" else "u\x1b,y\n1,0\n")
    result = run_here("rank", "a\x1b[31m.csv", "b.csv", "--target", "y")
    assert result.returncode == 1
    assert "\x1b" not in result.stderr
    assert result.stderr.startswith("probfs: error: b.csv: lacks 1 column of a\\x1b[31m.csv: 'u\\x1b'")
