"""Random tables of numbers, texts, truth values and missing cells, in every form in which a program may hold them."""

from __future__ import annotations

import datetime
import io
import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
from hypothesis import strategies as st

import probfs

Cells = list[Any]
LETTERS = st.text(alphabet='ab,"0.7 -é\n', max_size=3)
KINDS = {
    "fractions": st.floats(-1e6, 1e6).map(lambda number: round(number, 3)),
    "floats": st.floats(allow_nan=False, allow_infinity=False),
    "few floats": st.sampled_from([0.0, -0.0, 0.5, 2.0, 1e15, 1e22]),
    "integers": st.integers(-30, 30),
    "long integers": st.integers(2**53 - 2, 2**53 + 30),
    "texts": st.one_of(LETTERS, st.sampled_from(["NA", "?", "none", "x", "true"])),
    "words": st.sampled_from(["red", "green", "blue"]),
    "flags": st.booleans(),
    "days": st.dates(datetime.date(1999, 12, 1), datetime.date(2000, 3, 1)),
    "moments": st.datetimes(datetime.datetime(1999, 12, 31), datetime.datetime(2000, 1, 2)),
}
TARGETS = [["p", "q"], ["b", "a", "c"], [True, False], [0, 1, 2]]


@st.composite
def tables(draw: st.DrawFn, kinds: tuple[str, ...] = tuple(KINDS)) -> dict[str, Cells]:
    """Columns by name, of which the last is the target, called y."""
    rows = draw(st.integers(8, 40))
    columns: dict[str, Cells] = {}
    for number, kind in enumerate(draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=4))):
        cell = KINDS[kind] if draw(st.booleans()) else st.one_of(st.none(), KINDS[kind])
        columns[f"{kind} {number}"] = draw(st.lists(cell, min_size=rows, max_size=rows))
    classes: list[Any] = draw(st.sampled_from(TARGETS))
    # Two rows of each class at least, and perhaps some without one.
    rest = rows - 2 * len(classes)
    columns["y"] = 2 * classes + draw(
        st.lists(st.one_of(st.none(), st.sampled_from(classes)), min_size=rest, max_size=rest)
    )
    return columns


def csv_file(table: pa.Table, folder: Path) -> Path:
    """The table as Arrow writes it; only -0, which is 0 in a column of numbers, would be a text of its own."""
    plain = [pc.add(cells, 0.0) if pa.types.is_floating(cells.type) else cells for cells in table.columns]
    content = io.BytesIO()
    pyarrow.csv.write_csv(pa.table(plain, names=table.column_names), content)
    path = folder / "t.csv"
    path.write_bytes(content.getvalue())
    return path


def forms(columns: dict[str, Cells]) -> dict[str, Any]:
    """The table in every form that keeps all of its cells."""
    arrow = pa.table(columns)
    objects = {name: pd.Series(cells, dtype=object) for name, cells in columns.items()}
    relation = duckdb.connect().from_arrow(arrow)
    return {
        "pandas": arrow.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}.get),
        "pandas, objects": pd.DataFrame(objects),
        "pandas, Arrow": arrow.to_pandas(types_mapper=pd.ArrowDtype),
        "polars": pl.DataFrame(columns, strict=False),
        "polars, lazy": pl.DataFrame(columns, strict=False).lazy(),
        "Arrow": arrow,
        "Arrow, chunks": pa.Table.from_batches(arrow.to_batches(max_chunksize=5), arrow.schema),
        "Arrow, a reader": arrow.to_reader(max_chunksize=7),
        "a stream": Stream(arrow),
        "DuckDB": relation,
    }


class Stream:
    """Something that offers nothing but the Arrow C stream."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def array_of(columns: dict[str, Cells]) -> np.ndarray[Any, Any]:
    """The columns side by side, as objects."""
    array = np.empty((len(columns["y"]), len(columns)), dtype=object)
    for place, cells in enumerate(columns.values()):
        array[:, place] = cells
    return array


def outcome(data: Any, y: Any = None, *, reason: bool = True, **options: Any) -> tuple[str, str]:
    """The ranking as CSV and as JSON, without the table's name; or the error."""
    try:
        ranking = probfs.rank(data, y, **options)
    except probfs.ProbfsError as error:
        return type(error).__name__, error.message
    document = ranking.to_dict()
    del document["input"]["source"]
    if not reason:
        del document["input"]["target_reason"]
    return ranking.to_csv(), json.dumps(document)
