"""Record the rankings of 200 random tables, so that a change that should alter none can be shown to alter none.

    python tests/record_rankings.py before      # with the old version installed
    python tests/record_rankings.py after       # with the new one
    diff -r before after

The tables cover both classifiers, every score, estimate, kernel and way of removal, both smoothings, missing cells,
numeric columns, counted and unlabelled rows, two to five classes, and tables large enough for the compiled loops. Each
is ranked through the command line and written as CSV or JSON; the version is left out of the JSON.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np

Table = dict[str, list[str]]

SMALL_TABLES = 188
LARGE_TABLES = 12


def small_table(generator: np.random.Generator, rows: int, classes: int) -> Table:
    """Categories, numbers and missing cells, of which some tell the class."""
    labels = np.concatenate([np.repeat(np.arange(classes), 3), generator.integers(classes, size=rows - 3 * classes)])
    table: Table = {}
    for number in range(int(generator.integers(1, 11))):
        told = np.where(generator.random(rows) < generator.choice([0.0, 0.2, 0.5]), labels, -1)
        kind = generator.integers(3)
        if kind == 0:
            cells = np.where(told >= 0, told, generator.integers(int(generator.integers(1, 7)), size=rows)).astype(str)
        elif kind == 1:
            cells = np.round(generator.normal(size=rows) + np.maximum(told, 0), 3).astype(str)
        else:
            values = np.array(["ash", "birch", "<b>oak</b>", "elm, wych", "=fir"])
            cells = values[np.where(told >= 0, told, generator.integers(5, size=rows))]
        cells = cells.astype(object)
        cells[generator.random(rows) < generator.choice([0.0, 0.0, 0.1])] = ""
        table[f"c{number}"] = cells.tolist()
    table["y"] = np.array(["no", "yes", "maybe", "never", "often"])[labels].tolist()
    return table


def large_table(generator: np.random.Generator, rows: int, features: int, classes: int, values: int) -> Table:
    """Categories only, enough of them for the compiled loops."""
    labels = generator.integers(classes, size=rows)
    table: Table = {}
    for number in range(features):
        told = generator.random(rows) < 0.15 * (number % 7 == 0)
        cells = np.where(told, labels, generator.integers(2 if number else values, size=rows))
        table[f"c{number:04}"] = cells.astype(str).tolist()
    table["y"] = np.array(["no", "yes", "maybe"])[labels].tolist()
    return table


def small_case(number: int) -> tuple[Table, list[str]]:
    """A small table and the options it is ranked with."""
    generator = np.random.default_rng(number)
    rows, classes = int(generator.integers(24, 80)), int(generator.integers(2, 6))
    table = small_table(generator, rows, classes)
    score = str(generator.choice(["absolute", "signed", "unlabeled"]))
    options = ["--score", score, "--seed", str(number)]
    if score == "unlabeled" or generator.random() < 0.2:
        unlabelled = generator.choice(rows, size=5, replace=False)
        table["y"] = ["" if row in unlabelled and row >= 3 * classes else own for row, own in enumerate(table["y"])]
        table["y"][-1] = ""
    if generator.random() < 0.3:
        table = {"n": generator.integers(1, 4, size=rows).astype(str).tolist(), **table}
        options += ["--count", "n"]
    if generator.random() < 0.3:
        options += ["--step", str(generator.choice(["2", "0.3"]))]
    if generator.random() < 0.1:
        options += ["--no-eliminate"]
    if number % 4 == 3:
        options += ["--classifier", "svm", "--kernel", str(generator.choice(["linear", "rbf"])), "--jobs", "1"]
        options += ["--removal", str(generator.choice(["permute", "permute", "retrain"]))]
        options += ["--estimate", str(generator.choice(["resubstitution", "resubstitution", "cv"]))]
    else:
        options += ["--estimate", str(generator.choice(["loo", "loo", "resubstitution", "cv"]))]
        options += ["--smoothing", str(generator.choice(["1", "0", "0.5"])), "--bins", str(generator.choice([3, 5]))]
    if "cv" in options:
        options += ["--folds", "3"]
    return table, options


def large_case(number: int) -> tuple[Table, list[str]]:
    """A table for the compiled loops (wide, tall, with codes above 255) and the options it is ranked with."""
    generator = np.random.default_rng(1000 + number)
    rows, features, step = [(300, 900, "1"), (5_000, 250, "1"), (150_000, 40, "1")][number % 3]
    classes = 2 if number < 8 else 3
    table = large_table(generator, rows, features, classes, 400 if number % 2 else 9)
    score = "signed" if number % 4 < 2 else "absolute"
    options = ["--score", score, "--step", step if classes == 2 else "0.02"]
    return table, options + (["--estimate", "cv", "--folds", "3"] if number == 6 else [])


def write_csv(table: Table, path: Path) -> None:
    lines = [",".join(table), *(",".join(_quote(cell) for cell in row) for row in zip(*table.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n")


def _quote(cell: str) -> str:
    return f'"{cell}"' if "," in cell else cell


def main(folder: str) -> None:
    from probfs.cli import run

    Path(folder).mkdir()
    os.chdir(folder)
    for number in range(SMALL_TABLES + LARGE_TABLES):
        table, options = small_case(number) if number < SMALL_TABLES else large_case(number - SMALL_TABLES)
        source, result = Path(f"{number:03}.csv"), Path(f"{number:03}-ranking.{('json', 'csv')[number % 2]}")
        write_csv(table, source)
        status = run(["rank", str(source), *options, "-qq", "--output", str(result)])
        print(number, status, " ".join(options), flush=True)
        if result.suffix == ".json" and not status:
            content = json.loads(result.read_text())
            del content["version"]
            result.write_text(json.dumps(content, indent=1, ensure_ascii=False))
        source.unlink()


if __name__ == "__main__":
    main(sys.argv[1])
