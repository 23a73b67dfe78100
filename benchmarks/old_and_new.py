"""Two versions of probfs side by side: how long each takes for what the limits of a rebuilt core are set for.

    python benchmarks/old_and_new.py OLD_PYTHON NEW_PYTHON [--only NAME ...] [--new-source src]

Each interpreter has a probfs installed, or imports it from the folder of ``--old-source`` or ``--new-source``. Every
measurement is a process of its own, the two versions in turns, and the best of several counts: the first run
compiles, and reads files into the cache. What is measured alone, such as the elimination without reading, is timed
inside the process, between the stages that ``probfs.rank`` reports. It takes about ten minutes and prints Markdown; the
exit status is 1 if a limit is missed. Run it while the machine does nothing else; where that cannot be, the ratio of
CPU seconds, in the last column, is disturbed less.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from workloads import categorical, genes, many_classes

SAMPLE = Path(__file__).resolve().parent.parent / "sample_data" / "breast_cancer.csv"


class MeasuringError(Exception):
    """A process that is measured ended with an error."""


class Seconds(NamedTuple):
    """How long something took, and how much of the processors."""

    wall: float
    cpu: float


def least(measured: Sequence[Seconds]) -> Seconds:
    return Seconds(min(seconds.wall for seconds in measured), min(seconds.cpu for seconds in measured))


@dataclass(frozen=True)
class Version:
    """An interpreter and, where probfs is not installed in it, the folder to import it from."""

    python: str
    source: Path | None

    @property
    def environment(self) -> dict[str, str]:
        inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        return inherited | ({"PYTHONPATH": str(self.source.resolve())} if self.source else {})

    def run(self, arguments: Sequence[str], folder: Path) -> tuple[Seconds, str]:
        """What a whole process took, and what it printed."""
        start = Seconds(time.perf_counter(), _cpu_of_children())
        done = subprocess.run(  # noqa: S603
            [self.python, *arguments], capture_output=True, text=True, cwd=folder, env=self.environment, check=False
        )
        seconds = Seconds(time.perf_counter() - start.wall, _cpu_of_children() - start.cpu)
        if done.returncode:
            raise MeasuringError((done.stderr.strip().splitlines() or ["no message"])[-1])
        return seconds, done.stdout

    def peak(self, arguments: Sequence[str], folder: Path) -> float:
        """The most memory that a process held, in GB."""
        process = subprocess.Popen(  # noqa: S603
            [self.python, *arguments], stdout=subprocess.DEVNULL, cwd=folder, env=self.environment
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return usage.ru_maxrss / (1 << 20)


def _cpu_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@dataclass(frozen=True)
class Line:
    """A row of the table: a time of the new version beside that of the old one, or of a peer."""

    workload: str
    what: str
    peer: str
    takes: Seconds
    new: Seconds
    limit: float | None
    failure: str = ""

    @property
    def ratio(self) -> float:
        return self.new.wall / self.takes.wall

    @property
    def met(self) -> bool:
        return not self.failure and (self.limit is None or self.ratio <= self.limit)

    def __str__(self) -> str:
        times = f"{self.peer} | {self.takes.wall:.3g} s | {self.new.wall:.3g} s | {self.ratio:.2f}"
        limit = "-" if self.limit is None else f"{self.limit:g}"
        verdict = self.failure or ("yes" if self.met else "**no**")
        return (
            f"| {self.workload} | {self.what} | {times} | {limit} | {verdict} | {self.new.cpu / self.takes.cpu:.2f} |"
        )


HEADER = """| workload | what | compared with | takes | new | ratio | at most | met | CPU |
|---|---|---|---:|---:|---:|---:|---|---:|"""


@dataclass(frozen=True)
class Bench:
    """The two versions, and the folder of the tables."""

    old: Version
    new: Version
    folder: Path

    def commands(self, workload: str, *arguments: object, times: int, limit: float | None = None) -> Iterator[Line]:
        """A whole command, in both versions."""
        words = ["-m", "probfs", *map(str, arguments), *([] if "--help" in arguments else ["--quiet"])]
        what = " ".join(str(argument) for argument in arguments if str(argument) != str(SAMPLE))
        try:
            runs = [(self.old.run(words, self.folder)[0], self.new.run(words, self.folder)[0]) for _ in range(times)]
        except MeasuringError as error:
            yield _failed(workload, what, error)
            return
        old, new = zip(*runs, strict=True)
        yield Line(workload, what, "old", least(old), least(new), limit)

    def eliminations(self, workload: str, path: str, options: str, times: int, limit: float) -> Iterator[Line]:
        """The elimination alone, and with the fit before it; each process ranks twice."""
        snippet = _ELIMINATION.format(path=path, options=options)
        what = f"elimination, {options}" if options else "elimination"
        runs: tuple[list[list[Seconds]], list[list[Seconds]]] = ([], [])
        try:
            for _ in range(times):
                for version, seconds in zip((self.old, self.new), runs, strict=True):
                    printed = version.run(["-c", snippet], self.folder)[1]
                    seconds.append([Seconds(*map(float, line.split())) for line in printed.splitlines()])
        except MeasuringError as error:
            yield _failed(workload, what, error)
            return
        best = ([least(seconds) for seconds in zip(*version, strict=True)] for version in runs)
        for name, old, new in zip((what, f"fit and {what}"), *best, strict=True):
            yield Line(workload, name, "old", old, new, limit if name == what else None)


_UNKNOWN = Seconds(float("nan"), float("nan"))


def _failed(workload: str, what: str, error: Exception) -> Line:
    return Line(workload, what, "old", _UNKNOWN, _UNKNOWN, None, f"failed: {error}")


_ELIMINATION = """
from time import perf_counter, process_time
import probfs
for _ in range(2):  # the first loads what is compiled
    begun = {{}}
    probfs.rank("{path}", target="y", {options}, on_note=lambda note: None,
                on_progress=lambda progress: begun.setdefault(progress.stage, (perf_counter(), process_time())))
    end = perf_counter(), process_time()
