"""Naive Bayes as counts: how many rows of each class have each value, and the conditional probabilities p(v|c) that
follow from the counts, for a row left out or not.

Every value of every feature has a slot in one flat list: feature j owns the slots ``offset[j]`` to ``offset[j] +
values[j]``, the last of them for a missing cell, whose factor is 1 in every class (Kononenko 1991).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from probfs.tables.table import Codes, Floats, Integers

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

    def spread(self, by_feature: Floats) -> Floats:
        """An array with one entry for each feature -> one with an entry for each slot."""
        return np.repeat(by_feature, self.values + 1, axis=0)

    def slots_of(self, features: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """The slots of some features, in ascending order."""
        chosen = np.zeros(len(self.values), dtype=np.bool_)
        chosen[features] = True
        return np.flatnonzero(np.repeat(chosen, self.values + 1))

    def count(self, codes: Codes, counts: Floats) -> Floats:
        """How many of these rows have each value, slot by slot; ``codes`` has a line for each feature."""
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
    """How many rows each class has, in all and at each slot."""

    rows: Floats
    by_slot: Floats

    def without(self, other: ClassCounts) -> ClassCounts:
        """The counts of the training set that is left when some rows are held out."""
        return ClassCounts(self.rows - other.rows, self.by_slot - other.by_slot)

    def is_held(self, label: int | None) -> npt.NDArray[np.bool_]:
        """Whether some row of the class, or without a label some row of any class, is counted at each slot.

        At other slots the model that leaves a row of the class out has no meaning.
        """
        return np.asarray(self.by_slot[:, slice(None) if label is None else [label]].any(axis=1))

    def without_own(self, label: int) -> ClassCounts:
        """The counts without one row of a class: one row less in the class and at each of the row's own slots.

        This holds only for slots that some row of the class has, and only those are looked up for such rows.
        """
        rows, by_slot = self.rows.copy(), self.by_slot.copy()
        rows[label] -= 1
        by_slot[:, label] = np.maximum(by_slot[:, label] - 1, 0)
        return ClassCounts(rows, by_slot)


@dataclass(frozen=True, eq=False)
class ClassConditionals:
    """The class-conditional probabilities p(v|c) = share / whole of every slot, and the logarithms of the class priors.

    Without smoothing, a value that no row of a class has is given p(v|c) = α/N_jc in the limit α → 0. It is marked in
    ``zeros`` and its share is 1, so that the factor 1/N_jc is kept; classes with fewer zeros win.
    """

    share: Floats
    whole: Floats
    zeros: npt.NDArray[np.bool_] | None
    log_prior: Floats

    @classmethod
    def of(
        cls, counts: ClassCounts, layout: SlotLayout, smoothing: float, left_out: int | None = None
    ) -> ClassConditionals:
        """The model of these counts or, with ``left_out``, the model without a row of that class, for this row."""
        seen = _rows_with_a_value(counts.by_slot, layout)
        if left_out is not None:
            counts = counts.without_own(left_out)
            seen[:, left_out] = np.maximum(seen[:, left_out] - 1, 0)
        values = layout.spread(layout.values.astype(np.float64))[:, None]
        zeros = None
        if smoothing > 0:
            share = counts.by_slot + smoothing
            whole = seen + smoothing * values
        else:
            zeros = (counts.by_slot == 0) & (seen > 0)
            share = np.where(counts.by_slot == 0, 1.0, counts.by_slot)
            whole = np.where(seen == 0, values, seen)
        missing = layout.offset + layout.values
        share[missing] = whole[missing] = 1.0
        if zeros is not None:
            zeros[missing] = False
        return cls(share, whole, zeros, np.log(counts.rows) - np.log(counts.rows.sum()))


def nearly_equal(first: Floats, second: Floats) -> npt.NDArray[np.bool_]:
    """Whether positive numbers differ by no more than the rounding errors of a few operations."""
    return np.abs(first - second) <= 4 * np.finfo(np.float64).eps * first


def _rows_with_a_value(by_slot: Floats, layout: SlotLayout) -> Floats:
    """N_jc at every slot of feature j: the rows of class c in which the feature is not missing."""
    totals = np.add.reduceat(by_slot, layout.offset, axis=0) - by_slot[layout.offset + layout.values]
    return layout.spread(totals)
