"""What fits models and what a fitted model tells; and models whose probabilities are a function of values, which are
sums over the columns of a matrix or over support vectors.

Probabilities are arrays of classes × rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from probfs.classifiers.options import EstimateName
from probfs.classifiers.protocol import Features
from probfs.classifiers.refitting.rows import Donors, Positions, Split, TrainingRows
from probfs.classifiers.refitting.tables import Matrix
from probfs.columns.dataset import Dataset
from probfs.notes import Note, NoteKind
from probfs.tables.arrays import Floats, Integers
from probfs.text import counted, option


@dataclass(frozen=True)
class Report:
    """What is to be told of a model."""

    warning: str | None = None
    """What fitting an estimator warned of first, if it did."""
    most_copies: int | None = None
    """About how many rows an estimator was given, where there are more."""
    unjudged: int = 0
    """How many rows no tree could judge out of bag: all were trained on them. They have the frequencies of the classes.
    """
    inverted: Sequence[bool] = ()
    """Of each binary SVM, whether the sigmoid on its cross-validated decision values decreases."""
    unconverged: int = 0
    """How many SVMs did not converge."""
    cv_errors: int | None = None
    """Of rows held out of SVMs, by the model's own sigmoids."""
    guessing: Note | None = None


def notes_on_models(name: str, reports: Sequence[Report]) -> tuple[Note, ...]:
    """What a user should know of all models of a ranking."""
    notes = []
    warned = [report.warning for report in reports if report.warning is not None]
    if warned:
        message = f"{len(warned):,} of {counted(len(reports), 'fit')} warned: {warned[0]}"
        notes.append(NoteKind.FIT_WARNINGS.note(message))
    most_copies = next((report.most_copies for report in reports if report.most_copies), None)
    if most_copies is not None:
        message = f"there are more rows than the {most_copies:,} that {name} is given: of equal rows it was given fewer"
        notes.append(NoteKind.FEWER_COPIES.note(f"{message}, in proportion, and each different row at least once"))
    unjudged = max((report.unjudged for report in reports), default=0)
    if unjudged:
        rows = "1 row was" if unjudged == 1 else f"{unjudged:,} rows were"
        message = (
            f"{rows} drawn for every tree, so that none could judge them out of bag, and only the shares of the "
            f"classes could; more trees, or {option('estimate', 'cv')}, would help"
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


class Model:
    """A fitted model. This one has learnt nothing but how frequent the classes are."""

    cells_at_a_time: ClassVar[int] = 1 << 22
    """How many permuted values (rows × features × permutations × classes) are computed at a time."""

    def __init__(self, prior: Floats, features: int, report: Report) -> None:
        """``prior`` is what a model without features says of every row: the frequencies of the classes."""
        self.prior = prior
        self.features = features
        self.report = report

    def probabilities(self, rows: Positions) -> Floats:
        return np.repeat(self.prior[:, None], len(rows), axis=1)

    def permute(self, rows: Positions, donors: Donors, threads: int) -> tuple[Floats, Floats]:
        """The probabilities of rows, and by how much they exceed the mean ones with each feature's value taken from
        the donors (permutations × rows): classes × rows, and classes × rows × features.
        """
        return self.probabilities(rows), np.zeros((len(self.prior), len(rows), self.features))


class Trainer(ABC):
    """Fits models on any features and training rows of a table; it can be sent to other processes."""

    follows: ClassVar[bool] = False
    """Whether models that are compared with each other depend on the one of all rows and features."""

    def __init__(self, dataset: Dataset, name: str, encoder: Any) -> None:
        """``name`` says what is fitted, for notes; the encoder makes the matrix or frame of the features."""
        self.name = name
        self.encoder = encoder
        self.labels, self.counts, self.weights = dataset.labels, dataset.counts, dataset.weights
        self.classes = len(dataset.classes)

    def training_rows(self, training: Integers) -> TrainingRows:
        """The labelled rows of which copies are left to train on."""
        return TrainingRows.of(self.labels, training, self.classes, self.weights)

    @abstractmethod
    def fit(self, features: Features, training: Integers) -> Model:
        """The model of some features, trained on ``training`` copies of each labelled row."""

    def check(  # noqa: B027  # most take any table
        self, dataset: Dataset, splits: Sequence[Split], estimate: EstimateName
    ) -> None:
        """Refuse a table that models of these splits cannot be fitted to."""

    def following(self, report: Report) -> Trainer:
        """The trainer of models that are compared with one that reports this."""
        return self


class ValueModel(Model, ABC):
    """A model whose probabilities are a function of values: decision values or log-odds, of several classes."""

    def __init__(
        self, matrix: Matrix, link: Callable[[Floats], Floats], prior: Floats, features: int, report: Report
    ) -> None:
        """``link`` makes probabilities of values, classes first: of all classes, or of the second of two."""
        super().__init__(prior, features, report)
        self.matrix = matrix
        self._link = link

    @abstractmethod
    def values(self, rows: Positions) -> Floats:
        """The values of rows: values × rows."""

    @abstractmethod
    def permuted_values(self, rows: Positions, donors: Donors, threads: int) -> Floats:
        """The values with each feature's cells taken from the donor: values × permutations × rows × features."""

    def probabilities(self, rows: Positions) -> Floats:
        return of_all_classes(self._link(self.values(rows)))

    def permute(self, rows: Positions, donors: Donors, threads: int) -> tuple[Floats, Floats]:
        actual = self._link(self.values(rows))
        permuted = self._link(self.permuted_values(rows, donors, threads))
        # Differences before means, so that a feature without effect scores exactly 0, not a rounding error.
        changes = (actual[:, None, :, None] - permuted).mean(axis=1)
        return of_all_classes(actual), np.concatenate([-changes, changes]) if len(changes) == 1 else changes


def of_all_classes(probabilities: Floats) -> Floats:
    """The probabilities of both classes, where only those of the second are given, or of more."""
    return np.concatenate([1 - probabilities, probabilities]) if len(probabilities) == 1 else probabilities


class LinearModel(ValueModel):
    """Values that are sums of terms, one from each feature: permuting a feature exchanges a row's term for its
    donor's.
    """

    cells_at_a_time = 1 << 19
    """So that they stay in the cache."""

    def __init__(self, weights: Floats, intercepts: Floats, *more: Any) -> None:
        """``weights`` is values × columns."""
        super().__init__(*more)
        self._weights = weights
        self._intercepts = intercepts

    def values(self, rows: Positions) -> Floats:
        values: Floats = self._weights @ self.matrix.cells[rows].T + self._intercepts[:, None]
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
        terms = np.zeros((len(self._weights), len(cells), self.features))
        starts = np.flatnonzero(np.diff(owner, prepend=-1))
        for of_value, weights in zip(terms, self._weights, strict=True):
            of_value[:, owner[starts]] = np.add.reduceat(cells * weights, starts, axis=1)
        return terms
