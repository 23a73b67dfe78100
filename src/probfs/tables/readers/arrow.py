"""Typed Arrow columns, as Parquet files and data frames have them -> Table."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.compute as pc

from probfs.errors import DataError
from probfs.tables.readers.column_builder import ColumnBuilder
from probfs.tables.readers.unnamed_columns import name_columns
from probfs.tables.table import Kind, Table
from probfs.text import quoted

_UNNAMED_INDEX = "__index_level_"


def table_from_arrow(arrow: pa.Table, source: str) -> Table:
    """A table of typed columns as a table of text categories."""
    unnamed = [name for name in arrow.column_names if name.startswith(_UNNAMED_INDEX) and name in _index_names(arrow)]
    notes = (f"{source}: the unnamed row index of the data frame was left out",) if unnamed else ()
    named = zip(arrow.column_names, arrow.columns, strict=True)
    stored = [(name, cells) for name, cells in named if name not in unnamed]
    header = name_columns([name for name, _ in stored], source)
    columns = {}
    for name, (_, cells) in list(zip(header.names, stored, strict=True))[header.indexes :]:
        if name in columns:
            raise DataError(f"two columns are called {quoted(name)}; rename one", source=source)
        texts, kind = _texts_of_cells(name, cells, source)
        builder = ColumnBuilder(name)
        try:
            builder.append(texts)
            builder.distinct().validate(full=True)
        except (pa.ArrowInvalid, UnicodeDecodeError) as error:
            problem = f"column {quoted(name)} holds text that is not UTF-8; write the file again"
            raise DataError(problem, source=source) from error
        columns[name], _ = builder.finish(kind)
    if not arrow.num_rows:
        raise DataError("has no data rows; is it the right file?", source=source)
    return Table(source, columns, arrow.num_rows, notes=(*notes, *header.notes), left_out=header.left_out)


def _index_names(arrow: pa.Table) -> list[str]:
    """The names under which pandas stored a data frame's row index."""
    metadata = (arrow.schema.metadata or {}).get(b"pandas")
    try:
        stored = json.loads(metadata)["index_columns"] if metadata else []
        return [name for name in stored if isinstance(name, str)]
    except (ValueError, TypeError, KeyError, RecursionError):
        # Metadata that pandas did not write.
        return []


def _texts_of_cells(name: str, cells: pa.ChunkedArray, source: str) -> tuple[pa.ChunkedArray, Kind]:
    """The cells as a CSV file would hold them, and the kind that their dtype declares."""
    dtype = cells.type
    if pa.types.is_dictionary(dtype):
        plain = [chunk.dictionary_decode() for chunk in cells.chunks]
        return _texts_of_cells(name, pa.chunked_array(plain, dtype.value_type), source)
    if pa.types.is_float16(dtype):
        return _texts_of_cells(name, pc.cast(cells, pa.float32()), source)
    if pa.types.is_floating(dtype):
        present = pc.if_else(pc.is_nan(cells), pa.scalar(None, dtype), cells)
        # Adding zero turns -0 into 0.
        return pc.cast(pc.add(present, pa.scalar(0, dtype)), pa.string()), Kind.NUMBER
    if pa.types.is_integer(dtype) or pa.types.is_decimal(dtype):
        return pc.cast(cells, pa.string()), Kind.NUMBER
    if pa.types.is_date(dtype):
        return _format_dates(name, cells, source), Kind.DATE
    if pa.types.is_timestamp(dtype):
        texts = _format_dates(name, pc.cast(cells, pa.timestamp("us"), safe=False), source)
        return pc.replace_substring_regex(texts, r"\.000000$", ""), Kind.DATE
    if pa.types.is_null(dtype) or pa.types.is_boolean(dtype) or pa.types.is_time(dtype) or _is_text(dtype):
        return pc.cast(cells, pa.string()), Kind.TEXT
    problem = (
        f"column {quoted(name)} holds {dtype}, which cannot be ranked; turn it into text or numbers, or leave it out"
    )
    raise DataError(problem, source=source)


def _format_dates(name: str, cells: pa.ChunkedArray, source: str) -> pa.ChunkedArray:
    texts = pc.cast(cells, pa.string())
    # Arrow formats a date beyond its range as "<value out of range: …>".
    if pc.any(pc.starts_with(texts, "<"), min_count=0).as_py():
        problem = f"column {quoted(name)} holds dates too far away to be written"
        raise DataError(f"{problem}; turn it into text or numbers, or leave it out", source=source)
    return texts


def _is_text(dtype: pa.DataType) -> bool:
    return bool(pa.types.is_string(dtype) or pa.types.is_large_string(dtype) or pa.types.is_string_view(dtype))
