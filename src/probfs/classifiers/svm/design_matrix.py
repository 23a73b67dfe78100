"""Features -> a matrix of numbers: quantities standardised, categories one column for each value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from probfs.classifiers.protocol import Features
from probfs.columns.dataset import Dataset
from probfs.errors import DataError
from probfs.tables.table import Codes, Floats, Integers
from probfs.text import counted, quoted

Positions = npt.NDArray[np.intp]
"""Rows or columns of a matrix, by where they stand."""

MOST_CELLS = 250_000_000
"""A matrix of more cells than this (2 GB) is refused: some column has a value of its own in nearly every row."""

FARTHEST = 1e3
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


class _Category(NamedTuple):
    codes: Codes
    missing: int


class Design:
    """A dataset's features, ready to be turned into the matrix that suits any set of training rows."""

    def __init__(self, dataset: Dataset) -> None:
        _check_size(dataset)
        self._quantities = np.array([feature.numbers is not None for feature in dataset.features], dtype=np.bool_)
        self._place = np.cumsum(self._quantities) - 1
        codes = [np.concatenate([feature.labelled, feature.unlabelled]) for feature in dataset.features]
        self._categories = [
            _Category(own, feature.values) if feature.numbers is None else None
            for feature, own in zip(dataset.features, codes, strict=True)
        ]
        # NaN is a missing cell.
        numbers = [
            np.append(feature.numbers, np.nan)[own]
            for feature, own in zip(dataset.features, codes, strict=True)
            if feature.numbers is not None
        ]
        self._numbers = np.stack(numbers, axis=1) if numbers else np.empty((len(codes[0]), 0))

    def matrix(self, features: Features, training: Integers) -> Matrix:
        """All rows in the features asked for, as a model sees them that is trained on so many of each labelled row."""
        quantities = self._place[features[self._quantities[features]]]
        standard, telling = _standardised(self._numbers[:, quantities], training)
        if len(quantities) == len(features):
            return Matrix(np.ascontiguousarray(standard[:, telling]), telling.astype(np.int64))
        columns = iter(range(len(quantities)))
        blocks = []
        for feature in features.tolist():
            category = self._categories[feature]
            if category is None:
                column = next(columns)
                blocks.append(standard[:, column : column + int(telling[column])])
            else:
                blocks.append(_indicators(category, training))
        return Matrix(np.hstack(blocks), np.array([block.shape[1] for block in blocks], dtype=np.int64))


def _standardised(numbers: Floats, training: Integers) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Columns with mean 0 and variance 1 in the rows trained on, the mean where a cell is missing; and which columns
    tell any rows apart.
    """
    sample = numbers[np.flatnonzero(training)]
    known = ~np.isnan(sample)
    weights = np.where(known, training[training > 0][:, None], 0).astype(np.float64)
    # In units of the largest value, so that not even numbers like 1e300 overflow.
    least, greatest = np.fmin.reduce(sample, axis=0), np.fmax.reduce(sample, axis=0)
    telling = least < greatest
    unit = np.where(telling, np.maximum(np.abs(least), np.abs(greatest)), 1.0)
    total = np.where(telling, weights.sum(axis=0), 1.0)
    scaled = np.where(known, sample / unit, 0.0)
    mean = (weights * scaled).sum(axis=0) / total
    variance = (weights * (scaled - mean) ** 2).sum(axis=0) / total
    with np.errstate(over="ignore"):
        standard = (numbers / unit - mean) / np.sqrt(np.where(telling, variance, 1.0))
    return np.nan_to_num(np.clip(standard, -FARTHEST, FARTHEST), nan=0.0), telling


def _indicators(category: _Category, training: Integers) -> Floats:
    """A column of 0 and 1 for each value that tells rows trained on apart: not one in all rows, nor one in none."""
    used = category.codes[: len(training)][training > 0]
    values, held = np.unique(used, return_counts=True)
    telling = values[(held < len(used)) & (values != category.missing)]
    columns: Floats = (category.codes[:, None] == telling).astype(np.float64)
    return columns


def _check_size(dataset: Dataset) -> None:
    rows = len(dataset.labels) + len(dataset.unlabelled_counts)
    widths: npt.NDArray[np.int64] = np.array(
        [f.values if f.numbers is None else 1 for f in dataset.features], dtype=np.int64
    )
    if rows * widths.sum() <= MOST_CELLS:
        return
    widest = dataset.features[int(widths.argmax())]
    if widths.max() == 1:
        problem = f"{rows:,} rows of {len(widths):,} columns are too many for the SVM's memory"
        raise DataError(f"{problem}; rank fewer columns with --include, or a sample of the rows", source=dataset.source)
    problem = f"column {quoted(widest.name)} has {counted(widest.values, 'value')}, each a column for the SVM"
    raise DataError(
        f"{problem}: too many for memory; group them in a mapping, or leave it out with --exclude",
        source=dataset.source,
    )
