"""How columns reach an estimator: each encoder makes the cells of any features for any training rows, and cells can be
given with a feature exchanged for another row's.

Cells depend on a feature's codes alone, so rows with the same code of a feature have the same cells in it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from probfs.classifiers.estimators.recipes import Encoding
from probfs.classifiers.protocol import Features
from probfs.classifiers.refitting.design_matrix import DesignMatrix, DesignMatrixBuilder, check_size
from probfs.classifiers.refitting.rows import Positions
from probfs.columns.dataset import MISSING_LABEL, Dataset, Feature
from probfs.tables.arrays import Floats, Integers

if TYPE_CHECKING:
    import pandas

_MOST_SINGLE = 1e30
"""So that sums of many numbers are finite in single precision."""
MOST_NATIVE_VALUES = 255
"""Histogram gradient boosting splits categories of up to so many values."""


class Cells(Protocol):
    """All rows of a table, labelled rows first, in the features of a model."""

    @property
    def width(self) -> int:
        """How many columns the estimator is given."""

    def take(self, rows: Positions) -> Any:
        """Some rows, as the estimator is given them."""

    def vary(self, rows: Positions) -> bool:
        """Whether any of these rows differs from another."""

    def exchange(self, rows: Positions, features: Integers, donors: Positions) -> Any:
        """Some rows, each of which has one feature from another row. Equal features stand beside each other."""


@dataclass(frozen=True, eq=False)
class MatrixCells(DesignMatrix):
    """A matrix of numbers, in which the columns of a feature are adjacent."""

    categorical: npt.NDArray[np.bool_] | None = None
    """Which columns hold the codes of categories; None if none does."""

    @property
    def width(self) -> int:
        return int(self.cells.shape[1])

    def take(self, rows: Positions) -> npt.NDArray[Any]:
        return self.cells[rows]

    def vary(self, rows: Positions) -> bool:
        first = self.cells[rows[:1]]
        # NaN differs from itself.
        differs = (self.cells[rows] != first) & ~((self.cells[rows] != self.cells[rows]) & (first != first))
        return bool(differs.any())

    def exchange(self, rows: Positions, features: Integers, donors: Positions) -> npt.NDArray[Any]:
        cells = self.cells[rows]
        for feature, span in runs_of(features):
            columns = self.columns(feature)
            cells[span, columns] = self.cells[donors[span], columns]
        return cells


@dataclass(frozen=True, eq=False)
class FrameCells:
    """A data frame, whose columns have the features' names."""

    frame: pandas.DataFrame

    @property
    def width(self) -> int:
        return self.frame.shape[1]

    def take(self, rows: Positions) -> pandas.DataFrame:
        return self.frame.take(rows).reset_index(drop=True)

    def vary(self, rows: Positions) -> bool:
        return bool((self.frame.take(rows).nunique(dropna=False) > 1).any())

    def exchange(self, rows: Positions, features: Integers, donors: Positions) -> pandas.DataFrame:
        import pandas as pd

        sources = dict.fromkeys(self.frame.columns, rows)
        for feature, span in runs_of(features):
            name = self.frame.columns[feature]
            sources[name] = rows.copy()
            sources[name][span] = donors[span]
        return pd.DataFrame({name: self.frame[name].array.take(source) for name, source in sources.items()})


class Encoder(Protocol):
    """Makes what an estimator is fitted on and predicts."""

    def build(self, features: Features, training: Integers) -> Cells:
        """All rows in some features, for a model trained on ``training`` copies of each labelled row."""


def make_encoder(dataset: Dataset, encoding: Encoding, model: str) -> Encoder:
    """The encoder of a dataset; ``model`` is what is fitted, for messages."""
    if encoding == "standardised":
        return StandardisedEncoder(dataset, model)
    return FrameEncoder(dataset) if encoding == "frame" else MatrixEncoder(dataset, encoding, model)


class StandardisedEncoder:
    """Standardised numbers and one-hot categories, as the SVM has them."""

    def __init__(self, dataset: Dataset, model: str) -> None:
        self._builder = DesignMatrixBuilder(dataset, model)

    def build(self, features: Features, training: Integers) -> MatrixCells:
        matrix = self._builder.build(features, training)
        return MatrixCells(matrix.cells, matrix.widths)


