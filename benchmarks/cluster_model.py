"""What a ranking on a cluster costs: a model of four numbers, learned from two runs and held against others.

From the project's root, with the extra dask installed: python benchmarks/cluster_model.py. It takes some minutes, and
writes tables of up to 20,000,000 rows, into the folder that PROBFS_BENCHMARK_FOLDER names, else into one of its own.
docs/how-to/cluster.md shows what it prints.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import probfs
from cluster import COLUMNS, write_table
from probfs.runtime.progress import Progress

RUNS = ((2_000, 4, 2), (2_000_000, 8, 2), (2_000_000, 8, 1), (8_000_000, 16, 2), (20_000_000, 40, 2))
"""Rows, files and workers; the first two teach the model, and the others test it."""


@dataclass(frozen=True)
class Run:
    """One ranking of a table of ``COLUMNS`` columns: the seconds before its first round, and of all rounds."""

    rows: int
    workers: int
    start: float
    preparing: float
    rounds: float


@dataclass(frozen=True)
class Model:
    """Seconds to start, of one round, for reading and encoding a cell, and for all rounds' work on a cell."""

    start: float
    latency: float
    reading: float
    scoring: float

    @classmethod
    def of(cls, small: Run, large: Run) -> Model:
        cells = large.rows * COLUMNS / large.workers
        rounds = COLUMNS - 1
        return cls(
            small.start + small.preparing,
            small.rounds / rounds,
            (large.preparing - small.preparing) / cells,
            (large.rounds - small.rounds) / (cells * rounds),
        )

    def seconds(self, rows: float, columns: int, workers: int, latency: float | None = None) -> float:
        """Of a whole ranking, one column leaving in each round; a network may have another latency."""
        cells, rounds = rows * columns / workers, columns - 1
        own = self.latency if latency is None else latency
        return self.start + cells * self.reading + rounds * own + cells * rounds * self.scoring


def measure(folder: Path, rows: int, workers: int) -> Run:
    begun = time.perf_counter()
    stages: dict[str, float] = {}

    def hear(progress: Progress) -> None:
        stages.setdefault(progress.stage, time.perf_counter() - begun)

    probfs.rank(folder, target="y", engine="dask", workers=workers, on_progress=hear)
    end = time.perf_counter() - begun
    return Run(rows, workers, stages["reading"], stages["ranking"] - stages["reading"], end - stages["ranking"])


def main() -> None:
    kept = os.environ.get("PROBFS_BENCHMARK_FOLDER")
    runs: list[Run] = []
    with tempfile.TemporaryDirectory() as scratch:
        for rows, files, workers in RUNS:
            folder = Path(kept or scratch) / f"{rows}-{files}"
            if not folder.exists():
                write_table(folder, rows, files)
            runs.append(measure(folder, rows, workers))
            print(runs[-1], file=sys.stderr, flush=True)
    model = Model.of(*runs[:2])
    print(f"start {model.start:.1f} s, latency {1000 * model.latency:.0f} ms a round,")
    print(
        f"reading and encoding {1e9 * model.reading:.1f} ns a cell, scoring {1e9 * model.scoring:.3f} ns in each round"
    )
    print("\n| rows | workers | measured | predicted |\n|---|---|---|---|")
    for run in runs:
        measured = run.start + run.preparing + run.rounds
        predicted = model.seconds(run.rows, COLUMNS, run.workers)
        print(f"| {run.rows:,} | {run.workers} | {measured:.1f} s | {predicted:.1f} s |")
    print(f"\n10^9 rows, 200 columns, 50 workers: {model.seconds(1e9, 200, 50):.0f} s")


if __name__ == "__main__":
    main()
