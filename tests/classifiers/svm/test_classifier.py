"""What a user relies on when ranking with the SVM, whatever the model."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import probfs
from probfs.classifiers.svm.classifier import Svm
from probfs.text import command_line_language
from tests.conftest import SAMPLES, Run
from tests.support.refitted_svm import SvmParameters
from tests.support.svm_tables import random_dataset, weston


@pytest.mark.parametrize("options", [{}, {"kernel": "rbf"}, {"estimate": "cv"}, {"removal": "retrain"}])
def test_neither_order_nor_repetition_nor_another_run_changes_a_byte(
    mixed: pd.DataFrame, options: dict[str, str]
) -> None:
    def ranked(frame: pd.DataFrame, **more: str) -> str:
        return probfs.rank(frame, target="sick", classifier="svm", **options, **more).to_csv()  # type: ignore[arg-type]

    twice = pd.concat([mixed, mixed.iloc[:20]])
    counted = mixed.assign(n=np.where(np.arange(len(mixed)) < 20, 2, 1))
    shuffled = twice.sample(frac=1, random_state=1)[["sick", "noise", "visits", "site", "dose"]]
    assert ranked(twice) == ranked(twice)
    assert ranked(shuffled) == ranked(twice)
    assert ranked(counted, count="n") == ranked(twice)


def test_another_seed_permutes_differently(mixed: pd.DataFrame) -> None:
    first, second = (probfs.rank(mixed, target="sick", classifier="svm", seed=seed) for seed in (0, 1))
    assert first.to_csv() != second.to_csv()


@pytest.mark.parametrize("options", [{}, {"kernel": "rbf"}, {"removal": "retrain"}, {"estimate": "cv"}])
def test_jobs_do_not_change_the_result(
    mixed: pd.DataFrame, options: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("probfs.runtime.parallel.SECONDS_WORTH_WORKERS", 0.0)
    alone, *together = (
        probfs.rank(mixed, target="sick", classifier="svm", jobs=jobs, step=2, **options).to_csv()  # type: ignore[arg-type]
        for jobs in (1, 2, 3)
    )
    assert together == [alone, alone]


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


def test_numbers_of_numpy_are_as_good_as_any(mixed: pd.DataFrame) -> None:
    plain = probfs.rank(mixed, target="sick", classifier="svm", seed=3, permutations=5, C=2, estimate="cv", folds=3)
    numpy = probfs.rank(
        mixed,
        target="sick",
        classifier="svm",
        seed=np.int64(3),  # type: ignore[arg-type]
        permutations=np.int32(5),
        C=np.float32(2),
        estimate="cv",
        folds=np.uint8(3),  # type: ignore[arg-type]
    )
    assert numpy.to_json() == plain.to_json()


def test_the_table_says_how_it_was_ranked(run: Run) -> None:
    rank = ("rank", SAMPLES / "breast_cancer.csv", "--exclude", "sample_id", "--classifier", "svm", "--step", "0.9")
    assert "Linear SVM, Platt-scaled, 20 shuffles a column, resubstitution," in run(*rank, "--format", "table").stdout
    retrained = run(*rank, "--kernel", "rbf", "--removal", "retrain", "--format", "table").stdout
    assert "RBF SVM, Platt-scaled, retrained, resubstitution, ranked by Ŝ_S (absolute)" in retrained
    settings = json.loads(run(*rank, "--C", "0.5", "--format", "json").stdout)["settings"]
    assert settings["C"] == 0.5
    assert {settings[name] for name in ("smoothing", "bins", "gamma", "folds")} == {None}


def test_progress_counts_rounds_and_models(run: Run, tmp_path: Path) -> None:
    weston(40, 6).to_csv(tmp_path / "data.csv", index=False)
    result = run("rank", "data.csv", "--classifier", "svm", "--removal", "retrain", "--progress")
    assert result.returncode == 0
    seen: list[tuple[int, int]] = []
    heard: list[probfs.Progress] = []
    probfs.rank(
        weston(40, 3),
        target="y",
        classifier="svm",
        removal="retrain",
        on_model=lambda done, total: seen.append((done, total)),
        on_progress=heard.append,
    )
    assert seen[-1] == (12, 12)
    assert seen == [(progress.done, progress.total) for progress in heard if progress.unit == "models"]
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_what_a_parameter_needs_is_checked() -> None:
    dataset = random_dataset(0, 12, "ct")
    parameters = SvmParameters()
    with pytest.raises(ValueError, match="a number of permutations"):
        Svm(dataset, **asdict(replace(parameters, permutations=None)), rounds=[2, 1])
    with pytest.raises(ValueError, match="a number of folds"):
        Svm(dataset, **asdict(replace(parameters, estimate="cv")), rounds=[2, 1])


def test_the_cost_of_leave_one_out_is_noted_in_the_caller_s_language(mixed: pd.DataFrame) -> None:
    notes: list[str] = []
    probfs.rank(mixed[:12], target="sick", classifier="svm", estimate="loo", step=4, jobs=1, on_note=notes.append)
    with command_line_language():
        probfs.rank(mixed[:12], target="sick", classifier="svm", estimate="loo", step=4, jobs=1, on_note=notes.append)
    cost = "leave-one-out with the SVM: 13 models will be fitted"
    assert [note for note in notes if note.startswith("leave-one-out")] == [
        f'{cost}; estimate="cv" takes less',
        f"{cost}; --estimate cv takes less",
    ]


def test_a_leave_one_out_ranking_of_hours_is_refused(run: Run, tmp_path: Path) -> None:
    weston(2000, 30).to_csv(tmp_path / "large.csv", index=False)
    large = run("rank", "large.csv", "--classifier", "svm", "--estimate", "loo", "--jobs", "1", "--quiet")
    assert (large.returncode, large.stdout) == (2, "")
    assert large.stderr == (
        "probfs: error: --estimate loo with the SVM would fit 60,030 models on 2,000 rows each, which takes hours; use "
        "--estimate cv, or a larger --step\n"
    )
