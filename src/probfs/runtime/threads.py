"""Threads for work that releases the interpreter lock: compiled loops, and blocks of a file."""

from __future__ import annotations

import itertools
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import cache
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

MOST_THREADS = 16
"""Beyond this many threads, loops over a table in memory gain nothing."""

_most_cores: ContextVar[int | None] = ContextVar("_most_cores", default=None)


@contextmanager
def using_cores(most: int) -> Iterator[None]:
    """Use no more threads than this meanwhile, in this thread: others use the rest of the cores."""
    token = _most_cores.set(most)
    try:
        yield
    finally:
        _most_cores.reset(token)


def count_cores() -> int:
    """How many threads the caller may use at the same time."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, MOST_THREADS, _most_cores.get() or MOST_THREADS)


def split_range(items: int, most_parts: int) -> list[tuple[int, int]]:
    """The range of some items in parts of about equal size: one for each thread, but no more than ``most_parts``.

    >>> split_range(7, 1)
    [(0, 7)]
    """
    parts = max(1, min(count_cores(), most_parts, items))
    return [(items * part // parts, items * (part + 1) // parts) for part in range(parts)]


def run_in_threads(calls: Sequence[Callable[[], object]]) -> None:
    """Make all calls, the first of them in the caller's thread, and return when the last has ended.

    The calls must not use these threads themselves.
    """
    others: list[Future[object]] = [_pool().submit(call) for call in calls[1:]]
    for call in calls[:1]:
        call()
    for other in others:
        other.result()


def map_ahead(work: Callable[[Task], Result], tasks: Iterable[Task], threads: int, ahead: int) -> Iterator[Result]:
    """The results of ``work``, in the order of the tasks, computed by some threads while the caller uses earlier
    results. At most ``ahead`` tasks are taken from the iterable before their results are asked for.
    """
    remaining = iter(tasks)
    first = list(itertools.islice(remaining, 2))
    if len(first) < 2:
        # No thread is worth starting for one.
        yield from map(work, first)
        return
    waiting: deque[Future[Result]] = deque()
    pool = ThreadPoolExecutor(threads)
    try:
        for task in itertools.chain(first, remaining):
            # In a copy of the caller's context, so that messages made there are in the same language.
            waiting.append(pool.submit(copy_context().run, work, task))
            if len(waiting) >= ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        # Without waiting: a generator that nobody uses any longer may be collected by one of these very threads.
        pool.shutdown(wait=False, cancel_futures=True)


def in_threads(work: Callable[[Task], Result], tasks: Sequence[Task], threads: int) -> list[Result]:
    """The results of all tasks, in their order, computed by some threads or, where one would do, by the caller."""
    if threads < 2:
        return [work(task) for task in tasks]
    return list(map_ahead(work, tasks, threads, ahead=len(tasks)))


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(MOST_THREADS)


if hasattr(os, "register_at_fork"):
    # A forked process inherits the pool, but not its threads.
    os.register_at_fork(after_in_child=_pool.cache_clear)
