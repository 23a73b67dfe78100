"""Typed Arrow columns, as Parquet and Feather files and data frames have them -> Table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from probfs.errors import DataError
from probfs.tables.arrow_arrays import index_array, numpy_array
from probfs.tables.number_block import NumberColumn
from probfs.tables.readers.column_builder import ColumnBuilder
from probfs.tables.readers.number_columns import numbers_from_arrow
from probfs.tables.readers.unnamed_columns import name_columns
from probfs.tables.table import Column, Kind, RowLines, Table, unusable_column
from probfs.text import printable, quoted

_UNNAMED_INDEX = "__index_level_"
_LONGEST_TYPE = 60
_NOT_UTF8 = "holds text that is not UTF-8"


class _UnusableCellsError(Exception):
    """The cells cannot be texts; the message says why."""


def table_from_arrow(arrow: pa.Table, source: str, *, checked: bool = True) -> Table:
    """A table of typed columns as a table of text categories.

    What is not ``checked`` comes straight from a file, whose offsets and indices may lead out of its buffers.
    """
    try:
        names = arrow.column_names
    except UnicodeDecodeError as error:
        raise DataError("the name of a column is not UTF-8; write the file again", source=source) from error
    unnamed = [name for name in names if name.startswith(_UNNAMED_INDEX) and name in _index_names(arrow)]
    notes = (f"{source}: the unnamed row index of the data frame was left out",) if unnamed else ()
    stored = [(name, cells) for name, cells in zip(names, arrow.columns, strict=True) if name not in unnamed]
    # pandas stores a named index behind the columns, where it would be taken for the target.
    index_names = set(_index_names(arrow))
    stored.sort(key=lambda column: column[0] not in index_names)
    header = name_columns([name for name, _ in stored], source)
    named = list(zip(header.names, (cells for _, cells in stored), strict=True))[header.indexes :]
    numbers = _numbers(named, arrow.num_rows, checked=checked)
    columns = (numbers.get(name) or column_from_arrow(name, cells, checked=checked) for name, cells in named)
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
    columns: Iterable[Column], source: str, rows: int, notes: tuple[str, ...] = (), lines: RowLines | None = None
) -> Table:
    """The table of these columns, whose names must differ; without rows there is none."""
    by_name: dict[str, Column] = {}
    for column in columns:
        if column.name in by_name:
            raise DataError(f"two columns are called {quoted(column.name)}; rename one", source=source)
        by_name[column.name] = column
    if not rows:
        raise DataError("has no data rows; is it the right file?", source=source)
    return Table(source, by_name, rows, lines, notes=notes)


def column_from_arrow(name: str, cells: pa.ChunkedArray, *, checked: bool = True) -> Column:
    """The cells as text categories; a column that may only be left out if they cannot be texts."""
    kind = _kind_of(cells.type)
    try:
        if not checked:
            cells.validate(full=True)
        texts = _texts_of_cells(cells)
        builder = ColumnBuilder(name)
        builder.append(texts)
        builder.distinct().validate(full=True)
        return builder.finish(kind)[0]
    except _UnusableCellsError as error:
        problem, remedy = str(error), "turn it into text or numbers"
    except (pa.ArrowInvalid, pa.ArrowIndexError, pa.ArrowNotImplementedError, UnicodeDecodeError) as error:
        not_text = isinstance(error, UnicodeDecodeError) or "UTF8" in str(error) or _is_text(cells.type)
        damage = f"cannot be read: {printable(str(error).splitlines()[0].rstrip('.'))}"
        problem, remedy = _NOT_UTF8 if not_text else damage, "write the file again"
    return unusable_column(name, numpy_array(_combined(cells.is_null())), kind, problem, remedy)


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


def _kind_of(dtype: pa.DataType) -> Kind:
    """The kind that a dtype declares."""
    if pa.types.is_dictionary(dtype):
        return _kind_of(dtype.value_type)
    if pa.types.is_floating(dtype) or pa.types.is_integer(dtype) or pa.types.is_decimal(dtype):
        return Kind.NUMBER
    if pa.types.is_date(dtype) or pa.types.is_timestamp(dtype):
        return Kind.DATE
    if pa.types.is_null(dtype) or pa.types.is_boolean(dtype) or pa.types.is_time(dtype) or _is_text(dtype):
        return Kind.TEXT
    return Kind.NESTED if pa.types.is_nested(dtype) else Kind.OTHER


def _texts_of_cells(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    """The cells as a CSV file would hold them."""
    dtype = cells.type
    kind = _kind_of(dtype)
    if kind in (Kind.NESTED, Kind.OTHER):
        raise _UnusableCellsError(f"holds {_shown(dtype)}, which cannot be ranked")
    if pa.types.is_dictionary(dtype):
        plain = [chunk.dictionary_decode() for chunk in cells.chunks]
        return _texts_of_cells(pa.chunked_array(plain, dtype.value_type))
    if pa.types.is_float16(dtype):
        return _texts_of_cells(pc.cast(cells, pa.float32()))
    if pa.types.is_floating(dtype):
        present = pc.if_else(pc.is_nan(cells), pa.nulls(1, dtype)[0], cells)
        # Adding zero turns -0 into 0.
        return pc.cast(pc.add(present, index_array(np.zeros(1)).cast(dtype)[0]), pa.string())
    if pa.types.is_timestamp(dtype):
        texts = _format_dates(pc.cast(cells, pa.timestamp("us"), safe=False))
        return pc.replace_substring_regex(texts, r"\.000000$", "")
    return _format_dates(cells) if kind is Kind.DATE else pc.cast(cells, pa.string())


def _shown(dtype: pa.DataType) -> str:
    """A dtype as messages show it; the names of a struct's fields come from the file, and may be long."""
    text = str(dtype)
    return printable(text if len(text) <= _LONGEST_TYPE else text[: _LONGEST_TYPE - 1] + "…")


def _format_dates(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    texts = pc.cast(cells, pa.string())
    # Arrow formats a date beyond its range as "<value out of range: …>".
    if pc.any(pc.starts_with(texts, "<"), min_count=0).as_py():
        raise _UnusableCellsError("holds dates too far away to be written")
    return texts


def _is_text(dtype: pa.DataType) -> bool:
    return bool(pa.types.is_string(dtype) or pa.types.is_large_string(dtype) or pa.types.is_string_view(dtype))
