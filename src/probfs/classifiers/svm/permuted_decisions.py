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
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from probfs.classifiers.svm.design_matrix import Matrix, Positions
from probfs.classifiers.svm.donors import Donors
from probfs.classifiers.svm.kernel_functions import Kernel, own_products
from probfs.classifiers.svm.machine import Machine, decision_values
from probfs.tables.table import Floats

GENTLE = 6.0
"""Up to this γ·distance² the nodes of a quantity may stand between its values: rounding errors grow by e^6 at most."""
STEEP = 30.0
"""Beyond this γ·distance² contributions are so small that dividing by them would lose digits."""
MOST_NODES = 64
_PRECISION = 1e-12


class PermutedDecisions(Protocol):
    """A machine's decision values."""

    def actual(self, rows: Positions) -> Floats:
        """Those of some rows as they are."""
        ...

    def decisions(self, rows: Positions, donors: Donors) -> tuple[Floats, Floats]:
        """Those of some rows as they are, and with each feature taken from other rows: shuffles × rows × features."""
        ...


def permuted_decisions(machine: Machine, matrix: Matrix, kernel: Kernel, labelled_rows: int) -> PermutedDecisions:
    """The way that suits a machine's kernel; donors are the first rows of the matrix, the labelled ones."""
    if kernel.name == "linear":
        return _Linear(machine, matrix, labelled_rows)
    return _Rbf(machine, matrix, kernel, labelled_rows)


class _Linear:
    def __init__(self, machine: Machine, matrix: Matrix, labelled_rows: int) -> None:
        self._matrix = matrix
        self._weights = machine.coefficients @ matrix.cells[machine.support]
        self._intercept = machine.intercept
        self._donated = self._contributions(np.arange(labelled_rows))

    def actual(self, rows: Positions) -> Floats:
        values: Floats = self._matrix.cells[rows] @ self._weights + self._intercept
        return values

    def decisions(self, rows: Positions, donors: Donors) -> tuple[Floats, Floats]:
        actual = self.actual(rows)
        # The difference first: where a donor has the row's own value, the decision value does not change by a bit.
        shuffled = self._donated[donors] - self._contributions(rows)
        shuffled += actual[:, None]
        return actual, shuffled

    def _contributions(self, rows: Positions) -> Floats:
        """What each feature adds to the decision value."""
        widths = self._matrix.widths
        contributions = np.zeros((len(rows), len(widths)))
        if len(self._weights):
            filled = np.flatnonzero(widths)
            starts = (np.cumsum(widths) - widths)[filled]
            contributions[:, filled] = np.add.reduceat(self._matrix.cells[rows] * self._weights, starts, axis=1)
        return contributions


