"""Columns of so many different numbers that only a few of them are known, and the others are counted between those.

The known numbers are those that decide what becomes of the column: where it is cut, and those that nearly give the
class away. What must be known of all numbers, such as how many are different, was found by ranges of numbers
(see ``range_summary``). Everything else is as in any column of a condensed table.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from probfs.tables.arrow_arrays import index_array
from probfs.tables.counted_column import CountedColumn
from probfs.tables.number_block import NumberColumn
from probfs.tables.range_summary import NumberSummary
from probfs.tables.readers.number_columns import texts_of_numbers
from probfs.tables.table import Column, Flags, Floats, Integers, Kind, code_type, numbers_of


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
        numbers = numbers_of(column.values, Kind.NUMBER)
        assert numbers is not None, "the values are numbers"
        own = {field.name: getattr(column, field.name) for field in fields(CountedColumn)}
        own["kind"] = Kind.NUMBER
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
        new_codes = np.full(len(self.values) + 1, -1)
        new_codes[known] = np.arange(len(known))
        new_codes[-1] = len(known)
        codes = new_codes[self.codes]
        kept = codes >= 0
        return CountedColumn(
            self.name,
            codes[kept].astype(code_type(len(known))),
            self.values.take(index_array(known)),
            self.kind,
            cell_rows=self.cell_rows[kept],
            cell_counts=self.cell_counts[kept],
            standing_for=self.standing_for,
            value_rows=self.value_rows[np.append(known, -1)],
        )


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
    places[np.isnan(numbers)] = len(every)
    held = np.flatnonzero(np.bincount(places, minlength=len(every) + 1)[:-1])
    new_codes = np.full(len(every) + 1, len(held), dtype=code_type(len(held)))
    new_codes[held] = np.arange(len(held))
    return Column(name, new_codes[places], texts_of_numbers(every[held]), Kind.NUMBER)


def numbers_by_row(column: Column) -> Floats | None:
    """The number in each row, NaN where a cell is missing.

    None unless the column is declared to hold numbers, all of them finite and each written in the one way of its own.
    """
    if isinstance(column, NumberColumn):
        return column.by_row if column.kind is Kind.NUMBER else None
    if not column.distinct():
        return np.full(column.rows, np.nan)
    if column.kind is not Kind.NUMBER or column.is_nominal or column.problem is not None:
        return None
    numbers = column.numbers()
    if numbers is None or not np.isfinite(numbers).all() or not texts_of_numbers(numbers).equals(column.values):
        return None
    return np.append(numbers + 0.0, np.nan)[column.codes]
