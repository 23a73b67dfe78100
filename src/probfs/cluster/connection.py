"""The cluster that a ranking runs on: one that is there already, or processes of this machine, for as long as it takes.

Whatever goes wrong with it becomes one line. A worker that dies costs time only: Dask recomputes what it held, and a
task that workers died with is tried again, since they may have died of something else.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import logging
import multiprocessing
import os
import re
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from typing import TYPE_CHECKING, Any

from probfs import __version__
from probfs.errors import DataError, UsageError
from probfs.runtime.parallel import using_cores
from probfs.runtime.progress import report
from probfs.text import command_line_language, option, printable, speaks_command_line

if TYPE_CHECKING:
    from distributed import Future

_OLDEST = (2024, 7, 1)
"""The first version of Dask that the tests were run with."""
_SECONDS_TO_CONNECT = 10
"""Also to a scheduler that went away: a network may fail for a moment."""
_SECONDS_FOR_WORKERS = 300
"""A queue may take its time to start them."""
_SECONDS_BETWEEN_LOOKS = 1.0
"""How often progress is reported, and workers are looked for, while results are waited for."""
_DEATHS_OF_A_TASK = 10
"""How many times Dask may give up a task whose workers died before the ranking is given up."""
_DEATHS_ON_THIS_MACHINE = 30
"""The same before Dask gives it up, on a cluster of our own; its default of 3 is for tasks that kill workers."""
_IGNORE_CTRL_C = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"
"""For worker processes of this machine: a terminal sends Ctrl-C to all, and whoever started them ends them."""


@contextlib.contextmanager
def connect(scheduler: str | None, workers: int | None) -> Iterator[Cluster]:
    """The cluster at an address, or one of some processes on this machine, which ends with the context."""
    if scheduler is not None and workers is not None:
        problem = f"{option('workers')} is for processes on this machine, and {option('scheduler')} has its own"
        raise UsageError(f"{problem}; keep one of the two")
    _require_dask()
    import dask
    import distributed

    with contextlib.ExitStack() as stack:
        _refuse_inside_task()
        stack.enter_context(_quiet_logs())
        stack.enter_context(dask.config.set({"distributed.comm.timeouts.connect": f"{_SECONDS_TO_CONNECT}s"}))
        address = stack.enter_context(_start_processes(workers)) if scheduler is None else scheduler
        make: Any = distributed.Client
        try:
            client = make(address, timeout=_SECONDS_TO_CONNECT, set_as_default=False, name="probfs")
        except (OSError, ValueError, TypeError) as error:
            what = printable(str(error).splitlines()[0] if str(error) else type(error).__name__)
            problem = f"{option('scheduler')}: nothing answers at {printable(str(scheduler))} ({what})"
            ways = "give the address that the scheduler prints when it starts, such as tcp://host:8786"
            raise UsageError(f"{problem}; {ways}") from error
        # Closing it makes the scheduler forget whatever it still has to do for us.
        cluster = Cluster(stack.enter_context(client), scheduler)
        cluster.check_workers()
        yield cluster


def _require_dask() -> None:
    """Refuse to go on without Dask, or with one that lacks what is used of it."""
    engine = option("engine", "dask")
    try:
        version = importlib.metadata.version("distributed")
        importlib.metadata.version("dask")
    except importlib.metadata.PackageNotFoundError as error:
        raise UsageError(f"{engine} needs Dask; install it with: pip install 'probfs[dask]'") from error
    if tuple(int(number) for number in re.findall(r"\d+", version)[:3]) < _OLDEST:
        oldest = ".".join(map(str, _OLDEST))
        ways = "install a newer one with: pip install --upgrade 'probfs[dask]'"
        raise UsageError(f"{engine} needs Dask {oldest} or newer, and here is {version}; {ways}")


class Cluster:
    """Tasks sent to a cluster, and their results, which the cluster forgets once nobody has their futures."""

    def __init__(self, client: Any, scheduler: str | None) -> None:
        """``scheduler`` is the address of a cluster that was there before."""
        self._client = client
        self.elsewhere = scheduler is not None
        """Whether workers may have been started in another folder, or on another machine."""
        self._address = printable(scheduler or "this machine")
        # Others may use the cluster, too.
        self._run = uuid.uuid4().hex
        self._number = 0

    def workers(self) -> dict[str, Any]:
        """What Dask knows of each worker, by address."""
        workers: dict[str, Any] = self._client.scheduler_info(n_workers=-1).get("workers", {})
        return workers

    def threads(self) -> int:
        """How many tasks the cluster works on at the same time."""
        return sum(worker["nthreads"] for worker in self.workers().values())

    def memory(self) -> int | None:
        """How many bytes all workers may use together; None where one has no limit."""
        limits = [worker["memory_limit"] for worker in self.workers().values()]
        return sum(limits) if all(limits) else None

    def submit(self, name: str, function: Any, *arguments: Any, worker: str | None = None) -> Future[Any]:
        """A task; ``name`` is what Dask's pages call it, and ``worker`` should do it, if it is still there."""
        self._number += 1
        key = f"probfs-{name}-{self._run}-{self._number}"
        where = {} if worker is None else {"workers": [worker], "allow_other_workers": True}
        future: Future[Any] = self._client.submit(_as_here(function), *arguments, key=key, pure=False, **where)
        return future

    def map(self, name: str, function: Any, futures: Sequence[Future[Any]], **others: Any) -> list[Future[Any]]:
        """A task for each of some futures, all sent at once."""
        self._number += 1
        keys = [f"probfs-{name}-{self._run}-{self._number}-{place}" for place in range(len(futures))]
        new: list[Future[Any]] = self._client.map(_as_here(function), futures, key=keys, pure=False, **others)
        return new

    def gather(
        self, futures: Sequence[Future[Any]], stage: str = "", blocks: Sequence[Future[Any]] | None = None
    ) -> list[Any]:
        """The results, in the order of the futures; progress of a ``stage`` is how many ``blocks`` are done, by
        default how many of the futures.
        """
        from distributed import KilledWorker

        for _ in range(_DEATHS_OF_A_TASK):
            with self._one_line():
                try:
                    return self._wait(futures, stage, futures if blocks is None else blocks)
                except KilledWorker:
                    self._client.retry(list(futures))
        problem = f"workers of {self._address} died again and again"
        raise DataError(f"{problem}; they may lack memory: give them more, or use more of them")

    def _wait(self, futures: Sequence[Future[Any]], stage: str, blocks: Sequence[Future[Any]]) -> list[Any]:
        """Wait for results as long as there are workers, and for workers no longer than at the start."""
        # In a thread: without workers, Dask itself would wait without end.
        pool = ThreadPoolExecutor(1)
        results = pool.submit(self._client.gather, list(futures))
        pool.shutdown(wait=False)
        alive = time.monotonic()
        while True:
            if stage:
                done = sum(block.status != "pending" for block in blocks)
                # Of a single block, nothing is known until it is done.
                report(stage, *((done, len(blocks), "blocks") if len(blocks) > 1 else ()))
            if wait([results], _SECONDS_BETWEEN_LOOKS).done:
                return list(results.result())
            if self.workers():
                alive = time.monotonic()
            elif time.monotonic() - alive > _SECONDS_FOR_WORKERS:
                raise self._without_workers()
            else:
                report("waiting for workers")

    def spread(self, futures: Sequence[Future[Any]]) -> list[Future[Any]]:
        """Results moved from workers that have several to those that have fewer: Dask works where the data is, so that
        a worker that joins late would have nothing to do.
        """
        with self._one_line():
            held_by = self._client.who_has(list(futures))
        held: dict[str, list[int]] = {address: [] for address in self.workers()}
        for place, future in enumerate(futures):
            for address in held_by.get(future.key, ())[:1]:
                held.setdefault(address, []).append(place)
        spread = list(futures)
        while held:
            fewest, most = (choose(held, key=lambda address: len(held[address])) for choose in (min, max))
            if len(held[most]) - len(held[fewest]) < 2:
                break
            place = held[most].pop()
            held[fewest].append(place)
            spread[place] = self.submit("move", identity, spread[place], worker=fewest)
        return spread

    @contextlib.contextmanager
    def running_joblib(self) -> Iterator[None]:
        """Have whatever joblib runs meanwhile done by the cluster: fits of classifiers that are fitted many times."""
        from probfs.runtime.parallel import joblib_on_cluster

        # Errors of other kinds may be those of whoever listens to the ranking.
        with joblib_on_cluster(self._client), self._one_line(also=()):
            yield

    def check_workers(self) -> None:
        """Wait for a worker, and refuse workers that have another probfs, or none."""
        if not self.workers():
            report("waiting for workers")
            try:
                self._client.wait_for_workers(1, timeout=_SECONDS_FOR_WORKERS)
            except TimeoutError as error:
                raise self._without_workers() from error
        with self._one_line():
            try:
                found = set(self._client.run(_version).values())
            except Exception as error:
                # Dask wraps what happens while a worker reads a message.
                if "No module named 'probfs'" not in str(error):
                    raise
                raise UsageError(f"a worker of {self._address} lacks probfs; install {__version__} there") from error
        if found != {__version__}:
            other = ", ".join(sorted(map(str, found - {__version__})))
            problem = f"workers of {self._address} have probfs {other}, and here is {__version__}"
            raise UsageError(f"{problem}; install the same")

    def _without_workers(self) -> DataError:
        problem = f"{self._address} has had no workers for {_SECONDS_FOR_WORKERS // 60} minutes"
        return DataError(f"{problem}; start some, and rank again")

    @contextlib.contextmanager
    def _one_line(
        self, also: tuple[type[BaseException], ...] = (TimeoutError, ConnectionError, ModuleNotFoundError)
    ) -> Iterator[None]:
        """Faults of the cluster as errors of one line; errors of probfs's own come through."""
        from distributed.client import FutureCancelledError
        from distributed.comm.core import CommClosedError

        of_dask: tuple[type[BaseException], ...] = (FutureCancelledError, CommClosedError)
        try:
            yield
        except of_dask + also as error:
            if isinstance(error, ModuleNotFoundError):
                raise UsageError(f"workers of {self._address} lack {error.name}; install it there") from error
            raise DataError(f"the scheduler of {self._address} went away; start it, and rank again") from error


