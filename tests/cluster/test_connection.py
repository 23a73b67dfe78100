"""Rankings and selections on a real cluster: a scheduler and workers as processes, some of which are killed."""

from __future__ import annotations

import contextlib
import importlib.metadata
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest

import probfs
from probfs.cluster.connection import Cluster, connect
from probfs.errors import DataError, ProbfsError, UsageError
from probfs.runtime.progress import listening
from probfs.text import command_line_language
from tests.support.clusters import DaskProcesses, running_cluster
from tests.support.random_tables import (
    assert_same_ranking,
    assert_same_selection,
    write_parts,
    write_split_table,
)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskProcesses]:
    with running_cluster(tmp_path_factory.mktemp("cluster"), workers=2) as processes:
        yield processes


@pytest.fixture(scope="module")
def larger_table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table whose ranking takes long enough for workers to die meanwhile."""
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, 20_000)
    told = (random.random((20_000, 20)) < 0.02 * np.arange(20)) * labels[:, None]
    frame = pd.DataFrame(random.integers(0, 5, (20_000, 20)) + told).add_prefix("f")
    frame["m"] = np.round(random.normal(size=20_000) + 0.1 * labels, 2)
    folder = tmp_path_factory.mktemp("larger")
    write_parts(frame.assign(y=labels).astype(str), [3000, 6000, 9000, 12_000, 16_000], folder)
    return folder


def on_cluster(cluster: DaskProcesses, **options: Any) -> dict[str, Any]:
    return {**options, "engine": "dask", "scheduler": cluster.address}


class Once:
    """A listener to progress that does something once so many columns have left: by rounds, not by the clock."""

    def __init__(self, action: Callable[[], object], columns: float) -> None:
        self._action, self._columns, self.happened = action, columns, False

    def __call__(self, progress: probfs.Progress) -> None:
        if progress.stage == "ranking" and progress.done >= self._columns and not self.happened:
            self.happened = True
            self._action()


# What is found is what is found in this process


@pytest.mark.parametrize("seed", [20, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(21, 40))])
def test_random_tables(tmp_path: Path, cluster: DaskProcesses, seed: int) -> None:
    table = write_split_table(tmp_path / "table", seed)
    found = probfs.rank(table.folder, **on_cluster(cluster, **table.options))
    assert_same_ranking(found, probfs.rank(table.folder, **table.options))
    if 20 < seed < 24:
        selected = probfs.select(table.folder, **on_cluster(cluster, **table.selecting))
        assert_same_selection(selected, probfs.select(table.folder, **table.selecting))


def test_processes_of_this_machine(tmp_path: Path) -> None:
    table = write_split_table(tmp_path / "table", 3)
    found = probfs.rank(table.folder, engine="dask", workers=1, **table.options)
    assert_same_ranking(found, probfs.rank(table.folder, **table.options))


def test_fits_of_other_classifiers_are_done_by_the_cluster(tmp_path: Path) -> None:
    """By workers that are threads here, and need not import scikit-learn first."""
    import distributed

    table = write_split_table(tmp_path / "table", 4)
    how: dict[str, Any] = {"classifier": "logistic", "removal": "retrain", "folds": 2, "eliminate": False}
    options = {**how, "target": "y", "include": ["b", "c"]}
    expected = probfs.rank(table.folder, **options)
    make: Any = distributed.Client
    with make(
        processes=False, n_workers=1, threads_per_worker=2, dashboard_address="127.0.0.1:0", set_as_default=False
    ) as own:
        address = own.scheduler.address
        before = sum(own.run(_tasks_done).values())
        found = probfs.rank(table.folder, engine="dask", scheduler=address, **options)
        assert sum(own.run(_tasks_done).values()) > before
    assert found.features == expected.features


def _tasks_done(dask_worker: Any) -> int:
    return int(dask_worker.state.executed_count)


def test_large_arguments_of_questions_do_not_mix(cluster: DaskProcesses) -> None:
    with connect(cluster.address, None) as own:
        blocks = [own.submit(dict) for _ in range(2)]
        asked = [own.map(dict, blocks, values=np.full(10**5, number)) for number in range(3)]
        for number, futures in enumerate(asked):
            assert [set(answer["values"]) for answer in own.gather(futures)] == [{number}] * 2


# Workers that die


@pytest.mark.parametrize(
    "part", [0.5, *(pytest.param(part, marks=pytest.mark.slow) for part in np.random.default_rng(1).random(10))]
)
def test_a_worker_that_dies_costs_time_alone(cluster: DaskProcesses, larger_table: Path, part: float) -> None:
    def replace_worker() -> None:
        cluster.add_worker()
        cluster.kill_worker()

    expected = probfs.rank(larger_table, target="y")
    listen = Once(replace_worker, part * len(expected.features))
    found = probfs.rank(larger_table, on_progress=listen, **on_cluster(cluster, target="y"))
    assert_same_ranking(found, expected)
    assert listen.happened


# Faults are one line each, and the cluster stays usable


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits a second for a scheduler, and some for workers."""
    monkeypatch.setattr("probfs.cluster.connection._SECONDS_TO_CONNECT", 1)
    monkeypatch.setattr("probfs.cluster.connection._SECONDS_FOR_WORKERS", 5)


