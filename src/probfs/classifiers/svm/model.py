"""SVMs fitted on any training rows and features, each with Platt's sigmoid, and the probabilities that they give.

Of two classes there is one SVM, for the second class; of more, one for each class against the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC

from probfs.classifiers.options import Cost, EstimateName, Gamma
from probfs.classifiers.protocol import Features
from probfs.classifiers.refitting.matrix import MatrixEncoder, choose_cost
from probfs.classifiers.refitting.models import LinearModel, Trainer, ValueModel, of_all_classes
from probfs.classifiers.refitting.rows import Positions, Split, TrainingRows, find_errors
from probfs.classifiers.svm.platt import Sigmoid, fit_sigmoid, note_on_guessing
from probfs.classifiers.svm.rbf import RbfModel, squared_distances
from probfs.columns.dataset import Dataset
from probfs.columns.folds import by_dropping_rare_classes, deal, deal_subjects
from probfs.errors import DataError, UsageError
from probfs.notes import Note, NoteKind
from probfs.runtime.parallel import catch_fit_warnings
from probfs.tables.arrays import Floats, Integers
from probfs.text import counted, option, quoted

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
MOST_ROWS_FITTED = 100_000_000
"""Of all models of a leave-one-out ranking, together: on two cores, more take hours."""
_CACHE_MEGABYTES = 500


@dataclass(frozen=True)
class SvmReport:
    """What is to be told of a model."""

    inverted: Sequence[bool]
    """Of each binary SVM, whether the sigmoid on its cross-validated decision values decreases."""
    unconverged: int
    """How many SVMs did not converge."""
    cv_errors: int
    """Of held-out rows, by the model's own sigmoids."""
    guessing: Note | None


