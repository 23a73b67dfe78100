"""Small tables read from text or bytes, and their content as plain lists of texts."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable
from pathlib import Path

from probfs.tables.readers import read_table
from probfs.tables.readers.delimited import read_delimited
from probfs.tables.source import Utf8Stream
from probfs.tables.table import Column, Table

Write = Callable[[str, "str | bytes"], Path]
"""The fixture that writes a small file."""


def cell_texts(column: Column) -> list[str | None]:
    """The text of every cell, None for a missing one."""
    texts = [*column.values.to_pylist(), None]
    return [texts[code] for code in column.codes]


def table_content(table: Table) -> dict[str, list[str | None]]:
    """The cells of every column."""
    return {name: cell_texts(column) for name, column in table.columns.items()}


def read_csv_text(text: str | bytes, delimiter: str = ",") -> Table:
    """Read a CSV file with this content."""
    data = text.encode() if isinstance(text, str) else text
    return read_delimited(Utf8Stream(io.BytesIO(data), "utf-8", "t.csv"), delimiter)


def read_bytes(data: bytes, name: str) -> Table:
    """Read a file with this content and name, whose ending decides the format."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        return read_table(path)