def identity(value: Any) -> Any:
    """Submitted as a task, so that Dask can recompute a value whose only copy is lost."""
    return value


def _as_here(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose messages name options as those made here do."""
    return partial(_run_task, speaks_command_line(), function)


def _run_task(on_command_line: bool, function: Callable[..., Any], *arguments: Any, **others: Any) -> Any:
    # A worker has as many tasks at once as it has threads, so each uses one.
    with using_cores(1), command_line_language() if on_command_line else contextlib.nullcontext():
        return function(*arguments, **others)


def _version() -> str:
    return __version__


@contextlib.contextmanager
def _start_processes(number: int | None) -> Iterator[Any]:
    """A cluster of so many processes of this machine, by default one for each core, which end with the context."""
    import dask
    import distributed

    guard = 'in a script, call this below: if __name__ == "__main__":'
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise UsageError(f"a process that is being started cannot start others; {guard}")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    make: Any = distributed.LocalCluster
    with dask.config.set({"distributed.scheduler.allowed-failures": _DEATHS_ON_THIS_MACHINE}):
        try:
            started = make(
                n_workers=number or cores,
                threads_per_worker=1,
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
                preload=[_IGNORE_CTRL_C],
            )
        except RuntimeError as error:
            raise UsageError(f"the processes of {option('workers')} do not start; {guard}") from error
        with started as cluster:
            yield cluster


def _refuse_inside_task() -> None:
    """Refuse to wait for tasks within a task: where all threads do so, nobody is left to work on those waited for."""
    import distributed

    try:
        distributed.get_worker()
    except ValueError:
        return
    problem = f"{option('engine', 'dask')} cannot be used inside a task of Dask's, which would wait for others"
    raise UsageError(f"{problem}; call it where the client is, or use {option('engine', 'local')}")


@contextlib.contextmanager
def _quiet_logs() -> Iterator[None]:
    """Dask's log says in many lines what users are told in one."""
    # Importing distributed gives some of its loggers levels of their own.
    names = [name for name in logging.root.manager.loggerDict if name.startswith("distributed.")]
    levels = {logger: logger.level for logger in map(logging.getLogger, ("distributed", *names))}
    for logger in levels:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in levels.items():
            logger.setLevel(level)
