"""What selecting achieves on rows that it has not seen: the whole choice is repeated without each fold in turn, and the
rows of the fold are predicted.

Intervals that columns are cut into stay those of all rows: they do not depend on the class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from probfs.classifiers.row_odds import RowOdds, least_probability
from probfs.classifiers.specification import HoldOutRequest
from probfs.columns.folds import deal_folds, telling_rows_apart
from probfs.runtime.progress import report
from probfs.selection.choice import Candidates, Choice, choose_columns, fit_odds_classifier
from probfs.selection.cut import Mean
from probfs.selection.result import HonestEstimate, Judged
from probfs.selection.temperature import fit_temperature
from probfs.selection.tempered_sums import row_losses
from probfs.tables.table import Floats, Integers

JUDGING = "judging on unseen rows"
"""The stage in which folds are counted."""


@dataclass(frozen=True, eq=False)
class Honesty:
    """The estimate, and in how many folds each column was kept."""

    estimate: HonestEstimate
    kept: Integers


def estimate_honestly(candidates: Candidates, folds: int) -> Honesty:
    """Choose columns without each of some folds, and judge the choice by the rows of the fold."""
    dataset = candidates.dataset
    # Hashing all columns of a wide table would take as long as choosing among them.
    dealt = deal_folds(telling_rows_apart(dataset), folds, candidates.settings.seed)
    kept_in_folds = np.zeros(len(dataset.features), dtype=np.int64)
    judged: list[_JudgedFold] = []
    for number, held_out in enumerate(dealt):
        report(JUDGING, number, folds, "folds")
        training = candidates.without(held_out)
        choice = choose_columns(training)
        kept_in_folds[choice.kept] += 1
        judged.append(_judge_fold(training, choice, held_out, dataset.rows))
    report(JUDGING, folds, folds, "folds")
    return Honesty(_summarize(judged), kept_in_folds)


@dataclass(frozen=True, eq=False)
class _JudgedFold:
    """The losses of a fold's rows by the models of the kept, of all and of no columns, and the errors of each."""

    losses: Floats
    """Models × rows."""
    errors: tuple[float, ...]
    counts: Floats


def _judge_fold(training: Candidates, choice: Choice, held_out: Integers, rows: int) -> _JudgedFold:
    points = choice.curve.points
    every = range(len(training.dataset.features))
    models = [
        (choice.kept, points[choice.size].temperature),
        (every, _temperature_of_all(training, choice)),
        ([], points[0].temperature),
    ]
    least = least_probability(rows)
    odds = [_hold_out(training, features, choice, held_out) for features, _ in models]
    losses = [row_losses(own, temperature, least) for own, (_, temperature) in zip(odds, models, strict=True)]
    return _JudgedFold(np.array(losses), tuple(own.errors for own in odds), odds[0].counts)


def _temperature_of_all(training: Candidates, choice: Choice) -> float | None:
    """The temperature of the model of all columns, from its training rows; None where probabilities need none."""
    last = choice.curve.points[-1].temperature
    if last is None or len(choice.curve.order) == len(training.dataset.features):
        return last
    classifier = fit_odds_classifier(training.dataset, choice.counts, training.settings)
    odds = classifier.odds()
    return fit_temperature(odds, least_probability(odds.rows), compiled=classifier.compiled).temperature


def _hold_out(training: Candidates, features: Sequence[int], choice: Choice, held_out: Integers) -> RowOdds:
    specification = training.settings.specification
    assert specification.hold_out is not None
    settings = training.settings
    given = {**settings.options, **settings.resources}
    return specification.hold_out(
        HoldOutRequest(training.dataset, features, choice.counts, held_out, given, settings.seed)
    )


def _summarize(folds: Sequence[_JudgedFold]) -> HonestEstimate:
    counts = np.concatenate([fold.counts for fold in folds])
    losses = np.concatenate([fold.losses for fold in folds], axis=1)
    errors = np.sum([fold.errors for fold in folds], axis=0)
    kept, every, none = (
        Judged(round(own_errors), round(counts.sum()), mean.value, mean.se)
        for own_errors, mean in zip(errors.tolist(), (Mean.of(own, counts) for own in losses), strict=True)
    )
    difference = Mean.of(losses[0] - losses[1], counts)
    return HonestEstimate(len(folds), kept, every, none, difference.value, difference.se)
