"""Features -> the matrix of numbers that models are fitted on."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from probfs.classifiers.options import Cost
from probfs.classifiers.protocol import Features
from probfs.classifiers.refitting.rows import Positions
from probfs.columns.dataset import Dataset, Feature
from probfs.errors import DataError
from probfs.tables.arrays import Flags, Floats, Integers
from probfs.text import counted, option, quoted

Encoding = Literal["standardised", "onehot", "filled", "native", "codes", "frame"]
"""How columns reach a model. Numbers are themselves, NaN where they are missing, and a category is a column of 0 and 1
for each of its values (``onehot``); ``filled`` is that for models that refuse NaN: a missing number is the mean of the
training rows, and where missing counts as a value a column says so. ``standardised`` numbers have mean 0 and variance 1
besides, and columns that do not vary in the training rows are left out. With ``native``, categories of few values are
one column of codes, and with ``codes`` every feature is a column of whole numbers from 0, with the number after the
last where a cell says nothing. ``frame`` is a data frame (see ``estimators.frames``).
"""
MOST_CELLS = 250_000_000
"""A matrix with more cells (2 GB) is refused; usually some column has a different value in nearly every row."""
MOST_DEVIATIONS = 1e3
"""Standardised values are clipped to this many standard deviations, so that the squares of far rows stay finite."""
MOST_NATIVE_VALUES = 255
"""Histogram gradient boosting splits categories of up to so many values."""
_MOST_SINGLE = 1e30
"""Trees compute in single precision, in which sums of many such numbers are finite."""


@dataclass(frozen=True, eq=False)
class Matrix:
    """Labelled rows followed by unlabelled ones; the columns of a feature are adjacent."""

    cells: npt.NDArray[Any]
    widths: Integers
    """The number of columns of each feature; it may be 0."""
    categorical: Flags | None = None
    """Which columns hold the codes of categories; None if none does."""

    @property
    def width(self) -> int:
        """How many columns a model is given."""
        return int(self.cells.shape[1])

    def columns(self, feature: int) -> slice:
        start = int(self.widths[:feature].sum())
        return slice(start, start + int(self.widths[feature]))

    def take(self, rows: Positions) -> npt.NDArray[Any]:
        """Some rows, as a model is given them."""
        return self.cells[rows]

    def vary(self, rows: Positions) -> bool:
        """Whether any of these rows differs from another."""
        cells, first = self.cells[rows], self.cells[rows[:1]]
        # NaN differs from itself.
        return bool(((cells != first) & ~((cells != cells) & (first != first))).any())

    def exchange(self, rows: Positions, features: Integers, donors: Positions) -> npt.NDArray[Any]:
        """Some rows, each of which has one feature from another row. Equal features stand beside each other."""
        cells = self.cells[rows]
        for feature, span in runs_of(features):
            columns = self.columns(feature)
            cells[span, columns] = self.cells[donors[span], columns]
        return cells


def runs_of(features: Integers) -> Iterator[tuple[int, slice]]:
    """Each feature and where it stands, in a list in which equal ones stand beside each other.

    >>> list(runs_of(np.array([2, 2, 5])))
    [(2, slice(0, 2, None)), (5, slice(2, 3, None))]
    """
    borders = [*np.flatnonzero(np.diff(features, prepend=-1)).tolist(), len(features)]
    for start, end in itertools.pairwise(borders):
        yield int(features[start]), slice(start, end)


class MatrixEncoder:
    """Makes the matrix of a dataset for any active features and any training rows.

    Values get their columns from all labelled rows; means, variances and which columns vary come from the training
    rows.
    """

    def __init__(self, dataset: Dataset, encoding: Encoding, model: str) -> None:
        """``model`` is what is fitted, for messages: the SVM, say."""
        if encoding != "codes":
            _check_size(dataset, model)
        self._encoding = encoding
        blocks = [self._encode(feature) for feature in dataset.features]
        rows = len(dataset.labels) + len(dataset.unlabelled_counts)
        self._cells = np.hstack([np.empty((rows, 0), np.int64 if encoding == "codes" else np.float64), *blocks])
        if encoding == "onehot":
            largest = np.fmax.reduce(np.abs(self._cells), axis=0, initial=0.0)
            far = largest > _MOST_SINGLE
            # To trees only the order of numbers matters.
            self._cells[:, far] *= _MOST_SINGLE / largest[far]
        self._widths = np.array([block.shape[1] for block in blocks], dtype=np.int64)
        self._is_number = np.array([feature.numbers is not None for feature in dataset.features], dtype=np.bool_)
        native = [encoding == "native" and _fits_native(feature) for feature in dataset.features]
        self._categorical = np.repeat(np.array(native, dtype=np.bool_), self._widths)

    def build(self, features: Features, training: Integers) -> Matrix:
        """All rows in some features, for a model trained on ``training`` copies of each labelled row."""
        widths = self._widths[features]
        starts = (np.cumsum(self._widths) - self._widths)[features]
        ends = np.cumsum(widths)
        columns = np.repeat(starts - (ends - widths), widths) + np.arange(widths.sum())
        cells = self._cells[:, columns]
        if self._encoding == "standardised":
            # The first column of a number is the number, the second says where it is missing.
            is_number = np.repeat(self._is_number[features], widths)
            is_number &= np.isin(np.arange(len(is_number)), ends - widths)
            cells, varies = _standardise(cells, is_number, training)
            owner = np.repeat(np.arange(len(widths)), widths)[varies]
            return Matrix(cells, np.bincount(owner, minlength=len(widths)))
        _fill_missing(cells, training, with_means=self._encoding == "filled")
        categorical = self._categorical[columns]
        return Matrix(cells, widths, categorical if categorical.any() else None)

    def _encode(self, feature: Feature) -> npt.NDArray[Any]:
        codes = all_codes(feature)
        if self._encoding == "codes":
            return codes[:, None]
        if feature.numbers is not None:
            # A missing cell is NaN, and so is one that says nothing.
            numbers: Floats = np.append(feature.numbers, [np.nan, np.nan])[codes][:, None]
            if self._encoding in ("filled", "standardised") and feature.missing_is_value:
                return np.hstack([numbers, (codes == len(feature.numbers))[:, None]])
            return numbers
        if self._encoding == "native" and _fits_native(feature):
            return np.append(np.arange(feature.values, dtype=np.float64), np.nan)[codes][:, None]
        return np.asarray(codes[:, None] == np.arange(feature.values), dtype=np.float64)


def all_codes(feature: Feature) -> npt.NDArray[np.intp]:
    """The codes of a feature in labelled rows and then in unlabelled ones."""
    return np.concatenate([feature.labelled, feature.unlabelled]).astype(np.intp)


def _fits_native(feature: Feature) -> bool:
    return feature.numbers is None and feature.values <= MOST_NATIVE_VALUES


def _check_size(dataset: Dataset, model: str) -> None:
    """Refuse a table whose matrix would not fit into memory."""
    rows = len(dataset.labels) + len(dataset.unlabelled_counts)
    widths = [f.values if f.numbers is None else 1 + f.missing_is_value for f in dataset.features]
    if rows * sum(widths) <= MOST_CELLS:
        return
    widest = dataset.features[int(np.argmax(widths))]
    if widest.numbers is not None:
        problem = f"{rows:,} rows of {len(widths):,} columns are too many for the memory of {model}"
        remedy = f"rank fewer columns with {option('include')}, or a sample of the rows"
        raise DataError(f"{problem}; {remedy}", source=dataset.source)
    problem = f"column {quoted(widest.name)} has {counted(widest.values, 'value')}, each a column for {model}"
    remedy = f"group them in a mapping, or leave it out with {option('exclude')}"
    raise DataError(f"{problem}: too many for memory; {remedy}", source=dataset.source)


def _standardise(cells: Floats, is_number: Flags, training: Integers) -> tuple[Floats, Flags]:
    """The columns that vary in the training rows, numbers with mean 0 and variance 1 there and missing cells at the
    mean; and which columns these are.
    """
    sample = cells[: len(training)][training > 0]
    least, greatest = np.fmin.reduce(sample, axis=0), np.fmax.reduce(sample, axis=0)
    varies = least < greatest
    cells, chosen = np.ascontiguousarray(cells[:, varies]), is_number[varies]
    numbers, sample = cells[:, chosen], sample[:, varies & is_number]
    known = ~np.isnan(sample)
    weights = np.where(known, training[training > 0][:, None], 0).astype(np.float64)
    # In units of the largest absolute value, so that the squares of numbers like 1e300 do not overflow.
    unit = np.maximum(np.abs(least), np.abs(greatest))[varies & is_number]
    total = weights.sum(axis=0)
    scaled = np.where(known, sample / unit, 0.0)
    mean = (weights * scaled).sum(axis=0) / total
    variance = (weights * (scaled - mean) ** 2).sum(axis=0) / total
    with np.errstate(over="ignore"):
        standard = (numbers / unit - mean) / np.sqrt(variance)
    cells[:, chosen] = np.nan_to_num(np.clip(standard, -MOST_DEVIATIONS, MOST_DEVIATIONS), nan=0.0)
    return cells, varies


def _fill_missing(cells: npt.NDArray[Any], training: Integers, with_means: bool) -> None:
    """Replace NaN by the mean of the training rows if so wanted. Where these are all missing, a column says nothing of
    the others, and is 0 everywhere.
    """
    for column in np.flatnonzero(np.isnan(cells).any(axis=0)):
        labelled = cells[: len(training), column]
        known = (training > 0) & ~np.isnan(labelled)
        if not known.any():
            cells[:, column] = 0.0
        elif with_means:
            cells[np.isnan(cells[:, column]), column] = np.average(labelled[known], weights=training[known])


def squared_norms(cells: Floats) -> Floats:
    """The inner product of each row with itself."""
    norms: Floats = np.einsum("ij,ij->i", cells, cells)
    return norms


def choose_cost(cost: Cost, encoder: MatrixEncoder, dataset: Dataset) -> float:
    """C as given or, for ``scale``, 1 / the mean squared length of a table's standardised rows, which makes up for the
    number of columns.

    It is chosen once, for the table with all its features: if it grew as features leave, late rounds, which decide the
    best ranks, would fit the noise more closely.
    """
    if not isinstance(cost, str):
        return float(cost)
    cells = encoder.build(np.arange(len(dataset.features)), dataset.counts).cells[: len(dataset.labels)]
    return float(1 / np.average(squared_norms(cells), weights=dataset.counts)) if cells.shape[1] else 1.0
