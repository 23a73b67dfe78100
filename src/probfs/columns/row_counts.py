"""How many equal rows each row of a table stands for."""

from __future__ import annotations

import numpy as np

from probfs.errors import DataError
from probfs.tables.table import Integers, Table
from probfs.text import quoted

MOST_ROWS = 2**53
"""Up to this many rows, sums in double precision are exact."""


def row_counts(table: Table, name: str | None) -> Integers:
    """The whole numbers in the column called ``name``; 1 for every row if there is no such column."""
    if name is None or name not in table.columns:
        if table.standing_for is not None:
            return table.standing_for
        # A single 1, broadcast to all rows without a copy.
        return np.broadcast_to(np.int64(1), table.rows)
    column = table.usable(table.columns[name])
    numbers = np.zeros(len(column.values) + 1, dtype=np.int64)
    for code, text in enumerate(column.values.to_pylist()):
        whole = text.strip().removesuffix(".0")
        if not (whole.isascii() and whole.isdigit() and len(whole) <= 15):
            problem = f"{quoted(text)} is not a row count; use whole numbers of up to 15 digits"
            raise table.cell_error(column, code, problem)
        numbers[code] = int(whole)
    if column.missing():
        raise table.cell_error(column, len(column.values), "the row count is missing; write 0 for no row")
    counts: Integers = numbers[column.codes]
    rows = np.ones(1, dtype=np.int64) if table.standing_for is None else table.standing_for
    # In double precision first: the product may be more than an integer holds.
    if (counts * rows.astype(np.float64)).sum() > MOST_ROWS:
        raise DataError(f"column {quoted(name)}: the counts add up to more than 2^53 rows", source=table.source)
    return counts * rows
