"""Which engine does the work of a call: this process, or a Dask cluster, opened for as long as the call takes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from probfs.errors import UsageError
from probfs.ranking.settings import ENGINES, Settings
from probfs.ranking.stages import Engine, LocalEngine
from probfs.text import did_you_mean, option

if TYPE_CHECKING:
    from probfs.cluster.connection import Cluster


@contextlib.contextmanager
def open_engine(name: str, scheduler: str | None, workers: int | None, settings: Settings) -> Iterator[Engine]:
    """The engine of this name; ``scheduler`` and ``workers`` say where a cluster is, or how large one is to be."""
    with _open_cluster(name, scheduler, workers, settings) as cluster:
        if cluster is None:
            yield LocalEngine()
        else:
            from probfs.cluster.engine import ClusterEngine

            yield ClusterEngine(cluster)


@contextlib.contextmanager
def _open_cluster(
    name: str, scheduler: str | None, workers: int | None, settings: Settings
) -> Iterator[Cluster | None]:
    """The cluster that rows are to be on; None where they are here, whether a cluster fits the models or not."""
    if name not in ENGINES:
        choices = ", ".join(ENGINES)
        raise UsageError(
            f"{option('engine', name)}: no such engine; choose from {choices}{did_you_mean(name, ENGINES)}"
        )
    if name == "local":
        for parameter, value in (("scheduler", scheduler), ("workers", workers)):
            if value is not None:
                raise UsageError(f"{option(parameter)} goes with {option('engine', 'dask')} only")
        yield None
        return
    if isinstance(workers, bool) or (workers is not None and (not isinstance(workers, int) or workers < 1)):
        raise UsageError(f"{option('workers')}: {workers!r} is no number of processes; give 1 or more")
    from probfs.cluster.connection import connect

    with connect(scheduler, workers) as cluster:
        if settings.model.takes_blocks:
            yield cluster
        else:
            with cluster.running_joblib():
                yield None
