"""Rankings on a real cluster: a scheduler and workers as processes of their own, some of which are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import probfs
from probfs.errors import DataError, UsageError
from tests.support.dask_cluster import DaskProcesses, running_cluster
from tests.support.file_parts import assert_same_ranking, write_split_table
from tests.support.many_numbers import KINDS, measured, write_parts


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskProcesses]:
    with running_cluster(tmp_path_factory.mktemp("cluster"), workers=2) as processes:
        yield processes


@pytest.fixture(scope="module")
def larger_table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table whose ranking takes long enough for workers to die meanwhile."""
    folder = tmp_path_factory.mktemp("larger")
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, 40_000)
    cells = {f"f{j:02}": random.integers(0, 5, 40_000) + (random.random(40_000) < 0.01 * j) * labels for j in range(30)}
    frame = pd.DataFrame({**cells, "y": labels}).astype(str)
    for number, rows in enumerate(np.array_split(np.arange(40_000), 6)):
        frame.iloc[rows].to_parquet(folder / f"part-{number}.parquet", index=False)
    return folder


@pytest.mark.parametrize("seed", range(20, 40))
def test_random_tables(tmp_path: Path, cluster: DaskProcesses, seed: int) -> None:
    table = write_split_table(tmp_path / "table", seed)
    expected = probfs.rank(table.folder, **table.options)
    found = probfs.rank(table.folder, engine="dask", scheduler=cluster.address, **table.options)
    assert_same_ranking(found, expected)


def test_many_numbers(tmp_path: Path, cluster: DaskProcesses, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)
    labels = random.integers(0, 2, 3000)
    frame = pd.DataFrame({kind: measured(random, labels, kind) for kind in KINDS}).assign(y=labels.astype(str))
    paths = write_parts(frame, [500, 2000], tmp_path)
    # Nobody counts the values of these columns.
    monkeypatch.setattr("probfs.cluster.engine.MANY_NUMBERS", 100)
    found = probfs.rank(paths, target="y", engine="dask", scheduler=cluster.address)
    assert_same_ranking(found, probfs.rank(paths, target="y"))


@pytest.mark.parametrize("share", [0.3, 0.7])
def test_a_worker_that_dies_costs_time_alone(cluster: DaskProcesses, larger_table: Path, share: float) -> None:
    _rank_while_a_worker_dies(cluster, larger_table, share)


@pytest.mark.slow
@pytest.mark.parametrize("share", np.random.default_rng(1).random(10).tolist())
def test_workers_that_die_at_any_moment(cluster: DaskProcesses, larger_table: Path, share: float) -> None:
    _rank_while_a_worker_dies(cluster, larger_table, share)


def _rank_while_a_worker_dies(cluster: DaskProcesses, table: Path, share: float) -> None:
    expected = probfs.rank(table, target="y")
    columns = len(expected.features)
    killed = threading.Event()

    def kill_once(progress: probfs.Progress) -> None:
        # By the round, not by the clock: a busy machine is slower, but goes through the same rounds.
        if progress.unit == "features" and progress.done >= share * columns and not killed.is_set():
            killed.set()
            cluster.add_worker()
            cluster.kill_worker()

    found = probfs.rank(table, target="y", engine="dask", scheduler=cluster.address, on_progress=kill_once)
    assert killed.is_set()
    assert_same_ranking(found, expected)


@pytest.mark.parametrize("another_dies", [False, True])
def test_a_worker_that_joins_is_used(
    cluster: DaskProcesses, larger_table: Path, monkeypatch: pytest.MonkeyPatch, another_dies: bool
) -> None:
    import distributed

    monkeypatch.setattr("probfs.cluster.engine._SECONDS_BETWEEN_LOOKS", 0.0)
    client: Any = distributed.Client
    with client(cluster.address, set_as_default=False) as own:
        own.wait_for_workers(2, timeout=120)
        before = set(own.scheduler_info(n_workers=-1)["workers"])
        joined = threading.Event()

        def add_once(progress: probfs.Progress) -> None:
            if progress.unit == "features" and progress.done and not joined.is_set():
                joined.set()
                cluster.add_worker()
                own.wait_for_workers(len(before) + 1, timeout=120)
                if another_dies:
                    cluster.kill_worker()

        probfs.rank(larger_table, target="y", engine="dask", scheduler=cluster.address, on_progress=add_once)
        (new,) = set(own.scheduler_info(n_workers=-1)["workers"]) - before
        assert own.run(_tasks_done, workers=[new])[new] > 0


