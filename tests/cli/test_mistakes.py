"""Mistakes on the command line: one line, the right status, and the caller's own words."""

from __future__ import annotations

import pytest

from tests.support.commands import Run
from tests.support.table_content import Write


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["rank", "missing.csv"], 1, "missing.csv: cannot be read: no such file"),
        (["rank", "."], 1, ".: is a directory"),
        (["rank", "t.csv", "--target", "clas"], 2, "did you mean 'class'?"),
        (["rank", "t.csv", "--score", "loud"], 2, "--score"),
        (["rank", "t.csv", "--step", "1_0"], 2, "'1_0' is neither a whole number"),
        (["rank", "t.csv", "--folds", "3.0", "--estimate", "cv"], 2, "'3.0' is not a whole number"),
        (
            ["rank", "t.csv", "--smoothing", "nan"],
            2,
            "'nan' is neither 0 (the exact limit) nor a number from 1e-100 to 1e+100",
        ),
        (["rank", "t.csv", "--delimiter", "ab"], 2, "--delimiter"),
        (["rank", "t.csv", "--mapping", "none.toml"], 2, "none.toml: cannot be read"),
        (["rank", "t.csv", "--no-such-option"], 2, "--no-such-option"),
        (["rank", "t.csv", "--output", "t.csv"], 2, "is an input"),
        (["rank", "t.csv", "--output", "no/such/folder.csv"], 1, "no/such/folder.csv: cannot be written"),
        (["rank", "t.csv", "--output", "/dev/full"], 1, "/dev/full: cannot be written: no space left"),
        (["rank", "broken.csv"], 1, "broken.csv:3: 3 fields, but the header has 2"),
        (["inspect", "broken.csv"], 1, "broken.csv:3: 3 fields"),
        (["suggest", "broken.csv"], 1, "broken.csv:3: 3 fields"),
        (["map", "broken.csv", "--mapping", "m.toml"], 1, "broken.csv:3: 3 fields"),
        (["map", "t.csv"], 2, "--mapping"),
        (["explode"], 2, "explode"),
    ],
)
def test_a_mistake_is_one_line_and_the_right_status(
    run: Run, write: Write, arguments: list[str], status: int, message: str
) -> None:
    write("t.csv", "a,class\nx,0\ny,0\nx,1\nx,1\n")
    write("broken.csv", "a,class\nx,0\ny,0,1\n")
    write("m.toml", "")
    result = run(*arguments)
    lines = [line for line in result.stderr.splitlines() if not line.startswith("probfs: target")]
    assert result.returncode == status
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("probfs: error: ")
    assert message in lines[0]
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--encoding", "undefined"], "no encoding 'undefined'"),
        (["--count", "b", "--include", "b"], "both --include and --count"),
    ],
)
def test_more_mistakes_on_the_command_line(run: Run, write: Write, arguments: list[str], message: str) -> None:
    write("t.csv", "a,b,y\nx,1,0\ny,1,0\nx,1,1\nx,1,1\n")
    result = run("rank", "t.csv", *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
