"""Record the rankings of 240 random tables, so that a change that should alter none can be shown to alter none.

    python tests/record_rankings.py before      # with the old version installed
    python tests/record_rankings.py after       # with the new one
    python tests/record_rankings.py compare before after
    python tests/record_rankings.py chance --reseed 1000    # with the old one: what other shuffles and folds change
    python tests/record_rankings.py compare before after chance

The tables cover all classifiers, every score, estimate, kernel and way of removal, both smoothings, missing cells,
numeric columns, counted and unlabelled rows, two to five classes, and tables large enough for the compiled loops. Each
is ranked through the command line and written as CSV or JSON; the version is left out of the JSON. A folder also keeps
the exit statuses. Tables are only ever appended, so that a number keeps its meaning. The limits of the comparison are
in tests/recording/compare_rankings.py; ``diff -r`` of two folders shows whether even the bytes are the same.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

import numpy as np

Table = dict[str, list[str]]

SMALL_TABLES = 188
LARGE_TABLES = 12
ESTIMATOR_TABLES = 40

STATUSES = "statuses.json"


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


def graded_table(generator: np.random.Generator, rows: int, classes: int) -> Table:
    """Categories and numbers, each telling the class more rarely than the one before: an order that chance keeps."""
    labels = np.concatenate([np.repeat(np.arange(classes), 6), generator.integers(classes, size=rows - 6 * classes)])
    strengths = np.array([0.75, 0.55, 0.4, 0.27, 0.15, 0.0])
    positions = generator.permutation(len(strengths))
    table: Table = {}
    for number, strength in enumerate(strengths[positions]):
        noise = generator.integers(classes, size=rows)
        told = np.where(generator.random(rows) < strength, labels, noise)
        if number % 2:
            cells = np.round(2 * told + generator.normal(size=rows) / 4, 2).astype(str).astype(object)
        else:
            cells = np.array(["ash", "birch", "elm, wych", "=fir"])[told].astype(object)
        cells[generator.random(rows) < generator.choice([0.0, 0.0, 0.08])] = ""
        table[f"c{number}"] = cells.tolist()
    table["y"] = np.array(["no", "yes", "maybe", "never"])[labels].tolist()
    return table


def classifier_of(number: int) -> str:
    """The classifier that a table is ranked with."""
    if number >= SMALL_TABLES + LARGE_TABLES:
        return ("forest", "logistic", "boosting", "forest")[number % 4]
    return "svm" if number % 4 == 3 and number < SMALL_TABLES else "nb"


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
    if classifier_of(number) == "svm":
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


def estimator_case(number: int) -> tuple[Table, list[str]]:
    """A table for a classifier that is refitted, small enough to take about a second, and its options."""
    generator = np.random.default_rng(2000 + number)
    classifier, retrained = classifier_of(number), number % 5 == 4
    rows, classes = int(generator.integers(220, 320)), int(generator.integers(2, 5))
    table = graded_table(generator, rows, classes)
    # Two forests differ by chance as much as by a weak column; only the signed score averages that out.
    scores = ["signed"] if classifier == "forest" and retrained else ["absolute", "signed", "unlabeled"]
    score = str(generator.choice(scores))
    estimates = ["cv", "cv", "resubstitution", *(["oob", "oob"] if classifier == "forest" else [])]
    estimate = str(generator.choice(estimates))
    options = ["--classifier", classifier, "--score", score, "--seed", str(number), "--step", "1", "--jobs", "1"]
    options += ["--estimate", estimate, "--removal", "retrain" if retrained else "permute"]
    options += ["--folds", "3"] if estimate == "cv" else []
    options += {"forest": ["--trees", "40" if retrained else "60"], "boosting": ["--iterations", "15"]}.get(
        classifier, []
    )
    if score == "unlabeled" or generator.random() < 0.2:
        unlabelled = range(rows - 30, rows)
        table["y"] = ["" if row in unlabelled else label for row, label in enumerate(table["y"])]
    if generator.random() < 0.3:
        table = {"n": generator.integers(1, 4, size=rows).astype(str).tolist(), **table}
        options += ["--count", "n"]
    return table, options


def case(number: int) -> tuple[Table, list[str]]:
    """The table of a number and the options it is ranked with."""
    if number < SMALL_TABLES:
        return small_case(number)
    if number < SMALL_TABLES + LARGE_TABLES:
        return large_case(number - SMALL_TABLES)
    return estimator_case(number)


def write_csv(table: Table, path: Path) -> None:
    lines = [",".join(table), *(",".join(_quote(cell) for cell in row) for row in zip(*table.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n")


def _quote(cell: str) -> str:
    return f'"{cell}"' if "," in cell else cell


def reseed(options: list[str], added: int) -> list[str]:
    """The options with another seed; those without one draw nothing at random."""
    if not added or "--seed" not in options:
        return options
    place = options.index("--seed") + 1
    return [*options[:place], str(int(options[place]) + added), *options[place + 1 :]]


def record(folder: str, added_to_seeds: int) -> None:
    """Rank all tables with the probfs that is installed, into a new folder."""
    from probfs.cli import run

    Path(folder).mkdir()
    os.chdir(folder)
    statuses: dict[str, int | str] = {}
    for number in range(SMALL_TABLES + LARGE_TABLES + ESTIMATOR_TABLES):
        table, options = case(number)
        options = [*reseed(options, added_to_seeds), "--no-screen"]
        source, result = Path(f"{number:03}.csv"), Path(f"{number:03}-ranking.{('json', 'csv')[number % 2]}")
        write_csv(table, source)
        status: int | str
        try:
            status = run(["rank", str(source), *options, "-qq", "--output", str(result)])
        except Exception as error:  # a bug of the recorded version is a result, too
            status = f"{type(error).__name__}: {error}"
        statuses[f"{number:03}"] = status
        print(number, status, " ".join(options), flush=True)
        if result.suffix == ".json" and result.exists():
            content = json.loads(result.read_text())
            del content["version"]
            result.write_text(json.dumps(content, indent=1, ensure_ascii=False))
        source.unlink()
    Path(STATUSES).write_text(json.dumps(statuses, indent=1) + "\n")


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["compare"]:
        sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
        from tests.recording.compare_rankings import compare

        return compare(*map(Path, arguments[1:]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="where the rankings go; a new folder")
    parser.add_argument("--reseed", type=int, default=0, metavar="N", help="add N to every seed")
    chosen = parser.parse_args(arguments)
    record(chosen.folder, chosen.reseed)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
