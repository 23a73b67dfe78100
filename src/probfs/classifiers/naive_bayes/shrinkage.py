"""Shrinkage: all class weights are raised to a power A ≤ 1, so that chance alone makes no row certain.

Each p(v|c) is counted from finitely many rows, and so a random quantity: averaged over the v values of a feature, the
variance of log p(v|c) is (v - 1)/N to first order, N rows of the class having a value; with smoothing α and V values
that it knows, (v - 1)·N / (N + α·V)². Independent features add up to variance τ² of the difference between two classes'
log-weights:

    τ² = 2/K · Σ_j Σ_c (v_j - 1) · N_jc / (N_jc + α·V_j)²,    A = 1 / (1 + τ²)

If log-odds that tell the truth have mean ±δ/2 and variance δ, and chance adds τ², then the best that one factor can do
is δ / (δ + τ²). A takes δ = 1, a modest problem. The chance part of A·L then has a standard deviation of at most ½.

A power keeps the order of the classes, so no prediction changes. What A depends on are counts of all labelled rows, so
nothing is fitted, and the same A holds for every row, whichever rows its model leaves out.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from probfs.classifiers.protocol import Features
from probfs.columns.dataset import ValueCounts
from probfs.notes import Note, NoteKind
from probfs.tables.arrays import Floats
from probfs.text import option

ShrinkName = Literal["auto", "on", "off"]

_TOLERATED_VARIANCE = 9.0
"""τ² of all features above which ``auto`` shrinks: chance alone moves log-odds by 3, which is odds of 20 to 1."""
_HELD_SHARE = 0.95
"""A is computed again when this share of the features that it was computed for is left, or less: the tables that depend
on it would otherwise have to be computed in every round.
"""


class Shrinkage:
    """The exponent A, and when it changes. It never falls, because features only leave."""

    def __init__(self, choice: ShrinkName, counts: ValueCounts, smoothing: float) -> None:
        """``counts`` are those of all labelled rows."""
        self._variances = count_variances(counts, smoothing)
        self.variance = math.fsum(self._variances.tolist())
        """τ² of all features."""
        self.acts = choice == "on" or (choice == "auto" and self.variance > _TOLERATED_VARIANCE)
        self.exponent = 1.0
        self._features = math.inf

    def follow(self, active: Features) -> None:
        """Choose the exponent for a round with these features."""
        if self.acts and 0 < len(active) <= _HELD_SHARE * self._features:
            self._features = len(active)
            self.exponent = 1 / (1 + math.fsum(self._variances[active].tolist()))

    @property
    def note(self) -> Note | None:
        """What users should know of the probabilities, where shrinkage acts."""
        if not self.acts or not self.variance:
            return None
        done = f"log-odds were shrunk, to {1 / (1 + self.variance):.2g} of their size in the first round"
        why = f"because chance alone would move them by about ±{math.sqrt(self.variance):.2g}"
        such = "such probabilities are good for ranking, and not calibrated"
        return NoteKind.SHRINKAGE.note(f"{done}, {why}; {such} ({option('shrink', 'off')} ranks without)")


def count_variances(counts: ValueCounts, smoothing: float) -> Floats:
    """Each feature's part of τ²."""
    if counts.members:
        columns = counts.by_column
        of_columns = count_variances(columns.counts, smoothing)
        return np.bincount(columns.feature, of_columns).astype(np.float64)
    by_slot = counts.by_slot.copy()
    by_slot[counts.offset + counts.values] = 0.0
    rows = np.add.reduceat(by_slot, counts.offset, axis=0)
    distinct = np.add.reduceat(by_slot.any(axis=1), counts.offset, dtype=np.int64)
    smoothed = rows + smoothing * counts.values[:, None]
    # Without rows of a class, and without smoothing, 0/0: there is nothing that chance could move.
    each = np.divide(rows, smoothed**2, out=np.zeros_like(rows), where=rows > 0)
    variances: Floats = np.maximum(distinct - 1, 0) * each.sum(axis=1) * (2 / len(counts.class_rows))
    return variances
