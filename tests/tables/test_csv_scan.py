"""The pass over bytes, against a reference that looks at one byte after the other."""

from __future__ import annotations

import csv
import io
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from probfs.tables.csv_scan import NotPlainError, RowScan
from probfs.tables.table import RowLines

LEADS = re.compile(r"[ \t]*[+-]?0[0-9]")


def scan(text: str, chunk: int = 1 << 18, width: int = 2, delimiter: str = ",") -> tuple[RowScan, RowLines] | None:
    data = text.encode()
    try:
        found = RowScan(delimiter, width, 5)
        for start in range(0, len(data), chunk):
            found.add(data[start : start + chunk])
        return found, found.finish()
    except NotPlainError:
        return None


def is_plain(text: str) -> bool:
    """Whether all quotes open or close whole cells, with no NUL and no lone carriage return."""
    state = "start"
    for here, after in zip(text, text[1:] + "\n", strict=False):
        if here == "\0" or (here == "\r" and after != "\n"):
            return False
        if state == "quoted":
            state = "closed" if here == '"' else "quoted"
        elif here == '"':
            if state == "inside":
                return False
            state = "quoted"
        elif here in ",\n":
            state = "start"
        elif state == "closed" and here != "\r":
            return False
        elif state != "closed":
            state = "inside"
    return state != "quoted"


@settings(max_examples=1500, deadline=None)
@given(st.text(alphabet='a01-,,""\n\n\r \0é', max_size=30), st.integers(1, 9))
@example('"a""b",1\n', 3)
@example('"a\r\n\r\nb",1\r\n\r\n2,3', 1)
def test_only_whole_quoted_cells_are_plain_and_lines_are_those_of_the_csv_module(text: str, chunk: int) -> None:
    found = scan(text, chunk)
    assert (found is not None) == is_plain(text)
    if found is None:
        return
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    starts, start, newlines = [], 5, False
    for record in reader:
        if record:
            starts.append(start)
        newlines |= any("\n" in cell for cell in record)
        start = 5 + reader.line_num
    rows, lines = found
    assert [lines.line(row) for row in range(rows.rows)] == starts
    assert rows.newlines_in_cells == newlines


LED = ["007", "-01", " 02", "\t-03", "00"]
CELLS = st.sampled_from([*LED, "0", "0.05", "1e-07", "1E07", "10", "x0", "2024-01-05", "1 08", "a,07", "a\n07", "\n"])


@settings(max_examples=1000, deadline=None)
@given(
    st.integers(1, 4).flatmap(lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=1)),
    st.sampled_from([",", ";", "\t", " ", ":"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(["\n", "\n\n", "\r\n"]),
    st.sampled_from([1, 2, 3, 5, 8, 1 << 18]),
)
def test_columns_with_a_leading_zero_are_found(
    rows: list[list[str]], delimiter: str, quoting: int, end: str, chunk: int
) -> None:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator=end).writerows(rows)  # type: ignore[arg-type]
    found = scan(out.getvalue(), chunk, len(rows[0]), delimiter)
    assert found is not None
    assert found[0].rows == len(rows)
    expected = {place for place, cells in enumerate(zip(*rows, strict=True)) if any(map(LEADS.match, cells))}
    # Blanks, quotes and separators inside a cell may look like its start: texts that nobody takes for numbers.
    texts = {place for place, cells in enumerate(zip(*rows, strict=True)) if {"a,07", "a\n07", "1 08"} & {*cells}}
    assert expected <= found[0].zero_led <= expected | texts


@pytest.mark.parametrize("delimiter", ["0", "-", "e", "."])
def test_a_delimiter_that_may_be_part_of_a_number_is_left_to_the_csv_module(delimiter: str) -> None:
    assert scan(f"1{delimiter}2\n", delimiter=delimiter) is None


def test_rows_on_consecutive_lines_are_one_run() -> None:
    found = scan("1,2\n" * 1000 + "\n" + "3,4\n" * 1000, chunk=64)
    assert found is not None
    assert found[1].first_rows.tolist() == [0, 1000]
    assert found[1].first_lines.tolist() == [5, 1006]
