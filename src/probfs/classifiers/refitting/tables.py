"""Features -> the matrix that models are fitted on, and the data frame that some pipelines want."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from probfs.classifiers.options import Cost
from probfs.classifiers.protocol import Features
from probfs.classifiers.refitting.rows import Positions
from probfs.columns.dataset import MISSING_LABEL, Dataset, Feature
from probfs.errors import DataError
from probfs.tables.arrays import Flags, Floats, Integers
from probfs.text import option, quoted

Encoding = Literal["standardised", "onehot", "filled", "native", "codes", "frame"]
"""How columns are given to a model.

- ``onehot``: a number is a column, with NaN where it is missing; a category is a column of 0 and 1 for each value.
- ``filled``: the same for models that refuse NaN. A missing number is the mean of the training rows, and where missing
  counts as a value another column says that it is missing.
- ``standardised``: filled, numbers with mean 0 and variance 1, without columns that do not vary in the training rows.
- ``native``: onehot, but categories of few values are one column of codes.
- ``codes``: each feature is one column of codes from 0, with the number after the last for a cell that has no value.
- ``frame``: a data frame of numbers, texts and pandas' categories, made of codes.
"""
MOST_CELLS = 250_000_000
"""A matrix with more cells (2 GB) is refused; usually some column has a different value in nearly every row."""
MOST_DEVIATIONS = 1e3
"""Standardised values are clipped to this many standard deviations, so that the squares of far rows stay finite."""
MOST_NATIVE_VALUES = 255
"""Histogram gradient boosting splits categories of up to so many values."""
_EXTREME = 1e30
"""Columns of larger numbers, or of nothing but smaller ones than its inverse, are brought into this range: squares stay
finite, and so do the sums of trees, which compute in single precision.
"""


@dataclass(frozen=True, eq=False)
class Matrix:
    """Labelled rows followed by unlabelled ones; the columns of a feature are adjacent."""

    cells: npt.NDArray[Any]
    owner: Integers
    """The feature of each column, by its position among those of the model; some features may have no column."""
    categorical: Flags | None = None
    """Which columns hold the codes of categories; None if none does."""
    frame: Mapping[str, Any] | None = None
    """For a data frame: the name of each column, and the value of each of its codes."""

    def show(self, cells: npt.NDArray[Any]) -> Any:
        """Rows of cells in the form that the model is given them."""
        if self.frame is None:
            return cells
        import pandas as pd

        columns = zip(self.frame.items(), cells.T, strict=True)
        return pd.DataFrame({name: values.take(codes) for (name, values), codes in columns})

    def vary(self, rows: Positions) -> bool:
        """Whether any of these rows differs from another."""
        cells = self.cells[rows]
        return not np.array_equal(cells, np.broadcast_to(cells[:1], cells.shape), equal_nan=True)

    def exchange(self, rows: Positions, features: Integers, donors: Positions) -> Any:
        """Some rows, each with one feature from its donor, in the form that the model is given them."""
        source = np.where(self.owner == features[:, None], donors[:, None], rows[:, None])
        return self.show(np.take_along_axis(self.cells, source, axis=0))


class MatrixEncoder:
    """Makes the matrix of a dataset for any active features and any training rows.

    All labelled rows decide which columns a category has; means, variances and whether a column varies come from the
    training rows alone.
    """

    def __init__(self, dataset: Dataset, encoding: Encoding, model: str) -> None:
        """``model`` is what is fitted, for messages: the SVM, say."""
        table = dataset.ungrouped().features
        rows = len(dataset.labels) + len(dataset.unlabelled_counts)
        is_coded = encoding in ("codes", "frame")
        widths = [1 if is_coded or column.numbers is not None else column.values for column in table]
        if rows * sum(widths) > MOST_CELLS:
            widest = table[int(np.argmax(widths))]
            problem = f"{rows:,} rows of {sum(widths):,} columns are too many for the memory of {model}"
            if widest.numbers is None:
                problem += f": column {quoted(widest.name)} has {widest.values:,} values, each a column"
            remedy = f"leave columns out with {option('exclude')}, or rank a sample of the rows"
            raise DataError(f"{problem}; {remedy}", source=dataset.source)
        self._encoding = encoding
        blocks = [self._encode(column) for column in table]
        self._cells = np.hstack([np.empty((rows, 0), np.int64 if is_coded else np.float64), *blocks])
        place = np.repeat(np.arange(len(blocks)), [block.shape[1] for block in blocks])
        self._owner = dataset.owner[place]
        # The first column of a numeric feature holds the numbers, a second one says where they are missing.
        numbers = np.array([column.numbers is not None for column in table], dtype=np.bool_)
        self._is_number = numbers[place] & (np.diff(place, prepend=-1) > 0)
        native = [encoding == "native" and _fits_native(column) for column in table]
        self._categorical = np.array(native, dtype=np.bool_)[place]
        self._frame = [(column.name, _values_in_frame(column)) for column in table if encoding == "frame"]

    def build(self, features: Features, training: Integers) -> Matrix:
        """All rows in some features, for a model trained on ``training`` copies of each labelled row."""
        columns = np.flatnonzero(np.isin(self._owner, features))
        cells, owner = self._cells[:, columns], np.searchsorted(features, self._owner[columns])
        if self._encoding == "frame":
            return Matrix(cells, owner, frame=dict(self._frame[column] for column in columns.tolist()))
        if self._encoding == "standardised":
            cells, varies = _standardise(cells, self._is_number[columns], training)
            return Matrix(cells, owner[varies])
        # A column that is missing in all training rows is 0 everywhere.
        for column in np.flatnonzero(np.isnan(cells).any(axis=0)):
            labelled = cells[: len(training), column]
            known = (training > 0) & ~np.isnan(labelled)
            if not known.any():
                cells[:, column] = 0.0
            elif self._encoding == "filled":
                cells[np.isnan(cells[:, column]), column] = np.average(labelled[known], weights=training[known])
        categorical = self._categorical[columns]
        return Matrix(cells, owner, categorical if categorical.any() else None)

    def _encode(self, feature: Feature) -> npt.NDArray[Any]:
        codes = all_codes(feature)
        if self._encoding in ("codes", "frame"):
            return codes[:, None]
        if feature.numbers is not None:
            numbers = np.append(feature.numbers, [np.nan, np.nan])[codes][:, None]
            largest = float(np.abs(feature.numbers).max(initial=0.0)) or 1.0
            with np.errstate(over="ignore"):
                numbers *= min(max(largest, 1 / _EXTREME), _EXTREME) / largest
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


def _standardise(cells: Floats, is_number: Flags, training: Integers) -> tuple[Floats, Flags]:
    """The columns that vary in the training rows, and which columns these are. Numbers have mean 0 and variance 1 in
    the training rows; missing ones are 0.
    """
    sample = cells[: len(training)][training > 0]
    varies = np.fmin.reduce(sample, axis=0) < np.fmax.reduce(sample, axis=0)
    cells, sample = np.ascontiguousarray(cells[:, varies]), sample[:, varies & is_number]
    is_number = is_number[varies]
    weights = np.where(np.isnan(sample), 0.0, training[training > 0][:, None])
    total = weights.sum(axis=0)
    mean = np.nansum(weights * sample, axis=0) / total
    deviation = np.sqrt(np.nansum(weights * (sample - mean) ** 2, axis=0) / total)
    standard = (cells[:, is_number] - mean) / deviation
    cells[:, is_number] = np.nan_to_num(np.clip(standard, -MOST_DEVIATIONS, MOST_DEVIATIONS), nan=0.0)
    return cells, varies


def _values_in_frame(feature: Feature) -> Any:
    """The value of each code in a data frame, None for a cell without a value."""
    import pandas as pd

    if feature.numbers is not None:
        return np.append(feature.numbers, [np.nan, np.nan])
    labels = feature.categories().to_pylist()
    if feature.missing_is_value:
        missing = MISSING_LABEL
        # A cell may hold this very text.
        while missing in labels:
            missing = f"({missing})"
        labels.append(missing)
    if feature.nominal:
        return pd.Categorical([*labels, None], categories=labels)
    # As pandas has texts, so that whatever chooses columns by their types finds them.
    return pd.Series([*labels, None]).array


def choose_cost(cost: Cost, encoder: MatrixEncoder, dataset: Dataset) -> float:
    """C as given or, for ``scale``, 1 / the mean squared length of a table's standardised rows, which makes up for the
    number of columns.

    It is chosen once, for the table with all its features: if it grew as features leave, late rounds, which decide the
    best ranks, would fit the noise more closely.
    """
    if not isinstance(cost, str):
        return float(cost)
    cells = encoder.build(np.arange(len(dataset.features)), dataset.counts).cells[: len(dataset.labels)]
    return float(1 / np.average((cells**2).sum(axis=1), weights=dataset.counts)) if cells.shape[1] else 1.0