class MatrixEncoder:
    """Numbers as they are, NaN where they are missing, and a column of 0 and 1 for each value of a category.

    Values get their columns from all labelled rows, so that a model has the same columns whichever rows it is trained
    on. ``filled`` is for estimators that refuse NaN: a missing number is the mean of the training rows, and where
    missing counts as a value a column says so. With ``native``, categories of few values are one column of codes, and
    with ``codes`` every feature is a column of whole numbers from 0, with the number after the last where a cell says
    nothing. For ``single`` precision, columns that reach far are given in another unit.
    """

    def __init__(self, dataset: Dataset, encoding: Encoding, model: str) -> None:
        if encoding != "codes":
            check_size(dataset, model)
        self._encoding = encoding
        blocks = [self._encode(feature) for feature in dataset.features]
        rows = len(dataset.labels) + len(dataset.unlabelled_counts)
        dtype = np.int64 if encoding == "codes" else np.float64
        self._cells = np.hstack([np.empty((rows, 0), dtype=dtype), *blocks])
        if encoding == "single":
            largest = np.fmax.reduce(np.abs(self._cells), axis=0, initial=0.0)
            far = largest > _MOST_SINGLE
            # To trees only the order of numbers matters.
            self._cells[:, far] *= _MOST_SINGLE / largest[far]
        self._widths = np.array([block.shape[1] for block in blocks], dtype=np.int64)
        coded = np.array([encoding == "native" and _fits_native(feature) for feature in dataset.features], dtype=bool)
        self._categorical = np.repeat(coded, self._widths)

    def build(self, features: Features, training: Integers) -> MatrixCells:
        widths = self._widths[features]
        starts = (np.cumsum(self._widths) - self._widths)[features]
        columns = np.repeat(starts - (np.cumsum(widths) - widths), widths) + np.arange(widths.sum())
        cells, categorical = self._cells[:, columns], self._categorical[columns]
        _fill_missing(cells, training, with_means=self._encoding == "filled")
        return MatrixCells(cells, widths, categorical if categorical.any() else None)

    def _encode(self, feature: Feature) -> npt.NDArray[Any]:
        codes = all_codes(feature)
        if self._encoding == "codes":
            return codes[:, None]
        if feature.numbers is not None:
            # A missing cell is NaN, and so is one that says nothing.
            numbers: Floats = np.append(feature.numbers, [np.nan, np.nan])[codes][:, None]
            if self._encoding == "filled" and feature.missing_is_value:
                return np.hstack([numbers, (codes == len(feature.numbers))[:, None]])
            return numbers
        if self._encoding == "native" and _fits_native(feature):
            return np.append(np.arange(feature.values, dtype=np.float64), np.nan)[codes][:, None]
        return np.asarray(codes[:, None] == np.arange(feature.values), dtype=np.float64)


class FrameEncoder:
    """A data frame with the columns' own names: numbers as floats, texts and categories as pandas has them, NaN for
    missing.
    """

    def __init__(self, dataset: Dataset) -> None:
        import pandas as pd

        columns = {feature.name: _frame_column(feature) for feature in dataset.features}
        # The frame has rows even without columns.
        rows = len(dataset.labels) + len(dataset.unlabelled_counts)
        self._frame = pd.DataFrame(columns, index=pd.RangeIndex(rows))

    def build(self, features: Features, training: Integers) -> FrameCells:
        return FrameCells(self._frame.iloc[:, features])


def all_codes(feature: Feature) -> npt.NDArray[np.intp]:
    """The codes of a feature in labelled rows and then in unlabelled ones."""
    return np.concatenate([feature.labelled, feature.unlabelled]).astype(np.intp)


def _frame_column(feature: Feature) -> pandas.api.extensions.ExtensionArray | npt.NDArray[Any]:
    import pandas as pd

    codes = all_codes(feature)
    if feature.numbers is not None:
        numbers: Floats = np.append(feature.numbers, [np.nan, np.nan])[codes]
        return numbers
    labels = feature.own_labels().to_pylist()
    if feature.missing_is_value:
        missing = MISSING_LABEL
        # A cell may hold this very text.
        while missing in labels:
            missing = f"({missing})"
        labels.append(missing)
    known = np.where(codes == feature.values, -1, codes)
    if feature.nominal:
        return pd.Categorical.from_codes(known, labels)
    # As pandas has texts, so that whatever chooses columns by their types finds them.
    return pd.Series([*labels, None]).array.take(known)


def _fits_native(feature: Feature) -> bool:
    return feature.numbers is None and feature.values <= MOST_NATIVE_VALUES


def _fill_missing(cells: Floats, training: Integers, with_means: bool) -> None:
    """Replace NaN by the mean of the training rows if so wanted. Where these are all missing, a column says nothing of
    the others, and is 0 everywhere.
    """
    for column in np.flatnonzero(np.isnan(cells).any(axis=0)):
        own = cells[: len(training), column]
        known = (training > 0) & ~np.isnan(own)
        if not known.any():
            cells[:, column] = 0.0
        elif with_means:
            cells[np.isnan(cells[:, column]), column] = np.average(own[known], weights=training[known])


def runs_of(features: Integers) -> Iterator[tuple[int, slice]]:
    """Each feature and where it stands, in a list in which equal ones stand beside each other.

    >>> list(runs_of(np.array([2, 2, 5])))
    [(2, slice(0, 2, None)), (5, slice(2, 3, None))]
    """
    borders = [*np.flatnonzero(np.diff(features, prepend=-1)).tolist(), len(features)]
    for start, end in itertools.pairwise(borders):
        yield int(features[start]), slice(start, end)
