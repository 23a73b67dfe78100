"""Naive Bayes as counts: how often each class holds each value, and the factors that follow for a row left out or not.

The values of all features stand in one flat list; feature j owns the slots ``offset[j]`` … ``offset[j] + values[j]``,
the last of them for a missing cell, whose factor is 1 in every class (Kononenko 1991).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from probfs.tables.table import Codes, Floats, Integers


@dataclass(frozen=True, eq=False)
class Layout:
    """Where each feature's values stand in the flat list."""

    values: Integers
    offset: Integers
    slots: int

    @classmethod
    def of(cls, values: Sequence[int]) -> Layout:
        widths = np.asarray(values, dtype=np.int64) + 1
        ends = np.cumsum(widths)
        return cls(widths - 1, ends - widths, int(ends[-1]))

    def spread(self, by_feature: Floats) -> Floats:
        """One entry a feature -> one entry a slot."""
        return np.repeat(by_feature, self.values + 1, axis=0)

    def count(self, codes: Iterable[Codes], counts: Floats) -> Floats:
        """How many of these rows hold each value, slot by slot."""
        # To count is faster than to add up ones.
        weights = None if (counts == 1).all() else counts
        parts = [
            np.bincount(column, weights=weights, minlength=int(values) + 1).astype(np.float64)
            for column, values in zip(codes, self.values, strict=True)
        ]
        return np.concatenate(parts)


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """The rows of each class, in all and by value: what a Naive Bayes model is made of."""

    rows: Floats
    by_slot: Floats

    def without(self, other: ClassCounts) -> ClassCounts:
        """The counts of a training set from which some rows were held out."""
        return ClassCounts(self.rows - other.rows, self.by_slot - other.by_slot)

    def held(self, label: int | None) -> npt.NDArray[np.bool_]:
        """The slots that some row of the class holds, or with no class some row of any.

        A model without the row itself means nothing for others.
        """
        return np.asarray(self.by_slot[:, slice(None) if label is None else [label]].any(axis=1))

    def without_own(self, label: int) -> ClassCounts:
        """What a row of this class sees when it is left out: one row less in its class and at each of its own values.

        Only the slots that a row of the class really uses are right, and only those are looked up.
        """
        rows, by_slot = self.rows.copy(), self.by_slot.copy()
        rows[label] -= 1
        by_slot[:, label] = np.maximum(by_slot[:, label] - 1, 0)
        return ClassCounts(rows, by_slot)


@dataclass(frozen=True, eq=False)
class Model:
    """Class-conditional factors p(v|c) = share / whole for every slot, and the logarithm of each class's prior.

    Without smoothing a value that a class never shows has factor α/N_jc for an α on its way to 0. Such a factor is
    marked in ``zeros`` and its share is 1, so that what stays beside the α is kept; classes with fewer zeros win.
    """

    share: Floats
    whole: Floats
    zeros: npt.NDArray[np.bool_] | None
    log_prior: Floats

    @classmethod
    def of(cls, counts: ClassCounts, layout: Layout, smoothing: float, left_out: int | None = None) -> Model:
        """The model of these counts; with ``left_out``, as each row of that class sees it when it is left out."""
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
    """Whether positive numbers differ by no more than the rounding of a few operations."""
    return np.abs(first - second) <= 4 * np.finfo(np.float64).eps * first


def _rows_with_a_value(by_slot: Floats, layout: Layout) -> Floats:
    """N_jc at every slot of feature j: its rows of class c that are not missing there."""
    totals = np.add.reduceat(by_slot, layout.offset, axis=0) - by_slot[layout.offset + layout.values]
    return layout.spread(totals)
