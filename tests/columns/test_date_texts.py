"""Texts that are dates: told from other texts, and ranked like dates that a file declares."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import probfs
from probfs.columns.date_texts import are_many_dates
from probfs.columns.inspection import inspect_table
from probfs.columns.mapping_file import parse_mapping
from probfs.columns.prepare import PreparedTable, prepare
from probfs.columns.roles import ColumnChoice
from probfs.columns.target_check import check_target
from probfs.errors import DataError
from probfs.tables.arrow_arrays import text_array
from probfs.tables.table import Kind
from tests.support.table_content import Write, read_bytes, read_csv_text

DAYS = [str(date(2020, 1, 1) + timedelta(days=n)) for n in range(60)]


def prepared(days: Sequence[str], mapping: str = "", **choice: object) -> PreparedTable:
    text = "when,k,y\n" + "".join(f"{day},{n % 3},{'pq'[n > 30]}\n" for n, day in enumerate(days))
    return prepare(read_csv_text(text), parse_mapping(mapping.encode()), ColumnChoice(**choice))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "form", ["{}", "{}T12:30", "{} 12:30", "{}T12:30:59", "{} 12:30:59.25", "{}T00:00:00.123456"], ids=str
)
def test_iso_dates_with_and_without_times_are_dates(form: str) -> None:
    assert are_many_dates(text_array([form.format(day) for day in DAYS]))


@pytest.mark.parametrize(
    "other",
    ["2020", "2020-01", "2021-02-30", "2020-1-5", "20200105", "", "NaT", "2020-01-05T25:00", "2020-01-05T1:00Z"],
)
def test_one_other_text_is_enough_for_texts(other: str) -> None:
    assert not are_many_dates(text_array([*DAYS, other]))
    assert not are_many_dates(text_array([other, *DAYS]))


def test_a_few_dates_are_categories_and_no_value_is_no_date() -> None:
    assert not are_many_dates(text_array(DAYS[:20]))
    assert are_many_dates(text_array(DAYS[:21]))
    assert not are_many_dates(text_array([]))


@given(st.lists(st.datetimes(), min_size=21, max_size=25, unique=True))
def test_every_moment_of_the_calendar_is_one(moments: list[object]) -> None:
    assert are_many_dates(text_array([str(moment) for moment in moments]))


def test_dates_in_texts_are_cut_as_declared_dates_are(write: Write) -> None:
    rows = [(day, n % 3, "pq"[n > 30]) for n, day in enumerate(DAYS)]
    frame = pd.DataFrame(rows, columns=["when", "k", "y"])
    read = probfs.rank(write("t.csv", frame.to_csv(index=False)), target="y")
    lines = probfs.rank(write("t.jsonl", frame.to_json(orient="records", lines=True)), target="y")
    declared = probfs.rank(frame.assign(when=pd.to_datetime(frame["when"])), target="y")
    assert read.features == lines.features == declared.features
    assert read.features[0].feature == "when"
    assert any("cut into 5 intervals" in note and "'when'" in note for note in read.warnings)


def test_inspect_says_date_and_an_identifier_s_name_does_not_matter() -> None:
    summary = inspect_table(prepared(DAYS)).columns[0]
    assert (summary.kind, summary.use, summary.flags) == ("date", "5 intervals at quantiles (60 dates)", ())


def test_a_mapping_overrides() -> None:
    kept = prepared(DAYS, "[columns]\nwhen = 'category'\n")
    assert kept.table.columns["when"].kind is Kind.TEXT
    assert kept.plans[0].describe() == "category (mapping)"
    cut = prepared(DAYS, "[columns]\nwhen = { quantiles = 2 }\n")
    labels = cut.learn(cut.table.columns["when"], cut.plans[0].rule).labels.to_pylist()  # type: ignore[arg-type]
    assert labels == ["(-inf,2020-01-30]", "(2020-01-30,inf)"]


def test_missing_texts_among_dates_are_missing() -> None:
    found = prepared([*DAYS, "NA", "NA"])
    assert found.table.columns["when"].kind is Kind.DATE
    assert found.table.columns["when"].missing() == 2
    assert found.notes[0].startswith("taken as missing among numbers and dates: 'NA' in 'when'; ")
    assert prepared([*DAYS, "NA"], na=["none"]).table.columns["when"].kind is Kind.TEXT


def test_a_target_of_dates_is_refused_as_dates() -> None:
    text = "a,y\n" + "".join(f"{n % 2},{day}\n{n % 3},{day}\n" for n, day in enumerate(DAYS))
    with pytest.raises(DataError, match="hardly a class column: dates, 60 different ones"):
        check_target(prepare(read_csv_text(text), parse_mapping(b""), ColumnChoice()))


def test_dates_in_unlabelled_rows_fall_into_the_same_intervals(write: Write) -> None:
    text = "when,k,y\n" + "".join(f"{day},{n % 3},{'pq'[n > 30]}\n" for n, day in enumerate(DAYS))
    further = "when,k\n" + "".join(f"{day},1\n" for day in DAYS[40:50])
    both = "when,k,y\n" + text.partition("\n")[2] + "".join(f"{day},1,\n" for day in DAYS[40:50])
    apart = probfs.rank(write("t.csv", text), target="y", unlabeled=[write("u.csv", further)], score="unlabeled")
    assert apart.features == probfs.rank(write("both.csv", both), target="y", score="unlabeled").features


def test_text_that_a_typed_file_declares_is_read_alike() -> None:
    frame = pd.DataFrame({"when": DAYS, "y": ["p", "q"] * 30})
    data = prepare(read_bytes(frame.to_parquet(), "t.parquet"), parse_mapping(b""), ColumnChoice())
    assert data.table.columns["when"].kind is Kind.DATE
