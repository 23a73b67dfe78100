"""Typed Arrow cells as texts: every type, exactly, and as a CSV file would hold them."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probfs.tables.readers.arrow import column_from_arrow
from probfs.tables.readers.arrow_cells import category_order, encode_cells, kind_of, texts_of, without_extension
from probfs.tables.table import Column, Kind
from tests.support.table_content import cell_texts


def column_of(cells: list[Any], dtype: pa.DataType, chunks: int = 1) -> Column:
    size = -(-len(cells) // chunks)
    parts = [pa.array(cells[first : first + size], dtype) for first in range(0, len(cells), size)]
    return column_from_arrow("a", pa.chunked_array(parts, dtype))


@pytest.mark.parametrize(
    ("cells", "dtype", "texts", "kind"),
    [
        ([0.1, 1.0, None, float("nan"), -0.0, 1e15, 1e22], pa.float64(), ["0.1", "1", None, None, "0"], Kind.NUMBER),
        ([0.1, 16777216.0, None, 1.5e10], pa.float32(), ["0.1", "16777216", None, "15000000000"], Kind.NUMBER),
        ([np.float16(0.5), None], pa.float16(), ["0.5", None], Kind.NUMBER),
        ([2**63, 2**53 + 1, 0], pa.uint64(), [str(2**63), str(2**53 + 1), "0"], Kind.NUMBER),
        ([Decimal("1.50"), Decimal("-0.00"), None], pa.decimal128(5, 2), ["1.5", "0", None], Kind.NUMBER),
        (
            [Decimal("12345678901234567890.10"), Decimal("12345678901234567890.11"), Decimal("100.00")],
            pa.decimal128(30, 2),
            ["12345678901234567890.1", "12345678901234567890.11", "100"],
            Kind.NUMBER,
        ),
        ([Decimal("0.0000000150"), Decimal(10)], pa.decimal128(20, 10), ["1.5e-8", "10"], Kind.NUMBER),
        ([True, False, None], pa.bool_(), ["true", "false", None], Kind.TEXT),
        (["x", "", None, "é"], pa.string_view(), ["x", None, None, "é"], Kind.TEXT),
        ([None, None], pa.null(), [None, None], Kind.TEXT),
        ([datetime.date(2020, 1, 2), None], pa.date32(), ["2020-01-02", None], Kind.DATE),
        ([0, 1_500, None], pa.timestamp("ms"), ["1970-01-01 00:00:00", "1970-01-01 00:00:01.500000", None], Kind.DATE),
        ([7_000, None, 60_000], pa.duration("ms"), ["7", None, "60"], Kind.NUMBER),
        ([1_500_000, None, -2_000_000], pa.duration("us"), ["1.5", None, "-2"], Kind.NUMBER),
        ([datetime.time(3, 4, 5)], pa.time32("s"), ["03:04:05"], Kind.TEXT),
        (["{}", None], pa.json_(), ["{}", None], Kind.TEXT),
        ([1, None, 0], pa.bool8(), ["true", None, "false"], Kind.TEXT),
    ],
    ids=str,
)
def test_cells_of_every_type_are_the_texts_of_a_csv(
    cells: list[Any], dtype: pa.DataType, texts: list[str | None], kind: Kind
) -> None:
    for chunks in (1, 2):
        column = column_of(cells, dtype, chunks)
        assert cell_texts(column)[: len(texts)] == texts
        assert column.kind is kind
        assert len(set(column.values.to_pylist())) == len(column.values)


def test_times_that_are_written_alike_are_one_value() -> None:
    column = column_of([1_000, 1_001, 2_000_000_000], pa.timestamp("ns"))
    assert cell_texts(column) == ["1970-01-01 00:00:00.000001"] * 2 + ["1970-01-01 00:00:02"]
    assert column.distinct() == 2


@pytest.mark.parametrize("dtype", [pa.list_(pa.int64()), pa.binary(), pa.month_day_nano_interval(), pa.uuid()], ids=str)
def test_types_that_are_neither_text_nor_numbers_cannot_be_used(dtype: pa.DataType) -> None:
    column = column_from_arrow("a", pa.chunked_array([pa.nulls(3, dtype)]))
    assert column.problem is not None
    assert column.problem.endswith("which cannot be ranked; turn it into text or numbers, or leave it out")
    assert column.missing() == 3


@given(
    cells=st.lists(st.one_of(st.none(), st.floats(), st.integers(-(2**53), 2**53).map(float)), max_size=30),
    chunks=st.integers(1, 3),
    wide=st.booleans(),
)
@settings(max_examples=40)
def test_floats_lose_nothing_and_have_one_text_each(cells: list[float | None], chunks: int, wide: bool) -> None:
    known = [cell for cell in cells if cell is None or wide or abs(cell) < 3e38 or cell in (np.inf, -np.inf)]
    dtype = pa.float64() if wide else pa.float32()
    exact = pa.array(known, dtype).to_pylist()
    texts = cell_texts(column_of(known, dtype, chunks)) if known else []
    for number, text in zip(exact, texts, strict=True):
        if number is None or np.isnan(number):
            assert text is None
        else:
            assert text is not None
            assert number == (float(text) if wide else float(np.float32(text)))
    assert len(set(texts) - {None}) == len({number for number in exact if number is not None and number == number})


@given(cells=st.lists(st.sampled_from(["a", "b", "c", None]), min_size=1, max_size=20), ordered=st.booleans())
@settings(max_examples=30)
def test_a_dictionary_holds_what_its_plain_cells_hold(cells: list[str | None], ordered: bool) -> None:
    entries = pa.array(["c", "unused", "a", "b"])
    indices = pa.array([None if cell is None else entries.to_pylist().index(cell) for cell in cells], pa.int8())
    dictionary = pa.DictionaryArray.from_arrays(indices, entries, ordered=ordered)
    column = column_from_arrow("a", pa.chunked_array([dictionary, dictionary]))
    plain = column_of([*cells, *cells], pa.string())
    assert cell_texts(column) == cell_texts(plain)
    assert column.ordered == (ordered and column.distinct() > 0)
    expected = sorted(plain.values.to_pylist(), key="cab".index) if ordered else plain.values.to_pylist()
    assert column.values.to_pylist() == expected


def test_the_order_of_several_dictionaries_is_that_of_their_entries() -> None:
    parts = [
        pa.DictionaryArray.from_arrays(pa.array([0], pa.int8()), pa.array(entries), ordered=True)
        for entries in (["low", "high"], ["high", "very high"])
    ]
    assert category_order(pa.chunked_array(parts)).to_pylist() == ["low", "high", "very high"]


def test_kinds_and_pieces() -> None:
    assert kind_of(pa.dictionary(pa.int8(), pa.date32())) is Kind.DATE
    assert texts_of(pa.array([1, None], pa.duration("s"))).to_pylist() == ["1", None]
    plain = pa.chunked_array([["x"]])
    assert without_extension(plain) is plain
    assert [chunk.to_pylist() for chunk in encode_cells(pa.chunked_array([["x"], ["y", None]]))] == [["x"], ["y", None]]
