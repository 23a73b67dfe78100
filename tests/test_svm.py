"""What a user relies on when ranking with the SVM."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_info

import probfs
from probfs.classifiers.svm.donors import draw_donors
from probfs.runtime.processes import Workers, in_threads
from tests.conftest import ROOT, SAMPLES, Run

sys.path.insert(0, str(ROOT / "benchmarks"))
from workloads import weston  # the same tables as are measured


@pytest.fixture
def mixed() -> pd.DataFrame:
    generator = np.random.default_rng(5)
    sick = np.arange(60) % 2
    return pd.DataFrame(
        {
            "dose": generator.normal(size=60) + sick,
            "site": np.where(generator.random(60) < 0.3 + 0.4 * sick, "north", "south"),
            "visits": generator.integers(0, 4, 60),
            "noise": generator.normal(size=60),
            "sick": np.where(sick, "yes", "no"),
        }
    )


# --- what does not matter -------------------------------------------------------------------------------------------


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


def test_another_seed_shuffles_anew(mixed: pd.DataFrame) -> None:
    first, second = (probfs.rank(mixed, target="sick", classifier="svm", seed=seed) for seed in (0, 1))
    assert first.to_csv() != second.to_csv()


@pytest.mark.parametrize("options", [{}, {"kernel": "rbf"}, {"removal": "retrain"}, {"estimate": "cv"}])
def test_jobs_do_not_change_the_result(
    mixed: pd.DataFrame, options: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("probfs.runtime.processes.WORTH_WORKERS", 0.0)
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


def test_each_shuffle_is_a_permutation_when_all_rows_count_once() -> None:
    ones = np.ones(50, dtype=np.int64)
    donors = draw_donors(ones, ones, 30, np.random.default_rng(0))
    assert (np.sort(donors, axis=1) == np.arange(50)).all()
    assert len({tuple(row) for row in donors.tolist()}) == 30


def test_donors_are_met_as_often_as_they_count() -> None:
    counts = np.array([1, 5, 10, 84])
    donors = draw_donors(np.array([3, 1, 40]), counts, 20_000, np.random.default_rng(0))
    for column in donors.T:
        shares = np.bincount(column, minlength=4) / len(column)
        assert shares == pytest.approx(counts / 100, abs=0.02)


# --- what is ranked ---------------------------------------------------------------------------------------------------


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


def test_missing_cells_and_far_numbers_are_no_trouble() -> None:
    frame = pd.DataFrame(
        {
            "a": [1e300, None, 3e300, -1e300, 2e300, None, 1e300, 1.5e300],
            "b": [1e-320, 2e-320, None, 3e-320, 1e-320, 2e-320, 1e-320, 5e-320],
            "c": [None] * 8,
            "y": list("nnnnpppp"),
        }
    )
    more = pd.DataFrame({"a": [-1.7e308, 1.0], "b": [1.7e308, None], "c": [3.0, None]})
    for kernel in ("linear", "rbf"):
        for removal in ("permute", "retrain"):
            ranking = probfs.rank(
                frame,
                classifier="svm",
                kernel=kernel,
                removal=removal,
                unlabeled=more,
            )
            assert all(math.isfinite(feature.s_su or 0) for feature in ranking.features)
            assert {feature.feature: feature.s_s for feature in ranking.features}["c"] == 0


def test_an_infinite_number_is_an_error(write: Callable[..., Path], run: Run) -> None:
    write("d.csv", "a,y\n1,n\n2,n\ninf,p\n4,p\n")
    result = run("rank", "d.csv", "--classifier", "svm")
    assert (result.returncode, result.stdout) == (1, "")
    assert "d.csv:4: column 'a': 'inf' is infinite; name it with --na" in result.stderr


def test_unlabelled_rows_count_for_their_own_score_only(mixed: pd.DataFrame) -> None:
    more = mixed.drop(columns="sick").sample(30, random_state=3)
    with_more = probfs.rank(mixed, target="sick", classifier="svm", unlabeled=more, eliminate=False)
    alone = probfs.rank(mixed, target="sick", classifier="svm", eliminate=False)
    assert {f.feature: f.s_s for f in with_more.features} == pytest.approx({f.feature: f.s_s for f in alone.features})
    assert all(f.s_su is not None and 0 < f.s_su < 1 for f in with_more.features)
    assert all(f.s_su is None for f in alone.features)


def test_unlabelled_texts_among_numbers_are_noted(mixed: pd.DataFrame) -> None:
    more = mixed.drop(columns="sick").assign(dose="1,5")
    ranking = probfs.rank(mixed, target="sick", classifier="svm", unlabeled=more, step=4)
    assert any("most unlabelled cells" in warning and "'dose'" in warning for warning in ranking.warnings)


def test_a_category_that_may_be_missing_is_not_called_constant() -> None:
    frame = pd.DataFrame({"m": ["x", "x", None, "x"] * 3, "k": ["x"] * 12, "y": list("nnpp") * 3})
    notes = " ".join(probfs.rank(frame, classifier="svm").warnings)
    assert "the same value in every labelled row: 'k'" in notes
    assert "'m'" not in notes


def test_what_suggest_writes_for_the_svm_is_accepted(run: Run, write: Callable[..., Path]) -> None:
    write("d.csv", "a,b,y\n1,inf,p\n2,1,p\n3,2,q\n4,3,q\n9,4,q\n")
    write("m.toml", run("suggest", "d.csv", "--classifier", "svm").stdout)
    assert "quantiles" not in (write("m2.toml", run("suggest", "d.csv", "--classifier", "svm").stdout)).read_text()
    assert run("rank", "d.csv", "--classifier", "svm", "--mapping", "m.toml").returncode == 0


def test_numbers_of_numpy_are_as_good_as_any(mixed: pd.DataFrame) -> None:
    plain = probfs.rank(mixed, target="sick", classifier="svm", seed=3, permutations=5, C=2, estimate="cv", folds=3)
    numpy = probfs.rank(
        mixed,
        target="sick",
        classifier="svm",
        seed=np.int64(3),  # type: ignore[arg-type]
        permutations=np.int32(5),  # type: ignore[arg-type]
        C=np.float32(2),  # type: ignore[arg-type]
        estimate="cv",
        folds=np.uint8(3),  # type: ignore[arg-type]
    )
    assert numpy.to_json() == plain.to_json()


def test_counts_beyond_what_converges_end_and_are_noted(mixed: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probfs.classifiers.svm.machine.MOST_ITERATIONS", 1000)
    ranking = probfs.rank(
        mixed.assign(n=10**9), target="sick", classifier="svm", count="n", exclude=["site"], eliminate=False
    )
    assert any("did not converge" in warning for warning in ranking.warnings)


# --- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": "rbf"}, "--kernel goes with --classifier svm only"),
        ({"C": 2}, "--C goes with --classifier svm only"),
        ({"jobs": 2}, "--jobs goes with --classifier svm only"),
        ({"classifier": "svm", "smoothing": 1.0}, "--smoothing goes with --classifier nb only"),
        ({"classifier": "svm", "bins": 3}, "--bins goes with --classifier nb only"),
        ({"classifier": "svm", "gamma": 0.1}, "--gamma goes with --kernel rbf only"),
        ({"classifier": "svm", "folds": 3}, "--folds goes with --estimate cv only"),
        ({"classifier": "svm", "removal": "retrain", "permutations": 3}, "--permutations goes with --removal permute"),
        ({"classifier": "svm", "C": 0}, "--C: 0.0 is neither scale nor a number"),
        ({"classifier": "svm", "C": "auto"}, "--C: 'auto'"),
        ({"classifier": "svm", "kernel": "rbf", "gamma": -1}, "--gamma: -1.0"),
        ({"classifier": "svm", "kernel": "poly"}, "--kernel: 'poly' is not one of linear, rbf"),
        ({"classifier": "svm", "permutations": 0}, "--permutations: 0"),
        ({"classifier": "svm", "jobs": 0}, "--jobs: 0"),
        ({"classifier": "svm", "permutations": 2.5}, "--permutations: 2.5 is not a whole number"),
        ({"classifier": "svm", "seed": "0"}, "--seed: '0' is not a whole number"),
        ({"classifier": "svm", "C": [1]}, "--C: [1] is not a number"),
        ({"classifier": None}, "--classifier: None is not one of nb, svm"),
        ({"score": None}, "--score: None is not one of"),
        ({"step": "2"}, "--step: 2 is neither"),
    ],
)
def test_an_option_without_meaning_is_a_usage_error(
    mixed: pd.DataFrame, options: dict[str, object], message: str
) -> None:
    with pytest.raises(probfs.UsageError) as caught:
        probfs.rank(mixed, target="sick", **options)  # type: ignore[arg-type]
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "class 'p' has one row only, and the SVM's probabilities need two or more"),
        ({"target": "z", "estimate": "loo"}, "class 'u' has 2 rows, of which --estimate loo leaves 1 to train on"),
        ({"target": "z", "estimate": "cv", "folds": 2}, "class 'u' has 2 rows, of which --estimate cv leaves 1"),
    ],
)
def test_too_few_rows_of_a_class_are_an_error(options: dict[str, object], message: str) -> None:
    frame = pd.DataFrame({"a": [1, 2, 3, 5, 8], "z": list("uuvvv"), "y": list("nnnnp")})
    with pytest.raises(probfs.DataError) as caught:
        probfs.rank(frame, classifier="svm", **options)  # type: ignore[arg-type]
    assert message in str(caught.value)


def test_leave_one_out_says_what_it_costs_and_refuses_hours(run: Run, tmp_path: Path) -> None:
    weston(40, 3).to_csv(tmp_path / "small.csv", index=False)
    small = run("rank", "small.csv", "--classifier", "svm", "--estimate", "loo")
    assert small.returncode == 0
    assert "leave-one-out with the SVM: 123 models will be fitted, in some" in small.stderr
    weston(3000, 30).to_csv(tmp_path / "large.csv", index=False)
    large = run("rank", "large.csv", "--classifier", "svm", "--estimate", "loo", "--jobs", "1")
    assert (large.returncode, large.stdout) == (2, "")
    assert "--estimate loo with the SVM would fit 90,030 models" in large.stderr
    assert "use --estimate cv" in large.stderr


def test_a_column_with_a_value_in_each_row_is_refused_when_it_would_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probfs.classifiers.svm.design_matrix.MOST_CELLS", 100)
    frame = pd.DataFrame({"name": [f"n{row}" for row in range(20)], "a": range(20), "y": ["n", "p"] * 10})
    with pytest.raises(probfs.DataError, match="column 'name' has 20 values, each a column for the SVM"):
        probfs.rank(frame, classifier="svm")


# --- does it find what matters ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("score", ["absolute", "signed"])
@pytest.mark.parametrize("features", [30, pytest.param(202, marks=pytest.mark.slow)])
def test_weston_s_relevant_features_come_first(features: int, score: str) -> None:
    hits = []
    for seed in range(20):
        ranking = probfs.rank(weston(100, features, seed), classifier="svm", score=score, seed=seed)  # type: ignore[arg-type]
        hits.append(sum(feature.feature.startswith("relevant") for feature in ranking.features[:6]))
    print(f"Weston, {features} features, {score}: {np.mean(hits)} of 6, {hits}")
    assert np.mean(hits) >= 5


def test_a_weak_table_is_not_turned_upside_down() -> None:
    ranks, inverted, machines = [], 0, 0
    for seed in range(50):
        generator = np.random.default_rng(seed)
        shifted = np.arange(40) % 2
        cells = generator.normal(size=(40, 20))
        cells[:, 7] += 1.2 * shifted
        frame = pd.DataFrame(cells, columns=[f"f{column:02}" for column in range(20)]).assign(y=shifted.astype(str))
        ranking = probfs.rank(frame, classifier="svm", score="signed", seed=seed)
        ranks.append(next(feature.rank for feature in ranking.features if feature.feature == "f07"))
        for warning in ranking.warnings:
            if "came out decreasing" in warning:
                some, _, all_, *_ = warning.removeprefix("in ").split()
                inverted, machines = inverted + int(some), machines + int(all_)
    print(f"weak tables: ranks {sorted(ranks)}; {inverted} of {machines} sigmoids inverted in the tables that had any")
    assert np.median(ranks) == 1
    assert max(ranks) < 20
    assert inverted > 0, "no sigmoid came out decreasing, so nothing was tested"


def test_a_refit_that_knows_nothing_does_not_make_its_column_matter() -> None:
    """Retrain compares models: noise columns without which the sigmoid falls must not outscore other noise columns."""
    generator = np.random.default_rng(0)
    tables = []
    for _ in range(6):
        cells = generator.normal(size=(40, 12))
        shifted = np.arange(40) % 2
        cells[:, 3] += 0.9 * shifted
        tables.append(pd.DataFrame(cells, columns=[f"f{n:02}" for n in range(12)]).assign(y=shifted.astype(str)))
    fell = 0
    for frame in tables:
        ranking = probfs.rank(frame, classifier="svm", removal="retrain", eliminate=False, jobs=1)
        fell += sum("came out decreasing" in warning for warning in ranking.warnings)
        noise = [feature.s_s for feature in ranking.features if feature.feature != "f03"]
        assert max(noise) < 8 * np.median(noise) + 0.05
    assert fell, "no sigmoid came out decreasing, so nothing was tested"


def test_signed_scores_are_about_twice_the_square_of_absolute_ones() -> None:
    """The paper's figure 3, and its bound S_S ≤ √(S_A/2), on X_{c,p} beside a column of noise."""
    generator = np.random.default_rng(0)
    absolute, root = [], []
    for c in np.arange(0, 3.01, 0.5):
        for p in np.arange(0, 1.01, 0.2):
            signs = np.where(np.arange(300) % 2, 1.0, -1.0)
            signal = np.where(
                generator.random(300) < p, signs * generator.normal(c, 1, 300), generator.normal(size=300)
            )
            frame = pd.DataFrame({"x": signal, "noise": generator.normal(size=300), "y": signs.astype(str)})
            ranking = probfs.rank(frame, classifier="svm", removal="retrain", eliminate=False)
            x = next(feature for feature in ranking.features if feature.feature == "x")
            absolute.append(x.s_s)
            root.append(math.sqrt(max(x.s_a, 0) / 2))
    correlation = np.corrcoef(absolute, root)[0, 1]
    excess = np.max(np.array(absolute) - np.array(root))
    print(f"figure 3: correlation {correlation:.4f}, S_S exceeds √(S_A/2) by at most {excess:.4f}")
    assert correlation >= 0.99
    assert excess < 0.05


