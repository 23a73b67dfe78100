"""Two-class rows whose loops over cells are compiled."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from probfs.classifiers.naive_bayes.counts import ClassCounts
from probfs.classifiers.naive_bayes.row_loops import RowLoops
from probfs.classifiers.naive_bayes.rows import Rows
from probfs.classifiers.naive_bayes.two_class_rows import TwoClassRows
from probfs.classifiers.row_odds import RowOdds
from probfs.classifiers.sums import Fit, Sums
from probfs.kernels.constants import ROWS_PER_BLOCK
from probfs.kernels.kernel import BoundKernel
from probfs.kernels.loops.two_class_changes import sum_two_class_changes, update_two_class_rows
from probfs.tables.table import Codes, Floats


class CompiledTwoClassRows(Rows):
    """The rows of all groups together, whichever class and model they belong to."""

    def __init__(self, codes: Codes, groups: Sequence[TwoClassRows]) -> None:
        """``codes`` are those of all groups, one after the other; no model may have zeros."""
        self.codes = codes
        self.layout = groups[0].layout
        self.groups = groups
        self.high = np.concatenate([group.high for group in groups])
        self.low = np.concatenate([group.low for group in groups])
        self.counts = np.concatenate([-group.counts if group.label == 1 else group.counts for group in groups])
        sizes = [len(group.counts) for group in groups]
        ends = np.cumsum(sizes)[:-1]
        self._exponent = np.ones(1)
        tables = np.concatenate([table for own in groups for table in (own.tables.excess, own.tables.log_odds)])
        by_group = zip(
            groups, np.split(self.high, ends), np.split(self.low, ends), np.split(tables, len(groups)), strict=True
        )
        for group, high, low, own in by_group:
            # The groups do what is left to numpy, so they must see every update, and the loops every new exponent.
            group.high, group.low = high, low
            group.tables = replace(group.tables, excess=own[: 2 * self.layout.slots])
        model_start = np.repeat(np.arange(len(groups)) * 3 * self.layout.slots, sizes).astype(np.int32)
        arguments = {
            "codes": codes,
            "rows": codes.shape[1],
            "offsets": self.layout.offset,
            "tables": tables,
            "slots": self.layout.slots,
            "model_start": model_start,
            "high": self.high,
            "low": self.low,
            "exponent": self._exponent,
            "counts": self.counts,
        }
        counts_are_one = bool((np.abs(self.counts) == 1).all())
        bind_update = partial(update_two_class_rows.bind, **arguments, counts_are_one=counts_are_one)
        self._loops = RowLoops(codes, 1, bind_update, partial(_bind_sums, **arguments))

    def update(self, features: npt.NDArray[np.intp], sign: int = 1) -> None:
        self._loops.update(features, sign)

    @property
    def exponent(self) -> float:
        return float(self._exponent[0])

    def set_exponent(self, exponent: float, features: npt.NDArray[np.intp]) -> None:
        self._exponent[0] = exponent
        for group in self.groups:
            group.set_exponent(exponent, features)
        self.update(features[:0])

    def sum_changes(self, features: npt.NDArray[np.intp], shift: int = 0) -> Sums:
        if shift:
            return reduce(operator.add, (group.sum_changes(features, shift) for group in self.groups))
        return self._loops.sum_changes(features)

    def least_gap(self) -> float:
        return self._loops.least_gap()

    def fit(self) -> Fit:
        return self._loops.fit()

    def odds(self) -> RowOdds:
        # The counts of rows whose own class is 1 are negative.
        against_own = -np.sign(self.counts) * (self.high + self.low)
        return RowOdds(against_own[None], np.abs(self.counts), self.fit().errors)

    def largest_excess(self) -> Floats:
        largest: Floats = np.max([group.largest_excess() for group in self.groups], axis=0)
        return largest

    def nearest_changes(self, features: npt.NDArray[np.intp]) -> Floats:
        nearest: Floats = np.min([group.nearest_changes(features) for group in self.groups], axis=0)
        return nearest

    def reach(self, counts: ClassCounts) -> Floats | None:
        reaches = [reach for group in self.groups if (reach := group.reach(counts)) is not None]
        return np.max(reaches, axis=0) if reaches else None

    def squared_ranges(self) -> Floats:
        total: Floats = np.sum([group.squared_ranges() for group in self.groups], axis=0)
        return total


def _bind_sums(**arguments: Any) -> BoundKernel:
    """The loop that sums changes, with scratch space for one thread."""
    size = min(arguments["rows"], ROWS_PER_BLOCK)
    start, (q, weight) = np.empty(size, dtype=np.int32), np.empty((2, size))
    return sum_two_class_changes.bind(**arguments, start=start, q=q, weight=weight)
