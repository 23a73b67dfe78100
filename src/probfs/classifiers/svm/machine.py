"""Support vector machines with Platt's sigmoid: decision values, and the probabilities made of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import expit
from sklearn import config_context
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.svm import SVC

from probfs.classifiers.svm.kernel_functions import Kernel
from probfs.columns.folds import deal
from probfs.tables.table import Floats, Integers

ByTraining: TypeAlias = "Sequence[bool] | None"
"""For each machine of a model, whether its sigmoid is that of its training rows; None if each decides for itself."""

MOST_FOLDS = 5
MOST_ITERATIONS = 1_000_000
"""Tables of 100 × 30 to 2,000 × 100 take 200 to 8,000; with huge costs or counts even this may not be enough."""
CACHE_MEGABYTES = 500
TOLERANCE = 1e-3
"""Of LIBSVM, its own default: on tables of few categories a tenth of it may take a thousand times as long."""


class _QuietSvc(SVC):  # type: ignore[misc]  # scikit-learn ships no types
    """Does not warn when it stops early: that is counted, and said once. (Warning filters are not safe in threads.)"""

    def _warn_from_fit_status(self) -> None:
        pass


class _Fitted(FrozenEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """A machine that is not fitted again, whatever the weights."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> _Fitted:  # noqa: N803  # scikit-learn's names
        return self


@dataclass(frozen=True, eq=False)
class Machine:
    """Tells one class from the others; without support vectors, all it knows is how frequent the class is."""

    support: npt.NDArray[np.intp]
    """The support vectors, by their positions among all rows."""
    coefficients: Floats
    intercept: float
    slope: float
    """The sigmoid's slope in the decision value, never negative."""
    offset: float
    inverted: bool = False
    """Whether the sigmoid on cross-validated decision values came out decreasing, and was not used."""
    converged: bool = True

    @classmethod
    def of_frequency(cls, positive: int, total: int) -> Machine:
        """What is left when nothing tells the rows apart: the class's share of them."""
        odds = math.log(positive / (total - positive))
        return cls(np.empty(0, dtype=np.intp), np.empty(0), 0.0, 0.0, odds)


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Rows to train on, in the canonical order: where they stand, their classes, and how often each occurs."""

    positions: npt.NDArray[np.intp]
    labels: Integers
    counts: Integers
    classes: int

    def class_counts(self) -> Integers:
        return np.bincount(self.labels, weights=self.counts, minlength=self.classes).astype(np.int64)

    def targets(self) -> list[int]:
        """The classes that get a machine of their own: each against the others, or one of only two."""
        return [1] if self.classes == 2 else list(range(self.classes))


def frequencies(rows: TrainingRows) -> list[Machine]:
    """The machines of a model without any feature."""
    counts = rows.class_counts().tolist()
    return [Machine.of_frequency(counts[target], sum(counts)) for target in rows.targets()]


@dataclass(frozen=True, eq=False)
class Inputs:
    """What the machines are fitted on: the rows' kernel matrix, or, where that would be too large, their cells."""

    values: Floats
    kernel: Kernel | None = None
    """None says that the values are the kernel's."""

    @classmethod
    def of(cls, kernel: Kernel, cells: Floats, products: Floats | None) -> Inputs:
        """The kernel matrix if there are inner products to make it of."""
        if products is None:
            return cls(cells, kernel)
        own = products.diagonal().copy()
        return cls(kernel.of(products, own, own))

    def of_rows(self, rows: npt.NDArray[np.intp]) -> Floats:
        if np.array_equal(rows, np.arange(len(self.values))):
            return self.values
        return self.values[rows] if self.kernel is not None else self.values[np.ix_(rows, rows)]

    def classifier(self, cost: float) -> SVC:
        settings: dict[str, Any] = {
            "C": cost,
            "tol": TOLERANCE,
            "cache_size": CACHE_MEGABYTES,
            "max_iter": MOST_ITERATIONS,
        }
        if self.kernel is None:
            return _QuietSvc(kernel="precomputed", **settings)
        return _QuietSvc(kernel=self.kernel.name, gamma=self.kernel.gamma or "scale", **settings)


