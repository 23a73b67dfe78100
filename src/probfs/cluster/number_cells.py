"""The numbers of some rows before they are cut, as places in the list of those that occur."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probfs.columns.rules import some_numbers
from probfs.tables.arrays import Codes, Floats, Integers, code_type
from probfs.tables.column import Column


@dataclass(frozen=True, eq=False)
class NumberCells:
    """The different numbers of some rows in rising order, and the place of each row's own; the place after the last is
    that of rows without one.
    """

    numbers: Floats
    places: Codes

    @classmethod
    def of(cls, column: Column, rows: Integers) -> NumberCells:
        """The numbers that a column has in some rows; texts that are no numbers are none."""
        if column.is_numeric:
            return cls._of_cells(column.by_row[rows], None)
        return cls._of_cells(np.append(some_numbers(column.entries, column.kind), np.nan), column.codes[rows])

    @classmethod
    def _of_cells(cls, cells: Floats, codes: Codes | None) -> NumberCells:
        # Adding 0 makes -0 the same as 0. Of all NaN, unique leaves one, at the end.
        numbers, places = np.unique(cells + 0.0, return_inverse=True)
        numbers = numbers[~np.isnan(numbers)]
        narrow = places.astype(code_type(len(numbers)))
        return cls(numbers, narrow if codes is None else narrow[codes])

    def take(self, rows: Integers) -> NumberCells:
        """The numbers of some of the rows."""
        return NumberCells(self.numbers, self.places[rows])

    @property
    def nbytes(self) -> int:
        return self.numbers.nbytes + self.places.nbytes