def test_one_shuffle_overstates_what_many_say() -> None:
    """Probabilities are averaged before the absolute value: with one shuffle E|Z - Z'| would be scored."""
    frame = weston(200, 6)
    one, many = (
        sum(f.s_s for f in probfs.rank(frame, classifier="svm", permutations=m, eliminate=False).features)
        for m in (1, 50)
    )
    assert 1.05 < one / many < 1.6


# --- how it behaves -------------------------------------------------------------------------------------------------


def test_the_table_says_how_it_was_ranked(run: Run) -> None:
    rank = ("rank", SAMPLES / "breast_cancer.csv", "--exclude", "sample_id", "--classifier", "svm", "--step", "0.9")
    assert "Linear SVM, Platt-scaled, 20 shuffles a column, resubstitution," in run(*rank, "--format", "table").stdout
    retrained = run(*rank, "--kernel", "rbf", "--removal", "retrain", "--format", "table").stdout
    assert "RBF SVM, Platt-scaled, retrained, resubstitution, ranked by Ŝ_S (absolute)" in retrained
    settings = json.loads(run(*rank, "--C", "0.5", "--format", "json").stdout)["settings"]
    assert settings["C"] == 0.5
    assert {settings[name] for name in ("smoothing", "bins", "gamma", "folds")} == {None}


