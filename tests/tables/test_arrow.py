"""Parquet and Feather files: their types, what pandas stores beside columns, what cannot be used, and damage."""

from __future__ import annotations

import contextlib
import datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from probfs.errors import DataError
from probfs.runtime import memory
from probfs.tables.cells import Kind
from probfs.tables.column import typed_column
from tests.support.tables import cell_texts, feather_bytes, parquet_bytes, read_bytes, table_content

PLAIN = {pa.float64(), pa.date32(), pa.timestamp("us"), pa.string(), pa.large_string(), pa.null()}


@pytest.mark.parametrize(
    ("cells", "dtype", "texts", "kind"),
    [
        ([0.1, None, float("nan"), -0.0, 1e15], pa.float64(), ["0.1", None, None, "0", "1" + 15 * "0"], Kind.NUMBER),
        ([0.1, 16777216.0, None, 1.5e10], pa.float32(), ["0.1", "16777216", None, "15000000000"], Kind.NUMBER),
        ([np.float16(0.5), None], pa.float16(), ["0.5", None], Kind.NUMBER),
        ([9e17, 1e18], pa.float64(), ["9" + 17 * "0", "1e+18"], Kind.NUMBER),
        ([2**63, 2**53 + 1, 0], pa.uint64(), [str(2**63), str(2**53 + 1), "0"], Kind.NUMBER),
        ([Decimal("1.50"), Decimal("-0.00"), None], pa.decimal128(5, 2), ["1.5", "0", None], Kind.NUMBER),
        ([Decimal("63.12"), Decimal("-0.07")], pa.decimal128(10, 2), ["63.12", "-0.07"], Kind.NUMBER),
        ([Decimal("0.0000000150"), Decimal(10)], pa.decimal128(20, 10), ["1.5e-8", "10"], Kind.NUMBER),
        ([True, False, None], pa.bool_(), ["true", "false", None], Kind.TEXT),
        (["x", "", None, "é"], pa.string_view(), ["x", None, None, "é"], Kind.TEXT),
        ([None, None], pa.null(), [None, None], Kind.TEXT),
        ([datetime.date(2020, 1, 2), None], pa.date32(), ["2020-01-02", None], Kind.DATE),
        ([0, 1_500, None], pa.timestamp("ms"), ["1970-01-01 00:00:00", "1970-01-01 00:00:01.500000", None], Kind.DATE),
        ([7_000, None, 60_000], pa.duration("ms"), ["7", None, "60"], Kind.NUMBER),
        ([1_500_000, None, -2_000_000], pa.duration("us"), ["1.5", None, "-2"], Kind.NUMBER),
        ([datetime.time(3, 4, 5)], pa.time32("s"), ["03:04:05"], Kind.TEXT),
        ([1, None, 0], pa.bool8(), ["1", None, "0"], Kind.NUMBER),
    ],
    ids=str,
)
def test_cells_of_every_type_are_the_texts_of_a_csv(
    cells: list[Any], dtype: pa.DataType, texts: list[str | None], kind: Kind
) -> None:
    for chunks in (1, 2):
        size = -(-len(cells) // chunks)
        parts = [pa.array(cells[first : first + size], dtype) for first in range(0, len(cells), size)]
        column = typed_column("a", pa.chunked_array(parts, dtype))
        assert (column.kind, cell_texts(column)) == (kind, texts)
        assert column.cells.type in PLAIN or pa.types.is_dictionary(column.cells.type)
        assert column.stored_cells.type == dtype or dtype == pa.bool8()
        if kind is not Kind.TEXT:
            assert np.isnan(column.by_row).tolist() == [text is None for text in texts]
        assert len(set(column.values.to_pylist())) == len(column.values)


def test_a_stored_index_is_a_column_if_it_has_a_name_and_never_the_last() -> None:
    frame = pd.DataFrame({"a": ["x", "y"], "y": ["0", "1"]}, index=[5, 9])
    unnamed = read_bytes(frame.to_parquet(), "t.parquet")
    assert (list(unnamed.columns), len(unnamed.notes)) == (["a", "y"], 1)
    assert list(read_bytes(frame.rename_axis("person").to_parquet(), "t.parquet").columns) == ["person", "a", "y"]


REMEDY = "turn it into text or numbers, or leave it out"
FAR = f"holds dates too far away to be written; {REMEDY}"


@pytest.mark.parametrize(
    ("cells", "kind", "problem"),
    [
        (pa.array([b"1", None]), Kind.OTHER, f"holds binary, which cannot be ranked; {REMEDY}"),
        (pa.nulls(2, pa.uuid()), Kind.OTHER, "holds fixed_size_binary[16], which cannot be ranked"),
        (pa.array([[1, 2], None]), Kind.NESTED, "holds list<"),
        (pa.nulls(2, pa.struct([("\x1b\n" + "x" * 500, pa.int64())])), Kind.NESTED, "holds struct<\\x1b\\nxxx"),
        (pa.array([10**9, None], pa.int32()).cast(pa.date32()), Kind.DATE, FAR),
        (pa.array([10**15, 0]).cast(pa.timestamp("ms", "UTC")), Kind.DATE, FAR),
        (
            pa.array([b"\xff", b"x"]).view(pa.string()),
            Kind.TEXT,
            "holds text that is not UTF-8; write the file again, or",
        ),
    ],
    ids=str,
)
def test_a_column_that_cannot_be_used_is_read_with_its_problem(cells: pa.Array, kind: Kind, problem: str) -> None:
    table = pa.table({"a": cells, "y": ["0", "1"]})
    for data, name in ((parquet_bytes(table), "t.parquet"), (feather_bytes(table), "t.feather")):
        column, usable = read_bytes(data, name).columns.values()
        assert (column.kind, usable.problem) == (kind, None)
        assert str(column.problem).startswith(problem)
        assert len(str(column.problem)) < 160
        assert column.counts()[-1] == cells.null_count, "missing cells are counted"


TABLE = pa.table(
    {
        "n": pa.array([1, None, 3]),
        "d": pa.array([0, None, 1], pa.date32()),
        "c": pa.array(["u", None, "v"]).dictionary_encode(),
        "l": pa.array(["1", None, ""], pa.string()),
        "y": pa.array(["p", "q", "p"]),
    }
)
CONTENT = {
    "n": ["1", None, "3"],
    "d": ["1970-01-01", None, "1970-01-02"],
    "c": ["u", None, "v"],
    "l": ["1", None, None],
    "y": ["p", "q", "p"],
}


@pytest.mark.parametrize("stream", [False, True], ids=["file", "stream"])
@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
@pytest.mark.parametrize("rows", [None, 1])
def test_cells_are_read_in_their_own_types(stream: bool, compression: str | None, rows: int | None) -> None:
    for data in (feather_bytes(TABLE, stream, rows, compression=compression), parquet_bytes(TABLE)):
        table = read_bytes(data, "t")
        assert table_content(table) == CONTENT
        assert [name for name, column in table.columns.items() if column.categorical] == ["c"]
        assert table.arrow.equals(TABLE) or rows == 1


def test_offsets_and_indices_that_lead_out_of_their_buffers_are_not_followed() -> None:
    offsets = pa.py_buffer(np.array([0, 1 << 20, 2], dtype=np.int32))
    text = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"ab")])
    codes = pa.DictionaryArray.from_arrays(pa.array([0, 77]), pa.array(["u"]), safe=False)
    table = read_bytes(feather_bytes(pa.table({"t": text, "c": codes, "y": ["p", "q"]})), "t.feather")
    assert None not in (table.columns["t"].problem, table.columns["c"].problem)
    assert table_content(table)["y"] == ["p", "q"]


def test_any_damage_is_read_or_refused_in_one_line() -> None:
    data = feather_bytes(TABLE)
    for place in range(0, len(data), 3):
        with contextlib.suppress(DataError):
            read_bytes(data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :], "t.feather")
    for length in range(0, len(data) - 1, 11):
        with pytest.raises(DataError):
            read_bytes(data[:length], "t.feather")


NULLS = pa.table({"a": pa.nulls(1000), "y": pa.nulls(1000)})


@pytest.mark.parametrize(
    ("name", "data", "needed"),
    [("t.feather", feather_bytes(NULLS), 8000), ("t.parquet", parquet_bytes(NULLS), 12_000)],
)
def test_cells_that_take_no_bytes_in_a_file_take_some_in_memory(
    name: str, data: bytes, needed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for free in (needed - 1, needed):
        monkeypatch.setattr(memory, "free_memory", lambda free=free: free)
        with pytest.raises(DataError, match="this table needs about") if free < needed else contextlib.nullcontext():
            assert read_bytes(data, name).rows == 1000
