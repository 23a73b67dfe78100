"""SVMs fitted on any training rows and features, each with Platt's sigmoid, and the probabilities that they give.

Of two classes there is one SVM, for the second class; of more, one for each class against the others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC

from probfs.classifiers.options import Cost, EstimateName, Gamma
from probfs.classifiers.protocol import Features
from probfs.classifiers.refitting.models import (
    LinearModel,
    Model,
    RbfModel,
    Report,
    Trainer,
    of_all_classes,
)
from probfs.classifiers.refitting.rows import Positions, Split, TrainingRows, odds_of
from probfs.classifiers.refitting.tables import Matrix, choose_cost
from probfs.classifiers.row_odds import RowOdds
from probfs.columns.dataset import Dataset
from probfs.columns.folds import by_dropping_rare_classes, deal, deal_subjects
from probfs.errors import DataError
from probfs.notes import Note, NoteKind
from probfs.runtime.parallel import catch_fit_warnings
from probfs.tables.arrays import Flags, Floats, Integers
from probfs.text import counted, option, quoted

MOST_ROWS_OF_SVC = 1_000
"""With more rows, LinearSVC fits the linear kernel: at 2,000 it takes a tenth of LIBSVM's time (benchmarks/README.md).
"""
MOST_FOLDS = 5
"""Of the cross-validated decision values that a sigmoid is fitted on."""
MOST_ITERATIONS = 1_000_000
"""Tables of 100 × 30 to 2,000 × 100 take 200 to 8,000; with huge costs or counts even this may be too few."""
MOST_LINEAR_ITERATIONS = 20_000
TOLERANCE = 1e-3
"""LIBSVM's default; on tables with few categories a tenth of it may take a thousand times as long."""
_SMALL_STEP = 1e-10
_FLAT = 1e-9
"""A smaller slope of a sigmoid, in units of the largest decision value, is rounding."""
_RIDGE = 1e-12
"""Added to the curvature, so that decision values that are all equal have a solution too."""
_LEAST_PROBABILITY = float(np.finfo(np.float64).eps)
"""Smaller probabilities are raised to this, so that no single row makes a loss infinite."""
_CHANCE_GAIN = 0.5
"""What a sigmoid gains by chance in the sum of losses over the rows it is fitted on, as any parameter found by maximum
likelihood does. A standard error is margin enough for one sigmoid, but not for one of each class.
"""
_LEAST_GAIN = 1e-12
"""A smaller difference between losses is rounding."""


class Sigmoid(NamedTuple):
    """The probability 1 / (1 + exp(-(slope · decision value + offset)))."""

    slope: float
    offset: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Pieces(Split):
    """The training rows; a row whose copies fall into several folds of the sigmoid is one piece for each fold."""

    folds: Positions


class BinarySvm(NamedTuple):
    """An SVM that separates one class from the others."""

    coefficients: Floats
    """The weight of each column, or for the RBF kernel the dual coefficient of each piece."""
    intercept: float
    converged: bool
    held_out: Floats
    """The decision value of each piece by an SVM that was fitted without the piece's fold."""
    sigmoid: Sigmoid
    held_out_sigmoid: Sigmoid
    inverted: bool
    """Whether the sigmoid on held-out decision values decreases; a flat one is used in its place."""


