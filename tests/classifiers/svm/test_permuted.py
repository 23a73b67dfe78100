"""Decision values with a permuted feature, against the values of matrices that are really permuted."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from probfs.classifiers.refitting.design_matrix import DesignMatrix, LinearValues
from probfs.classifiers.svm import rbf
from probfs.classifiers.svm.rbf import RbfValues, compiled_donor_sums
from probfs.tables.arrays import Floats

LABELLED, ROWS = 90, 120
GAMMAS = [None, 1e-5, 0.05, 0.5, 5.0, 50.0, 1e3]


def random_matrix() -> DesignMatrix:
    """Continuous, constant, one-hot and few-valued features; some unlabelled rows are far away."""
    generator = np.random.default_rng(0)
    continuous = generator.normal(size=ROWS)
    continuous[-3:] = [8.0, -50.0, 1000.0]
    category = np.eye(4)[generator.integers(0, 4, ROWS)]
    few = generator.integers(0, 3, ROWS)
    return DesignMatrix(np.column_stack([continuous, category, few]), np.array([1, 0, 4, 1]))


@pytest.mark.parametrize("cells_in_cache", [1 << 17, 1_000])
@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("gamma", GAMMAS)
def test_permuted_values_are_those_of_a_permuted_matrix(
    gamma: float | None, compiled: bool, cells_in_cache: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For the RBF kernel by numba and by numpy, and with the support vectors in one part or in several."""
    monkeypatch.setattr(rbf, "_WORTH_COMPILING", 0 if compiled else np.inf)
    monkeypatch.setattr(rbf, "_CELLS_IN_CACHE", cells_in_cache)
    matrix = random_matrix()
    generator = np.random.default_rng(1)
    support = np.sort(generator.choice(LABELLED, 60, replace=False))
    intercepts = np.array([0.3, -1.0])
    coefficients = generator.normal(size=(2, 60 if gamma is not None else matrix.cells.shape[1]))

    def decide(cells: Floats) -> Floats:
        inputs = cells if gamma is None else rbf_kernel(cells, matrix.cells[support], gamma)
        values: Floats = coefficients @ inputs.T + intercepts[:, None]
        return values

    donors = generator.integers(0, LABELLED, (3, ROWS)).astype(np.int32)
    # Inner products and distances of far rows are large, and so are their rounding errors.
    tolerance = 1e-9 + 1e-14 * max(1, gamma or 0) * np.abs(matrix.cells[:, 0]) ** 2
    for rows in (np.arange(ROWS), np.arange(5, 40)):
        if gamma is None:
            linear = LinearValues(matrix, coefficients, intercepts)
            actual, permuted = linear.of(rows), linear.permuted(rows, donors[:, rows])
        else:
            values = RbfValues(matrix, LABELLED, gamma, support, coefficients, intercepts)
            actual, permuted = values.of(rows), values.permuted(rows, donors[:, rows], 2)
        assert (np.abs(actual - decide(matrix.cells[rows])) <= tolerance[rows]).all()
        assert (permuted[..., 1] == actual[:, None]).all(), "a constant feature changes nothing at all"
        for feature in range(matrix.features):
            columns = matrix.columns(feature)
            for donor, found in zip(donors, permuted[..., feature].swapaxes(0, 1), strict=True):
                cells = matrix.cells.copy()
                cells[:, columns] = matrix.cells[donor, columns]
                assert (np.abs(found - decide(cells[rows])) <= tolerance[rows]).all()


def test_without_numba_there_is_no_compiled_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    assert compiled_donor_sums() is not None
    monkeypatch.setitem(__import__("sys").modules, "probfs.classifiers.svm.loops", None)
    compiled_donor_sums.cache_clear()
    assert compiled_donor_sums() is None
    compiled_donor_sums.cache_clear()
