"""probfs generate."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import probfs
from probfs.paper import synthetic
from tests.support.commands import Run

OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "xcp": {"c": 1.5, "p": 0.6, "relevant": 2, "noise": 3, "balance": 0.3},
    "weston": {"noise": 4},
    "nominal": {"sampling": "undersampling"},
}


def frame(result: str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(result))


@pytest.mark.parametrize("problem", list(OPTIONS))
def test_a_sample_ranks_as_its_file_does(problem: str, tmp_path: Path, run: Run) -> None:
    """What experiments rank in memory is what anybody ranks who writes and reads the table."""
    own = [word for name, value in OPTIONS[problem].items() for word in (f"--{name}", value)]
    labelled, unlabelled = synthetic.draw_sample(problem, 60, 40, 7, OPTIONS[problem])
    expected = probfs.rank(labelled.labelled(), target="class", unlabeled=unlabelled.unlabelled()).features
    for name in ("table.csv", "table.arff", "table.parquet"):
        result = run("generate", problem, "--rows", 60, "--unlabeled-rows", 40, "--seed", 7, *own, "--output", name)
        assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
        assert probfs.rank(str(tmp_path / name), target="class").features == expected


def test_two_names_of_one_file_are_noticed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    result = run(
        *("generate", "xcp", "--unlabeled-rows", 5, "--output", "a.csv", "--unlabeled-output", "there/../a.csv")
    )
    assert result.returncode == 2
    assert not (tmp_path / "a.csv").exists()


def test_nothing_is_written_unless_both_files_can_be(run: Run, tmp_path: Path) -> None:
    result = run("generate", "xcp", "--unlabeled-rows", 5, "--output", "no/a.csv", "--unlabeled-output", "b.csv")
    assert result.returncode == 1
    assert result.stderr.startswith("probfs: error: no/a.csv: cannot be written: there is no folder ")
    assert not list(tmp_path.iterdir())


def test_the_same_seed_draws_the_same_table(run: Run) -> None:
    first, second, other = (run("generate", "weston", "--noise", 2, "--seed", seed).stdout for seed in (1, 1, 2))
    assert first == second
    assert first != other


def test_unlabelled_rows_can_go_to_a_file_of_their_own(run: Run, tmp_path: Path) -> None:
    options = ("generate", "nominal", "--rows", 30, "--unlabeled-rows", 50, "--seed", 3)
    together = frame(run(*options).stdout)
    apart = frame(run(*options, "--unlabeled-output", "more.csv").stdout)
    more = pd.read_csv(tmp_path / "more.csv")
    assert list(more.columns) == ["x1", "x2", "x3", "x4", "x5"]
    assert apart.equals(together[:30])
    assert more.equals(together[30:].drop(columns="class").reset_index(drop=True))
    assert together["class"][30:].isna().all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("weston", "--c", 1), "--c goes with xcp only"),
        (("nominal", "--noise", 1), "--noise goes with xcp and weston only"),
        (("xcp", "--sampling", "oversampling"), "--sampling goes with nominal only"),
        (("xcp", "--relevant", 0, "--noise", 0), "--relevant and --noise: a table needs a column beside its class"),
        (("xcp", "--unlabeled-output", "a.csv"), "--unlabeled-output: there is no unlabelled row; ask for some with"),
        (
            ("xcp", "--unlabeled-rows", 1, "--unlabeled-output", "a.csv", "--output", "a.csv"),
            "--unlabeled-output: is --output too; name another file",
        ),
        (
            ("xcp", "--unlabeled-rows", 1, "--unlabeled-output", "b.xyz"),
            "--unlabeled-output: the ending '.xyz' tells no",
        ),
        (("xcp", "--p", 1.5), "Invalid value for '--p': '1.5' is not a number from 0 to 1"),
        (("xcp", "--rows", 0), "Invalid value for '--rows': '0' is not a whole number from 1 to 10000000"),
        (("moons",), "Invalid value for 'xcp|weston|nominal'"),
    ],
)
def test_what_makes_no_sense_is_refused(run: Run, tmp_path: Path, arguments: tuple[object, ...], message: str) -> None:
    result = run("generate", *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith(f"probfs: error: {message}")
    assert result.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())
