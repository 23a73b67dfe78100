"""Rows of large tables: the same arithmetic, with its loops over cells compiled."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from probfs.backends import compiled
from probfs.backends.counts import Layout
from probfs.backends.many_classes import FactorTables, ManyClassRows
from probfs.backends.sums import Fit, Sums
from probfs.backends.two_class import OddsTables, TwoClassRows
from probfs.table import Codes, Floats

MOST_TABLE_CELLS = 1 << 22
"""Beyond this the tables of many classes would not stay in the cache, and take long to make."""


class LargeTwoClassRows(TwoClassRows):
    """Two classes; without smoothing the zeros need more than these loops do, and numpy does it all."""

    def __init__(self, codes: Codes, counts: Floats, label: int | None, layout: Layout, tables: OddsTables) -> None:
        super().__init__(codes, counts, label, layout, tables)
        rows = codes.shape[1]
        self._blocks = (rows + compiled.BLOCK - 1) // compiled.BLOCK
        self._counts_are_one = bool((counts == 1).all())
        self._start = np.empty(rows, dtype=np.int32)
        self._q = np.empty(rows)
        self._signed_weight = np.empty(rows)
        self._state: Floats | None = None

    def add(self, features: npt.NDArray[np.intp], sign: int = 1) -> None:
        if self.zeros is not None:
            super().add(features, sign)
            return
        compiled.two_class_add(
            self.codes, features, self.layout.offset, self.tables.log_odds, float(sign), self.high, self.low
        )
        self._state = None

    def least_gap(self) -> float:
        if self.zeros is not None:
            return super().least_gap()
        return float(self._current()[:, 3].min(initial=np.inf))

    def sums(self, features: npt.NDArray[np.intp], shift: int = 0) -> Sums:
        if shift or self.zeros is not None:
            return super().sums(features, shift)
        self._current()
        absolute, signed = np.empty((self._blocks, len(features))), np.empty((self._blocks, len(features)))
        compiled.two_class_sums(
            self.codes,
            features,
            self.layout.offset,
            self.tables.excess,
            self._start,
            self._q,
            self._signed_weight,
            absolute,
            signed,
        )
        return Sums(absolute.sum(axis=0), signed.sum(axis=0))

    def fit(self) -> Fit:
        if self.zeros is not None:
            return super().fit()
        errors, miss, loss, _ = self._current().sum(axis=0).tolist()
        return Fit(errors, miss, loss)

    def _current(self) -> Floats:
        """Bring what follows from the log-odds up to date; each block's errors, losses and least gap."""
        if self._state is None:
            self._state = np.empty((self._blocks, 4))
            compiled.two_class_state(
                self.high,
                self.low,
                self.counts,
                self._counts_are_one,
                -1.0 if self.label == 1 else 1.0,
                self.layout.slots,
                self._start,
                self._q,
                self._signed_weight,
                self._state,
            )
        return self._state


class LargeManyClassRows(ManyClassRows):
    """Any number of classes."""

    def __init__(self, codes: Codes, counts: Floats, label: int | None, layout: Layout, tables: FactorTables) -> None:
        super().__init__(codes, counts, label, layout, tables)
        self._excess_table = None if tables.zeros is not None else _excess_tables(tables.factors)

    def sums(self, features: npt.NDArray[np.intp], shift: int = 0) -> Sums:
        if shift or self._excess_table is None:
            return super().sums(features, shift)
        behind, top = self._behind()
        weights = np.exp(-behind)
        probabilities = np.ascontiguousarray((weights / weights.sum(axis=0)).T)
        blocks = (len(top) + compiled.BLOCK - 1) // compiled.BLOCK
        absolute, signed = np.empty((blocks, len(features))), np.empty((blocks, len(features)))
        label = -1 if self.label is None else self.label
        compiled.many_class_sums(
            self.codes,
            features,
            self.layout.offset,
            self._excess_table,
            top,
            probabilities,
            self.counts,
            label,
            absolute,
            signed,
        )
        return Sums(absolute.sum(axis=0), signed.sum(axis=0))


def _excess_tables(factors: Floats) -> Floats | None:
    """(f_top - f_c) / f_c for every top class, slot and class; none where that would be too much."""
    classes, slots = factors.shape
    if classes * classes * slots > MOST_TABLE_CELLS:
        return None
    return np.ascontiguousarray((factors[:, :, None] - factors.T[None]) / factors.T[None])
