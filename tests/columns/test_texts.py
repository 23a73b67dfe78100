"""What the texts of cells mean: missing, numbers that are not written the plain way, dates; and what is said of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import probfs
from probfs.columns.choice import ColumnChoice
from probfs.columns.mapping import ColumnMapping
from probfs.columns.prepare import PreparedTable, apply_mapping, prepare
from probfs.columns.texts import NumberStyle, are_dates, mark_missing, respell_numbers, style_of_numbers
from probfs.ranking.inputs import every_name
from probfs.tables.arrays import text_array
from probfs.tables.cells import Kind
from probfs.tables.column import Column, text_column
from probfs.tables.frames import table_in_memory
from probfs.tables.opening import ReadOptions
from probfs.tables.reading import read_table
from probfs.tables.table import Table
from tests.support.prepared_tables import prepare_csv, prepare_frame
from tests.support.table_content import Write, cell_texts, read_bytes, read_csv_text, table_content

THOUSANDS, COMMA, EITHER = NumberStyle.THOUSANDS, NumberStyle.DECIMAL_COMMA, NumberStyle.EITHER


def read(texts: str, mapping: str = "", decimal: str | None = None, **choice: Any) -> tuple[str, tuple[str, ...]]:
    """What becomes of the cells of a column ``x``, which stand between bars, and the notes on it."""
    rows = "".join(f'"{cell}",{"pq"[place % 2]}\n' for place, cell in enumerate(texts.split("|")))
    prepared = prepare_csv("x,y\n" + rows, mapping, decimal, target="y", **choice)
    return "|".join(text or "" for text in cell_texts(prepared.table.columns["x"])), prepared.notes


AMONG = 'taken as missing among numbers: {} in \'x\'; na="none" keeps them as values, and so does the rule "category" '
MAYBE = "may mean missing: {} in 'x'; na=\"auto\" takes them as missing"
LIKE_COMMAS = "look like numbers with decimal commas (1.234,5): 'x'; decimal=\",\" reads them as numbers"
COMMAS = "read as numbers with decimal commas (1.234,5): 'x'"
BLANKS = "read as numbers with thousands separators: 'x'"


@pytest.mark.parametrize(
    ("texts", "options", "cells", "note"),
    [
        ("1|2|3|NA|-", {}, "1|2|3||", AMONG.format("'NA', '-'")),
        (" 1|2|3|NA|-", {"na": ["auto"]}, "1|2|3||", "taken as missing: 'NA', '-' in 'x'"),
        ("1|2|3|NA|-", {"na": ["none"]}, "1|2|3|NA|-", ""),
        ("1|2|3|NA|-", {"na": ["none", "-"]}, "1|2|3|NA|", ""),
        ("1|2|3|NA|-", {"na": ["none"], "mapping": "missing = ['NA']"}, "1|2|3||-", ""),
        ("1|2|3|NA|-", {"mapping": '[columns]\nx = "<= 2"'}, "1|2|3||", AMONG.format("'NA', '-'")),
        ("1|2|3|NA|-", {"mapping": '[columns]\nx = "category"'}, "1|2|3|NA|-", ""),
        ("1|2|3|NA|-", {"mapping": '[columns]\nx = { groups = { g = ["NA", "-"] } }'}, "1|2|3|NA|-", ""),
        ("1|2|3|NA|-", {"mapping": '[columns]\nx = "!= NA"'}, "1|2|3|NA|-", ""),
        ("1|2|3| | NA ", {}, "1|2|3||", AMONG.format("' ', ' NA '")),
        ("NA|Oslo|Rome|-", {}, "NA|Oslo|Rome|-", MAYBE.format("'NA'")),
        ("NA|Oslo|Rome|-", {"na": ["auto"]}, "|Oslo|Rome|-", "taken as missing: 'NA' in 'x'"),
        # Two numbers are too few to judge by, but for what means missing anywhere.
        ("0|1|-", {}, "0|1|-", MAYBE.format("'-'")),
        ("0|1|NA", {}, "0|1|", AMONG.format("'NA'")),
        ("+|-", {}, "+|-", ""),
        ("007|01234|12345|NA", {}, "007|01234|12345|NA", MAYBE.format("'NA'")),
        # The words are no texts.
        ("auto|none", {"na": ["auto"]}, "auto|none", "na=\"auto\" is a choice, not the text 'auto' in 'x'; a mapping"),
        ("auto|none", {"mapping": "missing = ['none']"}, "auto|", ""),
        ("1,5|2,5|3|-", {}, "1,5|2,5|3|-", LIKE_COMMAS),
        ("1,5|2,5|3|-", {"decimal": ","}, "1.5|2.5|3|", COMMAS),
        ("1.234|12|1.234.567|7", {}, "1.234|12|1.234.567|7", LIKE_COMMAS),
        ("1.234|12|1.234.567|7", {"decimal": ","}, "1234|12|1234567|7", COMMAS),
        ("1,5|2", {"mapping": '[columns]\nx = "category"'}, "1,5|2", ""),
        # Commas that can be either are left to the user.
        (
            "1,234|5,678|9",
            {},
            "1,234|5,678|9",
            "look like numbers with decimal commas or thousands separators: 'x'; "
            'decimal="," or decimal="." reads them as numbers',
        ),
        ("1,234|5,678|9", {"decimal": "."}, "1234|5678|9", BLANKS),
        ("1,234|5,678|9", {"decimal": ","}, "1.234|5.678|9", COMMAS),
        ("1 234|1234|1 234 567|NA|5|", {}, "1234|1234|1234567||5|", BLANKS),
    ],
)
def test_what_becomes_of_texts_and_what_is_said_of_it(
    texts: str, options: dict[str, Any], cells: str, note: str
) -> None:
    found, notes = read(texts, **options)
    assert found == cells
    assert notes[0].startswith(note) if note else not notes


def test_among_numbers_a_number_is_missing_however_it_is_written() -> None:
    rows = "-999,-999.0,-999,x\n5,7,NA,-999\n6,8,-999.0,-999.0\n3,9,4,y\n2,1,5,z\n"
    for na in ("-999", "-999.0", "-9.99e2"):
        found = table_content(prepare_csv("a,b,words,text\n" + rows, na=[na]).table)
        assert (found["a"], found["b"]) == ([None, "5", "6", "3", "2"], [None, "7", "8", "9", "1"])
        assert found["words"] == [None, None, None, "4", "5"], "numbers beside words that mean missing"
        assert found["text"] == ["x", *(None if text == na else text for text in ("-999", "-999.0")), "y", "z"]
        typed = table_in_memory(pd.DataFrame({"typed": [1.5, -999.0, 3.0], "whole": [1, -999, 2]}), "data")
        assert table_content(mark_missing(typed, [na])) == {"typed": ["1.5", None, "3"], "whole": ["1", None, "2"]}


def test_a_number_that_means_missing_or_is_asked_for_is_not_its_neighbour_though_doubles_are_the_same() -> None:
    most, key = 2**64 - 1, 2**53 + 1
    cells = {"u": np.array([most, most - 1, 5], np.uint64), "i": [key - 1, key, key + 1], "f": [1e20, 1.0, 2.0]}
    frame, na = pd.DataFrame({**cells, "y": ["p", "q", "p"]}), [f"{most}", f"{key}", "1e20"]
    text = prepare_csv(frame.to_csv(index=False), na=na, min_class=1).table
    for table in (mark_missing(table_in_memory(frame, "data"), na), text):
        found = table_content(table)
        assert (found["u"], found["f"]) == ([None, f"{most - 1}", "5"], [None, "1", "2"])
        assert found["i"] == [f"{key - 1}", None, f"{key + 1}"]
    for rule, answers in ((f"== {key}", ["no", "yes", "no"]), (f"!= {key}", ["yes", "no", "yes"])):
        prepared = prepare_csv(f"i,y\n{key - 1},p\n{key},q\n{key + 1},p\n", f'columns.i = "{rule}"', min_class=1)
        assert cell_texts(apply_mapping(prepared, prepared.mapping).columns["i"]) == answers


def test_only_the_whole_text_is_missing_and_words_for_missing_exclude_each_other() -> None:
    table = mark_missing(read_csv_text("a,b\nNA,1\nNAN,NA\n NA,2\n"), ["NA"])
    assert table_content(table) == {"a": [None, "NAN", " NA"], "b": ["1", None, "2"]}
    with pytest.raises(probfs.UsageError, match="na=: auto and none contradict each other"):
        read("1|2", na=["auto", "none"])


def test_a_count_is_refused_as_it_is_written_and_a_target_without_a_number_is_unlabelled() -> None:
    with pytest.raises(probfs.ProbfsError, match="'NA' is not a row count"):
        prepare_csv("n,a,y\n1,x,p\n2,x,q\n3,z,p\nNA,z,q\n", count="n")
    target = prepare_csv("a,y\nx,1\nz,2\nx,3\nz,NA\n").target
    assert (target.classes, target.labels.tolist()) == (("1", "2", "3"), [0, 1, 2, -1])


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
WORDS = ["NA", "-", "?", " NA ", "none", "nan", "..", " ", "", None]
OTHERS = ["x", "007", "inf", "1e400", "9007199254740993", "9007199254740992", "1,5", "1 234", "nan(1)", "1.2.3", "1_0"]


HOLDERS: list[Callable[[list[str | None]], pa.ChunkedArray]] = [
    lambda texts: pa.chunked_array([texts], pa.string()),
    lambda texts: pa.chunked_array([[text] for text in texts], pa.large_string()),
    lambda texts: pa.chunked_array([pa.array(texts, pa.string()).dictionary_encode()]),
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
@example(["1", "1.0", "NA"], (), None, False)
@example(["NA"] * 25 + ["1", "2"], (), None, False)
def test_numbers_among_words_mean_the_same_in_any_column_of_texts(
    texts: list[str | None], na: tuple[str, ...], decimal: str | None, target: bool
) -> None:
    found = []
    other = text_column("y", np.arange(len(texts), dtype=np.uint8) % 2, text_array(["p", "q"]))
    for hold in HOLDERS:
        table = Table("t", {"a": Column("a", hold(texts)), "y": other}, len(texts))
        choice = ColumnChoice(na=na, target="a" if target else "y")
        prepared = prepare(table, ColumnMapping(), choice, decimal)
        column = prepared.table.columns["a"]
        numbers = column.by_row.tolist() if column.is_numeric else None
        found.append((column.kind, cell_texts(column), repr(numbers), prepared.notes, prepared.target.classes))
    assert found[0] == found[1] == found[2]


def test_a_target_s_classes_are_called_as_the_file_spells_them() -> None:
    expected = ("1.0", "2.0")
    assert prepare_csv("a,y\nu,1.0\nv,2.0\nu,1.0\n").target.classes == expected
    assert prepare_csv("a,y\nu,1.0\nv,2.0\nu,NA\n").target.classes == expected
    for classes in (["1.0", "2.0", "1.0"], ["1.0", "2.0", "NA"]):
        assert prepare_frame({"a": list("uvu"), "y": classes}).target.classes == expected


def test_further_tables_are_read_as_the_first() -> None:
    found = prepare_csv("x;big;y\n1,5;1.234;p\n2,5;12;q\n3;1.234.567;p\n-;7;q\n", decimal=",")
    further = read_csv_text("x;big\n-;9\n1.000,5;\nz;1.000\n", ";", ReadOptions(decimal=",", as_text=every_name))
    assert table_content(found.texts.read(further)) == {"x": [None, "1000.5", "z"], "big": ["9", None, "1000"]}


# Decimal commas and thousands separators


MANY = [*map(str, range(1000))]
STYLES = {
    (None, None, None): [
        *(["1", "2.5", "-3e4", "inf"], ["1.234", "0.567"], ["1.234", "5.67"], [" 1", "2 "], ["1,5", "x"], ["1,2,3"]),
        *(["007,5", "1,5"], ["012 345", "123 456"], ["1 23", "4 567"], ["12 34 56"], ["1,234,5"], ["1,234 567"]),
        *(["\u0661,\u0665"], [","], [], [*MANY, "1,5", "x"]),
    ],
    (None, None, COMMA): [["1.234", "5.678"], [" 3", "-1.164"]],
    (COMMA, None, COMMA): [
        *(["1,5", "2,25", "-,5"], ["1.234,5", "2"], ["1.234.567", "2"], ["1 234,5", "7"], [" 1,5 ", "2"]),
        *([*MANY, "1,5"], [*MANY, "1.234.567"]),
    ],
    (EITHER, THOUSANDS, COMMA): [["1,234", "5,678", "9"]],
    (THOUSANDS, THOUSANDS, None): [["1,234", "0.5"], ["1,234,567", "1,234"], ["1,234.5", "7"]],
    (THOUSANDS, THOUSANDS, COMMA): [
        *(["1 234", "12 345 678", "9"], ["1\u00a0234", "1\u202f234", "1'234", "1\u2019234"]),
    ],
}


@pytest.mark.parametrize(("styles", "texts"), [(styles, texts) for styles, found in STYLES.items() for texts in found])
def test_a_style_is_told_by_all_texts_of_a_column(styles: tuple[NumberStyle | None, ...], texts: list[str]) -> None:
    """Without the user's word, with a decimal point, and with a decimal comma."""
    assert tuple(style_of_numbers(text_array(texts), decimal) for decimal in (None, ".", ",")) == styles