def fit_machines(rows: TrainingRows, inputs: Inputs, cost: float, by_training: ByTraining = None) -> list[Machine]:
    """The machines of a model, each with the sigmoid of cross-validated decision values, or as ``by_training`` says.

    On weak or tiny tables what was learned from some folds may fail on the others so badly that the sigmoid comes out
    decreasing. The machine itself still leans the right way on the rows it was trained on, so that their sigmoid can be
    taken instead. But that one is much steeper: of models that are compared with each other, all must have the same.
    """
    folds = min(MOST_FOLDS, int(rows.class_counts().min()))
    dealt = deal(rows.counts, folds).T
    # A row that stands for several may have copies in several folds: each such piece is a row of its own.
    piece_row, piece_fold = np.nonzero(dealt)
    weights = dealt[piece_row, piece_fold].astype(np.float64)
    splits = [(np.flatnonzero(piece_fold != fold), np.flatnonzero(piece_fold == fold)) for fold in range(folds)]
    values = inputs.of_rows(piece_row)
    classifier = inputs.classifier(cost)
    machines = []
    # Everything that scikit-learn would check has been checked: its checks take longer than many a small fit.
    with config_context(assume_finite=True, skip_parameter_validation=True):
        for place, target in enumerate(rows.targets()):
            positive = (rows.labels[piece_row] == target).astype(np.int64)
            scaled = _platt(classifier, splits).fit(values, positive, sample_weight=weights)
            kind = None if by_training is None else by_training[place]
            machines.append(_machine(scaled, kind, rows, piece_row, values, positive, weights))
    return machines


def decision_values(kernel_values: Floats, machine: Machine) -> Floats:
    """A machine's decision values, from the kernel values of some rows with its support vectors."""
    values: Floats = kernel_values @ machine.coefficients + machine.intercept
    return values


def sigmoids(decisions: Sequence[Floats], machines: Sequence[Machine]) -> Floats:
    """What each machine's sigmoid makes of its decision values."""
    scaled = [machine.slope * values + machine.offset for values, machine in zip(decisions, machines, strict=True)]
    probabilities: Floats = expit(np.stack(scaled))
    return probabilities


def tracked_probabilities(decisions: Sequence[Floats], machines: Sequence[Machine]) -> Floats:
    """The probability of the second of two classes, or, of more, those of all classes, which add up to 1.

    The first axis is the class; what it leaves out for two classes says nothing new.
    """
    probabilities = sigmoids(decisions, machines)
    if len(machines) == 1:
        return probabilities
    total = probabilities.sum(axis=0)
    # Where no machine gives its class any chance, all have the same.
    return np.where(total > 0, probabilities, 1.0) / np.where(total > 0, total, len(machines))


def _platt(classifier: SVC | _Fitted, splits: Sequence[tuple[Any, Any]]) -> CalibratedClassifierCV:
    return CalibratedClassifierCV(classifier, method="sigmoid", ensemble=False, cv=splits)


def _machine(
    scaled: CalibratedClassifierCV,
    by_training: bool | None,
    rows: TrainingRows,
    piece_row: npt.NDArray[np.intp],
    values: Floats,
    positive: Integers,
    weights: Floats,
) -> Machine:
    model: SVC = scaled.calibrated_classifiers_[0].estimator
    slope, offset = _sigmoid(scaled)
    inverted = slope <= 0
    if inverted if by_training is None else by_training:
        everything = np.arange(len(values))
        frozen = _platt(_Fitted(model), [(everything, everything)])
        slope, offset = _sigmoid(frozen.fit(values, positive, sample_weight=weights))
    if slope <= 0:
        # What decreases would turn the ranking upside down; what is flat says only how frequent the class is.
        total, members = weights.sum(), weights[positive == 1].sum()
        slope, offset = 0.0, math.log(members / (total - members))
    by_row = np.zeros(len(rows.positions))
    np.add.at(by_row, piece_row[model.support_], model.dual_coef_[0])
    used = np.flatnonzero(by_row)
    return Machine(
        rows.positions[used],
        by_row[used],
        float(model.intercept_[0]),
        slope,
        offset,
        inverted,
        bool(np.all(model.n_iter_ < MOST_ITERATIONS)),
    )


def _sigmoid(scaled: CalibratedClassifierCV) -> tuple[float, float]:
    """Slope and offset; scikit-learn keeps both with the other sign."""
    sigmoid = scaled.calibrated_classifiers_[0].calibrators[0]
    return -float(sigmoid.a_), -float(sigmoid.b_)
