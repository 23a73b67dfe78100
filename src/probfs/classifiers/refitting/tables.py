"""Features -> the matrix or the data frame that models are fitted on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from probfs.classifiers.options import Cost
from probfs.classifiers.protocol import Features
from probfs.classifiers.refitting.rows import Positions
from probfs.columns.dataset import MISSING_LABEL, Dataset, Feature
from probfs.errors import DataError
from probfs.tables.arrays import Flags, Floats, Integers
from probfs.text import counted, option, quoted

if TYPE_CHECKING:
    import pandas

Encoding = Literal["standardised", "onehot", "filled", "native", "codes", "frame"]
"""How columns reach a model. Numbers are themselves, NaN where they are missing, and a category is a column of 0 and 1
for each of its values (``onehot``); ``filled`` is that for models that refuse NaN: a missing number is the mean of the
training rows, and where missing counts as a value a column says so. ``standardised`` numbers have mean 0 and variance 1
besides, and columns that do not vary in the training rows are left out. With ``native``, categories of few values are
one column of codes, and with ``codes`` every feature is a column of whole numbers from 0, with the number after the
last where a cell says nothing. ``frame`` is a data frame (``FrameEncoder``).
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

    @property
    def width(self) -> int:
        """How many columns a model is given."""
        return len(self.owner)

    def take(self, rows: Positions) -> npt.NDArray[Any]:
        """Some rows, as a model is given them."""
        return self.cells[rows]

    def vary(self, rows: Positions) -> bool:
        """Whether any of these rows differs from another."""
        cells = self.cells[rows]
        return not np.array_equal(cells, np.broadcast_to(cells[:1], cells.shape), equal_nan=True)

    def exchange(self, rows: Positions, features: Integers, donors: Positions) -> npt.NDArray[Any]:
        """Some rows, each of which has one feature from another row."""
        source = np.where(self.owner == features[:, None], donors[:, None], rows[:, None])
        return np.take_along_axis(self.cells, source, axis=0)


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
        table = dataset.ungrouped().features
        blocks = [self._encode(column) for column in table]
        rows = len(dataset.labels) + len(dataset.unlabelled_counts)
        self._cells = np.hstack([np.empty((rows, 0), np.int64 if encoding == "codes" else np.float64), *blocks])
        place = np.repeat(np.arange(len(blocks)), [block.shape[1] for block in blocks])
        self._owner = dataset.owner[place]
        # The first column of a number is the number, a second says where it is missing.
        numbers = np.array([column.numbers is not None for column in table], dtype=np.bool_)
        self._is_number = numbers[place] & (np.diff(place, prepend=-1) > 0)
        native = [encoding == "native" and _fits_native(column) for column in table]
        self._categorical = np.array(native, dtype=np.bool_)[place]

    def build(self, features: Features, training: Integers) -> Matrix:
        """All rows in some features, for a model trained on ``training`` copies of each labelled row."""
        columns = np.flatnonzero(np.isin(self._owner, features))
        cells, owner = self._cells[:, columns], np.searchsorted(features, self._owner[columns])
        if self._encoding == "standardised":
            cells, varies = _standardise(cells, self._is_number[columns], training)
            return Matrix(cells, owner[varies])
        _fill_missing(cells, training, with_means=self._encoding == "filled")
        categorical = self._categorical[columns]
        return Matrix(cells, owner, categorical if categorical.any() else None)

    def _encode(self, feature: Feature) -> npt.NDArray[Any]:
        codes = all_codes(feature)
        if self._encoding == "codes":
            return codes[:, None]
        if feature.numbers is not None:
            numbers = _numbers_of(feature, codes)[:, None]
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


def _numbers_of(feature: Feature, codes: npt.NDArray[np.intp]) -> Floats:
    """The numbers of rows; a missing cell is NaN, and so is one that says nothing."""
    assert feature.numbers is not None
    numbers: Floats = np.append(feature.numbers, [np.nan, np.nan])[codes]
    return numbers


def _fits_native(feature: Feature) -> bool:
    return feature.numbers is None and feature.values <= MOST_NATIVE_VALUES


def _check_size(dataset: Dataset, model: str) -> None:
    """Refuse a table whose matrix would not fit into memory."""
    rows = len(dataset.labels) + len(dataset.unlabelled_counts)
    columns = dataset.ungrouped().features
    widths = [column.values if column.numbers is None else 1 + column.missing_is_value for column in columns]
    if rows * sum(widths) <= MOST_CELLS:
        return
    widest = columns[int(np.argmax(widths))]
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


@dataclass(frozen=True, eq=False)
class Frame:
    """All rows of a table, as ``Matrix`` has them: a data frame, whose columns have their own names."""

    frame: pandas.DataFrame
    owner: Integers
    """As in ``Matrix``."""

    @property
    def width(self) -> int:
        return self.frame.shape[1]

    def take(self, rows: Positions) -> pandas.DataFrame:
        return self.frame.take(rows).reset_index(drop=True)

    def vary(self, rows: Positions) -> bool:
        return bool((self.frame.take(rows).nunique(dropna=False) > 1).any())

    def exchange(self, rows: Positions, features: Integers, donors: Positions) -> pandas.DataFrame:
        import pandas as pd

        columns = {
            name: self.frame[name].array.take(np.where(features == owner, donors, rows))
            for name, owner in zip(self.frame.columns, self.owner.tolist(), strict=True)
        }
        return pd.DataFrame(columns)


class FrameEncoder:
    """Numbers as floats, texts and categories as pandas has them, NaN for missing."""

    def __init__(self, dataset: Dataset) -> None:
        import pandas as pd

        columns = {column.name: _frame_column(column) for column in dataset.ungrouped().features}
        self._owner = dataset.owner
        # The frame has rows even without columns.
        rows = len(dataset.labels) + len(dataset.unlabelled_counts)
        self._frame = pd.DataFrame(columns, index=pd.RangeIndex(rows))

    def build(self, features: Features, training: Integers) -> Frame:
        columns = np.flatnonzero(np.isin(self._owner, features))
        return Frame(self._frame.iloc[:, columns], np.searchsorted(features, self._owner[columns]))


def _frame_column(feature: Feature) -> pandas.api.extensions.ExtensionArray | npt.NDArray[Any]:
    import pandas as pd

    codes = all_codes(feature)
    if feature.numbers is not None:
        return _numbers_of(feature, codes)
    labels = feature.categories().to_pylist()
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
