"""The RBF kernel exp(-γ·squared distance), and decision values with one feature permuted.

A kernel value is a product of factors, one from each feature. Permuting a feature divides the row's own factor out of
its kernel value with every support vector, and multiplies the donor's in.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from probfs.classifiers.compiling import compile_loops, loops
from probfs.classifiers.refitting.models import ValueModel
from probfs.classifiers.refitting.rows import Donors, Positions, divide_rows
from probfs.classifiers.refitting.tables import Matrix
from probfs.runtime.parallel import map_in_threads
from probfs.tables.arrays import Floats

_CELLS_AT_A_TIME = 1 << 22
"""Kernel values that are kept at a time: 32 MB."""
_CELLS_IN_CACHE = 1 << 17
"""Of factors that are computed, and multiplied by each other many times."""
_WORTH_COMPILING = 50_000_000
"""Products of a row's and a support vector's factor in a round of shuffles for which numba is imported: numpy takes
0.1 s for them.
"""

DonorSums = Callable[[Floats, Floats, Donors, Floats], None]


class RbfModel(ValueModel):
    """The decision values of several SVMs of the same matrix."""

    cells_at_a_time = 1 << 23
    """Factors are computed once for so many."""

    def __init__(
        self,
        labelled_rows: int,
        gamma: float,
        support: Positions,
        coefficients: Floats,
        intercepts: Floats,
        matrix: Matrix,
        *more: Any,
    ) -> None:
        """``support`` are the support vectors of all SVMs, by position, and ``coefficients`` is SVMs × support
        vectors. Donors are among the first rows of the matrix, the labelled ones.
        """
        # In units in which γ is 1.
        super().__init__(Matrix(matrix.cells * np.sqrt(gamma), matrix.owner), *more)
        self._labelled = self.matrix.cells[:labelled_rows]
        self._vectors = self.matrix.cells[support]
        self._coefficients = coefficients
        self._intercepts = intercepts

    def values(self, rows: Positions) -> Floats:
        blocks = divide_rows(len(rows), len(self._vectors), _CELLS_AT_A_TIME)
        kernels = (np.exp(-squared_distances(self.matrix.cells[rows[block]], self._vectors)) for block in blocks)
        values = [kernel @ self._coefficients.T for kernel in kernels]
        return np.concatenate([np.empty((0, len(self._intercepts))), *values]).T + self._intercepts[:, None]

    def permuted_values(self, rows: Positions, donors: Donors, threads: int) -> Floats:
        features = np.unique(self.matrix.owner).tolist()
        donors = np.ascontiguousarray(donors)
        products = donors.size * len(features) * self._coefficients.size
        add_donor_sums = choose_donor_sums() if products > _WORTH_COMPILING else donor_sums_by_numpy
        shape = (len(self._intercepts), self.features, *donors.shape)
        values = np.broadcast_to(self.values(rows)[:, None, None], shape).copy()
        values[:, features] = self._intercepts[:, None, None, None]
        for part in divide_rows(len(self._vectors), max(len(rows), len(self._labelled)), _CELLS_IN_CACHE):
            distances = squared_distances(self.matrix.cells[rows], self._vectors[part])
            add = partial(self._add_sums, add_donor_sums, values, rows, donors, part, distances)
            map_in_threads(add, features, threads)
        return np.moveaxis(values, 1, 3)

    def _add_sums(
        self,
        add_donor_sums: DonorSums,
        values: Floats,
        rows: Positions,
        donors: Donors,
        part: slice,
        distances: Floats,
        feature: int,
    ) -> None:
        """Add the sums over some support vectors to the values with one feature permuted."""
        columns = slice(*np.searchsorted(self.matrix.owner, [feature, feature + 1]))
        vectors = self._vectors[part, columns]
        own = squared_distances(self.matrix.cells[rows, columns], vectors)
        # Rounding may leave a difference of distances slightly above 0.
        rest = np.exp(np.minimum(own - distances, 0))
        factors = np.exp(-squared_distances(self._labelled[:, columns], vectors))
        for coefficients, sums in zip(self._coefficients[:, part], values[:, feature], strict=True):
            add_donor_sums(rest * coefficients, factors, donors, sums)


def squared_distances(left: Floats, right: Floats) -> Floats:
    """The squared distance of every left row from every right row."""
    if left.shape[1] == 1:
        return (left - right.T) ** 2
    # Rounding may make the squared distance of equal rows slightly negative.
    norms = (left**2).sum(axis=1)[:, None] + (right**2).sum(axis=1)
    return np.asarray(np.maximum(norms - 2 * left @ right.T, 0))


def donor_sums_by_numpy(rest: Floats, factors: Floats, donors: Donors, sums: Floats) -> None:
    """What ``loops.add_donor_sums`` does."""
    for donor, total in zip(donors, sums, strict=True):
        total += np.einsum("rs,rs->r", rest, factors[donor])


@cache
def choose_donor_sums() -> DonorSums:
    """The compiled loop, about ten times as fast as numpy, where it can be had."""
    donors, cell = np.zeros((1, 1), dtype=np.int32), np.zeros((1, 1))
    failure = compile_loops(lambda: loops().add_donor_sums(cell, cell, donors, np.zeros((1, 1))))
    loop: DonorSums = donor_sums_by_numpy if failure is not None else loops().add_donor_sums
    return loop
