"""The Dask engine against the local one: time, and the peak memory of every process.

From the project's root, with the extra dask installed: python benchmarks/cluster.py [ROWS] [FILES] [WORKERS]. The table
of 20,000,000 rows takes some minutes to write and to rank; it is kept in the folder that PROBFS_BENCHMARK_FOLDER names,
else written anew. ``rounds`` in place of the rows measures what a round costs where rows cost nothing.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

COLUMNS = 50
_SECONDS_BETWEEN_LOOKS = 0.05


@dataclass
class Measured:
    """How long a command took, and the most memory that each of its processes had, by what it is."""

    seconds: float = 0.0
    peaks: dict[str, list[int]] = field(default_factory=dict)


def write_table(folder: Path, rows: int, files: int) -> None:
    """Texts, whole numbers and measurements, of which a third tells the class a little; some cells are missing."""
    folder.mkdir(parents=True)
    for number in range(files):
        random = np.random.default_rng(number)
        size = rows * (number + 1) // files - rows * number // files
        labels = random.integers(0, 2, size)
        columns = {f"c{place:02}": _column(random, labels, place) for place in range(COLUMNS - 1)}
        columns["y"] = pa.array(np.array(["no", "yes"])[labels])
        pq.write_table(pa.table(columns), folder / f"part-{number:03}.parquet")


def _column(random: np.random.Generator, labels: Any, place: int) -> Any:
    told = (random.random(len(labels)) < 0.1) * labels if place % 3 == 0 else 0
    missing = random.random(len(labels)) < 0.02 if place % 10 == 0 else None
    if place < 20:
        texts = pa.array([f"value {value}" for value in range(place % 11 + 3)])
        codes = (random.integers(0, len(texts) - 1, len(labels)) + told).astype(np.int32)
        return pa.DictionaryArray.from_arrays(pa.array(codes, mask=missing), texts).cast(pa.string())
    if place < 38:
        return pa.array(random.integers(0, 60, len(labels)) + told, mask=missing)
    return pa.array(np.round(random.normal(size=len(labels)) + 0.3 * told, 2), mask=missing)


def measure(folder: Path, *options: str) -> Measured:
    """Rank a table by the command, and watch its processes."""
    command = [sys.executable, "-m", "probfs", "rank", str(folder), "--target", "y", "--quiet", "--format", "csv"]
    found = Measured()
    with tempfile.NamedTemporaryFile() as output:
        start = time.perf_counter()
        process = subprocess.Popen([*command, "--output", output.name, *options])  # noqa: S603  # this project's own
        watcher = threading.Thread(target=_watch, args=(process, found), daemon=True)
        watcher.start()
        process.wait()
        found.seconds = time.perf_counter() - start
        watcher.join()
    if process.returncode:
        raise SystemExit("the command failed")
    return found


def _watch(process: subprocess.Popen[bytes], found: Measured) -> None:
    peaks: dict[int, tuple[str, int]] = {}
    while process.poll() is None:
        for own in _family(process.pid):
            peak = _peak(own)
            if peak:
                peaks[own] = ("driver" if own == process.pid else "worker", peak)
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    for kind, peak in peaks.values():
        found.peaks.setdefault(kind, []).append(peak)


def _family(first: int) -> list[int]:
    """A process and all that it started, and those started."""
    family = [first]
    for own in family:
        for thread in Path(f"/proc/{own}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                family += map(int, thread.read_text().split())
    return family


def _peak(process: int) -> int:
    """The most memory that a process has had, in bytes."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM:")), 0)


def _told(name: str, found: Measured) -> str:
    largest = {kind: sorted(own, reverse=True) for kind, own in found.peaks.items()}
    memory = ", ".join(
        f"{kind} {' '.join(f'{peak / 1e9:.2f}' for peak in own[:4])} GB" for kind, own in largest.items()
    )
    return f"{name}: {found.seconds:.1f} s; peaks: {memory}"


def main(arguments: list[str]) -> None:
    rows, files, workers = (int(own) for own in (*arguments, *("20000000", "40", "2")[len(arguments) :]))
    kept = os.environ.get("PROBFS_BENCHMARK_FOLDER")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(kept or scratch) / f"{rows}-{files}"
        if not folder.exists():
            write_table(folder, rows, files)
        local = measure(folder)
        print(_told("local", local), flush=True)
        cluster = measure(folder, "--engine", "dask", "--workers", str(workers))
        print(_told(f"dask, {workers} workers", cluster))
        print(f"ratio: {cluster.seconds / local.seconds:.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
