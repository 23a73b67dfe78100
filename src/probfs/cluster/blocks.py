"""The blocks of a table on a cluster: where they are, and questions that all of them answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from probfs.cluster.connection import Cluster, identity
from probfs.rows.block import Block
from probfs.rows.blocks import add_answers

if TYPE_CHECKING:
    from distributed import Future

Answer = TypeVar("Answer")
_SECONDS_BETWEEN_LOOKS = 2.0
"""How often new workers are looked for: it takes as long as a question."""


class ClusterBlocks:
    """Some blocks, in order. Workers that join are given some of them."""

    here = None

    def __init__(self, cluster: Cluster, futures: Sequence[Future[Any]]) -> None:
        self.cluster = cluster
        self.futures = futures
        self._workers = cluster.addresses()
        self._next_look = time.monotonic() + _SECONDS_BETWEEN_LOOKS

    def ask(self, function: Callable[..., Answer], *arguments: Any) -> Answer:
        answer: Answer = add_answers(self.each(function, *arguments))
        return answer

    def each(self, function: Callable[..., Answer], *arguments: Any) -> list[Answer]:
        self._use_new_workers()
        named = {f"argument_{place}": one for place, one in enumerate(arguments)}
        tasks = self.cluster.map(function.__name__.strip("_"), _answer, self.futures, question=function, **named)
        answers = self.cluster.gather(tasks)
        self.cluster.release(tasks)
        return answers

    def map(self, function: Callable[..., Block], *arguments: Any) -> ClusterBlocks:
        """The new blocks take the place of the old ones, of which Dask keeps only how they were made."""
        named = {f"argument_{place}": self.share(one) for place, one in enumerate(arguments)}
        made = self.cluster.map(function.__name__.strip("_"), _answer, self.futures, question=function, **named)
        return ClusterBlocks(self.cluster, made)

    def share(self, value: Any) -> Any:
        # Submitted as a task, so that Dask can recompute it where its only copy is lost.
        return self.cluster.submit("share", identity, value)

    def _use_new_workers(self) -> None:
        if time.monotonic() < self._next_look:
            return
        self._next_look = time.monotonic() + _SECONDS_BETWEEN_LOOKS
        workers = self.cluster.addresses()
        if workers - self._workers:
            self.futures = self.cluster.spread(self.futures)
        self._workers = workers


def _answer(block: Block, question: Callable[..., Answer], **arguments: Any) -> Answer:
    with block.lock:
        return question(block, *arguments.values())
