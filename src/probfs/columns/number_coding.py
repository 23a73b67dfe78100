"""A column's numbers as places in a list of all of them, for those who count numbers of rows in several places."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probfs.columns.rules import some_numbers
from probfs.tables.number_block import NumberColumn
from probfs.tables.table import Codes, Column, Floats, Table, code_type


@dataclass(frozen=True, eq=False)
class NumberCoding:
    """The different numbers of a column in rising order."""

    name: str
    numbers: Floats

    @classmethod
    def of(cls, column: Column) -> NumberCoding:
        every = np.unique(some_numbers(column.values, column.kind))
        return cls(column.name, every[~np.isnan(every)])

    def recode(self, table: Table) -> Codes:
        """For each row of a table the place of its number, and the number of all numbers where it has none."""
        column = table.columns[self.name]
        if isinstance(column, NumberColumn):
            return self._places(column.by_row)
        return self._places(np.append(some_numbers(column.values, column.kind), np.nan))[column.codes]

    def _places(self, numbers: Floats) -> Codes:
        places = np.searchsorted(self.numbers, numbers)
        return np.where(np.isnan(numbers), len(self.numbers), places).astype(code_type(len(self.numbers)))
