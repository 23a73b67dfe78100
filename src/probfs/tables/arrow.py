"""Typed Arrow columns, as data frames, Parquet and Feather files have them -> Table; and the readers of these files."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pyarrow as pa

from probfs.errors import DataError
from probfs.notes import NoteKind
from probfs.runtime.memory import require_memory
from probfs.tables.column import typed_column, unread_column
from probfs.tables.header import name_columns
from probfs.tables.opening import TableInput
from probfs.tables.table import Table, table_of_columns
from probfs.text import option

_UNNAMED_INDEX = "__index_level_"
"""How the names begin under which pandas stores a row index without a name."""
_FILE = b"ARROW1"
_FIRST_FEATHER = b"FEA1"


def table_from_arrow(
    arrow: pa.Table, source: str, *, unread: Collection[str] = (), texts: Collection[str] = ()
) -> Table:
    """A table of the columns in the types that they have.

    Columns that are ``unread`` have a name and a place, but no cells; ``texts`` are plain ones, held as dictionaries.
    """
    try:
        names = arrow.column_names
    except UnicodeDecodeError as error:
        raise DataError("the name of a column is not UTF-8; write the file again", source=source) from error
    # pandas says under which names it stored the row index; others may have written something else.
    index_names: set[str] = set()
    with suppress(ValueError, TypeError, KeyError, RecursionError):
        stored = json.loads((arrow.schema.metadata or {})[b"pandas"])["index_columns"]
        index_names = {name for name in stored if isinstance(name, str)}
    unnamed = [name for name in names if name.startswith(_UNNAMED_INDEX) and name in index_names]
    message = f"{source}: the unnamed row index of the data frame was left out"
    notes = (NoteKind.ROW_INDEX.note(message, unnamed),) if unnamed else ()
    # pandas stores a named index behind the columns, where it would be taken for the target.
    places = [place for place, name in enumerate(names) if name not in unnamed]
    places.sort(key=lambda place: names[place] not in index_names)
    header = name_columns([names[place] for place in places], source)
    checked = False
    # Cells may come straight from a file, whose offsets and indices may lead out of its buffers. (One call for all, as
    # in wide tables the calls are what takes time.)
    with suppress(pa.ArrowException, UnicodeDecodeError):
        arrow.validate(full=True)
        checked = True
    columns = []
    for name, place in list(zip(header.names, places, strict=True))[header.indexes :]:
        column = unread_column(name, arrow.num_rows)
        if name not in unread:
            column = typed_column(name, arrow.column(place), checked=checked)
            column = replace(column, categorical=False) if name in texts else column
        columns.append(column)
    return replace(table_of_columns(columns, source, arrow.num_rows, (*notes, *header.notes)), left_out=header.left_out)


def read_parquet(table_input: TableInput) -> Table:
    """Read a Parquet file, or some of its row groups; columns that are not needed are left in the file."""
    import pyarrow.parquet as pq

    raw, source, unneeded = table_input.raw, table_input.source, table_input.options.unneeded
    try:
        file = pq.ParquetFile(raw)
        schema, metadata = file.schema_arrow, file.metadata
        groups = list(table_input.row_groups or range(metadata.num_row_groups))
        names: list[str] = []
        with suppress(UnicodeDecodeError):
            names = schema.names
        # Names that do not tell columns apart are refused once these are read.
        names = names if len(set(names)) == len(names) else []
        unread: Collection[str] = ()
        if unneeded is not None and all(name.strip() for name in names):
            unread = frozenset(unneeded([name for name in names if not name.startswith(_UNNAMED_INDEX)]))
            unread = unread.intersection(names)
        _check_memory(metadata, groups, unread, source)
        typed_names = zip(names, schema.types, strict=False)
        texts = [
            name for name, dtype in typed_names if dtype in (pa.string(), pa.large_string()) and name not in unread
        ]
        if texts:
            # Texts that repeat are read several times faster as a dictionary, into a third of the memory.
            file = pq.ParquetFile(raw, metadata=metadata, read_dictionary=texts)
        if unread:
            # A name with a point may also stand for a part of a nested column, so more may be read than was asked for.
            some = file.read_row_groups(groups, columns=[name for name in names if name not in unread])
            nothing = pa.chunked_array([pa.nulls(sum(metadata.row_group(number).num_rows for number in groups))])
            cells = [nothing if name in unread else some.column(name) for name in names]
            table = pa.Table.from_arrays(cells, names=names, metadata=schema.metadata)
        else:
            table = file.read_row_groups(groups)
        before = sum(metadata.row_group(number).num_rows for number in range(min(groups, default=0)))
    except (pa.ArrowException, OSError) as error:
        raise _unreadable("Parquet", error, source) from error
    return replace(table_from_arrow(table, source, unread=unread, texts=texts), first_row=before)


def _unreadable(title: str, error: Exception, source: str) -> DataError:
    # A damaged length asks for more memory than there is, without a word.
    reason = (str(error).splitlines() or ["a length in it is damaged"])[0].rstrip(".")
    remedy = f"write it again, or say what it is with {option('input_format')}"
    return DataError(f"is not a readable {title} file: {reason}; {remedy}", source=source)


def _check_memory(metadata: Any, numbers: Sequence[int], unread: Collection[str], source: str) -> None:
    groups = [metadata.row_group(number) for number in numbers]
    paths = [groups[0].column(place).path_in_schema for place in range(metadata.num_columns)] if groups else []
    read = [place for place, path in enumerate(paths) if path not in unread]
    unpacked = sum(group.column(place).total_uncompressed_size for group in groups for place in read)
    # A few bytes may stand for any number of equal cells, of which each takes at least four once it is read.
    cells = sum(group.num_rows for group in groups) * max(len(read), 1)
    require_memory(max(unpacked, 4 * cells) + 2 * cells, "this table", source)


def read_feather(table_input: TableInput) -> Table:
    """Read a Feather file, which is an Arrow IPC file, or an Arrow IPC stream."""
    raw, source = table_input.raw, table_input.source
    magic = raw.read(len(_FILE))
    raw.seek(-len(magic), os.SEEK_CUR)
    if magic.startswith(_FIRST_FEATHER):
        raise DataError("is a Feather file of version 1; write it again as version 2, or as Parquet", source=source)
    batches = []
    try:
        with pa.ipc.open_file(raw) if magic == _FILE else pa.ipc.open_stream(raw) as reader:
            schema = reader.schema
            numbers = range(reader.num_record_batches) if magic == _FILE else ()
            for batch in (reader.get_batch(number) for number in numbers) if magic == _FILE else reader:
                # Before anything is read from buffers that may be too short for what they say they hold.
                batch.validate()
                batches.append(batch)
                # Cells of the type null take no bytes here, but four or so as texts.
                cells = batch.num_rows * max(batch.num_columns, 1)
                require_memory(batch.get_total_buffer_size() + 4 * cells, "this table", source)
        table = pa.Table.from_batches(batches, schema)
    except (pa.ArrowException, OSError, MemoryError) as error:
        raise _unreadable("Feather", error, source) from error
    return table_from_arrow(table, source)
