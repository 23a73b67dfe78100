"""Columns of so many different numbers that only a few of them are known, and the others are counted between those.

The known numbers are those that decide what becomes of the column: where it is cut, and those that nearly give the
class away. What must be known of all numbers, such as how many are different, was found by ranges of numbers
(see ``range_summary``). Everything else is as in any column of a condensed table.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import pyarrow as pa

from probfs.cluster.counted_column import CountedColumn
from probfs.cluster.range_summary import NumberSummary
from probfs.tables.arrays import EXACT, Flags, Floats, Integers, code_type, index_array
from probfs.tables.cells import Kind
from probfs.tables.column import Column, number_column


@dataclass(frozen=True, eq=False, kw_only=True)
class SummarizedColumn(CountedColumn):
    """A column with a value for each known number, and one for all numbers between two of them."""

    summary: NumberSummary
    is_known: Flags
    """For each value, whether it is a number that rows hold, and does not stand for several."""
    labelled: Flags
    """For each condensed row, whether it has a class and takes part."""

    @classmethod
    def of(cls, column: CountedColumn, known: Floats, summary: NumberSummary, labelled: Flags) -> SummarizedColumn:
        """From a column joined of those that ``between_known_numbers`` made of its blocks."""
        own = {field.name: getattr(column, field.name) for field in fields(CountedColumn)}
        numbers = column.numbers()
        assert numbers is not None, "the values are numbers"
        return cls(**own, summary=summary, is_known=np.isin(numbers, known), labelled=labelled)

    def distinct(self, weights: Integers | None = None) -> int:
        """How many different numbers are in all rows, in those that take part, or in those that have a class too."""
        if weights is None:
            return self.summary.every.distinct
        only_labelled = not weights[~self.labelled].any()
        return self.summary.labelled.distinct if only_labelled else self.summary.counted.distinct

    def knows_labelled_numbers(self) -> bool:
        """Whether all numbers of labelled rows are known."""
        unknown = ~np.append(self.is_known, True)[self.codes]
        return not self.labelled[self.cell_rows[unknown]].any()

    def of_known_numbers(self) -> CountedColumn:
        """Only the cells that are missing or hold a known number; values in the order of their first rows."""
        known = np.flatnonzero(self.is_known)
        known = known[np.argsort(self.value_rows[known], kind="stable")]
        new_codes = np.full(len(self.entries) + 1, -1)
        new_codes[known] = np.arange(len(known))
        new_codes[-1] = len(known)
        codes = new_codes[self.codes]
        kept = codes >= 0
        return CountedColumn(
            self.name,
            self.cells,
            self.kind,
            cell_codes=codes[kept].astype(code_type(len(known))),
            distinct_cells=self.entries.take(index_array(known)),
            cell_rows=self.cell_rows[kept],
            cell_counts=self.cell_counts[kept],
            row_counts=self.row_counts,
            value_rows=self.value_rows[np.append(known, -1)],
        )

    def without_values(self, gone: Flags) -> Column:
        # Cells that mean missing were marked before the numbers were summarized.
        return self


def between_known_numbers(name: str, numbers: Floats, known: Floats) -> Column:
    """Numbers by row, NaN where one is missing, as a column of the known ones and of one number for all in between.

    ``known`` is in rising order and not empty.
    """
    places = np.searchsorted(known, numbers)
    is_known = known[np.minimum(places, len(known) - 1)] == numbers
    # Next to a known number, so that no other one is as near, unless nothing lies in between.
    with np.errstate(over="ignore"):
        # Nothing lies beyond the largest double.
        stand_ins = np.append(np.nextafter(known, -np.inf), np.nextafter(known[-1], np.inf))
    every = np.append(stand_ins, known)
    places[is_known] += len(stand_ins)
    return number_column(name, np.where(np.isnan(numbers), np.nan, every[places]))


def numbers_by_row(column: Column) -> Floats | None:
    """The number in each row, NaN where a cell is missing.

    None unless the column is declared to hold numbers, all of them finite, and doubles tell them apart.
    """
    if not column.is_numeric or column.kind is not Kind.NUMBER:
        return None if len(column.entries) else np.full(column.rows, np.nan)
    numbers, dtype = column.by_row, column.cells.type
    largest = np.nanmax(np.abs(numbers), initial=0.0)
    limit = EXACT if pa.types.is_integer(dtype) else np.inf if pa.types.is_floating(dtype) else 0.0
    return numbers + 0.0 if largest < limit else None