def _tasks_done(dask_worker: Any) -> int:
    return int(dask_worker.state.executed_count)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits a second for a scheduler, and not ten."""
    monkeypatch.setattr("probfs.cluster.connection._SECONDS_TO_CONNECT", 1)


@pytest.mark.usefixtures("impatient")
def test_a_scheduler_that_goes_away_is_one_line(tmp_path: Path, larger_table: Path) -> None:
    with running_cluster(tmp_path, workers=1) as own:

        def kill(progress: probfs.Progress) -> None:
            if (progress.unit, progress.done) == ("features", 3):
                own.kill_scheduler()

        with pytest.raises(DataError, match="went away; start it, and rank"):
            probfs.rank(larger_table, target="y", engine="dask", scheduler=own.address, on_progress=kill)


@pytest.mark.usefixtures("impatient")
def test_nothing_answers(tmp_path: Path) -> None:
    table = write_split_table(tmp_path / "table", 0)
    with pytest.raises(UsageError, match=r"nothing answers at tcp://127\.0\.0\.1:1 "):
        probfs.rank(table.folder, target="y", engine="dask", scheduler="tcp://127.0.0.1:1")


def test_an_error_in_a_file_names_it(tmp_path: Path, cluster: DaskProcesses) -> None:
    table = write_split_table(tmp_path / "table", 5)
    broken = table.folder / "zz.csv"
    for file in table.folder.iterdir():
        file.unlink()
    (table.folder / "a.csv").write_text("a,y\n1,0\n2,1\n")
    broken.write_text('a,y\n1,0\n"2,1\n')
    with pytest.raises(DataError) as expected:
        probfs.rank(table.folder, target="y")
    with pytest.raises(DataError) as found:
        probfs.rank(table.folder, target="y", engine="dask", scheduler=cluster.address)
    assert str(found.value) == str(expected.value)


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
    found = probfs.rank(table.folder, engine="dask", scheduler=cluster.address, **table.options)
    assert_same_ranking(found, probfs.rank(table.folder, **table.options))


def test_processes_of_this_machine(tmp_path: Path) -> None:
    table = write_split_table(tmp_path / "table", 3)
    expected = probfs.rank(table.folder, **table.options)
    assert_same_ranking(probfs.rank(table.folder, engine="dask", workers=1, **table.options), expected)


def test_dask_is_imported_only_where_it_is_asked_for(tmp_path: Path) -> None:
    table = write_split_table(tmp_path / "table", 0)
    script = (
        "import sys, probfs\n"
        f"probfs.rank({str(table.folder)!r}, target='y')\n"
        "print([name for name in ('dask', 'distributed', 'fsspec', 'probfs.cluster') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_fits_of_other_classifiers_are_done_by_the_cluster(tmp_path: Path, cluster: DaskProcesses) -> None:
    import distributed

    table = write_split_table(tmp_path / "table", 4)
    options: dict[str, Any] = {"target": "y", "classifier": "logistic", "removal": "retrain", "step": 0.5}
    expected = probfs.rank(table.folder, **options)
    client: Any = distributed.Client
    with client(cluster.address, set_as_default=False) as own:
        before = sum(own.run(_tasks_done).values())
        found = probfs.rank(table.folder, engine="dask", scheduler=cluster.address, **options)
        assert sum(own.run(_tasks_done).values()) > before
    assert found.features == expected.features


def test_messages_made_by_workers_speak_the_language_of_the_caller(tmp_path: Path, cluster: DaskProcesses) -> None:
    table = tmp_path / "t.parquet"
    table.write_bytes(b"PAR1 nothing else")
    command = [sys.executable, "-m", "probfs", "rank", str(table), "--target", "y", "--engine", "dask"]
    result = subprocess.run([*command, "--scheduler", cluster.address], capture_output=True, text=True)
    assert result.returncode == 1
    assert "say what it is with --input-format" in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_ranking_inside_a_task_of_the_same_cluster(tmp_path: Path, cluster: DaskProcesses) -> None:
    import distributed

    table = write_split_table(tmp_path / "table", 3)
    expected = probfs.rank(table.folder, **table.options)
    client: Any = distributed.Client
    with client(cluster.address, set_as_default=False) as own:
        # One on each worker, so that no thread would be left for what they send.
        options = {"engine": "dask", "scheduler": cluster.address, **table.options}
        tasks = [own.submit(probfs.rank, str(table.folder), pure=False, **options) for _ in range(2)]
        for found in own.gather(tasks):
            assert [one.feature for one in found.features] == [one.feature for one in expected.features]


def test_workers_that_are_not_there_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probfs.cluster.connection._SECONDS_FOR_WORKERS", 0.2)
    table = write_split_table(tmp_path / "table", 3)
    with (
        running_cluster(tmp_path, workers=0) as own,
        pytest.raises(DataError, match=r"has had no workers for .* minutes; start some, and rank again"),
    ):
        probfs.rank(table.folder, engine="dask", scheduler=own.address, **table.options)
