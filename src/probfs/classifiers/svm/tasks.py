"""One task of a round: fit on some rows, score others, with features shuffled or with features left out.

Tasks are independent of each other and hold all they need, so that they may run in any process.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add

import numpy as np

from probfs.classifiers.protocol import Features
from probfs.classifiers.sums import Fit, Sums
from probfs.classifiers.svm.design_matrix import Design, Matrix, Positions
from probfs.classifiers.svm.donors import Donors
from probfs.classifiers.svm.fitted_model import Model, SvmOptions, fit_model, inner_products
from probfs.classifiers.svm.machine import ByTraining, Machine, TrainingRows, frequencies, tracked_probabilities
from probfs.classifiers.svm.permuted_decisions import PermutedDecisions, permuted_decisions
from probfs.runtime.processes import in_threads
from probfs.tables.table import Floats, Integers

UNLABELLED = -1
_CELLS_IN_A_BLOCK = 1 << 18
_LEAST_BLOCKS = 4
_EQUAL = 1e-12
"""Probabilities this close to each other are equal, computed in another order."""


@dataclass(frozen=True, eq=False)
class Scorer:
    """Rows to be scored, and what the model that scores them is not trained on."""

    held_out: Positions
    copies: Integers
    """How many of each row held out; the others, if there are any, are trained on."""
    rows: Positions
    """Positions among all rows, labelled ones first."""
    counts: Integers
    labels: Integers
    """The class of each row to be scored, or UNLABELLED."""


@dataclass(frozen=True, eq=False)
class LabelledTable:
    """What all tasks of a ranking share: the features, and the class and the count of every labelled row."""

    design: Design
    labels: Integers
    counts: Integers
    classes: int


@dataclass(frozen=True, eq=False)
class Task:
    """What a model is fitted on, what it scores, and which features it does without."""

    table: LabelledTable
    options: SvmOptions
    features: Features
    by_training: ByTraining
    scorer: Scorer

    def training(self) -> Integers:
        """How many of each labelled row the model is trained on."""
        counts = self.table.counts.copy()
        counts[self.scorer.held_out] -= self.scorer.copies
        return counts

    def training_rows(self) -> TrainingRows:
        training = self.training()
        positions = np.flatnonzero(training)
        return TrainingRows(positions, self.table.labels[positions], training[positions], self.table.classes)

    def matrix(self) -> Matrix:
        return self.table.design.matrix(self.features, self.training())


@dataclass(frozen=True, eq=False)
class ShuffleTask(Task):
    donors: Donors
    """Shuffles × rows to be scored."""
    threads: int


@dataclass(frozen=True, eq=False)
class RetrainTask(Task):
    without: Sequence[int | None]
    """For each model to be fitted, the position of the feature that it does without, or None for the full model."""


@dataclass(frozen=True)
class Tally:
    """How many machines were fitted, and how many of them have something wrong with them."""

    machines: int = 0
    inverted: int = 0
    unconverged: int = 0

    @classmethod
    def of(cls, machines: Sequence[Machine]) -> Tally:
        return cls(
            len(machines),
            sum(machine.inverted for machine in machines),
            sum(not machine.converged for machine in machines),
        )

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.machines + other.machines,
            self.inverted + other.inverted,
            self.unconverged + other.unconverged,
        )


@dataclass(frozen=True, eq=False)
class Part:
    """A scorer's share of a round: of labelled rows, of unlabelled ones (the signed sum of which is 0), and the fit."""

    labelled: Sums
    unlabelled: Sums
    fit: Fit
    tally: Tally

    def __add__(self, other: Part) -> Part:
        return Part(
            self.labelled + other.labelled,
            self.unlabelled + other.unlabelled,
            self.fit + other.fit,
            self.tally + other.tally,
        )


def falling_sigmoids(task: Task) -> tuple[list[bool], Tally]:
    """For each machine of a model, whether its cross-validated sigmoid came out decreasing."""
    machines = fit(task).machines
    return [machine.inverted for machine in machines], Tally.of(machines)


def fit_and_shuffle(task: ShuffleTask) -> Part:
    """Fit once, and see what the probabilities are on average when a feature's values come from other rows."""
    return shuffle(task, fit(task))


def fit(task: Task) -> Model:
    """The model with all features that a task asks for."""
    return fit_model(task.matrix(), task.training_rows(), task.options, task.by_training)


def shuffle(task: ShuffleTask, model: Model) -> Part:
    """What a fitted model's probabilities are without each feature."""
    machines = [
        permuted_decisions(machine, model.matrix, model.kernel, len(task.table.labels)) for machine in model.machines
    ]
    support = sum(len(machine.support) for machine in model.machines)
    cells_in_a_row = max(len(task.features) * len(task.donors) * len(machines), support)
    blocks = list(_blocks(len(task.scorer.rows), cells_in_a_row))
    parts = in_threads(
        lambda block: _part(task.scorer, block, *_shuffled_changes(task, model, machines, block)), blocks, task.threads
    )
    return replace(reduce(add, parts), tally=Tally.of(model.machines))