class SvmTrainer(Trainer):
    """Fits SVMs of one kernel and penalty."""

    follows = True

    def __init__(self, dataset: Dataset, cost: Cost, gamma: Gamma | None) -> None:
        """Without γ, the kernel is linear."""
        super().__init__(dataset, "standardised", "the SVM")
        # A row's kernel value with itself is always 1 for RBF.
        takes_1 = gamma is not None and isinstance(cost, str)
        self.cost = 1.0 if takes_1 else choose_cost(cost, self.encoder, dataset)
        self._gamma = gamma
        self._groups = dataset.groups
        self._training_sigmoids: Sequence[bool] | None = None
        """For each SVM of a model, whether its sigmoid is fitted to the decision values of its training rows, instead
        of cross-validated ones. None: only if the cross-validated sigmoid decreases.
        """

    def check(self, dataset: Dataset, splits: Sequence[Split], estimate: EstimateName) -> None:
        """A sigmoid is cross-validated, for which a class needs two training rows."""
        trained = [np.bincount(self.labels, split.training_counts(self.counts), self.classes) for split in splits]
        for (name, rows), left in zip(dataset.class_rows().items(), np.min(trained, axis=0).tolist(), strict=True):
            if left < 2:
                leaves = (
                    f", of which {option('estimate', estimate)} leaves {left:.0f} to train on" if left < rows else ""
                )
                problem = f"class {quoted(name)} has {counted(rows, 'row')}{leaves}; the SVM needs two"
                others = [option("estimate", "resubstitution")] if left < rows and rows > 1 else []
                dropping = by_dropping_rare_classes(dataset, rows + 1)
                remedy = f"use {' or '.join([*others, option('classifier', 'nb')])}"
                remedy += f", or drop the class{dropping}" if dropping else ""
                raise DataError(f"{problem}: {remedy}", source=dataset.source)

    def following(self, report: Report) -> SvmTrainer:
        """Where models are compared, all of them fit sigmoids on training rows whose cross-validated sigmoid decreases
        in the model with all rows and all active features.
        """
        following = copy(self)
        following._training_sigmoids = report.inverted
        return following

    def fit(self, features: Features, training: Integers) -> Model:
        """The SVMs of some features and training rows.

        On weak or tiny tables an SVM trained without a fold may be wrong about it so often that the sigmoid fitted on
        cross-validated decision values decreases. The SVM is still right about the rows it was trained on, so the
        sigmoid is fitted on these instead. But such a sigmoid is much steeper: models that are compared with each other
        must use the same kind, which is what ``following`` is for.
        """
        rows = self.training_rows(training)
        matrix = self.encoder.build(features, training)
        targets = [1] if self.classes == 2 else list(range(self.classes))
        groups = None if self._groups is None else self._groups[rows.positions]
        pieces = cut_into_pieces(rows, groups)
        if not len(matrix.owner):
            odds = odds_of(np.repeat(rows.prior[:, None], len(pieces.scored), axis=1), pieces)
            guessing = note_on_guessing(odds, rows.prior[pieces.labels], 1)
            report = Report(inverted=[False] * len(targets), cv_errors=round(odds.errors), guessing=guessing)
            return Model(prior=rows.prior, features=len(features), report=report)
        cells = matrix.cells[rows.positions]
        gamma = None if self._gamma is None else choose_gamma(self._gamma, cells, rows.counts)
        # The rows of the whole table decide on the solver: solvers differ in tolerance, and models are compared.
        solver = Solver(cells[pieces.scored], gamma, self.cost, len(self.labels))
        svms = [self._fit_binary(number, target, pieces, solver) for number, target in enumerate(targets)]
        sigmoids, held_out = [svm.sigmoid for svm in svms], np.stack([svm.held_out for svm in svms])
        # A sigmoid on training rows is too steep for held-out ones: their losses would be about it, not about the SVMs.
        odds, fair_odds = (
            odds_of(of_all_classes(to_probabilities(of_svms, held_out)), pieces)
            for of_svms in (sigmoids, [svm.held_out_sigmoid for svm in svms])
        )
        report = Report(
            inverted=[svm.inverted for svm in svms],
            unconverged=sum(not svm.converged for svm in svms),
            cv_errors=round(odds.errors),
            guessing=note_on_guessing(fair_odds, rows.prior[pieces.labels], len(svms)),
        )
        shared: dict[str, Any] = {
            "prior": rows.prior,
            "features": len(features),
            "report": report,
            "link": partial(to_probabilities, sigmoids),
            "intercepts": np.array([svm.intercept for svm in svms]),
        }
        coefficients = np.stack([svm.coefficients for svm in svms])
        if gamma is None:
            return LinearModel(matrix=matrix, coefficients=coefficients, **shared)
        by_row = np.zeros((len(svms), len(rows.positions)))
        np.add.at(by_row.T, pieces.scored, coefficients.T)
        used = np.flatnonzero(by_row.any(axis=0))
        return RbfModel(
            matrix=Matrix(matrix.cells * np.sqrt(gamma), matrix.owner),
            coefficients=by_row[:, used],
            support=rows.positions[used],
            labelled_rows=len(self.labels),
            **shared,
        )

    def _fit_binary(self, number: int, target: int, pieces: Pieces, solver: Solver) -> BinarySvm:
        is_member, weights = pieces.labels == target, pieces.weights
        members, others = float(weights[is_member].sum()), float(weights[~is_member].sum())
        # Each piece costs its weight on the wrong side, on the larger side as much less as makes both cost the same in
        # total. Otherwise, where members are few, calling every row one of the others costs little: the SVM hardly
        # separates them, and its weights follow noise. The sigmoid, fitted with the weights as they are, knows how
        # frequent the class is.
        costs: Floats = weights * np.where(is_member, min(1.0, others / members), min(1.0, members / others))
        held_out = np.empty(len(is_member))
        for fold in range(int(pieces.folds.max()) + 1):
            train, test = np.flatnonzero(pieces.folds != fold), np.flatnonzero(pieces.folds == fold)
            solver.fit(train, is_member, costs)
            held_out[test] = solver.decide(test)
        sigmoid = fit_sigmoid(held_out, is_member, weights)
        inverted = sigmoid.slope <= 0
        # A decreasing sigmoid would invert the ranking; a flat one says only how frequent the class is.
        flat = Sigmoid(0.0, math.log(members / others))
        held_out_sigmoid = flat if inverted else sigmoid
        everything = np.arange(len(is_member))
        converged = solver.fit(everything, is_member, costs)
        if inverted if self._training_sigmoids is None else self._training_sigmoids[number]:
            sigmoid = fit_sigmoid(solver.decide(everything), is_member, weights)
        sigmoid = flat if sigmoid.slope <= 0 else sigmoid
        return BinarySvm(*solver.solution(), converged, held_out, sigmoid, held_out_sigmoid, inverted)


