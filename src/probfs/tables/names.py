"""The names of a table's columns without its cells, for a shell, which waits for them at every press of a key.

So neither numpy nor pyarrow is imported here, except for Parquet files.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from io import BytesIO
from typing import Any

from probfs.errors import ProbfsError
from probfs.tables.csv_head import open_csv
from probfs.tables.files import find_parts
from probfs.tables.formats import choose_format
from probfs.tables.opening import ReadOptions, TableInput, open_source, read_text
from probfs.tables.urls import is_url

_LONGEST_HEADER = 1 << 22
"""Bytes of a file that are read at most for the names of its columns."""
_LONGEST_NAME = 1000
"""Characters of a name that is offered at most."""


def read_column_names(
    path: str,
    input_format: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    skip_rows: int | None = None,
    no_header: bool = False,
) -> list[str]:
    """The names of a table's columns in order, for a shell; none if they are not to be read or understood.

    Of many files the first one is read; none of another computer is.
    """
    try:
        part = find_parts([path])[0] if not is_url(path) else None
        # To open a pipe would wait for somebody to write to it.
        if part is None or not stat.S_ISREG(os.stat(part.path).st_mode):
            return []
        options = ReadOptions(input_format, delimiter, encoding, skip_rows=skip_rows, no_header=no_header)
        names = [*(name for name, _ in part.partition), *_names_in_file(part.path, options)]
        return [name for name in dict.fromkeys(names) if len(name) <= _LONGEST_NAME]
    except (ProbfsError, OSError, ValueError):
        return []


def _names_in_file(path: str, options: ReadOptions) -> Sequence[str]:
    with open_source(path, most=_LONGEST_HEADER) as (raw, head):
        table_format = choose_format(path, head, options)
        first: Any = BytesIO(raw.read(_LONGEST_HEADER))
    if table_format.name == "parquet":
        import pyarrow.parquet as pq

        # Under such a name pandas stores an index that has none.
        return [name for name in pq.read_schema(path).names if name.strip() and not name.startswith("__index_level_")]
    if not table_format.delimiter and table_format.name != "arff":
        return []
    return read_text(_names_in_text, table_format.input_from(first, path, options))[0]


def _names_in_text(table_input: TableInput) -> Sequence[str]:
    if table_input.delimiter:
        with open_csv(table_input) as head:
            return head.columns.names[head.columns.indexes :]
    from probfs.tables.arff import open_text, read_header

    with table_input.as_utf8() as raw:
        return [attribute.name for attribute in read_header(open_text(raw), table_input.source).attributes]