class _Rbf:
    def __init__(self, machine: Machine, matrix: Matrix, kernel: Kernel, labelled_rows: int) -> None:
        self._machine = machine
        self._matrix = matrix
        self._kernel = kernel
        self._labelled = matrix.cells[:labelled_rows]
        self._support = matrix.cells[machine.support]
        self._own_support = own_products(self._support)
        self._features = np.flatnonzero(matrix.widths).tolist()
        groups, self._divided = _node_groups(matrix, machine.support, kernel.gamma, labelled_rows)
        self._groups = [
            _NodeGroup(group, matrix, self._labelled, machine.coefficients, kernel.gamma) for group in groups
        ]

    def actual(self, rows: Positions) -> Floats:
        return decision_values(np.exp(self._exponents(self._matrix.cells[rows])), self._machine)

    def decisions(self, rows: Positions, donors: Donors) -> tuple[Floats, Floats]:
        cells = self._matrix.cells[rows]
        exponents = self._exponents(cells)
        kernel_values = np.exp(exponents)
        actual = decision_values(kernel_values, self._machine)
        shuffled = np.empty((len(donors), len(rows), self._matrix.features))
        shuffled[...] = actual[:, None]
        near = self._near(cells)
        close = np.flatnonzero(near)
        if len(close):
            for group in self._groups:
                sums = group.sums(rows[close], kernel_values[close], donors[:, close])
                shuffled[:, close[:, None], group.features] = sums + self._machine.intercept
        for feature in self._features:
            which = np.arange(len(rows)) if feature in self._divided else np.flatnonzero(~near)
            if len(which):
                values = self._divided_out(feature, cells[which], exponents[which], donors[:, which])
                shuffled[:, which, feature] = values
        return actual, shuffled

    def _exponents(self, cells: Floats) -> Floats:
        return self._kernel.exponents(cells @ self._support.T, own_products(cells), self._own_support)

    def _near(self, cells: Floats) -> npt.NDArray[np.bool_]:
        """Which rows are within the reach of all nodes; unlabelled ones may be anywhere."""
        near = np.ones(len(cells), dtype=np.bool_)
        for group in self._groups:
            near &= group.reaches(cells)
        return near

    def _divided_out(self, feature: int, cells: Floats, exponents: Floats, donors: Donors) -> Floats:
        columns, gamma = self._matrix.columns(feature), self._kernel.gamma
        support = self._support[:, columns]
        own = gamma * squared_distances(cells[:, columns], support)
        # Rounding may leave a row whose distance is all in this feature a hair above no distance at all.
        rest = np.exp(np.minimum(exponents + own, 0)) * self._machine.coefficients
        donated = np.exp(-gamma * squared_distances(self._labelled[:, columns], support))
        sums = [np.einsum("rs,rs->r", rest, donated[shuffle]) for shuffle in donors]
        return np.stack(sums) + self._machine.intercept


class _Nodes(NamedTuple):
    """Features whose support vectors are replaced by equally many nodes."""

    features: Positions
    nodes: Floats
    """Features × nodes × columns of a feature."""
    basis: Floats
    """How much of each node a support vector is: support vectors × features × nodes."""
    steepest: float
    """Up to which γ·distance² between a row and a node the sums are right."""


class _NodeGroup:
    """Sums over the nodes of some features at once."""

    def __init__(self, group: _Nodes, matrix: Matrix, labelled: Floats, coefficients: Floats, gamma: float) -> None:
        self.features = group.features
        self._matrix = matrix
        self._nodes = group.nodes
        self._columns = np.stack([np.r_[matrix.columns(feature)] for feature in group.features.tolist()])
        self._gamma = gamma
        self._reach = math.sqrt(group.steepest / gamma)
        self._basis = (group.basis * coefficients[:, None, None]).reshape(len(coefficients), -1)
        self._donated = self._factors(labelled)

    def sums(self, rows: Positions, kernel_values: Floats, donors: Donors) -> Floats:
        """Decision values without the intercept: shuffles × rows × features."""
        known = rows.max(initial=0) < len(self._donated)
        own = self._donated[rows] if known else self._factors(self._matrix.cells[rows])
        parts = (kernel_values @ self._basis).reshape(own.shape) / own
        return np.stack([np.einsum("rfn,rfn->rf", parts, self._donated[shuffle]) for shuffle in donors])

    def reaches(self, cells: Floats) -> npt.NDArray[np.bool_]:
        """Whether each row is near enough to all nodes; labelled rows are."""
        if self._columns.shape[1] > 1:
            return np.ones(len(cells), dtype=np.bool_)
        own, nodes = cells[:, self._columns[:, 0]], self._nodes[:, :, 0]
        near = (own <= nodes.min(axis=1) + self._reach) & (own >= nodes.max(axis=1) - self._reach)
        everywhere: npt.NDArray[np.bool_] = near.all(axis=1)
        return everywhere

    def _factors(self, cells: Floats) -> Floats:
        """What the features contribute to kernel values between some rows and the nodes: rows × features × nodes."""
        own = cells[:, self._columns]
        if own.shape[2] == 1:
            distances = (own - self._nodes[:, :, 0]) ** 2
        else:
            by_feature = zip(own.swapaxes(0, 1), self._nodes, strict=True)
            distances = np.stack([squared_distances(rows, nodes) for rows, nodes in by_feature], axis=1)
        factors: Floats = np.exp(-self._gamma * distances)
        return factors


