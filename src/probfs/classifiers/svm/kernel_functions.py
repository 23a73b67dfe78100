"""The linear and the RBF kernel, computed from inner products, and the choice of γ and C by the training rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probfs.classifiers.options import Cost, Gamma, KernelName
from probfs.classifiers.refitting.design_matrix import inverse_mean_square, squared_norms
from probfs.tables.table import Floats, Integers


@dataclass(frozen=True)
class KernelFunction:
    """The inner product of two rows (linear), or exp(-γ·squared distance) (RBF)."""

    name: KernelName
    gamma: float = 0.0

    def from_inner_products(self, products: Floats, left_norms: Floats, right_norms: Floats) -> Floats:
        """Kernel values of left with right rows, from their inner products and each row's squared norm."""
        if self.name == "linear":
            return products
        return np.exp(self.rbf_exponents(products, left_norms, right_norms))

    def rbf_exponents(self, products: Floats, left_norms: Floats, right_norms: Floats) -> Floats:
        """The logarithms of the RBF kernel's values: -γ·squared distance."""
        # Rounding may make the squared distance of equal rows slightly negative.
        distances = np.maximum(left_norms[:, None] + right_norms - 2 * products, 0)
        return -self.gamma * distances

    def between(self, left: Floats, right: Floats) -> Floats:
        """The kernel values of every left row with every right row."""
        return self.from_inner_products(left @ right.T, squared_norms(left), squared_norms(right))


def squared_distances(left: Floats, right: Floats) -> Floats:
    """The squared distance of every left row from every right row."""
    if left.shape[1] == 1:
        return (left - right.T) ** 2
    return np.maximum(squared_norms(left)[:, None] + squared_norms(right) - 2 * left @ right.T, 0)


def choose_kernel(name: KernelName, gamma: Gamma, cells: Floats, counts: Integers) -> KernelFunction:
    """The kernel for these training rows, γ by scikit-learn's rules; a row weighs as much as it counts."""
    if name == "linear":
        return KernelFunction(name)
    if not isinstance(gamma, str):
        return KernelFunction(name, float(gamma))
    columns = cells.shape[1]
    if gamma == "auto":
        return KernelFunction(name, 1 / columns)
    mean = np.average(cells.mean(axis=1), weights=counts)
    variance = np.average(((cells - mean) ** 2).mean(axis=1), weights=counts)
    return KernelFunction(name, float(1 / (columns * variance)) if variance else 1.0)


def choose_cost(name: KernelName, cost: Cost, cells: Floats, counts: Integers) -> float:
    """C as given or, for ``scale``, the inverse of a training row's mean kernel value with itself.

    With the linear kernel that value grows with the number of columns, and C so chosen makes up for it. With RBF it is
    always 1, and so is C.
    """
    if not isinstance(cost, str):
        return float(cost)
    if name == "rbf" or not cells.shape[1]:
        return 1.0
    return inverse_mean_square(cells, counts)
