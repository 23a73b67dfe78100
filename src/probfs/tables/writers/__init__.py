"""Table -> bytes of a file that other tools read: CSV, TSV, ARFF or Parquet."""

from __future__ import annotations

import os

import numpy as np
import pyarrow as pa

from probfs.choices import TABLE_ENDINGS, TableFormat
from probfs.runtime.output import format_by_ending
from probfs.tables.table import Column, Kind, Table
from probfs.text import delimited


def table_format_for(
    path: str | os.PathLike[str] | None, chosen: TableFormat | None, option: str = "output"
) -> TableFormat:
    """The format asked for, or what the file's ending says; CSV for standard output."""
    if chosen is not None:
        return chosen
    if path is None:
        return "csv"
    return format_by_ending(path, TABLE_ENDINGS, "csv", option)


def written(table: Table, chosen: TableFormat, target: str | None = None, *, safe: bool = False) -> bytes:
    """The table in one of the formats; the target is a list of classes even if they look like numbers.

    With ``safe``, a text that a spreadsheet would take for a formula begins with an apostrophe in CSV and TSV.
    """
    if chosen == "parquet":
        return _parquet(table)
    if chosen == "arff":
        from probfs.tables.writers.arff import written_arff

        return written_arff(table, target)
    return _delimited(table, "\t" if chosen == "tsv" else ",", safe)


def cells(column: Column) -> list[str | None]:
    """The text of every cell."""
    texts: list[str | None] = [*column.values.to_pylist(), None]
    return [texts[code] for code in column.codes.tolist()]


def _delimited(table: Table, delimiter: str, safe: bool) -> bytes:
    columns = [cells(column) for column in table.columns.values()]
    return delimited([list(table.columns), *zip(*columns, strict=True)], delimiter, safe).encode()


def _parquet(table: Table) -> bytes:
    import pyarrow.parquet as pq

    arrays = [_array(column) for column in table.columns.values()]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_arrays(arrays, names=list(table.columns)), sink)
    return bytes(sink.getvalue())


def _array(column: Column) -> pa.Array:
    """Dictionary-encoded text, or numbers where the file it came from said numbers."""
    missing = column.codes == len(column.values)
    codes = pa.array(np.where(missing, 0, column.codes).astype(np.int32), mask=missing)
    if column.kind is Kind.NUMBER:
        try:
            return column.values.cast(pa.int64()).take(codes)
        except pa.ArrowInvalid:
            return column.values.cast(pa.float64()).take(codes)
    return pa.DictionaryArray.from_arrays(codes, column.values)
