"""Trainers, the models that they fit, and what a report says of each model; and models whose probabilities are a
function of values: sums over the columns of a matrix, or over support vectors.

Probabilities are arrays of classes × rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import ClassVar

import numpy as np

from probfs.classifiers.compiling import compile_loops, loops
from probfs.classifiers.options import EstimateName
from probfs.classifiers.protocol import Features
from probfs.classifiers.refitting.rows import Donors, Positions, Split, TrainingRows, divide_rows
from probfs.classifiers.refitting.tables import Encoding, Matrix, MatrixEncoder
from probfs.columns.dataset import Dataset
from probfs.notes import Note, NoteKind
from probfs.runtime.parallel import map_in_threads
from probfs.tables.arrays import Floats, Integers
from probfs.text import counted, option

_CELLS_OF_KERNEL = 1 << 22
"""Kernel values that are kept at a time: 32 MB."""
_CELLS_IN_CACHE = 1 << 17
"""Of factors that are computed, and multiplied by each other many times."""
_WORTH_COMPILING = 50_000_000
"""Products of a row's and a support vector's factor in a round of shuffles for which numba is imported: numpy takes
0.1 s for them.
"""


@dataclass(frozen=True)
class Report:
    """What notes need to know of a fitted model."""

    warning: str | None = None
    """The first warning of the fit of an estimator."""
    most_copies: int | None = None
    """The largest number of rows that an estimator is given, where the table has more."""
    unjudged: int = 0
    """How many rows no tree could judge out of bag, because all trees were trained on them. Such rows get the
    frequencies of the classes.
    """
    inverted: Sequence[bool] = ()
    """Of each binary SVM, whether the sigmoid on its cross-validated decision values decreases."""
    unconverged: int = 0
    """How many SVMs did not converge."""
    cv_errors: int | None = None
    """Errors on rows that were held out of SVMs, by the model's own sigmoids."""
    guessing: Note | None = None
    """A note that an SVM predicts no better than the frequencies of the classes."""


def notes_on_models(name: str, reports: Sequence[Report]) -> tuple[Note, ...]:
    """What a user should know of all models of a ranking."""
    notes = []
    warned = [report.warning for report in reports if report.warning is not None]
    if warned:
        message = f"{len(warned):,} of {counted(len(reports), 'fit')} warned: {warned[0]}"
        notes.append(NoteKind.FIT_WARNINGS.note(message))
    most_copies = next((report.most_copies for report in reports if report.most_copies), None)
    if most_copies is not None:
        message = f"{name} is given at most {most_copies:,} rows, so equal rows were given fewer times"
        notes.append(NoteKind.FEWER_COPIES.note(f"{message}, in proportion, and at least once"))
    unjudged = max((report.unjudged for report in reports), default=0)
    if unjudged:
        message = (
            f"{counted(unjudged, 'row was', 'rows were')} drawn for every tree, so that none could judge them out of "
            f"bag, and only the shares of the classes could; more trees, or {option('estimate', 'cv')}, would help"
        )
        notes.append(NoteKind.UNJUDGED.note(message))
    fits = counted(sum(len(report.inverted) for report in reports), "fit")
    inverted = sum(sum(report.inverted) for report in reports)
    if inverted:
        message = (
            f"in {inverted:,} of {fits} the sigmoid on cross-validated decision values came out "
            "decreasing (few rows, or columns that say little); the one on the training rows, or the share of the "
            "class, was used instead"
        )
        notes.append(NoteKind.SIGMOID.note(message))
    unconverged = sum(report.unconverged for report in reports)
    if unconverged:
        problem = f"{unconverged:,} of {fits} did not converge, so their scores are rough"
        message = f"{problem}; a smaller {option('C')} or {option('count')} would help"
        notes.append(NoteKind.NOT_CONVERGED.note(message))
    if reports and reports[0].guessing is not None:
        notes.append(reports[0].guessing)
    return tuple(notes)


