"""Warnings of fits in threads, caught without touching those of the rest of the program.

Python's ``catch_warnings`` changes filters of the whole process, and threads that enter and leave it in any order leave
the filters of one to all. Here the filters are changed once, by whoever waits for the threads, and only for code that
collects its warnings. So a thread that nobody waits for any longer has nothing to restore.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, cast


@dataclass(frozen=True)
class CaughtWarning:
    """A warning that was collected, not shown."""

    category: type[Warning]
    message: str


_collected: ContextVar[list[CaughtWarning] | None] = ContextVar("collected warnings", default=None)
"""Where warnings go; threads of the pool have that of whoever gave them their task."""


class _InCollectingCode:
    """Stands in a filter in the place of a module's pattern, and matches every module while warnings are collected."""

    pattern = ".*"
    """What scikit-learn makes a filter of, for the threads and processes that it starts itself."""

    def match(self, module: str) -> bool:
        return _collected.get() is not None


_FILTER: Any = ("always", None, Warning, _InCollectingCode(), 0)


class _Dispatcher:
    """Hands warnings to whoever collects them, and others to whoever showed them before. Entered by several threads,
    it is undone by the last that leaves.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._before: warnings.catch_warnings[None] | None = None
        self._filters: list[Any] = []
        self._show: Callable[..., Any] = warnings.showwarning

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._before = warnings.catch_warnings()
                self._before.__enter__()
                self._show = warnings.showwarning
                self._filters = cast("list[Any]", warnings.filters)
                self._filters.insert(0, _FILTER)
                warnings.showwarning = self._dispatch
            self._inside += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                assert self._before is not None
                self._before.__exit__(None, None, None)
                # An abandoned fit may yet restore the filters that it found. Threads of scikit-learn empty them.
                self._filters[:] = [kept for kept in self._filters if kept is not _FILTER]

    def _dispatch(self, message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        collected = _collected.get()
        if collected is None:
            self._show(message, category, *where, **more)
        else:
            collected.append(CaughtWarning(category, str(message)))


dispatch_warnings = _Dispatcher()
"""To be entered by the thread that waits for others whose warnings are collected."""


@contextmanager
def collect_warnings() -> Iterator[list[CaughtWarning]]:
    """Collect the warnings of this thread and of the pool's threads that it gives tasks to, in place of showing them,
    as long as some thread is inside ``dispatch_warnings``.
    """
    collected: list[CaughtWarning] = []
    token = _collected.set(collected)
    try:
        yield collected
    finally:
        _collected.reset(token)
