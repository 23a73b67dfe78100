"""The slow, obvious definition: refit for every row left out and every feature taken away, in exact fractions.

Nothing here is shared with the product but the definition of the scores. Smoothing 0 is the limit of an infinitesimal
one: a factor is a pair (zeros, fraction), standing for fraction × ε^zeros. With shrinkage, class weights are raised to
a power, which leaves the fractions for doubles; any power of 0 is 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Row = Sequence[int | None]
Weight = tuple[int, Fraction]
Number = Fraction | float
Scores = dict[str, tuple[Number, Number, Number | None]]


@dataclass(frozen=True)
class Problem:
    """A table of value codes (None: missing), with the declared number of values of each feature."""

    rows: tuple[tuple[int | None, ...], ...]
    labels: tuple[int, ...]
    values: tuple[int, ...]
    classes: int
    unlabelled: tuple[tuple[int | None, ...], ...] = ()
    together: tuple[tuple[int, ...], ...] = ()
    """Columns that are one feature together."""
    weights: tuple[Fraction, ...] = ()
    """Of each row; empty where all are 1."""

    def weigh(self, rows: Iterable[int]) -> Fraction:
        if not self.weights:
            return Fraction(sum(1 for _ in rows))
        return sum((self.weights[row] for row in rows), Fraction(0))

    @property
    def columns(self) -> list[str]:
        return [f"f{number}" for number in range(len(self.values))]

    @property
    def features(self) -> dict[str, tuple[int, ...]]:
        """The columns of each feature: single ones, and then those that are one together."""
        alone = set(range(len(self.values))).difference(*self.together)
        features = {self.columns[column]: (column,) for column in sorted(alone)}
        return features | {f"g{number}": columns for number, columns in enumerate(self.together)}

    @property
    def names(self) -> list[str]:
        return list(self.features)

    @property
    def groups(self) -> dict[str, list[str]]:
        return {f"g{number}": [self.columns[column] for column in group] for number, group in enumerate(self.together)}

    def columns_of(self, features: Sequence[int]) -> list[int]:
        """The columns of some features."""
        every = list(self.features.values())
        return [column for feature in features for column in every[feature]]


@dataclass(frozen=True)
class ReferenceRound:
    exponent: float
    scores: Scores
    removed: tuple[str, ...]
    rows: int
    """How many are judged."""
    errors: int
    absolute_loss: Number
    log_loss: float


def factor(
    problem: Problem, training: Sequence[int], feature: int, value: int, label: int, smoothing: Fraction
) -> Weight:
    held = [i for i in training if problem.labels[i] == label and problem.rows[i][feature] is not None]
    present, same = problem.weigh(held), problem.weigh(i for i in held if problem.rows[i][feature] == value)
    values = problem.values[feature]
    if smoothing > 0:
        return 0, (same + smoothing) / (present + smoothing * values)
    if not present:
        return 0, Fraction(1, values)
    return (0, same / present) if same else (1, 1 / present)


def class_weights(
    problem: Problem, training: Sequence[int], row: Row, features: Sequence[int], smoothing: Fraction
) -> list[Weight]:
    """Each class's share of the training rows, times a factor for each cell of a row that is not missing."""
    weights = []
    for label in range(problem.classes):
        zeros, weight = 0, problem.weigh(i for i in training if problem.labels[i] == label) / problem.weigh(training)
        for feature in features:
            value = row[feature]
            if value is not None:
                more, share = factor(problem, training, feature, value, label, smoothing)
                zeros, weight = zeros + more, weight * share
        weights.append((zeros, weight))
    return weights


def posterior(
    problem: Problem, training: Sequence[int], row: Row, features: Sequence[int], smoothing: Fraction, exponent: float
) -> list[Number]:
    """The class probabilities of a row by a model trained on some rows with some features."""
    weights = class_weights(problem, training, row, features, smoothing)
    fewest = min(zeros for zeros, weight in weights if weight)
    kept: list[Number] = [weight if zeros == fewest else Fraction(0) for zeros, weight in weights]
    if exponent != 1:
        kept = [float(weight / max(kept)) ** exponent for weight in kept]
    total = sum(kept)
    return [weight / total for weight in kept]


def training_sets(problem: Problem, estimate: str, folds: Sequence[int]) -> list[list[int]]:
    everyone = range(len(problem.rows))
    if estimate == "resubstitution":
        return [list(everyone)] * len(problem.rows)
    if estimate == "loo":
        return [[other for other in everyone if other != row] for row in everyone]
    if estimate == "time":
        return [[other for other in everyone if folds[other] < folds[row]] for row in everyone]
    return [[other for other in everyone if folds[other] != folds[row]] for row in everyone]


