"""Worker processes: interrupted, killed, and leaving nothing behind; warnings of fits, and the caller's own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_info

import probfs
from probfs.runtime.parallel import Workers, catch_fit_warnings, run_in_threads
from probfs.text import command_line_language
from tests.support.commands import PATIENCE
from tests.support.svm_tables import weston

COUNT_MODELS = """
import sys

from probfs.cli import main
from probfs.cli.reporter import Reporter
from probfs.runtime import parallel

# Every task but the first is for workers.
parallel.SECONDS_WORTH_WORKERS = 0
Reporter.hear = lambda self, progress: progress.unit == "models" and print("fitted", file=sys.stderr, flush=True)
main()
"""
"""The command, which writes a line whenever models have been fitted."""


@pytest.mark.parametrize("removal", ["permute", "retrain"])
def test_ctrl_c_ends_the_work_and_leaves_nothing(removal: str, tmp_path: Path) -> None:
    weston(2000, 100).to_csv(tmp_path / "data.csv", index=False)
    command = [sys.executable, "-c", COUNT_MODELS, "rank", "data.csv", "--classifier", "svm", "--removal", removal]
    process = subprocess.Popen(
        [*command, "--kernel", "rbf", "--jobs", "2", "--output", "out.csv"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    # The first models of a round are fitted in this process, and with retrain all others by workers.
    for _ in range(3):
        assert "fitted\n" in iter(process.stderr.readline, "")
    os.killpg(process.pid, signal.SIGINT)
    # The whole ranking takes far longer than any machine may need to end it.
    _, stderr = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert stderr.replace("fitted\n", "") == "probfs: interrupted\n"
    assert os.listdir(tmp_path) == ["data.csv"]
    assert _all_gone(process.pid)


def _all_gone(group: int) -> bool:
    """Whether no process of the group is left, or will be in a moment."""
    for _ in range(10 * PATIENCE):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


def test_a_killed_worker_is_an_error_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Workers, "_are_workers_worth_it", lambda self, tasks: True)
    with pytest.raises(probfs.DataError, match=r"a worker process was killed.*; use fewer with jobs=, or jobs=1"):
        list(Workers(2, 4).run(_die, [1, 2, 3, 4]))
    with command_line_language(), pytest.raises(probfs.DataError, match=r"use fewer with --jobs, or --jobs 1"):
        list(Workers(2, 4).run(_die, [1, 2, 3, 4]))


def _die(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("seconds_worth_workers", [10.0, 0.0])
def test_fits_that_warn_are_counted_wherever_they_run(
    seconds_worth_workers: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("probfs.runtime.parallel.SECONDS_WORTH_WORKERS", seconds_worth_workers)
    frame = weston(60, 3)
    hasty = LogisticRegression(max_iter=1, C=100.0)
    ranking = probfs.rank(frame, target="y", classifier=hasty, folds=3, eliminate=False, jobs=2)
    (note,) = [note for note in ranking.warnings if "warned" in note]
    assert note.startswith("3 of 3 fits warned: ConvergenceWarning: lbfgs failed to converge")


@pytest.mark.parametrize("action", ["error", "ignore"])
def test_warnings_of_a_fit_are_caught_whatever_the_filters(action: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter(action)  # type: ignore[arg-type]
        for _ in range(2):
            with catch_fit_warnings() as caught:
                warnings.warn("of the fit", UserWarning, stacklevel=1)
            assert [str(own.message) for own in caught] == ["of the fit"]


def test_rankings_in_several_threads_leave_filters_and_blas_alone() -> None:
    frame = weston(60, 3)
    found: list[str] = []

    def rank(classifier: str) -> None:
        found.append(probfs.rank(frame, target="y", classifier=classifier, permutations=2, jobs=1).to_csv())

    # The first import of scikit-learn adds filters of its own and loads libraries.
    rank("logistic")
    rank("svm")
    before = list(warnings.filters), warnings.showwarning, _blas_threads()
    run_in_threads([lambda: rank("logistic"), lambda: rank("svm")] * 2)
    assert (list(warnings.filters), warnings.showwarning, _blas_threads()) == before
    assert len(found) == 6
    assert len(set(found)) == 2


def _blas_threads() -> list[int]:
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]
