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
from probfs.classifiers.refitting.matrix import Matrix
from probfs.classifiers.refitting.rows import Donors, Positions, Split
from probfs.columns.dataset import Dataset
from probfs.notes import Note
from probfs.tables.arrays import Floats, Integers

Link = Callable[[Floats], Floats]
"""From values to probabilities, classes first: of all classes, or of the second of two."""


class Model(ABC):
    """A fitted model."""

    cells_at_a_time: ClassVar[int]
    """How many permuted values (rows × features × permutations × classes) are computed at a time."""
    threads_inside: ClassVar[bool] = False
    """Whether ``permute`` itself uses threads; otherwise several blocks of rows are permuted at a time."""
    prior: Floats
    """What a model without features says of every row: the frequencies of the classes."""
    report: Any
    """What notes are made of; ``cv_errors`` are errors on cross-validated decision values, if there are any."""

    @abstractmethod
    def probabilities(self, rows: Positions) -> Floats: ...

    @abstractmethod
    def permute(self, rows: Positions, donors: Donors, threads: int) -> tuple[Floats, Floats]:
        """The probabilities of rows, and by how much they exceed the mean ones with each feature's value taken from
        the donors (permutations × rows): classes × rows, and classes × rows × features.
        """


@dataclass(frozen=True, eq=False)
class Trainer(ABC):
    """Fits models on any features and training rows of a table; it can be sent to other processes."""

    name: str
    """What is fitted, for notes."""
    encoder: Any
    """Makes the matrix or frame of the features."""
    labels: Integers
    counts: Integers
    """How often each labelled row occurs."""
    classes: int

    follows: ClassVar[bool] = False
    """Whether models that are compared with each other depend on the one of all rows and features."""

    @abstractmethod
    def fit(self, features: Features, training: Integers) -> Model:
        """The model of some features, trained on ``training`` copies of each labelled row."""

    @abstractmethod
    def notes(self, reports: Sequence[Any]) -> tuple[Note, ...]:
        """What a user should know of all models."""

    def check(  # noqa: B027  # most take any table
        self, dataset: Dataset, splits: Sequence[Split], estimate: EstimateName, models: int
    ) -> None:
        """Refuse a table that so many models of these splits cannot be fitted to."""

    def following(self, report: Any) -> Trainer:
        """The trainer of models that are compared with one that reports this."""
        return self


class ValueModel(Model):
    """A model whose probabilities are a function of values: decision values or log-odds, of several classes."""

    def __init__(self, matrix: Matrix, link: Link, prior: Floats, report: Any) -> None:
        self.matrix = matrix
        self.link = link
        self.prior = prior
        self.report = report

    @abstractmethod
    def values(self, rows: Positions) -> Floats:
        """The values of rows: values × rows."""

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
        widths = self.matrix.widths
        terms = np.zeros((len(self._weights), len(self.matrix.cells), len(widths)))
        varying = np.flatnonzero(widths)
        if len(varying):
            starts = (np.cumsum(widths) - widths)[varying]
            for of_model, weights in zip(terms, self._weights, strict=True):
                of_model[:, varying] = np.add.reduceat(self.matrix.cells * weights, starts, axis=1)
        return terms
