"""An SVM fitted on one set of training rows and features, and the probabilities it gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from probfs.classifiers.options import Gamma, KernelName
from probfs.classifiers.refitting.design_matrix import DesignMatrix, Positions
from probfs.classifiers.refitting.training_rows import TrainingRows
from probfs.classifiers.svm.binary_svm import BinarySvm, compute_probabilities, make_frequency_svms
from probfs.classifiers.svm.held_out_fit import HeldOutFit
from probfs.classifiers.svm.kernel_functions import KernelFunction, choose_kernel
from probfs.classifiers.svm.platt_scaling import SvcInput, TrainingSigmoids, fit_binary_svms
from probfs.classifiers.svm.solver import Solver
from probfs.tables.table import Floats

_KERNEL_VALUES_PER_BLOCK = 1 << 22


@dataclass(frozen=True)
class FitOptions:
    """The kernel and the penalty of every fit of a ranking."""

    kernel: KernelName
    cost: float
    gamma: Gamma


@dataclass(frozen=True, eq=False)
class FittedSvm:
    """One binary SVM, or one for each of more than two classes, all with the same kernel and design matrix."""

    binary_svms: Sequence[BinarySvm]
    kernel: KernelFunction
    matrix: DesignMatrix
    held_out: HeldOutFit
    """How well training rows are predicted from decision values of SVMs that were fitted without them."""

    def probabilities(self, rows: Positions) -> Floats:
        """The class probabilities of some rows, as ``compute_probabilities`` gives them: classes × rows."""
        parts = [
            compute_probabilities([self._decision_values(svm, block) for svm in self.binary_svms], self.binary_svms)
            for block in self._blocks(rows)
        ]
        return np.concatenate(parts, axis=1)

    def _decision_values(self, svm: BinarySvm, rows: Positions) -> Floats:
        cells = self.matrix.cells[rows]
        if self.kernel.name == "linear":
            values: Floats = cells @ svm.column_weights(self.matrix.cells) + svm.intercept
            return values
        return svm.decision_values(self.kernel.between(cells, self.matrix.cells[svm.support]))

    def _blocks(self, rows: Positions) -> Iterator[Positions]:
        """Blocks of rows whose kernel values fit into a moderate amount of memory."""
        most = max((len(svm.support) for svm in self.binary_svms), default=0)
        size = max(1, _KERNEL_VALUES_PER_BLOCK // (most + 1))
        for start in range(0, len(rows), size):
            yield rows[start : start + size]


def fit_svm(
    matrix: DesignMatrix,
    rows: TrainingRows,
    options: FitOptions,
    solver: Solver,
    training_sigmoids: TrainingSigmoids = None,
    products: Floats | None = None,
) -> FittedSvm:
    """Fit on some rows of a matrix; ``products`` are the inner products of these rows, if already known."""
    cells = matrix.cells[rows.positions]
    if not cells.shape[1]:
        return FittedSvm(make_frequency_svms(rows), KernelFunction("linear"), matrix, HeldOutFit.of_shares(rows))
    kernel = choose_kernel(options.kernel, options.gamma, cells, rows.counts)
    if products is None:
        products = compute_inner_products(cells, solver)
    svc_input = SvcInput.prepare(kernel, solver, cells, products)
    svms, held_out = fit_binary_svms(rows, svc_input, options.cost, training_sigmoids)
    return FittedSvm(svms, kernel, matrix, held_out)


def compute_inner_products(cells: Floats, solver: Solver) -> Floats | None:
    """The inner products of all rows with each other; None where the solver does without."""
    return cells @ cells.T if solver is Solver.KERNEL_MATRIX else None
