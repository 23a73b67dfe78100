"""How well a model predicts rows that its SVMs were fitted without, compared with the shares of the classes.

The number of errors alone would not tell: where a class is rare, hardly any row is more probably of that class than of
another, so a model that ranks rows well may make as many errors as one that always names the largest class.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from probfs.classifiers.refitting.training_rows import TrainingRows
from probfs.notes import Note, NoteKind
from probfs.tables.table import Floats, Integers

_LEAST_PROBABILITY = float(np.finfo(np.float64).eps)
"""Smaller ones count as this one, so that no single row makes a loss infinite."""
_CHANCE_GAIN = 0.5
"""What a sigmoid gains by chance in the sum of losses over the rows it is fitted on, as any parameter found by maximum
likelihood does. A standard error is margin enough for one sigmoid, but not for one of each class.
"""
_LEAST_GAIN = 1e-12
"""A smaller difference between losses is rounding."""


@dataclass(frozen=True)
class HeldOutFit:
    """Errors and mean log-loss on held-out rows."""

    errors: int
    """By the model's own sigmoids."""
    log_loss: float
    """By sigmoids on the held-out decision values; one that decreases is replaced by the share of its class. What all
    sigmoids but one gain by chance is added.
    """
    shares_log_loss: float
    """If each class has its share of the rows as its probability, in every row."""
    standard_error: float
    """Of the difference between the two, from the differences in single rows."""

    @classmethod
    def measure(cls, errors: int, probabilities: Floats, labels: Integers, weights: Floats) -> HeldOutFit:
        """With losses from what ``compute_probabilities`` gives for held-out rows, which stand for ``weights`` rows."""
        of_all = np.concatenate([1 - probabilities, probabilities]) if len(probabilities) == 1 else probabilities
        total = float(weights.sum())
        shares = np.bincount(labels, weights=weights, minlength=len(of_all)) / total
        losses = -np.log(np.maximum(of_all[labels, np.arange(len(labels))], _LEAST_PROBABILITY))
        shares_losses = -np.log(shares[labels])
        differences = losses - shares_losses
        mean = float(weights @ differences) / total
        variance = float(weights @ (differences - mean) ** 2) / total
        loss = (float(weights @ losses) + _CHANCE_GAIN * (len(probabilities) - 1)) / total
        return cls(errors, loss, float(weights @ shares_losses) / total, math.sqrt(variance / total))

    @classmethod
    def of_shares(cls, rows: TrainingRows) -> HeldOutFit:
        """What a model without features does."""
        counts = rows.class_counts()
        shares = counts / counts.sum()
        loss = -float(shares @ np.log(shares))
        return cls(int(counts.sum() - counts.max()), loss, loss, 0.0)

    @property
    def note(self) -> Note | None:
        """A note if the log-loss is not below that of the shares by more than a standard error."""
        if self.shares_log_loss - self.log_loss > self.standard_error + _LEAST_GAIN:
            return None
        losses = f"log-loss {self.log_loss:.3f} against {self.shares_log_loss:.3f}, ± {self.standard_error:.3f}"
        problem = "with all features the SVM tells no more of held-out rows than the shares of the classes do"
        return NoteKind.GUESSING.note(f"{problem} ({losses}): do not rely on its scores")
