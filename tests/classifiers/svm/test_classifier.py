"""What a user relies on when ranking with the SVM: how columns are taken, what is refused, and what is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import probfs
from tests.conftest import SAMPLES, Run
from tests.support.svm_tables import weston
from tests.support.table_content import Write


def test_another_seed_permutes_differently(mixed: pd.DataFrame) -> None:
    first, second = (probfs.rank(mixed, target="sick", classifier="svm", seed=seed) for seed in (0, 1))
    assert first.to_csv() != second.to_csv()


def test_equal_columns_tie_and_the_name_decides(mixed: pd.DataFrame) -> None:
    frame = mixed.assign(same=mixed["dose"], mirrored=-mixed["dose"])
    for kernel in ("linear", "rbf"):
        ranking = probfs.rank(frame, target="sick", classifier="svm", kernel=kernel, eliminate=False)
        equal = [feature for feature in ranking.features if feature.feature in ("dose", "mirrored", "same")]
        assert [feature.feature for feature in equal] == ["dose", "mirrored", "same"]
        assert [feature.s_s for feature in equal] == pytest.approx([equal[0].s_s] * 3, rel=1e-12)


def test_unlabelled_rows_count_for_their_own_score_only(mixed: pd.DataFrame) -> None:
    more = mixed.drop(columns="sick").sample(30, random_state=3)
    with_more = probfs.rank(mixed, target="sick", classifier="svm", unlabeled=more, eliminate=False)
    alone = probfs.rank(mixed, target="sick", classifier="svm", eliminate=False)
    assert {f.feature: f.s_s for f in with_more.features} == pytest.approx({f.feature: f.s_s for f in alone.features})
    assert all(f.s_su is not None and 0 < f.s_su < 1 for f in with_more.features)
    assert all(f.s_su is None for f in alone.features)


def test_a_leave_one_out_ranking_of_hours_is_refused(run: Run, tmp_path: Path) -> None:
    weston(2000, 30).to_csv(tmp_path / "large.csv", index=False)
    large = run("rank", "large.csv", "--classifier", "svm", "--estimate", "loo", "--jobs", "1", "--quiet")
    assert (large.returncode, large.stdout) == (2, "")
    assert large.stderr == (
        "probfs: error: --estimate loo with the SVM would fit 60,030 models on 2,000 rows each, which takes hours; use "
        "--estimate cv, or a larger --step\n"
    )


def test_numbers_are_measured_and_texts_are_not(mixed: pd.DataFrame, run_here: Run, tmp_path: Path) -> None:
    mixed.to_csv(tmp_path / "mixed.csv", index=False)
    found = json.loads(run_here("inspect", "mixed.csv", "--classifier", "svm", "--format", "json", "--quiet").stdout)
    uses = [column["use"] for column in found["columns"]]
    assert uses[:3] == ["numeric (60 numbers)", "category", "numeric (4 numbers)"]


def test_rules_of_a_mapping_make_categories_of_numbers(mixed: pd.DataFrame, write: Write) -> None:
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


@pytest.mark.parametrize(
    ("cell", "message"), [("x", "'x' is not a number"), ("inf", "'inf' is infinite; name it with --na")]
)
def test_what_is_no_number_in_a_numeric_column_is_an_error_with_its_line(
    cell: str, message: str, write: Write, run_here: Run
) -> None:
    write("d.csv", f"a,y\n1,n\n2,n\n{cell},p\n4,p\n")
    write("m.toml", '[columns]\na = "numeric"\n')
    result = run_here("rank", "d.csv", "--mapping", "m.toml", "--classifier", "svm")
    assert (result.returncode, result.stdout) == (1, "")
    assert f"probfs: error: d.csv:4: column 'a': {message}" in result.stderr


def test_what_suggest_writes_for_the_svm_is_accepted(run_here: Run, write: Write) -> None:
    write("d.csv", "a,b,y\n1,inf,p\n2,1,p\n3,2,q\n4,3,q\n9,4,q\n")
    suggested = run_here("suggest", "d.csv", "--classifier", "svm").stdout
    assert "quantiles" not in suggested
    write("m.toml", suggested)
    assert run_here("rank", "d.csv", "--classifier", "svm", "--mapping", "m.toml").returncode == 0


def test_the_table_says_how_it_was_ranked(run_here: Run) -> None:
    rank = ("rank", SAMPLES / "breast_cancer.csv", "--exclude", "sample_id", "--classifier", "svm", "--step", "0.9")
    retrained = run_here(*rank, "--kernel", "rbf", "--removal", "retrain", "--format", "table").stdout
    assert "RBF SVM, Platt-scaled, retrained, resubstitution, ranked by Ŝ_S (absolute)" in retrained
    settings = json.loads(run_here(*rank, "--C", "0.5", "--format", "json").stdout)["settings"]
    assert settings["C"] == 0.5
    assert {settings[name] for name in ("smoothing", "bins", "gamma", "folds")} == {None}


def test_progress_counts_models() -> None:
    heard: list[probfs.Progress] = []
    chosen: dict[str, Any] = {"target": "y", "classifier": "svm", "removal": "retrain"}
    probfs.rank(weston(40, 3), on_progress=heard.append, **chosen)
    seen = [(progress.done, progress.total) for progress in heard if progress.unit == "models"]
    assert seen[-1] == (12, 12)
    assert seen == sorted(seen)
