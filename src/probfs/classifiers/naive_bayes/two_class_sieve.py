"""The sieve of two classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from probfs.classifiers.naive_bayes.compiled_two_class_rows import CompiledTwoClassRows
from probfs.classifiers.naive_bayes.counts import ClassCounts
from probfs.classifiers.naive_bayes.sieve import Sieve
from probfs.classifiers.naive_bayes.two_class_rows import TwoClassRows
from probfs.classifiers.protocol import Features
from probfs.kernels.loops.sieve_bounds import ROWS_PER_CHECK, count_checks
from probfs.kernels.loops.sieve_scan import MAX_LOSS, sift_features
from probfs.tables.table import Floats, Integers

_MAX_PLACES = 1 << 16
"""In the tables of one feature, so that a place takes two bytes at most."""
_MAX_EXCESS = 1e6
"""Of features with larger e at exponent 1, even rows whose weight is too small for single precision might matter."""
_MIN_EXCESS = 2.0**-51
"""Times the exponent: no e is smaller unless it is 0, because nearly equal factors are made equal."""


class TwoClassSieve(Sieve):
    """A sieve in which a row keeps the tables of the class that was more probable when rows were put in order."""

    def __init__(self, rows: Sequence[CompiledTwoClassRows], counts: ClassCounts, absolute: bool) -> None:
        self._groups = [group for own in rows for group in own.groups]
        self._tables = _SieveTables(self._groups)
        sizes = [len(own.counts) for own in rows]
        self._odds = np.empty(sum(sizes))
        self._odds_of_rows = np.split(self._odds, np.cumsum(sizes)[:-1])
        arguments = {
            "base": self._tables.base,
            "tables": self._tables.reciprocals,
            "odds": self._odds,
            **_scratch_space(len(self._odds)),
        }
        dtype, widths = self._tables.place_dtype, self._tables.widths
        super().__init__(rows, counts, absolute, sift_features, dtype, widths, arguments)

    @staticmethod
    def can_sift(rows: Sequence[CompiledTwoClassRows]) -> bool:
        """Whether the bounds hold for these rows, and places in the tables are small enough."""
        groups = [group for own in rows for group in own.groups]
        # At exponent 1, the largest that there can be.
        most = max(float(np.expm1(np.abs(group.tables.log_odds).max())) for group in groups)
        if 2 * len(groups) * (int(groups[0].layout.values.max()) + 1) > _MAX_PLACES or most > _MAX_EXCESS:
            return False
        largest_sum = sum(float(np.abs(own.counts).sum()) for own in rows) * (1 + most)
        return largest_sum <= MAX_LOSS * _MIN_EXCESS * rows[0].exponent

    def _fill_tables(self, active: Features) -> None:
        self._tables.fill(self._groups, active)

    def _largest_log_odds(self) -> Floats:
        offset = self._groups[0].layout.offset
        sizes = [np.maximum.reduceat(np.abs(group.tables.log_odds), offset) for group in self._groups]
        largest: Floats = np.max(sizes, axis=0)
        return largest

    def _largest_falls(self) -> Floats:
        offset = self._groups[0].layout.offset
        falls = np.zeros((len(offset), 2, 2))
        for group in self._groups:
            held = self._counts_of_classes.is_held(group.label)
            first, second = np.where(held, group.tables.excess.reshape(2, -1), 0.0)
            own, other = (second, first) if group.label == 1 else (first, second)
            by_feature = np.stack([np.maximum.reduceat(taking, offset) for taking in (-own, other)], axis=1)
            of_class = falls[:, 1 if group.label == 1 else 0]
            np.maximum(of_class, by_feature, out=of_class)
        return falls

    def _compute_weights(self) -> None:
        for rows, odds in zip(self._rows, self._odds_of_rows, strict=True):
            np.add(rows.high, rows.low, out=odds)
            odds *= rows.exponent

    def _gaps(self) -> Floats:
        return np.abs(self._odds)

    def _arrange_rows(self, order: npt.NDArray[np.intp]) -> tuple[Integers, Mapping[str, npt.NDArray[Any]]]:
        towards = np.where(self._odds[order] >= 0, 1.0, -1.0)
        return self._tables.first_table[order] + (towards < 0), {"towards": towards}


class _SieveTables:
    """1/e for the rows of all groups: for each feature, the tables of all groups one after the other."""

    def __init__(self, groups: Sequence[TwoClassRows]) -> None:
        self._layout = layout = groups[0].layout
        # Each group has two tables, for rows that favour class 0 and class 1; a feature's tables are equally wide.
        tables = 2 * len(groups)
        self.widths = layout.values + 1
        self.base = layout.offset * tables
        self.first_table = 2 * np.repeat(np.arange(len(groups)), [len(group.counts) for group in groups])
        self.place_dtype = np.min_scalar_type(tables * int(self.widths.max()) - 1)
        self.reciprocals = np.empty(tables * layout.slots, dtype=np.float32)

    def fill(self, groups: Sequence[TwoClassRows], features: Features) -> None:
        """Fill in the tables of some features from those of the groups."""
        slots = self._layout.slots_of(features)
        feature = np.repeat(np.arange(len(self.widths)), self.widths)[slots]
        first = self.base[feature] + slots - self._layout.offset[feature]
        with np.errstate(divide="ignore", over="ignore"):
            for number, group in enumerate(groups):
                for side, excess in enumerate(group.tables.excess.reshape(2, -1)):
                    # Infinity where a feature changes nothing.
                    self.reciprocals[first + (2 * number + side) * self.widths[feature]] = 1 / excess[slots]


def _scratch_space(rows: int) -> dict[str, npt.NDArray[Any]]:
    q, weight, loss = np.empty((3, count_checks(rows) * ROWS_PER_CHECK), dtype=np.float32)
    return {"favour": np.empty(rows), "q": q, "weight": weight, "loss": loss}
