"""A linear SVM as an estimator of scikit-learn, fitted by the interior-point method."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin

from probfs.classifiers.svm.interior_point import HingeProblem, Hyperplane, minimise_hinge_loss
from probfs.tables.table import Floats, Integers

Mask = npt.NDArray[np.bool_]

_NEAR_SHARE = 6
_LEAST_NEAR = 1_000
"""A fit from a nearby hyperplane begins with the sixth of the rows nearest to their margins, or this many."""
_SAMPLED = 4
"""Without one, it begins with the hyperplane of every fourth row."""


class LinearSvc(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """The linear SVM of ``SVC(kernel="linear")``, intercept without penalty, for many rows and few columns."""

    def __init__(self, C: float, start: Floats | None = None) -> None:  # noqa: N803  # scikit-learn's name
        """``start`` is the hyperplane of nearly the same rows, if one is known."""
        self.C = C
        self.start = start

    def fit(self, X: Floats, y: Integers, sample_weight: Floats) -> LinearSvc:  # noqa: N803  # scikit-learn's names
        self.classes_ = np.array([0, 1])
        cells = np.column_stack([X, np.ones(len(X))])
        problem = HingeProblem(cells, np.where(y == 1, 1.0, -1.0), self.C * sample_weight, np.zeros(cells.shape[1]))
        start = _fit_sample(problem) if self.start is None else self.start
        self.plane_, self.converged_ = solve_near(problem, start)
        return self

    def as_start(self) -> LinearSvc:
        """An estimator like this one whose fits start from the hyperplane of this one."""
        return LinearSvc(self.C, self.plane_)

    def decision_function(self, X: Any) -> Floats:  # noqa: N803  # scikit-learn's name
        values: Floats = X @ self.plane_[:-1] + self.plane_[-1]
        return values


def _fit_sample(problem: HingeProblem) -> Floats:
    """A hyperplane near the best one; rows come sorted by class and in random order, so a class keeps its share."""
    cells, signs = np.ascontiguousarray(problem.cells[::_SAMPLED]), problem.signs[::_SAMPLED]
    if len(set(signs.tolist())) < 2:
        return problem.pull
    return minimise_hinge_loss(
        HingeProblem(cells, signs, _SAMPLED * problem.costs[::_SAMPLED], problem.pull), problem.pull
    ).plane


def solve_near(problem: HingeProblem, start: Floats) -> Hyperplane:
    """The best hyperplane, found faster if ``start`` is near it.

    On one side of its margin the loss of a row is 0, on the other it is linear: only rows that may change sides need to
    be variables of the problem. If the hyperplane found puts others on the other side, they become variables too. In
    the end every row is on the side where it was assumed to be, so the hyperplane is the best of all.
    """
    exceeding = problem.exceed_margins(start)
    short = exceeding < 0
    variable = _choose_variable_rows(problem, exceeding)
    plane = start
    while True:
        plane, converged = minimise_hinge_loss(_reduce(problem, variable, short & ~variable), plane)
        moved = ~variable & ((problem.exceed_margins(plane) < 0) != short)
        if converged and not moved.any():
            return Hyperplane(plane, True)
        if not converged or 2 * moved.sum() > len(short):
            # The start was not near enough: going on from here would take longer than all rows from the beginning.
            return minimise_hinge_loss(problem, start)
        variable |= moved


def _choose_variable_rows(problem: HingeProblem, exceeding: Floats) -> Mask:
    """The rows nearest to their margins, of both classes, and so many that their losses can hold the intercept against
    the pull of the others.
    """
    nearest = np.argsort(np.abs(exceeding), kind="stable")
    pulls = problem.signs * problem.costs
    count = max(_LEAST_NEAR, len(nearest) // _NEAR_SHARE)
    while count < len(nearest):
        near, far = pulls[nearest[:count]], nearest[count:]
        pull = pulls[far][exceeding[far] < 0].sum()
        if near[near < 0].sum() < -pull < near[near > 0].sum():
            break
        count *= 2
    variable = np.zeros(len(nearest), dtype=np.bool_)
    variable[nearest[:count]] = True
    return variable


def _reduce(problem: HingeProblem, variable: Mask, short: Mask) -> HingeProblem:
    """The problem of some rows, others being known to fall short of their margins, and the rest to exceed them."""
    pull = (problem.signs * problem.costs)[short] @ problem.cells[short]
    return HingeProblem(problem.cells[variable], problem.signs[variable], problem.costs[variable], pull)
