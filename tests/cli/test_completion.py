"""What is offered for a word: commands, options, choices, files, and columns of the table on the line."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys

import pytest

from probfs.cli import COMMANDS, build_app
from probfs.cli.completion import Kind, Suggestions, suggest_words
from tests.support.paths import SAMPLES
from tests.support.table_content import Write


def suggest(typed: str, after: str = "") -> Suggestions:
    *before, current = typed.split(" ")
    return suggest_words(before, current, after.split(), COMMANDS, build_app)


def offered(typed: str, after: str = "") -> list[str]:
    """The words that begin as the one at the cursor does."""
    found = suggest(typed, after)
    words = [found.prefix + word for word, _ in found.words]
    return [word for word in words if word.startswith(typed.split(" ")[-1])]


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("in", ["inspect"]),
        ("", list(COMMANDS)),
        ("--v", ["--version"]),
        ("rank --score ", ["absolute", "signed", "unlabeled"]),
        ("rank --score=s", ["--score=signed"]),
        ("rank --classifier s", ["svm"]),
        ("rank --ker", ["--kernel"]),
        ("rank --help", ["--help"]),
        ("rank t.csv --input-format p", ["parquet"]),
        ("rank --score signed --score", []),
        ("rank --exclude a --excl", ["--exclude"]),
        ("rank --no-pro", ["--no-progress"]),
        ("rank --quiet --no-pro", ["--no-progress"]),
        ("rank -q --score si", ["signed"]),
        ("rank --na ", []),
        ("rank t.csv --top", ["--top"]),
        ("select --keep ", ["best", "fewest", "most"]),
        ("select --gamma ", ["scale", "auto"]),
        ("select --score ", ["absolute", "signed"]),
        ("generate ", ["xcp", "weston", "nominal"]),
        ("reproduce figure1 fig", ["figure1", "figure2", "figure3", "figure4"]),
        ("nonsense ", []),
        ("rank --nonsense=", []),
    ],
)
def test_words_and_options_are_offered(typed: str, words: list[str]) -> None:
    assert offered(typed) == words


@pytest.mark.parametrize(
    ("typed", "kind", "prefix"),
    [
        ("rank ", Kind.FILES, ""),
        ("rank -- -", Kind.FILES, ""),
        ("rank a.csv ", Kind.FILES, ""),
        ("rank a.csv b.csv ", Kind.FILES, ""),
        ("exact ", Kind.FILES, ""),
        ("rank t.csv --mapping ", Kind.FILES, ""),
        ("rank t.csv --output=", Kind.FILES, "--output="),
        ("rank t.csv -qo ", Kind.FILES, ""),
        ("rank -q ", Kind.FILES, ""),
        ("rank -tclass ", Kind.FILES, ""),
        ("rank --unlabeled ", Kind.FILES, ""),
        ("select t.csv --reduced ", Kind.FILES, ""),
        ("reproduce --output ", Kind.FOLDERS, ""),
    ],
)
def test_files_are_left_to_the_shell(typed: str, kind: Kind, prefix: str) -> None:
    assert suggest(typed) == Suggestions(kind, (), prefix)


def test_columns_are_those_of_the_table_wherever_it_stands(write: Write) -> None:
    path = write("t.csv", "age,sex,class\n1,m,x\n")
    for option in ("--target", "-t", "--exclude", "--include", "--count", "-qt"):
        assert offered(f"rank {path} {option} ") == ["age", "sex", "class"]
    assert offered(f"select {path} --always sex,") == ["sex,age", "sex,class"]
    assert offered(f"rank {path} --target=a") == ["--target=age"]
    assert offered("rank --target a", f"-q {path} --score signed") == ["age"]
    assert offered(f"rank {path} --exclude sex --exclude ") == ["age", "class"]
    assert offered(f"rank {path} --exclude sex,") == ["sex,age", "sex,class"]
    assert offered(f"rank --target -q {path} --count a") == ["age"]
    assert offered("rank --target ") == offered("rank - --target ") == offered("rank no.csv --target ") == []
    assert offered(f"rank {path} other.csv --target a") == offered(f"rank {path.parent} --target a") == ["age"]
    odd = write("odd.txt", "age|sex\n")
    assert offered(f"rank --delimiter | --input-format csv {odd} --target ") == ["age", "sex"]


def test_a_path_may_hold_the_home_and_variables(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("t.csv", "age,class\n")
    monkeypatch.setenv("HOME", str(path.parent))
    assert offered("rank ~/t.csv -t ") == offered("rank $HOME/t.csv -t ") == ["age", "class"]


def test_names_that_act_on_a_terminal_are_not_offered(write: Write) -> None:
    path = write("t.csv", '"a\nb","a\tb",\x1b[31m,a b\n1,2,3,4\n')
    assert offered(f"rank {path} -t ") == ["a b"]


def test_options_come_with_the_first_sentence_of_their_help() -> None:
    meanings = dict(suggest("rank -").words)
    assert meanings["--target"] == meanings["-t"] == "The column to predict"
    assert meanings["--help"] == "Show this message and exit"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "nonsense", ""])
@pytest.mark.parametrize("arguments", [[], ["x"], ["1", "2"], ["9", "rank", ""]])
def test_a_question_that_is_not_understood_has_no_answer_and_no_error(shell: str, arguments: list[str]) -> None:
    assert ask(shell, *arguments).stderr == ""


def ask(shell: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = "import sys\nfrom probfs.cli import run\nstatus = run()\nsys.stdout.flush()\n"
    shown = "print(*{'numpy', 'pandas', 'pyarrow'} & set(sys.modules), file=sys.stderr, end='')\nsys.exit(status)"
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", program + shown, *arguments],
        env={**os.environ, "_PROBFS_COMPLETE": shell},
        capture_output=True,
        text=True,
        check=True,
    )


def test_columns_are_read_without_numpy_pandas_or_pyarrow(write: Write) -> None:
    packed = write("t.csv.gz", gzip.compress(b"age,class\n1,2\n"))
    for path, first in ((packed, "age"), (SAMPLES / "breast_cancer.arff", None), (SAMPLES / "commute.csv", "person")):
        result = ask("zsh", "3", "rank", str(path), "--target", "")
        assert result.stderr == ""
        kind, *names = result.stdout.split("\n")
        assert kind == "words"
        assert first in (None, names[0])
        assert len(names) > 2
