"""Table -> CSV or TSV."""

from __future__ import annotations

from probfs.tables.table import Column, Table
from probfs.text import delimited


def delimited_bytes(table: Table, delimiter: str, safe: bool) -> bytes:
    """A header and a line for each row; a missing cell is empty."""
    columns = [_cell_texts(column) for column in table.columns.values()]
    return delimited([list(table.columns), *zip(*columns, strict=True)], delimiter, safe).encode()


def _cell_texts(column: Column) -> list[str | None]:
    texts: list[str | None] = [*column.values.to_pylist(), None]
    return [texts[code] for code in column.codes.tolist()]
