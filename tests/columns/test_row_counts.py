"""Rows that stand for several."""

from __future__ import annotations

import pytest

import probfs
from probfs.columns.row_counts import MOST_ROWS, row_counts
from probfs.errors import DataError
from probfs.tables.counted_column import condense
from tests.support.table_content import Write, read_csv_text


def test_counts_must_be_whole_numbers(write: Write) -> None:
    for bad in ("1.5", "-1", "two", ""):
        with pytest.raises(probfs.DataError, match=r"t\.csv:3: column 'n'"):
            probfs.rank(write("t.csv", f"a,n,y\nx,1,0\ny,{bad},0\nx,1,1\n"), count="n")


def test_a_row_that_stands_for_none_is_no_row(write: Write) -> None:
    some = probfs.rank(write("t.csv", "a,n,y\nx,2,0\ny,1,1\nx,1,1\n"), target="y", count="n")
    more = probfs.rank(write("u.csv", "a,n,y\nx,2,0\ny,1,1\nx,1,1\nz,0,2\nz,0,1\n"), target="y", count="n")
    assert some.to_csv() == more.to_csv()


def test_without_a_column_every_row_counts_once() -> None:
    table = read_csv_text("a,n\nx,2\ny,3\n")
    assert row_counts(table, None).tolist() == row_counts(table, "absent").tolist() == [1, 1]
    assert row_counts(table, "n").tolist() == [2, 3]


@pytest.mark.parametrize(("written", "count"), [("7", 7), ("007", 7), ("7.0", 7), (" 7 ", 7), ("9" * 15, 10**15 - 1)])
def test_a_count_may_be_written_as_other_tools_write_it(written: str, count: int) -> None:
    assert row_counts(read_csv_text(f"a,n\nx,{written}\n"), "n").tolist() == [count]


@pytest.mark.parametrize("written", ["7.5", "-1", "1e3", "٣", "1" * 16, "x", "1,5".replace(",", "_")])
def test_anything_else_is_shown_with_its_line(written: str) -> None:
    with pytest.raises(DataError) as caught:
        row_counts(read_csv_text(f"a,n\nx,1\ny,{written}\n"), "n")
    place = "t.csv:3: column 'n'"
    assert str(caught.value) == f"{place}: '{written}' is not a row count; use whole numbers of up to 15 digits"


def test_a_missing_count_is_shown_with_its_line() -> None:
    with pytest.raises(DataError, match=r"^t\.csv:3: column 'n': the row count is missing; write 0 for no row$"):
        row_counts(read_csv_text("a,n\nx,1\ny,\n"), "n")


def test_no_more_rows_than_doubles_can_count() -> None:
    most = 10**15 - 1
    rows = -(-MOST_ROWS // most)
    with pytest.raises(DataError, match=r"^t\.csv: column 'n': the counts add up to more than 2\^53 rows$"):
        row_counts(read_csv_text("a,n\n" + f"x,{most}\n" * rows), "n")
    assert int(row_counts(read_csv_text("a,n\n" + f"x,{most}\n" * (rows - 1)), "n").sum()) == most * (rows - 1)


def test_a_row_that_stands_for_several_counts_for_all_of_them() -> None:
    condensed = condense(read_csv_text("n,y\n2,p\n2,p\n3,p\n0,q\n"), "y", "n")
    assert sorted(row_counts(condensed, "n").tolist()) == [0, 3, 4]
    assert sorted(row_counts(condensed, None).tolist()) == [1, 1, 2]
    many = condense(read_csv_text("n,y\n" + f"{10**15 - 1},p\n" * 10), "y", "n")
    with pytest.raises(DataError, match="the counts add up to more than 2\\^53 rows"):
        row_counts(many, "n")
