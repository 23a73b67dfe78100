"""Which columns the SVM takes as numbers and which as categories, and what it refuses in them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import probfs
from tests.conftest import Run


def test_numbers_are_measured_and_texts_are_not(mixed: pd.DataFrame, run: Run, tmp_path: Path) -> None:
    mixed.to_csv(tmp_path / "mixed.csv", index=False)
    uses = {
        column["column"]: column["use"]
        for column in json.loads(
            run("inspect", "mixed.csv", "--classifier", "svm", "--format", "json", "--quiet").stdout
        )["columns"]
    }
    assert uses == {
        "dose": "numeric (60 numbers)",
        "site": "category",
        "visits": "numeric (4 numbers)",
        "noise": "numeric (60 numbers)",
        "sick": "target (the last column)",
    }


def test_rules_of_a_mapping_make_categories_of_numbers(mixed: pd.DataFrame, write: Callable[..., Path]) -> None:
    mapping = write("m.toml", '[columns]\ndose = { quantiles = 3 }\nvisits = "category"\nnoise = "numeric"\n')
    by_rule = probfs.rank(mixed, target="sick", classifier="svm", mapping=mapping, eliminate=False)
    by_hand = mixed.assign(
        dose=pd.qcut(mixed["dose"], 3, labels=["low", "mid", "top"]).astype(str),
        visits="v" + mixed["visits"].astype(str),
    )
    expected = probfs.rank(by_hand, target="sick", classifier="svm", eliminate=False)
    # What cells hold decides the order of the rows, so that the folds of the sigmoid and the shuffles differ a little.
    assert {f.feature: f.s_s for f in by_rule.features} == pytest.approx(
        {f.feature: f.s_s for f in expected.features}, abs=0.02
    )
    plain = probfs.rank(mixed, target="sick", classifier="svm", eliminate=False)
    dose = [next(f.s_s for f in each.features if f.feature == "dose") for each in (by_rule, plain)]
    assert abs(dose[0] - dose[1]) > 0.02


def test_a_text_in_a_numeric_column_is_an_error_with_its_line(write: Callable[..., Path], run: Run) -> None:
    write("d.csv", "a,y\n1,n\n2,n\nx,p\n4,p\n")
    write("m.toml", '[columns]\na = "numeric"\n')
    result = run("rank", "d.csv", "--mapping", "m.toml", "--classifier", "svm")
    assert result.returncode == 1
    assert "probfs: error: d.csv:4: column 'a': 'x' is not a number" in result.stderr
    assert result.stdout == ""


def test_an_infinite_number_is_an_error(write: Callable[..., Path], run: Run) -> None:
    write("d.csv", "a,y\n1,n\n2,n\ninf,p\n4,p\n")
    result = run("rank", "d.csv", "--classifier", "svm")
    assert (result.returncode, result.stdout) == (1, "")
    assert "d.csv:4: column 'a': 'inf' is infinite; name it with --na" in result.stderr


def test_unlabelled_texts_among_numbers_are_noted(mixed: pd.DataFrame) -> None:
    more = mixed.drop(columns="sick").assign(dose="1,5")
    ranking = probfs.rank(mixed, target="sick", classifier="svm", unlabeled=more, step=4)
    assert any("most unlabelled cells" in warning and "'dose'" in warning for warning in ranking.warnings)


def test_a_category_that_may_be_missing_is_not_called_constant() -> None:
    frame = pd.DataFrame({"m": ["x", "x", None, "x"] * 3, "k": ["x"] * 12, "y": list("nnpp") * 3})
    notes = " ".join(probfs.rank(frame, target="y", classifier="svm").warnings)
    assert "the same value in every labelled row: 'k'" in notes
    assert "'m'" not in notes


def test_what_suggest_writes_for_the_svm_is_accepted(run: Run, write: Callable[..., Path]) -> None:
    write("d.csv", "a,b,y\n1,inf,p\n2,1,p\n3,2,q\n4,3,q\n9,4,q\n")
    write("m.toml", run("suggest", "d.csv", "--classifier", "svm").stdout)
    assert "quantiles" not in (write("m2.toml", run("suggest", "d.csv", "--classifier", "svm").stdout)).read_text()
    assert run("rank", "d.csv", "--classifier", "svm", "--mapping", "m.toml").returncode == 0
