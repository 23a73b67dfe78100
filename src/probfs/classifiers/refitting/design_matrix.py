"""Features -> the matrix of numbers that models of distances or weights are fitted on.

Numeric features are standardised, and categories one-hot. A missing number is the mean. Where missing counts as a
value, the feature has one more column, 1 where it is missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from probfs.classifiers.protocol import Features
from probfs.classifiers.refitting.rows import Donors, Positions
from probfs.columns.dataset import Dataset
from probfs.errors import DataError
from probfs.tables.arrays import Codes, Floats, Integers
from probfs.text import counted, option, quoted

MOST_CELLS = 250_000_000
"""A matrix with more cells (2 GB) is refused; usually some column has a different value in nearly every row."""

MOST_DEVIATIONS = 1e3
"""Standardised values are clipped to this many standard deviations, so that the squares of far rows stay finite."""


@dataclass(frozen=True, eq=False)
class DesignMatrix:
    """Labelled rows followed by unlabelled ones; the columns of a feature are adjacent."""

    cells: Floats
    widths: Integers
    """The number of columns of each feature; 0 for a feature that is constant in the training rows."""

    @property
    def features(self) -> int:
        return len(self.widths)

    def first_columns(self) -> Positions:
        """Where the columns of each feature begin."""
        return np.cumsum(self.widths) - self.widths

    def columns(self, feature: int) -> slice:
        start = int(self.widths[:feature].sum())
        return slice(start, start + int(self.widths[feature]))


class LinearValues:
    """Values that are sums of terms, one from each feature: permuting a feature exchanges a row's term for its
    donor's.
    """

    def __init__(self, matrix: DesignMatrix, weights: Floats, intercepts: Floats) -> None:
        """``weights`` is models × columns, for several linear models of the same matrix."""
        self._matrix = matrix
        self._weights = weights
        self._intercepts = intercepts

    def of(self, rows: Positions) -> Floats:
        """The values of rows: models × rows."""
        values: Floats = self._weights @ self._matrix.cells[rows].T + self._intercepts[:, None]
        return values

    def permuted(self, rows: Positions, donors: Donors) -> Floats:
        """The values with each feature's term taken from the donor: models × permutations × rows × features."""
        own = self._terms[:, rows]
        # The difference first: where the donor has the row's own value, the sum does not change by a bit.
        permuted: Floats = self._terms[:, donors] - own[:, None]
        permuted += self.of(rows)[:, None, :, None]
        return permuted

    @cached_property
    def _terms(self) -> Floats:
        """What each feature adds to the value of each row: models × rows × features."""
        widths = self._matrix.widths
        terms = np.zeros((len(self._weights), len(self._matrix.cells), len(widths)))
        varying = np.flatnonzero(widths)
        if len(varying):
            starts = self._matrix.first_columns()[varying]
            for own, weights in zip(terms, self._weights, strict=True):
                own[:, varying] = np.add.reduceat(self._matrix.cells * weights, starts, axis=1)
        return terms


class _Category(NamedTuple):
    codes: Codes
    missing: int
    """The code of a cell that says nothing."""


class DesignMatrixBuilder:
    """Makes the design matrix of a dataset for any active features and any training rows.

    Means, variances and the categories that get a column come from the training rows, so each fold has its own matrix.
    """

    def __init__(self, dataset: Dataset, model: str) -> None:
        """``model`` is what is fitted, for messages: the SVM, say."""
        check_size(dataset, model)
        self._is_numeric = np.array([feature.numbers is not None for feature in dataset.features], dtype=np.bool_)
        self._numeric_column = np.cumsum(self._is_numeric) - 1
        codes = [np.concatenate([feature.labelled, feature.unlabelled]) for feature in dataset.features]
        self._missing = [
            own == len(feature.numbers) if feature.numbers is not None and feature.missing_is_value else None
            for feature, own in zip(dataset.features, codes, strict=True)
        ]
        """Which rows are missing, for numeric features that get an indicator of it."""
        self._categories = [
            _Category(own, feature.values) if feature.numbers is None else None
            for feature, own in zip(dataset.features, codes, strict=True)
        ]
        # A missing cell is NaN, and so is one that says nothing.
        numbers = [
            np.append(feature.numbers, [np.nan, np.nan])[own]
            for feature, own in zip(dataset.features, codes, strict=True)
            if feature.numbers is not None
        ]
        self._numbers = np.stack(numbers, axis=1) if numbers else np.empty((_count_rows(dataset), 0))

    def build(self, features: Features, training: Integers) -> DesignMatrix:
        """All rows in these features, for a model trained on ``training`` copies of each labelled row."""
        numeric = self._numeric_column[features[self._is_numeric[features]]]
        standard, varies = _standardise(self._numbers[:, numeric], training)
        if len(numeric) == len(features) and all(self._missing[feature] is None for feature in features.tolist()):
            return DesignMatrix(np.ascontiguousarray(standard[:, varies]), varies.astype(np.int64))
        columns = iter(range(len(numeric)))
        blocks = []
        for feature in features.tolist():
            category = self._categories[feature]
            if category is None:
                column = next(columns)
                blocks.append(standard[:, column : column + int(varies[column])])
                missing = self._missing[feature]
                if missing is not None:
                    blocks[-1] = np.hstack([blocks[-1], _indicate_missing(missing, training)])
            else:
                blocks.append(_encode_one_hot(category, training))
        return DesignMatrix(np.hstack(blocks), np.array([block.shape[1] for block in blocks], dtype=np.int64))


