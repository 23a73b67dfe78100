"""Texts that mean missing, made missing cells."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

import probfs
from probfs.columns.missing_texts import is_unmistakable, looks_missing, mark_missing
from probfs.tables.arrow_arrays import text_array
from probfs.tables.missing_words import AMONG_NUMBERS, UNMISTAKABLE
from probfs.tables.mixed_column import MixedColumn
from probfs.tables.number_block import NumberColumn
from probfs.tables.readers.frame import table_from_frame
from probfs.tables.table import Table
from tests.support.many_numbers import summarized
from tests.support.table_content import Write, read_csv_text, table_content
from tests.support.wide_tables import blocks


def test_missing_texts_and_declared_missing_are_the_same(write: Write) -> None:
    given_, plain = "a,y\nx,0\n?,0\ny,1\nNA,1\nx,1\n", "a,y\nx,0\n,0\ny,1\n,1\nx,1\n"
    expected = probfs.rank(write("plain.csv", plain), target="y").to_csv()
    assert probfs.rank(write("t.csv", given_), target="y", na=["?", "NA"]).to_csv() == expected
    assert (
        probfs.rank(write("t.csv", given_), target="y", mapping=write("m.toml", 'missing = ["?", "NA"]')).to_csv()
        == expected
    )


def test_only_the_whole_text_is_missing() -> None:
    table = mark_missing(read_csv_text("a,b\nNA,1\nNAN,NA\n NA,2\n"), ["NA"])
    assert table_content(table) == {"a": [None, "NAN", " NA"], "b": ["1", None, "2"]}
    assert [column.values.to_pylist() for column in table.columns.values()] == [["NAN", " NA"], ["1", "2"]]


def test_where_the_file_says_numbers_a_number_is_missing_however_it_is_written() -> None:
    table = table_from_frame(pd.DataFrame({"typed": [1.5, 999.0, 3.0], "text": ["1.5", "999.0", "999"]}))
    marked = table_content(mark_missing(table, ["999.0"]))
    assert marked == {"typed": ["1.5", None, "3"], "text": ["1.5", None, "999"]}


def test_with_nothing_to_mark_the_table_stays_as_it_is() -> None:
    table = read_csv_text("a,b\nx,1\n,2\n")
    assert mark_missing(table, ()) is table
    assert mark_missing(table, ["absent"]).columns["a"] is table.columns["a"]


def test_where_everything_is_missing_no_value_is_left() -> None:
    column = mark_missing(read_csv_text("a,b\n?,1\n?,2\n"), ["?"]).columns["a"]
    assert column.values.to_pylist() == []
    assert column.codes.tolist() == [0, 0]
    assert column.codes.dtype == np.uint8


def test_a_column_that_cannot_be_used_stays_so() -> None:
    table = table_from_frame(pd.DataFrame({"l": [[1], None], "y": ["nested", "p"]}))
    marked = mark_missing(table, ["nested"])
    assert marked.columns["l"] is table.columns["l"]
    assert table_content(marked)["y"] == [None, "p"]


@given(st.lists(st.sampled_from([*UNMISTAKABLE, *AMONG_NUMBERS, "x", "NAN0", "été", " NA", "none ", " ", "- -"])))
def test_few_and_many_texts_are_judged_alike(texts: list[str]) -> None:
    many = [*texts, *(f"some longer text {number}" for number in range(40)), *map(str, range(40))]
    expected = [text.strip() in (*UNMISTAKABLE, *AMONG_NUMBERS) for text in texts]
    assert looks_missing(text_array(texts)).tolist() == expected
    assert looks_missing(text_array(many)).tolist() == expected + [False] * 80


def test_no_text_is_both_unmistakable_and_not() -> None:
    assert not set(UNMISTAKABLE) & set(AMONG_NUMBERS)
    assert all(map(is_unmistakable, UNMISTAKABLE))
    assert not any(map(is_unmistakable, AMONG_NUMBERS))


def test_a_number_is_missing_in_a_block_only_in_the_spelling_that_was_named() -> None:
    with blocks(True):
        table = read_csv_text("a,b,c,d\n-9,-9.0,NA,1\n2,3,-9,-9\n")
    marked = mark_missing(table, ["-9"])
    assert table_content(marked) == {"a": [None, "2"], "b": ["-9.0", "3"], "c": ["NA", None], "d": ["1", None]}
    assert table_content(table)["a"] == ["-9", "2"]


def test_some_words_of_a_column_may_be_missing_and_others_not() -> None:
    with blocks(True):
        table = read_csv_text("a,b,c,d,e\nNA,1,1,1,1\n?,2,2,2,2\n3,.,3,3,3\n")
    assert [isinstance(column, MixedColumn) for column in table.columns.values()] == [True, True, False, False, False]
    marked = mark_missing(table, ["NA", ".", "3"])
    assert table_content(marked.only(["a", "b"])) == {"a": [None, "?", None], "b": ["1", "2", None]}
    assert isinstance(marked.columns["a"], MixedColumn)
    assert isinstance(marked.columns["b"], NumberColumn)
    assert isinstance(mark_missing(marked, ["?"]).columns["a"], NumberColumn)


def test_a_summarized_column_has_none_of_the_cells_any_more() -> None:
    column = summarized(np.array([1.5, 2.5, 3.5]), np.array([2.5]), ["p", "q", "p"])
    # The number that stands for all above 2.5 may be written as some text that means missing.
    table = Table("t.parquet", {"a": column}, 3)
    assert mark_missing(table, column.values.to_pylist()).columns["a"] is column
