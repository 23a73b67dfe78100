"""Parquet -> Table."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, BinaryIO

import pyarrow as pa

from probfs.errors import DataError
from probfs.runtime.memory import require_memory
from probfs.tables.readers.arrow import UNNAMED_INDEX, table_from_arrow
from probfs.tables.table import Table
from probfs.text import option

if TYPE_CHECKING:
    from probfs.tables.source import Unneeded


def read_parquet(raw: BinaryIO, source: str, unneeded: Unneeded | None = None, row_groups: Sequence[int] = ()) -> Table:
    """Read a Parquet file; columns keep their types as kinds, and those that are not needed are left in the file.

    ``row_groups`` says which parts of the file to read, one after the other in their order; without any, all.
    """
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(raw)
        unread = _columns_to_leave(file, unneeded)
        groups = list(row_groups or range(file.metadata.num_row_groups))
        _check_memory(file.metadata, groups, unread, source)
        table = _read_columns(file, groups, unread)
        before = sum(file.metadata.row_group(number).num_rows for number in range(min(groups, default=0)))
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        remedy = f"write it again, or say what it is with {option('input_format')}"
        raise DataError(f"is no readable Parquet file: {reason}; {remedy}", source=source) from error
    return replace(table_from_arrow(table, source, unread=unread), first_row=before)


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


def _check_memory(metadata: Any, numbers: Sequence[int], unread: Collection[str], source: str) -> None:
    groups = [metadata.row_group(number) for number in numbers]
    unpacked = sum(group.total_byte_size for group in groups)
    columns = metadata.num_columns
    if unread and groups:
        paths = [groups[0].column(place).path_in_schema for place in range(columns)]
        left = [place for place, path in enumerate(paths) if path in unread]
        unpacked -= sum(group.column(place).total_uncompressed_size for group in groups for place in left)
        columns -= len(left)
    # A few bytes may stand for any number of equal cells, of which each takes at least four once it is read.
    cells = sum(group.num_rows for group in groups) * max(columns, 1)
    require_memory(max(unpacked, 4 * cells) + 2 * cells, "this table", source)


def _read_columns(file: Any, groups: list[int], unread: Collection[str]) -> pa.Table:
    """The table, in which columns that are not read hold nothing, in their places."""
    if not unread:
        return file.read_row_groups(groups)
    schema = file.schema_arrow
    # A name with a point in it may also stand for a part of a nested column, so more may be read than was asked for.
    read = file.read_row_groups(groups, columns=[name for name in schema.names if name not in unread])
    rows = sum(file.metadata.row_group(number).num_rows for number in groups)
    nothing = pa.chunked_array([pa.nulls(rows)])
    fields = [pa.field(field.name, pa.null()) if field.name in unread else field for field in schema]
    cells = [nothing if field.name in unread else read.column(field.name) for field in schema]
    return pa.Table.from_arrays(cells, schema=pa.schema(fields, schema.metadata))
