"""Dates of ARFF files in Java's patterns."""

from __future__ import annotations

from datetime import datetime

import pytest

from probfs.tables.readers import read_table
from probfs.tables.readers.arff_dates import make_date_parser
from tests.support.table_content import Write


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("yyyy-MM-dd'T'HH:mm:ss", "2020-01-02T03:04:05", "2020-01-02 03:04:05"),
        ("d MMM yyyy 'at' h a", "2 Jan 2020 at 3 PM", "2020-01-02 15:00:00"),
        ("HH:mm Z", "10:00 +0100", "1900-01-01 09:00:00"),
        ("HH:mm z", "10:00 UTC", "1900-01-01 10:00:00"),
        ("yyyy 'o''clock'", "2020 o'clock", "2020-01-01 00:00:00"),
        ("yyyy%DDD", "2020%060", "2020-02-29 00:00:00"),
    ],
)
def test_a_date_is_turned_into_iso_form(pattern: str, text: str, expected: str) -> None:
    parse = make_date_parser(pattern)
    assert parse is not None
    assert parse(text) == expected


@pytest.mark.parametrize("pattern", ["kk:mm", "yyyy yyyy", "M MM", "QQ"])
def test_a_pattern_beyond_strptime_has_no_parser(pattern: str) -> None:
    assert make_date_parser(pattern) is None


def test_years_of_two_digits_are_near_today_and_odd_formats_are_noted(
    write: Write,
) -> None:
    header = '@relation r\n@attribute d date "dd/MM/yy"\n@attribute e date "kk:mm"\n@data\n'
    year = datetime.now().year
    near, far = (year + 19) % 100, (year + 22) % 100
    table = read_table(write("t.arff", f"{header}01/02/{near:02},24:00\n01/02/{far:02},24:00\n"))
    assert table.columns["d"].values.to_pylist() == [f"{year + 19}-02-01 00:00:00", f"{year - 78}-02-01 00:00:00"]
    assert table.columns["e"].values.to_pylist() == ["24:00"]
    assert table.notes[0].endswith("the date format 'kk:mm' is not understood, so its dates are taken as text")
