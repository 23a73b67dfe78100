"""Columns built block by block."""

from __future__ import annotations

import pytest

from probfs.tables.arrow_arrays import text_array
from probfs.tables.readers.column_builder import without_exponents
from tests.support.table_content import cell_texts, read_csv_text


@pytest.mark.parametrize("distinct", [254, 255, 256, 257, 65_535, 65_536, 65_537])
def test_codes_are_wide_enough(distinct: int) -> None:
    table = read_csv_text("a,b\n" + "".join(f"v{number},{number % 2}\n" for number in range(distinct)) + ",0\n")
    column = table.columns["a"]
    assert cell_texts(column) == [*(f"v{number}" for number in range(distinct)), None]
    assert column.codes.dtype.itemsize == (1 if distinct < 256 else 2 if distinct < 65_536 else 4)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("1e+15", "1000000000000000"),
        ("1.00000000005e+10", "10000000000.5"),
        ("-1.234567890125e+10", "-12345678901.25"),
        ("1.5e+20", "1.5e+20"),
        ("2.5e-07", "2.5e-07"),
    ],
)
def test_a_number_keeps_its_digits_without_an_exponent(written: str, expected: str) -> None:
    (text,) = without_exponents(text_array([written])).to_pylist()
    assert text == expected
    assert float(text) == float(written)
