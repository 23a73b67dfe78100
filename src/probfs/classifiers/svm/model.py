"""SVMs fitted on any training rows and features, each with Platt's sigmoid, and the probabilities that they give.

Of two classes there is one SVM, for the second class; of more, one for each class against the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC

from probfs.classifiers.options import DEFAULT_GAMMA, Cost, Gamma, KernelName
from probfs.classifiers.protocol import Features
from probfs.classifiers.refitting.design_matrix import DesignMatrixBuilder, LinearValues, inverse_mean_square
from probfs.classifiers.refitting.rows import Donors, Positions, TrainingRows
from probfs.classifiers.refitting.sums import find_errors
from probfs.classifiers.svm.platt import HeldOutFit, Sigmoid, fit_sigmoid
from probfs.classifiers.svm.rbf import RbfValues, squared_distances
from probfs.columns.dataset import Dataset
from probfs.columns.folds import deal
from probfs.runtime.parallel import catch_fit_warnings
from probfs.tables.arrays import Floats, Integers

MOST_ROWS_OF_SVC = 1_000
"""With more rows, LinearSVC fits the linear kernel: at 2,000 it takes a tenth of LIBSVM's time (benchmarks/README.md).
"""
MOST_ROWS_OF_MATRIX = 2_000
"""With more rows, LIBSVM computes the kernel values that it needs, instead of having all of them computed before."""
MOST_FOLDS = 5
"""Of the cross-validated decision values that a sigmoid is fitted on."""
MOST_ITERATIONS = 1_000_000
"""Tables of 100 × 30 to 2,000 × 100 take 200 to 8,000; with huge costs or counts even this may be too few."""
MOST_LINEAR_ITERATIONS = 20_000
TOLERANCE = 1e-3
"""LIBSVM's default; on tables with few categories a tenth of it may take a thousand times as long."""
INTERCEPT_SCALING = 10.0
"""LinearSVC penalises the intercept, divided by this: it then differs from LIBSVM's by less than the tolerance."""
_CACHE_MEGABYTES = 500


@dataclass(frozen=True)
class SvmReport:
    """What is to be told of a model."""

    inverted: Sequence[bool]
    """Of each binary SVM, whether the sigmoid on its cross-validated decision values decreases."""
    unconverged: int
    """How many SVMs did not converge."""
    held_out: HeldOutFit


@dataclass(frozen=True, eq=False)
class FittedSvm:
    """The SVMs of all classes."""

    values: LinearValues | RbfValues
    sigmoids: Sequence[Sigmoid]
    prior: Floats
    report: SvmReport

    @property
    def block_cells(self) -> int:
        # Linear values of a block should stay in the cache; for RBF, factors are computed once a block.
        return 1 << 22 if self.threads_inside else 1 << 18

    @property
    def threads_inside(self) -> bool:
        return isinstance(self.values, RbfValues)

    def probabilities(self, rows: Positions) -> Floats:
        return to_probabilities(self.values.of(rows), self.sigmoids)

    def permute(self, rows: Positions, donors: Donors, threads: int) -> tuple[Floats, Floats]:
        actual = self.probabilities(rows)
        if isinstance(self.values, RbfValues):
            permuted = self.values.permuted(rows, donors, threads)
        else:
            permuted = self.values.permuted(rows, donors)
        # Differences before means, so that a feature without effect scores exactly 0, not a rounding error.
        return actual, (actual[:, None, :, None] - to_probabilities(permuted, self.sigmoids)).mean(axis=1)


