"""A linear SVM as an estimator of scikit-learn, fitted by the interior-point method."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.svm import SVC

from probfs.classifiers.svm.interior_point import HingeProblem, Hyperplane, minimise_hinge_loss
from probfs.tables.table import Floats, Integers

_NEAR_SHARE = 6
_LEAST_NEAR = 1_000
"""A fit from a nearby hyperplane begins with the sixth of the rows nearest to their margins, or this many."""


class LinearSvc(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """The linear SVM of ``SVC(kernel="linear")``, intercept without penalty, for many rows and few columns."""

    def __init__(self, fallback: SVC, start: Floats | None = None) -> None:
        """``fallback`` has the cost C, and is fitted instead if the interior-point method fails. ``start`` is the
        hyperplane of nearly the same rows, if one is known.
        """
        self.fallback = fallback
        self.start = start

    def fit(self, X: Floats, y: Integers, sample_weight: Floats) -> LinearSvc:  # noqa: N803  # scikit-learn's names
        self.classes_ = np.array([0, 1])
        cells = np.column_stack([X, np.ones(len(X))])
        signs = np.where(y == 1, 1.0, -1.0)
        problem = HingeProblem(cells, signs, self.fallback.C * sample_weight, np.zeros(cells.shape[1]))
        plane, self.converged_ = (
            minimise_hinge_loss(problem, problem.pull) if self.start is None else solve_near(problem, self.start)
        )
        if not self.converged_:
            libsvm = self.fallback.fit(X, y, sample_weight=sample_weight)
            plane = np.append(libsvm.coef_[0], libsvm.intercept_)
            self.converged_ = bool(np.all(libsvm.n_iter_ < libsvm.max_iter))
        self.plane_ = plane
        return self

    def starting_from(self, X: Floats, y: Integers, sample_weight: Floats) -> LinearSvc:  # noqa: N803
        """An estimator like this one whose fits start from the hyperplane of these rows."""
        return LinearSvc(self.fallback, clone(self).fit(X, y, sample_weight).plane_)

    def decision_function(self, X: Any) -> Floats:  # noqa: N803  # scikit-learn's name
        values: Floats = X @ self.plane_[:-1] + self.plane_[-1]
        return values


def solve_near(problem: HingeProblem, start: Floats) -> Hyperplane:
    """The best hyperplane, found among those that leave most rows on the side of their margins where ``start`` has them.

    On one side of the margin the loss of a row is 0, on the other it is linear: only rows that may change sides need
    to be variables of the problem. If the hyperplane found puts others on the other side, they become variables too.
    In the end every row is where it was assumed to be, so the hyperplane is the best of all.
    """
    exceeding = problem.exceed_margins(start)
    short = exceeding < 0
    rows = len(exceeding)
    count = max(_LEAST_NEAR, rows // _NEAR_SHARE)
    variable = np.ones(rows, dtype=np.bool_)
    if count < rows:
        variable[np.argpartition(np.abs(exceeding), count)[count:]] = False
    plane = start
    while True:
        fixed = short & ~variable
        pull = (problem.signs * problem.costs)[fixed] @ problem.cells[fixed]
        reduced = HingeProblem(problem.cells[variable], problem.signs[variable], problem.costs[variable], pull)
        plane, converged = minimise_hinge_loss(reduced, plane)
        moved = ~variable & ((problem.exceed_margins(plane) < 0) != short)
        if variable.all() or (converged and not moved.any()):
            return Hyperplane(plane, converged)
        # Too few variables may leave the problem without a minimum: then all rows are.
        variable = variable | moved | (not converged)