class Trainer(ABC):
    """Fits models on any features and training rows of a table; it can be sent to other processes."""

    follows: ClassVar[bool] = False
    """Whether all models of a round depend on the model of all rows and features."""

    def __init__(self, dataset: Dataset, encoding: Encoding, name: str) -> None:
        """``name`` says what is fitted, for notes."""
        self.name = name
        self.encoder = MatrixEncoder(dataset, encoding, name)
        self.labels, self.counts, self.weights = dataset.labels, dataset.counts, dataset.weights
        self.classes = len(dataset.classes)
        self._in_time = dataset.times is not None

    def training_rows(self, training: Integers) -> TrainingRows:
        """The labelled rows of which copies are left to train on. In a table ordered in time early rows may weigh
        little; in a model that knows no others they weigh 1 on average.
        """
        rows = TrainingRows.of(self.labels, training, self.classes, self.weights)
        return replace(rows, weights=rows.weights * (rows.counts.sum() / rows.weights.sum())) if self._in_time else rows

    @abstractmethod
    def fit(self, features: Features, training: Integers) -> Model:
        """The model of some features, trained on ``training`` copies of each labelled row."""

    def check(  # noqa: B027  # most take any table
        self, dataset: Dataset, splits: Sequence[Split], estimate: EstimateName
    ) -> None:
        """Refuse a table that models of these splits cannot be fitted to."""

    def following(self, report: Report) -> Trainer:
        """The trainer of the models that are compared with the one that this report is about."""
        return self


@dataclass(kw_only=True, eq=False)
class Model:
    """A fitted model; this base class has learnt only how frequent the classes are."""

    prior: Floats
    """What a model without features says of every row: the frequencies of the classes."""
    features: int
    report: Report

    def probabilities(self, rows: Positions) -> Floats:
        return np.repeat(self.prior[:, None], len(rows), axis=1)

    def permute(self, rows: Positions, donors: Donors, threads: int) -> tuple[Floats, Floats]:
        """The probabilities of rows, and by how much they exceed the mean ones with each feature's value taken from
        the donors (permutations × rows): classes × rows, and classes × rows × features.
        """
        return self.probabilities(rows), np.zeros((len(self.prior), len(rows), self.features))


@dataclass(kw_only=True, eq=False)
class ValueModel(Model, ABC):
    """A model whose probabilities are a function of values: decision values or log-odds, of several classes."""

    matrix: Matrix
    link: Callable[[Floats], Floats]
    """Makes probabilities of values, classes first: of all classes, or of the second of two."""
    coefficients: Floats
    """Values × columns, or values × support vectors."""
    intercepts: Floats

    @abstractmethod
    def values(self, rows: Positions) -> Floats: ...

    @abstractmethod
    def permuted_values(self, rows: Positions, donors: Donors, threads: int) -> Floats:
        """The values with each feature's cells taken from the donor: values × permutations × rows × features."""

    def probabilities(self, rows: Positions) -> Floats:
        return of_all_classes(self.link(self.values(rows)))

    def permute(self, rows: Positions, donors: Donors, threads: int) -> tuple[Floats, Floats]:
        actual = self.link(self.values(rows))
        permuted = self.link(self.permuted_values(rows, donors, threads))
        # Differences before means, so that a feature without effect scores exactly 0, not a rounding error.
        changes = (actual[:, None, :, None] - permuted).mean(axis=1)
        return of_all_classes(actual), np.concatenate([-changes, changes]) if len(changes) == 1 else changes


def of_all_classes(probabilities: Floats) -> Floats:
    """The probabilities of both classes, where only those of the second are given, or of more."""
    return np.concatenate([1 - probabilities, probabilities]) if len(probabilities) == 1 else probabilities


@dataclass(kw_only=True, eq=False)
class LinearModel(ValueModel):
    """Values that are sums of terms, one from each feature: permuting a feature exchanges a row's term for its
    donor's.
    """

    def values(self, rows: Positions) -> Floats:
        values: Floats = self.coefficients @ self.matrix.cells[rows].T + self.intercepts[:, None]
        return values

    def permuted_values(self, rows: Positions, donors: Donors, threads: int) -> Floats:
        own_terms = self._terms[:, rows]
        # The difference first: where the donor has the row's own value, the sum does not change by a bit.
        permuted: Floats = self._terms[:, donors] - own_terms[:, None]
        permuted += self.values(rows)[:, None, :, None]
        return permuted

    @cached_property
    def _terms(self) -> Floats:
        """What each feature adds to the value of each row: values × rows × features."""
        cells, owner = self.matrix.cells, self.matrix.owner
        terms = np.zeros((len(self.coefficients), len(cells), self.features))
        starts = np.flatnonzero(np.diff(owner, prepend=-1))
        for of_value, weights in zip(terms, self.coefficients, strict=True):
            of_value[:, owner[starts]] = np.add.reduceat(cells * weights, starts, axis=1)
        return terms


