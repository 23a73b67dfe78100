"""Texts that are all numbers become numbers in formats that have both, and nothing is lost by that."""

from __future__ import annotations

import io

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.tables.formats import TABLE_FORMATS, is_writable
from probfs.tables.table import Kind
from probfs.tables.writers import table_bytes
from tests.support.table_content import cell_texts, read_bytes, read_csv_text, table_content

TYPED = ("parquet", "feather", "jsonl")
NUMBER_TEXTS = st.one_of(
    st.integers(-(10**20), 10**20).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(["+5", "5.", ".5", " 5", "1e3", "-0", "9007199254740993", "0.1"]),
)


@pytest.mark.parametrize("kind", TYPED)
def test_texts_that_are_all_numbers_become_whole_numbers_or_doubles(kind: str) -> None:
    table = read_csv_text("whole,part,y\n1,0.75,0\n,+.5,1\n30,2,1\n")
    back = read_bytes(table_bytes(table, kind, "y", plain_numbers=True), f"t.{kind}")
    assert {column.kind for column in back.columns.values()} == {Kind.NUMBER}
    content = table_content(back)
    assert content["whole"] == ["1", None, "30"]
    assert [float(text or "nan") for text in content["part"]] == [0.75, 0.5, 2]
    assert content["y"] == ["0", "1", "1"]


def test_pandas_computes_with_what_was_written() -> None:
    table = read_csv_text("a,y\n1,p\n2.5,q\n")
    frame = pd.read_parquet(io.BytesIO(table_bytes(table, "parquet", plain_numbers=True)))
    assert frame["a"].mean() == 1.75


@pytest.mark.parametrize("kind", TYPED)
@pytest.mark.parametrize(
    "cells",
    [("007", "8"), ("12345678901234567890", "2"), ("9007199254740993", "0.5"), ("inf", "1"), ("1", "NA"), ("x", "1")],
)
def test_texts_that_would_lose_something_stay_texts(kind: str, cells: tuple[str, str]) -> None:
    table = read_csv_text(f"a,y\n{cells[0]},p\n{cells[1]},q\n")
    back = read_bytes(table_bytes(table, kind, "y", plain_numbers=True), f"t.{kind}")
    assert back.columns["a"].kind is Kind.TEXT
    assert table_content(back)["a"] == list(cells)


def test_classes_that_are_one_number_stay_two_classes() -> None:
    table = read_csv_text("a,y\n1,1\n1.0,1.0\n3,2\n")
    back = read_bytes(table_bytes(table, "parquet", "y", plain_numbers=True), "t.parquet")
    assert table_content(back)["y"] == ["1", "1.0", "2"]
    assert back.columns["a"].kind is Kind.NUMBER


@pytest.mark.parametrize("kind", [name for name in TABLE_FORMATS.names(is_writable) if name not in TYPED])
def test_formats_without_types_stay_as_they_are(kind: str) -> None:
    table = read_csv_text("a,y\n1.50,p\n2,q\n")
    assert table_bytes(table, kind, "y", plain_numbers=True) == table_bytes(table, kind, "y")


@given(st.lists(NUMBER_TEXTS, min_size=1, max_size=5), st.sampled_from(TYPED))
def test_the_same_numbers_are_read_back(texts: list[str], kind: str) -> None:
    table = read_csv_text("a,y\n" + "".join(f"{text},p\n" for text in texts))
    back = read_bytes(table_bytes(table, kind, "y", plain_numbers=True), f"t.{kind}").columns["a"]
    numbers = back.numbers()
    assert numbers is not None
    assert numbers[back.codes].tolist() == [float(text) for text in texts]
    if back.kind is Kind.NUMBER and all(text.strip("+- ").isdigit() for text in texts):
        assert [int(text or 0) for text in cell_texts(back)] == [int(text) for text in texts]
