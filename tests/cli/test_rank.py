"""probfs rank."""

from __future__ import annotations

import html
import json
import re
import shlex
from pathlib import Path

import pytest

import probfs
from tests.support.commands import COMMUTE, Run
from tests.support.paths import SAMPLES
from tests.support.table_content import Write

TABLE = "a,b,y\n" + "".join(f"{(row * 7) % 11},{'uv'[row % 2]},{'pq'[row % 2]}\n" for row in range(60))


def test_results_go_to_standard_output_and_all_else_to_standard_error(run: Run) -> None:
    result = run("rank", *COMMUTE)
    assert result.returncode == 0
    assert result.stdout == probfs.rank(SAMPLES / "commute.csv", target="mode", exclude=["person"]).to_csv()
    assert result.stderr == "probfs: target: mode (the last column)\n"


def test_a_report_names_the_command_that_makes_it_again(run_here: Run, run: Run, tmp_path: Path) -> None:
    (tmp_path / "my kiln.csv").write_bytes((SAMPLES / "kiln.csv").read_bytes())
    words = ["rank", "my kiln.csv", "--exclude", "load", "--output", "it's.html", "--quiet"]
    assert run_here(*words).returncode == 0
    page = (tmp_path / "it's.html").read_text()
    (command,) = re.findall("<code>(.*?)</code>", page)
    assert shlex.split(html.unescape(command)) == ["probfs", *words]
    table = (SAMPLES / "kiln.csv").read_bytes()
    redirected = run("rank", "--target", "cracked", "--format", "html", "--quiet", stdin=table).stdout
    assert "<code>probfs rank --target cracked --format html --quiet &lt; TABLE &gt; REPORT</code>" in redirected


def test_identifiers_are_left_out_unless_they_are_wanted(run_here: Run) -> None:
    cancer = SAMPLES / "breast_cancer.csv"
    result = run_here("rank", cancer)
    assert "sample_id" not in result.stdout
    assert "left out, as identifiers tell rows apart, not classes: 'sample_id' (" in result.stderr
    kept = run_here("rank", cancer, "--keep-identifiers")
    assert "sample_id" in kept.stdout
    assert "ranked, but they look like identifiers: 'sample_id'" in kept.stderr


def test_a_european_table_ranks_with_an_option_and_without(run: Run, write: Write) -> None:
    cells = [(f"{n // 8 + n % 8 / 8:.3f}", "NA" if n % 9 else str(n), str(n // 40)) for n in range(80)]
    plain = write("plain.csv", "x,z,y\n" + "".join(",".join(row) + "\n" for row in cells))
    rows = "".join(f'"{n}";' + ";".join(row) + "\n" for n, row in enumerate(cells))
    european = '"";"x";"z";"y"\n' + rows.replace(".", ",")
    result = run("rank", "-", "--decimal", ",", stdin=european.encode())
    assert result.stdout == run("rank", plain).stdout == run("rank", "-", stdin=european.encode()).stdout
    for note in (
        "probfs: <stdin>: cells are separated by ';'",
        "probfs: <stdin>: the unnamed first column was left out as a row index",
        "probfs: read as numbers: 'x' (80 cells like '0,000', which is 0",
        "probfs: taken as missing among numbers: 'NA' in 'z'; --na none keeps",
    ):
        assert note in result.stderr


def test_uncertainty_is_an_option_and_too_few_rows_are_one_line(run_here: Run, write: Write) -> None:
    result = run_here("rank", *COMMUTE, "--uncertainty", "--format", "json", "--quiet")
    document = json.loads(result.stdout)
    assert document["settings"]["uncertainty"] is True
    assert all(1 <= each["rank_low"] <= each["rank"] <= each["rank_high"] <= 6 for each in document["features"])
    small = run_here("rank", write("t.csv", "a,y\n1,p\n2,q\n1,p\n3,q\n"), "--uncertainty", "--quiet")
    assert small.returncode == 1
    assert small.stderr.endswith("t.csv: --uncertainty needs 20 labelled rows, and there are 4\n")


@pytest.mark.parametrize(
    ("words", "summary"),
    [
        ("forest --trees 4 --estimate oob", "Forest of 4 trees, 20 shuffles a column, out-of-bag"),
        (
            "boosting --iterations 3 --learning-rate 0.3 --removal retrain --folds 2",
            "Gradient boosting, retrained, 2-fold",
        ),
    ],
)
def test_classifiers_take_their_options(run_here: Run, write: Write, words: str, summary: str) -> None:
    command = ("rank", write("t.csv", TABLE), "--jobs", "1", "--classifier", *words.split())
    assert summary in " ".join(run_here(*command, "--format", "table").stdout.split())


@pytest.mark.parametrize(
    ("words", "step", "rounds"),
    [
        ("--classifier logistic --permutations 1 --jobs 1", "auto", [34, 31, 28]),
        ("--step 20", 20, [34, 14]),
        ("", 1, [34, 33, 32]),
    ],
)
def test_many_columns_leave_a_tenth_at_a_time(
    run_here: Run, write: Write, words: str, step: object, rounds: list[int]
) -> None:
    lines = [",".join([*(str((row * column) % 7) for column in range(1, 35)), "pq"[row % 2]]) for row in range(30)]
    path = write("t.csv", "\n".join([",".join([*(f"c{column}" for column in range(34)), "y"]), *lines, ""]))
    few = ("--no-screen", "--estimate", "cv", "--folds", "2", "--format", "json", "--quiet")
    document = json.loads(run_here("rank", path, *words.split(), *few).stdout)
    assert document["settings"]["step"] == step
    assert [found["features"] for found in document["rounds"]][: len(rounds)] == rounds
