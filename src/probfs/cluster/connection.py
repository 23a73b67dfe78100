"""The cluster that a ranking runs on: one that is there already, or processes of this machine, for as long as it takes.

Whatever goes wrong with it becomes one line. A worker that dies costs time alone: Dask computes what it held again, and
a task that several workers died with is tried again, as workers may well die of something else.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import logging
import re
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from functools import partial
from typing import TYPE_CHECKING, Any

from probfs import __version__
from probfs.cluster.local_processes import start_processes
from probfs.errors import DataError, UsageError
from probfs.runtime.progress import report
from probfs.runtime.threads import using_cores
from probfs.text import command_line_language, option, printable, speaks_command_line

if TYPE_CHECKING:
    from distributed import Future

_OLDEST = [2024, 7, 1]
"""The first version of Dask that the tests were run with."""
_SECONDS_TO_CONNECT = 10
"""Also to one that went away: a network may fail for a moment."""
_SECONDS_FOR_WORKERS = 300
"""A queue may take its time to start them."""
_SECONDS_BETWEEN_LOOKS = 5.0
"""How often it is looked whether there are workers still, while they are waited for."""
_DEATHS_OF_A_TASK = 10
"""How many times Dask may give a task up, because workers died while they had it, before the ranking is given up."""


@contextlib.contextmanager
def connect(scheduler: str | None, workers: int | None) -> Iterator[Cluster]:
    """The cluster at an address, or one of some processes on this machine, which ends with the context."""
    if scheduler is not None and workers is not None:
        problem = f"{option('workers')} is for processes on this machine, and {option('scheduler')} has its own"
        raise UsageError(f"{problem}; keep one of the two")
    try:
        import dask
        import distributed
    except ImportError as error:
        ways = "install it with: pip install 'probfs[dask]'"
        raise UsageError(f"{option('engine', 'dask')} needs Dask; {ways}") from error
    _refuse_old(importlib.metadata.version("distributed"))
    with contextlib.ExitStack() as stack:
        stack.enter_context(_quiet_logs())
        stack.enter_context(dask.config.set({"distributed.comm.timeouts.connect": f"{_SECONDS_TO_CONNECT}s"}))
        own = scheduler is None
        address = stack.enter_context(start_processes(workers)) if own else scheduler
        if not own:
            stack.enter_context(_making_room())
        try:
            client: Any = distributed.Client
            client = client(address, timeout=_SECONDS_TO_CONNECT, set_as_default=False, name="probfs")
            stack.enter_context(client)
        except (OSError, ValueError, TypeError) as error:
            raise _unreachable(str(scheduler), error) from error
        cluster = Cluster(client, scheduler)
        try:
            cluster.check_versions()
            yield cluster
        except BaseException:
            # Ctrl-C, for instance: the cluster is not ours to keep busy.
            cluster.cancel()
            raise


def _refuse_old(version: str) -> None:
    """Refuse a Dask that lacks what is used of it."""
    numbers = [int(number) for number in re.findall(r"\d+", version)[:3]]
    if numbers < _OLDEST:
        oldest = ".".join(map(str, _OLDEST))
        ways = "install a newer one with: pip install --upgrade 'probfs[dask]'"
        raise UsageError(f"{option('engine', 'dask')} needs Dask {oldest} or newer, and here is {version}; {ways}")


class Cluster:
    """Tasks sent to a cluster, and their results."""

    def __init__(self, client: Any, scheduler: str | None) -> None:
        """``scheduler`` is the address of a cluster that was there before."""
        self._client = client
        self.elsewhere = scheduler is not None
        """Whether workers may have been started in another folder, or on another machine."""
        self._address = printable(scheduler or "this machine")
        # Others may use the cluster, too.
        self._run = uuid.uuid4().hex
        self._number = 0
        self._futures: set[Future[Any]] = set()

    def threads(self) -> int:
        """How many tasks the cluster works on at the same time."""
        return sum(own["nthreads"] for own in self._workers().values())

    def memory(self) -> int | None:
        """How many bytes all workers may use together; None where one has no limit."""
        limits = [own["memory_limit"] for own in self._workers().values()]
        return sum(limits) if all(limits) else None

    def addresses(self) -> frozenset[str]:
        """The workers that are there now."""
        return frozenset(self._workers())

    def submit(self, name: str, function: Any, *arguments: Any, workers: Sequence[str] | None = None) -> Future[Any]:
        """A task; ``name`` is what Dask's own pages call it, and ``workers`` who should do it, while they are there."""
        self._number += 1
        key = f"probfs-{name}-{self._run}-{self._number}"
        where = {"workers": workers, "allow_other_workers": workers is not None}
        future: Future[Any] = self._client.submit(_as_here(function), *arguments, key=key, pure=False, **where)
        self._futures.add(future)
        return future

    def map(self, name: str, function: Any, futures: Sequence[Future[Any]], **others: Any) -> list[Future[Any]]:
        """A task for each of some futures, all sent at once."""
        self._number += 1
        keys = [f"probfs-{name}-{self._run}-{self._number}-{place}" for place in range(len(futures))]
        new: list[Future[Any]] = self._client.map(_as_here(function), futures, key=keys, pure=False, **others)
        self._futures.update(new)
        return new

    def release(self, futures: Sequence[Future[Any]]) -> None:
        """Let the cluster forget results; what depends on them can still be computed again."""
        for future in futures:
            self._futures.discard(future)
            future.release()  # type: ignore[no-untyped-call]  # distributed has types in part

    def gather(self, futures: Sequence[Future[Any]]) -> list[Any]:
        """The results, in the order of the futures."""
        from distributed import KilledWorker

        for _ in range(_DEATHS_OF_A_TASK):
            with self._one_line():
                self._wait(futures)
                try:
                    return list(self._client.gather(list(futures)))
                except KilledWorker:
                    self._client.retry(list(futures))
        problem = f"workers of {self._address} died again and again"
        raise DataError(f"{problem}; they may lack memory: give them more, or use more of them")

    def as_they_come(self, futures: Sequence[Future[Any]]) -> Iterator[tuple[int, Any]]:
        """Each place in the list with its result, as soon as there is one."""
        waiting = dict(enumerate(futures))
        while waiting:
            with self._one_line():
                self._wait(list(waiting.values()), "FIRST_COMPLETED")
            for place in [place for place, future in waiting.items() if future.done()]:  # type: ignore[no-untyped-call]
                yield place, self.gather([waiting.pop(place)])[0]

    def _wait(self, futures: Sequence[Future[Any]], until: str = "ALL_COMPLETED") -> None:
        """Wait for results, as long as there are workers, and for workers no longer than at the start."""
        import distributed

        wait: Any = distributed.wait
        since = time.monotonic()
        while futures:
            try:
                with self._client.as_current():
                    wait(list(futures), timeout=_SECONDS_BETWEEN_LOOKS, return_when=until)
                return
            except CancelledError:
                # Whoever gets the results is told why.
                return
            except TimeoutError:
                if self._workers():
                    since = time.monotonic()
                elif time.monotonic() - since > _SECONDS_FOR_WORKERS:
                    raise self._without_workers() from None
                else:
                    report("waiting for workers")

    def spread(self, futures: Sequence[Future[Any]]) -> list[Future[Any]]:
        """Results that take memory and time, moved to workers that have none of them where others have several.

        A worker that joined late would have nothing to do: Dask works where the data is.
        """
        with self._one_line():
            held_by: dict[Any, Sequence[str]] = self._client.who_has(list(futures))
        places: dict[str, list[int]] = {address: [] for address in self._workers()}
        for place, future in enumerate(futures):
            for address in held_by.get(future.key, ())[:1]:
                places.setdefault(address, []).append(place)
        spread = list(futures)
        while places:
            poorest = min(places, key=lambda address: len(places[address]))
            richest = max(places, key=lambda address: len(places[address]))
            if len(places[richest]) - len(places[poorest]) < 2:
                break
            place = places[richest].pop()
            places[poorest].append(place)
            moved = self.submit("move", identity, spread[place], workers=[poorest])
            self.release([spread[place]])
            spread[place] = moved
        return spread

    def cancel(self) -> None:
        """Stop what is running for this ranking, and forget its results."""
        with contextlib.suppress(Exception):
            self._client.cancel(list(self._futures))
        self._futures.clear()

    @contextlib.contextmanager
    def running_joblib(self) -> Iterator[None]:
        """Have whatever joblib runs meanwhile done by the cluster: fits of classifiers that are fitted many times."""
        from probfs.runtime.parallel import joblib_on_cluster

        # Errors of other kinds may be those of whoever listens to the ranking.
        with joblib_on_cluster(self._client), self._one_line(also=()):
            yield

    def check_versions(self) -> None:
        """Refuse workers that have another probfs, or none."""
        if not self._workers():
            report("waiting for workers")
            try:
                self._client.wait_for_workers(1, timeout=_SECONDS_FOR_WORKERS)
            except TimeoutError as error:
                raise self._without_workers() from error
        with self._one_line():
            try:
                found = set(self._client.run(_own_version).values())
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

    def _workers(self) -> dict[str, Any]:
        workers: dict[str, Any] = self._client.scheduler_info(n_workers=-1)["workers"]
        return workers

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


