"""Platt's sigmoid, which turns decision values into probabilities, and how well these predict held-out rows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from probfs.notes import Note, NoteKind
from probfs.tables.arrays import Floats, Integers

_MOST_STEPS = 100
_SMALL_STEP = 1e-10
_FLAT = 1e-9
"""A smaller slope, in units of the largest decision value, is rounding."""
_RIDGE = 1e-12
"""Added to the curvature, so that decision values that are all equal have a solution too."""
_LEAST_PROBABILITY = float(np.finfo(np.float64).eps)
"""Smaller ones count as this one, so that no single row makes a loss infinite."""
_CHANCE_GAIN = 0.5
"""What a sigmoid gains by chance in the sum of losses over the rows it is fitted on, as any parameter found by maximum
likelihood does. A standard error is margin enough for one sigmoid, but not for one of each class.
"""
_LEAST_GAIN = 1e-12
"""A smaller difference between losses is rounding."""


@dataclass(frozen=True)
class Sigmoid:
    """The probability 1 / (1 + exp(-(slope · decision value + offset)))."""

    slope: float
    offset: float

    @classmethod
    def of_frequency(cls, members: float, others: float) -> Sigmoid:
        """A flat one, which says only how frequent a class is."""
        return cls(0.0, math.log(members / others))

    @property
    def decreases(self) -> bool:
        return self.slope <= 0


def fit_sigmoid(decisions: Floats, is_member: Integers, weights: Floats) -> Sigmoid:
    """The sigmoid of least log-loss on Platt's targets, (N + 1) / (N + 2) and 1 / (N + 2) instead of 1 and 0, by
    Newton's method with halved steps (Lin, Lin & Weng, Machine Learning 68, 2007).
    """
    members = float(weights[is_member == 1].sum())
    others = float(weights.sum()) - members
    targets = np.where(is_member == 1, (members + 1) / (members + 2), 1 / (others + 2))
    unit = float(np.abs(decisions).max(initial=0)) or 1.0
    columns = np.stack([decisions / unit, np.ones(len(decisions))])

    def loss(line: Floats) -> float:
        values = line @ columns
        return float(weights @ (np.logaddexp(0, values) - targets * values))

    line: Floats = np.array([0.0, math.log((members + 1) / (others + 1))])
    current = loss(line)
    for _ in range(_MOST_STEPS):
        probabilities = expit(line @ columns)
        gradient = columns @ (weights * (probabilities - targets))
        curvature = (columns * (weights * probabilities * (1 - probabilities))) @ columns.T
        step = np.linalg.solve(curvature + _RIDGE * weights.sum() * np.eye(2), gradient)
        if np.abs(step).max() <= _SMALL_STEP * max(1.0, np.abs(line).max()):
            break
        while (following := loss(line - step)) > current and np.abs(step).max() > _SMALL_STEP:
            step /= 2
        if following > current:
            break
        line, current = line - step, following
    slope = float(line[0]) if abs(line[0]) > _FLAT else 0.0
    return Sigmoid(slope / unit, float(line[1]))


def note_on_guessing(probabilities: Floats, labels: Integers, weights: Floats, sigmoids: int) -> Note | None:
    """A note if the log-loss of held-out rows is not below that of the classes' frequencies by more than a standard
    error, which is that of the differences in single rows. Rows count ``weights`` times.

    The number of errors alone would not tell: where a class is rare, hardly any row is more probably of that class
    than of another, so a model that ranks rows well may make as many errors as one that always names the largest class.
    """
    total = float(weights.sum())
    frequencies = np.bincount(labels, weights=weights, minlength=len(probabilities)) / total
    losses = -np.log(np.maximum(probabilities[labels, np.arange(len(labels))], _LEAST_PROBABILITY))
    prior_losses = -np.log(frequencies[labels])
    differences = losses - prior_losses
    mean = float(weights @ differences) / total
    error = math.sqrt(float(weights @ (differences - mean) ** 2)) / total
    loss = (float(weights @ losses) + _CHANCE_GAIN * (sigmoids - 1)) / total
    prior_loss = float(weights @ prior_losses) / total
    if prior_loss - loss > error + _LEAST_GAIN:
        return None
    problem = "with all features the SVM tells no more of held-out rows than the shares of the classes do"
    found = f"log-loss {loss:.3f} against {prior_loss:.3f}, ± {error:.3f}"
    return NoteKind.GUESSING.note(f"{problem} ({found}): do not rely on its scores")
