"""Parquet and Feather: their types, what cannot be used, and damage; and tables written in every format, read back."""

from __future__ import annotations

import contextlib
import datetime
import io
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.errors import DataError
from probfs.runtime import memory
from probfs.tables.arrays import text_array
from probfs.tables.cells import Kind
from probfs.tables.column import Column, typed_column
from probfs.tables.formats import WRITABLE_FORMATS
from probfs.tables.frames import table_in_memory
from probfs.tables.table import Table
from probfs.tables.writers import table_bytes
from tests.support.tables import cell_texts, feather_bytes, parquet_bytes, read_bytes, read_csv_text, table_content

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
def test_cells_of_every_type(cells: list[Any], dtype: pa.DataType, texts: list[str | None], kind: Kind) -> None:
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
LONG_TYPE = f"holds struct<\\x1b\\n{50 * 'x'}…, which cannot be ranked; {REMEDY}"
NOT_UTF8 = "holds text that is not UTF-8; write the file again, or leave it out"
FAR = f"holds dates too far away to be written; {REMEDY}"


@pytest.mark.parametrize(
    ("cells", "kind", "problem"),
    [
        (pa.array([b"1", None]), Kind.OTHER, f"holds binary, which cannot be ranked; {REMEDY}"),
        (pa.nulls(2, pa.uuid()), Kind.OTHER, "holds fixed_size_binary[16], which cannot be ranked"),
        (pa.array([[1, 2], None]), Kind.NESTED, "holds list<"),
        (pa.nulls(2, pa.struct([("\x1b\n" + "x" * 500, pa.int64())])), Kind.NESTED, LONG_TYPE),
        (pa.array([10**9, None], pa.int32()).cast(pa.date32()), Kind.DATE, FAR),
        (pa.array([10**15, 0]).cast(pa.timestamp("ms", "UTC")), Kind.DATE, FAR),
        (pa.array([b"\xff", b"x"]).view(pa.string()), Kind.TEXT, NOT_UTF8),
    ],
    ids=str,
)
def test_a_column_that_cannot_be_used_is_read_with_its_problem(cells: pa.Array, kind: Kind, problem: str) -> None:
    table = pa.table({"a": cells, "y": ["0", "1"]})
    for data, name in ((parquet_bytes(table), "t.parquet"), (feather_bytes(table), "t.feather")):
        column, usable = read_bytes(data, name).columns.values()
        assert (column.kind, usable.problem) == (kind, None)
        assert str(column.problem).startswith(problem)
        assert column.counts()[-1] == cells.null_count, "missing cells are counted"


def test_offsets_and_indices_that_lead_out_of_their_buffers_are_not_followed() -> None:
    offsets = pa.py_buffer(np.array([0, 1 << 20, 2], dtype=np.int32))
    text = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"ab")])
    codes = pa.DictionaryArray.from_arrays(pa.array([0, 77]), pa.array(["u"]), safe=False)
    table = read_bytes(feather_bytes(pa.table({"t": text, "c": codes, "y": ["p", "q"]})), "t.feather")
    assert None not in (table.columns["t"].problem, table.columns["c"].problem)
    assert table_content(table)["y"] == ["p", "q"]


NULLS = pa.table({"a": pa.nulls(1000), "y": pa.nulls(1000)})


@pytest.mark.parametrize(
    ("name", "data", "needed"),
    [
        ("t.feather", feather_bytes(NULLS), 8000),
        ("t.parquet", parquet_bytes(NULLS), 12_000),
        ("t.arff", b"@attribute a real\n@attribute y {}\n@data\n" + b"{}\n" * 1000, 16_000),
        ("t.jsonl", b'{"a": 1, "y": 2}\n' + b"{}\n" * 999, 2000),
    ],
)
def test_little_data_may_take_much_memory(name: str, data: bytes, needed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for free in (needed - 1, needed):
        monkeypatch.setattr(memory, "free_memory", lambda free=free: free)
        with pytest.raises(DataError, match="this table needs about") if free < needed else contextlib.nullcontext():
            assert read_bytes(data, name).rows == 1000


# A file that begins with <html or %PDF- is refused.
NAMES = st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), max_size=6).map(
    lambda text: "n" + text.rstrip()
)
VALUES = st.text(alphabet=st.sampled_from("ab ,'\"%?{}\\\n\r\té~"), min_size=1, max_size=5)