def cut_into_pieces(rows: TrainingRows, groups: Integers | None) -> Pieces:
    """Deal the rows to folds of the sigmoid; rows of a subject to the same one, unless a class that has one subject
    only would then be missing without some fold.
    """
    class_rows = np.bincount(rows.labels, rows.counts, len(rows.prior))
    folds = min(MOST_FOLDS, int(class_rows.min()))
    dealt = deal(rows.counts, folds).T
    if groups is not None:
        # Rows are ordered by content, and so are their subjects.
        subjects, groups = np.unique(groups, return_inverse=True)
        folds = min(folds, len(subjects))
        fold_of_each = deal_subjects(rows.labels, rows.counts, groups, np.arange(len(subjects)), folds)[groups]
        by_subject = np.where(fold_of_each[:, None] == np.arange(folds), rows.counts[:, None], 0)
        is_class = rows.labels[:, None] == np.arange(len(class_rows))
        if (by_subject.T @ is_class < class_rows).all():
            dealt = by_subject
    positions, folds_of_pieces = np.nonzero(dealt)
    copies = dealt[positions, folds_of_pieces]
    return Pieces(
        scored=positions,
        labels=rows.labels[positions],
        counts=copies,
        weights=copies * (rows.weights / rows.counts)[positions],
        subjects=None if groups is None else groups[positions],
        folds=folds_of_pieces,
    )


class Solver:
    """Fits binary SVMs on some of the same pieces: by LIBSVM, or for many rows and the linear kernel by LIBLINEAR."""

    def __init__(self, cells: Floats, gamma: float | None, cost: float, table_rows: int) -> None:
        self._cells = cells
        self._machine: SVC | LinearSVC
        shared = {"C": cost, "tol": TOLERANCE}
        if gamma is None and table_rows > MOST_ROWS_OF_SVC:
            # LinearSVC penalises the intercept, divided by this: it differs from LIBSVM's by less than the tolerance.
            shared["intercept_scaling"] = 10.0
            self._machine = LinearSVC(loss="hinge", max_iter=MOST_LINEAR_ITERATIONS, random_state=0, **shared)
        else:
            kernel = {"kernel": "linear"} if gamma is None else {"kernel": "rbf", "gamma": gamma}
            self._machine = SVC(cache_size=500, max_iter=MOST_ITERATIONS, **kernel, **shared)

    def fit(self, train: Positions, is_member: Flags, costs: Floats) -> bool:
        """Whether the SVM of some pieces converged."""
        # All that scikit-learn would check has been checked: its checks take longer than many a small fit.
        with config_context(assume_finite=True, skip_parameter_validation=True), catch_fit_warnings() as caught:
            self._machine.fit(self._cells[train], is_member[train], sample_weight=costs[train])
        return not any(issubclass(warning.category, ConvergenceWarning) for warning in caught)

    def decide(self, pieces: Positions) -> Floats:
        """The decision values of some pieces, by the SVM that was fitted last."""
        with config_context(assume_finite=True, skip_parameter_validation=True):
            values: Floats = self._machine.decision_function(self._cells[pieces])
        return values

    def solution(self) -> tuple[Floats, float]:
        """The coefficients and the intercept of an SVM that was fitted on all pieces."""
        machine, intercept = self._machine, float(self._machine.intercept_[0])
        if isinstance(machine, LinearSVC) or machine.kernel == "linear":
            return np.array(machine.coef_[0]), intercept
        coefficients = np.zeros(len(self._cells))
        coefficients[machine.support_] = machine.dual_coef_[0]
        return coefficients, intercept


