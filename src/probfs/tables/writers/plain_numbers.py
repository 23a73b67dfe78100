"""Columns of texts that are all plain numbers, as numbers: for formats that tell the two apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from probfs.tables.arrow_arrays import text_array
from probfs.tables.table import Column, Kind, Table

_LONG_WHOLE_NUMBER = r"^\s*[+-]?\d{16,}\.?0*\s*$"
"""A whole number, such as a key, that may lose digits as a double."""


def as_plain_numbers(table: Table, target: str | None) -> Table:
    """The table with numbers in place of texts, in each column where all texts are numbers and none is lost or changed.

    The texts of the target are classes: they become numbers only if no two of them are the same number.
    """
    columns = {name: _as_numbers(column, name == target) for name, column in table.columns.items()}
    return replace(table, columns=columns)


def _as_numbers(column: Column, classes: bool) -> Column:
    if column.kind is not Kind.TEXT or column.is_nominal or column.problem is not None or not column.distinct():
        return column
    numbers = column.numbers()
    if numbers is None or not np.isfinite(numbers).all():
        return column
    if classes and len(np.unique(numbers)) < len(numbers):
        return column
    try:
        texts = pc.cast(pc.cast(pc.utf8_trim_whitespace(column.values), pa.int64()), pa.string())
    except pa.ArrowInvalid:
        if pc.any(pc.match_substring_regex(column.values, _LONG_WHOLE_NUMBER)).as_py():
            return column
        texts = text_array([repr(number) for number in numbers.tolist()])
    return Column(column.name, column.codes, texts, Kind.NUMBER)
