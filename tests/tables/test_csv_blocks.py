"""Where quotes stand and records end in blocks of CSV."""

from __future__ import annotations

import io
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.tables.readers import csv_blocks
from probfs.tables.source import Utf8Stream


@given(st.text(alphabet=st.sampled_from('ab,"\n\r'), max_size=60), st.sampled_from([1, 5, 1 << 20]))
def test_blocks_join_to_the_whole_stream(text: str, size: int) -> None:
    stream = Utf8Stream(io.BytesIO(text.encode()), "utf-8", "t.csv")
    with patch.object(csv_blocks, "BLOCK_BYTES", size):
        assert b"".join(csv_blocks.record_blocks(stream)) == text.encode()


@given(st.lists(st.lists(st.text(alphabet=st.sampled_from('ab,"\n'), max_size=4), min_size=2, max_size=3), min_size=1))
def test_clean_quotes_tell_on_which_lines_records_begin(rows: list[list[str]]) -> None:
    """Records in which every cell is quoted, separated by a blank line now and then."""
    text, lines = "", []
    for number, row in enumerate(rows):
        text += "\n" * (number % 3 == 1)
        lines.append(text.count("\n"))
        text += ",".join('"' + cell.replace('"', '""') + '"' for cell in row) + "\n"
    data = text.encode()
    quotes = csv_blocks.quote_positions(data)
    assert csv_blocks.quotes_are_clean(data, quotes, ",")
    assert csv_blocks.record_lines(data, quotes).tolist() == lines


@pytest.mark.parametrize("text", ['a"b,c\n', '"a"b,c\n', '"a,b\n', 'a, "b"\n'])
def test_quotes_inside_cells_are_not_clean(text: str) -> None:
    data = text.encode()
    assert not csv_blocks.quotes_are_clean(data, csv_blocks.quote_positions(data), ",")
