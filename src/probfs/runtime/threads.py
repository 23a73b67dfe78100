"""Threads that stay for the next call: a round of elimination may take no longer than starting one."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from functools import cache
from queue import SimpleQueue

Call = Callable[[], object]
MOST_THREADS = 16
"""Beyond this loops over a table in memory gain nothing."""


class Crew:
    """As many threads as there are cores, counting the caller's own; for calls that let go of the interpreter."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._calls: SimpleQueue[tuple[Call, SimpleQueue[None]]] = SimpleQueue()
        for _ in range(size - 1):
            # They do not outlive the program, whatever they are at.
            threading.Thread(target=self._serve, daemon=True).start()

    def run(self, calls: Sequence[Call]) -> None:
        """Make all calls, none of which may fail, and return when the last is done.

        An interrupt may end the waiting earlier: what a call works on must be kept by the call itself.
        """
        done: SimpleQueue[None] = SimpleQueue()
        for call in calls[1:]:
            self._calls.put((call, done))
        for call in calls[:1]:
            call()
        for _ in calls[1:]:
            done.get()

    def _serve(self) -> None:
        while True:
            call, done = self._calls.get()
            call()
            done.put(None)
            # Nothing is kept until the next call comes.
            del call, done


@cache
def crew() -> Crew:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return Crew(min(cores, MOST_THREADS))


if hasattr(os, "register_at_fork"):
    # A process that is a copy of this one has no threads but the one that made it.
    os.register_at_fork(after_in_child=crew.cache_clear)
