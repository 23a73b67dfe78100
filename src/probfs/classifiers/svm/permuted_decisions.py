"""Decision values with one feature permuted, for all features at once, without asking the SVM again.

Linear kernel: a decision value is a sum of contributions, one from each feature, so permuting a feature exchanges the
row's contribution for its donor's.

RBF kernel: a kernel value is a product of factors, one from each feature, so permuting a feature exchanges the row's
factor for its donor's in every kernel value. Sums over a few nodes do this fast for most features and rows: see
``rbf_nodes``. For the others the row's own factor is divided out of every kernel value, in logarithms.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from probfs.classifiers.refitting.design_matrix import DesignMatrix, Positions, squared_norms
from probfs.classifiers.refitting.donors import Donors
from probfs.classifiers.svm.binary_svm import BinarySvm
from probfs.classifiers.svm.kernel_functions import KernelFunction, squared_distances
from probfs.classifiers.svm.rbf_nodes import NodeSums, choose_nodes
from probfs.tables.table import Floats


class PermutedDecisions(Protocol):
    """The decision values of one binary SVM."""

    def actual(self, rows: Positions) -> Floats:
        """The decision values of rows as they are."""
        ...

    def actual_and_permuted(self, rows: Positions, donors: Donors) -> tuple[Floats, Floats]:
        """The decision values of rows as they are, and with each feature's value taken from the donor: permutations ×
        rows × features.
        """
        ...


def prepare_permuted_decisions(
    svm: BinarySvm, matrix: DesignMatrix, kernel: KernelFunction, labelled_rows: int
) -> PermutedDecisions:
    """The decision values of an SVM; donors are the first rows of the matrix, the labelled ones."""
    if kernel.name == "linear":
        return _LinearDecisions(svm, matrix, labelled_rows)
    return _RbfDecisions(svm, matrix, kernel, labelled_rows)


class _LinearDecisions:
    def __init__(self, svm: BinarySvm, matrix: DesignMatrix, labelled_rows: int) -> None:
        self._matrix = matrix
        self._weights = svm.column_weights(matrix.cells)
        self._intercept = svm.intercept
        self._labelled_contributions = self._contributions(np.arange(labelled_rows))

    def actual(self, rows: Positions) -> Floats:
        values: Floats = self._matrix.cells[rows] @ self._weights + self._intercept
        return values

    def actual_and_permuted(self, rows: Positions, donors: Donors) -> tuple[Floats, Floats]:
        actual = self.actual(rows)
        # The difference first: where the donor has the row's own value, the decision value does not change by a bit.
        permuted = self._labelled_contributions[donors] - self._contributions(rows)
        permuted += actual[:, None]
        return actual, permuted

    def _contributions(self, rows: Positions) -> Floats:
        """What each feature adds to the decision value: rows × features."""
        widths = self._matrix.widths
        contributions = np.zeros((len(rows), len(widths)))
        if len(self._weights):
            varying = np.flatnonzero(widths)
            starts = self._matrix.first_columns()[varying]
            contributions[:, varying] = np.add.reduceat(self._matrix.cells[rows] * self._weights, starts, axis=1)
        return contributions


class _RbfDecisions:
    def __init__(self, svm: BinarySvm, matrix: DesignMatrix, kernel: KernelFunction, labelled_rows: int) -> None:
        self._svm = svm
        self._matrix = matrix
        self._kernel = kernel
        self._labelled = matrix.cells[:labelled_rows]
        self._support = matrix.cells[svm.support]
        self._support_norms = squared_norms(self._support)
        self._varying = np.flatnonzero(matrix.widths).tolist()
        node_sets, self._without_nodes = choose_nodes(matrix, svm.support, kernel.gamma, labelled_rows)
        self._node_sums = [
            NodeSums(node_set, matrix, labelled_rows, svm.coefficients, kernel.gamma) for node_set in node_sets
        ]

    def actual(self, rows: Positions) -> Floats:
        return self._svm.decision_values(np.exp(self._exponents(self._matrix.cells[rows])))

    def actual_and_permuted(self, rows: Positions, donors: Donors) -> tuple[Floats, Floats]:
        cells = self._matrix.cells[rows]
        exponents = self._exponents(cells)
        kernel_values = np.exp(exponents)
        actual = self._svm.decision_values(kernel_values)
        permuted = np.empty((len(donors), len(rows), self._matrix.features))
        permuted[...] = actual[:, None]
        in_reach = self._find_rows_in_reach(cells)
        near, far = np.flatnonzero(in_reach), np.flatnonzero(~in_reach)
        if len(near):
            for node_sums in self._node_sums:
                sums = node_sums.compute(rows[near], kernel_values[near], donors[:, near])
                permuted[:, near[:, None], node_sums.features] = sums + self._svm.intercept
        for feature in self._varying:
            which = np.arange(len(rows)) if feature in self._without_nodes else far
            if len(which):
                values = self._divide_feature_out(feature, cells[which], exponents[which], donors[:, which])
                permuted[:, which, feature] = values
        return actual, permuted

    def _exponents(self, cells: Floats) -> Floats:
        return self._kernel.rbf_exponents(cells @ self._support.T, squared_norms(cells), self._support_norms)

    def _find_rows_in_reach(self, cells: Floats) -> npt.NDArray[np.bool_]:
        """Which rows are near enough to the nodes of all features; unlabelled rows may be anywhere."""
        in_reach = np.ones(len(cells), dtype=np.bool_)
        for node_sums in self._node_sums:
            in_reach &= node_sums.find_rows_in_reach(cells)
        return in_reach

    def _divide_feature_out(self, feature: int, cells: Floats, exponents: Floats, donors: Donors) -> Floats:
        """Decision values of rows with one feature permuted, by way of every support vector: permutations × rows."""
        columns, gamma = self._matrix.columns(feature), self._kernel.gamma
        support = self._support[:, columns]
        own = gamma * squared_distances(cells[:, columns], support)
        # Where all of the distance is in this feature, rounding may leave the sum slightly above 0.
        rest = np.exp(np.minimum(exponents + own, 0)) * self._svm.coefficients
        factors = np.exp(-gamma * squared_distances(self._labelled[:, columns], support))
        sums = [np.einsum("rs,rs->r", rest, factors[donor]) for donor in donors]
        return np.stack(sums) + self._svm.intercept
