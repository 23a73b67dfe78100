"""What two-class and many-class rows have in common: their interface, blocks of cells, and exact addition."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from probfs.classifiers.naive_bayes.counts import ClassCounts, SlotLayout
from probfs.classifiers.row_odds import RowOdds
from probfs.classifiers.sums import Fit, Sums
from probfs.kernels.constants import ROWS_PER_BLOCK
from probfs.tables.table import Codes, Floats

CELLS_PER_BLOCK = 65536
LARGEST_EXPONENT = 700.0
"""e to this power is still a double."""

LN2 = math.log(2)
# ln 2 in two parts, the first of only twenty binary digits, so that its product with any shift is exact.
_LN2_HIGH = 0.6931467056274414
_LN2_LOW = 4.7493250390316726e-07


class Rows(ABC):
    """Rows whose probabilities are kept up to date while features leave: the unit of a round's work."""

    @abstractmethod
    def update(self, features: npt.NDArray[np.intp], sign: int = 1) -> None:
        """Multiply the factors of some features into every row's class weights (or, with sign -1, out of them)."""

    @abstractmethod
    def set_exponent(self, exponent: float, features: npt.NDArray[np.intp]) -> None:
        """Raise all class weights to this power (see ``shrinkage``). Only ``features`` will be asked for after this."""

    def expect(self, features: npt.NDArray[np.intp]) -> None:  # noqa: B027 # nothing to do for rows that are here
        """Be told of what will be asked next: the least gap, and the changes of these features. Rows that are far away
        may answer both at once.
        """

    @abstractmethod
    def sum_changes(self, features: npt.NDArray[np.intp], shift: int = 0) -> Sums:
        """The sums of these features' changes over the rows, in units of 2^-shift."""

    @abstractmethod
    def least_gap(self) -> float:
        """The gap of the least certain row: by how much, in logarithms, its most probable class leads the next one.
        Infinite where removing a zero factor can make any row uncertain again.
        """

    @abstractmethod
    def largest_excess(self) -> Floats:
        """For each feature the largest factor by which its removal multiplies a row's weight."""

    @abstractmethod
    def nearest_changes(self, features: npt.NDArray[np.intp]) -> Floats:
        """For each feature the smallest gap of a row that it changes, before or after its removal."""

    @abstractmethod
    def reach(self, counts: ClassCounts) -> Floats | None:
        """For each feature the largest difference that it makes, at exponent 1, between the log-weights of two classes;
        None where there is no bound. ``counts`` are those of all labelled rows.
        """

    @abstractmethod
    def squared_ranges(self) -> Floats:
        """For each feature the sum over rows of the squared difference that it makes, at exponent 1, between the
        log-weights of its most and least probable class.
        """

    @abstractmethod
    def fit(self) -> Fit:
        """Errors and losses of these rows, which must be labelled."""

    @abstractmethod
    def odds(self) -> RowOdds:
        """The odds of these rows, which must be labelled, at exponent 1."""


class ClassRows(Rows):
    """Rows of one class that are scored by one model."""

    @abstractmethod
    def add_at_once(self, features: npt.NDArray[np.intp]) -> None:
        """Multiply the factors of some features into every row's class weights, to about the precision of doubles: for
        features that will not be removed.
        """

    def __init__(self, codes: Codes, counts: Floats, label: int | None, layout: SlotLayout, has_zeros: bool) -> None:
        self.codes = codes
        self.counts = counts
        self.label = label
        self.layout = layout
        self.has_zeros = has_zeros
        self.exponent = 1.0

    @abstractmethod
    def gaps(self) -> Floats:
        """By how much, in logarithms, each row's most probable class leads the next; infinite if by a zero factor."""

    def least_gap(self) -> float:
        return math.inf if self.has_zeros else float(self.gaps().min(initial=np.inf))

    def blocks(self, features: int, width: int = 1) -> Iterator[tuple[slice, slice]]:
        """Ranges of features and rows whose cells fit in the cache."""
        rows = self.codes.shape[1]
        tall = min(rows, ROWS_PER_BLOCK) or 1
        wide = max(1, CELLS_PER_BLOCK // (tall * width))
        for first_row in range(0, rows, tall):
            for first in range(0, features, wide):
                yield slice(first, min(first + wide, features)), slice(first_row, min(first_row + tall, rows))

    def slots(self, features: npt.NDArray[np.intp], rows: slice) -> npt.NDArray[np.intp]:
        """The flat positions of these features' values in these rows."""
        return np.add(self.codes[features, rows], self.layout.offset[features, None], dtype=np.intp)


def sums_by_feature(feature: npt.NDArray[np.intp], absolute: Floats, signed: Floats, features: int) -> Sums:
    """The sums over single cells; ``feature`` says which feature each cell belongs to."""
    return Sums(
        np.bincount(feature, weights=absolute, minlength=features).astype(np.float64),
        np.bincount(feature, weights=signed, minlength=features).astype(np.float64),
    )


def add_exactly(high: Floats, low: Floats, term: Floats) -> None:
    """Add to a sum that is kept in two parts, without rounding (Knuth's two-sum): thousands of features may be added
    and removed.
    """
    total = high + term
    back = total - high
    low += (high - (total - back)) + (term - back)
    high[...] = total


def shifted_exponent(shift: int, high: Floats, low: Floats) -> Floats:
    """shift·ln 2 - (high + low), without losing digits to cancellation."""
    return (shift * _LN2_HIGH - high) + (shift * _LN2_LOW - low)
