"""Rows of a table as an estimator is given them, some with a feature exchanged for another row's."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from probfs.classifiers.refitting.design_matrix import Positions
from probfs.tables.table import Integers

if TYPE_CHECKING:
    import pandas

Matrix = npt.NDArray[Any]


class Cells(Protocol):
    """All rows of a table, labelled rows first, in the features of a model."""

    @property
    def columns(self) -> int:
        """How many columns the estimator is given."""
        ...

    def take(self, rows: Positions) -> Any:
        """Some rows, as the estimator is given them."""
        ...

    def vary(self, rows: Positions) -> bool:
        """Whether any of these rows differs from another."""
        ...

    def exchange(self, rows: Positions, features: Integers, donors: Positions) -> Any:
        """Some rows, each of which has one feature from another row. Equal features stand beside each other."""
        ...


@dataclass(frozen=True, eq=False)
class MatrixCells:
    """A matrix of numbers, in which the columns of a feature are adjacent."""

    cells: Matrix
    widths: Integers
    """The number of columns of each feature."""
    categorical: npt.NDArray[np.bool_] | None = None
    """Which columns hold the codes of categories; None if none does."""

    @property
    def columns(self) -> int:
        return int(self.cells.shape[1])

    def columns_of(self, feature: int) -> slice:
        start = int(self.widths[:feature].sum())
        return slice(start, start + int(self.widths[feature]))

    def take(self, rows: Positions) -> Matrix:
        return self.cells[rows]

    def vary(self, rows: Positions) -> bool:
        first = self.cells[rows[:1]]
        # NaN differs from itself.
        differs = (self.cells[rows] != first) & ~((self.cells[rows] != self.cells[rows]) & (first != first))
        return bool(differs.any())

    def exchange(self, rows: Positions, features: Integers, donors: Positions) -> Matrix:
        cells = self.cells[rows]
        for feature, span in runs_of(features):
            columns = self.columns_of(feature)
            cells[span, columns] = self.cells[donors[span], columns]
        return cells


@dataclass(frozen=True, eq=False)
class FrameCells:
    """A data frame, whose columns have the features' names."""

    frame: pandas.DataFrame

    @property
    def columns(self) -> int:
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


def runs_of(features: Integers) -> Iterator[tuple[int, slice]]:
    """Each feature and where it stands, in a list in which equal ones stand beside each other.

    >>> list(runs_of(np.array([2, 2, 5])))
    [(2, slice(0, 2, None)), (5, slice(2, 3, None))]
    """
    borders = [*np.flatnonzero(np.diff(features, prepend=-1)).tolist(), len(features)]
    for start, end in itertools.pairwise(borders):
        yield int(features[start]), slice(start, end)