@given(
    st.lists(st.tuples(st.integers(-(10**9), 10**9), st.integers(0, 99)), min_size=1),
    st.sampled_from([(",", "."), (".", ","), (" ", "."), (" ", ","), ("'", "."), ("\u202f", ",")]),
)
def test_numbers_are_read_as_they_were_written(numbers: list[tuple[int, int]], marks: tuple[str, str]) -> None:
    thousands, decimal = marks
    plain = [f"{whole}.{cents:02}" for whole, cents in numbers]
    written = [f"{whole:,}".replace(",", thousands) + f"{decimal}{cents:02}" for whole, cents in numbers]
    style = style_of_numbers(text_array(written), decimal)
    if style is None:
        assert written == plain, "nothing to respell"
    else:
        assert style.is_settled(decimal)
        assert respell_numbers(text_array(written), style).to_pylist() == plain


def test_a_comma_table_ranks_as_the_same_table_with_points(write: Write) -> None:
    rows = "".join(f"{n * 7 % 60 + n / 8:.3f};{'pq'[n * 5 % 7 > 3]}\n" for n in range(60))
    commas, plain = write("c.csv", "x;y\n" + rows.replace(".", ",") + "-;p\n"), write("p.csv", "x;y\n" + rows + ";p\n")
    unlabelled = write("u.csv", "x;z\n" + "17,25;1\n-;2\n" * 10)
    found = probfs.rank(commas, target="y", decimal=",", unlabeled=unlabelled)
    assert not any("most unlabelled cells" in note for note in found.warnings)
    assert found.rounds == probfs.rank(plain, target="y").rounds


