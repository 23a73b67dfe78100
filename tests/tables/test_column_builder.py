"""Columns built block by block."""

from __future__ import annotations

import pytest

from tests.support.table_content import cell_texts, read_csv_text


@pytest.mark.parametrize("distinct", [254, 255, 256, 257, 65_535, 65_536, 65_537])
def test_codes_are_wide_enough(distinct: int) -> None:
    table = read_csv_text("a,b\n" + "".join(f"v{number},{number % 2}\n" for number in range(distinct)) + ",0\n")
    column = table.columns["a"]
    assert cell_texts(column) == [*(f"v{number}" for number in range(distinct)), None]
    assert column.codes.dtype.itemsize == (1 if distinct < 256 else 2 if distinct < 65_536 else 4)
