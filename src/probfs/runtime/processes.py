"""Work on all cores, to be interrupted at once."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

from probfs.errors import DataError
from probfs.runtime.threads import thread_pool

Task = TypeVar("Task")
Result = TypeVar("Result")

WORTH_WORKERS = 10.0
"""Seconds of work below which starting further processes, each with scikit-learn to import, would not pay."""


class Workers:
    """Runs tasks here at first, and on several processes once it is clear that there is work for them."""

    def __init__(self, jobs: int, tasks: int) -> None:
        """``tasks`` is how many there will be in all."""
        self._jobs = jobs
        self._left = tasks
        self._spent = 0.0
        self._done = 0

    def run(self, work: Callable[[Task], Result], tasks: Sequence[Task]) -> Iterator[Result]:
        """The results, in the order of the tasks."""
        for position, task in enumerate(tasks):
            if self._worth_sharing(len(tasks) - position):
                for result in self._shared(work, tasks[position:]):
                    self._left -= 1
                    yield result
                return
            start = time.perf_counter()
            result = interruptibly(work, task)
            self._spent += time.perf_counter() - start
            self._done += 1
            self._left -= 1
            yield result

    def _worth_sharing(self, tasks: int) -> bool:
        if self._jobs == 1 or tasks == 1 or not self._done:
            return False
        return self._spent / self._done * self._left > WORTH_WORKERS

    def _shared(self, work: Callable[[Task], Result], tasks: Sequence[Task]) -> Iterator[Result]:
        from joblib import Parallel, delayed

        parallel = Parallel(n_jobs=self._jobs, return_as="generator")
        with _workers_deaf_to_ctrl_c():
            results: Iterator[Result] = parallel(delayed(_on_one_core)(work, task) for task in tasks)
        try:
            yield from results
        except BrokenProcessPool as error:
            problem = "a process that worked for this one was killed, for want of memory perhaps"
            raise DataError(f"{problem}; use fewer with --jobs, or --jobs 1") from error


@contextmanager
def _workers_deaf_to_ctrl_c() -> Iterator[None]:
    """Processes started meanwhile ignore Ctrl-C, which a terminal sends to all of them: whoever started them ends them,
    while each on its own would complain in a traceback.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


class _OneBlasThread:
    """While anyone is inside, BLAS works in one thread: on matrices of this size several would wait for each other
    longer than they work. The limit holds for the whole process, so that the last to leave lifts it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._limit: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._limit = _blas_libraries().limit(limits=1, user_api="blas")
            self._inside += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._limit.restore_original_limits()


_one_blas_thread = _OneBlasThread()


@cache
def _blas_libraries() -> ThreadpoolController:
    """To find them takes some milliseconds, so it is done once."""
    return ThreadpoolController()


def _on_one_core(work: Callable[[Task], Result], task: Task) -> Result:
    with _one_blas_thread:
        return work(task)


def interruptibly(work: Callable[[Task], Result], task: Task) -> Result:
    """Call in a thread of its own: Ctrl-C is heard at once, while a fit in C would keep it waiting to its end."""
    with _one_blas_thread:
        return in_threads(work, [task], 1)[0]


def in_threads(work: Callable[[Task], Result], tasks: Sequence[Task], threads: int) -> list[Result]:
    """The results of all tasks, in their order, computed by some threads of the pool.

    After an error or Ctrl-C, tasks that no thread has begun are not begun, and nobody waits for the others.
    """
    return list(thread_pool().map_in_order(work, tasks, min(threads, len(tasks)), ahead=len(tasks)))
