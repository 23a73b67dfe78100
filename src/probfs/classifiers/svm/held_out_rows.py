"""An SVM trained on some rows of a table, and other rows as it sees them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from probfs.classifiers.refitting.design_matrix import DesignMatrixBuilder
from probfs.classifiers.refitting.splits import Split
from probfs.classifiers.refitting.training_rows import TrainingData
from probfs.classifiers.row_odds import RowOdds
from probfs.classifiers.specification import HoldOutRequest
from probfs.classifiers.svm.fitted_svm import FitOptions
from probfs.classifiers.svm.kernel_functions import choose_cost
from probfs.classifiers.svm.options import DEFAULT_GAMMA
from probfs.classifiers.svm.solver import choose_solver
from probfs.classifiers.svm.tasks import FitTask, judge_rows
from probfs.columns.distinct_rows import order_by_content
from probfs.runtime.processes import run_interruptibly


def held_out_odds(request: HoldOutRequest) -> RowOdds:
    """The odds of the rows held out, in their order. C and γ are those of a table that has only these features."""
    chosen = {request.dataset.features[place].name: request.dataset.features[place] for place in request.features}
    training = order_by_content(replace(request.dataset, features=tuple(chosen.values())), request.seed)
    members = np.flatnonzero(request.held_out)
    # To the model, rows that it is not trained on are unlabelled.
    features = tuple(replace(own, unlabelled=chosen[own.name].labelled[members]) for own in training.features)
    builder = DesignMatrixBuilder(
        replace(training, features=features, unlabelled_counts=request.held_out[members]), "the SVM"
    )
    data = TrainingData(builder, training.labels, training.counts, len(training.classes))
    everything, trained = np.arange(len(features)), len(training.labels)
    kernel, gamma = request.options["kernel"], request.options["gamma"]
    cells = builder.build(everything, training.counts).cells[:trained]
    cost = choose_cost(kernel, request.options["C"], cells, training.counts)
    options = FitOptions(kernel, cost, DEFAULT_GAMMA if gamma is None else gamma)
    split = replace(
        Split.without_scoring(),
        scored=trained + np.arange(len(members)),
        scored_counts=request.held_out[members],
        scored_labels=request.dataset.labels[members],
    )
    solver = choose_solver(kernel, *cells.shape)
    return run_interruptibly(judge_rows, FitTask(data, options, everything, solver, None, split))