@given(
    names=st.lists(NAMES, min_size=2, max_size=4, unique=True),
    rows=st.lists(st.lists(st.one_of(st.none(), VALUES), min_size=4, max_size=4), max_size=6),
    kind=st.sampled_from(WRITABLE_FORMATS),
    encoded=st.booleans(),
)
def test_what_is_written_is_read_back(names: list[str], rows: list[list[str | None]], kind: str, encoded: bool) -> None:
    # A first column of missing cells alone would not be known for one of texts.
    columns = zip(names, zip("xxxx", *rows, strict=True), strict=False)
    cells = {name: pa.array(texts, pa.string()) for name, texts in columns}
    arrow = pa.table({name: texts.dictionary_encode() if encoded else texts for name, texts in cells.items()})
    back = read_bytes(table_bytes(table_in_memory(arrow, ""), kind), f"t.{kind}")
    assert table_content(back) == {name: texts.to_pylist() for name, texts in cells.items()}


EXACT = pa.table(
    {
        "whole": pa.array([2**64 - 1, None, 2**53 + 1], pa.uint64()),
        "small": pa.array([1, None, 3], pa.int8()),
        "single": pa.array([0.1, None, 2.5], pa.float32()),
        "decimal": pa.array([Decimal("12345678901234567890.11"), None, Decimal("0.50")], pa.decimal128(30, 2)),
        "day": pa.array([datetime.date(2020, 1, 2), None, datetime.date(1969, 12, 31)], pa.date32()),
        "nano": pa.array([1234567890123456789, None, 0]).cast(pa.timestamp("ns")),
        "zone": pa.array([1234567890123, None, 0]).cast(pa.timestamp("ms", "Asia/Kolkata")),
        "span": pa.array([1234567890123456789, None, 10**9]).cast(pa.duration("ns")),
        "clock": pa.array([datetime.time(1, 2, 3, 456), None, datetime.time(0)], pa.time64("us")),
        "flag": pa.array([True, None, False]),
        "text": pa.array(["x", None, ""]),
        "large": pa.array(["x", None, "007"], pa.large_string()),
        "category": pa.array(["b", None, "a"]).dictionary_encode(),
        "none": pa.nulls(3),
    }
)
TEXTS = (
    ",".join(EXACT.column_names).encode() + b"\n"
    b"18446744073709551615,1,0.1,12345678901234567890.11,2020-01-02,2009-02-13 23:31:30.123456789,"
    b"2009-02-14 05:01:30.123+05:30,1234567890.1234567,01:02:03.000456,true,x,x,b,\n" + b"," * 13 + b"\n"
    b"9007199254740993,3,2.5,0.5,1969-12-31,1970-01-01 00:00:00,"
    b"1970-01-01 05:30:00+05:30,1,00:00:00.000000,false,,007,a,\n"
)


@pytest.mark.parametrize("stream", [False, True], ids=["file", "stream"])
@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
@pytest.mark.parametrize("rows", [None, 1])
def test_cells_are_read_in_their_own_types(stream: bool, compression: str | None, rows: int | None) -> None:
    for data in (feather_bytes(EXACT, stream, rows, compression=compression), parquet_bytes(EXACT)):
        table = read_bytes(data, "t")
        assert table.arrow.to_pylist() == EXACT.to_pylist()
        # Large texts of Parquet are plain ones, as those that repeat are read as a dictionary.
        assert table.arrow.drop_columns("large").schema == EXACT.drop_columns("large").schema
        assert [name for name, column in table.columns.items() if column.categorical] == ["category"]


def test_any_damage_is_read_or_refused_in_one_line() -> None:
    data = feather_bytes(EXACT)
    for place in range(0, len(data), 5):
        with contextlib.suppress(DataError):
            read_bytes(data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :], "t.feather")
    for length in range(0, len(data) - 1, 11):
        with pytest.raises(DataError):
            read_bytes(data[:length], "t.feather")


