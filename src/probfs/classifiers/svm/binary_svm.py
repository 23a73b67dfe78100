"""A fitted binary SVM with its sigmoid, and the class probabilities that several of them make up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from probfs.classifiers.refitting.design_matrix import Positions
from probfs.classifiers.refitting.training_rows import TrainingRows
from probfs.tables.table import Floats


@dataclass(frozen=True, eq=False)
class BinarySvm:
    """Separates one class from the others. Without support vectors and weights it knows only how frequent the class is.

    The probability of the class is sigmoid(slope · decision value + offset).
    """

    support: Positions
    """The support vectors, by their positions among all rows; none if the solver gave weights."""
    coefficients: Floats
    intercept: float
    slope: float
    """Never negative."""
    offset: float
    inverted: bool = False
    """Whether the sigmoid fitted on cross-validated decision values decreases, so that another one was used."""
    converged: bool = True
    weights: Floats | None = None
    """The weight of each column under the linear kernel; None if the solver gave support vectors."""

    @classmethod
    def of_class_frequency(cls, members: int, total: int) -> BinarySvm:
        """An SVM without features: every row has the same probability, the frequency of the class."""
        return cls(np.empty(0, dtype=np.intp), np.empty(0), 0.0, 0.0, math.log(members / (total - members)))

    def decision_values(self, kernel_values: Floats) -> Floats:
        """Decision values, from the kernel values of some rows (first axis) with the support vectors (second)."""
        values: Floats = kernel_values @ self.coefficients + self.intercept
        return values

    def column_weights(self, cells: Floats) -> Floats:
        """The weight of each column under the linear kernel, for an SVM fitted on some of these rows."""
        if self.weights is not None:
            return self.weights
        weights: Floats = self.coefficients @ cells[self.support]
        return weights


def target_classes(rows: TrainingRows) -> list[int]:
    """The classes that get a binary SVM of their own: each against the others, or the second of only two."""
    return [1] if rows.classes == 2 else list(range(rows.classes))


def make_frequency_svms(rows: TrainingRows) -> list[BinarySvm]:
    """The binary SVMs of a model that has no feature."""
    counts = rows.class_counts().tolist()
    return [BinarySvm.of_class_frequency(counts[target], sum(counts)) for target in target_classes(rows)]


def compute_probabilities(decisions: Sequence[Floats], svms: Sequence[BinarySvm]) -> Floats:
    """Class probabilities, from the decision values of each binary SVM; the first axis of the result is the class.

    Of two classes only the second is included, because the first is its complement. More classes are scaled to add up
    to 1.
    """
    scaled = [svm.slope * values + svm.offset for values, svm in zip(decisions, svms, strict=True)]
    probabilities: Floats = expit(np.stack(scaled))
    if len(svms) == 1:
        return probabilities
    total = probabilities.sum(axis=0)
    # Where all sigmoids underflow to 0, the classes are equally probable.
    return np.where(total > 0, probabilities, 1.0) / np.where(total > 0, total, len(svms))
