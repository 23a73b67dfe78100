"""Naive Bayes as tables of log-odds that rows look up, and how much they shrink.

Every value of every feature has a slot in one flat list (see ``ValueCounts``): feature j owns the slots ``offset[j]``
to ``offset[j] + values[j]``, the last of them for a missing cell, whose factor is 1 in every class (Kononenko 1991).

For each slot and each class but the last, a table has log p(v|c) - log p(v|last class). Leaving a row out lowers three
counts, of its class and its own values, so leave-one-out is another such table for each class, or for each class and
weight that rows have.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from probfs.classifiers.protocol import Features
from probfs.columns.dataset import ValueCounts
from probfs.notes import Note, NoteKind
from probfs.tables.arrays import Floats
from probfs.text import option

ShrinkName = Literal["auto", "on", "off"]
LEAST_SMOOTHING = 1e-100
"""In place of smoothing 0: it takes 200 nats of other evidence to make up for a value that no row of the class has."""
IMPOSSIBLE = 200.0
"""Without smoothing, a class whose log-weight is this far below the largest has probability 0. A value that no row of a
class has lowers its log-weight by 230.
"""
EVEN_ODDS = 1e-12
"""Log-odds this close to 0 come from equal probabilities: the difference is rounding."""
_TOLERATED_VARIANCE = 9.0
"""τ² of all features above which ``auto`` shrinks: chance alone moves log-odds by 3, which is odds of 20 to 1."""
_HELD_SHARE = 0.95
"""A is computed again only once this fraction of the features is left, or less: the tables of log-odds depend on it,
and would otherwise be computed in every round.
"""


@dataclass(frozen=True, eq=False)
class LogOdds:
    """The terms of the log-odds of each class against the last: one of each slot and one of the class frequencies, for
    one or several models.
    """

    by_slot: Floats
    """(Classes - 1) × models × slots."""
    prior: Floats
    """(Classes - 1) × models."""
    zeros: Floats | None = None
    """Without smoothing, 1 at each slot where no row of the class has the value, less 1 where none of the last class
    has it. None otherwise.
    """

    @classmethod
    def of(cls, counts: ValueCounts, smoothing: float, left_out: int | None = None, weight: float = 1.0) -> LogOdds:
        """The model of these counts; with ``left_out``, the model that judges a row of that class and weight, from the
        counts without the row.

        Leaving the row out subtracts its weight from its class and from each of its own slots. Such a table is right
        only at slots that a row of the class can have, and rows of the class look up no others.

        Columns that are one feature together are independent within a class, as all columns are.
        """
        if counts.members:
            columns = counts.by_column
            apart = cls.of(columns.counts, smoothing, left_out, weight)
            zeros = None if apart.zeros is None else columns.add_up(apart.zeros)
            return cls(columns.add_up(apart.by_slot), apart.prior, zeros)
        is_limit, smoothing = not smoothing, smoothing or LEAST_SMOOTHING
        class_rows, by_slot, missing = counts.class_rows, counts.by_slot, counts.offset + counts.values
        known = np.add.reduceat(by_slot, counts.offset, axis=0) - by_slot[missing]
        if left_out is not None:
            class_rows, by_slot = class_rows.copy(), by_slot.copy()
            for taken_from in (class_rows, by_slot.T, known.T):
                taken_from[left_out] = np.maximum(taken_from[left_out] - weight, 0)
        # p(v|c) = numerator / denominator
        numerator = by_slot.T + smoothing
        denominator = np.repeat(known + smoothing * counts.values[:, None], counts.values + 1, axis=0).T
        numerator[:, missing] = denominator[:, missing] = 1.0
        unseen = (by_slot.T == 0) & np.repeat(known > 0, counts.values + 1, axis=0).T
        unseen[:, missing] = False
        log_odds = _log_ratio(numerator[:-1] * denominator[-1], numerator[-1] * denominator[:-1])
        log_rows = np.log(class_rows)
        zeros = (unseen[:-1].astype(np.float64) - unseen[-1])[:, None] if is_limit else None
        return cls(log_odds[:, None], (log_rows[:-1] - log_rows[-1])[:, None], zeros)

    @classmethod
    def join(cls, models: Sequence[LogOdds]) -> LogOdds:
        zeros = [model.zeros for model in models if model.zeros is not None]
        return cls(
            np.concatenate([model.by_slot for model in models], axis=1),
            np.concatenate([model.prior for model in models], axis=1),
            np.concatenate(zeros, axis=1) if zeros else None,
        )

    def raised_to(self, exponent: float) -> LogOdds:
        """The log-odds when all class weights are raised to a power. Any power of 0 is 0, so where p is 0 its logarithm
        is not multiplied.
        """
        by_slot = self.by_slot * exponent
        if self.zeros is not None:
            by_slot += self.zeros * (math.log(LEAST_SMOOTHING) * (1 - exponent))
        return LogOdds(by_slot, self.prior * exponent)


def _log_ratio(first: Floats, second: Floats) -> Floats:
    """log(first / second), exactly 0 where they differ by no more than the rounding of a few operations, and without
    losing digits where they are close: a feature without effect then scores exactly 0.
    """
    excess = (first - second) / second
    near = np.abs(excess) < 0.5
    logs = np.where(near, np.log1p(np.where(near, excess, 0.0)), np.log(first / second))
    logs[np.abs(excess) <= 4 * np.finfo(np.float64).eps] = 0.0
    return logs


class Shrinkage:
    """The power A ≤ 1 that all class weights are raised to in a round, so that chance alone makes no row certain. It
    never falls, because features only leave.

    Each p(v|c) is counted from finitely many rows, and so a random quantity: averaged over the v values of a feature,
    the variance of log p(v|c) is (v - 1)/N to first order, N rows of the class having a value; with smoothing α and V
    values that it knows, (v - 1)·N / (N + α·V)². Independent features add up to variance τ² of the difference between
    two classes' log-weights:

        τ² = 2/K · Σ_j Σ_c (v_j - 1) · N_jc / (N_jc + α·V_j)²,    A = 1 / (1 + τ²)

    If log-odds that tell the truth have mean ±δ/2 and variance δ, and chance adds τ², then the best that one factor can
    do is δ / (δ + τ²). A takes δ = 1, a modest problem. The chance part of A·L then has a standard deviation of at most
    ½.

    A power keeps the order of the classes, so no prediction changes. A depends only on the counts of all labelled rows:
    nothing is fitted, and the same A holds for every row, whichever rows its model leaves out.
    """

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
        """A note that probabilities are shrunk, if they are."""
        if not self.acts or not self.variance:
            return None
        done = f"log-odds were shrunk, to {1 / (1 + self.variance):.2g} of their size in the first round"
        why = f"because chance alone would move them by about ±{math.sqrt(self.variance):.2g}"
        such = "such probabilities rank well but are not calibrated"
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
    # Without rows of a class and without smoothing this is 0/0, and nothing that chance could move.
    each = np.divide(rows, smoothed**2, out=np.zeros_like(rows), where=rows > 0)
    variances: Floats = np.maximum(distinct - 1, 0) * each.sum(axis=1) * (2 / len(counts.class_rows))
    return variances
