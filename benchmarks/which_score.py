"""Which score when, on real tables: what the first columns of a ranking are worth, and whether noise comes last.

From the project's root: python benchmarks/which_score.py --seed 1 --splits 10. Each split takes some rows of a table to
rank on and leaves the others for the test. To the table's columns it adds as many that are noise, of one of two kinds:
copies of the columns whose cells are shuffled, and columns of 20 values drawn evenly. Printed are, for the rankings by
either score and by the p-value of a χ² test,

- the log-loss, on the test rows, of logistic regressions on the first columns of the ranking;
- the share of pairs of a column and a noise column of which the former ranks first (the area under the ROC curve).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn import datasets
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from probfs.classifiers.scores import ABSOLUTE, SIGNED
from wide_precision import rank, rank_by_chi2
from wide_regimes import Draw

BINS = 5
MANY_VALUES = 20
FIRST = (3, 5, 10)
CHI2 = "χ²"
RANKINGS = (ABSOLUTE.name, SIGNED.name, CHI2)
CYTOLOGY = Path(__file__).resolve().parent.parent / "sample_data" / "breast_cancer.csv"

Numbers = npt.NDArray[np.float64]
Labels = npt.NDArray[np.intp]


@dataclass
class Measured:
    """Of one ranking, over all splits."""

    losses: list[list[float]] = field(default_factory=list)
    areas: list[float] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1, help="seed of splits and noise")
    parser.add_argument("--splits", type=int, default=10, help="how often a table is split")
    parser.add_argument("--only", default="", help="only tables whose name contains this")
    arguments = parser.parse_args()
    print(f"In each cell: ranked by {', '.join(RANKINGS)}.\n")
    print(f"| table, rows to rank on | noise | {' | '.join(f'log-loss of the first {n}' for n in FIRST)} | area |")
    print("|---|---|" + "---|" * (len(FIRST) + 1))
    chosen = [table for table in real_tables() if arguments.only in table[0]]
    for (name, rows, numbers, labels), (noise, add) in product(chosen, NOISE.items()):
        # On matrices of this size, threads wait for each other longer than they work.
        with threadpool_limits(1):
            generator = np.random.default_rng(arguments.seed)
            results = compare(numbers, labels, rows, add, generator, arguments.splits).values()
            losses = np.transpose([np.mean(measured.losses, axis=0) for measured in results]).tolist()
            areas = [float(np.mean(measured.areas)) for measured in results]
            cells = [f"{name}, {rows}", noise, *(_figures(own, 3) for own in losses), _figures(areas, 2)]
            print(f"| {' | '.join(cells)} |", flush=True)


def _figures(numbers: list[float], digits: int) -> str:
    return ", ".join(f"{number:.{digits}f}" for number in numbers)


def real_tables() -> Iterator[tuple[str, int, Numbers, Labels]]:
    """Name, how many rows to rank on, columns, classes."""
    yield "wine", 90, *datasets.load_wine(return_X_y=True)
    yield "WDBC", 60, *datasets.load_breast_cancer(return_X_y=True)
    yield "WDBC", 300, *datasets.load_breast_cancer(return_X_y=True)
    cytology = pd.read_csv(CYTOLOGY).dropna()
    yield "cytology", 300, cytology.iloc[:, :-1].to_numpy(float), pd.factorize(cytology.iloc[:, -1])[0]
    digits, which = datasets.load_digits(return_X_y=True)
    yield "digits, odd or even", 600, digits, which % 2
    yield "digits, 0 to 9", 600, digits, which


def compare(
    numbers: Numbers,
    labels: Labels,
    rows: int,
    add_noise: Callable[[np.random.Generator, Numbers], Numbers],
    generator: np.random.Generator,
    splits: int,
) -> dict[str, Measured]:
    columns = numbers.shape[1]
    results = {name: Measured() for name in RANKINGS}
    for _ in range(splits):
        table = np.hstack([numbers, add_noise(generator, numbers)])
        places = generator.permutation(2 * columns)
        table, real = table[:, places], places < columns
        train, test = train_test_split(
            np.arange(len(labels)), train_size=rows, stratify=labels, random_state=int(generator.integers(2**31))
        )
        draw = Draw(cut(table[train]), labels[train], frozenset(np.flatnonzero(real).tolist()))
        dataset = draw.to_dataset()
        rankings = {score.name: rank(dataset, score, 1, "auto") for score in (ABSOLUTE, SIGNED)}
        for name, best_first in {**rankings, CHI2: rank_by_chi2(draw)}.items():
            results[name].losses.append(
                [held_out_loss(table[:, best_first[:first]], labels, train, test) for first in FIRST]
            )
            results[name].areas.append(float(roc_auc_score(real[best_first], -np.arange(2 * columns))))
    return results


def cut(numbers: Numbers) -> Labels:
    """Columns of many values in quantile bins, the others as they are, as ``probfs rank`` would have them."""
    codes = np.empty(numbers.shape, np.intp)
    for number, column in enumerate(numbers.T):
        few = len(np.unique(column)) <= MANY_VALUES
        codes[:, number] = pd.factorize(column)[0] if few else pd.qcut(column, BINS, labels=False, duplicates="drop")
    return codes


def held_out_loss(columns: Numbers, labels: Labels, train: Labels, test: Labels) -> float:
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2_000)).fit(columns[train], labels[train])
    return float(log_loss(labels[test], model.predict_proba(columns[test])))


def shuffled_copies(generator: np.random.Generator, numbers: Numbers) -> Numbers:
    return generator.permuted(numbers, axis=0)


def many_values(generator: np.random.Generator, numbers: Numbers) -> Numbers:
    return generator.integers(0, MANY_VALUES, numbers.shape).astype(np.float64)


NOISE = {"shuffled copies": shuffled_copies, f"{MANY_VALUES} values": many_values}


if __name__ == "__main__":
    main()
