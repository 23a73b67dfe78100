"""Parquet -> Table."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, BinaryIO

import pyarrow as pa

from probfs.errors import DataError
from probfs.runtime.memory import require_memory
from probfs.tables.readers.arrow import UNNAMED_INDEX, table_from_arrow
from probfs.tables.table import Table
from probfs.text import option

if TYPE_CHECKING:
    from probfs.tables.source import Unneeded


def read_parquet(raw: BinaryIO, source: str, unneeded: Unneeded | None = None) -> Table:
    """Read a Parquet file; columns keep their types as kinds, and those that are not needed are left in the file."""
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(raw)
        unread = _columns_to_leave(file, unneeded)
        _check_memory(file.metadata, unread, source)
        table = _read_columns(file, unread)
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        remedy = f"write it again, or say what it is with {option('input_format')}"
        raise DataError(f"is no readable Parquet file: {reason}; {remedy}", source=source) from error
    return table_from_arrow(table, source, unread=unread)


def _columns_to_leave(file: Any, unneeded: Unneeded | None) -> Collection[str]:
    """The names of the columns that need not be read; none where names leave any doubt about which is which."""
    names = _names(file)
    if unneeded is None or len(set(names)) < len(names) or not all(name.strip() for name in names):
        return frozenset()
    return frozenset(unneeded([name for name in names if not name.startswith(UNNAMED_INDEX)])).intersection(names)


def _names(file: Any) -> list[str]:
    try:
        names: list[str] = file.schema_arrow.names
    except UnicodeDecodeError:
        # Refused once the columns are read.
        return [""]
    return names


def _check_memory(metadata: Any, unread: Collection[str], source: str) -> None:
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    unpacked = sum(group.total_byte_size for group in groups)
    columns = metadata.num_columns
    if unread and groups:
        paths = [groups[0].column(place).path_in_schema for place in range(columns)]
        left = [place for place, path in enumerate(paths) if path in unread]
        unpacked -= sum(group.column(place).total_uncompressed_size for group in groups for place in left)
        columns -= len(left)
    # A few bytes may stand for any number of equal cells, of which each takes at least four once it is read.
    cells = metadata.num_rows * max(columns, 1)
    require_memory(max(unpacked, 4 * cells) + 2 * cells, "this table", source)


def _read_columns(file: Any, unread: Collection[str]) -> pa.Table:
    """The table, in which columns that are not read hold nothing, in their places."""
    if not unread:
        return file.read()
    schema = file.schema_arrow
    # A name with a point in it may also stand for a part of a nested column, so more may be read than was asked for.
    read = file.read(columns=[name for name in schema.names if name not in unread])
    nothing = pa.chunked_array([pa.nulls(file.metadata.num_rows)])
    fields = [pa.field(field.name, pa.null()) if field.name in unread else field for field in schema]
    cells = [nothing if field.name in unread else read.column(field.name) for field in schema]
    return pa.Table.from_arrays(cells, schema=pa.schema(fields, schema.metadata))
