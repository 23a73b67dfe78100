"""What selecting achieves on rows that it has not seen: the whole choice is repeated without each fold in turn, and the
rows of the fold are predicted.

Intervals that columns are cut into stay those of all rows: they do not depend on the class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from probfs.classifiers.protocol import HoldOutRequest
from probfs.classifiers.row_odds import Moments, least_probability
from probfs.classifiers.unfitted import UnfittedClassifier
from probfs.columns.dataset import ValueCounts
from probfs.columns.folds import refuse_many_folds
from probfs.rows.block import EVERYTHING, Block, WithoutFold
from probfs.rows.blocks import add_answers, deal_blocks
from probfs.runtime.progress import report
from probfs.screening.counting import count_folds
from probfs.selection.choice import Candidates, Choice, choose_columns
from probfs.selection.curve import fit_sharpness
from probfs.selection.result import HonestEstimate, Judged
from probfs.tables.arrays import Integers

JUDGING = "judging on unseen rows"
"""The stage in which folds are counted."""


@dataclass(frozen=True)
class SharpModel:
    """A model of some features, by position, and its sharpness; None where probabilities need none."""

    features: Sequence[int]
    sharpness: float | None


def nested_cross_validation(candidates: Candidates, folds: int) -> tuple[HonestEstimate, Integers]:
    """Choose columns without each of some folds, and judge the choice by the rows of the fold; in how many folds each
    column was kept.
    """
    encoded, settings = candidates.encoded, candidates.settings
    refuse_many_folds(encoded.dataset, folds)
    # Hashing all columns of a wide table would take as long as choosing among them.
    blocks = deal_blocks(encoded.blocks, EVERYTHING, folds, settings.seed, by_some=True)
    dealt = replace(candidates, encoded=replace(encoded, blocks=blocks))
    kept_in_folds = np.zeros(len(candidates.names), dtype=np.int64)
    least = least_probability(encoded.dataset.rows)
    judged = []
    for fold, own in enumerate(blocks.ask(count_folds)):
        report(JUDGING, fold, folds, "folds")
        training = replace(dealt, counts=candidates.counts - own, sample=WithoutFold(fold))
        choice = choose_columns(training, repeats=folds)
        kept_in_folds[choice.kept] += 1
        models = _models(training, choice)
        judged.append(blocks.ask(_judge, fold, settings.model, models, training.counts, settings.seed, least))
    report(JUDGING, folds, folds, "folds")
    (*by_model, difference), errors = add_answers(judged)
    kept, every, none = (
        Judged(round(wrong), round(own.rows), own.mean, own.se) for own, wrong in zip(by_model, errors, strict=True)
    )
    return HonestEstimate(folds, kept, every, none, difference.mean, difference.se), kept_in_folds


def _models(training: Candidates, choice: Choice) -> list[SharpModel]:
    """The models of the kept, of all and of no columns."""
    sizes = choice.curve.sizes
    return [
        SharpModel(choice.kept, sizes[choice.size].temperature),
        SharpModel(range(len(training.names)), _sharpness_of_all(training, choice)),
        SharpModel([], sizes[0].temperature),
    ]


def _sharpness_of_all(training: Candidates, choice: Choice) -> float | None:
    """The sharpness of the model of all columns, from its training rows; None where probabilities need none."""
    last, columns = choice.curve.sizes[-1].temperature, np.arange(len(training.names))
    if last is None or len(choice.curve.order) == len(columns):
        return last
    classifier, _ = training.fit(columns)
    return fit_sharpness(classifier.odds())[0]


def _judge(
    block: Block,
    fold: int,
    classifier: UnfittedClassifier,
    models: Sequence[SharpModel],
    training: ValueCounts,
    seed: int,
    least: float,
) -> tuple[tuple[Moments, ...], tuple[float, ...]]:
    """The log-losses of the rows of a fold by each model, and the difference of the first two; and the errors."""
    held_out = block.copies(fold)
    dataset = block.rows_of(replace(EVERYTHING, sample=WithoutFold(fold)))
    odds = [classifier.hold_out(HoldOutRequest(dataset, model.features, training, held_out, seed)) for model in models]
    losses = [own.losses(model.sharpness, least) for model, own in zip(models, odds, strict=True)]
    moments = [Moments.of(own.values, own.counts) for own in losses]
    return (*moments, losses[0].minus(losses[1])), tuple(own.errors for own in odds)