def to_probabilities(values: Floats, sigmoids: Sequence[Sigmoid]) -> Floats:
    """Class probabilities, from the decision values of each SVM (first axis). More than two classes are scaled to add
    up to 1.
    """
    shape = (-1, *[1] * (values.ndim - 1))
    slopes = np.array([sigmoid.slope for sigmoid in sigmoids]).reshape(shape)
    offsets = np.array([sigmoid.offset for sigmoid in sigmoids]).reshape(shape)
    probabilities: Floats = expit(slopes * values + offsets)
    if len(sigmoids) == 1:
        return probabilities
    total = probabilities.sum(axis=0)
    # Where all sigmoids underflow to 0, the classes are equally probable.
    return np.where(total > 0, probabilities, 1.0) / np.where(total > 0, total, len(sigmoids))


@dataclass(frozen=True, eq=False)
class SvmTrainer:
    """Fits SVMs of one kernel and penalty on any features and training rows of a table."""

    builder: DesignMatrixBuilder
    labels: Integers
    counts: Integers
    classes: int
    kernel: KernelName
    cost: float
    gamma: Gamma
    training_sigmoids: Sequence[bool] | None = None
    """For each SVM of a model, whether its sigmoid is fitted on the decision values of its own training rows instead of
    cross-validated ones. None: only where the cross-validated sigmoid decreases.
    """

    @classmethod
    def of(cls, dataset: Dataset, kernel: KernelName, cost: Cost, gamma: Gamma | None) -> SvmTrainer:
        """The trainer of a table. C is chosen once, for the table with all its features: if it grew as features leave,
        late rounds, which decide the best ranks, would fit the noise more closely.
        """
        builder = DesignMatrixBuilder(dataset, "the SVM")
        matrix = builder.build(np.arange(len(dataset.features)), dataset.counts)
        chosen = choose_cost(kernel, cost, matrix.cells[: len(dataset.labels)], dataset.counts)
        wanted = DEFAULT_GAMMA if gamma is None else gamma
        return cls(builder, dataset.labels, dataset.counts, len(dataset.classes), kernel, chosen, wanted)

    def fit(self, features: Features, training: Integers) -> FittedSvm:
        """The SVMs of some features and training rows.

        On weak or tiny tables an SVM trained without a fold may be wrong about it so often that the sigmoid fitted on
        cross-validated decision values decreases. The SVM is still right about the rows it was trained on, so the
        sigmoid is fitted on these instead. But such a sigmoid is much steeper: models that are compared with each other
        must use the same kind, which is what ``training_sigmoids`` is for.
        """
        rows = TrainingRows.of(self.labels, training, self.classes)
        matrix = self.builder.build(features, training)
        targets = [1] if self.classes == 2 else list(range(self.classes))
        if not matrix.cells.shape[1]:
            # Nothing varies, so that all the model knows is how frequent the classes are.
            nothing = LinearValues(matrix, np.zeros((len(targets), 0)), np.zeros(len(targets)))
            counts, total = rows.class_counts, rows.class_counts.sum()
            flat = [Sigmoid.of_frequency(counts[target], total - counts[target]) for target in targets]
            return FittedSvm(nothing, flat, rows.prior, SvmReport([False] * len(targets), 0, HeldOutFit.guess(rows)))
        cells = matrix.cells[rows.positions]
        gamma = None if self.kernel == "linear" else choose_gamma(self.gamma, cells, rows.counts)
        pieces = _Pieces.cut(rows, min(MOST_FOLDS, int(rows.class_counts.min())))
        # By the rows of the whole table: solvers differ in tolerance, and models are compared with each other.
        solver = _Solver(cells[pieces.rows], gamma, self.cost, len(self.labels))
        svms = [self._fit_binary(number, target, pieces, solver) for number, target in enumerate(targets)]
        sigmoids = [svm.sigmoid for svm in svms]
        held_out = np.stack([svm.held_out for svm in svms])
        wrong = find_errors(to_probabilities(held_out, sigmoids), pieces.labels)
        # A sigmoid on training rows is too steep for held-out ones: their losses would be about it, not about the SVMs.
        probabilities = to_probabilities(held_out, [svm.held_out_sigmoid for svm in svms])
        errors = round(float(pieces.weights @ wrong))
        report = SvmReport(
            [svm.inverted for svm in svms],
            sum(not svm.solution.converged for svm in svms),
            HeldOutFit.measure(errors, probabilities, pieces.labels, pieces.weights),
        )
        intercepts = np.array([svm.solution.intercept for svm in svms])
        coefficients = np.stack([svm.solution.coefficients for svm in svms])
        if gamma is None:
            return FittedSvm(LinearValues(matrix, coefficients, intercepts), sigmoids, rows.prior, report)
        by_row = np.zeros((len(svms), len(rows.positions)))
        np.add.at(by_row.T, pieces.rows, coefficients.T)
        used = np.flatnonzero(by_row.any(axis=0))
        support = rows.positions[used]
        values = RbfValues(matrix, len(self.labels), gamma, support, by_row[:, used], intercepts)
        return FittedSvm(values, sigmoids, rows.prior, report)

    def _fit_binary(self, number: int, target: int, pieces: _Pieces, solver: _Solver) -> _BinarySvm:
        is_member = (pieces.labels == target).astype(np.int64)
        costs = balance_sides(is_member, pieces.weights)
        everything = np.arange(len(is_member))
        solution = solver.solve(everything, everything, is_member, costs)
        held_out = np.empty(len(is_member))
        for fold in range(int(pieces.folds.max()) + 1):
            train, test = np.flatnonzero(pieces.folds != fold), np.flatnonzero(pieces.folds == fold)
            held_out[test] = solver.solve(train, test, is_member, costs).values
        sigmoid = fit_sigmoid(held_out, is_member, pieces.weights)
        inverted = sigmoid.decreases
        # A decreasing sigmoid would invert the ranking; a flat one says only how frequent the class is.
        flat = Sigmoid.of_frequency(*(float(pieces.weights[is_member == side].sum()) for side in (1, 0)))
        held_out_sigmoid = flat if inverted else sigmoid
        if inverted if self.training_sigmoids is None else self.training_sigmoids[number]:
            sigmoid = fit_sigmoid(solution.values, is_member, pieces.weights)
        return _BinarySvm(solution, held_out, flat if sigmoid.decreases else sigmoid, held_out_sigmoid, inverted)


