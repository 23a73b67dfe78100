"""Naive Bayes as counts: how many rows of each class have each value, and the log-odds that rows look up.

Every value of every feature has a slot in one flat list: feature j owns the slots ``offset[j]`` to ``offset[j] +
values[j]``, the last of them for a missing cell, whose factor is 1 in every class (Kononenko 1991).

A model is a table of log-odds: for each slot and each class but the last, log p(v|c) - log p(v|last class). Leaving a
row out lowers three counts, of its class and its own values, so leave-one-out is another such table for each class.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from probfs.tables.arrays import Codes, Floats, Integers

LEAST_SMOOTHING = 1e-100
"""What smoothing 0 is: p(v|c) of a value that no row of the class has is then too small to be made up for by less than
some 200 nats of other evidence.
"""
IMPOSSIBLE = 200.0
"""Without smoothing, a class whose log-weight lies this far behind has probability 0. One such value costs 230."""
EVEN_ODDS = 1e-12
"""Log-odds this close to 0 come from equal probabilities, computed in another order."""
_CELLS_AT_A_TIME = 1 << 17
"""Cells of several features counted together, where features have few rows."""


@dataclass(frozen=True, eq=False)
class SlotLayout:
    """Which slots each feature owns."""

    values: Integers
    offset: Integers
    slots: int

    @classmethod
    def of(cls, values: Sequence[int]) -> SlotLayout:
        widths = np.asarray(values, dtype=np.int64) + 1
        ends = np.cumsum(widths)
        return cls(widths - 1, ends - widths, int(widths.sum()))

    @property
    def code_dtype(self) -> np.dtype[Any]:
        """The narrowest dtype that fits the codes of all features, a missing cell's included."""
        return np.min_scalar_type(int(self.values.max(initial=0)))

    @property
    def missing(self) -> Integers:
        """The slot of each feature's missing cells."""
        return self.offset + self.values

    def spread(self, by_feature: Floats) -> Floats:
        """An array with one entry for each feature -> one with an entry for each slot."""
        return np.repeat(by_feature, self.values + 1, axis=0)

    def slots_of(self, features: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """The slots of some features, in ascending order."""
        chosen = np.zeros(len(self.values), dtype=np.bool_)
        chosen[features] = True
        return np.flatnonzero(np.repeat(chosen, self.values + 1))

    def count(self, codes: Codes, counts: Floats) -> Floats:
        """How many of these rows have each value, slot by slot; ``codes`` is a matrix of features × rows."""
        by_slot = np.empty(self.slots)
        # Counting is faster than adding up weights of 1.
        single = bool((counts == 1).all())
        at_a_time = max(1, _CELLS_AT_A_TIME // max(1, len(counts)))
        for first in range(0, len(codes), at_a_time):
            block = codes[first : first + at_a_time]
            start = int(self.offset[first])
            end = int(self.offset[first + len(block)]) if first + len(block) < len(codes) else self.slots
            places = block + (self.offset[first : first + len(block), None] - start)
            weights = None if single else np.broadcast_to(counts, places.shape).ravel()
            by_slot[start:end] = np.bincount(places.ravel(), weights, minlength=end - start)
        return by_slot


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """How many rows each class has, in all and at each slot (slots × classes)."""

    rows: Floats
    by_slot: Floats

    def without(self, other: ClassCounts) -> ClassCounts:
        """The counts of the training rows that are left when some rows are held out."""
        return ClassCounts(self.rows - other.rows, self.by_slot - other.by_slot)


@dataclass(frozen=True, eq=False)
class LogOdds:
    """A model: what each slot, and the class frequencies, add to the log-odds of each class against the last."""

    by_slot: Floats
    """(classes - 1) × slots."""
    prior: Floats
    zeros: Floats | None = None
    """Without smoothing, at each entry the values that no row of the class has, less those of the last class: -1, 0 or
    1. None otherwise.
    """

    @classmethod
    def of(cls, counts: ClassCounts, layout: SlotLayout, smoothing: float, left_out: int | None = None) -> LogOdds:
        """The model of these counts or, with ``left_out``, of the counts without one row of that class, for this row.

        Without the row there is one row less in its class and at each of its own slots. So a table of leave-one-out
        holds only for slots that some row of the class has, and only these are looked up for such rows.
        """
        is_limit, smoothing = not smoothing, smoothing or LEAST_SMOOTHING
        class_rows, by_slot = counts.rows, counts.by_slot
        known = np.add.reduceat(by_slot, layout.offset, axis=0) - by_slot[layout.missing]
        if left_out is not None:
            class_rows, by_slot = class_rows.copy(), by_slot.copy()
            for taken_from in (class_rows, by_slot.T, known.T):
                taken_from[left_out] = np.maximum(taken_from[left_out] - 1, 0)
        # p(v|c) = share / whole.
        share = by_slot.T + smoothing
        whole = layout.spread(known + smoothing * layout.values[:, None]).T
        share[:, layout.missing] = whole[:, layout.missing] = 1.0
        log_rows = np.log(class_rows)
        zeros = None
        if is_limit:
            unseen = (share < 1) & (whole >= 1)
            zeros = unseen[:-1].astype(np.float64) - unseen[-1]
        return cls(_log_ratio(share[:-1] * whole[-1], share[-1] * whole[:-1]), log_rows[:-1] - log_rows[-1], zeros)

    def for_exponent(self, exponent: float) -> LogOdds:
        """The log-odds to be multiplied by an exponent: any power of 0 is 0, so that smoothing 0 is not shrunk."""
        if self.zeros is None:
            return self
        return replace(self, by_slot=self.by_slot + self.zeros * (math.log(LEAST_SMOOTHING) * (1 / exponent - 1)))

    @property
    def squared_range(self) -> Floats:
        """At each slot, the square of the largest difference between two classes' log p(v|c)."""
        spread: Floats = self.by_slot.max(axis=0).clip(0.0) - self.by_slot.min(axis=0).clip(max=0.0)
        return spread**2


def _log_ratio(first: Floats, second: Floats) -> Floats:
    """log(first / second), exactly 0 where they differ by no more than the rounding of a few operations, and without
    losing digits where they are close: a feature without effect then scores exactly 0.
    """
    excess = (first - second) / second
    near = np.abs(excess) < 0.5
    logs = np.where(near, np.log1p(np.where(near, excess, 0.0)), np.log(first / second))
    logs[np.abs(excess) <= 4 * np.finfo(np.float64).eps] = 0.0
    return logs
