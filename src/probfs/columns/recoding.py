"""Rules applied to columns: what a rule learns from the labelled rows, and a column's codes under the learned rule.

Everything here works on a column's distinct values; cells are only translated, from one code to another.
"""

from __future__ import annotations

import numpy as np

from probfs.columns.rules import UNKNOWN, Coder, Measured, Rule, Seen, UnfitValueError
from probfs.tables.arrow_arrays import index_array, looked_up
from probfs.tables.number_block import NumberColumn
from probfs.tables.table import Codes, Column, Floats, Integers, Kind, Table, code_type


def learn_rule(table: Table, column: Column, rule: Rule, weights: Integers | None) -> Coder:
    """What a rule learns from the rows of positive weight; a value it cannot take is an error with its line."""
    counts = table.usable(column).counts(weights)[:-1]
    codes = np.flatnonzero(counts)
    declared = column.values if column.declared else None
    seen = Seen(column.values.take(index_array(codes)), counts[codes], column.kind, declared, column.ordered)
    try:
        return rule.learn(seen)
    except UnfitValueError as error:
        raise table.cell_error(column, int(codes[error.position]), error.problem) from error


def label_of_each_value(table: Table, column: Column, coder: Coder) -> Integers:
    """The position of each value's label, UNKNOWN where it has none; the last entry is that of a missing cell."""
    try:
        labels = coder.assign(table.usable(column).values)
    except UnfitValueError as error:
        raise table.cell_error(column, error.position, error.problem) from error
    return np.append(labels, UNKNOWN)


def new_code_of_each_value(table: Table, column: Column, coder: Coder, *, missing_is_value: bool = False) -> Integers:
    """The new code of each value and, at the end, of a missing cell: a value without a label becomes missing.

    Where missing is a value, it comes after the labels, and a value without a label gets the code after that.
    """
    labels = label_of_each_value(table, column, coder)
    new_codes = np.where(labels == UNKNOWN, len(coder.labels) + missing_is_value, labels)
    if missing_is_value:
        new_codes[-1] = len(coder.labels)
    return new_codes


def translate_codes(codes: Codes, new_codes: Integers, labels: int) -> Codes:
    """Each cell's new code, in the narrowest type for so many labels; ``new_codes`` has one for each old code."""
    dtype = code_type(labels)
    unchanged = np.array_equal(new_codes, np.arange(len(new_codes))) and codes.dtype == dtype
    return codes if unchanged else looked_up(new_codes.astype(dtype), codes)


def recode_column(table: Table, column: Column, coder: Coder) -> Column:
    """The column with its values replaced by a learned rule's labels."""
    codes = translate_codes(column.codes, new_code_of_each_value(table, column, coder), len(coder.labels))
    return Column(column.name, codes, coder.labels, declared=True)


def number_of_each_row(table: Table, column: Column, rule: Measured, kind: Kind | None = None) -> Floats:
    """The number in every row, NaN for a missing cell; ``kind`` says what the values are, if not the column's own."""
    if isinstance(column, NumberColumn):
        return column.by_row
    try:
        numbers = rule.numbers(table.usable(column).values, kind or column.kind)
    except UnfitValueError as error:
        raise table.cell_error(column, error.position, error.problem) from error
    return np.append(numbers, np.nan)[column.codes]
