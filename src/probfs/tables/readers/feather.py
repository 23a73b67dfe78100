"""Feather, which is an Arrow IPC file, and Arrow IPC streams -> Table."""

from __future__ import annotations

import os
from typing import BinaryIO

import pyarrow as pa

from probfs.errors import DataError
from probfs.runtime.memory import require_memory
from probfs.tables.readers.arrow import table_from_arrow
from probfs.tables.table import Table
from probfs.text import option

_FILE = b"ARROW1"
_FIRST_FEATHER = b"FEA1"


def read_feather(raw: BinaryIO, source: str) -> Table:
    """Read a Feather file; columns keep their types as kinds."""
    magic = raw.read(len(_FILE))
    raw.seek(-len(magic), os.SEEK_CUR)
    if magic.startswith(_FIRST_FEATHER):
        raise DataError("is a Feather file of version 1; write it again as version 2, or as Parquet", source=source)
    try:
        batches = _read_batches(raw, magic == _FILE, source)
    except (pa.ArrowException, OSError, MemoryError) as error:
        # A damaged length asks for more memory than there is, without a word.
        reason = (str(error).splitlines() or ["a length in it is damaged"])[0].rstrip(".")
        remedy = f"write it again, or say what it is with {option('input_format')}"
        raise DataError(f"is no readable Feather file: {reason}; {remedy}", source=source) from error
    return table_from_arrow(batches, source, checked=False)


def _read_batches(raw: BinaryIO, is_file: bool, source: str) -> pa.Table:
    """The record batches of a file or stream, as long as there is memory for them."""
    batches = []
    with pa.ipc.open_file(raw) if is_file else pa.ipc.open_stream(raw) as reader:
        schema = reader.schema
        stored = (reader.get_batch(number) for number in range(reader.num_record_batches)) if is_file else reader
        for batch in stored:
            # Before anything is read from buffers that may be too short for what they say they hold.
            batch.validate()
            batches.append(batch)
            # Cells of the type null take no bytes here, but four or so as texts.
            cells = batch.num_rows * max(batch.num_columns, 1)
            require_memory(batch.get_total_buffer_size() + 4 * cells, "this table", source)
    return pa.Table.from_batches(batches, schema)