for stage in ("ranking", "fitting the classifier"):
    wall, cpu = begun[stage]
    print(end[0] - wall, end[1] - cpu)
"""


def start(bench: Bench) -> Iterator[Line]:
    """What it takes to begin at all."""
    yield from bench.commands("start", "--help", times=9, limit=1.1)
    yield from bench.commands("start", "rank", "--help", times=9, limit=1.1)
    yield from bench.commands("breast_cancer-699x9", "rank", SAMPLE, times=9, limit=1.1)


def tall(bench: Bench) -> Iterator[Line]:
    """500,000 × 50 texts, end to end, beside the old version and a process that only reads the file."""
    name, path = "tall-500000x50", _table(bench, "tall.csv", lambda: categorical(500_000, 50))
    read = ["-c", f"import pandas; pandas.read_csv({path!r})"]
    for score in ("absolute", "signed"):
        peer = [bench.new.run(read, bench.folder)[0] for _ in range(2)]
        for line in bench.commands(name, "rank", path, "--score", score, times=4):
            yield line
            peer += [bench.new.run(read, bench.folder)[0] for _ in range(2)]
            yield Line(name, line.what, "pandas.read_csv", least(peer), line.new, 2, line.failure)


def numbers(bench: Bench) -> Iterator[Line]:
    """Tables of numbers, end to end, beside a process that only reads the file: 30 columns of doubles, and 50 of two
    decimals; from Parquet, too. Peak memory is in GB in place of seconds.
    """
    for name, rows, features, digits, limit in (("doubles", 284_807, 30, 17, 3.5), ("decimals", 500_000, 50, 2, 2.5)):
        workload, path = f"{name}-{rows}x{features}", f"{name}.csv"
        frame = genes(rows, features, digits=digits)
        frame.to_csv(bench.folder / path, index=False)
        frame.to_parquet(bench.folder / f"{name}.parquet")
        read = ["-c", f"import pandas; pandas.read_csv({path!r})"]
        rank = ["-m", "probfs", "rank", path, "--quiet"]
        peer = [bench.new.run(read, bench.folder)[0] for _ in range(4)]
        for line in bench.commands(workload, "rank", path, times=4):
            yield line
            yield Line(workload, line.what, "pandas.read_csv", least(peer), line.new, limit, line.failure)
            parquet = bench.commands(workload, "rank", f"{name}.parquet", times=4)
            yield from (Line(workload, own.what, "from CSV", line.new, own.new, 1, own.failure) for own in parquet)
        of_peer, of_rank = (bench.new.peak(own, bench.folder) for own in (read, rank))
        most = 1.2 if name == "doubles" else None
        yield Line(workload, "peak memory", "pandas.read_csv", Seconds(of_peer, 1), Seconds(of_rank, 1), most)


def wide(bench: Bench) -> Iterator[Line]:
    """1,000 × 1,500: all rounds, with shrinkage where the table asks for it, and without."""
    path = _table(bench, "wide.csv", lambda: categorical(1_000, 1_500))
    for shrink in ("auto", "off"):
        for score in ("absolute", "signed"):
            options = f"score='{score}', shrink='{shrink}'"
            yield from bench.eliminations("wide-1000x1500", path, options, times=3, limit=1.7)


def measurements(bench: Bench) -> Iterator[Line]:
    """100 × 20,000 measurements, end to end."""
    path = _table(bench, "genes.csv", lambda: genes(100, 20_000))
    for step in ("1", "0.1"):
        yield from bench.commands("genes-100x20000", "rank", path, "--step", step, times=3, limit=1.3)


def classes(bench: Bench) -> Iterator[Line]:
    """20,000 × 50 in ten classes, end to end and the elimination alone."""
    path = _table(bench, "classes.csv", lambda: many_classes(20_000, 50, 10))
    yield from bench.commands("classes-10-20000x50", "rank", path, times=4, limit=1.3)
    yield from bench.eliminations("classes-10-20000x50", path, "score='absolute'", times=2, limit=1.3)


def linear_svm(bench: Bench) -> Iterator[Line]:
    """20,000 × 50 by the linear SVM."""
    path = _weston(bench, 20_000, 50)
    rank = ("rank", path, "--classifier", "svm", "--step")
    yield from bench.commands("svm-linear-20000x50", *rank, 10, times=3, limit=1.5)


def rbf_svm(bench: Bench) -> Iterator[Line]:
    """1,000 × 100 by the SVM with the RBF kernel."""
    path = _weston(bench, 1_000, 100)
    rank = ("rank", path, "--classifier", "svm", "--kernel", "rbf", "--step")
    yield from bench.commands("svm-rbf-1000x100", *rank, 10, times=3, limit=2)


def forest(bench: Bench) -> Iterator[Line]:
    """1,000 × 50 by forests; logistic regression and boosting, for which no limit is set, beside them."""
    path = _weston(bench, 1_000, 50)
    rank = ("rank", path, "--classifier")
    yield from bench.commands("forest-1000x50", *rank, "forest", "--step", 25, times=2, limit=3)
    yield from bench.commands("forest-1000x50", *rank, "forest", "--estimate", "oob", "--step", 10, times=2, limit=3)
    yield from bench.commands("logistic-1000x50", *rank, "logistic", "--step", 10, times=2)
    yield from bench.commands("boosting-1000x50", *rank, "boosting", "--iterations", 20, "--no-eliminate", times=2)


def select(bench: Bench) -> Iterator[Line]:
    """54,000 × 9 measurements: the screening, the elimination and the ten folds of a selection."""
    path = _table(bench, "numbers.csv", lambda: genes(54_000, 9))
    yield from bench.commands("numbers-54000x9", "select", path, times=4)
    yield from bench.commands("numbers-54000x9", "rank", path, times=4)


def _table(bench: Bench, name: str, draw: Callable[[], pd.DataFrame]) -> str:
    draw().to_csv(bench.folder / name, index=False)
    return name


def _weston(bench: Bench, rows: int, features: int) -> str:
    """Six relevant columns of numbers, the others noise; drawn by the old version, the same each time."""
    name = f"weston-{rows}x{features}.csv"
    options = ["--rows", str(rows), "--noise", str(features - 6), "--output", name]
    bench.old.run(["-m", "probfs", "generate", "weston", *options], bench.folder)
    return name


PARTS = {
    part.__name__: part
    for part in (start, tall, numbers, wide, measurements, classes, linear_svm, rbf_svm, forest, select)
}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", help="the interpreter of the old version")
    parser.add_argument("new", help="the interpreter of the new version")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), help="what to measure; default: all")
    parser.add_argument("--old-source", type=Path, help="a folder that the old version is imported from")
    parser.add_argument("--new-source", type=Path, help="a folder that the new version is imported from")
    chosen = parser.parse_args(arguments)
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Version(chosen.old, chosen.old_source), Version(chosen.new, chosen.new_source), Path(folder))
        print(HEADER, flush=True)
        for name in chosen.only:
            for line in PARTS[name](bench):
                print(line, flush=True)
                missed += not line.met
    print(f"\n{missed} limits missed" if missed else "\nAll limits are met.")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
