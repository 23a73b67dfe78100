"""The rows a model is trained on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probfs.classifiers.protocol import Features
from probfs.classifiers.svm.design_matrix import DesignMatrix, DesignMatrixBuilder, Positions
from probfs.classifiers.svm.splits import Split
from probfs.tables.table import Integers


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Distinct rows to train on, ordered by content: their positions, classes, and how often each occurs."""

    positions: Positions
    labels: Integers
    counts: Integers
    classes: int

    def class_counts(self) -> Integers:
        return np.bincount(self.labels, weights=self.counts, minlength=self.classes).astype(np.int64)

    def target_classes(self) -> list[int]:
        """The classes that get a binary SVM of their own: each against the others, or the second of only two."""
        return [1] if self.classes == 2 else list(range(self.classes))


@dataclass(frozen=True, eq=False)
class TrainingData:
    """What all models of a ranking share: the features, and the class and count of every labelled row."""

    builder: DesignMatrixBuilder
    labels: Integers
    counts: Integers
    classes: int

    def rows(self, split: Split) -> TrainingRows:
        """The labelled rows that a split leaves to train on."""
        training = self._training_counts(split)
        positions = np.flatnonzero(training)
        return TrainingRows(positions, self.labels[positions], training[positions], self.classes)

    def matrix(self, features: Features, split: Split) -> DesignMatrix:
        """All rows, labelled and unlabelled, as the model trained on a split sees them."""
        return self.builder.build(features, self._training_counts(split))

    def _training_counts(self, split: Split) -> Integers:
        counts = self.counts.copy()
        counts[split.held_out] -= split.held_out_copies
        return counts