def score_round(
    problem: Problem, active: Sequence[int], estimate: str, smoothing: Fraction, folds: Sequence[int], exponent: float
) -> tuple[Scores, int, Number, float]:
    """The scores of all active features; errors, absolute and logarithmic loss."""
    everyone = list(range(len(problem.rows)))
    # Rows of the first fold know of no earlier ones.
    judged = [row for row in everyone if estimate != "time" or folds[row]]
    n, m, total = len(judged), len(problem.unlabelled), problem.weigh(judged)

    def mean(values: Sequence[Any], rows: int = 0) -> Any:
        """Over labelled rows, and so many unlabelled ones."""
        weighed = [*(problem.weigh([row]) for row in judged), *[1] * rows]
        return sum(weight * value for weight, value in zip(weighed, values, strict=True)) / (total + rows)

    seen = [{problem.rows[i][j] for i in everyone} for j in range(len(problem.values))]
    others = [tuple(cell if cell in seen[j] else None for j, cell in enumerate(row)) for row in problem.unlabelled]
    sets, labels = training_sets(problem, estimate, folds), [problem.labels[row] for row in judged]
    scored = [(problem.rows[row], sets[row]) for row in judged] + [(row, everyone) for row in others]

    def scale(training: Sequence[int]) -> Fraction:
        """Rows that come one after the other weigh 1 on average in each training set: smoothing is in its units."""
        return problem.weigh(training) / len(training) if estimate == "time" else Fraction(1)

    def judge(features: Sequence[int]) -> list[list[Number]]:
        columns = problem.columns_of(features)
        return [posterior(problem, rows, row, columns, smoothing * scale(rows), exponent) for row, rows in scored]

    full = judge(active)
    scores: Scores = {}
    for feature in active:
        without = judge([other for other in active if other != feature])
        changes = [_distance(p, q) for p, q in zip(full, without, strict=True)]
        signed = [full[row][y] - without[row][y] for row, y in enumerate(labels)]
        scores[problem.names[feature]] = mean(changes[:n]), mean(signed), mean(changes, m) if m else None
    own = list(zip(full, labels, strict=False))
    errors = sum(next(c for c, each in enumerate(p) if each >= max(p) * (1 - _tie(exponent))) != y for p, y in own)
    losses = [sum(each for c, each in enumerate(p) if c != y) for p, y in own]
    logs = [-math.log(p[y]) if p[y] else math.inf for p, y in own]
    return scores, errors, mean(losses), float(mean(logs))


def variance(problem: Problem, features: Sequence[int], smoothing: Fraction) -> float:
    """τ² of some features."""
    total = Fraction(0)
    for feature in problem.columns_of(features):
        cells = [(row[feature], label) for row, label in zip(problem.rows, problem.labels, strict=True)]
        distinct = len({cell for cell, _ in cells if cell is not None})
        for own in range(problem.classes):
            rows = problem.weigh(i for i, (cell, label) in enumerate(cells) if cell is not None and label == own)
            if rows:
                total += (distinct - 1) * rows / (rows + smoothing * problem.values[feature]) ** 2
    return float(2 * total / problem.classes)


def eliminate(
    problem: Problem,
    score: str,
    estimate: str,
    smoothing: Fraction,
    step: int | Fraction,
    folds: Sequence[int] = (),
    shrink: str = "off",
) -> list[ReferenceRound]:
    """Every round, with the features in exactly the order in which they leave."""
    which = {"absolute": 0, "signed": 1, "unlabeled": 2}[score]
    active = list(range(len(problem.names)))
    acts = shrink == "on" or (shrink == "auto" and variance(problem, active, smoothing) > 9)
    exponent, at_change = 1.0, math.inf
    rounds = []
    while active:
        if acts and len(active) <= 0.95 * at_change:
            exponent, at_change = 1 / (1 + variance(problem, active, smoothing)), len(active)
        scores, errors, absolute_loss, log_loss = score_round(problem, active, estimate, smoothing, folds, exponent)
        order = _lowest_first({name: own[which] or Fraction(0) for name, own in scores.items()}, _tie(exponent))
        count = min(step, len(active)) if isinstance(step, int) else max(1, math.floor(step * len(active)))
        removed, judged = tuple(order[:count]), sum(map(bool, folds)) if estimate == "time" else len(problem.rows)
        rounds.append(ReferenceRound(exponent, scores, removed, judged, errors, absolute_loss, log_loss))
        active = [feature for feature in active if problem.names[feature] not in order[:count]]
    return rounds


def _tie(exponent: float) -> Number:
    """Nothing for fractions; for doubles far above rounding errors, and below any difference between scores that are
    not equal.
    """
    return Fraction(0) if exponent == 1 else 1e-12


def _lowest_first(scores: dict[str, Number], tie: Number) -> list[str]:
    """Of equal scores, the name that sorts last comes first."""
    order: list[str] = []
    while len(order) < len(scores):
        left = {name: score for name, score in scores.items() if name not in order}
        lowest = min(left.values())
        order += sorted((name for name, score in left.items() if score <= lowest + tie), reverse=True)
    return order


def _distance(p: Sequence[Number], q: Sequence[Number]) -> Number:
    return sum([max(a - b, b - a) for a, b in zip(p, q, strict=True)]) / 2
