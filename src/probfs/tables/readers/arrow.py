"""Typed columns (Parquet, data frames) -> text categories, and the Parquet reader."""

from __future__ import annotations

import json
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

from probfs.errors import DataError
from probfs.runtime.memory import require_memory
from probfs.tables.readers.column_builder import ColumnBuilder
from probfs.tables.table import Kind, Table
from probfs.text import quoted

_UNNAMED_INDEX = "__index_level_"


def read_parquet(raw: BinaryIO, source: str) -> Table:
    """Read a Parquet file; columns keep their types as kinds."""
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(raw)
        known = file.metadata
        # What it unpacks to; a few bytes may stand for any number of equal cells, which take four each at least.
        unpacked = sum(known.row_group(number).total_byte_size for number in range(known.num_row_groups))
        cells = known.num_rows * max(known.num_columns, 1)
        require_memory(max(unpacked, 4 * cells) + 2 * cells, "this table", source)
        table = file.read()
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise DataError(
            f"is no readable Parquet file: {reason}; write it again, or say what it is with --input-format",
            source=source,
        ) from error
    return table_from_arrow(table, source)


def table_from_arrow(arrow: pa.Table, source: str) -> Table:
    """A table of typed columns as a table of text categories."""
    unnamed = [name for name in arrow.column_names if name.startswith(_UNNAMED_INDEX) and name in _index_names(arrow)]
    notes = (f"{source}: the unnamed row index of the data frame was left out",) if unnamed else ()
    columns = {}
    for name, cells in zip(arrow.column_names, arrow.columns, strict=True):
        if name in unnamed:
            continue
        if name in columns:
            raise DataError(f"two columns are called {quoted(name)}; rename one", source=source)
        texts, kind = _as_text(name, cells, source)
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
    return Table(source, columns, arrow.num_rows, notes=notes)


def _index_names(arrow: pa.Table) -> list[str]:
    metadata = (arrow.schema.metadata or {}).get(b"pandas")
    try:
        stored = json.loads(metadata)["index_columns"] if metadata else []
        return [name for name in stored if isinstance(name, str)]
    except (ValueError, TypeError, KeyError, RecursionError):
        # Not as pandas writes it.
        return []


def _as_text(name: str, cells: pa.ChunkedArray, source: str) -> tuple[pa.ChunkedArray, Kind]:
    kind = cells.type
    if pa.types.is_dictionary(kind):
        plain = [chunk.dictionary_decode() for chunk in cells.chunks]
        return _as_text(name, pa.chunked_array(plain, kind.value_type), source)
    if pa.types.is_float16(kind):
        return _as_text(name, pc.cast(cells, pa.float32()), source)
    if pa.types.is_floating(kind):
        present = pc.if_else(pc.is_nan(cells), pa.scalar(None, kind), cells)
        return pc.cast(pc.add(present, pa.scalar(0, kind)), pa.string()), Kind.NUMBER
    if pa.types.is_integer(kind) or pa.types.is_decimal(kind):
        return pc.cast(cells, pa.string()), Kind.NUMBER
    if pa.types.is_date(kind):
        return _written_dates(name, cells, source), Kind.DATE
    if pa.types.is_timestamp(kind):
        texts = _written_dates(name, pc.cast(cells, pa.timestamp("us"), safe=False), source)
        return pc.replace_substring_regex(texts, r"\.000000$", ""), Kind.DATE
    if pa.types.is_null(kind) or pa.types.is_boolean(kind) or pa.types.is_time(kind) or _is_text(kind):
        return pc.cast(cells, pa.string()), Kind.TEXT
    problem = (
        f"column {quoted(name)} holds {kind}, which cannot be ranked; turn it into text or numbers, or leave it out"
    )
    raise DataError(problem, source=source)


def _written_dates(name: str, cells: pa.ChunkedArray, source: str) -> pa.ChunkedArray:
    texts = pc.cast(cells, pa.string())
    if pc.any(pc.starts_with(texts, "<"), min_count=0).as_py():
        problem = f"column {quoted(name)} holds dates too far away to be written"
        raise DataError(f"{problem}; turn it into text or numbers, or leave it out", source=source)
    return texts


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))
