"""Feather files and Arrow IPC streams: what they hold, and damage that must not reach memory."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from probfs.errors import DataError
from probfs.runtime import memory
from probfs.tables.readers import read_table
from probfs.tables.table import Kind
from tests.support.table_content import read_bytes, table_content


def ipc_bytes(table: pa.Table, stream: bool = False, compression: str | None = None, rows: int | None = None) -> bytes:
    sink = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(sink, table.schema, options=options) as writer:
        writer.write_table(table, rows)
    return sink.getvalue()


TABLE = pa.table(
    {
        "n": pa.array([1, None, 3, 3]),
        "x": pa.array([0.5, float("nan"), None, -0.0]),
        "d": pa.array([0, None, 1, 1], pa.date32()),
        "c": pa.array(["u", None, "v", "u"]).dictionary_encode(),
        "y": pa.array(["p", "q", "p", "q"]),
    }
)
CONTENT = {
    "n": ["1", None, "3", "3"],
    "x": ["0.5", None, None, "0"],
    "d": ["1970-01-01", None, "1970-01-02", "1970-01-02"],
    "c": ["u", None, "v", "u"],
    "y": ["p", "q", "p", "q"],
}


@pytest.mark.parametrize("stream", [False, True], ids=["file", "stream"])
@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
@pytest.mark.parametrize("rows", [None, 1])
def test_files_and_streams_are_read_under_every_name(stream: bool, compression: str | None, rows: int | None) -> None:
    data = ipc_bytes(TABLE, stream, compression, rows)
    for name in ("t.feather", "t.arrow", "t.IPC", "t"):
        table = read_bytes(data, name)
        assert table_content(table) == CONTENT, name
        assert table.columns["n"].kind is table.columns["x"].kind is Kind.NUMBER
        assert table.columns["d"].kind is Kind.DATE


def test_a_frame_written_by_pandas_is_read(tmp_path: Path) -> None:
    pd.DataFrame({"a": ["x", None], "y": [1, 2]}).to_feather(tmp_path / "t.feather")
    table = read_table(tmp_path / "t.feather")
    assert (table_content(table), table.notes) == ({"a": ["x", None], "y": ["1", "2"]}, ())


def test_nested_columns_and_text_that_is_not_utf8_may_be_left_out() -> None:
    raw = pa.array([b"\xff", b"x"])
    text = pa.Array.from_buffers(pa.string(), 2, raw.buffers())
    table = read_bytes(ipc_bytes(pa.table({"l": [[1], None], "t": text, "y": ["p", "q"]})), "t.feather")
    assert [column.kind for column in table.columns.values()] == [Kind.NESTED, Kind.TEXT, Kind.TEXT]
    assert "holds list<item: int64>" in str(table.columns["l"].problem)
    assert table.columns["t"].problem == "holds text that is not UTF-8; write the file again, or leave it out"
    assert table.columns["y"].problem is None


def test_offsets_and_indices_that_lead_out_of_their_buffers_are_not_followed() -> None:
    offsets = pa.py_buffer(np.array([0, 1 << 20, 2], dtype=np.int32))
    text = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"ab")])
    codes = pa.DictionaryArray.from_arrays(pa.array([0, 77]), pa.array(["u"]), safe=False)
    table = read_bytes(ipc_bytes(pa.table({"t": text, "c": codes, "y": ["p", "q"]})), "t.feather")
    assert table.columns["t"].problem is not None
    assert table.columns["c"].problem is not None
    assert table_content(table)["y"] == ["p", "q"]


def test_any_damage_is_read_or_refused() -> None:
    data = ipc_bytes(TABLE)
    for place in range(0, len(data), 3):
        damaged = data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :]
        with contextlib.suppress(DataError):
            read_bytes(damaged, "t.feather")
    for length in range(0, len(data) - 1, 11):
        with pytest.raises(DataError):
            read_bytes(data[:length], "t.feather")


def test_a_table_that_does_not_fit_into_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_memory", lambda: 100)
    with pytest.raises(DataError, match="this table needs about"):
        read_bytes(ipc_bytes(TABLE), "t.feather")
