"""Blocks of rows hold all rows once, in order, and are bounded."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from probfs.classifiers.refitting.row_blocks import divide_rows


@given(st.integers(0, 200), st.integers(0, 50), st.integers(1, 400), st.integers(1, 5))
def test_every_row_is_in_one_block(rows: int, cells: int, most: int, least: int) -> None:
    blocks = list(divide_rows(rows, cells, most, least))
    assert [row for block in blocks for row in range(block.start, block.stop)] == list(range(rows))
    assert all((block.stop - block.start) * cells <= most or block.stop - block.start == 1 for block in blocks)
    assert len(blocks) >= min(rows, least) - 1
