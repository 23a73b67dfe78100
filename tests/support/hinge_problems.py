"""Random problems for the solvers of linear SVMs."""

from __future__ import annotations

import numpy as np

from probfs.classifiers.svm.interior_point import HingeProblem
from probfs.tables.table import Floats

KINDS = ("overlapping", "separable", "categories", "equal columns", "constant column", "lopsided", "outlier")


def draw_problem(seed: int, rows: int, columns: int, kind: str, cost: float, counted: bool = False) -> HingeProblem:
    """Rows of two classes, two of each at least."""
    generator = np.random.default_rng(seed)
    positive = generator.random(rows) < (0.05 if kind == "lopsided" else 0.4)
    positive[:4] = [False, True, False, True]
    cells = generator.normal(size=(rows, columns))
    cells[:, 0] += positive * (20.0 if kind == "separable" else 0.8)
    if kind == "categories":
        cells = np.rint(cells)
    if kind == "equal columns":
        cells[:, -1] = cells[:, 0]
    if kind == "constant column":
        cells[:, -1] = 0.0
    if kind == "outlier":
        cells[generator.integers(rows), 0] = 100.0
    counts = (generator.integers(1, 5, rows) if counted else np.ones(rows)).astype(np.float64)
    signs = np.where(positive, 1.0, -1.0)
    return HingeProblem(np.column_stack([cells, np.ones(rows)]), signs, cost * counts, np.zeros(columns + 1))


def objective(problem: HingeProblem, plane: Floats) -> float:
    """Half the squared length of the weights, and the losses of the rows."""
    losses = np.maximum(0, 1 - problem.signs * (problem.cells @ plane))
    return float(plane[:-1] @ plane[:-1] / 2 + problem.costs @ losses)
