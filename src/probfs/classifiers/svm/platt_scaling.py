"""Fitting binary SVMs, each with Platt's sigmoid, which turns its decision values into probabilities."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import cross_val_predict
from sklearn.svm import SVC

from probfs.classifiers.refitting.design_matrix import Positions
from probfs.classifiers.refitting.score_shares import find_errors
from probfs.classifiers.refitting.training_rows import TrainingRows
from probfs.classifiers.svm.binary_svm import BinarySvm, compute_probabilities, target_classes
from probfs.classifiers.svm.held_out_fit import HeldOutFit
from probfs.classifiers.svm.kernel_functions import KernelFunction
from probfs.classifiers.svm.linear_svc import LinearSvc
from probfs.classifiers.svm.solver import Solver
from probfs.columns.folds import deal
from probfs.tables.table import Floats, Integers

TrainingSigmoids: TypeAlias = "Sequence[bool] | None"
"""For each binary SVM of a model, whether its sigmoid is fitted on the decision values of its own training rows
instead of cross-validated ones. None: only where the cross-validated sigmoid decreases.
"""

MOST_FOLDS = 5
MOST_ITERATIONS = 1_000_000
"""Tables of 100 × 30 to 2,000 × 100 take 200 to 8,000; with huge costs or counts even this may be too few."""
CACHE_MEGABYTES = 500
TOLERANCE = 1e-3
"""LIBSVM's default; on tables with few categories a tenth of it may take a thousand times as long."""


class _QuietSvc(SVC):  # type: ignore[misc]  # scikit-learn ships no types
    """An SVC that does not warn when it stops early: the classifier counts these fits and notes them once.

    (A warning filter would not do: filters are not thread-safe.)
    """

    def _warn_from_fit_status(self) -> None:
        pass


