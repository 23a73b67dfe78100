"""Typed Arrow columns, as Parquet and Feather files and data frames have them -> Table."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from probfs.errors import DataError
from probfs.notes import Note, NoteKind
from probfs.tables.arrow_arrays import index_array, numpy_array
from probfs.tables.number_block import NumberColumn
from probfs.tables.readers.arrow_cells import (
    UnusableCellsError,
    category_order,
    encode_cells,
    is_text,
    kind_of,
    without_extension,
)
from probfs.tables.readers.column_builder import ColumnBuilder
from probfs.tables.readers.number_columns import column_of_many_numbers, numbers_from_arrow
from probfs.tables.readers.unnamed_columns import name_columns
from probfs.tables.row_lines import RowLines
from probfs.tables.table import Column, Kind, NoRowsError, Table, unread_column, unusable_column
from probfs.text import printable, quoted

UNNAMED_INDEX = "__index_level_"
"""How the names begin under which pandas stores a row index without a name."""
FRAME_SOURCE = "<frame>"
"""The name of a data frame in messages, which has no file name."""
ARRAY_SOURCE = "<array>"
"""The name of an array, which has none either."""
_NOT_UTF8 = "holds text that is not UTF-8"


def table_from_arrow(
    arrow: pa.Table, source: str, *, checked: bool = True, unread: Collection[str] = frozenset()
) -> Table:
    """A table of typed columns as a table of text categories.

    What is not ``checked`` comes straight from a file, whose offsets and indices may lead out of its buffers. Columns
    that are ``unread`` have a name and a place, but no cells.
    """
    try:
        names = arrow.column_names
    except UnicodeDecodeError as error:
        raise DataError("the name of a column is not UTF-8; write the file again", source=source) from error
    unnamed = [name for name in names if name.startswith(UNNAMED_INDEX) and name in _index_names(arrow)]
    message = f"{source}: the unnamed row index of the data frame was left out"
    notes = (NoteKind.ROW_INDEX.note(message, unnamed),) if unnamed else ()
    stored = [(name, cells) for name, cells in zip(names, arrow.columns, strict=True) if name not in unnamed]
    # pandas stores a named index behind the columns, where it would be taken for the target.
    index_names = set(_index_names(arrow))
    stored.sort(key=lambda column: column[0] not in index_names)
    header = name_columns([name for name, _ in stored], source)
    named = list(zip(header.names, (cells for _, cells in stored), strict=True))[header.indexes :]
    read = [(name, cells) for name, cells in named if name not in unread]
    known: dict[str, Column] = dict(_numbers(read, arrow.num_rows, checked=checked))
    known |= {name: unread_column(name, arrow.num_rows) for name in unread}
    columns = (known.get(name) or column_from_arrow(name, cells, checked=checked) for name, cells in named)
    return replace(table_of_columns(columns, source, arrow.num_rows, (*notes, *header.notes)), left_out=header.left_out)


def _numbers(named: Sequence[tuple[str, pa.ChunkedArray]], rows: int, *, checked: bool) -> dict[str, NumberColumn]:
    """Those of the columns that belong into a block of numbers; none if two have the same name, which is refused."""
    if len({name for name, _ in named}) < len(named):
        return {}
    try:
        return numbers_from_arrow(named, rows, checked=checked)
    except pa.ArrowInvalid:
        # Damaged cells of a column that may not even be used.
        return {}


def table_of_columns(
    columns: Iterable[Column], source: str, rows: int, notes: tuple[Note, ...] = (), lines: RowLines | None = None
) -> Table:
    """The table of these columns, whose names must differ; without rows there is none."""
    by_name: dict[str, Column] = {}
    for column in columns:
        if column.name in by_name:
            raise DataError(f"two columns are called {quoted(column.name)}; rename one", source=source)
        by_name[column.name] = column
    if not rows:
        hint = "" if source in (FRAME_SOURCE, ARRAY_SOURCE) else "; is it the right file?"
        raise NoRowsError(f"has no data rows{hint}", source=source, columns=tuple(by_name))
    return Table(source, by_name, rows, lines, notes=notes)


def column_from_arrow(name: str, cells: pa.ChunkedArray, *, checked: bool = True) -> Column:
    """The cells as text categories; a column that may only be left out if they cannot be texts."""
    kind = kind_of(cells.type)
    try:
        if not checked:
            cells.validate(full=True)
        many_numbers = column_of_many_numbers(name, cells)
        if many_numbers is not None:
            return many_numbers
        plain = without_extension(cells)
        kind = kind_of(plain.type)
        builder = ColumnBuilder(name, missing="" if kind is Kind.TEXT else None)
        for chunk in encode_cells(plain):
            builder.append(chunk)
        if kind is Kind.TEXT:
            builder.distinct().validate(full=True)
        column = builder.finish(kind, spelled=True)[0]
        return _as_categories(column, plain) if pa.types.is_dictionary(plain.type) else column
    except UnusableCellsError as error:
        problem, remedy = str(error), "turn it into text or numbers"
    except (pa.ArrowInvalid, pa.ArrowIndexError, pa.ArrowNotImplementedError, UnicodeDecodeError) as error:
        not_text = isinstance(error, UnicodeDecodeError) or "UTF8" in str(error) or is_text(cells.type)
        damage = f"cannot be read: {printable(str(error).splitlines()[0].rstrip('.'))}"
        problem, remedy = _NOT_UTF8 if not_text else damage, "write the file again"
    return unusable_column(name, numpy_array(_combined(cells.is_null())), kind, problem, remedy)


def _as_categories(column: Column, cells: pa.ChunkedArray) -> Column:
    """The column as one of categories, whose order counts if their type says so."""
    if not cells.type.ordered or not column.distinct():
        return replace(column, categorical=True)
    every = category_order(cells)
    places = numpy_array(pc.index_in(column.values, value_set=every))
    order = np.argsort(places, kind="stable")
    new_codes = np.append(np.argsort(order, kind="stable"), len(order)).astype(column.codes.dtype)
    values = column.values.take(index_array(order))
    codes = new_codes[column.codes]
    return replace(column, codes=codes, values=values, categorical=True, ordered=True, order=every)


def _combined(cells: pa.ChunkedArray) -> pa.Array:
    return pa.concat_arrays(cells.chunks) if cells.num_chunks else pa.array([], cells.type)


def _index_names(arrow: pa.Table) -> list[str]:
    """The names under which pandas stored a data frame's row index."""
    metadata = (arrow.schema.metadata or {}).get(b"pandas")
    try:
        stored = json.loads(metadata)["index_columns"] if metadata else []
        return [name for name in stored if isinstance(name, str)]
    except (ValueError, TypeError, KeyError, RecursionError):
        # Metadata that pandas did not write.
        return []
