"""Parquet -> Table."""

from __future__ import annotations

from typing import BinaryIO

import pyarrow as pa

from probfs.errors import DataError
from probfs.runtime.memory import require_memory
from probfs.tables.readers.arrow import table_from_arrow
from probfs.tables.table import Table
from probfs.text import option


def read_parquet(raw: BinaryIO, source: str) -> Table:
    """Read a Parquet file; columns keep their types as kinds."""
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(raw)
        metadata = file.metadata
        # A few bytes may stand for any number of equal cells, of which each takes at least four once it is read.
        unpacked = sum(metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups))
        cells = metadata.num_rows * max(metadata.num_columns, 1)
        require_memory(max(unpacked, 4 * cells) + 2 * cells, "this table", source)
        table = file.read()
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        remedy = f"write it again, or say what it is with {option('input_format')}"
        raise DataError(f"is no readable Parquet file: {reason}; {remedy}", source=source) from error
    return table_from_arrow(table, source)