# Dates

DAYS = [str(date(2020, 1, 1) + timedelta(days=n)) for n in range(60)]


def with_days(days: Sequence[str], mapping: str = "", **choice: Any) -> PreparedTable:
    text = "when,k,y\n" + "".join(f"{day},{n % 3},{'pq'[n > 30]}\n" for n, day in enumerate(days))
    return prepare_csv(text, mapping, **choice)


@pytest.mark.parametrize(
    "form", ["{}", "{}T12:30", "{} 12:30", "{}T12:30:59", "{} 12:30:59.25", "{}T00:00:00.123456"], ids=str
)
def test_iso_dates_with_and_without_times_are_dates(form: str) -> None:
    assert are_dates(text_array([form.format(day) for day in DAYS]))
    assert with_days([form.format(day) for day in DAYS[:21]]).table.columns["when"].kind is Kind.DATE
    assert with_days([form.format(day) for day in DAYS[:20]]).table.columns["when"].kind is Kind.TEXT, "a few"


@pytest.mark.parametrize(
    "other",
    ["2020", "2020-01", "2021-02-30", "2020-1-5", "20200105", "NaT", "now", "today", "2020-01-05T25:00", "2020-01-05Z"],
)
def test_one_other_text_is_enough_for_texts(other: str) -> None:
    assert not are_dates(text_array([*DAYS, other]))
    assert not are_dates(text_array([other, *DAYS]))


