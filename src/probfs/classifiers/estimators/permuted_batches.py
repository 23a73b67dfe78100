"""Rows with one feature permuted, predicted in large batches that hold many features, rows and shuffles at once.

A row whose donor has the same value keeps its probabilities, and a row that several shuffles give the same value is
predicted once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from probfs.classifiers.estimators.fitted_model import FittedModel
from probfs.classifiers.refitting.design_matrix import Positions
from probfs.classifiers.refitting.donors import Donors
from probfs.runtime.processes import in_threads, on_one_thread
from probfs.tables.table import Floats, Integers

CELLS_PER_BATCH = 1 << 22
"""Cells that an estimator is given in one call, at most: 32 MB of numbers."""
_LEAST_ROWS = 1 << 12
"""Fewer rows in a batch gain nothing by another thread."""
_LEAST_BATCHES = 4
_VALUES_PER_SHUFFLE = 4
"""Shuffles give a row the same value several times where a feature has no more values than this times the shuffles."""
_ROUNDING = 1e-13
"""A smaller change of a probability is rounding: estimators answer a little differently in other batches."""


@dataclass(frozen=True, eq=False)
class Exchanges:
    """Rows that get a feature from another row."""

    features: Integers
    """Equal ones stand beside each other."""
    rows: Integers
    """Counted within a block of rows."""
    donors: Positions
    shares: Floats
    """In which share of the shuffles the row has this value."""


def permute_in_batches(
    model: FittedModel, rows: Positions, donors: Donors, codes: Sequence[npt.NDArray[np.intp]], threads: int
) -> tuple[Floats, Floats]:
    """The probabilities of some rows, and by how much they exceed the mean ones with each feature permuted: classes ×
    rows, and classes × rows × features. ``codes`` are those of each feature of the model in all rows.
    """
    actual = model.probabilities(rows)
    exchanges = find_exchanges(rows, donors, codes)
    batches = _divide(len(exchanges.rows), model.cells.columns)

    def predict(batch: slice) -> Floats:
        table = model.cells.exchange(rows[exchanges.rows[batch]], exchanges.features[batch], exchanges.donors[batch])
        return model.predict(table)

    changes = np.zeros((len(actual), len(rows) * len(codes)))
    for batch, found in zip(batches, in_threads(on_one_thread(predict), batches, threads), strict=True):
        own, places = exchanges.rows[batch], exchanges.rows[batch] * len(codes) + exchanges.features[batch]
        for line, before, after in zip(changes, actual, found, strict=True):
            change = before[own] - after
            change[np.abs(change) < _ROUNDING] = 0
            line += np.bincount(places, weights=exchanges.shares[batch] * change, minlength=len(line))
    return actual, changes.reshape(len(actual), len(rows), len(codes))


def find_exchanges(rows: Positions, donors: Donors, codes: Sequence[npt.NDArray[np.intp]]) -> Exchanges:
    """All exchanges that change a value, each combination of a row, a feature and a new value once where that pays."""
    found = [_find_exchanges_of(own, rows, donors) for own in codes]
    features = np.repeat(np.arange(len(found)), [len(own) for own, _, _ in found])
    columns = [np.concatenate([np.empty(0, np.intp), *column]) for column in zip(*found, strict=True)]
    own, giving, times = columns or [np.empty(0, np.intp)] * 3
    return Exchanges(features, own.astype(np.int64), giving.astype(np.intp), times / len(donors))


def _find_exchanges_of(
    codes: npt.NDArray[np.intp], rows: Positions, donors: Donors
) -> tuple[Integers, Integers, Integers]:
    """For one feature: the rows, the donors, and how many shuffles do the same."""
    given = codes[donors]
    differs = given != codes[rows]
    own = np.broadcast_to(np.arange(len(rows)), donors.shape)[differs]
    giving = donors[differs]
    values = int(codes.max(initial=0)) + 1
    if values > _VALUES_PER_SHUFFLE * len(donors):
        return own, giving, np.ones(len(own), dtype=np.int64)
    _, first, times = np.unique(own * values + given[differs], return_index=True, return_counts=True)
    return own[first], giving[first], times


def _divide(exchanges: int, columns: int) -> list[slice]:
    """Batches that fit into memory, and several where they are large, for the threads to share."""
    most = max(1, CELLS_PER_BATCH // max(1, columns))
    size = min(most, max(_LEAST_ROWS, -(-exchanges // _LEAST_BATCHES)))
    return [slice(start, min(start + size, exchanges)) for start in range(0, exchanges, size)]