class _Solution(NamedTuple):
    """A fitted machine."""

    coefficients: Floats
    """The weight of each column, or for the RBF kernel the dual coefficient of each piece."""
    intercept: float
    converged: bool
    values: Floats
    """Decision values of the pieces asked for."""


class _BinarySvm(NamedTuple):
    """An SVM that separates one class from the others."""

    solution: _Solution
    held_out: Floats
    """The decision value of each piece by an SVM that was fitted without the piece's fold."""
    sigmoid: Sigmoid
    held_out_sigmoid: Sigmoid
    """The one on held-out decision values, or a flat one if that decreases."""
    inverted: bool


@dataclass(frozen=True, eq=False)
class _Pieces:
    """The training rows, divided where the copies of one row fall into different folds of the sigmoid."""

    rows: Positions
    """The training row of each piece."""
    folds: Positions
    weights: Floats
    """How many copies of its row each piece stands for."""
    labels: Integers

    @classmethod
    def cut(cls, rows: TrainingRows, folds: int) -> _Pieces:
        dealt = deal(rows.counts, folds).T
        positions, piece_folds = np.nonzero(dealt)
        return cls(positions, piece_folds, dealt[positions, piece_folds].astype(np.float64), rows.labels[positions])


class _Solver:
    """Fits binary SVMs on some of the same pieces: by LIBSVM, or for many rows and the linear kernel by LIBLINEAR."""

    def __init__(self, cells: Floats, gamma: float | None, cost: float, table_rows: int) -> None:
        self._cells = cells
        self._gamma = gamma
        self._cost = cost
        self._is_linear_svc = gamma is None and table_rows > MOST_ROWS_OF_SVC
        self._gram: Floats | None = None
        if gamma is None and not self._is_linear_svc:
            self._gram = cells @ cells.T
        elif gamma is not None and table_rows <= MOST_ROWS_OF_MATRIX:
            self._gram = np.exp(-gamma * squared_distances(cells, cells))

    def solve(self, train: Positions, test: Positions, is_member: Integers, costs: Floats) -> _Solution:
        """An SVM fitted on some pieces, with the decision values of others."""
        machine = self._make_machine()
        # All that scikit-learn would check has been checked: its checks take longer than many a small fit.
        with config_context(assume_finite=True, skip_parameter_validation=True), catch_fit_warnings() as caught:
            machine.fit(self._input(train, train), is_member[train], sample_weight=costs[train])
            values = machine.decision_function(self._input(test, train))
        converged = not any(issubclass(warning.category, ConvergenceWarning) for warning in caught)
        return _Solution(self._coefficients(machine, train), float(machine.intercept_[0]), converged, values)

    def _make_machine(self) -> Any:
        if self._is_linear_svc:
            return LinearSVC(
                loss="hinge",
                C=self._cost,
                tol=TOLERANCE,
                intercept_scaling=INTERCEPT_SCALING,
                max_iter=MOST_LINEAR_ITERATIONS,
                random_state=0,
            )
        shared = {"C": self._cost, "tol": TOLERANCE, "cache_size": _CACHE_MEGABYTES, "max_iter": MOST_ITERATIONS}
        if self._gram is None:
            return SVC(kernel="rbf", gamma=self._gamma, **shared)
        return SVC(kernel="precomputed", **shared)

    def _input(self, pieces: Positions, train: Positions) -> Floats:
        """What the machine is given of some pieces."""
        if self._gram is None:
            return self._cells[pieces]
        everything = len(pieces) == len(train) == len(self._gram)
        return self._gram if everything else self._gram[np.ix_(pieces, train)]

    def _coefficients(self, machine: Any, train: Positions) -> Floats:
        if self._is_linear_svc:
            weights: Floats = machine.coef_[0]
            return weights
        support, dual = train[machine.support_], machine.dual_coef_[0]
        if self._gamma is None:
            return np.asarray(dual @ self._cells[support])
        coefficients = np.zeros(len(self._cells))
        coefficients[support] = dual
        return coefficients


