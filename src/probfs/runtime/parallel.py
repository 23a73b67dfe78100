"""Fits on all cores: in this process while they are cheap, in joblib's worker processes once these pay.

Python's warning filters and the thread limits of BLAS and OpenMP belong to the whole process, so only one thread of a
process fits at a time.
"""

from __future__ import annotations

import signal
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

from probfs.errors import DataError
from probfs.text import option

Task = TypeVar("Task")
Result = TypeVar("Result")

SECONDS_WORTH_WORKERS = 10.0
"""Work that takes less stays in this process: every worker process first has to import scikit-learn."""

_on_cluster: ContextVar[bool] = ContextVar("_on_cluster", default=False)
_one_fit_at_a_time = threading.RLock()


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
                for result in self._run_in_workers(work, tasks[position:]):
                    self._remaining -= 1
                    yield result
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

    def _run_in_workers(self, work: Callable[[Task], Result], tasks: Sequence[Task]) -> Iterator[Result]:
        from joblib import Parallel, delayed

        parallel = Parallel(n_jobs=self._jobs, return_as="generator")
        with _new_processes_ignore_ctrl_c():
            results: Generator[Result] = parallel(delayed(_run_alone)(work, task) for task in tasks)
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


def _run_alone(work: Callable[[Task], Result], task: Task) -> Result:
    """Run a task in a worker that has one core. (joblib and Dask limit BLAS and OpenMP in their workers.)"""
    from joblib import parallel_config

    with parallel_config(backend="sequential"):
        return work(task)


@contextmanager
def _new_processes_ignore_ctrl_c() -> Iterator[None]:
    """Have processes that are started meanwhile ignore Ctrl-C, which a terminal sends to all of them: this process ends
    them, and left to themselves each would print a traceback.
    """
    in_main = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN) if in_main else None
    try:
        yield
    finally:
        if handler is not None:
            signal.signal(signal.SIGINT, handler)
