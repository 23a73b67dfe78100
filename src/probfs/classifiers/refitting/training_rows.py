"""The rows a model is trained on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from probfs.classifiers.protocol import Features
from probfs.classifiers.refitting.design_matrix import Positions
from probfs.classifiers.refitting.splits import Split
from probfs.tables.table import Integers

Matrix_co = TypeVar("Matrix_co", covariant=True)


class MatrixBuilder(Protocol[Matrix_co]):
    """Makes what a model is fitted on: all rows in some features, as the training rows have them seen."""

    def build(self, features: Features, training: Integers) -> Matrix_co: ...


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Distinct rows to train on, ordered by content: their positions, classes, and how often each occurs."""

    positions: Positions
    labels: Integers
    counts: Integers
    classes: int

    def class_counts(self) -> Integers:
        return np.bincount(self.labels, weights=self.counts, minlength=self.classes).astype(np.int64)


@dataclass(frozen=True, eq=False)
class TrainingData(Generic[Matrix_co]):
    """What all models of a ranking share: the features, and the class and count of every labelled row."""

    builder: MatrixBuilder[Matrix_co]
    labels: Integers
    counts: Integers
    classes: int

    def rows(self, split: Split) -> TrainingRows:
        """The labelled rows that a split leaves to train on."""
        training = self._training_counts(split)
        positions = np.flatnonzero(training)
        return TrainingRows(positions, self.labels[positions], training[positions], self.classes)

    def matrix(self, features: Features, split: Split) -> Matrix_co:
        """All rows, labelled and unlabelled, as the model trained on a split sees them."""
        return self.builder.build(features, self._training_counts(split))

    def _training_counts(self, split: Split) -> Integers:
        counts = self.counts.copy()
        counts[split.held_out] -= split.held_out_copies
        return counts