class _GivenDecisions(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """A classifier whose input is its decision values, for a calibration that only fits the sigmoid."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> _GivenDecisions:  # noqa: N803  # scikit-learn's names
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X: Any) -> Any:  # noqa: N803
        return X[:, 0]


@dataclass(frozen=True, eq=False)
class SvcInput:
    """Input of the solver: the kernel matrix of the training rows or, where that is too large, their cells."""

    values: Floats
    kernel: KernelFunction
    solver: Solver

    @classmethod
    def prepare(cls, kernel: KernelFunction, solver: Solver, cells: Floats, products: Floats | None) -> SvcInput:
        """The kernel matrix if the inner products of the rows are given, otherwise the cells."""
        if products is None:
            return cls(cells, kernel, solver)
        norms = products.diagonal().copy()
        return cls(kernel.from_inner_products(products, norms, norms), kernel, solver)

    def select(self, rows: Positions) -> Floats:
        """The input for some of the rows, which may repeat."""
        if np.array_equal(rows, np.arange(len(self.values))):
            return self.values
        return self.values[np.ix_(rows, rows)] if self.solver is Solver.KERNEL_MATRIX else self.values[rows]

    def make_svc(self, cost: float) -> SVC | LinearSvc:
        """An estimator, not yet fitted, for this kind of input."""
        if self.solver is Solver.INTERIOR_POINT:
            return LinearSvc(cost)
        settings: dict[str, Any] = {
            "C": cost,
            "tol": TOLERANCE,
            "cache_size": CACHE_MEGABYTES,
            "max_iter": MOST_ITERATIONS,
        }
        if self.solver is Solver.KERNEL_MATRIX:
            return _QuietSvc(kernel="precomputed", **settings)
        return _QuietSvc(kernel=self.kernel.name, gamma=self.kernel.gamma or "scale", **settings)


@dataclass(frozen=True, eq=False)
class _Pieces:
    """The training rows, divided where the copies of one row fall into different folds of the sigmoid."""

    rows: Positions
    """The training row of each piece."""
    folds: Positions
    weights: Floats
    """How many copies of its row each piece stands for."""

    @classmethod
    def cut(cls, counts: Integers, folds: int) -> _Pieces:
        dealt = deal(counts, folds).T
        rows, piece_folds = np.nonzero(dealt)
        return cls(rows, piece_folds, dealt[rows, piece_folds].astype(np.float64))

    def fold_splits(self) -> list[tuple[Positions, Positions]]:
        """The training and the test pieces of each fold."""
        return [
            (np.flatnonzero(self.folds != fold), np.flatnonzero(self.folds == fold))
            for fold in range(int(self.folds.max()) + 1)
        ]


def fit_binary_svms(
    rows: TrainingRows, svc_input: SvcInput, cost: float, training_sigmoids: TrainingSigmoids = None
) -> tuple[list[BinarySvm], HeldOutFit]:
    """The binary SVMs of a model, each with its sigmoid, and how well rows are predicted from decision values of SVMs
    that were fitted without their fold.

    On weak or tiny tables an SVM trained without a fold may be wrong about it so often that the sigmoid fitted on
    cross-validated decision values decreases. The SVM is still right about the rows it was trained on, so the sigmoid
    is fitted on these instead. But such a sigmoid is much steeper: models that are compared with each other must use
    the same kind, which is what ``training_sigmoids`` is for.
    """
    pieces = _Pieces.cut(rows.counts, min(MOST_FOLDS, int(rows.class_counts().min())))
    splits = pieces.fold_splits()
    values = svc_input.select(pieces.rows)
    svc = svc_input.make_svc(cost)
    svms: list[BinarySvm] = []
    increasing: list[BinarySvm] = []
    decisions: list[Floats] = []
    # All that scikit-learn would check has been checked: its checks take longer than many a small fit.
    with config_context(assume_finite=True, skip_parameter_validation=True):
        for number, target in enumerate(target_classes(rows)):
            members = (rows.labels[pieces.rows] == target).astype(np.int64)
            costs = _balance_sides(members, pieces.weights)
            fitted = clone(svc).fit(values, members, sample_weight=costs)
            # The SVMs without a fold differ little from the one with all rows, which gives them a start.
            near = fitted.as_start() if isinstance(fitted, LinearSvc) else svc
            held_out = _cross_validate(near, splits, values, members, costs)
            sigmoid = _fit_sigmoid(held_out, members, pieces.weights)
            inverted = sigmoid[0] <= 0
            own_sigmoid = sigmoid
            if inverted if training_sigmoids is None else training_sigmoids[number]:
                own_sigmoid = _fit_sigmoid(fitted.decision_function(values), members, pieces.weights)
            # A decreasing sigmoid would invert the ranking; a flat one says only how frequent the class is.
            flat = 0.0, _log_odds(members, pieces.weights)
            svm = _make_binary_svm(fitted, rows, pieces, flat if own_sigmoid[0] <= 0 else own_sigmoid, inverted)
            svms.append(svm)
            slope, offset = flat if inverted else sigmoid
            increasing.append(replace(svm, slope=slope, offset=offset))
            decisions.append(held_out)
    labels = rows.labels[pieces.rows]
    wrong = find_errors(compute_probabilities(decisions, svms), labels)
    errors = round(float(pieces.weights @ wrong))
    # A sigmoid on training rows is too steep for held-out ones: their losses would be about it, not about the SVMs.
    return svms, HeldOutFit.measure(errors, compute_probabilities(decisions, increasing), labels, pieces.weights)


def _balance_sides(members: Integers, weights: Floats) -> Floats:
    """What each piece costs on the wrong side: its weight, on the larger side as much less as makes both sides cost the
    same in total.

    Otherwise, where members are few, calling every row one of the others costs little: the SVM hardly separates them,
    and its weights follow noise. The sigmoid, fitted with the weights as they are, knows how frequent the class is.
    """
    own = float(weights[members == 1].sum())
    others = float(weights.sum()) - own
    costs: Floats = weights * np.where(members == 1, min(1.0, others / own), min(1.0, own / others))
    return costs


def _cross_validate(
    svc: SVC | LinearSvc,
    splits: Sequence[tuple[Positions, Positions]],
    values: Floats,
    members: Integers,
    costs: Floats,
) -> Floats:
    """The decision value of each piece, by an SVC that was fitted without the piece's fold."""
    decisions: Floats = cross_val_predict(
        svc, values, members, cv=splits, method="decision_function", params={"sample_weight": costs}
    )
    return decisions


def _fit_sigmoid(decisions: Floats, members: Integers, weights: Floats) -> tuple[float, float]:
    """Slope and offset of Platt's sigmoid; scikit-learn stores both with the opposite sign."""
    everything = np.arange(len(decisions))
    calibrated = CalibratedClassifierCV(
        _GivenDecisions(), method="sigmoid", ensemble=False, cv=[(everything, everything)]
    ).fit(decisions[:, None], members, sample_weight=weights)
    sigmoid = calibrated.calibrated_classifiers_[0].calibrators[0]
    return -float(sigmoid.a_), -float(sigmoid.b_)


def _log_odds(members: Integers, weights: Floats) -> float:
    total, own = weights.sum(), weights[members == 1].sum()
    return math.log(own / (total - own))


def _make_binary_svm(
    fitted: SVC | LinearSvc, rows: TrainingRows, pieces: _Pieces, sigmoid: tuple[float, float], inverted: bool
) -> BinarySvm:
    if isinstance(fitted, LinearSvc):
        nothing = np.empty(0, dtype=np.intp), np.empty(0)
        *weights, intercept = fitted.plane_.tolist()
        return BinarySvm(*nothing, intercept, *sigmoid, inverted, fitted.converged_, np.array(weights))
    support, coefficients = _merge_support_vectors(fitted, rows, pieces)
    converged = bool(np.all(fitted.n_iter_ < MOST_ITERATIONS))
    return BinarySvm(support, coefficients, float(fitted.intercept_[0]), *sigmoid, inverted, converged)


def _merge_support_vectors(fitted: SVC, rows: TrainingRows, pieces: _Pieces) -> tuple[Positions, Floats]:
    """The positions and coefficients of the support vectors, with the pieces of one row added up."""
    by_row = np.zeros(len(rows.positions))
    np.add.at(by_row, pieces.rows[fitted.support_], fitted.dual_coef_[0])
    used = np.flatnonzero(by_row)
    return rows.positions[used], by_row[used]