@dataclass(kw_only=True, eq=False)
class RbfModel(ValueModel):
    """Decision values of several SVMs of the same matrix by the RBF kernel exp(-squared distance): γ is 1 in the units
    of the matrix.

    A kernel value is a product of factors, one from each feature. Permuting a feature divides the row's own factor out
    of its kernel value with every support vector, and multiplies the donor's in.
    """

    labelled_rows: int
    """Donors are among the first rows of the matrix, the labelled ones."""
    support: Positions
    """The support vectors of all SVMs."""

    def values(self, rows: Positions) -> Floats:
        cells, vectors = self.matrix.cells, self.matrix.cells[self.support]
        blocks = divide_rows(len(rows), len(vectors), _CELLS_OF_KERNEL)
        values = [self.coefficients @ np.exp(-squared_distances(cells[rows[block]], vectors)).T for block in blocks]
        return np.concatenate([np.empty((len(self.intercepts), 0)), *values], axis=1) + self.intercepts[:, None]

    def permuted_values(self, rows: Positions, donors: Donors, threads: int) -> Floats:
        features = np.unique(self.matrix.owner).tolist()
        donors = np.ascontiguousarray(donors)
        add_donor_sums = donor_sums_by_numpy
        if donors.size * len(features) * self.coefficients.size > _WORTH_COMPILING:
            donor, cell = np.zeros((1, 1), dtype=np.int32), np.zeros((1, 1))
            if compile_loops(lambda: loops().add_donor_sums(cell, cell, donor, np.zeros((1, 1)))) is None:
                # About ten times as fast as numpy.
                add_donor_sums = loops().add_donor_sums
        shape = (len(self.intercepts), self.features, *donors.shape)
        values = np.broadcast_to(self.values(rows)[:, None, None], shape).copy()
        values[:, features] = self.intercepts[:, None, None, None]

        def add_sums(part: slice, distances: Floats, feature: int) -> None:
            columns = self.matrix.cells[:, slice(*np.searchsorted(self.matrix.owner, [feature, feature + 1]))]
            vectors = columns[self.support[part]]
            # Rounding may leave a difference of distances slightly above 0.
            rest = np.exp(np.minimum(squared_distances(columns[rows], vectors) - distances, 0))
            factors = np.exp(-squared_distances(columns[: self.labelled_rows], vectors))
            for coefficients, sums in zip(self.coefficients[:, part], values[:, feature], strict=True):
                add_donor_sums(rest * coefficients, factors, donors, sums)

        cells = self.matrix.cells
        for part in divide_rows(len(self.support), max(len(rows), self.labelled_rows), _CELLS_IN_CACHE):
            distances = squared_distances(cells[rows], cells[self.support[part]])
            map_in_threads(partial(add_sums, part, distances), features, threads)
        return np.moveaxis(values, 1, 3)


def squared_distances(left: Floats, right: Floats) -> Floats:
    """The squared distance of every left row from every right row."""
    if left.shape[1] == 1:
        return (left - right.T) ** 2
    # Rounding may make the squared distance of equal rows slightly negative.
    norms = (left**2).sum(axis=1)[:, None] + (right**2).sum(axis=1)
    return np.asarray(np.maximum(norms - 2 * left @ right.T, 0))


def donor_sums_by_numpy(rest: Floats, factors: Floats, donors: Donors, sums: Floats) -> None:
    """What ``loops.add_donor_sums`` does."""
    for donor, total in zip(donors, sums, strict=True):
        total += np.einsum("rs,rs->r", rest, factors[donor])
