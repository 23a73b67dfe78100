"""Features -> a matrix of numbers: quantities standardised, categories one column for each value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from probfs.backends import Features
from probfs.encoding import Dataset, Feature
from probfs.errors import DataError
from probfs.table import Codes, Floats, Integers
from probfs.text import counted, quoted

MOST_CELLS = 250_000_000
"""A matrix of more cells than this (2 GB) is refused: some column has a value of its own in nearly every row."""

FARTHEST = 1e6
"""A row that no model was trained on may lie at most so many standard deviations away, so that squares stay finite."""


@dataclass(frozen=True, eq=False)
class Matrix:
    """Labelled rows and, below them, unlabelled ones; the columns of one feature stand side by side."""

    cells: Floats
    widths: Integers
    """How many columns each feature has: none if it is the same in all rows that a model is trained on."""

    @property
    def features(self) -> int:
        return len(self.widths)

    def columns(self, feature: int) -> slice:
        start = int(self.widths[:feature].sum())
        return slice(start, start + int(self.widths[feature]))

    def without(self, feature: int) -> Matrix:
        """The matrix that is left when a feature is taken away."""
        return Matrix(np.delete(self.cells, self.columns(feature), axis=1), np.delete(self.widths, feature))


class Design:
    """A dataset's features, ready to be turned into the matrix that suits any set of training rows."""

    def __init__(self, dataset: Dataset) -> None:
        self.labelled_rows = len(dataset.labels)
        self.rows = self.labelled_rows + len(dataset.unlabelled_counts)
        self._features = [_raw(feature) for feature in dataset.features]
        _check_size(dataset, self.rows)

    def matrix(self, features: Features, training: Integers) -> Matrix:
        """All rows in the features asked for, as a model sees them that is trained on so many of each labelled row."""
        blocks = [self._features[feature].columns(training) for feature in features.tolist()]
        cells = np.hstack(blocks) if blocks else np.empty((self.rows, 0))
        return Matrix(cells, np.array([block.shape[1] for block in blocks], dtype=np.int64))


@dataclass(frozen=True, eq=False)
class _Quantity:
    numbers: Floats
    """NaN where the cell is missing."""

    def columns(self, training: Integers) -> Floats:
        known = self.numbers[: len(training)]
        used = (training > 0) & ~np.isnan(known)
        values, weights = known[used], training[used].astype(np.float64)
        if not len(values) or values.min() == values.max():
            return np.empty((len(self.numbers), 0))
        # In units of the largest value, so that not even numbers like 1e300 overflow.
        unit = np.abs(values).max()
        mean = np.average(values / unit, weights=weights)
        spread = np.sqrt(np.average((values / unit - mean) ** 2, weights=weights))
        with np.errstate(over="ignore"):
            standard = np.clip((self.numbers / unit - mean) / spread, -FARTHEST, FARTHEST)
        columns: Floats = np.nan_to_num(standard, nan=0.0)[:, None]
        return columns


@dataclass(frozen=True, eq=False)
class _Category:
    codes: Codes
    values: int

    def columns(self, training: Integers) -> Floats:
        used = training > 0
        held = np.bincount(self.codes[: len(training)][used], minlength=self.values + 1)[:-1]
        # A value in all rows, like one in none, tells them apart no better than no column at all.
        telling = np.flatnonzero((held > 0) & (held < np.count_nonzero(used)))
        columns: Floats = (self.codes[:, None] == telling).astype(np.float64)
        return columns


def _raw(feature: Feature) -> _Quantity | _Category:
    codes = np.concatenate([feature.labelled, feature.unlabelled])
    if feature.numbers is None:
        return _Category(codes, feature.values)
    return _Quantity(np.append(feature.numbers, np.nan)[codes])


def _check_size(dataset: Dataset, rows: int) -> None:
    widths: npt.NDArray[np.int64] = np.array(
        [f.values if f.numbers is None else 1 for f in dataset.features], dtype=np.int64
    )
    if rows * widths.sum() <= MOST_CELLS:
        return
    widest = dataset.features[int(widths.argmax())]
    problem = f"column {quoted(widest.name)} has {counted(widest.values, 'value')}, each a column for the SVM"
    raise DataError(
        f"{problem}: too many for memory; group them in a mapping, or leave it out with --exclude",
        source=dataset.source,
    )
