"""The slow, obvious selection by Naive Bayes: refit for every row, every size and every fold, with no table kept.

Nothing is shared with the product but the p-values, the scores and the dealing of folds, which have tests of their own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize_scalar

from probfs.classifiers.scores import SCORES
from probfs.columns.dataset import Dataset
from probfs.columns.folds import deal_folds, with_distinguishing_features
from probfs.ranking.elimination import alphabetical_ranks, leaving_order
from probfs.screening.screen import q_values, screen
from tests.support.datasets import fit_naive_bayes

Row = tuple[int, tuple[int, ...]]
"""A label, and the codes of all features; a missing cell has the code after the last value."""


@dataclass(frozen=True)
class PlainTable:
    """Rows as they would be without counts, and how many values each feature has."""

    rows: tuple[Row, ...]
    values: tuple[int, ...]
    classes: int

    @classmethod
    def of(cls, dataset: Dataset) -> PlainTable:
        codes = [feature.labelled.tolist() for feature in dataset.features]
        rows = [
            (int(label), tuple(column[row] for column in codes))
            for row, (label, count) in enumerate(zip(dataset.labels, dataset.counts, strict=True))
            for _ in range(int(count))
        ]
        return cls(tuple(rows), tuple(feature.values for feature in dataset.features), len(dataset.classes))


def log_weights(
    table: PlainTable, training: Sequence[Row], cells: Sequence[int], features: Sequence[int], smoothing: float
) -> list[tuple[int, float]]:
    """For each class the number of zero factors, and the logarithm of the other factors."""
    weights = []
    for label in range(table.classes):
        own = [row for row in training if row[0] == label]
        zeros, log = 0, math.log(len(own) / len(training))
        for j in features:
            if cells[j] == table.values[j]:
                continue
            present = [row for row in own if row[1][j] != table.values[j]]
            same = sum(row[1][j] == cells[j] for row in present)
            if smoothing > 0:
                log += math.log((same + smoothing) / (len(present) + smoothing * table.values[j]))
            elif not present:
                log -= math.log(table.values[j])
            elif same:
                log += math.log(same / len(present))
            else:
                zeros, log = zeros + 1, log - math.log(len(present))
        weights.append((zeros, log))
    return weights


def own_probability(weights: Sequence[tuple[int, float]], label: int, temperature: float) -> float:
    """The probability of a class at a temperature; a class with more zeros than another has none."""
    fewest = min(zeros for zeros, _ in weights)
    if weights[label][0] > fewest:
        return 0.0
    others = [temperature * (log - weights[label][1]) for zeros, log in weights if zeros == fewest]
    top = max(others)
    return math.exp(-top) / sum(math.exp(other - top) for other in others)


def predicted(weights: Sequence[tuple[int, float]]) -> int:
    fewest = min(zeros for zeros, _ in weights)
    best = max(log for zeros, log in weights if zeros == fewest)
    return next(label for label, (zeros, log) in enumerate(weights) if zeros == fewest and log >= best - 1e-12)


@dataclass(frozen=True)
class PlainSize:
    temperature: float
    losses: tuple[float, ...]
    errors: int

    @property
    def log_loss(self) -> float:
        return sum(self.losses) / len(self.losses)


def judge_features(table: PlainTable, features: Sequence[int], smoothing: float) -> PlainSize:
    """Leave-one-out losses after the best temperature, found by scipy."""
    judged = []
    for number, (label, cells) in enumerate(table.rows):
        training = [*table.rows[:number], *table.rows[number + 1 :]]
        judged.append((label, log_weights(table, training, cells, features, smoothing)))

    def total(temperature: float) -> float:
        each = [own_probability(weights, label, temperature) for label, weights in judged]
        return -sum(math.log(own) for own in each if own > 0)

    found = minimize_scalar(total, bounds=(0, 1), method="bounded", options={"xatol": 1e-10})
    # The search does not look at the ends of the range themselves; at 0, zero factors would no longer count.
    temperature = 1.0 if total(1.0) <= found.fun else max(float(found.x), 1e-12)
    least = 1 / (2 * len(table.rows))
    losses = [-math.log(max(own_probability(weights, label, temperature), least)) for label, weights in judged]
    errors = sum(predicted(weights) != label for label, weights in judged)
    return PlainSize(temperature, tuple(losses), errors)


def standard_error(values: Sequence[float]) -> float:
    return float(np.std(values, ddof=1)) / math.sqrt(len(values))


def cut(sizes: Sequence[PlainSize], keep: str | int, least: int = 0) -> int:
    """How many features to keep, of sizes 0, 1, …"""
    if isinstance(keep, int):
        return min(keep, len(sizes) - 1)
    lowest = min(size.log_loss for size in sizes[least:])
    best = next(k for k, size in enumerate(sizes) if k >= least and size.log_loss <= lowest * (1 + 1e-12))
    near = []
    for k, size in enumerate(sizes):
        differences = [own - other for own, other in zip(size.losses, sizes[best].losses, strict=True)]
        if k >= least and sum(differences) / len(differences) <= standard_error(differences) + 1e-12:
            near.append(k)
    return {"best": best, "fewest": min(near), "most": max(near)}[keep]


@dataclass(frozen=True)
class PlainChoice:
    survivors: tuple[int, ...]
    order: tuple[int, ...]
    """Survivors by position, best first."""
    sizes: tuple[PlainSize, ...]
    kept: tuple[int, ...]


def choose(
    dataset: Dataset,
    smoothing: float = 1.0,
    keep: str | int = "best",
    always: tuple[int, ...] = (),
) -> PlainChoice:
    """Screen, eliminate and cut, with rows that count for nothing really left out."""
    counted = dataset.counts > 0
    features = [replace(feature, labelled=feature.labelled[counted]) for feature in dataset.features]
    rows = replace(dataset, features=tuple(features), labels=dataset.labels[counted], counts=dataset.counts[counted])
    tested = [position for position in range(len(features)) if position not in always]
    q = dict(zip(tested, q_values(screen(rows)[tested]).tolist(), strict=True))
    survivors = tuple(position for position in range(len(features)) if q.get(position, 0.0) <= 0.1)
    order = _eliminate(replace(rows, features=tuple(features[j] for j in survivors)), survivors, always, smoothing)
    table = PlainTable.of(rows)
    sizes = tuple(judge_features(table, order[:k], smoothing) for k in range(len(order) + 1))
    return PlainChoice(survivors, order, sizes, order[: cut(sizes, keep, len(always))])


def _eliminate(
    dataset: Dataset, survivors: Sequence[int], always: tuple[int, ...], smoothing: float
) -> tuple[int, ...]:
    """One by one, by a new model each time: the lowest that may leave, and the always kept ones at the end."""
    active = list(range(len(survivors)))
    left: list[int] = []
    while active:
        model = fit_naive_bayes(
            replace(dataset, features=tuple(dataset.features[j] for j in active)), "loo", 0, smoothing, 0, shrink="auto"
        )
        names = [dataset.features[j].name for j in active]
        scores = model.score()
        lowest = leaving_order(scores, SCORES["signed"], alphabetical_ranks(names), len(active))
        free = [place for place in lowest if survivors[active[place]] not in always]
        left.append(survivors[active.pop((free or lowest)[0])])
    return tuple(reversed(left))


@dataclass(frozen=True)
class PlainEstimate:
    """Losses of rows by kept, all and no features, errors of each, and in how many folds each feature was kept."""

    losses: tuple[list[float], list[float], list[float]]
    errors: tuple[int, int, int]
    folds: tuple[int, ...]


def estimate(dataset: Dataset, folds: int, smoothing: float = 1.0, always: tuple[int, ...] = ()) -> PlainEstimate:
    """Choose without each fold, refit, and predict its rows one by one."""
    losses: tuple[list[float], list[float], list[float]] = ([], [], [])
    errors, kept_in = [0, 0, 0], [0] * len(dataset.features)
    for held in deal_folds(with_distinguishing_features(dataset), folds, 0):
        training = replace(dataset, counts=dataset.counts - held)
        choice = choose(training, smoothing, always=always)
        table, judged = PlainTable.of(training), PlainTable.of(replace(dataset, counts=held))
        every = tuple(range(len(dataset.features)))
        for j in choice.kept:
            kept_in[j] += 1
        for model, features in enumerate((choice.kept, every, ())):
            temperature = judge_features(table, features, smoothing).temperature
            for label, cells in judged.rows:
                weights = log_weights(table, table.rows, cells, features, smoothing)
                own = own_probability(weights, label, temperature)
                losses[model].append(-math.log(max(own, 1 / (2 * dataset.rows))))
                errors[model] += predicted(weights) != label
    return PlainEstimate(losses, (errors[0], errors[1], errors[2]), tuple(kept_in))
