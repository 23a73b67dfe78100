"""Tasks of a round: fit an estimator, score rows with it, and again with features permuted or left out.

Tasks are independent of each other and hold all they need, so any process can run them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from probfs.classifiers.estimators.cells import Cells
from probfs.classifiers.estimators.fitted_model import FittedModel, fit_model
from probfs.classifiers.estimators.forest_votes import Forest, is_forest
from probfs.classifiers.estimators.linear_terms import permute_terms
from probfs.classifiers.estimators.permuted_batches import permute_in_batches
from probfs.classifiers.estimators.recipe import MATRICES_OF_TREES, Recipe
from probfs.classifiers.protocol import Features
from probfs.classifiers.refitting.design_matrix import Positions
from probfs.classifiers.refitting.donors import Donors
from probfs.classifiers.refitting.row_blocks import LEAST_BLOCKS, divide_rows
from probfs.classifiers.refitting.score_shares import ScoreShare, odds_of, sum_changes
from probfs.classifiers.refitting.splits import Split
from probfs.classifiers.refitting.training_rows import TrainingData
from probfs.classifiers.row_odds import RowOdds
from probfs.runtime.caught_warnings import collect_warnings
from probfs.runtime.processes import in_threads
from probfs.tables.table import Floats

_CHANGES_PER_BLOCK = 1 << 21
"""Rows × features × classes, or × shuffles, of which numbers are kept at a time."""
_ROWS_WORTH_A_BLOCK = 256

_Measured: TypeAlias = tuple[Floats, Floats, int]
"""Probabilities, their changes by permuting each feature, and how many rows no tree could judge."""
_Measure: TypeAlias = Callable[[Positions, Donors], _Measured]


@dataclass(frozen=True, eq=False)
class FitTask:
    """A model to fit on some features and the training rows of a split."""

    data: TrainingData[Cells]
    recipe: Recipe
    features: Features
    split: Split


@dataclass(frozen=True, eq=False)
class PermuteTask(FitTask):
    """A model to fit, and to score the rows of its split with each feature permuted."""

    donors: Donors
    """Permutations × scored rows."""
    codes: Sequence[npt.NDArray[np.intp]]
    """The codes of each of the features in all rows."""
    threads: int


@dataclass(frozen=True, eq=False)
class RetrainTask(FitTask):
    """Models to fit without one feature each."""

    left_out: Sequence[int | None]
    """For each model the position, among the features, of the one left out; None for the model with all of them."""


@dataclass(frozen=True)
class FitReport:
    """How many models were fitted, how many fits warned and of what, and rows that no tree could judge."""

    fits: int = 0
    warned: int = 0
    warning: str | None = None
    unjudged: int = 0
    thinned: bool = False
    """Whether a model was given fewer copies of rows than there are."""

    @classmethod
    def of(cls, model: FittedModel, unjudged: int = 0) -> FitReport:
        return cls(1, int(model.warning is not None), model.warning, unjudged, model.thinned)

    def __add__(self, other: FitReport) -> FitReport:
        return FitReport(
            self.fits + other.fits,
            self.warned + other.warned,
            self.warning or other.warning,
            max(self.unjudged, other.unjudged),
            self.thinned or other.thinned,
        )


def fit_and_permute(task: PermuteTask) -> tuple[ScoreShare, FitReport]:
    """Fit one model, and score its rows with each feature permuted."""
    return permute_features(task, fit_task(task, task.features))


def fit_task(task: FitTask, features: Features) -> FittedModel:
    """The model of some features and the task's training rows."""
    return fit_model(task.recipe, task.data.matrix(features, task.split), task.data.rows(task.split))


def permute_features(task: PermuteTask, model: FittedModel) -> tuple[ScoreShare, FitReport]:
    """The sums of how a fitted model's probabilities change with each feature permuted."""
    with collect_warnings():
        if model.estimator is None or len(task.features) == 1:
            share, unjudged = _share_of_single(task, model)
            return share, FitReport.of(model, unjudged)
        measure, blocks, threads = _choose_way(task, model)

        def sum_block(block: slice) -> tuple[ScoreShare, int]:
            actual, changes, unjudged = measure(task.split.scored[block], task.donors[:, block])
            return sum_changes(task.split, block, actual, changes), unjudged

        found = in_threads(sum_block, blocks, threads)
    return reduce(add, [share for share, _ in found]), FitReport.of(model, sum(unjudged for _, unjudged in found))


def _choose_way(task: PermuteTask, model: FittedModel) -> tuple[_Measure, list[slice], int]:
    """The fastest way to measure what permuting changes in some rows, the blocks of rows to do it with, and how many
    threads do it at a time.
    """
    rows, features, classes = len(task.split.scored), len(task.features), len(model.shares)
    if asks_trees(model):
        forest = Forest(model)

        def ask_trees(rows: Positions, donors: Donors) -> _Measured:
            votes = forest.votes(rows, donors)
            return votes.actual, votes.changes, votes.unjudged

        # Each tree is asked about each block, which takes a while even of few rows.
        least = max(1, min(LEAST_BLOCKS, rows // _ROWS_WORTH_A_BLOCK))
        return ask_trees, list(divide_rows(rows, features * classes, _CHANGES_PER_BLOCK, least)), task.threads
    if task.recipe.linear_terms:
        blocks = list(divide_rows(rows, features * classes, _CHANGES_PER_BLOCK))
        return lambda rows, donors: (*permute_terms(model, rows, donors), 0), blocks, task.threads
    # The batches of a block share the threads.
    blocks = list(divide_rows(rows, features * max(classes, len(task.donors)), _CHANGES_PER_BLOCK, least_blocks=1))
    return lambda rows, donors: (*permute_in_batches(model, rows, donors, task.codes, task.threads), 0), blocks, 1


def retrain_without_features(task: RetrainTask) -> tuple[list[Floats], FitReport]:
    """The probabilities that each of the task's models gives to the scored rows."""
    probabilities, report = [], FitReport()
    for feature in task.left_out:
        model = fit_task(task, task.features if feature is None else np.delete(task.features, feature))
        found, unjudged = judge(model, task.split.scored)
        probabilities.append(found)
        report += FitReport.of(model, unjudged)
    return probabilities, report


def judge_rows(task: FitTask) -> RowOdds:
    """The odds of the rows that a split scores, all of them labelled, by the model of the rows that it trains on."""
    split = task.split
    found, _ = judge(fit_task(task, task.features), split.scored)
    return odds_of(found, split.scored_labels, split.scored_counts)


def judge(model: FittedModel, rows: Positions) -> tuple[Floats, int]:
    """The probabilities of some rows, and how many of them no tree could judge."""
    with collect_warnings():
        if model.estimator is not None and asks_trees(model):
            votes = Forest(model).votes(rows)
            return votes.actual, votes.unjudged
        return model.probabilities(rows), 0


def asks_trees(model: FittedModel) -> bool:
    return is_forest(model.estimator) and model.recipe.encoding in MATRICES_OF_TREES


def _share_of_single(task: PermuteTask, model: FittedModel) -> tuple[ScoreShare, int]:
    """A model without its only feature knows nothing but the shares of the classes, and one that could not be fitted
    never knew more.
    """
    actual, unjudged = judge(model, task.split.scored)
    changes = np.repeat((actual - model.shares[:, None])[:, :, None], len(task.features), axis=2)
    return sum_changes(task.split, slice(0, len(task.split.scored)), actual, changes), unjudged
