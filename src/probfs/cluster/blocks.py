"""The blocks of a table on a cluster: where they are, and questions that all of them answer."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from probfs.cluster.connection import Cluster, as_it_is

if TYPE_CHECKING:
    from distributed import Future

_SECONDS_BETWEEN_LOOKS = 2.0
"""How often new workers are looked for: it takes as long as a question."""


class Blocks:
    """Some blocks, in order. Workers that join are given some of them."""

    def __init__(self, cluster: Cluster, futures: Sequence[Future[Any]]) -> None:
        self.cluster = cluster
        self.futures = futures
        self._workers = cluster.addresses()
        self._next_look = time.monotonic() + _SECONDS_BETWEEN_LOOKS

    def __len__(self) -> int:
        return len(self.futures)

    def send(self, name: str, value: Any) -> Future[Any]:
        """A value that many questions need."""
        # The result of a task, and no data of its own: where its only copy is lost, Dask makes it again.
        return self.cluster.submit(name, as_it_is, value)

    def ask(self, name: str, function: Any, **others: Any) -> list[Any]:
        """What a function makes of each block, in their order."""
        self._use_new_workers()
        tasks = self.cluster.map(name, function, self.futures, **others)
        answers = self.cluster.gather(tasks)
        self.cluster.release(tasks)
        return answers

    def _use_new_workers(self) -> None:
        if time.monotonic() < self._next_look:
            return
        self._next_look = time.monotonic() + _SECONDS_BETWEEN_LOOKS
        workers = self.cluster.addresses()
        if workers - self._workers:
            self.futures = self.cluster.spread(self.futures)
        self._workers = workers
