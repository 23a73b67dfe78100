"""A fitted model: the machines of one set of training rows and features, and the probabilities they give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from probfs.choices import Kernel as KernelName
from probfs.choices import Removal
from probfs.classifiers.settings import Gamma
from probfs.classifiers.svm.design_matrix import Matrix, Positions
from probfs.classifiers.svm.kernel_functions import Kernel, suitable_kernel
from probfs.classifiers.svm.machine import (
    ByTraining,
    Inputs,
    Machine,
    TrainingRows,
    decision_values,
    fit_machines,
    frequencies,
    tracked_probabilities,
)
from probfs.tables.table import Floats

FEW_ROWS = 2_000
MOST_KERNEL_ROWS = 5_000
_ROWS_PER_COLUMN = 20
"""The whole kernel matrix is made at once for few rows, and for more of them if they have many columns, as measured."""
_KERNEL_VALUES_IN_A_BLOCK = 1 << 22


@dataclass(frozen=True)
class SvmOptions:
    """How the machines are made, and how a feature is taken from them."""

    kernel: KernelName
    cost: float
    gamma: Gamma
    removal: Removal
    permutations: int


@dataclass(frozen=True, eq=False)
class Model:
    machines: Sequence[Machine]
    kernel: Kernel
    matrix: Matrix

    def probabilities(self, rows: Positions) -> Floats:
        """The tracked probabilities of some rows: classes × rows."""
        parts = [
            tracked_probabilities([self._decisions(machine, block) for machine in self.machines], self.machines)
            for block in self._blocks(rows)
        ]
        return np.concatenate(parts, axis=1)

    def _decisions(self, machine: Machine, rows: Positions) -> Floats:
        cells, support = self.matrix.cells[rows], self.matrix.cells[machine.support]
        if self.kernel.name == "linear":
            values: Floats = cells @ (machine.coefficients @ support) + machine.intercept
            return values
        return decision_values(self.kernel.between(cells, support), machine)

    def _blocks(self, rows: Positions) -> Iterator[Positions]:
        most = max((len(machine.support) for machine in self.machines), default=0)
        size = max(1, _KERNEL_VALUES_IN_A_BLOCK // (most + 1))
        for start in range(0, len(rows), size):
            yield rows[start : start + size]


def fit_model(
    matrix: Matrix,
    rows: TrainingRows,
    options: SvmOptions,
    by_training: ByTraining = None,
    products: Floats | None = None,
) -> Model:
    """Fit on some rows of a matrix; ``products`` are their inner products, if they are known already."""
    cells = matrix.cells[rows.positions]
    if not cells.shape[1]:
        return Model(frequencies(rows), Kernel("linear"), matrix)
    kernel = suitable_kernel(options.kernel, options.gamma, cells, rows.counts)
    if products is None:
        products = inner_products(cells)
    return Model(fit_machines(rows, Inputs.of(kernel, cells, products), options.cost, by_training), kernel, matrix)


def inner_products(cells: Floats) -> Floats | None:
    """Those of all rows with each other, unless LIBSVM is quicker to make those it needs one by one."""
    rows, columns = cells.shape
    worth_it = rows <= FEW_ROWS or (rows <= MOST_KERNEL_ROWS and columns >= rows / _ROWS_PER_COLUMN)
    return cells @ cells.T if worth_it else None
