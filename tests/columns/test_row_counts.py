"""Rows that stand for several."""

from __future__ import annotations

import pytest

import probfs
from tests.support.table_content import Write


def test_counts_must_be_whole_numbers(write: Write) -> None:
    for bad in ("1.5", "-1", "two", ""):
        with pytest.raises(probfs.DataError, match=r"t\.csv:3: column 'n'"):
            probfs.rank(write("t.csv", f"a,n,y\nx,1,0\ny,{bad},0\nx,1,1\n"), count="n")


def test_a_row_that_stands_for_none_is_no_row(write: Write) -> None:
    some = probfs.rank(write("t.csv", "a,n,y\nx,2,0\ny,1,1\nx,1,1\n"), count="n")
    more = probfs.rank(write("u.csv", "a,n,y\nx,2,0\ny,1,1\nx,1,1\nz,0,2\nz,0,1\n"), count="n")
    assert some.to_csv() == more.to_csv()
