"""Decision values with a permuted feature, against kernel values of matrices that are really permuted."""

from __future__ import annotations

import numpy as np
import pytest

from probfs.classifiers.refitting.design_matrix import DesignMatrix
from probfs.classifiers.svm.binary_svm import BinarySvm
from probfs.classifiers.svm.kernel_functions import KernelFunction
from probfs.classifiers.svm.permuted_decisions import prepare_permuted_decisions

LABELLED, ROWS = 90, 120

KERNELS = [KernelFunction("linear"), *(KernelFunction("rbf", gamma) for gamma in (1e-5, 0.05, 0.5, 5.0, 50.0, 1e3))]


def random_matrix() -> DesignMatrix:
    """Continuous, constant, one-hot and few-valued features; some unlabelled rows are far away."""
    generator = np.random.default_rng(0)
    continuous = generator.normal(size=ROWS)
    continuous[-3:] = [8.0, -50.0, 1000.0]
    category = np.eye(4)[generator.integers(0, 4, ROWS)]
    few = generator.integers(0, 3, ROWS)
    return DesignMatrix(np.column_stack([continuous, category, few]), np.array([1, 0, 4, 1]))


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: f"{kernel.name}-{kernel.gamma:g}")
def test_permuted_decision_values_are_those_of_a_permuted_matrix(kernel: KernelFunction) -> None:
    matrix = random_matrix()
    generator = np.random.default_rng(1)
    support = np.sort(generator.choice(LABELLED, 60, replace=False))
    svm = BinarySvm(support, generator.normal(size=60), 0.3, 1.0, 0.0)
    rows = np.arange(ROWS)
    donors = generator.integers(0, LABELLED, (3, ROWS)).astype(np.int32)
    decisions = prepare_permuted_decisions(svm, matrix, kernel, LABELLED)
    actual, permuted = decisions.actual_and_permuted(rows, donors)
    assert (decisions.actual(rows) == actual).all()
    vectors = matrix.cells[support]
    # Inner products and distances of far rows are large, and so are their rounding errors.
    tolerance = 1e-9 + 1e-15 * max(1, kernel.gamma) * np.abs(matrix.cells[:, 0]) ** 2
    for feature in range(matrix.features):
        for donor, found in zip(donors, permuted[:, :, feature], strict=True):
            cells = matrix.cells.copy()
            cells[:, matrix.columns(feature)] = matrix.cells[donor, matrix.columns(feature)]
            expected = svm.decision_values(kernel.between(cells, vectors))
            assert (np.abs(found - expected) <= tolerance).all()


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: f"{kernel.name}-{kernel.gamma:g}")
def test_a_constant_feature_changes_nothing_at_all(kernel: KernelFunction) -> None:
    matrix = random_matrix()
    svm = BinarySvm(np.arange(LABELLED), np.ones(LABELLED), 0.0, 1.0, 0.0)
    donors = np.zeros((2, ROWS), dtype=np.int32)
    actual, permuted = prepare_permuted_decisions(svm, matrix, kernel, LABELLED).actual_and_permuted(
        np.arange(ROWS), donors
    )
    assert (permuted[:, :, 1] == actual).all()