@dataclass(frozen=True, eq=False)
class SvmTrainer(Trainer):
    """Fits SVMs of one kernel and penalty."""

    cost: float
    gamma: Gamma | None
    """None for the linear kernel."""
    groups: Integers | None = None
    """The subject of each row, where rows belong to subjects."""
    training_sigmoids: Sequence[bool] | None = None
    """For each SVM of a model, whether its sigmoid is fitted on the decision values of its own training rows instead of
    cross-validated ones. None: only where the cross-validated sigmoid decreases.
    """
    follows = True

    @classmethod
    def of(cls, dataset: Dataset, cost: Cost, gamma: Gamma | None) -> SvmTrainer:
        name = "the SVM"
        encoder = MatrixEncoder(dataset, "standardised", name)
        # A row's kernel value with itself is always 1 for RBF.
        chosen = 1.0 if gamma is not None and isinstance(cost, str) else choose_cost(cost, encoder, dataset)
        return cls(name, encoder, dataset.labels, dataset.counts, len(dataset.classes), chosen, gamma, dataset.groups)

    def check(self, dataset: Dataset, splits: Sequence[Split], estimate: EstimateName, models: int) -> None:
        check_training_sizes(dataset, splits, estimate)
        rows = len(dataset.labels)
        if estimate == "loo" and models * rows > MOST_ROWS_FITTED:
            fits = f"{models:,} models on {rows:,} rows each"
            problem = f"{option('estimate', 'loo')} with the SVM would fit {fits}, which takes hours"
            raise UsageError(f"{problem}; use {option('estimate', 'cv')}, or a larger {option('step')}")

    def following(self, report: SvmReport) -> SvmTrainer:
        """Where models are compared, all of them fit sigmoids on training rows whose cross-validated sigmoid decreases
        in the model with all rows and all active features.
        """
        return replace(self, training_sigmoids=report.inverted)

    def notes(self, reports: Sequence[SvmReport]) -> tuple[Note, ...]:
        notes = []
        inverted = sum(sum(report.inverted) for report in reports)
        unconverged = sum(report.unconverged for report in reports)
        fits = counted(sum(len(report.inverted) for report in reports), "fit")
        if inverted:
            message = (
                f"in {inverted:,} of {fits} the sigmoid on cross-validated decision values came out "
                "decreasing (few rows, or columns that say little); the one on the training rows, or the share of the "
                "class, was used instead"
            )
            notes.append(NoteKind.SIGMOID.note(message))
        if unconverged:
            problem = f"{unconverged:,} of {fits} did not converge, so their scores are rough"
            message = f"{problem}; a smaller {option('C')} or {option('count')} would help"
            notes.append(NoteKind.NOT_CONVERGED.note(message))
        if reports and reports[0].guessing is not None:
            notes.append(reports[0].guessing)
        return tuple(notes)

    def fit(self, features: Features, training: Integers) -> ValueModel:
        """The SVMs of some features and training rows.

        On weak or tiny tables an SVM trained without a fold may be wrong about it so often that the sigmoid fitted on
        cross-validated decision values decreases. The SVM is still right about the rows it was trained on, so the
        sigmoid is fitted on these instead. But such a sigmoid is much steeper: models that are compared with each other
        must use the same kind, which is what ``training_sigmoids`` is for.
        """
        rows = TrainingRows.of(self.labels, training, self.classes, self.groups)
        matrix = self.encoder.build(features, training)
        targets = [1] if self.classes == 2 else list(range(self.classes))
        if not matrix.width:
            # Nothing varies, so that all the model knows is how frequent the classes are.
            counts, total = rows.class_counts, rows.class_counts.sum()
            flat = [Sigmoid.of_frequency(counts[target], total - counts[target]) for target in targets]
            prior = np.repeat(rows.prior[:, None], len(rows.labels), axis=1)
            guessing = note_on_guessing(prior, rows.labels, rows.counts.astype(np.float64), 1)
            report = SvmReport([False] * len(targets), 0, int(total - counts.max()), guessing)
            nothing = np.zeros((len(targets), 0)), np.zeros(len(targets))
            return LinearModel(*nothing, matrix, partial(to_probabilities, flat), rows.prior, report)
        cells = matrix.cells[rows.positions]
        gamma = None if self.gamma is None else choose_gamma(self.gamma, cells, rows.counts)
        pieces = _Pieces.cut(rows, min(MOST_FOLDS, int(rows.class_counts.min())))
        # By the rows of the whole table: solvers differ in tolerance, and models are compared with each other.
        solver = _Solver(cells[pieces.rows], gamma, self.cost, len(self.labels))
        svms = [self._fit_binary(number, target, pieces, solver) for number, target in enumerate(targets)]
        link = partial(to_probabilities, [svm.sigmoid for svm in svms])
        intercepts = np.array([svm.solution.intercept for svm in svms])
        coefficients = np.stack([svm.solution.coefficients for svm in svms])
        known = matrix, link, rows.prior, _report(svms, pieces)
        if gamma is None:
            return LinearModel(coefficients, intercepts, *known)
        by_row = np.zeros((len(svms), len(rows.positions)))
        np.add.at(by_row.T, pieces.rows, coefficients.T)
        used = np.flatnonzero(by_row.any(axis=0))
        return RbfModel(len(self.labels), gamma, rows.positions[used], by_row[:, used], intercepts, *known)

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


def check_training_sizes(dataset: Dataset, splits: Sequence[Split], estimate: EstimateName) -> None:
    """Refuse a class with fewer than two training rows in some model, whose sigmoid could not be cross-validated."""
    held_out = np.zeros(len(dataset.classes))
    for split in splits:
        labels = dataset.labels[split.held_out]
        held_out = np.maximum(held_out, np.bincount(labels, split.held_out_copies, minlength=len(held_out)))
    for (name, rows), most_held_out in zip(dataset.class_rows().items(), held_out.astype(int).tolist(), strict=True):
        if rows < 2:
            problem = f"class {quoted(name)} has one row only, and the SVM's probabilities need two or more"
            remedy = f"drop the row{by_dropping_rare_classes(dataset, 2)}, or use {option('classifier', 'nb')}"
            raise DataError(f"{problem}; {remedy}", source=dataset.source)
        if rows - most_held_out < 2:
            leaves = f"of which {option('estimate', estimate)} leaves {rows - most_held_out} to train on"
            remedy = f"the SVM needs two: use {option('estimate', 'resubstitution')}"
            dropping = by_dropping_rare_classes(dataset, rows + 1)
            remedy += f", or drop the class{dropping}" if dropping else ""
            raise DataError(f"class {quoted(name)} has {rows} rows, {leaves}; {remedy}", source=dataset.source)


