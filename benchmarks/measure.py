"""Timing, of calls in this process and of whole processes with their peak memory; and comparisons."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Usage:
    """What a process took."""

    seconds: float
    megabytes: float
    cpu: float
    """Seconds of all processors."""


def best_of(times: int, call: Callable[[], object]) -> float:
    """The least of several times of a call, in seconds."""
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def best_of_each(times: int, *calls: Callable[[], object]) -> list[float]:
    """The least of several times of each of some calls, in turns: a slow spell of the machine strikes all of them."""
    return [min(own) for own in zip(*([best_of(1, call) for call in calls] for _ in range(times)), strict=True)]


# Started from a small process: a child's peak memory counts what its parent held when it was started.
_STARTER = """
import resource, subprocess, sys, time
start = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
end, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
print(end - start, used.ru_maxrss / 1024, used.ru_utime + used.ru_stime)
sys.exit(done.returncode)
"""


def process(arguments: Sequence[str], environment: Mapping[str, str] | None = None) -> Usage:
    """Run a process to its end, its output thrown away."""
    starter = [sys.executable, "-S", "-c", _STARTER, *arguments]
    result = subprocess.run(starter, capture_output=True, text=True, env=environment, check=False)  # noqa: S603
    if result.returncode:
        raise RuntimeError(f"{' '.join(arguments)} failed")
    return Usage(*map(float, result.stdout.split()))


def best_process(times: int, arguments: Sequence[str]) -> Usage:
    """The least of several times of a process, and the peak memory of the one that took most."""
    return best_processes(times, arguments)[0]


def best_processes(times: int, *processes: Sequence[str]) -> list[Usage]:
    """The same for processes that are to be compared, in turns: a slow spell of the machine strikes all of them."""
    usages = [[process(arguments) for arguments in processes] for _ in range(times)]
    return [
        Usage(min(u.seconds for u in own), max(u.megabytes for u in own), min(u.cpu for u in own))
        for own in zip(*usages, strict=True)
    ]


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def probfs(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "probfs", *map(str, arguments), "--quiet"]


def out_of_cache(path: Path) -> None:
    """Have the file read from the disk next time."""
    with open(path, "rb") as stream:
        os.fsync(stream.fileno())
        os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


@dataclass(frozen=True)
class Line:
    """A comparison: our time, what it is held against, and the ratio that is wanted."""

    workload: str
    what: str
    seconds: float
    peer: str
    peer_seconds: float
    ratio: float
    wanted: str
    met: bool
    measured: str = ""
    """The day, as 2026-11-17."""


def at_most(workload: str, what: str, seconds: float, peer: str, peer_seconds: float, limit: float) -> Line:
    ratio = seconds / peer_seconds
    return Line(workload, what, seconds, peer, peer_seconds, ratio, f"at most {limit:g}", ratio <= limit)


def faster(workload: str, what: str, seconds: float, peer: str, peer_seconds: float, limit: float) -> Line:
    ratio = peer_seconds / seconds
    return Line(workload, what, seconds, peer, peer_seconds, ratio, f"faster by {limit:g} or more", ratio >= limit)


def markdown(lines: list[Line]) -> str:
    text = "| workload | what | probfs | compared with | takes | ratio | wanted | met | measured |\n"
    text += "|---|---|---:|---|---:|---:|---|---|---|\n"
    for line in lines:
        unit = "" if "MB" in line.what else " s"
        ratio = f"{line.ratio:,.0f}" if line.ratio >= 1000 else f"{line.ratio:.3g}"
        text += (
            f"| {line.workload} | {line.what} | {line.seconds:.3g}{unit} | {line.peer} | {line.peer_seconds:.3g}{unit} "
            f"| {ratio} | {line.wanted} | {'yes' if line.met else 'no'} | {line.measured} |\n"
        )
    return text
