"""What selecting achieves on rows that it has not seen: the whole choice is repeated without each fold in turn, and the
rows of the fold are predicted.

Intervals that columns are cut into stay those of all rows: they do not depend on the class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add

import numpy as np

from probfs.classifiers.row_odds import least_probability
from probfs.runtime.progress import report
from probfs.selection.choice import Candidates, Choice, choose_columns, fit_odds_classifier
from probfs.selection.held_out import JudgedRows, TemperedModel
from probfs.selection.result import HonestEstimate, Judged
from probfs.selection.temperature import fit_temperature
from probfs.tables.arrays import Integers

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
    kept_in_folds = np.zeros(len(dataset.features), dtype=np.int64)
    judged: list[JudgedRows] = []
    for number, fold in enumerate(candidates.rows.deal(folds, candidates.settings.seed)):
        report(JUDGING, number, folds, "folds")
        training = replace(candidates, rows=fold.training)
        choice = choose_columns(training)
        kept_in_folds[choice.kept] += 1
        least = least_probability(dataset.rows)
        judged.append(fold.judge(_models(training, choice), choice.counts, candidates.settings, least))
    report(JUDGING, folds, folds, "folds")
    return Honesty(_summarize(judged), kept_in_folds)


def _models(training: Candidates, choice: Choice) -> list[TemperedModel]:
    """The models of the kept, of all and of no columns."""
    points = choice.curve.points
    return [
        TemperedModel(choice.kept, points[choice.size].temperature),
        TemperedModel(range(len(training.dataset.features)), _temperature_of_all(training, choice)),
        TemperedModel([], points[0].temperature),
    ]


def _temperature_of_all(training: Candidates, choice: Choice) -> float | None:
    """The temperature of the model of all columns, from its training rows; None where probabilities need none."""
    last = choice.curve.points[-1].temperature
    dataset = training.dataset
    if last is None or len(choice.curve.order) == len(dataset.features):
        return last
    store = training.rows.store(np.arange(len(dataset.features)), choice.counts)
    classifier = fit_odds_classifier(dataset, choice.counts, training.settings, store=store)
    odds = classifier.odds()
    return fit_temperature(odds, least_probability(odds.rows), compiled=classifier.compiled).temperature


def _summarize(folds: Sequence[JudgedRows]) -> HonestEstimate:
    total = reduce(add, folds)
    kept, every, none = (
        Judged(round(errors), round(own.rows), own.mean, own.se)
        for own, errors in zip((total.kept, total.every, total.none), total.errors, strict=True)
    )
    return HonestEstimate(len(folds), kept, every, none, total.difference.mean, total.difference.se)
