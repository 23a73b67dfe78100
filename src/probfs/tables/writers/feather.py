"""Table -> Feather, which is an Arrow IPC file."""

from __future__ import annotations

import pyarrow as pa

from probfs.tables.table import Table
from probfs.tables.writers.parquet import arrow_table


def feather_bytes(table: Table) -> bytes:
    """Columns of dictionary-encoded text, and of numbers where the file that was read declared numbers."""
    arrow = arrow_table(table)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, arrow.schema) as writer:
        writer.write_table(arrow)
    return bytes(sink.getvalue())
