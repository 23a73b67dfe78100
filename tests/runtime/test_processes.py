"""Worker processes: interrupted, killed, and leaving nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest
from threadpoolctl import threadpool_info

import probfs
from probfs.runtime.processes import Workers, in_threads
from probfs.text import command_line_language
from tests.support.commands import PATIENCE
from tests.support.svm_tables import weston

COUNT_MODELS = """
import sys

from probfs.cli import main
from probfs.cli.reporter import Reporter
from probfs.runtime import processes

# Every task but the first is for workers.
processes.SECONDS_WORTH_WORKERS = 0
Reporter.hear = lambda self, progress: progress.unit == "models" and print("fitted", file=sys.stderr, flush=True)
main()
"""
"""The command, which writes a line whenever models have been fitted."""


@pytest.mark.parametrize("removal", ["permute", "retrain"])
def test_ctrl_c_ends_the_work_and_leaves_nothing(removal: str, tmp_path: Path) -> None:
    weston(2000, 100).to_csv(tmp_path / "data.csv", index=False)
    command = [sys.executable, "-c", COUNT_MODELS, "rank", "data.csv", "--classifier", "svm", "--removal", removal]
    process = subprocess.Popen(
        [*command, "--jobs", "2", "--output", "out.csv"],
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
    workers = Workers(jobs=2, tasks=4)
    monkeypatch.setattr(Workers, "_is_worth_workers", lambda self, tasks: True)
    with pytest.raises(probfs.DataError, match=r"a worker process was killed.*; use fewer with jobs=, or jobs=1"):
        list(workers.run(_die, [1, 2, 3, 4]))
    with command_line_language(), pytest.raises(probfs.DataError, match=r"use fewer with --jobs, or --jobs 1"):
        list(workers.run(_die, [1, 2, 3, 4]))


def _die(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_blas_has_its_threads_back_afterwards() -> None:
    frame = weston(60, 4)

    def threads() -> list[int]:
        return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

    # Once beforehand: importing scikit-learn loads libraries and adds a warning filter.
    alone = probfs.rank(frame, target="y", classifier="svm", step=2).to_csv()
    before, filters = threads(), len(warnings.filters)
    rankings = in_threads(lambda _: probfs.rank(frame, target="y", classifier="svm", step=2), [1, 2, 3], 3)
    assert [ranking.to_csv() for ranking in rankings] == [alone] * 3
    assert threads() == before
    assert len(warnings.filters) == filters


def test_libraries_loaded_later_have_one_thread_too() -> None:
    program = """
from probfs.runtime.processes import one_thread
with one_thread():
    pass
import sklearn.ensemble
from threadpoolctl import threadpool_info
with one_thread():
    print([library["num_threads"] for library in threadpool_info() if library["user_api"] == "openmp"])
"""
    environment = {**os.environ, "OMP_NUM_THREADS": "2"}
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=PATIENCE, env=environment
    )
    assert found.stdout == "[1]\n"
