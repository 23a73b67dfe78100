"""The new classifiers on the command line: options, summary, and estimates that they do not have."""

from __future__ import annotations

import json

import pytest

from tests.support.commands import Run
from tests.support.schemas import validate
from tests.support.table_content import Write

TABLE = "a,b,y\n" + "".join(f"{(row * 7) % 11},{'uv'[row % 2]},{'pq'[row % 2]}\n" for row in range(60))


@pytest.mark.parametrize(
    ("name", "words", "summary"),
    [
        ("logistic", ["--C", "0.5", "--folds", "2"], "Logistic regression, 20 shuffles a column, 2-fold"),
        ("forest", ["--trees", "4", "--estimate", "oob"], "Forest of 4 trees, 20 shuffles a column, out-of-bag"),
        (
            "boosting",
            ["--iterations", "3", "--learning-rate", "0.3", "--removal", "retrain", "--folds", "2"],
            "Gradient boosting, retrained, 2-fold cross-validation",
        ),
    ],
)
def test_a_table_is_ranked(run_here: Run, write: Write, name: str, words: list[str], summary: str) -> None:
    path = write("t.csv", TABLE)
    result = run_here("rank", path, "--classifier", name, *words, "--format", "table", "--jobs", "1")
    assert result.returncode == 0
    assert summary in " ".join(result.stdout.split())
    again = run_here("rank", path, "--classifier", name, *words, "--format", "json", "--jobs", "1", "--quiet")
    ranking = json.loads(again.stdout)
    assert ranking["settings"]["classifier"] == name
    assert "estimator" not in ranking["settings"]
    assert ranking["features"][0]["feature"] == "b"


@pytest.mark.parametrize(
    ("words", "step", "rounds"),
    [
        (["--classifier", "logistic"], "auto", [34, 31, 28]),
        (["--classifier", "logistic", "--step", "20"], 20, [34, 14]),
        (["--step", "auto"], "auto", [34, 31, 28]),
        ([], 1, [34, 33, 32]),
    ],
)
def test_many_columns_leave_a_tenth_at_a_time(
    run_here: Run, write: Write, words: list[str], step: object, rounds: list[int]
) -> None:
    names = ",".join(f"c{column}" for column in range(34))
    rows = "".join(
        f"{','.join(str((row * column) % 7) for column in range(1, 35))},{'pq'[row % 2]}\n" for row in range(30)
    )
    path = write("t.csv", f"{names},y\n{rows}")
    few = ["--estimate", "cv", "--folds", "2", *(["--permutations", "1", "--jobs", "1"] if "logistic" in words else [])]
    document = json.loads(run_here("rank", path, *words, *few, "--format", "json", "--quiet").stdout)
    validate(document)
    assert document["settings"]["step"] == step
    assert [found["features"] for found in document["rounds"]][: len(rounds)] == rounds


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--classifier", "boosting", "--estimate", "oob"],
            "--estimate oob: --classifier boosting has no such estimate; choose from loo, resubstitution, cv",
        ),
        (["--trees", "4"], "--trees goes with --classifier forest only"),
        (["--learning-rate", "0.5"], "--learning-rate goes with --classifier boosting only"),
    ],
)
def test_what_a_classifier_does_not_have_is_refused(
    run_here: Run, write: Write, words: list[str], message: str
) -> None:
    result = run_here("rank", write("t.csv", TABLE), *words)
    assert (result.returncode, result.stdout, result.stderr) == (2, "", f"probfs: error: {message}\n")
