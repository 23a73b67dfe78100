"""Shrinkage by its definition: refit for every row left out and every feature taken away, in plain loops.

The counting of factors is that of the exact reference; nothing is shared with the product. Smoothing 0 is the limit of
an infinitesimal one: a weight is a pair (zeros, logarithm), standing for e^logarithm × ε^zeros; any power of 0 is 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from tests.support.exact_naive_bayes import Problem, Row, factor, training_sets

_TIE = 1e-12
"""Far above rounding errors, and below any difference between scores that are not equal."""


@dataclass(frozen=True)
class ShrunkRound:
    exponent: float
    scores: dict[str, tuple[float, float, float | None]]
    removed: tuple[str, ...]
    errors: int
    absolute_loss: float
    log_loss: float


def variance(problem: Problem, features: Sequence[int], smoothing: Fraction) -> float:
    """τ² of some features."""
    total = Fraction(0)
    for feature in features:
        cells = [(row[feature], label) for row, label in zip(problem.rows, problem.labels, strict=True)]
        distinct = len({cell for cell, _ in cells if cell is not None})
        for own in range(problem.classes):
            rows = sum(cell is not None and label == own for cell, label in cells)
            if rows:
                total += (distinct - 1) * rows / (rows + smoothing * problem.values[feature]) ** 2
    return float(2 * total / problem.classes)


def posterior(
    problem: Problem, training: Sequence[int], row: Row, features: Sequence[int], smoothing: Fraction, exponent: float
) -> list[float]:
    """The class probabilities of a row by a model trained on some rows with some features."""
    weights = []
    for label in range(problem.classes):
        zeros, log = 0, math.log(sum(problem.labels[i] == label for i in training))
        for feature in features:
            value = row[feature]
            if value is not None:
                more, share = factor(problem, training, feature, value, label, smoothing)
                zeros, log = zeros + more, log + math.log(share)
        weights.append((zeros, exponent * log))
    fewest = min(zeros for zeros, _ in weights)
    top = max(log for zeros, log in weights if zeros == fewest)
    kept = [math.exp(log - top) if zeros == fewest else 0.0 for zeros, log in weights]
    return [weight / math.fsum(kept) for weight in kept]


def eliminate(
    problem: Problem,
    choice: str,
    score: str,
    estimate: str,
    smoothing: Fraction,
    step: int | Fraction,
    folds: Sequence[int] = (),
) -> list[ShrunkRound]:
    """Every round, with the features in the order in which they leave."""
    active = list(range(len(problem.values)))
    acts = choice == "on" or (choice == "auto" and variance(problem, active, smoothing) > 9)
    exponent, at_change = 1.0, math.inf
    rounds = []
    while active:
        if acts and len(active) <= 0.95 * at_change:
            exponent, at_change = 1 / (1 + variance(problem, active, smoothing)), len(active)
        scores = _scores(problem, active, estimate, smoothing, folds, exponent)
        which = {"absolute": 0, "signed": 1, "unlabeled": 2}[score]
        count = min(step, len(active)) if isinstance(step, int) else max(1, math.floor(step * len(active)))
        removed = _lowest_first({name: own[which] or 0.0 for name, own in scores.items()})[:count]
        rounds.append(
            ShrunkRound(exponent, scores, removed, *_fit(problem, active, estimate, smoothing, folds, exponent))
        )
        active = [feature for feature in active if problem.names[feature] not in removed]
    return rounds


def _scores(
    problem: Problem, active: Sequence[int], estimate: str, smoothing: Fraction, folds: Sequence[int], exponent: float
) -> dict[str, tuple[float, float, float | None]]:
    everyone = range(len(problem.rows))
    seen = [{row[j] for row in problem.rows} for j in range(len(problem.values))]
    others = [tuple(cell if cell in seen[j] else None for j, cell in enumerate(row)) for row in problem.unlabelled]
    scored = list(zip(problem.rows, training_sets(problem, estimate, folds), problem.labels, strict=True))
    n, m = len(scored), len(others)
    found = {}
    for feature in active:
        rest = [other for other in active if other != feature]
        changes, signed, more = [], [], []
        for row, training, label in scored:
            p = posterior(problem, training, row, active, smoothing, exponent)
            q = posterior(problem, training, row, rest, smoothing, exponent)
            changes.append(_distance(p, q))
            signed.append(p[label] - q[label])
        for row in others:
            p = posterior(problem, everyone, row, active, smoothing, exponent)
            more.append(_distance(p, posterior(problem, everyone, row, rest, smoothing, exponent)))
        s_su = math.fsum([*changes, *more]) / (n + m) if m else None
        found[problem.names[feature]] = math.fsum(changes) / n, math.fsum(signed) / n, s_su
    return found


def _fit(
    problem: Problem, active: Sequence[int], estimate: str, smoothing: Fraction, folds: Sequence[int], exponent: float
) -> tuple[int, float, float]:
    trainings = training_sets(problem, estimate, folds)
    errors, losses, logs = 0, [], []
    for row, training, label in zip(problem.rows, trainings, problem.labels, strict=True):
        p = posterior(problem, training, row, active, smoothing, exponent)
        errors += next(c for c, own in enumerate(p) if own >= max(p) * (1 - _TIE)) != label
        losses.append(math.fsum(own for c, own in enumerate(p) if c != label))
        logs.append(-math.log(p[label]) if p[label] else math.inf)
    return errors, math.fsum(losses) / len(losses), math.fsum(logs) / len(logs)


def _lowest_first(scores: dict[str, float]) -> tuple[str, ...]:
    """Of equal scores, the name that sorts last comes first."""
    order: list[str] = []
    left = dict(scores)
    while left:
        lowest = min(left.values())
        tied = sorted((name for name, score in left.items() if score <= lowest + _TIE), reverse=True)
        order += tied
        for name in tied:
            del left[name]
    return tuple(order)


def _distance(p: Sequence[float], q: Sequence[float]) -> float:
    return math.fsum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2