def test_no_format_loses_a_type_that_it_has_or_a_digit() -> None:
    table = table_in_memory(EXACT, "")
    feather, parquet = table_bytes(table, "feather"), table_bytes(table, "parquet")
    again = table_bytes(read_bytes(feather, "t.feather"), "feather")
    for data in (feather, again):
        back = pa.ipc.open_file(data).read_all()
        assert (back.schema.equals(EXACT.schema), back.equals(EXACT)) == (True, True)
    assert pq.read_table(io.BytesIO(parquet)).equals(EXACT)
    assert table_bytes(table, "csv") == TEXTS
    assert table_bytes(table, "tsv") == TEXTS.replace(b",", b"\t")
    first, *_ = table_bytes(table, "jsonl").splitlines()
    assert b'"whole": 18446744073709551615, "small": 1, "single": 0.1, "decimal": 12345678901234567890.11, ' in first
    assert b'"nano": "2009-02-13 23:31:30.123456789", "zone": "2009-02-14 05:01:30.123+05:30", "span": 123' in first
    exact = b"\n18446744073709551615,1,0.1,12345678901234567890.11,2020-01-02,'2009-02-13 23"
    assert exact in table_bytes(table, "arff")


def test_columns_held_as_texts_are_written_as_they_are_spelled() -> None:
    numbers = pa.chunked_array([text_array(["1.50", "+2", None, "1e400"]).dictionary_encode()])
    days = pa.chunked_array([text_array(["2020-01-02", None, "2020-01-02", "2021-01-01"]).dictionary_encode()])
    table = Table("t", {"n": Column("n", numbers, Kind.NUMBER), "d": Column("d", days, Kind.DATE)}, 4)
    assert table_bytes(table, "csv") == b"n,d\n1.50,2020-01-02\n+2,\n,2020-01-02\n1e400,2021-01-01\n"
    assert table_bytes(table, "jsonl").splitlines()[1] == b'{"n": 2, "d": null}'
    back = pq.read_table(io.BytesIO(table_bytes(table, "parquet")))
    assert back.to_pydict() == {"n": [1.5, 2, None, np.inf], "d": days.to_pylist()}


def test_a_table_of_no_column_is_refused_and_one_of_missing_cells_has_its_rows() -> None:
    with pytest.raises(DataError, match=r"^t: has no column left to write; drop fewer$"):
        table_bytes(Table("t", {}, 2), "csv")
    assert table_bytes(table_in_memory(pa.table({"a": ["x", None]}), ""), "csv") == b'a\nx\n""\n'
    infinite = table_in_memory(pd.DataFrame({"x": [1e300, float("-inf")], "y": ["p", 'q"']}), "")
    assert table_bytes(infinite, "jsonl") == b'{"x": 1e+300, "y": "p"}\n{"x": "-inf", "y": "q\\""}\n'


def test_formulas_are_texts_in_json_and_the_target_is_nominal_in_arff() -> None:
    table = read_csv_text("a,y\n=1+1,-1\nx,2\n")
    assert table_bytes(table, "tsv", safe=True) == b"a\ty\n'=1+1\t-1\nx\t2\n"
    assert b'{"a": "=1+1"' in table_bytes(table, "jsonl", safe=True)
    assert b"@attribute a {'=1+1',x}\n@attribute y {-1,2}\n" in table_bytes(table, "arff", "y", safe=True)


@pytest.mark.parametrize("kind", ["parquet", "feather", "jsonl"])
@pytest.mark.parametrize(
    ("cells", "numbers", "dtype"),
    [
        ("1,,30", [1, None, 30], pa.int64()),
        ("9007199254740991,1", [2**53 - 1, 1], pa.int64()),
        ("0.75,+.5,2", [0.75, 0.5, 2], pa.float64()),
        (" 5,5.,1e3,-0,1e-300", [5, 5, 1000, 0, 1e-300], pa.float64()),
        ("123456.78901234567,0.1", [123456.78901234567, 0.1], pa.float64()),
        ("007,8", None, None),
        ("12345678901234567890,2", None, None),
        ("9007199254740993,0.5", None, None),
        ("inf,1", None, None),
        ("1,NA", None, None),
    ],
)
def test_texts_become_numbers(
    kind: str, cells: str, numbers: list[float | None] | None, dtype: pa.DataType | None
) -> None:
    table = read_csv_text("a,y\n" + "".join(f"{cell},p\n" for cell in cells.split(",")))
    data = table_bytes(table, kind, "y")
    column = read_bytes(data, f"t.{kind}").columns["a"]
    if numbers is None:
        assert (column.kind, cell_texts(column)) == (Kind.TEXT, cells.split(","))
        return
    found = [None if text is None else float(text) for text in cell_texts(column)]
    assert (column.kind, found) == (Kind.NUMBER, numbers)
    assert kind != "parquet" or pq.read_table(io.BytesIO(data))["a"].type == dtype