def balance_sides(is_member: Integers, weights: Floats) -> Floats:
    """What each piece costs on the wrong side: its weight, on the larger side as much less as makes both sides cost the
    same in total.

    Otherwise, where members are few, calling every row one of the others costs little: the SVM hardly separates them,
    and its weights follow noise. The sigmoid, fitted with the weights as they are, knows how frequent the class is.
    """
    members = float(weights[is_member == 1].sum())
    others = float(weights.sum()) - members
    costs: Floats = weights * np.where(is_member == 1, min(1.0, others / members), min(1.0, members / others))
    return costs


def choose_gamma(gamma: Gamma, cells: Floats, counts: Integers) -> float:
    """γ as given or by scikit-learn's rules; a row weighs as much as it counts."""
    if not isinstance(gamma, str):
        return float(gamma)
    columns = int(cells.shape[1])
    if gamma == "auto":
        return 1 / columns
    mean = np.average(cells.mean(axis=1), weights=counts)
    variance = np.average(((cells - mean) ** 2).mean(axis=1), weights=counts)
    return float(1 / (columns * variance)) if variance else 1.0


def choose_cost(kernel: KernelName, cost: Cost, cells: Floats, counts: Integers) -> float:
    """C as given or, for ``scale``, the inverse of a training row's mean kernel value with itself.

    With the linear kernel that value grows with the number of columns, and C so chosen makes up for it. With RBF it is
    always 1, and so is C.
    """
    if not isinstance(cost, str):
        return float(cost)
    if kernel == "rbf" or not cells.shape[1]:
        return 1.0
    return inverse_mean_square(cells, counts)
