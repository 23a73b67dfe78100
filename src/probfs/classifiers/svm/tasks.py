"""Tasks of a round: fit a model, score rows with it, and again with features permuted or left out.

Tasks are independent of each other and hold all they need, so any process can run them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np

from probfs.classifiers.protocol import Features
from probfs.classifiers.refitting.design_matrix import DesignMatrix
from probfs.classifiers.refitting.donors import Donors
from probfs.classifiers.refitting.row_blocks import divide_rows
from probfs.classifiers.refitting.score_shares import ScoreShare, odds_of, sum_changes
from probfs.classifiers.refitting.splits import Split
from probfs.classifiers.refitting.training_rows import TrainingData, TrainingRows
from probfs.classifiers.row_odds import RowOdds
from probfs.classifiers.svm.binary_svm import compute_probabilities, make_frequency_svms
from probfs.classifiers.svm.fit_tally import FitTally
from probfs.classifiers.svm.fitted_svm import FitOptions, FittedSvm, compute_inner_products, fit_svm
from probfs.classifiers.svm.held_out_fit import HeldOutFit
from probfs.classifiers.svm.permuted_decisions import PermutedDecisions, prepare_permuted_decisions
from probfs.classifiers.svm.platt_scaling import TrainingSigmoids
from probfs.classifiers.svm.solver import Solver
from probfs.runtime.processes import in_threads
from probfs.tables.table import Floats

_CELLS_PER_BLOCK = 1 << 18
"""So that a block stays in the cache."""


@dataclass(frozen=True, eq=False)
class FitTask:
    """A model to fit on some features and the training rows of a split."""

    data: TrainingData[DesignMatrix]
    options: FitOptions
    features: Features
    solver: Solver
    """The same for all models of a round: solvers differ in tolerance, and models are compared with each other."""
    training_sigmoids: TrainingSigmoids
    split: Split

    def training_rows(self) -> TrainingRows:
        return self.data.rows(self.split)

    def matrix(self) -> DesignMatrix:
        return self.data.matrix(self.features, self.split)


@dataclass(frozen=True, eq=False)
class PermuteTask(FitTask):
    """A model to fit, and to score the rows of its split with each feature permuted."""

    donors: Donors
    """Permutations × scored rows."""
    threads: int


@dataclass(frozen=True, eq=False)
class RetrainTask(FitTask):
    """Models to fit without one feature each."""

    left_out: Sequence[int | None]
    """For each model the position, among the features, of the one left out; None for the model with all of them."""


def find_decreasing_sigmoids(task: FitTask) -> tuple[list[bool], HeldOutFit, FitTally]:
    """For each binary SVM of a model, whether its cross-validated sigmoid decreases; and the model's fit."""
    model = fit_full_model(task)
    return [svm.inverted for svm in model.binary_svms], model.held_out, FitTally.of(model.binary_svms)


def fit_and_permute(task: PermuteTask) -> tuple[ScoreShare, HeldOutFit, FitTally]:
    """Fit one model, and score its rows with each feature permuted."""
    model = fit_full_model(task)
    return permute_features(task, model), model.held_out, FitTally.of(model.binary_svms)


def judge_rows(task: FitTask) -> RowOdds:
    """The odds of the rows that a split scores, all of them labelled, by the model of the rows that it trains on."""
    split = task.split
    return odds_of(fit_full_model(task).probabilities(split.scored), split.scored_labels, split.scored_counts)


def fit_full_model(task: FitTask) -> FittedSvm:
    """The model with all features of the task."""
    return fit_svm(task.matrix(), task.training_rows(), task.options, task.solver, task.training_sigmoids)


def permute_features(task: PermuteTask, model: FittedSvm) -> ScoreShare:
    """The sums of how a fitted model's probabilities change with each feature permuted."""
    labelled_rows = len(task.data.labels)
    decisions = [
        prepare_permuted_decisions(svm, model.matrix, model.kernel, labelled_rows) for svm in model.binary_svms
    ]
    support_vectors = sum(len(svm.support) for svm in model.binary_svms)
    cells_per_row = max(len(task.features) * len(task.donors) * len(decisions), support_vectors)
    blocks = list(divide_rows(len(task.split.scored), cells_per_row, _CELLS_PER_BLOCK))
    shares = in_threads(
        lambda block: sum_changes(task.split, block, *_permuted_changes(task, model, decisions, block)),
        blocks,
        task.threads,
    )
    return reduce(add, shares)


def retrain_without_features(task: RetrainTask) -> tuple[list[Floats], FitTally]:
    """The probabilities that each of the task's models gives to the scored rows."""
    rows = task.training_rows()
    matrix = task.matrix()
    products = compute_inner_products(matrix.cells[rows.positions], task.solver)
    probabilities, tally = [], FitTally()
    for feature in task.left_out:
        own_matrix, own_products = matrix, products
        if feature is not None:
            own_matrix = matrix.without(feature)
            if products is not None:
                columns = matrix.cells[rows.positions, matrix.columns(feature)]
                # Inner products are sums over features, so leaving one out is a subtraction.
                own_products = products - columns @ columns.T
        model = fit_svm(own_matrix, rows, task.options, task.solver, task.training_sigmoids, own_products)
        probabilities.append(model.probabilities(task.split.scored))
        tally += FitTally.of(model.binary_svms)
    return probabilities, tally


def _permuted_changes(
    task: PermuteTask, model: FittedSvm, decisions: Sequence[PermutedDecisions], block: slice
) -> tuple[Floats, Floats]:
    """The probabilities of a block of rows, and by how much they exceed the mean ones with each feature permuted."""
    rows, donors = task.split.scored[block], task.donors[:, block]
    svms = model.binary_svms
    if len(task.features) == 1:
        # A model without its only feature knows nothing but the frequencies of the classes.
        actual = compute_probabilities([own.actual(rows) for own in decisions], svms)
        prior = compute_probabilities([np.zeros(1)] * len(svms), make_frequency_svms(task.training_rows()))
        return actual, (actual - prior)[:, :, None]
    pairs = [own.actual_and_permuted(rows, donors) for own in decisions]
    actual = compute_probabilities([own for own, _ in pairs], svms)
    permuted = compute_probabilities([others for _, others in pairs], svms)
    # Differences before means, so that a feature without effect scores exactly 0, not a rounding error.
    return actual, (actual[:, None, :, None] - permuted).mean(axis=1)
