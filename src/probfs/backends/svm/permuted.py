"""Decision values with one column shuffled, for all columns at once, without asking the machine again.

Linear kernel: a decision value is a sum of what each feature contributes, so a shuffled feature exchanges one
contribution for another.

RBF: a kernel value is a product of what each feature contributes. With x the row's own value in a feature, t its
donor's and s the support vector's, the shuffled decision value is

    Σ_s a_s K(x, s) · exp(-γ(t - s)²) / exp(-γ(x - s)²).

Support vectors with the same value s can be added up first, and what is left is a sum over *nodes*: the distinct values
of s. For a quantity there are as many as support vectors, but exp is so smooth that a dozen or two Chebyshev nodes give
the same sum to the last digits, as long as γ times the squared range is small, as it is by default. Then a shuffle of a
row costs a dozen multiplications instead of a look at every support vector. Where it is not small, each feature's
contribution is divided out of every kernel value, in logarithms.
"""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np
import numpy.typing as npt

from probfs.backends.svm.design import Matrix
from probfs.backends.svm.kernels import Kernel, own_products
from probfs.backends.svm.machine import Machine, decision_values
from probfs.backends.svm.shuffles import Donors
from probfs.table import Floats

Positions = npt.NDArray[np.intp]

GENTLE = 6.0
"""Up to this γ·distance² the nodes of a quantity may stand between its values: rounding errors grow by e^6 at most."""
STEEP = 30.0
"""Beyond this γ·distance² contributions are so small that dividing by them would lose digits."""
MOST_NODES = 64
_PRECISION = 1e-16


class PermutedDecisions(Protocol):
    """A machine's decision values for any rows: as they are, and with each feature taken from other rows."""

    def actual(self, rows: Positions) -> Floats: ...

    def shuffled(self, rows: Positions, donors: Donors) -> Floats:
        """Shuffles × rows × features."""
        ...


def permuted_decisions(machine: Machine, matrix: Matrix, kernel: Kernel, labelled_rows: int) -> PermutedDecisions:
    if kernel.name == "linear" or not len(machine.support):
        return _Linear(machine, matrix, labelled_rows)
    return _Rbf(machine, matrix, kernel, labelled_rows)


class _Linear:
    def __init__(self, machine: Machine, matrix: Matrix, labelled_rows: int) -> None:
        self._matrix = matrix
        self._weights = machine.coefficients @ matrix.cells[machine.support]
        self._intercept = machine.intercept
        self._donated = self._contributions(np.arange(labelled_rows))

    def _contributions(self, rows: Positions) -> Floats:
        """What each feature adds to the decision value."""
        widths = self._matrix.widths
        contributions = np.zeros((len(rows), len(widths)))
        if len(self._weights):
            filled = np.flatnonzero(widths)
            starts = (np.cumsum(widths) - widths)[filled]
            contributions[:, filled] = np.add.reduceat(self._matrix.cells[rows] * self._weights, starts, axis=1)
        return contributions

    def actual(self, rows: Positions) -> Floats:
        values: Floats = self._matrix.cells[rows] @ self._weights + self._intercept
        return values

    def shuffled(self, rows: Positions, donors: Donors) -> Floats:
        own = self._contributions(rows)
        # The difference first: where a donor has the row's own value, the decision value does not change by a bit.
        changes = self._donated[donors] - own
        changes += self.actual(rows)[:, None]
        return changes


