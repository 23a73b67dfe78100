"""Texts that mean missing, made missing cells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from probfs.columns.rules import short_number
from probfs.tables.arrow_arrays import mask_array, numpy_array, text_array
from probfs.tables.table import Column, Kind, Table, code_type, is_number


def mark_missing(table: Table, texts: Sequence[str]) -> Table:
    """The table with the cells that hold one of ``texts`` made missing."""
    if not texts:
        return table
    unwanted = text_array(list(texts))
    numbers = [short_number(float(text)) for text in texts if is_number(text_array([text])).all()]
    # Where the file says numbers, 999.0 names the cell that is kept as 999.
    unwanted_numbers = text_array([*texts, *numbers])
    columns = {
        name: _without_values(column, unwanted_numbers if column.kind is Kind.NUMBER else unwanted)
        for name, column in table.columns.items()
    }
    return Table(table.source, columns, table.rows, table.lines, table.target_hint, table.notes)


def _without_values(column: Column, unwanted: pa.StringArray) -> Column:
    if column.problem is not None:
        return column
    gone = numpy_array(pc.is_in(column.values, value_set=unwanted))
    if not gone.any():
        return column
    kept = int((~gone).sum())
    new_codes = np.full(len(gone) + 1, kept, dtype=code_type(kept))
    new_codes[np.flatnonzero(~gone)] = np.arange(kept)
    values = column.values.filter(mask_array(~gone))
    return Column(column.name, new_codes[column.codes], values, column.kind, column.declared)
