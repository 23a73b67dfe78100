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
from probfs.classifiers.refitting.matrix import Matrix, squared_norms
from probfs.classifiers.refitting.models import ValueModel
from probfs.classifiers.refitting.rows import Donors, Positions, divide_rows
from probfs.runtime.parallel import map_in_threads
from probfs.tables.arrays import Floats

_CELLS_AT_A_TIME = 1 << 22
"""Kernel values that are kept at a time: 32 MB."""
_CELLS_IN_CACHE = 1 << 17
"""Of factors that are computed, divided and multiplied by each other many times."""
_STEEP = 300.0
"""Factors down to exp(-300) can be divided out of a kernel value: what has underflowed to 0 stays negligible."""
_WORTH_COMPILING = 50_000_000
"""Products of a row's and a support vector's factor in a round of shuffles for which numba is imported: numpy takes
0.1 s for them.
"""

DonorSums = Callable[[Floats, Floats, Donors, Floats], None]


def squared_distances(left: Floats, right: Floats) -> Floats:
    """The squared distance of every left row from every right row."""
    if left.shape[1] == 1:
        return (left - right.T) ** 2
    # Rounding may make the squared distance of equal rows slightly negative.
    return np.maximum(squared_norms(left)[:, None] + squared_norms(right) - 2 * left @ right.T, 0)


class RbfModel(ValueModel):
    """The decision values of several SVMs of the same matrix."""

    cells_at_a_time = 1 << 23
    """Factors are computed once for so many."""
    threads_inside = True

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
        super().__init__(Matrix(matrix.cells * np.sqrt(gamma), matrix.widths), *more)
        self._labelled = self.matrix.cells[:labelled_rows]
        self._vectors = self.matrix.cells[support]
        self._coefficients = coefficients
        self._intercepts = intercepts

    def values(self, rows: Positions) -> Floats:
        blocks = divide_rows(len(rows), len(self._vectors), _CELLS_AT_A_TIME)
        values = [self._kernel(self.matrix.cells[rows[block]]) @ self._coefficients.T for block in blocks]
        return np.concatenate([np.empty((0, len(self._intercepts))), *values]).T + self._intercepts[:, None]

    def permuted_values(self, rows: Positions, donors: Donors, threads: int) -> Floats:
        features = np.flatnonzero(self.matrix.widths).tolist()
        cells, donors = self.matrix.cells[rows], np.ascontiguousarray(donors)
        products = donors.size * len(features) * self._coefficients.size
        add_donor_sums = (compiled_donor_sums() if products > _WORTH_COMPILING else None) or donor_sums_by_numpy
        shape = (len(self._intercepts), len(self.matrix.widths), *donors.shape)
        values = np.broadcast_to(self.values(rows)[:, None, None], shape).copy()
        values[:, features] = self._intercepts[:, None, None, None]
        for part in divide_rows(len(self._vectors), max(len(rows), len(self._labelled)), _CELLS_IN_CACHE):
            distances = squared_distances(cells, self._vectors[part])
            add = partial(self._add_sums, add_donor_sums, values, rows, donors, part, distances, np.exp(-distances))
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
        kernel_values: Floats,
        feature: int,
    ) -> None:
        """Add the sums over some support vectors to the values with one feature permuted."""
        columns = self.matrix.columns(feature)
        vectors = self._vectors[part, columns]
        by_donor = squared_distances(self._labelled[:, columns], vectors)
        factors = np.exp(-by_donor)
        are_labelled = rows.max(initial=0) < len(factors)
        by_row = by_donor if are_labelled else squared_distances(self.matrix.cells[rows, columns], vectors)
        if by_row.max(initial=0) <= _STEEP:
            rest = factors[rows] if are_labelled else np.exp(-by_row)
            np.divide(kernel_values, rest, out=rest)
        else:
            # A difference of distances; rounding may leave it slightly above 0.
            rest = np.exp(np.minimum((by_row[rows] if are_labelled else by_row) - distances, 0))
        for coefficients, sums in zip(self._coefficients[:, part], values[:, feature], strict=True):
            add_donor_sums(rest * coefficients, factors, donors, sums)

    def _kernel(self, cells: Floats) -> Floats:
        return np.exp(-squared_distances(cells, self._vectors))


def donor_sums_by_numpy(rest: Floats, factors: Floats, donors: Donors, sums: Floats) -> None:
    """What ``loops.add_donor_sums`` does."""
    for donor, total in zip(donors, sums, strict=True):
        total += np.einsum("rs,rs->r", rest, factors[donor])


@cache
def compiled_donor_sums() -> DonorSums | None:
    """The compiled loop, about ten times as fast; None where it cannot be had."""
    donors, cell = np.zeros((1, 1), dtype=np.int32), np.zeros((1, 1))
    if compile_loops(lambda: loops().add_donor_sums(cell, cell, donors, np.zeros((1, 1)))) is not None:
        return None
    loop: DonorSums = loops().add_donor_sums
    return loop
