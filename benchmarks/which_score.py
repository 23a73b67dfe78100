"""Which ranking when: what the first columns of several rankings are worth, on tables of which the answer is known.

From the project's root: python benchmarks/which_score.py precision --draws 10, or losses, or copies.

``precision`` is the share of relevant columns among as many first ones as there are relevant columns, for the kinds of
table in ``wide_regimes.py`` and for real tables beside as many shuffled copies of their columns. ``losses`` ranks some
rows of such real tables, and prints the log-loss of logistic regressions on the first columns, on all other rows.
``copies`` prints by how much that loss changes, and that of Naive Bayes, on the columns that ``probfs select`` keeps,
because near-copies are left out.

Compared are the default of ``probfs rank``, its two scores without screening, and what people use instead: χ² and F
tests, mutual information, the importances of a forest, and the coefficients of an L1-penalized logistic regression.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats
from sklearn import datasets
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import f_classif, mutual_info_classif
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, StandardScaler

import probfs
from probfs.screening.near_copies import find_near_copies
from wide_precision import rank_by_chi2
from wide_regimes import REGIMES, Draw

BINS = 5
MANY_VALUES = 20
FIRST = (3, 5, 10)
CYTOLOGY = Path(__file__).resolve().parent.parent / "sample_data" / "breast_cancer.csv"

LOGISTIC = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2_000))
CUT = KBinsDiscretizer(BINS, encode="ordinal", quantile_method="averaged_inverted_cdf")
NAIVE_BAYES = make_pipeline(CUT, CategoricalNB(min_categories=BINS))

Numbers = npt.NDArray[np.float64]
Labels = npt.NDArray[np.intp]
Ranker = Callable[[Numbers, Labels], list[int]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("measure", choices=["precision", "losses", "copies"])
    parser.add_argument("--seed", type=int, default=1, help="seed of tables, splits and noise")
    parser.add_argument("--draws", type=int, default=10, help="how many tables, or splits of a table")
    parser.add_argument("--only", default="", help="only tables whose name contains this")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    measure, columns = {
        "precision": (precision_of, list(RANKERS)),
        "losses": (losses_of, [f"first {first}" for first in FIRST]),
        "copies": (effects_of_copies, ["columns kept", "log-loss of Naive Bayes", "of logistic regression"]),
    }[arguments.measure]
    print(f"| table | {' | '.join(columns)} |")
    print("|---|" + "---|" * len(columns))
    for name, cells in measure(arguments.only, arguments.seed, arguments.draws):
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def precision_of(only: str, seed: int, draws: int) -> Iterator[tuple[str, list[str]]]:
    """The mean precision of each ranking and its standard error."""
    for name, draw in kinds_of_table().items():
        if only not in name:
            continue
        found: dict[str, list[float]] = {ranker: [] for ranker in RANKERS}
        for number in range(draws):
            numbers, labels, relevant = draw(np.random.default_rng([seed, number]))
            for ranker, rank in RANKERS.items():
                first = rank(numbers, labels)[: len(relevant)]
                found[ranker].append(len(relevant.intersection(first)) / len(relevant))
        errors = [float(stats.sem(one)) if draws > 1 else 0.0 for one in found.values()]
        yield name, [f"{np.mean(one):.2f} ± {error:.2f}" for one, error in zip(found.values(), errors, strict=True)]


def losses_of(only: str, seed: int, splits: int) -> Iterator[tuple[str, list[str]]]:
    """The mean held-out log-loss of the first columns of each ranking, in the order of ``RANKERS``."""
    print(f"In each cell: {', '.join(RANKERS)}.\n")
    for name, (rows, numbers, labels) in real_tables().items():
        if only not in name:
            continue
        generator = np.random.default_rng(seed)
        losses = []
        for _ in range(splits):
            table, _ = with_shuffled_copies(generator, numbers)
            draw = int(generator.integers(2**31))
            places = np.arange(len(labels))
            train, test = train_test_split(places, train_size=rows, stratify=labels, random_state=draw)
            rankings = [rank(table[train], labels[train]) for rank in RANKERS.values()]
            losses.append([[held_out_loss(table[:, one[:k]], labels, train, test) for one in rankings] for k in FIRST])
        cells = np.mean(losses, axis=0).tolist()
        yield f"{name}, {rows} rows", [", ".join(f"{loss:.3f}" for loss in cell) for cell in cells]


def effects_of_copies(only: str, seed: int, draws: int) -> Iterator[tuple[str, list[str]]]:
    """By how much the columns kept, and held-out losses on them, change because near-copies are left out."""
    every: list[list[float]] = []
    tables = {name: (rows, (numbers, labels)) for name, (rows, numbers, labels) in real_tables().items()}
    drawn = {"a column in three near-copies": with_near_copies, "five columns in 13": with_combinations}
    for name in (*drawn, *tables):
        if only not in name:
            continue
        changes = []
        for draw in range(seed, seed + draws):
            rows, (numbers, labels) = (400, drawn[name](draw)) if name in drawn else tables[name]
            train, test = train_test_split(np.arange(len(labels)), train_size=rows, stratify=labels, random_state=draw)
            frame = pd.DataFrame(numbers[train]).rename(columns=str).assign(y=labels[train])
            found = []
            for find in (find_near_copies, lambda *_: ()):
                with patch("probfs.ranking.candidates.find_near_copies", find):
                    kept = [int(name) for name in probfs.select(frame, target="y", folds=0).kept]
                models = (NAIVE_BAYES, LOGISTIC)
                found.append(
                    [len(kept), *(held_out_loss(numbers[:, kept], labels, train, test, one) for one in models)]
                )
            changes.append([left_out - let_in for left_out, let_in in zip(*found, strict=True)])
        every += changes
        yield name, shown_changes(changes)
    yield f"all {len(every)}", shown_changes(every)


def shown_changes(changes: list[list[float]]) -> list[str]:
    means, errors = np.mean(changes, axis=0), stats.sem(changes, axis=0)
    return [f"{mean:+.4f} ± {error:.4f}" for mean, error in zip(means, errors, strict=True)]


# Tables


def with_near_copies(seed: int, rows: int = 1200) -> tuple[Numbers, Labels]:
    """A column in three near-copies, another one that adds something, and noise."""
    generator = np.random.default_rng(seed)
    column, other = generator.normal(size=(2, rows))
    copies = column[:, None] + 0.03 * generator.normal(size=(rows, 3))
    table = np.column_stack([copies, other, generator.normal(size=(rows, 6))])
    return table, (column + 0.7 * other + generator.normal(size=rows) > 0).astype(np.intp)


def with_combinations(seed: int, rows: int = 1200) -> tuple[Numbers, Labels]:
    """Five columns that tell the class, eight that are combinations of these, and noise."""
    table, labels = datasets.make_classification(rows, 20, n_informative=5, n_redundant=8, random_state=seed)
    return table, labels


def kinds_of_table() -> dict[str, Callable[[np.random.Generator], tuple[Numbers, Labels, frozenset[int]]]]:
    kinds: dict[str, Callable[[np.random.Generator], tuple[Numbers, Labels, frozenset[int]]]] = {}
    for regime in REGIMES:
        kinds[regime.name] = partial(_drawn, regime.draw)
    for name, (rows, numbers, labels) in real_tables().items():
        kinds[f"{name}, {rows} rows"] = partial(_beside_shuffled_copies, rows, numbers, labels)
    return kinds


def _drawn(
    draw: Callable[[np.random.Generator], Draw], generator: np.random.Generator
) -> tuple[Numbers, Labels, frozenset[int]]:
    table = draw(generator)
    return table.codes.astype(np.float64), table.labels, table.informative


def _beside_shuffled_copies(
    rows: int, numbers: Numbers, labels: Labels, generator: np.random.Generator
) -> tuple[Numbers, Labels, frozenset[int]]:
    table, relevant = with_shuffled_copies(generator, numbers)
    draw = int(generator.integers(2**31))
    train, _ = train_test_split(np.arange(len(labels)), train_size=rows, stratify=labels, random_state=draw)
    return table[train], labels[train], relevant


def with_shuffled_copies(generator: np.random.Generator, numbers: Numbers) -> tuple[Numbers, frozenset[int]]:
    """The columns among as many that are noise: each column once more, its cells in another order."""
    table = np.hstack([numbers, generator.permuted(numbers, axis=0)])
    places = generator.permutation(table.shape[1])
    return table[:, places], frozenset(np.flatnonzero(places < numbers.shape[1]).tolist())


def real_tables() -> dict[str, tuple[int, Numbers, Labels]]:
    """How many rows to rank on, columns and classes of each table."""
    cytology = pd.read_csv(CYTOLOGY).dropna()
    digits, which = datasets.load_digits(return_X_y=True)
    return {
        "wine": (90, *datasets.load_wine(return_X_y=True)),
        "WDBC, few": (60, *datasets.load_breast_cancer(return_X_y=True)),
        "WDBC": (300, *datasets.load_breast_cancer(return_X_y=True)),
        "cytology": (300, cytology.iloc[:, 1:-1].to_numpy(float), pd.factorize(cytology.iloc[:, -1])[0]),
        "digits, odd or even": (600, digits, which % 2),
        "digits, 0 to 9": (600, digits, which),
    }


# Rankings: columns by position, best first


def rank_by_probfs(numbers: Numbers, labels: Labels, **options: object) -> list[int]:
    frame = pd.DataFrame(numbers, columns=[f"f{number:05}" for number in range(numbers.shape[1])])
    step = 1 if numbers.shape[1] <= 100 else 0.1
    choice = {"keep_identifiers": True, "step": step, **options}
    ranking = probfs.rank(frame, y=np.array([f"c{label}" for label in labels]), **choice)  # type: ignore[arg-type]
    return [int(feature.feature[1:]) for feature in ranking.features]


def rank_by_tests(numbers: Numbers, labels: Labels) -> list[int]:
    return rank_by_chi2(Draw(cut(numbers), labels, frozenset()))


def rank_by_f(numbers: Numbers, labels: Labels) -> list[int]:
    return _descending(np.nan_to_num(f_classif(numbers, labels)[0]))


def rank_by_information(numbers: Numbers, labels: Labels) -> list[int]:
    return _descending(mutual_info_classif(cut(numbers), labels, discrete_features=True))


def rank_by_forest(numbers: Numbers, labels: Labels) -> list[int]:
    forest = RandomForestClassifier(500, random_state=0, n_jobs=1).fit(numbers, labels)
    return _descending(forest.feature_importances_)


def rank_by_l1(numbers: Numbers, labels: Labels) -> list[int]:
    """By the largest coefficient; of columns whose coefficients are all 0, by F."""
    scaled = StandardScaler().fit_transform(numbers)
    classes = np.unique(labels)
    ones = [labels == label for label in (classes if len(classes) > 2 else classes[:1])]
    fits = [
        LogisticRegression(penalty="l1", solver="liblinear", C=0.3, random_state=0).fit(scaled, one) for one in ones
    ]
    size = np.abs([fit.coef_[0] for fit in fits]).max(axis=0)
    by_f = np.nan_to_num(f_classif(numbers, labels)[0])
    best_first: list[int] = np.lexsort((-by_f, -size)).tolist()
    return best_first


RANKERS: dict[str, Ranker] = {
    "default": rank_by_probfs,
    "signed, not screened": partial(rank_by_probfs, screen=False),
    "absolute, not screened": partial(rank_by_probfs, screen=False, score="absolute"),
    "χ²": rank_by_tests,
    "F": rank_by_f,
    "information": rank_by_information,
    "forest": rank_by_forest,
    "L1": rank_by_l1,
}


def _descending(scores: Sequence[float]) -> list[int]:
    order: list[int] = np.argsort(-np.asarray(scores), kind="stable").tolist()
    return order


def cut(numbers: Numbers) -> Labels:
    """Columns of many values in quantile bins, the others as they are, as ``probfs rank`` has them."""
    codes = np.empty(numbers.shape, np.intp)
    for number, column in enumerate(numbers.T):
        few = len(np.unique(column)) <= MANY_VALUES
        codes[:, number] = (
            np.unique(column, return_inverse=True)[1] if few else pd.qcut(column, BINS, labels=False, duplicates="drop")
        )
    return codes


def held_out_loss(columns: Numbers, labels: Labels, train: Labels, test: Labels, model: Any = LOGISTIC) -> float:
    model = clone(model).fit(columns[train], labels[train])
    return float(log_loss(labels[test], model.predict_proba(columns[test]), labels=model.classes_))


if __name__ == "__main__":
    main()
