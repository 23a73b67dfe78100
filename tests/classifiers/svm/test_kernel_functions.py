"""Kernel values and the choice of γ and C, against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics.pairwise import euclidean_distances, linear_kernel, rbf_kernel
from sklearn.svm import SVC

from probfs.classifiers.options import Gamma
from probfs.classifiers.svm.kernel_functions import KernelFunction, choose_cost, choose_kernel, squared_distances

CELLS = np.random.default_rng(0).normal(size=(12, 3))
COUNTS = np.arange(1, 13)


def test_kernel_values_are_scikit_learn_s() -> None:
    left, right = CELLS[:5], CELLS[3:]
    assert KernelFunction("linear").between(left, right) == pytest.approx(linear_kernel(left, right))
    assert KernelFunction("rbf", 0.4).between(left, right) == pytest.approx(rbf_kernel(left, right, 0.4))
    for columns in (1, 3):
        distances = squared_distances(left[:, :columns], right[:, :columns])
        assert distances == pytest.approx(euclidean_distances(left[:, :columns], right[:, :columns]) ** 2)


def test_equal_rows_are_at_no_distance() -> None:
    far = 1e8 + CELLS
    assert squared_distances(far, far).min() >= 0
    assert KernelFunction("rbf", 1.0).between(far, far).max() <= 1


@pytest.mark.parametrize("gamma", ["scale", "auto", 0.3])
def test_gamma_is_scikit_learn_s_with_every_copy_of_a_row(gamma: Gamma) -> None:
    repeated = np.repeat(CELLS, COUNTS, axis=0)
    peer = SVC(kernel="rbf", gamma=gamma).fit(repeated, np.arange(len(repeated)) % 2)
    assert choose_kernel("rbf", gamma, CELLS, COUNTS).gamma == pytest.approx(peer._gamma)


def test_numbers_of_any_type_are_taken_as_they_are() -> None:
    assert choose_kernel("rbf", 2, CELLS, COUNTS).gamma == 2.0
    assert choose_cost("linear", 3, CELLS, COUNTS) == 3.0


def test_the_scaled_cost_does_not_depend_on_the_number_of_columns() -> None:
    """C times the kernel values stays the same when every column is there four times."""
    once = choose_cost("linear", "scale", CELLS, COUNTS)
    assert choose_cost("linear", "scale", np.hstack([CELLS] * 4), COUNTS) == pytest.approx(once / 4)
    assert choose_cost("rbf", "scale", CELLS, COUNTS) == 1
    assert choose_cost("linear", "scale", CELLS[:, :0], COUNTS) == 1