@pytest.mark.parametrize("removal", ["permute", "retrain"])
def test_ctrl_c_ends_at_once_and_leaves_nothing(removal: str, tmp_path: Path) -> None:
    weston(5000, 120).to_csv(tmp_path / "data.csv", index=False)
    command = [sys.executable, "-m", "probfs", "rank", "data.csv", "--classifier", "svm", "--removal", removal]
    process = subprocess.Popen(
        [*command, "--jobs", "2", "--output", "out.csv"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    # Once the cost is said all is imported; then some time for fits, and with retrain for workers to be at it.
    assert any("will be fitted" in line for line in iter(process.stderr.readline, ""))
    time.sleep(2 if removal == "permute" else 10)
    assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)
    start = time.monotonic()
    _, stderr = process.communicate(timeout=20)
    assert time.monotonic() - start < 3
    assert process.returncode == 130
    assert stderr == "probfs: interrupted\n"
    assert os.listdir(tmp_path) == ["data.csv"]
    assert _all_gone(process.pid)


def test_a_worker_that_is_killed_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    workers = Workers(jobs=2, tasks=4)
    monkeypatch.setattr(Workers, "_worth_sharing", lambda self, tasks: True)
    with pytest.raises(probfs.DataError, match=r"a process that worked for this one was killed.*--jobs"):
        list(workers.run(_die, [1, 2, 3, 4]))


def _die(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_blas_has_its_threads_back_afterwards(mixed: pd.DataFrame) -> None:
    def threads() -> list[int]:
        return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

    before, filters = threads(), len(warnings.filters)
    rankings = in_threads(lambda _: probfs.rank(mixed, target="sick", classifier="svm", step=2), [1, 2, 3], 3)
    assert len({ranking.to_csv() for ranking in rankings}) == 1
    assert threads() == before
    assert len(warnings.filters) == filters


def _all_gone(group: int) -> bool:
    """Whether no process of the group is left, or will be in a moment."""
    for _ in range(50):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


def test_progress_counts_rounds_and_models(run: Run, tmp_path: Path) -> None:
    weston(40, 6).to_csv(tmp_path / "data.csv", index=False)
    result = run("rank", "data.csv", "--classifier", "svm", "--removal", "retrain", "--progress")
    assert result.returncode == 0
    seen: list[tuple[int, int]] = []
    probfs.rank(
        weston(40, 3), classifier="svm", removal="retrain", on_model=lambda done, total: seen.append((done, total))
    )
    assert seen[-1] == (12, 12)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
