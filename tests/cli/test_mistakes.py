"""Mistakes on the command line: one line, the right status, the caller's own words, and nothing written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import probfs
from probfs.api import calls
from probfs.classifiers.options import Choice
from probfs.cli import COMMANDS, load_command
from tests.support.commands import Run
from tests.support.tables import Write


@pytest.mark.parametrize(
    ("parameters", "python", "shell"),
    [
        ({"target": "clas"}, "target=: no column 'clas'", "--target: no column 'clas'"),
        ({"exclude": "class", "target": "class"}, "named by exclude=;", "named by --exclude;"),
        ({"count": "a", "include": "a"}, "is named by count= and named by", "is named by --count and named by --inclu"),
        ({"kernel": "rbf"}, 'kernel= goes with classifier="svm" only', "--kernel goes with --classifier svm only"),
        ({"gamma": "2", "classifier": "svm"}, "gamma=: '2' is neither", "--gamma goes with --kernel rbf only"),
        ({"score": "unlabeled"}, "add some with unlabeled=,", "add some with --unlabeled FILE,"),
        ({"encoding": "klingon"}, "encoding=: no encoding 'klingon'", "--encoding: no encoding 'klingon'"),
    ],
)
def test_the_same_mistake_names_parameters_in_python_and_options_in_a_shell(
    run_here: Run, write: Write, parameters: dict[str, Any], python: str, shell: str
) -> None:
    source = write("t.csv", "a,class\nx,0\ny,0\nx,1\nx,1\n")
    with pytest.raises(probfs.UsageError, match=re.escape(python)):
        probfs.rank(source, on_note=lambda note: None, **parameters)
    words = [word for name, value in parameters.items() for word in (f"--{name}", value)]
    result = run_here("rank", source, *words, "--quiet")
    assert shell in result.stderr
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)


@pytest.mark.parametrize("command", COMMANDS)
def test_an_unknown_word_is_an_error_that_lists_the_choices(run_here: Run, command: str) -> None:
    for name, declared in load_command(command).options.items():
        if isinstance(declared.takes, Choice) and not declared.is_argument:
            given = {"generate": "xcp", "reproduce": "example", "compare": "a.json b.json"}.get(command, "t.csv")
            (spelling, *_) = declared.names
            result = run_here(command, *given.split(), spelling, "bogus")
            assert (result.returncode, result.stdout) == (2, "")
            # Marks are quoted: a comma among commas would not be seen.
            choices = "'.', ','" if name == "decimal" else ", ".join(declared.takes.words)
            expected = f"Invalid value for '{spelling}': 'bogus' is not one of {choices}; see"
            assert result.stderr.startswith(f"probfs: error: {expected}")


@pytest.mark.parametrize(
    ("error", "status", "line"),
    [
        (probfs.DataError("is wrong", source="t.csv", line=3), 1, "probfs: error: t.csv:3: is wrong"),
        (probfs.UsageError("is wrong"), 2, "probfs: error: is wrong"),
        (KeyboardInterrupt(), 130, "probfs: interrupted"),
        (MemoryError(), 1, "probfs: error: out of memory; fewer columns (rank --include) or merged rows"),
        (ZeroDivisionError(), None, "a fault of ours keeps its traceback"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_what_a_command_raises_becomes_a_line_and_a_status(
    run_here: Run, monkeypatch: pytest.MonkeyPatch, error: BaseException, status: int | None, line: str
) -> None:
    def fail(*arguments: object, **parameters: object) -> None:
        raise error

    monkeypatch.setattr(calls, "rank", fail)
    if status is None:
        with pytest.raises(type(error)):
            run_here("rank", "t.csv")
        return
    result = run_here("rank", "t.csv")
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (status, "", 1)
    assert result.stderr.startswith(line)


def test_an_output_is_no_input_by_any_of_its_names(run_here: Run, write: Write, tmp_path: Path) -> None:
    data = write("t.csv", "a,y\nx,p\nz,q\nx,p\nz,q\n")
    (tmp_path / "link.csv").symlink_to(data)
    (tmp_path / "hard.csv").hardlink_to(data)
    for output, option in (("t.csv", "--output"), ("link.csv", "--reduced"), ("hard.csv", "--plot")):
        result = run_here("select", data, option, output)
        assert (result.returncode, result.stdout) == (2, "")
        assert result.stderr == f"probfs: error: {option}: {output} is an input; name another file\n"
    assert data.read_text().startswith("a,y\n")
