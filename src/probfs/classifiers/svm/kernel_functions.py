"""The two kernels, made from inner products, and the scales that suit a matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probfs.choices import Kernel as KernelName
from probfs.classifiers.settings import Cost, Gamma
from probfs.tables.table import Floats, Integers


@dataclass(frozen=True)
class Kernel:
    """Inner products as they are, or exp(-γ·squared distance)."""

    name: KernelName
    gamma: float = 0.0

    def of(self, products: Floats, own_left: Floats, own_right: Floats) -> Floats:
        """Kernel values, from the inner products of some rows with others and of each row with itself."""
        if self.name == "linear":
            return products
        return np.exp(self.exponents(products, own_left, own_right))

    def exponents(self, products: Floats, own_left: Floats, own_right: Floats) -> Floats:
        """The logarithms of the RBF kernel's values."""
        # Rounding may leave equal rows a hair below no distance at all.
        distances = np.maximum(own_left[:, None] + own_right - 2 * products, 0)
        return -self.gamma * distances

    def between(self, left: Floats, right: Floats) -> Floats:
        """The kernel values of some rows with others."""
        return self.of(left @ right.T, own_products(left), own_products(right))


def own_products(cells: Floats) -> Floats:
    """The inner product of each row with itself."""
    products: Floats = np.einsum("ij,ij->i", cells, cells)
    return products


def suitable_kernel(name: KernelName, gamma: Gamma, cells: Floats, counts: Integers) -> Kernel:
    """The kernel for a matrix of training rows, by scikit-learn's rules; a row counts as often as it occurs."""
    if name == "linear":
        return Kernel(name)
    if isinstance(gamma, float):
        return Kernel(name, gamma)
    columns = cells.shape[1]
    if gamma == "auto":
        return Kernel(name, 1 / columns)
    mean = np.average(cells.mean(axis=1), weights=counts)
    variance = np.average(((cells - mean) ** 2).mean(axis=1), weights=counts)
    return Kernel(name, float(1 / (columns * variance)) if variance else 1.0)


def suitable_cost(name: KernelName, cost: Cost, cells: Floats, counts: Integers) -> float:
    """C, or the inverse of the mean kernel value of a row with itself, so that it does not depend on how many
    columns there are; for RBF, where that value is 1, it is the usual 1.
    """
    if isinstance(cost, float):
        return cost
    if name == "rbf" or not cells.shape[1]:
        return 1.0
    return float(1 / np.average(own_products(cells), weights=counts))