def _own_version() -> str:
    return __version__


@contextlib.contextmanager
def _making_room() -> Iterator[None]:
    """Give the place of a task back meanwhile, where this is called by one: it waits for others of the same cluster."""
    import distributed

    try:
        distributed.get_worker()
    except ValueError:
        yield
        return
    distributed.secede()  # type: ignore[no-untyped-call]  # distributed has types in part
    try:
        yield
    finally:
        distributed.rejoin()  # type: ignore[no-untyped-call]  # as above


@contextlib.contextmanager
def _quiet_logs() -> Iterator[None]:
    """Dask's log says in many lines what users are told in one."""
    # Importing distributed gives some of its loggers levels of their own.
    names = [name for name in logging.root.manager.loggerDict if name.startswith("distributed.")]
    loggers = [logging.getLogger(name) for name in ("distributed", *names)]
    before = [logger.level for logger in loggers]
    # These tell of tasks that were given up; a program around this one may use them, too.
    shared = [logging.getLogger(name) for name in ("asyncio", "tornado.application", "tornado.general")]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    for logger in shared:
        logger.addFilter(_is_not_of_dask)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)
        for logger in shared:
            logger.removeFilter(_is_not_of_dask)


def _is_not_of_dask(record: logging.LogRecord) -> bool:
    """Whether a line of a log does not come from the thread in which Dask talks to its scheduler."""
    return not str(record.threadName).startswith("IO loop")


def _unreachable(address: str, error: BaseException) -> UsageError:
    what = str(error).splitlines()[0] if str(error) else type(error).__name__
    ways = "give the address that the scheduler prints when it starts, such as tcp://host:8786"
    return UsageError(f"{option('scheduler')}: nothing answers at {printable(address)} ({printable(what)}); {ways}")
