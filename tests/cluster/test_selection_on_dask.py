"""Selections on a real cluster: a scheduler and workers as processes of their own, one of which is killed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import probfs
from tests.support.dask_cluster import DaskProcesses, running_cluster
from tests.support.split_selections import assert_same_selection, write_split_candidates


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskProcesses]:
    with running_cluster(tmp_path_factory.mktemp("cluster"), workers=2) as processes:
        yield processes


@pytest.mark.parametrize("seed", range(40, 44))
def test_random_tables(tmp_path: Path, cluster: DaskProcesses, seed: int) -> None:
    table = write_split_candidates(tmp_path / "table", seed)
    expected = probfs.select(table.folder, **table.options)
    found = probfs.select(table.folder, engine="dask", scheduler=cluster.address, **table.options)
    assert_same_selection(found, expected)


@pytest.mark.parametrize("fold", [0, 1])
def test_a_worker_that_dies_costs_time_alone(
    cluster: DaskProcesses, tmp_path: Path, fold: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("probfs.cluster.blocks._SECONDS_BETWEEN_LOOKS", 0.0)
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, 4000)
    cells = {f"f{j}": random.integers(0, 5, 4000) + (random.random(4000) < 0.04 * j) * labels for j in range(9)}
    frame = pd.DataFrame({**cells, "m": np.round(random.normal(size=4000) + labels, 2), "y": labels}).astype(str)
    for number, rows in enumerate(np.array_split(np.arange(4000), 5)):
        frame.iloc[rows].to_parquet(tmp_path / f"part-{number}.parquet", index=False)
    expected = probfs.select(tmp_path, target="y", folds=2, keep="fewest")
    killed = threading.Event()

    def kill_once(progress: probfs.Progress) -> None:
        if progress.unit == "folds" and progress.done == fold and not killed.is_set():
            killed.set()
            cluster.add_worker()
            cluster.kill_worker()

    found = probfs.select(
        tmp_path,
        target="y",
        folds=2,
        keep="fewest",
        engine="dask",
        scheduler=cluster.address,
        on_progress=kill_once,
    )
    assert killed.is_set()
    assert_same_selection(found, expected)
