"""Mistakes on the command line: one line, the right status, and the caller's own words."""

from __future__ import annotations

import re
from typing import Any

import pytest

import probfs
from probfs.classifiers.options import Choice
from probfs.cli import COMMANDS, load_command
from tests.support.commands import Run
from tests.support.table_content import Write


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["rank", "missing.csv"], 1, "missing.csv: cannot be read: no such file"),
        (["rank", "folder"], 1, "folder: is a directory without tables"),
        (["selct", "t.csv"], 2, "? See 'probfs --help'"),
        (["rank", "t.csv", "--traget", "y"], 2, "No such option: --traget (Possible options: "),
        (["--seed", "1"], 2, "No such option: --seed, which belongs to rank, select, "),
        (["rank", "t.csv", "--step", "1_0"], 2, "'1_0' is neither auto nor a whole number"),
        (["rank", "t.csv", "--mapping", "none.toml"], 2, "none.toml: cannot be read"),
        (["rank", "t.csv", "--output", "/dev/full"], 1, "/dev/full: cannot be written: no space left"),
        (["rank", "broken.csv"], 1, "broken.csv:3: 3 fields, but the header has 2"),
        (["map", "t.csv"], 2, "--mapping"),
        (["rank", "t.csv", "--count", "a", "--include", "a"], 2, "is named by --count and named by --include"),
    ],
)
def test_a_mistake_is_one_line_and_the_right_status(
    run: Run, write: Write, arguments: list[str], status: int, message: str
) -> None:
    write("t.csv", "a,class\nx,0\ny,0\nx,1\nx,1\n")
    write("broken.csv", "a,class\nx,0\ny,0,1\n")
    (write("m.toml", "").parent / "folder").mkdir()
    result = run(*arguments)
    lines = [line for line in result.stderr.splitlines() if not line.startswith("probfs: target")]
    assert (result.returncode, result.stdout, len(lines)) == (status, "", 1), result.stderr
    assert lines[0].startswith("probfs: error: ")
    assert message in lines[0]


@pytest.mark.parametrize(
    ("parameters", "python", "shell"),
    [
        ({"target": "clas"}, "target=: no column 'clas'", "--target: no column 'clas'"),
        ({"exclude": "class", "target": "class"}, "named by exclude=;", "named by --exclude;"),
        ({"kernel": "rbf"}, 'kernel= goes with classifier="svm" only', "--kernel goes with --classifier svm only"),
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
            (spelling, *_) = declared.spellings(name)
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
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_what_a_command_raises_becomes_a_line_and_a_status(
    run_here: Run, write: Write, monkeypatch: pytest.MonkeyPatch, error: BaseException, status: int, line: str
) -> None:
    def fail(*arguments: object, **parameters: object) -> None:
        raise error

    monkeypatch.setattr("probfs.api.calls.rank", fail)
    result = run_here("rank", write("t.csv", "a,y\nx,p\n"))
    assert (result.returncode, result.stdout) == (status, "")
    assert result.stderr.startswith(line)
    assert result.stderr.count("\n") == 1


def test_an_error_of_ours_keeps_its_traceback(run_here: Run, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **parameters: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("probfs.api.calls.rank", fail)
    with pytest.raises(ZeroDivisionError):
        run_here("rank", write("t.csv", "a,y\nx,p\n"))
