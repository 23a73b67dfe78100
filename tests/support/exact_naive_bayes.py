"""The slow, obvious definition: refit for every row left out and every feature taken away, in exact fractions.

Nothing here is shared with the product but the definition of the scores. Smoothing 0 is the limit of an infinitesimal
one: a factor is a pair (zeros, fraction), standing for fraction × ε^zeros.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

Row = Sequence[int | None]
Weight = tuple[int, Fraction]


@dataclass(frozen=True)
class Problem:
    """A table of value codes (None: missing), with the declared number of values of each feature."""

    rows: tuple[tuple[int | None, ...], ...]
    labels: tuple[int, ...]
    values: tuple[int, ...]
    classes: int
    unlabelled: tuple[tuple[int | None, ...], ...] = ()

    @property
    def names(self) -> list[str]:
        return [f"f{number}" for number in range(len(self.values))]

    def with_missing_as_a_value(self) -> Problem:
        """The same table with one more value, missing, in each feature that some but not all rows lack."""
        lacking = [sum(row[j] is None for row in self.rows) for j in range(len(self.values))]
        more = [0 < gaps < len(self.rows) for gaps in lacking]

        def filled(row: tuple[int | None, ...]) -> tuple[int | None, ...]:
            cells = zip(row, self.values, more, strict=True)
            return tuple(values if cell is None and one_more else cell for cell, values, one_more in cells)

        values = tuple(own + one_more for own, one_more in zip(self.values, more, strict=True))
        rows, unlabelled = tuple(map(filled, self.rows)), tuple(map(filled, self.unlabelled))
        return Problem(rows, self.labels, values, self.classes, unlabelled)


@dataclass(frozen=True)
class ReferenceRound:
    scores: dict[str, tuple[Fraction, Fraction, Fraction | None]]
    removed: tuple[str, ...]
    errors: int
    absolute_loss: Fraction
    log_loss: float


def factor(
    problem: Problem, training: Sequence[int], feature: int, value: int, label: int, smoothing: Fraction
) -> Weight:
    held = [problem.rows[i][feature] for i in training if problem.labels[i] == label]
    present = [cell for cell in held if cell is not None]
    same = sum(cell == value for cell in present)
    values = problem.values[feature]
    if smoothing > 0:
        return 0, (same + smoothing) / (len(present) + smoothing * values)
    if not present:
        return 0, Fraction(1, values)
    return (0, Fraction(same, len(present))) if same else (1, Fraction(1, len(present)))


def posterior(
    problem: Problem, training: Sequence[int], row: Row, features: Sequence[int], smoothing: Fraction
) -> list[Fraction]:
    """The class probabilities of a row by a model trained on some rows with some features."""
    weights: list[Weight] = []
    for label in range(problem.classes):
        zeros, weight = 0, Fraction(sum(problem.labels[i] == label for i in training), len(training))
        for feature in features:
            value = row[feature]
            if value is None:
                continue
            more, share = factor(problem, training, feature, value, label, smoothing)
            zeros, weight = zeros + more, weight * share
        weights.append((zeros, weight))
    fewest = min(zeros for zeros, weight in weights if weight)
    kept = [weight if zeros == fewest else Fraction(0) for zeros, weight in weights]
    return [weight / sum(kept) for weight in kept]


def training_sets(problem: Problem, estimate: str, folds: Sequence[int]) -> list[list[int]]:
    everyone = range(len(problem.rows))
    if estimate == "resubstitution":
        return [list(everyone)] * len(problem.rows)
    if estimate == "loo":
        return [[other for other in everyone if other != row] for row in everyone]
    return [[other for other in everyone if folds[other] != folds[row]] for row in everyone]


def score_round(
    problem: Problem, active: Sequence[int], estimate: str, smoothing: Fraction, folds: Sequence[int]
) -> tuple[dict[str, tuple[Fraction, Fraction, Fraction | None]], int, Fraction, float]:
    trainings = training_sets(problem, estimate, folds)
    everyone = list(range(len(problem.rows)))
    n, m = len(problem.rows), len(problem.unlabelled)
    seen = [{problem.rows[i][j] for i in everyone} for j in range(len(problem.values))]
    others = [tuple(cell if cell in seen[j] else None for j, cell in enumerate(row)) for row in problem.unlabelled]
    scored = [(row, training) for row, training in zip(problem.rows, trainings, strict=True)]
    unlabelled = [(row, everyone) for row in others]
    full = [posterior(problem, training, row, active, smoothing) for row, training in scored]
    full_u = [posterior(problem, training, row, active, smoothing) for row, training in unlabelled]
    scores: dict[str, tuple[Fraction, Fraction, Fraction | None]] = {}
    for feature in active:
        rest = [other for other in active if other != feature]
        without = [posterior(problem, training, row, rest, smoothing) for row, training in scored]
        without_u = [posterior(problem, training, row, rest, smoothing) for row, training in unlabelled]
        changes = sum((_distance(p, q) for p, q in zip(full, without, strict=True)), Fraction(0))
        more = sum((_distance(p, q) for p, q in zip(full_u, without_u, strict=True)), Fraction(0))
        signed = sum((p[y] - q[y] for p, q, y in zip(full, without, problem.labels, strict=True)), Fraction(0))
        scores[problem.names[feature]] = changes / n, signed / n, (changes + more) / (n + m) if m else None
    errors = sum(p.index(max(p)) != y for p, y in zip(full, problem.labels, strict=True))
    losses = [1 - p[y] for p, y in zip(full, problem.labels, strict=True)]
    logs = [-math.log(p[y]) if p[y] else math.inf for p, y in zip(full, problem.labels, strict=True)]
    return scores, errors, sum(losses, Fraction(0)) / n, math.fsum(logs) / n if math.inf not in logs else math.inf


def eliminate(
    problem: Problem,
    score: str,
    estimate: str,
    smoothing: Fraction,
    step: int | Fraction,
    folds: Sequence[int] = (),
) -> list[ReferenceRound]:
    """Every round, with the features in exactly the order in which they leave."""
    which = {"absolute": 0, "signed": 1, "unlabeled": 2}[score]
    active = list(range(len(problem.values)))
    rounds = []
    while active:
        scores, errors, absolute_loss, log_loss = score_round(problem, active, estimate, smoothing, folds)
        # Lowest first; of equal ones the name that sorts last.
        by_name = sorted(scores, reverse=True)
        order = sorted(by_name, key=lambda name: scores[name][which] or Fraction(0))
        count = min(step, len(active)) if isinstance(step, int) else max(1, math.floor(step * len(active)))
        removed = tuple(order[:count])
        rounds.append(ReferenceRound(scores, removed, errors, absolute_loss, log_loss))
        active = [feature for feature in active if problem.names[feature] not in removed]
    return rounds


def _distance(p: Sequence[Fraction], q: Sequence[Fraction]) -> Fraction:
    return sum((abs(a - b) for a, b in zip(p, q, strict=True)), Fraction(0)) / 2