@given(st.lists(st.datetimes(), min_size=1, max_size=5))
def test_every_moment_of_the_calendar_is_one(moments: list[object]) -> None:
    assert are_dates(text_array([str(moment) for moment in moments]))


def test_dates_in_texts_are_cut_as_declared_dates_are(write: Write) -> None:
    rows = [(day, n % 3, "pq"[n > 30]) for n, day in enumerate(DAYS)]
    frame = pd.DataFrame(rows, columns=["when", "k", "y"])
    read = probfs.rank(write("t.csv", frame.to_csv(index=False)), target="y")
    lines = probfs.rank(write("t.jsonl", frame.to_json(orient="records", lines=True)), target="y")
    declared = probfs.rank(frame.assign(when=pd.to_datetime(frame["when"])), target="y")
    assert read.features == lines.features == declared.features
    assert read.features[0].feature == "when"
    assert any("cut into 5 intervals" in note and "'when'" in note for note in read.warnings)
    parquet = prepare(read_bytes(frame.to_parquet(), "t.parquet"), ColumnMapping(), ColumnChoice())
    assert parquet.table.columns["when"].kind is Kind.DATE


def test_a_mapping_overrides_dates() -> None:
    kept = with_days(DAYS, "[columns]\nwhen = 'category'\n")
    assert (kept.table.columns["when"].kind, kept.plans[0].describe()) == (Kind.TEXT, "category (mapping)")
    cut = with_days(DAYS, "[columns]\nwhen = { quantiles = 2 }\n")
    labels = cut.learn(cut.table.columns["when"], cut.plans[0].rule).labels.to_pylist()  # type: ignore[arg-type]
    assert labels == ["(-inf,2020-01-30]", "(2020-01-30,inf)"]


def test_missing_texts_among_dates_are_missing() -> None:
    found = with_days([*DAYS, "NA", "NA"])
    assert found.table.columns["when"].kind is Kind.DATE
    assert found.table.columns["when"].counts()[-1] == 2
    assert found.notes[0].startswith("taken as missing among numbers and dates: 'NA' in 'when'; ")
    assert with_days([*DAYS, "NA"], na=["none"]).table.columns["when"].kind is Kind.TEXT
