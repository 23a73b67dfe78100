"""Two versions of probfs side by side: how long each takes for whole commands, and the most memory they hold.

    python benchmarks/old_and_new.py OLD_PYTHON NEW_PYTHON [--only NAME ...] [--new-source src]

Each interpreter has a probfs installed, or imports it from the folder of ``--old-source`` or ``--new-source``. Every
measurement is a process of its own, the two versions in turns, and the best of several counts: the first run compiles,
and reads files into the cache. It prints Markdown. Run it while the machine does nothing else; where that cannot be,
the ratio of CPU seconds is disturbed less.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from measure import process
from workloads import categorical, genes, many_classes, prices, weston

SAMPLE = Path(__file__).resolve().parent.parent / "sample_data" / "breast_cancer.csv"
TABLES = {
    "categorical-500000x50": partial(categorical, 500_000, 50),
    "categorical-1000x1500": partial(categorical, 1_000, 1_500),
    "doubles-284807x30": partial(genes, 284_807, 30, digits=17),
    "decimals-500000x50": partial(genes, 500_000, 50, digits=2),
    "genes-100x20000": partial(genes, 100, 20_000),
    "numbers-54000x9": partial(genes, 54_000, 9),
    "classes-10-20000x50": partial(many_classes, 20_000, 50, 10),
    "plain-prices-200000x10": partial(prices, 200_000, 10),
    "dollars-200000x10": partial(prices, 200_000, 10, written="${:,.2f}"),
    "weston-20000x50": partial(weston, 20_000, 50),
    "weston-1000x100": partial(weston, 1_000, 100),
    "weston-1000x50": partial(weston, 1_000, 50),
}
COMMANDS: dict[str, tuple[tuple[str, str], ...]] = {
    "start": (("", "--help"), ("", "rank --help"), ("breast_cancer", "rank {}")),
    "tall": tuple(("categorical-500000x50", f"rank {{}} --score {score}") for score in ("absolute", "signed")),
    "numbers": tuple((name, "rank {}") for name in ("doubles-284807x30", "decimals-500000x50")),
    "cells": tuple((name, "rank {}") for name in ("plain-prices-200000x10", "dollars-200000x10")),
    "wide": tuple(("categorical-1000x1500", f"rank {{}} --no-screen --shrink {shrink}") for shrink in ("auto", "off")),
    "measurements": tuple(("genes-100x20000", f"rank {{}} --step {step}") for step in ("1", "0.1")),
    "classes": (("classes-10-20000x50", "rank {}"),),
    "svm": (
        ("weston-20000x50", "rank {} --classifier svm --step 10"),
        ("weston-1000x100", "rank {} --classifier svm --kernel rbf --step 10"),
    ),
    "models": (
        ("weston-1000x50", "rank {} --classifier forest --step 25"),
        ("weston-1000x50", "rank {} --classifier forest --estimate oob --step 10"),
        ("weston-1000x50", "rank {} --classifier logistic --step 10"),
        ("weston-1000x50", "rank {} --classifier boosting --iterations 20 --no-eliminate"),
    ),
    "select": (("numbers-54000x9", "select {}"), ("numbers-54000x9", "rank {}")),
}
"""By what ``--only`` calls them: the table, and the words of the command."""
READS = {"tall", "numbers"}
"""What is compared with reading the same file by pandas as well, in a process of the new interpreter."""


def run(python: str, source: Path | None, words: Sequence[str]) -> tuple[float, float, float]:
    """Seconds, CPU seconds and megabytes of a process."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if source is not None:
        environment["PYTHONPATH"] = str(source.resolve())
    usage = process([python, *words], environment)
    return usage.seconds, usage.cpu, usage.megabytes


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", help="the interpreter of the old version")
    parser.add_argument("new", help="the interpreter of the new version")
    parser.add_argument("--only", nargs="+", choices=COMMANDS, default=list(COMMANDS), help="default: all")
    parser.add_argument("--times", type=int, default=4, help="how often each version runs each command; default: 4")
    parser.add_argument("--old-source", type=Path, help="a folder that the old version is imported from")
    parser.add_argument("--new-source", type=Path, help="a folder that the new version is imported from")
    given = parser.parse_args(arguments)
    versions = ((given.old, given.old_source), (given.new, given.new_source))
    print("| table | command | old | new | ratio | CPU | memory | of pandas.read_csv |")
    print("|---|---|---:|---:|---:|---:|---:|---:|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for group, table, command in ((name, *line) for name in given.only for line in COMMANDS[name]):
            path = Path(folder, f"{table}.csv") if table in TABLES else SAMPLE
            if not path.exists():
                TABLES[table]().to_csv(path, index=False)
            words = ["-m", "probfs", *command.format(path).split(), *([] if "--help" in command else ["--quiet"])]
            processes = [(*version, words) for version in versions]
            if group in READS:
                processes.append((given.new, None, ["-c", f"import pandas; pandas.read_csv({str(path)!r})"]))
            runs = [[run(*one) for one in processes] for _ in range(given.times)]
            old, new, *peer = ([min(numbers) for numbers in zip(*own, strict=True)] for own in zip(*runs, strict=True))
            ratios = " | ".join(f"{now / before:.2f}" for before, now in zip(old, new, strict=True))
            peers = "".join(f"{new[0] / read:.2f}, memory {new[2] / most:.2f}" for read, _, most in peer)
            row = f"| {table} | {command.format('')} | {old[0]:.3g} s | {new[0]:.3g} s | {ratios} | {peers} |"
            print(row, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
