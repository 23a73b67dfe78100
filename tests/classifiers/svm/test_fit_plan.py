"""What a ranking costs is said, and hours are refused."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

import pytest

import probfs
from probfs.classifiers.svm.fit_plan import SvmFitPlan
from probfs.text import command_line_language
from tests.conftest import Run
from tests.support.svm_tables import weston

RETRAIN = SvmFitPlan(
    "retrain",
    "resubstitution",
    splits=1,
    classes=2,
    labelled_rows=100,
    rounds=(3, 2, 1),
    jobs=2,
    kernel="rbf",
    columns_per_feature=1,
)


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


def test_effort_adds_up_over_rounds_and_is_shared_by_jobs() -> None:
    assert RETRAIN.effort(0) == 0
    first, second, third = (RETRAIN.effort(models) - RETRAIN.effort(models - 1) for models in (1, 6, 12))
    assert first > second > third > 0
    assert RETRAIN.effort(12) == pytest.approx(5 * first + 4 * second + 3 * third)
    assert RETRAIN.seconds == RETRAIN.effort(12) / 2
    assert replace(RETRAIN, classes=3).seconds == pytest.approx(3 * RETRAIN.seconds)


def test_the_only_model_of_a_round_is_not_shared_by_jobs() -> None:
    single = replace(RETRAIN, removal="permute")
    assert single.seconds == single.effort(3)
    assert replace(single, splits=10).seconds == replace(single, splits=10).effort(33) / 2


def test_many_rows_cost_little_with_few_columns_and_the_linear_kernel() -> None:
    rbf = replace(RETRAIN, removal="permute", labelled_rows=20_000, rounds=(50, 40, 32))
    linear = replace(rbf, kernel="linear")
    assert linear.seconds < 10 < 60 < rbf.seconds
    assert replace(linear, columns_per_feature=40).seconds > 60


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"estimate": "loo"}, 'estimate="cv" takes less'),
        ({"kernel": "linear"}, "a larger step= takes less"),
        ({}, 'a larger step=, kernel="linear" or fewer rows take less'),
    ],
)
def test_what_takes_less_is_offered(change: dict[str, str], expected: str) -> None:
    assert replace(RETRAIN, **change).remedy == expected  # type: ignore[arg-type]


def test_leave_one_out_says_what_it_costs_and_refuses_hours(run: Run, tmp_path: Path) -> None:
    weston(40, 3).to_csv(tmp_path / "small.csv", index=False)
    small = run("rank", "small.csv", "--classifier", "svm", "--estimate", "loo")
    assert small.returncode == 0
    assert "leave-one-out with the SVM: 123 models will be fitted, in about" in small.stderr
    weston(3000, 30).to_csv(tmp_path / "large.csv", index=False)
    large = run("rank", "large.csv", "--classifier", "svm", "--kernel", "rbf", "--estimate", "loo", "--jobs", "1")
    assert (large.returncode, large.stdout) == (2, "")
    assert "with the SVM would fit 90,030 models" in large.stderr


def test_hours_are_refused_in_the_caller_s_language() -> None:
    rows = 3000
    hours = replace(
        RETRAIN, removal="permute", estimate="loo", splits=rows, labelled_rows=rows, rounds=range(30, 0, -1)
    )
    for language, expected in (
        (contextlib.nullcontext(), r'^estimate="loo" with the SVM .*; use estimate="cv", or a larger step=$'),
        (command_line_language(), r"^--estimate loo with the SVM .*; use --estimate cv, or a larger --step$"),
    ):
        with language, pytest.raises(probfs.UsageError, match=expected):
            hours.refuse_hours()
    replace(hours, estimate="resubstitution").refuse_hours()
