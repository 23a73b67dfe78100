"""The features of a result as a Parquet file: the columns of the CSV, typed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from probfs.rendering.json_text import finite

METADATA_KEY = "probfs"
"""Under which the file's metadata has the JSON document without its features."""
_TYPES = {
    **dict.fromkeys(("rank", "round", "rank_low", "rank_high", "folds"), pa.int64()),
    **dict.fromkeys(("feature", "verdict", "instead"), pa.string()),
    "keep": pa.bool_(),
}
"""Of all columns that are no scores, probabilities or losses."""


def parquet_file(header: Sequence[str], rows: Sequence[Sequence[Any]], document: Mapping[str, Any]) -> bytes:
    """The rows below a header, null where the CSV is empty; the rest of the document is the file's metadata."""
    rest = {key: value for key, value in document.items() if key != "features"}
    schema = pa.schema([(name, _TYPES.get(name, pa.float64())) for name in header])
    # Not by zip(*rows): a result may have no rows, but it always has its columns.
    cells = {name: [row[place] for row in rows] for place, name in enumerate(header)}
    sink = pa.BufferOutputStream()
    # Arrow's own schema tells readers nothing that these types do not.
    with pq.ParquetWriter(sink, schema, store_schema=False) as writer:
        writer.write_table(pa.Table.from_pydict(cells, schema=schema))
        writer.add_key_value_metadata({METADATA_KEY: json.dumps(finite(rest), ensure_ascii=False, allow_nan=False)})
    return bytes(sink.getvalue())
