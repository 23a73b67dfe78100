"""Small tables read from text or bytes, and their content as plain lists of texts."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable
from pathlib import Path

from probfs.tables.column import Column
from probfs.tables.csv import read_delimited
from probfs.tables.opening import ReadOptions, TableInput
from probfs.tables.reading import read_table
from probfs.tables.table import Table

Write = Callable[[str, "str | bytes"], Path]
"""The fixture that writes a small file."""


def cell_texts(column: Column) -> list[str | None]:
    """The text of every cell, None for a missing one."""
    texts = [*column.values.to_pylist(), None]
    return [texts[code] for code in column.codes]


def table_content(table: Table) -> dict[str, list[str | None]]:
    """The cells of every column."""
    return {name: cell_texts(column) for name, column in table.columns.items()}


def read_csv_text(text: str | bytes, delimiter: str = ",", options: ReadOptions | None = None) -> Table:
    """Read a CSV file with this content."""
    data = text.encode() if isinstance(text, str) else text
    raw: io.BufferedReader = io.BufferedReader(io.BytesIO(data))
    return read_delimited(TableInput(raw, "t.csv", options or ReadOptions(), delimiter))


def read_bytes(data: bytes, name: str) -> Table:
    """Read a file with this content and name, whose ending decides the format."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        return read_table(path)
