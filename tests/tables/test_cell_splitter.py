"""The compiled cell splitter against pyarrow and the csv module."""

from __future__ import annotations

import io
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probfs.errors import DataError
from probfs.tables.readers.delimited import read_delimited
from probfs.tables.source import Utf8Stream

PLAIN_CELLS = st.sampled_from(["", "a", "b", "é", "1", "-1.5", "sevenby", "x y", "?", " ", "\ufeff"])
LESS_PLAIN = st.sampled_from(["longer than seven", '"q"', '"a\nb"', "a\rb", "\0"])


@st.composite
def large_files(draw: st.DrawFn) -> bytes:
    """Text that is plain for the most part: short cells, one line end, as many cells in every line."""
    columns = draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(PLAIN_CELLS, min_size=columns, max_size=columns), min_size=1, max_size=30))
    lines = [",".join(row) for row in rows]
    if draw(st.integers(0, 3)) == 0:
        lines[draw(st.integers(0, len(lines) - 1))] = draw(st.sampled_from(["", "a", "a,b,c,d,e"]) | LESS_PLAIN)
    end = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    header = ",".join(f"c{number}" for number in range(columns))
    text = end.join([header, *lines]) + draw(st.sampled_from([end, "", end * 2]))
    return text.encode() + draw(st.sampled_from([b"", b"", b"", b"\xff"]))


def read_with(splitting: int, content: bytes, block: int) -> list[object] | str:
    with (
        patch("probfs.tables.readers.cell_splitter.WORTH_SPLITTING", splitting),
        patch("probfs.tables.readers.csv_blocks.BLOCK_BYTES", block),
    ):
        try:
            table = read_delimited(Utf8Stream(io.BytesIO(content), "utf-8", "t"), ",")
        except DataError as error:
            return str(error)
    lines = table.lines
    return [table.rows, None if lines is None else (lines.first_rows.tolist(), lines.first_lines.tolist())] + [
        (name, column.values.to_pylist(), column.codes.tolist()) for name, column in table.columns.items()
    ]


@settings(max_examples=400)
@given(large_files(), st.sampled_from([1, 40, 1 << 20]))
def test_machine_code_splits_cells_as_the_others_do(content: bytes, block: int) -> None:
    assert read_with(0, content, block) == read_with(1 << 60, content, block)


@pytest.mark.parametrize("distinct", [254, 255, 256, 300])
def test_columns_of_many_values_are_left_to_pyarrow(distinct: int) -> None:
    content = ("a,b\n" + "".join(f"{i % distinct},{i}\n" for i in range(2_000))).encode()
    one = ("a,b\n" + "".join(f"{i % distinct},x\n" for i in range(2_000))).encode()
    for text in (content, one):
        assert read_with(0, text, 1 << 20) == read_with(1 << 60, text, 1 << 20)
