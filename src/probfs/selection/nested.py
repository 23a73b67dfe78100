"""What selecting achieves on rows that it has not seen: the whole choice is repeated without each fold in turn, and the
rows of the fold are predicted.

Intervals that columns are cut into stay those of all rows: they do not depend on the class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

import numpy as np

from probfs.classifiers.options import UnfittedClassifier
from probfs.classifiers.protocol import HoldOutRequest
from probfs.classifiers.row_odds import Moments, least_probability
from probfs.columns.dataset import ValueCounts
from probfs.ranking.candidates import Candidates
from probfs.ranking.sharpness import fit_sharpness
from probfs.rows.blocks import EVERYTHING, Block, Sample, WithoutFold, add_answers
from probfs.runtime.progress import report
from probfs.selection.choice import choose_columns
from probfs.selection.result import HonestEstimate, Judged
from probfs.tables.arrays import Integers

JUDGING = "judging on unseen rows"
"""The stage in which folds are counted."""
SharpModel = tuple[Sequence[int], float | None]
"""A model of some features, by position, and its sharpness; None where probabilities need none."""


def nested_cross_validation(
    candidates: Candidates, fold_counts: Sequence[ValueCounts], keep: str | int
) -> tuple[HonestEstimate, Integers]:
    """Choose columns without each of some folds, and judge the choice by the rows of the fold; also return in how many
    folds each column was kept. The rows of the candidates are dealt out to folds already. Where rows are ordered in
    time, the choice is made from the earlier folds.
    """
    settings, folds = candidates.settings, len(fold_counts)
    by_time = candidates.encoded.dataset.times is not None
    earlier = list(accumulate(fold_counts))
    kept_in_folds = np.zeros(len(candidates.names), dtype=np.int64)
    least = least_probability(candidates.encoded.dataset.rows)
    judged = []
    for fold, held_out in enumerate(fold_counts):
        report(JUDGING, fold, folds, "folds")
        if by_time and (not fold or not held_out.class_rows.any()):
            continue
        sample = WithoutFold(fold, by_time)
        counts = earlier[fold - 1] if by_time else candidates.counts - held_out
        training = Candidates(
            candidates.encoded, counts, settings, candidates.always, candidates.copies, sample, times=folds
        )
        choice = choose_columns(training, keep)
        kept_in_folds[choice.kept] += 1
        every, sizes = np.arange(len(training.names)), choice.curve.sizes
        sharpness = sizes[-1].temperature
        if sharpness is not None and len(choice.curve.order) < len(every):
            sharpness, _ = fit_sharpness(training.fit(every)[0].odds())
        # The models of the kept, of all and of no columns.
        models = [
            (choice.kept, sizes[choice.size].temperature),
            (range(len(every)), sharpness),
            ([], sizes[0].temperature),
        ]
        ask = candidates.encoded.blocks.ask
        judged.append(ask(_judge, fold, sample, settings.model, models, counts, settings.seed, least))
    report(JUDGING, folds, folds, "folds")
    (*by_model, difference), errors, rows = add_answers(judged)
    kept, everything, none = (
        Judged(round(wrong), rows, loss.mean, loss.se) for loss, wrong in zip(by_model, errors, strict=True)
    )
    return HonestEstimate(len(judged), kept, everything, none, difference.mean, difference.se), kept_in_folds


def _judge(
    block: Block,
    fold: int,
    sample: Sample,
    classifier: UnfittedClassifier,
    models: Sequence[SharpModel],
    training: ValueCounts,
    seed: int,
    least: float,
) -> tuple[tuple[Moments, ...], tuple[float, ...], int]:
    """The log-losses of the rows of a fold by each model, and the difference of the first two; the errors; and how many
    rows there are.
    """
    held_out = block.copies(fold)
    dataset = block.rows_of(replace(EVERYTHING, sample=sample))
    odds = [classifier.hold_out(HoldOutRequest(dataset, features, training, held_out, seed)) for features, _ in models]
    losses = [rows.losses(sharpness, least) for (_, sharpness), rows in zip(models, odds, strict=True)]
    moments = (
        judged.moments(values)
        for values, judged in zip((*losses, losses[0] - losses[1]), (*odds, odds[0]), strict=True)
    )
    return tuple(moments), tuple(rows.errors for rows in odds), int(held_out.sum())