def fit_without(task: RetrainTask) -> tuple[list[Floats], Tally]:
    """The tracked probabilities of the rows to be scored, from each of the task's models."""
    rows = task.training_rows()
    matrix = task.matrix()
    products = inner_products(matrix.cells[rows.positions])
    probabilities, tally = [], Tally()
    for feature in task.without:
        if feature is None:
            model = fit_model(matrix, rows, task.options, task.by_training, products)
        else:
            block = matrix.cells[rows.positions, matrix.columns(feature)]
            # A feature's share of the inner products is taken out of them; all others stay as they are.
            rest = None if products is None else products - block @ block.T
            model = fit_model(matrix.without(feature), rows, task.options, task.by_training, rest)
        probabilities.append(model.probabilities(task.scorer.rows))
        tally += Tally.of(model.machines)
    return probabilities, tally


def part_of_retrained(scorer: Scorer, probabilities: Iterator[Floats]) -> Part:
    """A scorer's share of a round, from its rows' probabilities with all features and then without each of them."""
    everything = slice(0, len(scorer.rows))
    actual = next(probabilities)
    parts = [_part(scorer, everything, actual, (actual - changed)[:, :, None]) for changed in probabilities]
    return Part(
        Sums.side_by_side([part.labelled for part in parts]),
        Sums.side_by_side([part.unlabelled for part in parts]),
        parts[0].fit,
        Tally(),
    )


def _shuffled_changes(
    task: ShuffleTask, model: Model, machines: Sequence[PermutedDecisions], block: slice
) -> tuple[Floats, Floats]:
    """The tracked probabilities of some rows, and by how much they exceed those without each feature."""
    positions, donors = task.scorer.rows[block], task.donors[:, block]
    if len(task.features) == 1:
        # Without its only feature a model knows nothing but how frequent the classes are.
        actual = tracked_probabilities([machine.actual(positions) for machine in machines], model.machines)
        prior = tracked_probabilities([np.zeros(1)] * len(machines), frequencies(task.training_rows()))
        return actual, (actual - prior)[:, :, None]
    decisions = [machine.decisions(positions, donors) for machine in machines]
    actual = tracked_probabilities([own for own, _ in decisions], model.machines)
    shuffled = tracked_probabilities([others for _, others in decisions], model.machines)
    # Differences before means, so that a feature that changes nothing scores 0 and not a rounding error.
    return actual, (actual[:, None, :, None] - shuffled).mean(axis=1)


def _part(scorer: Scorer, block: slice, actual: Floats, changes: Floats) -> Part:
    labels, counts = scorer.labels[block], scorer.counts[block].astype(np.float64)
    known, unknown = labels != UNLABELLED, labels == UNLABELLED
    absolute = np.abs(changes).sum(axis=0) / (1 if len(changes) == 1 else 2)
    own = _own_class(changes[:, known], labels[known])
    return Part(
        Sums(counts[known] @ absolute[known], counts[known] @ own),
        Sums(counts[unknown] @ absolute[unknown], np.zeros(changes.shape[2])),
        _fit(actual[:, known], labels[known], counts[known]),
        Tally(),
    )


def _own_class(tracked: Floats, labels: Integers) -> Floats:
    """What belongs to each row's own class; of two, the first one's change is the other's with the sign turned."""
    if len(tracked) == 1:
        signs = np.where(labels == 1, 1.0, -1.0)
        own: Floats = tracked[0] * signs[:, None]
    else:
        own = tracked[labels, np.arange(len(labels))]
    return own


def _fit(tracked: Floats, labels: Integers, counts: Floats) -> Fit:
    probabilities = np.concatenate([1 - tracked, tracked]) if len(tracked) == 1 else tracked
    # The first of the classes that are as probable as any.
    guesses = np.argmax(probabilities >= probabilities.max(axis=0, initial=0) - _EQUAL, axis=0)
    right = probabilities[labels, np.arange(len(labels))]
    with np.errstate(divide="ignore"):
        log_losses = -np.log(right)
    return Fit(
        float(counts @ (guesses != labels)),
        float(counts @ (1 - right)),
        float(counts @ log_losses),
    )


def _blocks(rows: int, cells_in_a_row: int) -> Iterator[slice]:
    """Rows in portions that stay in the cache; some for each thread, but the same ones however many threads there are,
    so that sums do not depend on that.
    """
    size = max(1, min(_CELLS_IN_A_BLOCK // cells_in_a_row, -(-rows // _LEAST_BLOCKS)))
    for start in range(0, rows, size):
        yield slice(start, start + size)
