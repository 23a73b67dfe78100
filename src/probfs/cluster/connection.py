"""The cluster that a ranking runs on: one that is there already, or processes of this machine, for as long as it takes.

Whatever goes wrong with it becomes one line. A worker that dies costs time only: Dask recomputes what it held.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import logging
import multiprocessing
import re
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from probfs import __version__
from probfs.errors import DataError, UsageError
from probfs.runtime.parallel import usable_cores, using_cores
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
_KEEP_MEMORY = {
    "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": 1 << 26,
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 1 << 28,
}
"""By default, workers that Dask starts return each array to the system at once, which takes a third of their time."""
_LARGE = 50_000
"""Bytes of an argument that is sent once, and not with every task."""


@contextlib.contextmanager
def connect(scheduler: str | None, workers: int | None) -> Iterator[Cluster]:
    """The cluster at an address, or one of some processes on this machine, which ends with the context."""
    if scheduler is not None and workers is not None:
        problem = f"{option('workers')} is for processes on this machine, and {option('scheduler')} has its own"
        raise UsageError(f"{problem}; keep one of the two")
    engine = option("engine", "dask")
    try:
        version = importlib.metadata.version("distributed")
    except importlib.metadata.PackageNotFoundError as error:
        raise UsageError(f"{engine} needs Dask; install it with: pip install 'probfs[dask]'") from error
    if tuple(int(number) for number in re.findall(r"\d+", version)[:3]) < _OLDEST:
        oldest = ".".join(map(str, _OLDEST))
        ways = "install a newer one with: pip install --upgrade 'probfs[dask]'"
        raise UsageError(f"{engine} needs Dask {oldest} or newer, and here is {version}; {ways}")
    import dask
    import distributed

    with contextlib.ExitStack() as stack:
        # Dask's log says in many lines what users are told in one. Some of its loggers have levels of their own.
        for name in [name for name in logging.root.manager.loggerDict if name.split(".")[0] == "distributed"]:
            logger = logging.getLogger(name)
            stack.callback(logger.setLevel, logger.level)
            logger.setLevel(logging.CRITICAL + 1)
        stack.enter_context(dask.config.set({"distributed.comm.timeouts.connect": f"{_SECONDS_TO_CONNECT}s"}))
        stack.enter_context(dask.config.set(_KEEP_MEMORY))
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


def _start_processes(number: int | None) -> Any:
    """A cluster of so many processes of this machine, by default one for each core."""
    import distributed

    guard = 'in a script, call this below: if __name__ == "__main__":'
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise UsageError(f"a process that is being started cannot start others; {guard}")
    make: Any = distributed.LocalCluster
    try:
        return make(
            n_workers=number or usable_cores(),
            threads_per_worker=1,
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
            # A terminal sends Ctrl-C to all processes, and whoever started these ends them.
            preload=["import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"],
        )
    except RuntimeError as error:
        raise UsageError(f"the processes of {option('workers')} do not start; {guard}") from error


class Cluster:
    """Tasks sent to a cluster, and their results, which the cluster forgets once nobody has their futures."""

    def __init__(self, client: Any, scheduler: str | None) -> None:
        """``scheduler`` is the address of a cluster that was there before."""
        self._client = client
        self.elsewhere = scheduler is not None
        """Whether workers may have been started in another folder, or on another machine."""
        self._address = printable(scheduler or "this machine")

    def _workers(self) -> list[dict[str, Any]]:
        """What Dask knows of each worker."""
        return list(self._client.scheduler_info(n_workers=-1).get("workers", {}).values())

    def threads(self) -> int:
        """How many tasks the cluster works on at the same time."""
        return sum(worker["nthreads"] for worker in self._workers())

    def memory(self) -> int | None:
        """How many bytes all workers may use together; None where one has no limit."""
        limits = [worker["memory_limit"] for worker in self._workers()]
        return sum(limits) if all(limits) else None

    def submit(self, function: Any, *arguments: Any) -> Future[Any]:
        """A task, which Dask's pages call by the name of its function."""
        task, name = _as_task(function)
        future: Future[Any] = self._client.submit(task, *arguments, key=f"{name}-{uuid.uuid4().hex}", pure=False)
        return future

    def map(self, function: Any, futures: Sequence[Future[Any]], **others: Any) -> list[Future[Any]]:
        """A task for each of some futures, all sent at once."""
        from dask.sizeof import sizeof

        for name, value in others.items():
            if sizeof(value) > _LARGE:
                # Dask would make a task of it, too, but one that fails.
                others[name] = self.submit(identity, value)
        task, name = _as_task(function)
        new: list[Future[Any]] = self._client.map(task, futures, key=name, pure=False, **others)
        return new

    def gather(
        self, futures: Sequence[Future[Any]], stage: str = "", blocks: Sequence[Future[Any]] | None = None
    ) -> list[Any]:
        """The results, in the order of the futures; progress of a ``stage`` is how many ``blocks`` are done, by
        default how many of the futures. It is waited as long as there are workers, and for workers no longer than at
        the start.
        """
        import distributed

        wait: Any = distributed.wait
        blocks = futures if blocks is None else blocks
        alive = time.monotonic()
        with self._one_line(), self._client.as_current():
            while True:
                if stage:
                    done = sum(block.status != "pending" for block in blocks)
                    # Of a single block, nothing is known until it is done.
                    report(stage, *((done, len(blocks), "blocks") if len(blocks) > 1 else ()))
                try:
                    wait(list(futures), timeout=_SECONDS_BETWEEN_LOOKS)
                except TimeoutError:
                    if self._workers():
                        alive = time.monotonic()
                    elif time.monotonic() - alive > _SECONDS_FOR_WORKERS:
                        raise self._without_workers() from None
                    else:
                        report("waiting for workers")
                else:
                    return list(self._client.gather(list(futures)))

    @contextlib.contextmanager
    def running_joblib(self) -> Iterator[None]:
        """Have whatever joblib runs meanwhile done by the cluster: fits of classifiers that are fitted many times."""
        from probfs.runtime.parallel import joblib_on_cluster

        # Errors of other kinds may be those of whoever listens to the ranking.
        with joblib_on_cluster(self._client), self._one_line(also=()):
            yield

    def check_workers(self) -> None:
        """Wait for a worker, and refuse workers that have another probfs, or none."""
        if not self._workers():
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
        from distributed import CancelledError, KilledWorker
        from distributed.comm.core import CommClosedError

        faults: tuple[type[BaseException], ...] = (KilledWorker, CancelledError, CommClosedError, *also)
        try:
            yield
        except faults as error:
            if isinstance(error, ModuleNotFoundError):
                raise UsageError(f"workers of {self._address} lack {error.name}; install it there") from error
            if isinstance(error, KilledWorker):
                problem = f"workers of {self._address} died again and again"
                raise DataError(f"{problem}; they may lack memory: give them more, or use more of them") from error
            raise DataError(f"the scheduler of {self._address} went away; start it, and rank again") from error


def identity(value: Any) -> Any:
    """Submitted as a task, so that Dask can recompute a value whose only copy is lost."""
    return value


def _as_task(function: Any) -> tuple[Any, str]:
    """A function whose messages name options as those made here do, and what Dask calls it."""
    name = f"probfs-{getattr(function, '__name__', 'get').strip('_')}"
    return partial(_run_task, speaks_command_line(), function), name


def _run_task(on_command_line: bool, function: Callable[..., Any], *arguments: Any, **others: Any) -> Any:
    # A worker has as many tasks at once as it has threads, so each uses one.
    with using_cores(1), command_line_language() if on_command_line else contextlib.nullcontext():
        return function(*arguments, **others)


def _version() -> str:
    return __version__
