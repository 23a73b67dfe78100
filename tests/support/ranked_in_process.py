"""Rankings by the engine of a cluster, whose tasks run in this process."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

import probfs
from probfs.cluster import connection
from tests.support.in_process_cluster import InProcessCluster


def rank_in_process(*data: Any, **options: Any) -> probfs.Ranking:
    """What ``probfs.rank(engine="dask")`` returns, without Dask."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connection, "connect", _connect)
        return probfs.rank(*data, engine="dask", **options)


@contextlib.contextmanager
def _connect(scheduler: str | None, workers: int | None) -> Iterator[InProcessCluster]:
    yield InProcessCluster()
