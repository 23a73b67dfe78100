"""The slow, obvious selection by Naive Bayes: refit for every row, every size and every fold, with no table kept.

Nothing is shared with the product but the p-values, the scores and the dealing of folds, which have tests of their own;
factors of classes are those of the exact reference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from scipy.optimize import minimize_scalar

from probfs.classifiers.scores import SCORES
from probfs.columns.dataset import Dataset
from probfs.columns.folds import deal_folds, with_distinguishing_features
from probfs.ranking.elimination import alphabetical_ranks, leaving_order
from probfs.screening.screen import q_values, screen
from tests.support.datasets import fit_naive_bayes
from tests.support.exact_naive_bayes import Problem, Row, class_weights


def problem_of(dataset: Dataset) -> Problem:
    """The rows of a dataset as they would be without counts."""
    columns = [feature.labelled.tolist() for feature in dataset.features]
    values = tuple(feature.values for feature in dataset.features)
    cells = [[None if code == own else code for code in codes] for codes, own in zip(columns, values, strict=True)]
    copies = np.repeat(np.arange(len(dataset.labels)), dataset.counts).tolist()
    rows = tuple(tuple(column[row] for column in cells) for row in copies)
    return Problem(rows, tuple(dataset.labels[copies].tolist()), values, len(dataset.classes))


def log_weights(
    problem: Problem, training: Sequence[int], row: Row, features: Sequence[int], smoothing: float
) -> list[tuple[int, float]]:
    """For each class the number of zero factors, and the logarithm of the other factors."""
    weights = class_weights(problem, training, row, features, Fraction(smoothing))
    return [(zeros, math.log(weight)) for zeros, weight in weights]


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


def judge_features(problem: Problem, features: Sequence[int], smoothing: float) -> PlainSize:
    """Leave-one-out losses after the best temperature, found by scipy."""
    everyone = range(len(problem.rows))
    judged = []
    for number, (row, label) in enumerate(zip(problem.rows, problem.labels, strict=True)):
        others = [other for other in everyone if other != number]
        judged.append((label, log_weights(problem, others, row, features, smoothing)))

    def total(temperature: float) -> float:
        each = [own_probability(weights, label, temperature) for label, weights in judged]
        return -sum(math.log(own) for own in each if own > 0)

    found = minimize_scalar(total, bounds=(0, 1), method="bounded", options={"xatol": 1e-10})
    # The search does not look at the ends of the range themselves; at 0, zero factors would no longer count.
    temperature = 1.0 if total(1.0) <= found.fun else max(float(found.x), 1e-12)
    least = 1 / (2 * len(problem.rows))
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
    problem = problem_of(rows)
    sizes = tuple(judge_features(problem, order[:k], smoothing) for k in range(len(order) + 1))
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
        problem, judged = problem_of(training), problem_of(replace(dataset, counts=held))
        every = tuple(range(len(dataset.features)))
        for j in choice.kept:
            kept_in[j] += 1
        for model, features in enumerate((choice.kept, every, ())):
            temperature = judge_features(problem, features, smoothing).temperature
            for row, label in zip(judged.rows, judged.labels, strict=True):
                weights = log_weights(problem, range(len(problem.rows)), row, features, smoothing)
                own = own_probability(weights, label, temperature)
                losses[model].append(-math.log(max(own, 1 / (2 * dataset.rows))))
                errors[model] += predicted(weights) != label
    return PlainEstimate(losses, (errors[0], errors[1], errors[2]), tuple(kept_in))