def _node_groups(
    matrix: Matrix, support: Positions, gamma: float, labelled_rows: int
) -> tuple[list[_Nodes], list[int]]:
    """Features that few nodes are enough for, by how many, and those that they are not."""
    extents = _extents(Matrix(matrix.cells[:labelled_rows], matrix.widths))
    gentle = np.flatnonzero((matrix.widths == 1) & (gamma * extents <= GENTLE))
    # As many nodes for all that may stand between their values as the steepest of them needs, for unlabelled rows too,
    # unless these are so far away that they had better be left to the other way.
    count = _chebyshev_count(min(GENTLE, gamma * float(_extents(matrix)[gentle].max(initial=0))))
    values = matrix.cells[np.ix_(support, _first_columns(matrix)[gentle])]
    continuous = gentle[np.count_nonzero(np.diff(np.sort(values, axis=0), axis=0), axis=0) >= count]
    groups = []
    if len(continuous):
        groups.append(_Nodes(continuous, *_chebyshev(count, values[:, np.isin(gentle, continuous)]), GENTLE))
    exact: dict[tuple[int, ...], list[tuple[int, Floats, Floats]]] = {}
    others = []
    for feature in np.setdiff1d(np.flatnonzero(matrix.widths), continuous).tolist():
        distinct, which = np.unique(matrix.cells[support, matrix.columns(feature)], axis=0, return_inverse=True)
        if gamma * extents[feature] > STEEP or len(distinct) > MOST_NODES:
            others.append(feature)
            continue
        basis = (which.reshape(-1, 1) == np.arange(len(distinct))).astype(np.float64)
        exact.setdefault(distinct.shape, []).append((feature, distinct, basis))
    for members in exact.values():
        features, nodes, bases = zip(*members, strict=True)
        groups.append(_Nodes(np.array(features), np.stack(nodes), np.stack(bases, axis=1), STEEP))
    return groups, others


def _first_columns(matrix: Matrix) -> Positions:
    return np.cumsum(matrix.widths) - matrix.widths


def _extents(matrix: Matrix) -> Floats:
    """The largest squared distance in each feature; two values of a category are at one of 2."""
    extents = np.where(matrix.widths, 2.0, 0.0)
    single = matrix.widths == 1
    extents[single] = np.ptp(matrix.cells[:, _first_columns(matrix)[single]], axis=0) ** 2
    return extents


def _chebyshev_count(steepness: float) -> int:
    """How many nodes give exp(steepness·s) on [-1, 1] to the last digits: its error falls like (steepness/2)^n / n!."""
    nodes, error = 1, steepness / 2
    while error > _PRECISION:
        nodes += 1
        error *= steepness / 2 / nodes
    return nodes


def _chebyshev(count: int, values: Floats) -> tuple[Floats, Floats]:
    """Chebyshev's nodes for the values of each column, and the polynomials that are 1 at one and 0 at the others."""
    least, greatest = values.min(axis=0)[:, None], values.max(axis=0)[:, None]
    angles = (2 * np.arange(count) + 1) * (math.pi / (2 * count))
    nodes = (least + greatest) / 2 + (greatest - least) / 2 * np.cos(angles)
    weights = np.sin(angles) * (-1.0) ** np.arange(count)
    differences = values[:, :, None] - nodes
    met = differences == 0
    differences[met] = 1.0
    basis = weights / differences
    basis /= basis.sum(axis=2, keepdims=True)
    at_a_node = met.any(axis=2)
    basis[at_a_node] = met[at_a_node]
    return nodes[:, :, None], basis


def squared_distances(left: Floats, right: Floats) -> Floats:
    """The squared distance of each row from each other one."""
    if left.shape[1] == 1:
        return (left - right.T) ** 2
    return np.maximum(own_products(left)[:, None] + own_products(right) - 2 * left @ right.T, 0)
