"""What a ranking costs is said, and hours are refused."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

import pytest

import probfs
from probfs.classifiers.svm.fit_plan import FitPlan
from probfs.text import command_line_language
from tests.conftest import Run
from tests.support.svm_tables import weston

RETRAIN = FitPlan("retrain", "resubstitution", splits=1, classes=2, labelled_rows=100, rounds=(3, 2, 1), jobs=2)


def test_models_are_counted_round_by_round() -> None:
    """Retraining fits the full model, one without each feature, and one to choose the sigmoids."""
    assert RETRAIN.models == (3 + 2) + (2 + 2) + (1 + 2)
    assert replace(RETRAIN, removal="permute").models == 3
    assert replace(RETRAIN, removal="permute", estimate="cv", splits=10).models == 3 * (10 + 1)


@pytest.mark.parametrize("jobs", [1, 2, 7])
@pytest.mark.parametrize("features", [1, 5, 100])
def test_every_model_is_in_one_task(features: int, jobs: int) -> None:
    by_task = replace(RETRAIN, jobs=jobs).models_by_task(features)
    assert [feature for left_out in by_task for feature in left_out] == [None, *range(features)]
    assert max(map(len, by_task)) <= 8


def test_a_long_ranking_is_told_from_a_quick_one() -> None:
    assert not RETRAIN.takes_long
    assert RETRAIN.describe() == "12 models will be fitted, in about 0 seconds"
    long = replace(RETRAIN, labelled_rows=20_000)
    assert long.takes_long
    assert long.describe() == "12 models will be fitted, in about 2 minutes"
    single = replace(RETRAIN, removal="permute", rounds=(3,), labelled_rows=5_700, jobs=2)
    assert single.describe() == "1 model will be fitted, in about 1 second"


def test_leave_one_out_says_what_it_costs_and_refuses_hours(run: Run, tmp_path: Path) -> None:
    weston(40, 3).to_csv(tmp_path / "small.csv", index=False)
    small = run("rank", "small.csv", "--classifier", "svm", "--estimate", "loo")
    assert small.returncode == 0
    assert "leave-one-out with the SVM: 123 models will be fitted, in about" in small.stderr
    weston(3000, 30).to_csv(tmp_path / "large.csv", index=False)
    large = run("rank", "large.csv", "--classifier", "svm", "--estimate", "loo", "--jobs", "1")
    assert (large.returncode, large.stdout) == (2, "")
    assert "with the SVM would fit 90,030 models" in large.stderr


def test_hours_are_refused_in_the_caller_s_language() -> None:
    hours = FitPlan("permute", "loo", splits=3000, classes=2, labelled_rows=3000, rounds=range(30, 0, -1), jobs=1)
    for language, expected in (
        (contextlib.nullcontext(), r'^estimate="loo" with the SVM .*; use estimate="cv", or a larger step=$'),
        (command_line_language(), r"^--estimate loo with the SVM .*; use --estimate cv, or a larger --step$"),
    ):
        with language, pytest.raises(probfs.UsageError, match=expected):
            hours.refuse_hours()
    replace(hours, estimate="resubstitution").refuse_hours()
