"""The kept columns of a frame, in a frame of the same library."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import probfs
from probfs.errors import UsageError
from probfs.tables.readers.kept_columns import keep_columns
from tests.support.random_frames import Stream

COLUMNS = {"": [0, 1], "b": [1, 2], 'a "quoted" one': ["x", "y"], "c": [True, False]}
TABLE = pa.table(COLUMNS)
NAMED = pa.table({name: cells for name, cells in COLUMNS.items() if name})


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(COLUMNS),
        pl.DataFrame(COLUMNS),
        pl.LazyFrame(COLUMNS),
        TABLE,
        TABLE.to_batches()[0],
        TABLE.to_reader(),
        Stream(TABLE),
        None,
    ],
    ids=lambda frame: f"{type(frame).__module__}.{type(frame).__name__}",
)
def test_any_frame_can_be_reduced(frame: Any) -> None:
    if frame is None:
        # Made here: one that lives as long as the module outlives DuckDB itself.
        frame = duckdb.connect().from_arrow(NAMED)
    reduced = keep_columns(frame, ["c", 'a "quoted" one'], ["not there"])
    if not isinstance(frame, (Stream, pa.RecordBatchReader)):
        assert type(reduced) is type(frame)
    names = reduced.collect_schema().names() if isinstance(reduced, pl.LazyFrame) else None
    names = names or getattr(reduced, "column_names", None) or list(reduced.columns)
    assert names == ['a "quoted" one', "c"]


def test_columns_of_an_array_are_kept_by_their_numbers() -> None:
    np.testing.assert_array_equal(keep_columns(np.arange(6).reshape(2, 3), ["x2", "x0"]), [[0, 2], [3, 5]])


@pytest.mark.parametrize("frame", [pd.DataFrame({"b": [1]}), pl.DataFrame({"b": [1]}), pa.table({"b": [1]})])
def test_a_column_that_is_not_there_is_told(frame: Any) -> None:
    with pytest.raises(UsageError, match=r"^frame: it has no column 'a'; choose from 'b'$"):
        keep_columns(frame, ["a"])


@pytest.mark.parametrize(
    "frame", [7, {"a": [1]}, pd.Series([1]), pl.Series([1])], ids=lambda frame: type(frame).__name__
)
def test_what_is_no_frame_is_refused(frame: Any) -> None:
    with pytest.raises(UsageError, match=r"^frame must be a data frame .*, not "):
        keep_columns(frame, ["a"])


def test_a_selection_reduces_the_frame_it_was_made_of() -> None:
    random = np.random.default_rng(1)
    y = random.integers(0, 2, 80)
    frame = pl.DataFrame({"noise": random.integers(0, 2, 80), "tells": y, "y": y})
    selection = probfs.select(frame, target="y", folds=0)
    assert selection.reduced(frame).columns == ["tells", "y"]
    assert selection.reduced(frame.drop("y")).columns == ["tells"]
