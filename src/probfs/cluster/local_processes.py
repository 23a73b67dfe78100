"""A cluster of processes on this machine, for as long as a ranking takes."""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import os
from collections.abc import Iterator
from typing import Any

from probfs.errors import UsageError
from probfs.text import option

_IGNORE_CTRL_C = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"
"""For worker processes of this machine: a terminal sends Ctrl-C to all, and whoever started them ends them."""
_DEATHS_BEFORE_GIVING_UP = 30
"""How many times workers may die with a task before Dask gives it up; its default of 3 is for tasks that kill them."""


@contextlib.contextmanager
def start_processes(number: int | None) -> Iterator[Any]:
    """A cluster of so many processes of this machine, by default one for each core, which end with the context."""
    import dask
    import distributed

    guard = 'in a script, call this below: if __name__ == "__main__":'
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise UsageError(f"a process that is being started cannot start others; {guard}")
    local_cluster: Any = distributed.LocalCluster
    with dask.config.set({"distributed.scheduler.allowed-failures": _DEATHS_BEFORE_GIVING_UP}):
        try:
            started = local_cluster(
                n_workers=number or _cores(),
                threads_per_worker=1,
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
                preload=[_IGNORE_CTRL_C],
            )
        except RuntimeError as error:
            raise UsageError(f"the processes of {option('workers')} do not start; {guard}") from error
        with started as cluster:
            yield cluster


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
