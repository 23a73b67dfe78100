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


@pytest.mark.parametrize("removal", ["permute", "retrain"])
def test_ctrl_c_ends_the_work_and_leaves_nothing(removal: str, tmp_path: Path) -> None:
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
    # The whole ranking takes far longer than any machine may need to end it.
    _, stderr = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert stderr == "probfs: interrupted\n"
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
    alone = probfs.rank(frame, classifier="svm", step=2).to_csv()
    before, filters = threads(), len(warnings.filters)
    rankings = in_threads(lambda _: probfs.rank(frame, classifier="svm", step=2), [1, 2, 3], 3)
    assert [ranking.to_csv() for ranking in rankings] == [alone] * 3
    assert threads() == before
    assert len(warnings.filters) == filters