def to_probabilities(sigmoids: Sequence[Sigmoid], values: Floats) -> Floats:
    """Class probabilities, from the decision values of each SVM (first axis); of two classes, those of the second. More
    than two are scaled to add up to 1.
    """
    slopes, offsets = np.array(sigmoids).T.reshape(2, -1, *[1] * (values.ndim - 1))
    probabilities: Floats = expit(slopes * values + offsets)
    if len(sigmoids) == 1:
        return probabilities
    total = probabilities.sum(axis=0)
    # Where all sigmoids underflow to 0, the classes are equally probable.
    return np.where(total > 0, probabilities, 1.0) / np.where(total > 0, total, len(sigmoids))


def choose_gamma(gamma: Gamma, cells: Floats, counts: Integers) -> float:
    """γ as given or by scikit-learn's rules; a row that counts n times is n rows."""
    if not isinstance(gamma, str):
        return float(gamma)
    columns = int(cells.shape[1])
    if gamma == "auto":
        return 1 / columns
    mean = np.average(cells.mean(axis=1), weights=counts)
    variance = np.average(((cells - mean) ** 2).mean(axis=1), weights=counts)
    return float(1 / (columns * variance)) if variance else 1.0


def fit_sigmoid(decisions: Floats, is_member: Flags, weights: Floats) -> Sigmoid:
    """The sigmoid of least log-loss on Platt's targets, (N + 1) / (N + 2) and 1 / (N + 2) instead of 1 and 0, by
    Newton's method with halved steps (Lin, Lin & Weng, Machine Learning 68, 2007).
    """
    members = float(weights[is_member].sum())
    others = float(weights.sum()) - members
    targets = np.where(is_member, (members + 1) / (members + 2), 1 / (others + 2))
    unit = float(np.abs(decisions).max(initial=0)) or 1.0
    columns = np.stack([decisions / unit, np.ones(len(decisions))])

    def loss(line: Floats) -> float:
        values = line @ columns
        return float(weights @ (np.logaddexp(0, values) - targets * values))

    line: Floats = np.array([0.0, math.log((members + 1) / (others + 1))])
    current = loss(line)
    for _ in range(100):
        probabilities = expit(line @ columns)
        gradient = columns @ (weights * (probabilities - targets))
        curvature = (columns * (weights * probabilities * (1 - probabilities))) @ columns.T
        step = np.linalg.solve(curvature + _RIDGE * weights.sum() * np.eye(2), gradient)
        while (following := loss(line - step)) > current and np.abs(step).max() > _SMALL_STEP:
            step /= 2
        if following > current or np.abs(step).max() <= _SMALL_STEP * max(1.0, np.abs(line).max()):
            break
        line, current = line - step, following
    slope = float(line[0]) if abs(line[0]) > _FLAT else 0.0
    return Sigmoid(slope / unit, float(line[1]))


def note_on_guessing(odds: RowOdds, frequencies: Floats, sigmoids: int) -> Note | None:
    """A note if the log-loss of held-out rows is not below that of the frequencies of their classes by more than a
    standard error, which is that of the differences in single rows, or in subjects.

    The number of errors alone would not tell: where a class is rare, hardly any row is more probably of that class
    than of another, so a model that ranks rows well may make as many errors as one that always names the largest class.
    """
    prior_losses = -np.log(frequencies)
    gain = odds.moments(prior_losses - odds.losses(None, _LEAST_PROBABILITY))
    chance = _CHANCE_GAIN * (sigmoids - 1) / odds.rows
    if gain.mean - chance > gain.se + _LEAST_GAIN:
        return None
    prior_loss = float(odds.counts @ prior_losses) / odds.rows
    problem = "with all features the SVM predicts held-out rows no better than the class shares do"
    found = f"log-loss {prior_loss - gain.mean + chance:.3f} against {prior_loss:.3f}, ± {gain.se:.3f}"
    return NoteKind.GUESSING.note(f"{problem} ({found}): do not rely on its scores")