def to_probabilities(sigmoids: Sequence[Sigmoid], values: Floats) -> Floats:
    """Class probabilities, from the decision values of each SVM (first axis); of two classes, those of the second. More
    than two are scaled to add up to 1.
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


def _report(svms: Sequence[_BinarySvm], pieces: _Pieces) -> SvmReport:
    held_out = np.stack([svm.held_out for svm in svms])
    probabilities = of_all_classes(to_probabilities([svm.sigmoid for svm in svms], held_out))
    errors = round(float(pieces.weights @ find_errors(probabilities, pieces.labels)))
    # A sigmoid on training rows is too steep for held-out ones: their losses would be about it, not about the SVMs.
    probabilities = of_all_classes(to_probabilities([svm.held_out_sigmoid for svm in svms], held_out))
    guessing = note_on_guessing(probabilities, pieces.labels, pieces.weights, len(svms))
    unconverged = sum(not svm.solution.converged for svm in svms)
    return SvmReport([svm.inverted for svm in svms], unconverged, errors, guessing)


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
        dealt = _deal_to_subjects(rows, folds)
        if dealt is None:
            dealt = deal(rows.counts, folds).T
        positions, piece_folds = np.nonzero(dealt)
        return cls(positions, piece_folds, dealt[positions, piece_folds].astype(np.float64), rows.labels[positions])


def _deal_to_subjects(rows: TrainingRows, folds: int) -> Integers | None:
    """How many copies of each row are in each fold, rows of a subject in the same; None where rows have no subjects,
    or where a class would be missing without some fold, as it has one subject only.
    """
    if rows.groups is None:
        return None
    # Rows are ordered by content, and so are their subjects.
    subjects, groups = np.unique(rows.groups, return_inverse=True)
    folds = min(folds, len(subjects))
    fold_of_each = deal_subjects(rows.labels, rows.counts, groups, np.arange(len(subjects)), folds)[groups]
    dealt = np.where(fold_of_each[:, None] == np.arange(folds), rows.counts[:, None], 0)
    of_fold = np.zeros((folds, rows.classes))
    np.add.at(of_fold, (fold_of_each, rows.labels), rows.counts)
    return dealt if (of_fold.sum(axis=0) - of_fold).min() > 0 else None


class _Solver:
    """Fits binary SVMs on some of the same pieces: by LIBSVM, or for many rows and the linear kernel by LIBLINEAR."""

    def __init__(self, cells: Floats, gamma: float | None, cost: float, table_rows: int) -> None:
        self._cells = cells
        self._is_linear = gamma is None
        self._is_linear_svc = gamma is None and table_rows > MOST_ROWS_OF_SVC
        self._gram: Floats | None = None
        shared = {"C": cost, "tol": TOLERANCE}
        if self._is_linear_svc:
            more = {"intercept_scaling": INTERCEPT_SCALING, "max_iter": MOST_LINEAR_ITERATIONS, "random_state": 0}
            self._machine = LinearSVC(loss="hinge", **shared, **more)
            return
        shared |= {"cache_size": _CACHE_MEGABYTES, "max_iter": MOST_ITERATIONS}
        if gamma is not None and table_rows > MOST_ROWS_OF_MATRIX:
            self._machine = SVC(kernel="rbf", gamma=gamma, **shared)
            return
        self._gram = cells @ cells.T if gamma is None else np.exp(-gamma * squared_distances(cells, cells))
        self._machine = SVC(kernel="precomputed", **shared)

    def solve(self, train: Positions, test: Positions, is_member: Integers, costs: Floats) -> _Solution:
        """An SVM fitted on some pieces, with the decision values of others."""
        machine = self._machine
        # All that scikit-learn would check has been checked: its checks take longer than many a small fit.
        with config_context(assume_finite=True, skip_parameter_validation=True), catch_fit_warnings() as caught:
            machine.fit(self._input(train, train), is_member[train], sample_weight=costs[train])
            values = machine.decision_function(self._input(test, train))
        converged = not any(issubclass(warning.category, ConvergenceWarning) for warning in caught)
        return _Solution(self._coefficients(machine, train), float(machine.intercept_[0]), converged, values)

    def _input(self, pieces: Positions, train: Positions) -> Floats:
        """What the machine is given of some pieces."""
        if self._gram is None:
            return self._cells[pieces]
        everything = len(pieces) == len(train) == len(self._gram)
        return self._gram if everything else self._gram[np.ix_(pieces, train)]

    def _coefficients(self, machine: Any, train: Positions) -> Floats:
        if self._is_linear_svc:
            return np.array(machine.coef_[0])
        support, dual = train[machine.support_], machine.dual_coef_[0]
        if self._is_linear:
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
