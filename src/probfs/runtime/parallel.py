"""Work on all cores: in threads where it releases the interpreter lock (compiled loops, blocks of a file), and fits of
models in this process while they are cheap, in joblib's worker processes once these pay.

Python's warning filters and the thread limits of BLAS and OpenMP belong to the whole process, so only one thread of a
process fits at a time.
"""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import Any, TypeVar

from probfs.errors import DataError
from probfs.text import option

Task = TypeVar("Task")
Result = TypeVar("Result")

MOST_THREADS = 16
"""Beyond this many threads, loops over a table in memory gain nothing."""
SECONDS_WORTH_WORKERS = 10.0
"""Work that takes less stays in this process: every worker process first has to import scikit-learn."""

_most_cores: ContextVar[int] = ContextVar("_most_cores", default=MOST_THREADS)
_on_cluster: ContextVar[bool] = ContextVar("_on_cluster", default=False)
_one_fit_at_a_time = threading.RLock()


@contextmanager
def using_cores(most: int) -> Iterator[None]:
    """Use no more threads than this meanwhile, in this thread: others use the rest of the cores."""
    token = _most_cores.set(most)
    try:
        yield
    finally:
        _most_cores.reset(token)


def usable_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def count_cores() -> int:
    """How many threads the caller may use at the same time."""
    return min(usable_cores(), MOST_THREADS, _most_cores.get())


def split_range(items: int, most_parts: int) -> list[tuple[int, int]]:
    """The range of some items in parts of about equal size: one for each thread, but no more than ``most_parts``.

    >>> split_range(7, 1)
    [(0, 7)]
    """
    parts = max(1, min(count_cores(), most_parts, items))
    return [(items * part // parts, items * (part + 1) // parts) for part in range(parts)]


def run_in_threads(calls: Sequence[Callable[[], object]]) -> None:
    """Make all calls at the same time, and return when the last has ended."""
    map_in_threads(lambda call: call(), calls, len(calls))


def map_in_threads(work: Callable[[Task], Result], tasks: Iterable[Task], threads: int) -> list[Result]:
    """The results of ``work``, in order; no more tasks are made at a time than there are threads."""
    if threads < 2:
        return [work(task) for task in tasks]
    results: list[Future[Result]] = []
    pool = ThreadPoolExecutor(threads)
    try:
        for task in tasks:
            if len(results) >= threads:
                results[-threads].result()
            # In a copy of the caller's context, so that messages made there are in the same language.
            results.append(pool.submit(copy_context().run, work, task))
        return [result.result() for result in results]
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def joblib_on_cluster(client: Any) -> Iterator[None]:
    """Have all tasks run meanwhile by the workers of a Dask cluster, through joblib's own backend for these."""
    from joblib import parallel_config

    token = _on_cluster.set(True)
    try:
        with parallel_config(backend="dask", client=client):
            yield
    finally:
        _on_cluster.reset(token)


@contextmanager
def catch_fit_warnings() -> Iterator[list[warnings.WarningMessage]]:
    """The warnings of a fit, collected instead of shown."""
    with _one_fit_at_a_time, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught


class Workers:
    """Runs tasks in this process at first, and in worker processes once the remaining work is worth starting them."""

    def __init__(self, jobs: int, tasks: int, threads: int = 1) -> None:
        """``tasks`` is the number of tasks in all calls of ``run``; in this process, OpenMP may use ``threads``."""
        from threadpoolctl import ThreadpoolController

        self._jobs = jobs
        # BLAS gains nothing by more than one on tables of this size.
        self._limits = {"blas": 1, "openmp": threads}
        self._libraries = ThreadpoolController()
        self._remaining = tasks
        self._seconds = 0.0
        self._done = 0

    def run(self, work: Callable[[Task], Result], tasks: Sequence[Task]) -> Iterator[Result]:
        """The results, in the order of the tasks."""
        for position, task in enumerate(tasks):
            if self._are_workers_worth_it(len(tasks) - position):
                self._remaining -= len(tasks) - position
                yield from _run_in_workers(self._jobs, work, tasks[position:])
                return
            start = time.perf_counter()
            with _one_fit_at_a_time, self._libraries.limit(limits=self._limits):
                result = work(task)
            self._seconds += time.perf_counter() - start
            self._done += 1
            self._remaining -= 1
            yield result

    def _are_workers_worth_it(self, tasks: int) -> bool:
        if _on_cluster.get():
            # Its workers are there already.
            return tasks > 1
        if self._jobs == 1 or tasks == 1 or not self._done:
            return False
        return self._seconds / self._done * self._remaining > SECONDS_WORTH_WORKERS


def _run_in_workers(jobs: int, work: Callable[[Task], Result], tasks: Sequence[Task]) -> Iterator[Result]:
    from joblib import Parallel, delayed, parallel_config

    def run_alone(task: Task) -> Result:
        """Run a task in a worker that has one core. (joblib and Dask limit BLAS and OpenMP in their workers.)"""
        with parallel_config(backend="sequential"):
            return work(task)

    in_main = threading.current_thread() is threading.main_thread()
    # A terminal sends Ctrl-C to the new processes, too, and each would print a traceback; this process ends them.
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN) if in_main else None
    try:
        results: Generator[Result] = Parallel(n_jobs=jobs, return_as="generator")(map(delayed(run_alone), tasks))
    finally:
        if handler is not None:
            signal.signal(signal.SIGINT, handler)
    try:
        # Not ``yield from``, which would close the results by itself.
        for result in results:  # noqa: UP028
            yield result
    except BrokenProcessPool as error:
        problem = "a worker process was killed, perhaps for lack of memory"
        raise DataError(f"{problem}; use fewer with {option('jobs')}, or {option('jobs', 1)}") from error
    finally:
        with catch_fit_warnings():
            # After an error or Ctrl-C, joblib would complain that it has worked in vain.
            results.close()