def squared_norms(cells: Floats) -> Floats:
    """The inner product of each row with itself."""
    norms: Floats = np.einsum("ij,ij->i", cells, cells)
    return norms


def inverse_mean_square(cells: Floats, counts: Integers) -> float:
    """1 / the mean squared length of rows that count so often: a penalty that makes up for the number of columns."""
    return float(1 / np.average(squared_norms(cells), weights=counts))


def _standardise(numbers: Floats, training: Integers) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Columns with mean 0 and variance 1 over the training rows, missing cells at the mean; and which columns vary."""
    sample = numbers[np.flatnonzero(training)]
    known = ~np.isnan(sample)
    weights = np.where(known, training[training > 0][:, None], 0).astype(np.float64)
    # In units of the largest absolute value, so that the squares of numbers like 1e300 do not overflow.
    least, greatest = np.fmin.reduce(sample, axis=0), np.fmax.reduce(sample, axis=0)
    varies = least < greatest
    unit = np.where(varies, np.maximum(np.abs(least), np.abs(greatest)), 1.0)
    total = np.where(varies, weights.sum(axis=0), 1.0)
    scaled = np.where(known, sample / unit, 0.0)
    mean = (weights * scaled).sum(axis=0) / total
    variance = (weights * (scaled - mean) ** 2).sum(axis=0) / total
    with np.errstate(over="ignore"):
        standard = (numbers / unit - mean) / np.sqrt(np.where(varies, variance, 1.0))
    return np.nan_to_num(np.clip(standard, -MOST_DEVIATIONS, MOST_DEVIATIONS), nan=0.0), varies


def _indicate_missing(missing: npt.NDArray[np.bool_], training: Integers) -> Floats:
    """A column of 0 and 1, as a category's values have, if some but not all of the training rows are missing."""
    used = missing[: len(training)][training > 0]
    varies = bool(used.any()) and not used.all()
    return missing[:, None][:, : int(varies)].astype(np.float64)


def _encode_one_hot(category: _Category, training: Integers) -> Floats:
    """A column of 0 and 1 for each value held by some, but not all, of the training rows."""
    used = category.codes[: len(training)][training > 0]
    values, held = np.unique(used, return_counts=True)
    varying = values[(held < len(used)) & (values != category.missing)]
    columns: Floats = (category.codes[:, None] == varying).astype(np.float64)
    return columns


def _count_rows(dataset: Dataset) -> int:
    return len(dataset.labels) + len(dataset.unlabelled_counts)


def check_size(dataset: Dataset, model: str) -> None:
    """Refuse a table whose matrix would not fit into memory."""
    rows = _count_rows(dataset)
    widths: npt.NDArray[np.int64] = np.array(
        [f.values if f.numbers is None else 1 + f.missing_is_value for f in dataset.features], dtype=np.int64
    )
    if rows * widths.sum() <= MOST_CELLS:
        return
    widest = dataset.features[int(widths.argmax())]
    if widest.numbers is not None:
        problem = f"{rows:,} rows of {len(widths):,} columns are too many for the memory of {model}"
        remedy = f"rank fewer columns with {option('include')}, or a sample of the rows"
        raise DataError(f"{problem}; {remedy}", source=dataset.source)
    problem = f"column {quoted(widest.name)} has {counted(widest.values, 'value')}, each a column for {model}"
    remedy = f"group them in a mapping, or leave it out with {option('exclude')}"
    raise DataError(f"{problem}: too many for memory; {remedy}", source=dataset.source)
