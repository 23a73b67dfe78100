"""Table -> Parquet."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from probfs.tables.table import Column, Kind, Table


def parquet_bytes(table: Table) -> bytes:
    """Columns of dictionary-encoded text, and of numbers where the file that was read declared numbers."""
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(arrow_table(table), sink)
    return bytes(sink.getvalue())


def arrow_table(table: Table) -> pa.Table:
    """The columns as Arrow has them: text as codes and their dictionary, numbers as numbers."""
    arrays = [_arrow_array(column) for column in table.columns.values()]
    return pa.Table.from_arrays(arrays, names=list(table.columns))


def _arrow_array(column: Column) -> pa.Array:
    missing = column.codes == len(column.values)
    codes = pa.array(np.where(missing, 0, column.codes).astype(np.int32), mask=missing)
    if column.kind is Kind.NUMBER:
        try:
            return column.values.cast(pa.int64()).take(codes)
        except pa.ArrowInvalid:
            return column.values.cast(pa.float64()).take(codes)
    return pa.DictionaryArray.from_arrays(codes, column.values)
