"""An SVM trained on some rows of a table, and other rows as it sees them."""

from __future__ import annotations

import numpy as np

from probfs.classifiers.options import DEFAULT_GAMMA, Cost, Gamma, KernelName
from probfs.classifiers.protocol import HoldOutRequest
from probfs.classifiers.refitting.design_matrix import DesignMatrixBuilder
from probfs.classifiers.refitting.held_out_rows import set_apart
from probfs.classifiers.refitting.training_rows import TrainingData
from probfs.classifiers.row_odds import RowOdds
from probfs.classifiers.svm.fitted_svm import FitOptions
from probfs.classifiers.svm.kernel_functions import choose_cost
from probfs.classifiers.svm.solver import choose_solver
from probfs.classifiers.svm.tasks import FitTask, judge_rows
from probfs.runtime.processes import run_interruptibly


def held_out_odds(request: HoldOutRequest, kernel: KernelName, C: Cost, gamma: Gamma | None) -> RowOdds:  # noqa: N803
    """The odds of the rows held out, in their order. C and γ are those of a table that has only these features."""
    rows = set_apart(request)
    table = rows.table
    builder = DesignMatrixBuilder(table, "the SVM")
    data = TrainingData(builder, table.labels, table.counts, len(table.classes))
    everything = np.arange(len(table.features))
    cells = builder.build(everything, table.counts).cells[: len(table.labels)]
    cost = choose_cost(kernel, C, cells, table.counts)
    options = FitOptions(kernel, cost, DEFAULT_GAMMA if gamma is None else gamma)
    solver = choose_solver(kernel, *cells.shape)
    return run_interruptibly(judge_rows, FitTask(data, options, everything, solver, None, rows.split))
