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
from tests.support.results import as_version_2, ranking_document, write_document
from tests.support.tables import Write

USAGE = {
    "selct t.csv": "No such command 'selct'. Did you mean 'select', 'inspect', 'exact'? See 'probfs --help'",
    "--seed 1": "No such option: --seed, which belongs to rank, select, pairs, generate, reproduce; see",
    "rank t.csv --traget y": "No such option: --traget (Possible options: --cut-target, --target, --trees); see",
    "rank t.csv --step 1_0": "Invalid value for '--step': '1_0' is neither auto nor a whole number from 1 on nor a",
    "rank t.csv --plot r.png --output r.png": "--plot: r.png is where the result goes; name another file",
    "rank t.csv --safe-csv --format json": "--safe-csv: the result is json, not CSV; leave the option out",
    "rank t.csv --output r.xyz": "--output: the ending '.xyz' gives no format; use .txt, .csv, .json, .md",
    "rank t.csv --output none": "--output: a name without an ending gives no format; use .txt, .csv, .json, .md",
    "select t.csv --names --format json": "--names: the result is a list of names; leave out --format and --safe-csv",
    "select t.csv --names --safe-csv": "--names: the result is a list of names; leave out --format and --safe-csv",
    "select t.csv --step 2": "No such option: --step, which belongs to rank; see 'probfs select --help'",
    "select t.csv --reduced m.toml --mapping m.toml": "--reduced: m.toml is an input; name another file",
    "select t.csv --reduced s.csv --output s.csv": "--reduced: s.csv is where the result goes; name another file",
    "select t.csv --reduced s.csv.gz": "--reduced: the ending '.gz' gives no format; use .csv, .tsv, .tab, .arff, ",
    "select t.csv --reduced -": "--reduced: - is standard output, where the result goes; name a file",
    "select t.csv --plot -": "--plot: - is standard output, where the result goes; name a file",
    "select t.csv --reduced s.csv --engine dask": "--reduced needs the table here, and with --engine dask only workers",
    "compare old.json new.json --fail-if spearmen<1": "--fail-if: 'spearmen' is not a measure; choose from spearman, ",
    "compare old.json new.json --delimiter ;": "--delimiter ;: both are JSON of probfs, and there is no table to read",
    "compare old.json new.json --output new.json": "--output: new.json is an input; name another file",
    "compare old.json": "Missing argument 'NEW'; see 'probfs compare --help'",
    "map t.csv": "Missing option '--mapping'; see 'probfs map --help'",
    "sample iris": "Invalid value for '[NAME]': 'iris' is not one of breast_cancer, customers, commute, kiln, shop",
    "generate weston --c 1": "--c goes with xcp only",
    "generate nominal --noise 1": "--noise goes with xcp and weston only",
    "generate xcp --relevant 0 --noise 0": "--relevant and --noise: a table needs a column beside its class",
    "generate xcp --unlabeled-output a.csv": "--unlabeled-output: there is no unlabelled row; ask for some with",
    "generate xcp --unlabeled-rows 1 --unlabeled-output ./a.csv --output a.csv": (
        "--unlabeled-output: a.csv is where the result goes; name another file"
    ),
    "generate xcp --unlabeled-rows 1 --unlabeled-output b.xyz": "--unlabeled-output: the ending '.xyz' gives no",
    "generate moons": "Invalid value for 'xcp|weston|nominal': 'moons' is not one of xcp, weston, nominal",
    "reproduce figur2": "Invalid value for '[NAME]...': 'figur2' is not one of example, bound, figure1, figure2",
    "reproduce example --quick --runs 3": "--quick chooses the number of runs; give it or --runs",
    "reproduce example --output=": "--output: is empty; name a folder, . for this one",
}
DATA = {
    "rank t.csv --output no/r.csv": "no/r.csv: cannot be written: there is no folder",
    f"rank t.csv --output {'a' * 300}.csv": "aaaa",
    "rank t.csv --output .": ".: is a directory; name a file in it",
    "compare old.json other.json": "other.json: is 'probfs.\\x1b[31m/1', which is neither a ranking nor",
    "generate xcp --unlabeled-rows 5 --output no/a.csv --unlabeled-output b.csv": "no/a.csv: cannot be written: there",
    "reproduce example --output t.csv": "t.csv: cannot be a folder to write to: file exists",
}


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [*((words, 2, message) for words, message in USAGE.items()), *((words, 1, says) for words, says in DATA.items())],
)
def test_a_mistake_is_one_line_and_nothing_is_done(
    run_here: Run, write: Write, monkeypatch: pytest.MonkeyPatch, words: str, status: int, message: str
) -> None:
    for call in ("rank", "select"):
        # Found before the work begins.
        monkeypatch.setattr(calls, call, None)
    folder = write("t.csv", "a,class\nx,0\ny,0\nx,1\nx,1\n").parent
    write("m.toml", "")
    write("other.json", '{"schema": "probfs.\\u001b[31m/1"}')
    write_document(folder / "old.json", ranking_document("abcdefgh"))
    write_document(folder / "new.json", as_version_2(ranking_document("bacdefxg")))
    before = {path: path.read_bytes() for path in folder.iterdir()}
    result = run_here(*words.split())
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (status, "", 1)
    assert result.stderr.startswith(f"probfs: error: {message}")
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


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
