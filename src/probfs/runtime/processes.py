"""Tasks on all cores, in several processes, that Ctrl-C interrupts at once."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

from probfs.errors import DataError
from probfs.runtime.caught_warnings import collect_warnings, dispatch_warnings
from probfs.runtime.threads import map_ahead
from probfs.text import option

Task = TypeVar("Task")
Result = TypeVar("Result")

SECONDS_WORTH_WORKERS = 10.0
"""Work estimated below this stays in this process: every worker process first has to import scikit-learn."""


_on_cluster: ContextVar[bool] = ContextVar("_on_cluster", default=False)


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


class Workers:
    """Runs tasks in this process at first, and in several worker processes once the remaining work is worth it."""

    def __init__(self, jobs: int, tasks: int) -> None:
        """``tasks`` is the number of tasks in all calls of ``run`` together."""
        self._jobs = jobs
        self._remaining = tasks
        self._seconds = 0.0
        self._done = 0

    def run(self, work: Callable[[Task], Result], tasks: Sequence[Task]) -> Iterator[Result]:
        """The results, in the order of the tasks."""
        for position, task in enumerate(tasks):
            if self._is_worth_workers(len(tasks) - position):
                for result in self._run_in_workers(work, tasks[position:]):
                    self._remaining -= 1
                    yield result
                return
            start = time.perf_counter()
            result = run_interruptibly(work, task)
            self._seconds += time.perf_counter() - start
            self._done += 1
            self._remaining -= 1
            yield result

    def _is_worth_workers(self, tasks: int) -> bool:
        if _on_cluster.get():
            # Its workers are there already.
            return tasks > 1
        if self._jobs == 1 or tasks == 1 or not self._done:
            return False
        return self._seconds / self._done * self._remaining > SECONDS_WORTH_WORKERS

    def _run_in_workers(self, work: Callable[[Task], Result], tasks: Sequence[Task]) -> Iterator[Result]:
        from joblib import Parallel, delayed

        parallel = Parallel(n_jobs=self._jobs, return_as="generator")
        with _new_processes_ignore_ctrl_c():
            results: Generator[Result] = parallel(delayed(_run_on_one_core)(work, task) for task in tasks)
        try:
            # Not ``yield from``, which would close the results by itself.
            for result in results:  # noqa: UP028
                yield result
        except BrokenProcessPool as error:
            problem = "a worker process was killed, perhaps for lack of memory"
            raise DataError(f"{problem}; use fewer with {option('jobs')}, or {option('jobs', 1)}") from error
        finally:
            with dispatch_warnings, collect_warnings():
                # After an error or Ctrl-C, joblib would complain that it has worked in vain.
                results.close()


@contextmanager
def _new_processes_ignore_ctrl_c() -> Iterator[None]:
    """Make processes that are started meanwhile ignore Ctrl-C, which a terminal sends to all of them.

    The process that started them ends them; left to themselves, each would print a traceback.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


class _SingleBlasThread:
    """Limits BLAS to one thread while any thread is inside: on matrices of this size, several BLAS threads would spend
    more time waiting for each other than working. The limit holds for the whole process, so the last to leave lifts it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._limit: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._limit = _find_thread_libraries().limit(limits=1, user_api="blas")
            self._inside += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._limit.restore_original_limits()


_single_blas_thread = _SingleBlasThread()


def _find_thread_libraries() -> ThreadpoolController:
    """The loaded libraries that start threads."""
    return _find_thread_libraries_of(len(sys.modules))


@lru_cache(maxsize=1)
def _find_thread_libraries_of(modules: int) -> ThreadpoolController:
    """Finding them takes some milliseconds, so it is done anew only once further modules were imported: these may have
    loaded libraries of their own.
    """
    return ThreadpoolController()


def _run_on_one_core(work: Callable[[Task], Result], task: Task) -> Result:
    with _single_blas_thread, dispatch_warnings:
        return on_one_thread(work)(task)


def on_one_thread(work: Callable[[Task], Result]) -> Callable[[Task], Result]:
    """The same work, done with ``one_thread``."""

    def limited(task: Task) -> Result:
        with one_thread():
            return work(task)

    return limited


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep OpenMP and joblib from starting further threads for what this thread does meanwhile: where tasks already
    have a core each, or are small, threads would only wait for each other.
    """
    from joblib import parallel_config

    with parallel_config(backend="sequential"), _find_thread_libraries().limit(limits=1, user_api="openmp"):
        yield


def run_interruptibly(work: Callable[[Task], Result], task: Task) -> Result:
    """The result of a task run in another thread, so that Ctrl-C is heard at once: a fit in C would delay it until
    the fit is finished.
    """
    with _single_blas_thread, dispatch_warnings:
        return in_threads(work, [task], 1)[0]


def in_threads(work: Callable[[Task], Result], tasks: Sequence[Task], threads: int) -> list[Result]:
    """The results of all tasks, in their order, computed by some threads of the pool.

    After an error or Ctrl-C, tasks that no thread has begun are not begun, and nobody waits for the others.
    """
    return list(map_ahead(work, tasks, min(threads, len(tasks)) or 1, ahead=len(tasks) + 1))
