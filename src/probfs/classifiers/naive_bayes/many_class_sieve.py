"""The sieve of more than two classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from probfs.classifiers.naive_bayes.compiled_many_class_rows import CompiledManyClassRows
from probfs.classifiers.naive_bayes.counts import ClassCounts
from probfs.classifiers.naive_bayes.sieve import Sieve
from probfs.classifiers.protocol import Features
from probfs.kernels.loops.many_class_sieve_scan import count_padded_rows, sift_many_class_features
from probfs.kernels.loops.sieve_bounds import ROWS_PER_CHECK
from probfs.tables.table import Floats, Integers

_MAX_CLASSES = 50
"""The bound on rounding errors holds for no more."""
_MAX_EXCESS = 3e5
"""The same for 1 + E, at exponent 1, times the number of classes."""


class ManyClassSieve(Sieve):
    """A sieve in which a row's tables are always those of its most probable class."""

    def __init__(self, rows: Sequence[CompiledManyClassRows], counts: ClassCounts, absolute: bool) -> None:
        self._groups = rows
        self._layout = rows[0].layout
        self._classes = classes = len(counts.rows)
        sizes = [len(own.counts) for own in rows]
        self._models = np.repeat(np.arange(len(rows)), sizes)
        # Only absolute scores have rows without a class of their own: which class is noted for these does not matter.
        self._labels = np.repeat([own.label or 0 for own in rows], sizes)
        self._log_weights = np.empty((classes, sum(sizes)))
        self._weights_of_rows = np.split(self._log_weights, np.cumsum(sizes)[:-1], axis=1)
        self._tables = np.empty(len(rows) * classes * self._layout.slots, dtype=np.float32)
        self._widths = self._layout.values + 1
        self._base = self._layout.offset * (len(rows) * classes)
        arguments = {
            "base": self._base,
            "widths": self._widths,
            "tables": self._tables,
            "classes": classes,
            "log_weights": self._log_weights,
            **_scratch_space(classes, sum(sizes)),
        }
        dtype = rows[0].codes.dtype
        super().__init__(rows, counts, absolute, sift_many_class_features, dtype, self._widths, arguments)

    @staticmethod
    def can_sift(rows: Sequence[CompiledManyClassRows]) -> bool:
        """Whether the bounds hold for these rows."""
        classes = len(rows[0].high)
        # At exponent 1, the largest that there can be.
        most = max(float(np.ptp(own.tables.logs, axis=0).max()) for own in rows)
        return classes <= _MAX_CLASSES and classes * np.exp(most) <= _MAX_EXCESS

    def _fill_tables(self, active: Features) -> None:
        slots = self._layout.slots_of(active)
        feature = np.repeat(np.arange(len(self._widths)), self._widths)[slots]
        first = self._base[feature] + slots - self._layout.offset[feature]
        for model, own in enumerate(self._groups):
            for c, excess in enumerate(own.excess[:, own.label or 0]):
                self._tables[first + (model * self._classes + c) * self._widths[feature]] = excess[slots]

    def _largest_log_odds(self) -> Floats:
        spans = [np.maximum.reduceat(np.ptp(own.tables.logs, axis=0), self._layout.offset) for own in self._groups]
        largest: Floats = np.max(spans, axis=0)
        return largest

    def _largest_falls(self) -> Floats:
        falls = np.zeros((len(self._layout.offset), self._classes, 2))
        for group in self._groups:
            if group.label is None:
                continue
            held = self._counts_of_classes.is_held(group.label)
            own, other = -group.excess[:, group.label].min(axis=0), group.excess[group.label].max(axis=0)
            taken = np.where(held, np.stack([own, other]), 0.0)
            of_class = falls[:, group.label]
            np.maximum(of_class, np.maximum.reduceat(taken, self._layout.offset, axis=1).T, out=of_class)
        return falls

    def _compute_weights(self) -> None:
        for rows, weights in zip(self._groups, self._weights_of_rows, strict=True):
            np.add(rows.high, rows.low, out=weights)
            weights *= rows.exponent

    def _gaps(self) -> Floats:
        second, first = np.partition(self._log_weights, -2, axis=0)[-2:]
        gaps: Floats = first - second
        return gaps

    def _arrange_rows(self, order: npt.NDArray[np.intp]) -> tuple[Integers, Mapping[str, npt.NDArray[Any]]]:
        # Codes are left as they are: which table they are looked up in changes with the row's most probable class.
        return np.zeros_like(order), {"models": self._models[order], "labels": self._labels[order]}


def _scratch_space(classes: int, rows: int) -> dict[str, npt.NDArray[Any]]:
    padded = count_padded_rows(rows)
    lead, scale, own_weight = np.empty((3, padded), dtype=np.float32)
    table, top = np.empty((2, padded), dtype=np.int32)
    at_top, mean, size = np.empty((3, ROWS_PER_CHECK), dtype=np.float32)
    return {
        "ratio": np.empty((classes, padded)),
        "weight": np.empty((classes, padded), dtype=np.float32),
        "table": table,
        "top": top,
        "lead": lead,
        "scale": scale,
        "own_weight": own_weight,
        "place": np.empty(ROWS_PER_CHECK, dtype=np.int32),
        "each": np.empty((classes, ROWS_PER_CHECK), dtype=np.float32),
        "at_top": at_top,
        "mean": mean,
        "size": size,
    }
