"""Clusters for tests: one without Dask, in this process, and a real one of processes that tests may kill."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_SECONDS_TO_START = 120
_QUIET = {"DASK_LOGGING__DISTRIBUTED": "critical", "DASK_DISTRIBUTED__WORKER__DAEMON": "False"}


@dataclass(frozen=True, eq=False)
class _Result:
    value: Any


class InProcessCluster:
    """Has the methods of ``Cluster`` that stages use: tasks run at once, and whatever travels is pickled on its way."""

    elsewhere = False
    limit: int | None = None
    """Of memory, in bytes."""

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return _Result(_travelled(function(*(_value(one) for one in arguments))))

    def map(self, function: Callable[..., Any], futures: Sequence[Any], **others: Any) -> list[Any]:
        known = {key: _value(one) for key, one in others.items()}
        return [_Result(_travelled(function(_value(one), **known))) for one in futures]

    def gather(self, futures: Sequence[Any], stage: str = "", blocks: Sequence[Any] | None = None) -> list[Any]:
        return [one.value for one in futures]

    def threads(self) -> int:
        return 3

    def memory(self) -> int | None:
        return self.limit


@contextlib.contextmanager
def connect_here(scheduler: str | None, workers: int | None) -> Iterator[InProcessCluster]:
    """In place of ``probfs.cluster.connection.connect``."""
    yield InProcessCluster()


def _value(argument: Any) -> Any:
    if isinstance(argument, list) and argument and isinstance(argument[0], _Result):
        return [one.value for one in argument]
    return argument.value if isinstance(argument, _Result) else _travelled(argument)


def _travelled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


class DaskProcesses:
    """A running scheduler, and workers that come and go."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._workers: list[subprocess.Popen[bytes]] = []
        file = folder / "scheduler.json"
        # A worker that is killed again and again must not make tasks suspicious: tests kill many.
        settings = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "100"}
        where = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file))
        self._scheduler = self._start("dask_scheduler", *where, settings=settings)
        deadline = time.monotonic() + _SECONDS_TO_START
        while not file.exists() or not file.read_text():
            assert time.monotonic() < deadline, "the scheduler does not start"
            time.sleep(0.05)
        self.address: str = json.loads(file.read_text())["address"]

    def add_worker(self) -> None:
        place = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(self._folder))
        self._workers.append(self._start("dask_worker", self.address, *place))

    def kill_worker(self) -> None:
        """Kill the oldest worker, without a chance to say so."""
        worker = self._workers.pop(0)
        worker.kill()
        worker.wait()

    def kill_scheduler(self) -> None:
        self._scheduler.kill()
        self._scheduler.wait()

    def stop(self) -> None:
        for process in (*self._workers, self._scheduler):
            process.kill()
            process.wait()

    def _start(self, program: str, *arguments: str, settings: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
        # Killed with the process that started it, should that be killed itself.
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{program}", *arguments],
            env={**os.environ, **_QUIET, **(settings or {})},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=_ignore_ctrl_c,
        )


def _ignore_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextlib.contextmanager
def running_cluster(folder: Path, workers: int) -> Iterator[DaskProcesses]:
    """A cluster of some workers, gone when the context ends."""
    processes = DaskProcesses(folder)
    try:
        for _ in range(workers):
            processes.add_worker()
        yield processes
    finally:
        processes.stop()