class _Rbf:
    def __init__(self, machine: Machine, matrix: Matrix, kernel: Kernel, labelled_rows: int) -> None:
        self._machine = machine
        self._matrix = matrix
        self._kernel = kernel
        self._labelled = matrix.cells[:labelled_rows]
        self._support = matrix.cells[machine.support]
        self._own_support = own_products(self._support)

    def actual(self, rows: Positions) -> Floats:
        return decision_values(np.exp(self._exponents(rows)), self._machine)

    def _exponents(self, rows: Positions) -> Floats:
        cells = self._matrix.cells[rows]
        return self._kernel.exponents(cells @ self._support.T, own_products(cells), self._own_support)

    def shuffled(self, rows: Positions, donors: Donors) -> Floats:
        exponents = self._exponents(rows)
        kernel_values = np.exp(exponents)
        actual = decision_values(kernel_values, self._machine)
        result = np.repeat(actual[None, :, None], len(donors), axis=0).repeat(self._matrix.features, axis=2)
        gathered: list[tuple[int, _Nodes]] = []
        for feature in np.flatnonzero(self._matrix.widths).tolist():
            columns = self._matrix.columns(feature)
            own = self._matrix.cells[rows, columns]
            nodes = _Nodes.of(self._support[:, columns], own, self._labelled[:, columns], self._kernel.gamma)
            if nodes is None:
                result[:, :, feature] = self._divided_out(columns, own, exponents, donors)
            else:
                gathered.append((feature, nodes))
        if gathered:
            features = [feature for feature, _ in gathered]
            result[:, :, features] = self._through_nodes(kernel_values, [nodes for _, nodes in gathered], donors)
        return result

    def _through_nodes(self, kernel_values: Floats, nodes: list[_Nodes], donors: Donors) -> Floats:
        basis = np.hstack([each.basis for each in nodes]) * self._machine.coefficients[:, None]
        parts = kernel_values @ basis / np.hstack([each.own for each in nodes])
        donated = np.hstack([each.donated for each in nodes])
        starts = np.cumsum([0, *(each.basis.shape[1] for each in nodes[:-1])])
        sums = [np.add.reduceat(parts * donated[shuffle], starts, axis=1) for shuffle in donors]
        return np.stack(sums) + self._machine.intercept

    def _divided_out(self, columns: slice, own: Floats, exponents: Floats, donors: Donors) -> Floats:
        gamma, support = self._kernel.gamma, self._support[:, columns]
        # Rounding may leave a row whose distance is all in this feature a hair above no distance at all.
        rest = np.exp(np.minimum(exponents + gamma * squared_distances(own, support), 0)) * self._machine.coefficients
        donated = np.exp(-gamma * squared_distances(self._labelled[:, columns], support))
        sums = [np.einsum("rs,rs->r", rest, donated[shuffle]) for shuffle in donors]
        return np.stack(sums) + self._machine.intercept


class _Nodes:
    """Few values that stand for those of all support vectors in one feature."""

    def __init__(self, basis: Floats, own: Floats, donated: Floats) -> None:
        self.basis = basis
        """How much of each node a support vector is: support vectors × nodes."""
        self.own = own
        """What the feature contributes to a kernel value, between each row and each node."""
        self.donated = donated
        """The same for each labelled row."""

    @classmethod
    def of(cls, support: Floats, own: Floats, labelled: Floats, gamma: float) -> _Nodes | None:
        """Nodes for the support vectors' columns of a feature, or None if few would not do."""
        values, basis = _values_and_basis(support, own, labelled, gamma)
        if values.shape[0] > MOST_NODES:
            return None
        far, near = squared_distances(own, values), squared_distances(labelled, values)
        if gamma * max(far.max(), near.max()) > STEEP:
            return None
        return cls(basis, np.exp(-gamma * far), np.exp(-gamma * near))


def _values_and_basis(support: Floats, own: Floats, labelled: Floats, gamma: float) -> tuple[Floats, Floats]:
    distinct, which = np.unique(support, axis=0, return_inverse=True)
    if support.shape[1] == 1:
        everything = np.concatenate([own, labelled])
        least, greatest = float(everything.min()), float(everything.max())
        # Labelled rows are among them, and so all support vectors.
        steepness = gamma * (greatest - least) ** 2
        nodes = _chebyshev_count(steepness)
        if nodes < len(distinct) and steepness <= GENTLE:
            return _chebyshev(float(support.min()), float(support.max()), nodes, support[:, 0])
    basis = np.zeros((len(support), len(distinct)))
    basis[np.arange(len(support)), which.ravel()] = 1
    return distinct, basis


def _chebyshev_count(steepness: float) -> int:
    """How many nodes give exp(steepness·s) on [-1, 1] to the last digit: its error falls like (steepness/2)^n / n!."""
    nodes, error = 1, steepness / 2
    while error > _PRECISION and nodes <= MOST_NODES:
        nodes += 1
        error *= steepness / 2 / nodes
    return nodes + 1


def _chebyshev(least: float, greatest: float, nodes: int, values: Floats) -> tuple[Floats, Floats]:
    """Chebyshev's nodes on an interval, and the polynomials that are 1 at one of them and 0 at the others."""
    angles = (2 * np.arange(nodes) + 1) * (math.pi / (2 * nodes))
    places = (least + greatest) / 2 + (greatest - least) / 2 * np.cos(angles)
    weights = np.sin(angles) * (-1.0) ** np.arange(nodes)
    differences = values[:, None] - places
    met = differences == 0
    terms = weights / np.where(met, 1.0, differences)
    basis = np.where(met.any(axis=1)[:, None], met, terms / terms.sum(axis=1)[:, None])
    return places[:, None], basis


def squared_distances(left: Floats, right: Floats) -> Floats:
    """The squared distance of each row from each other one."""
    if left.shape[1] == 1:
        return (left - right.T) ** 2
    return np.maximum(own_products(left)[:, None] + own_products(right) - 2 * left @ right.T, 0)