WITHOUT_WORKERS = r"has had no workers for .* minutes; start some, and rank again"
WITHOUT_SCHEDULER = "went away; start it, and rank again"


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("kill", "message"),
    [(DaskProcesses.kill_scheduler, WITHOUT_SCHEDULER), (DaskProcesses.kill_worker, WITHOUT_WORKERS)],
)
def test_what_goes_away_is_one_line(
    tmp_path: Path, larger_table: Path, kill: Callable[[DaskProcesses], None], message: str
) -> None:
    with running_cluster(tmp_path, workers=1) as own:
        import distributed

        client: Any = distributed.Client
        with client(own.address, set_as_default=False) as waiting:
            waiting.wait_for_workers(1, timeout=120)
        listen = Once(lambda: kill(own), 3)
        with pytest.raises(DataError, match=message):
            probfs.rank(larger_table, on_progress=listen, **on_cluster(own, target="y"))


def cluster_of(error: Exception, workers: dict[str, Any]) -> Cluster:
    """A cluster in which everything fails."""
    fail = Mock(side_effect=error)
    known = {"gather": fail, "wait_for_workers": fail, "run": fail, "as_current": contextlib.nullcontext}
    return Cluster(SimpleNamespace(scheduler_info=lambda **_: {"workers": workers}, **known), None)


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits for nothing, and for no workers."""
    monkeypatch.setattr("probfs.cluster.connection._SECONDS_FOR_WORKERS", -1)
    monkeypatch.setattr("distributed.wait", lambda futures, timeout: None)


@pytest.mark.usefixtures("hasty")
def test_faults_of_dask_are_one_line_each(monkeypatch: pytest.MonkeyPatch) -> None:
    from distributed import CancelledError, KilledWorker
    from distributed.comm.core import CommClosedError

    futures: list[Any] = ["answer"]
    for error, message in (
        (CommClosedError("closed"), WITHOUT_SCHEDULER),
        (CancelledError("lost"), WITHOUT_SCHEDULER),
        (ConnectionError("refused"), WITHOUT_SCHEDULER),
        (ModuleNotFoundError("no s3fs", name="s3fs"), "lack s3fs; install it there"),
        (KilledWorker("task", Mock(), 3), "died again and again; they may lack memory"),
    ):
        with pytest.raises(ProbfsError, match=message):
            cluster_of(error, {"tcp://one": {}}).gather(futures)
    with pytest.raises(DataError, match=WITHOUT_SCHEDULER):
        cluster_of(TimeoutError("of a task"), {"tcp://one": {}}).gather(futures)
    monkeypatch.setattr("distributed.wait", Mock(side_effect=TimeoutError))
    without = cluster_of(TimeoutError("late"), {})
    for wait in (without.check_workers, lambda: without.gather(futures)):
        with pytest.raises(DataError, match=WITHOUT_WORKERS):
            wait()
    with pytest.raises(UsageError, match="lacks probfs; install"):
        cluster_of(RuntimeError("No module named 'probfs'"), {"tcp://one": {}}).check_workers()
    older = SimpleNamespace(
        scheduler_info=lambda **_: {"workers": {"one": {}}}, run=lambda _: {"one": "0.1", "two": "0.2"}
    )
    with pytest.raises(
        UsageError, match=r"workers of this machine have probfs 0.1, 0.2, and here is .*; install the s"
    ):
        Cluster(older, None).check_workers()


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("version", "problem"),
    [
        ("2024.6.2", r"needs Dask 2024.7.1 or newer, and here is 2024.6.2; install .*with: pip install"),
        (None, r"needs Dask; install it with: pip install"),
        ("2024.7.1", r"nothing answers at tcp://127\.0\.0\.1:1 \(.*; give the address that the scheduler prints"),
    ],
)
def test_nobody_is_there_or_dask_is_too_old_or_lacking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str | None, problem: str
) -> None:
    def find(name: str) -> str:
        if version is None:
            raise importlib.metadata.PackageNotFoundError(name)
        return version

    # Dask remembers the true versions for later connections.
    import distributed.versions

    versions: Any = distributed.versions
    versions.get_versions()
    monkeypatch.setattr(importlib.metadata, "version", find)
    (tmp_path / "t.csv").write_text("a,y\n1,0\n2,1\n")
    with pytest.raises(UsageError, match=problem):
        probfs.rank(tmp_path / "t.csv", target="y", engine="dask", scheduler="tcp://127.0.0.1:1")


def test_an_error_in_a_file_names_it_and_loggers_stay_as_they_were(tmp_path: Path, cluster: DaskProcesses) -> None:
    (tmp_path / "a.csv").write_text("a,y\n1,0\n2,1\n")
    (tmp_path / "zz.csv").write_text('a,y\n1,0\n"2,1\n')
    loggers = [logging.getLogger(name) for name in ("asyncio", "tornado.application", "distributed.client")]
    before = [(logger.level, logger.filters) for logger in loggers]
    seen: list[bool] = []
    for options in ({"target": "y"}, on_cluster(cluster, target="y")):
        with pytest.raises(DataError, match=r"zz\.csv:3: ") as error:
            probfs.rank(tmp_path, on_progress=lambda progress: seen.append(loggers[0].isEnabledFor(30)), **options)
        assert "\n" not in str(error.value)
    assert all(seen)
    assert [(logger.level, logger.filters) for logger in loggers] == before


def test_ctrl_c_leaves_the_cluster_usable(cluster: DaskProcesses, larger_table: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "probfs", "rank", str(larger_table), "--target", "y", "--engine", "dask"]
    process = subprocess.Popen(
        [*command, "--scheduler", cluster.address],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert process.stderr is not None
    # It names the target when the table has been read; all rounds are still to come.
    line = process.stderr.readline()
    assert b"target" in line
    os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130, errors
    assert b"Traceback" not in errors
    table = write_split_table(tmp_path / "table", 7)
    found = probfs.rank(table.folder, **on_cluster(cluster, **table.options))
    assert_same_ranking(found, probfs.rank(table.folder, **table.options))


def test_messages_made_by_workers_speak_the_language_of_the_caller(tmp_path: Path, cluster: DaskProcesses) -> None:
    table = tmp_path / "t.parquet"
    table.write_bytes(b"PAR1 nothing else")
    with command_line_language(), pytest.raises(DataError, match="say what it is with --input-format") as error:
        probfs.rank(table, **on_cluster(cluster, target="y"))
    assert "\n" not in str(error.value)


@pytest.mark.usefixtures("hasty")
def test_progress_is_how_many_blocks_are_done() -> None:
    said: list[tuple[str, int, int | None]] = []
    client = SimpleNamespace(gather=list, as_current=contextlib.nullcontext)
    blocks: list[Any] = [SimpleNamespace(status=status) for status in ("finished", "pending", "pending")]
    with listening(lambda progress: said.append((progress.stage, progress.done, progress.total))):
        Cluster(client, None).gather(["answer"], "reading", blocks)  # type: ignore[list-item]  # no Dask here
        Cluster(client, None).gather(["answer"], "reading", blocks[:1])  # type: ignore[list-item]  # as above
    assert said == [("reading", 1, 3), ("reading", 0, None)]
