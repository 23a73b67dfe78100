"""Many-class rows whose loops over cells are compiled."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from probfs.classifiers.naive_bayes.many_class_rows import ManyClassRows
from probfs.classifiers.naive_bayes.row_loops import RowLoops
from probfs.classifiers.sums import Fit, Sums
from probfs.kernels.kernel import BoundKernel
from probfs.kernels.loops.many_class_changes import ROWS_PER_STRIP, sum_many_class_changes, update_many_class_rows
from probfs.tables.table import Floats


class CompiledManyClassRows(ManyClassRows):
    """The rows of one class and one model, as in numpy."""

    def __init__(self, rows: ManyClassRows) -> None:
        """The model may have no zeros, and its tables must not be too large."""
        super().__init__(rows.codes, rows.counts, rows.label, rows.layout, rows.tables)
        classes, size = self.high.shape
        self._exponent = np.ones(1)
        self.excess = self._tabulate_excess(slice(None))
        arguments = {
            "codes": rows.codes,
            "rows": size,
            "offsets": self.layout.offset,
            "slots": self.layout.slots,
            "classes": classes,
            "counts": self.counts,
            "label": -1 if rows.label is None else rows.label,
            "top": np.zeros(size, dtype=np.int64),
            "probabilities": np.empty((classes, size)),
        }
        weights = {"high": self.high, "low": self.low, "exponent": self._exponent}
        bind_update = partial(update_many_class_rows.bind, **arguments, **weights, logs=self.tables.logs)
        bind_sums = partial(_bind_sums, **arguments, excess=self.excess)
        self._loops = RowLoops(rows.codes, classes, bind_update, bind_sums)

    def update(self, features: npt.NDArray[np.intp], sign: int = 1) -> None:
        self._loops.update(features, sign)

    def set_exponent(self, exponent: float, features: npt.NDArray[np.intp]) -> None:
        super().set_exponent(exponent, features)
        self._exponent[0] = exponent
        slots = self.layout.slots_of(features)
        self.excess[:, :, slots] = self._tabulate_excess(slots)
        self.update(features[:0])

    def sum_changes(self, features: npt.NDArray[np.intp], shift: int = 0) -> Sums:
        return super().sum_changes(features, shift) if shift else self._loops.sum_changes(features)

    def least_gap(self) -> float:
        return self._loops.least_gap()

    def fit(self) -> Fit:
        return self._loops.fit()

    def _tabulate_excess(self, slots: npt.NDArray[np.intp] | slice) -> Floats:
        """e of every class, for every class that may be the top class, at some slots."""
        parts, factors = self.distinct_parts[:, slots], self.factors[:, slots]
        return np.ascontiguousarray((parts[None] - parts[:, None]) / factors[:, None])


def _bind_sums(**arguments: Any) -> BoundKernel:
    """The loop that sums changes, with scratch space for one thread."""
    start, (mean, change) = np.empty(ROWS_PER_STRIP, dtype=np.int32), np.empty((2, ROWS_PER_STRIP))
    each = np.empty((arguments["classes"], ROWS_PER_STRIP))
    return sum_many_class_changes.bind(**arguments, start=start, mean=mean, change=change, each=each)
