"""What the texts of cells mean: missing, numbers that are not written the plain way, dates; and what is said of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from probfs.columns.choice import ColumnChoice
from probfs.columns.mapping import ColumnMapping
from probfs.columns.missing import mark_missing
from probfs.columns.prepare import prepare
from probfs.columns.suggest import suggest_mapping
from probfs.ranking.inputs import every_name
from probfs.tables.arrays import text_array
from probfs.tables.cells import Kind
from probfs.tables.column import Column, text_column
from probfs.tables.frames import table_in_memory
from probfs.tables.opening import ReadOptions
from probfs.tables.reading import read_table
from probfs.tables.table import Table
from tests.support import SAMPLES
from tests.support.random_tables import MISSING_WORDS, ODD_CELLS
from tests.support.tables import (
    Write,
    cell_texts,
    csv_of,
    prepare_csv,
    prepare_frame,
    read_csv_text,
    table_content,
)

SHOP = SAMPLES / "shop.csv"


def read(texts: str, mapping: str = "", decimal: str | None = None, **choice: Any) -> tuple[str, tuple[str, ...]]:
    """What becomes of the cells of a column ``x``, which stand between bars, and the notes on it."""
    rows = "".join(f'"{cell}",{"pq"[place % 2]}\n' for place, cell in enumerate(texts.split("|")))
    prepared = prepare_csv("x,y\n" + rows, mapping, decimal, target="y", **choice)
    return "|".join(text or "" for text in cell_texts(prepared.table.columns["x"])), prepared.notes


def days_of(year: str, form: str = "{}.{}.{}") -> str:
    return "|".join(form.format(n % 28 + 1, n // 28 + 1, year) for n in range(12, 40))


AMONG = 'taken as missing among numbers: {} in \'x\'; na="none" keeps them as values, and so does the rule "category" '
AMONG_DATES = "taken as missing among numbers and dates: 'NA' in 'x'; "
ONE_WAY = "write all of them in one way"
TIMES = "|".join(f"{n + 1}:{n + 10}" for n in range(21))
GERMAN_DAYS, ISO_DAYS = ("|".join(form.format(n) for n in range(10, 31)) for form in ("{}.01.2024", "2024-01-{}"))
TENS, CODES = "|".join(str(n % 40 + 10) for n in range(50)), "|".join(["-999"] * 5)
DOLLARS, PLAIN = ("|".join(form.format(n) for n in range(25)) for form in ("${}", "{}.5"))
DATE, UP_TO = {"mapping": 'columns.x = "date"'}, {"mapping": 'columns.x = "<= 2024-01-06"', "dates": "dmy"}
ODD_FORM = (
    "look like dates or times in a form that is not read, like '{}', and are taken as texts: 'x'; "
    "write them like 2024-01-31, or as numbers"
)
NEARLY = "nearly all values are dates, but not all, so ranked as categories: 'x'"
CENTURY = "look like dates whose years of two digits may be of this century or the last, and are taken as texts: 'x'; "
MAYBE = "may mean missing: {} in 'x'; na=\"auto\" takes them as missing"
READ = "read as {}: 'x' ({} like '{}', which is {}); the rule \"category\" in a mapping keeps them as texts"
READ_DATES = READ.format("dates", "2 cells", "{}", "{}")
SAME = "taken as the same value: 'x'"
LIKE = "look like {}, and are taken as texts: 'x'; {}"
UNITS = LIKE.replace("{}", "numbers that do not all have the same unit ({})", 1)
EITHER = LIKE.format(
    "numbers with decimal commas or thousands separators", 'decimal="," or decimal="." says which mark begins decimals'
)


def numbers(cells: int, text: str, plain: str) -> str:
    return READ.format("numbers", f"{cells} cell{'s' if cells > 1 else ''}", text, plain)


@pytest.mark.parametrize(
    ("texts", "options", "cells", "note"),
    [
        ("1|2|3|NA|-", {}, "1|2|3||", AMONG.format("'NA', '-'")),
        (" 1|2|3|NA|-", {"na": ["auto"]}, "1|2|3||", "taken as missing: 'NA', '-' in 'x'"),
        ("1|2|3|NA|-", {"na": ["none"]}, "=", ""),
        ("1|2|3|NA|-", {"na": ["none", "-"]}, "1|2|3|NA|", ""),
        ("1|2|3|NA|-", {"na": ["none"], "mapping": "missing = ['NA']"}, "1|2|3||-", ""),
        ("1|2|3|NA|-", {"mapping": '[columns]\nx = "<= 2"'}, "1|2|3||", AMONG.format("'NA', '-'")),
        ("1|2|3|NA|-", {"mapping": '[columns]\nx = "category"'}, "=", ""),
        ("1|2|3|NA|-", {"mapping": '[columns]\nx = { groups = { g = ["NA", "-"] } }'}, "=", ""),
        ("1|2|3|NA|-", {"mapping": '[columns]\nx = "!= NA"'}, "=", ""),
        # Blanks are never part of a value.
        ("1|2|3| | NA ", {}, "1|2|3||", AMONG.format("'NA'")),
        (" u|u|v | |\u00a0v", {}, "u|u|v||v", f"{SAME} (3 cells like ' u', which is 'u')"),
        ("NA|Oslo|Rome|-", {}, "=", MAYBE.format("'NA'")),
        ("NA|Oslo|Rome|-", {"na": ["auto"]}, "|Oslo|Rome|-", "taken as missing: 'NA' in 'x'"),
        ("NA|NANA| NA|u", {"na": ["NA"]}, "|NANA||u", ""),
        # Two numbers are too few to judge by, but for what means missing anywhere.
        ("0|1|-", {}, "=", MAYBE.format("'-'")),
        ("0|1|NA", {}, "0|1|", AMONG.format("'NA'")),
        ("+|-", {}, "=", ""),
        ("007|01234|12345|NA", {}, "=", MAYBE.format("'NA'")),
        # The words are no texts.
        ("auto|none", {"na": ["auto"]}, "=", "na=\"auto\" is a choice, not the text 'auto' in 'x'; a mapping"),
        ("auto|none", {"mapping": "missing = ['none']"}, "auto|", ""),
        # Decimal commas and thousands.
        ("1,5|2,5|3|-", {}, "1.5|2.5|3|", numbers(2, "1,5", "1.5")),
        ("1.234|12|1.234.567|7", {}, "1234|12|1234567|7", numbers(2, "1.234", "1234")),
        ("1.234|12|7", {"decimal": ","}, "1234|12|7", numbers(1, "1.234", "1234")),
        ("1,5|2", {"mapping": '[columns]\nx = "category"'}, "=", ""),
        ("1,234|5,678|9", {}, "=", EITHER),
        ("1,234|5,678|9", {"decimal": "."}, "1234|5678|9", numbers(2, "1,234", "1234")),
        ("1,234|5,678|9", {"decimal": ","}, "1.234|5.678|9", numbers(2, "1,234", "1.234")),
        ("1 234|1234|1 234 567|NA|5|", {}, "1234|1234|1234567||5|", numbers(2, "1 234", "1234")),
        ("12,34,567|8,90,123.5", {}, "1234567|890123.5", numbers(2, "12,34,567", "1234567")),
        # Currencies, percentages, units, and parentheses around what is negative.
        ("$74,739.85|-$5|$(7)|$-3", {}, "74739.85|-5|-7|-3", numbers(4, "$74,739.85", "74739.85")),
        ("$1,234|$12", {}, "1234|12", numbers(2, "$1,234", "1234")),
        ("1.234 €|12 €", {}, "=", EITHER),
        ("1.234 €|12,50 €|-", {}, "=", MAYBE.format("'-'")),
        ("1.234 €|12,50 €|3 €|-", {}, "1234|12.5|3|", numbers(3, "1.234 €", "1234")),
        ("CHF 1'234.50|CHF 7", {}, "1234.5|7", numbers(2, "CHF 1'234.50", "1234.5")),
        ("5.1%|7 %|\u22123 %", {}, "5.1|7|-3", numbers(3, "5.1%", "5.1")),
        ("(1,200.5)|80", {}, "-1200.5|80", numbers(1, "(1,200.5)", "-1200.5")),
        ("(1)|(2)|(3)", {}, "=", ""),
        ("12 kg|5.5kg|7 kg", {}, "12|5.5|7", numbers(3, "12 kg", "12")),
        ("12 kg|500 g|7 kg", {}, "=", ""),
        ("5am|6am|7am", {}, "=", ""),
        ("05 %|06 %|07 %", {}, "=", ""),
        ("$5|6|7", {}, "=", ""),
        (f"{DOLLARS}|€7", {}, "=", UNITS.format("'$', '€'", "write all of them in one unit")),
        (f"{PLAIN}|7 kg", {}, "=", UNITS.format("'kg'", 'write all of them in one unit, or map the column as "num')),
        (TIMES, {}, "=", ODD_FORM.format("1:10")),
        (f"{GERMAN_DAYS}|{ISO_DAYS}", {}, "=", ODD_FORM.format("10.01.2024")),
        (f"00.00.0000|{GERMAN_DAYS}", {}, "=", f"{NEARLY} (not '00.00.0000')"),
        (f"NA|{TIMES}", {"na": ("auto",)}, f"|{TIMES}", ODD_FORM.format("1:10")),
        (TIMES.rpartition("|")[0], {}, "=", ""),
        ("$5|6|7", {"mapping": '[columns]\nx = "number"'}, "5|6|7", numbers(1, "$5", "5")),
        ("1,5|2.5|3", {}, "=", LIKE.format("numbers that do not all have the same decimal separator", ONE_WAY)),
        ("$1,234.5|$2,50|$3", {}, "=", "look like numbers that do not all have the same decimal"),
        ("1.5|2.25|3", {"decimal": ","}, "=", ""),
        # Some programs write a minus behind.
        ("1,50|2,25-|1.234,00-", {}, "1.5|-2.25|-1234", numbers(3, "1,50", "1.5")),
        ("$0.5-|$2.25|$1,234.00 -", {}, "-0.5|2.25|-1234", numbers(3, "$0.5-", "-0.5")),
        ("1,50 EUR|2,25- EUR|3,00 EUR", {}, "1.5|-2.25|3", numbers(3, "1,50 EUR", "1.5")),
        ("1|2-|3-", {}, "=", ""),
        ("1.5|-2.5-|3.5", {}, "=", ""),
        # Capitals.
        ("true|True|TRUE|False", {}, "TRUE|TRUE|TRUE|False", f"{SAME} (2 cells like 'true', which is 'TRUE')"),
        ("u|U|v", {}, "=", "differ only in case: 'U' and 'u' in 'x'; ignore_case=True merges them"),
        ("yes|no|TRUE|1", {}, "=", "some values may mean the same: 'yes', 'no', 'TRUE', '1' in 'x'; "),
        ("none|NONE|None|v", {}, "=", "differ only in case: 'NONE' and 'none' in 'x'; "),
        ("1|2", {"na": ["-9,-99"]}, "=", "na=: no cell holds '-9,-99'; give na= once for each text"),
        (f"{TENS}|{CODES}", {}, "=", "far outside of all other numbers: -999 in 5 rows of 'x'; if that means missing,"),
        (f"{TENS}|-999", {"na": ["-999"]}, f"{TENS}|", ""),
        (f"{ISO_DAYS}|2024-02-01|NA", {}, f"{ISO_DAYS}|2024-02-01|", AMONG_DATES),
        (f"{ISO_DAYS}|2024-02-01|NA", {"na": ["none"]}, "=", f"{NEARLY} (not 'NA')"),
        # Dates that may be meant in two ways, or whose years may be; a bound says that they are dates.
        ("1/2/2024|3/4/2024", DATE, "=", "look like dates in which the day or the month may come first, and are taken"),
        ("06.01.2024|15.01.2024", DATE, "2024-01-06|2024-01-15", READ_DATES.format("06.01.2024", "2024-01-06")),
        ("6.1.2024|7.1.2024", UP_TO, "2024-01-06|2024-01-07", READ_DATES.format("6.1.2024", "2024-01-06")),
        (days_of("39"), {}, days_of("2039", "{2}-{1:02}-{0:02}"), "read as dates: 'x' (28 cells like '13.1.39', which"),
        (days_of("70"), {}, days_of("1970", "{2}-{1:02}-{0:02}"), "read as dates: 'x' (28 cells like '13.1.70', which"),
        *((days_of(year), {}, "=", CENTURY) for year in ("40", "69")),
        # Whoever separates them in several ways may mean several orders.
        (days_of("2024").replace(".", "/", 2), {}, "=", ODD_FORM.format("13/1/2024")),
        ("u|U|U|v", {"ignore_case": True}, "U|U|U|v", f"{SAME} (1 cell like 'u', which is 'U')"),
    ],
)
def test_what_becomes_of_texts_and_what_is_said_of_it(
    texts: str, options: dict[str, Any], cells: str, note: str
) -> None:
    found, notes = read(texts, **options)
    assert found == (texts if cells == "=" else cells)
    assert notes[0].startswith(note) if note else not notes


@pytest.mark.parametrize(
    ("texts", "dates", "expected"),
    [
        ("20240106|20240115", None, "2024-01-06|2024-01-15"),
        ("1/2/2024|3/4/2024", "mdy", "2024-01-02|2024-03-04"),
        ("1/2/2024|3/4/2024", "dmy", "2024-02-01|2024-04-03"),
        ("31.12.68|1.1.69", None, "2068-12-31|1969-01-01"),
        ("01.01.0001|31.12.0068|31.12.2024", None, "0001-01-01|0068-12-31|2024-12-31"),
        ("01.01.0000|31.12.2024", None, "01.01.0000|2024-12-31"),
        ("29.02.2024|30.02.2024|29.02.2023", None, "2024-02-29|30.02.2024|29.02.2023"),
        ("31.12.2024|31.13.2024|30.00.2024", None, "2024-12-31|31.13.2024|30.00.2024"),
        ("13.01.2024 13:05:06.25|14.01.2024 0:00", None, "2024-01-13 13:05:06.250000|2024-01-14 00:00:00"),
        ("13.01.2024 23:59:59|14.01.2024 24:00", None, "2024-01-13 23:59:59|14.01.2024 24:00"),
        ("13.01.2024 23:60|14.01.2024 0:59:60", None, "13.01.2024 23:60|14.01.2024 0:59:60"),
        ("1/26/24 1:05 PM|1/27/24 12:00 am", None, "2024-01-26 13:05:00|2024-01-27 00:00:00"),
        ("1/26/24 12:30 PM|1/27/24 11:59:59 p.m.", None, "2024-01-26 12:30:00|2024-01-27 23:59:59"),
        ("1/26/24 13:05 PM|1/27/24 1:00 am", None, "1/26/24 13:05 PM|2024-01-27 01:00:00"),
        ("1/26/24 13:05 AM|1/27/24 0:05 am", None, "1/26/24 13:05 AM|1/27/24 0:05 am"),
        ("2024/01/06 13:05 +02:00|2024/01/07 00:30 -0130", None, "2024-01-06 11:05:00|2024-01-07 02:00:00"),
        ("2023-01|2023/12", None, "2023-01-01|2023-12-01"),
        ("Jan 2023|dez-2023", None, "2023-01-01|2023-12-01"),
        ("2008-09|2009-10|2010-11", None, "="),
        ("Sat, 6 Jan 2024 10:00:00 GMT|6 mai 69", None, "2024-01-06 10:00:00|1969-05-06 00:00:00"),
    ],
)
def test_dates_by_the_rule(texts: str, dates: str | None, expected: str) -> None:
    """A few dates are texts otherwise; what is none is left for whoever needs dates to refuse."""
    found, _ = read(texts, dates=dates, **DATE)
    assert found.replace(" 00:00:00", "") == (texts if expected == "=" else expected.replace(" 00:00:00", ""))


def test_other_columns_show_which_mark_begins_decimals() -> None:
    """Ambiguous alone: 1,234; a file has one decimal separator."""
    rows = ["1,234", "5,678", "9"]
    for other, expected in (("0.5", "1234"), ("0,5", "1.234"), ("1.5", "1234"), ("5.000", "1,234"), ("", "1,234")):
        text = "x;z;y\n" + "".join(f"{cell};{other};{'pq'[place % 2]}\n" for place, cell in enumerate(rows))
        assert cell_texts(prepare_csv(text).table.columns["x"])[0] == expected, other
    mixed = prepare_csv("x;y\n" + "".join(f"{n:_};{'pq'[n % 2]}\n".replace("_", ".") for n in range(900, 1234, 3)))
    message = (
        "points are read as decimal points, but may separate thousands: 'x'; decimal=\",\" reads 1.234 as 1234, and "
    )
    assert mixed.notes[0].startswith(message)


def test_among_numbers_a_number_is_missing_however_it_is_written() -> None:
    rows = "-999,-999.0,-999,x\n5,7,NA,-999\n6,8,-999.0,-999.0\n3,9,4,y\n2,1,5,z\n"
    for na in ("-999", "-999.0", "-9.99e2"):
        found = table_content(prepare_csv("a,b,words,text\n" + rows, na=[na]).table)
        assert (found["a"], found["b"]) == ([None, "5", "6", "3", "2"], [None, "7", "8", "9", "1"])
        assert found["words"] == [None, None, None, "4", "5"], "numbers beside words that mean missing"
        assert found["text"] == ["x", None, None, "y", "z"]
        typed = table_in_memory(pd.DataFrame({"typed": [1.5, -999.0, 3.0], "whole": [1, -999, 2]}), "data")
        assert table_content(mark_missing(typed, [na])) == {"typed": ["1.5", None, "3"], "whole": ["1", None, "2"]}


def test_a_declared_value_is_missing_only_on_the_users_word(write: Write) -> None:
    arff = "@relation r\n@attribute a {1,2,3,NA,'-'}\n@attribute y {p,q}\n@data\n1,p\n2,q\n3,p\nNA,q\n-,p\n"
    table = read_table(write("t.arff", arff))
    found = prepare(table, ColumnMapping(), ColumnChoice())
    assert found.table.columns["a"] is table.columns["a"]
    assert found.notes == ("may mean missing: 'NA' in 'a'; na=\"auto\" takes them as missing",)
    taken = prepare(table, ColumnMapping(), ColumnChoice(na=["auto"])).table.columns["a"]
    assert taken.values.to_pylist() == ["1", "2", "3", "-"]


# The same texts, however a column holds them

NUMBERS = ["1", "2", "3.5", "-4", "+5", "1e3", " 7", "1.0", "-9", "-9.0", "0", "12", "1.234", "5.678"]
WORDS = [*MISSING_WORDS, " NA ", " ", "", None]
OTHERS = [*ODD_CELLS, "1,5", "1 234", "nan(1)", "1.2.3", "1_0"]
HOLDERS: list[Callable[[list[str | None]], pa.ChunkedArray]] = [
    lambda texts: pa.chunked_array([texts], pa.string()),
    lambda texts: pa.chunked_array([[text] for text in texts], pa.large_string()),
    lambda texts: pa.chunked_array([pa.array(texts, pa.string()).dictionary_encode()]),
    # A dictionary may hold what no row does.
    lambda texts: pa.chunked_array([pa.array([*texts, "x", "NA", "1,5"], pa.string()).dictionary_encode()[:-3]]),
]


@given(
    st.one_of(
        st.lists(st.sampled_from([*NUMBERS, *NUMBERS, *WORDS]), min_size=1, max_size=30),
        st.lists(st.sampled_from([*NUMBERS, *WORDS, *OTHERS]), min_size=1, max_size=30),
        st.lists(st.sampled_from([*NUMBERS[:3], *WORDS]), min_size=1, max_size=4),
    ),
    st.sampled_from([(), (), ("auto",), ("none",), ("-9",), ("-9.0", "NA"), ("-9", "none"), ("?", "-", "auto")]),
    st.sampled_from([None, None, ",", "."]),
    st.booleans(),
)
@example(["1.0", "2", "NA"], (), None, True)
@example(["1.234", "5.678"], (), ",", False)
@example(["NA"] * 25 + ["1", "2"], (), None, False)
def test_texts_mean_the_same_however_a_column_holds_them(
    texts: list[str | None], na: tuple[str, ...], decimal: str | None, target: bool
) -> None:
    found = []
    other = text_column("y", np.arange(len(texts), dtype=np.uint8) % 2, text_array(["p", "q"]))
    for hold in HOLDERS:
        table = Table("t", {"a": Column("a", hold(texts)), "y": other}, len(texts))
        prepared = prepare(table, ColumnMapping(), ColumnChoice(na=na, target="a" if target else "y"), decimal)
        column = prepared.table.columns["a"]
        numbers = column.by_row.tolist() if column.is_numeric else None
        found.append((column.kind, cell_texts(column), repr(numbers), prepared.notes, prepared.target.classes))
    assert found[0] == found[1] == found[2] == found[3]


def test_a_target_s_classes_are_called_as_the_file_spells_them() -> None:
    expected = ("1.0", "2.0")
    assert prepare_csv("a,y\nu,1.0\nv,2.0\nu,1.0\n").target.classes == expected
    assert prepare_csv("a,y\nu,1.0\nv,2.0\nu,NA\n").target.classes == expected
    for classes in (["1.0", "2.0", "1.0"], ["1.0", "2.0", "NA"]):
        assert prepare_frame({"a": list("uvu"), "y": classes}).target.classes == expected
    assert prepare_csv("a,y\nu,$5\nv,$7\nu,$5\n").target.classes == ("5", "7"), "but for signs and separators"
    days = [f"{day:02}.01.2024" for day in range(1, 32)] * 2
    dated = prepare_csv("a,y\n" + "".join(f"u,{day}\n" for day in days), target="y")
    assert dated.target.classes == tuple(days[:31])


def test_further_tables_are_read_as_the_first() -> None:
    found = prepare_csv("x;big;y\n1,5;1.234;p\n2,5;12;q\n3;1.234.567;p\n-;7;q\n", decimal=",")
    further = read_csv_text("x;big\n-;9\n1.000,5;\nz;1.000\n", ";", ReadOptions(decimal=",", as_text=every_name))
    assert table_content(found.texts.read(further)) == {"x": [None, "1000.5", "z"], "big": ["9", None, "1000"]}


# Numbers and dates as nations write them


def grouped(number: Decimal, thousands: str, decimal: str) -> str:
    return f"{number:,}".replace(".", "_").replace(",", thousands).replace("_", decimal)


def by_lakhs(number: Decimal, thousands: str, decimal: str) -> str:
    head, _, tail = f"{abs(number):,}".replace(",", "").partition(".")
    front = re.sub(r"(?<=\d)(?=(?:\d\d)+$)", ",", head[:-3])
    return ("-" if number < 0 else "") + f"{front},{head[-3:]}".lstrip(",") + (f".{tail}" if tail else "")


NATIONS: dict[str, tuple[Callable[..., str], str, str, str, str]] = {
    "US": (grouped, ",", ".", "${}", "%m/%d/%Y"),
    "UK": (grouped, ",", ".", "£{}", "%d/%m/%Y"),
    "Germany": (grouped, ".", ",", "{} €", "%d.%m.%Y"),
    "Switzerland": (grouped, "'", ".", "CHF {}", "%d.%m.%y"),
    "France": (grouped, "\u202f", ",", "{}\u00a0€", "%d/%m/%Y %H:%M"),
    "Sweden": (grouped, "\u00a0", ",", "{} kr", "%Y-%m-%d"),
    "India": (by_lakhs, ",", ".", "₹{}", "%d-%b-%Y"),
    "Brazil": (grouped, ".", ",", "R$ {}", "%d/%m/%y"),
    "Japan": (grouped, ",", ".", "¥{}", "%Y/%m/%d %H:%M:%S"),
    "Czechia": (grouped, " ", ",", "{} Kč", "%d. %m. %Y"),
    "accounts": (grouped, ",", ".", "{} USD", "%B %d, %Y"),
}
MONEY = st.decimals(-(10**6), 10**6, allow_nan=False, allow_infinity=False, places=2)
AMOUNTS = st.one_of(
    st.decimals(-1000, 10**7, allow_nan=False, allow_infinity=False, places=3), st.integers(0, 10**7).map(Decimal)
)


@given(
    st.sampled_from(list(NATIONS)),
    st.lists(st.tuples(MONEY, AMOUNTS, st.dates(date(1970, 1, 1), date(2039, 12, 31))), min_size=2, max_size=40),
)
@example("Germany", [(Decimal(n * 1234), Decimal(n * 1234), date(2024, 1 + n % 12, 1 + n % 11)) for n in range(1, 40)])
@example("UK", [(Decimal(n), Decimal(n * 1234), date(2024, 1 + n % 12, 1 + n // 12)) for n in range(1, 40)])
def test_tables_of_ten_nations_come_back_or_with_a_warning(
    nation: str, rows: list[tuple[Decimal, Decimal, date]]
) -> None:
    write, thousands, decimal, money, form = NATIONS[nation]
    amounts = [write(amount, thousands, decimal) for _, amount, _ in rows]
    texts = {
        "money": [money.format(write(paid, thousands, decimal)) for paid, *_ in rows],
        "share": [f"{amount} %" for amount in amounts],
        "amount": amounts,
        "day": [day.strftime(form) for *_, day in rows],
        "y": ["pq"[place % 2] for place in range(len(rows))],
    }
    lines = ["\t".join(cells) for cells in (texts, *zip(*texts.values(), strict=True))]
    prepared = prepare(read_csv_text("\n".join(lines), "\t"), ColumnMapping(), ColumnChoice(target="y"))
    warned = {name for note in prepared.notes if note.is_warning for name in note.columns}
    paid, amount = [float(row[0]) for row in rows], [float(row[1]) for row in rows]
    moments = [float((day - date(1970, 1, 1)).days * 86_400) for *_, day in rows]
    for name, numbers in {"money": paid, "share": amount, "amount": amount, "day": moments}.items():
        column = prepared.table.columns[name]
        if column.is_numeric:
            assert name in warned or column.by_row.tolist() == numbers
        else:
            assert name in warned or (name == "day" and len(set(texts[name])) <= 20)


# Dates

DAYS = [str(date(2020, 1, 1) + timedelta(days=n)) for n in range(60)]
ISO_FORMS = ("{}", "{}T12:30", "{} 12:30", "{}T12:30:59", "{} 12:30:59.25", "{}T00:00:00.123456")


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        *(([form.format(day) for day in DAYS[:21]], Kind.DATE) for form in ISO_FORMS),
        # A few are texts, and so are all where one is no date, wherever that stands.
        *(([form.format(day) for day in DAYS[:20]], Kind.TEXT) for form in ISO_FORMS),
        *(([*DAYS, other], Kind.TEXT) for other in ("2020", "2020-01", "2021-02-30", "20200105", "2020-01-05T25:00")),
        *(([other, *DAYS], Kind.TEXT) for other in ("2020-01", "2021-02-30", "NaT", "now", "today")),
    ],
)
def test_more_than_a_few_iso_dates_are_dates(texts: list[str], kind: Kind) -> None:
    assert prepare_csv(csv_of(when=texts)).table.columns["when"].kind is kind
    frame = {"when": texts, "y": ["p", *"q" * (len(texts) - 1)]}
    assert prepare_frame(frame).table.columns["when"].kind is kind


# A table as people write it


def test_what_suggest_decides_is_what_is_read() -> None:
    text = SHOP.read_text()
    prepared = prepare_csv(text, dates="mdy")
    draft = suggest_mapping(prepared, "nb")
    assert "probfs rank … --dates mdy --mapping THIS_FILE" in draft
    assert '"visits" = "number"  # 7 values; 29 cells like \'1,204\', which is 1204' in draft
    again = prepare_csv(text, draft, dates="mdy")
    assert table_content(again.table) == table_content(prepared.table)
