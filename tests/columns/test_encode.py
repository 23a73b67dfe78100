"""Prepared table to dataset: codes, intervals, unlabelled rows and notes, the same however cells are held."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import probfs
from probfs.columns import encode as encode_module
from probfs.columns.choice import ColumnChoice
from probfs.columns.encode import encode
from probfs.columns.inspect import inspect_table
from probfs.columns.mapping import ColumnMapping
from probfs.columns.missing import mark_missing
from probfs.columns.prepare import prepare
from probfs.columns.rules import Category, Numeric, Quantiles
from probfs.columns.suggest import suggest_mapping
from probfs.errors import DataError, ProbfsError
from probfs.ranking.inputs import every_name, reading_for
from probfs.tables.opening import ReadOptions
from probfs.tables.reading import read_table
from probfs.tables.table import Table
from probfs.text import command_line_language
from tests.support.random_tables import columns_together, wide_tables
from tests.support.tables import Write, csv_of_rows, encode_csv, prepare_csv, prepare_frame, read_csv_text

# Everything that can be seen of a table

CHOICES = st.builds(
    ColumnChoice,
    target=st.just("y"),
    count=st.sampled_from([None, None, "n"]),
    na=st.sampled_from(
        [(), (), ("999",), ("1", "0.5"), ("auto",), ("none",), ("-3",), ("-9",), ("-9", "NA", "."), ("none", "?")]
    ),
    bins=st.sampled_from([2, 5, 5, 50]),
    numbers_as_they_are=st.booleans(),
    keep_identifiers=st.booleans(),
    missing=st.sampled_from(["skip", "value", "auto"]),
)
MAPPINGS = st.sampled_from(
    [
        ColumnMapping(),
        ColumnMapping(),
        ColumnMapping(
            columns={"measured1": Category(), "measured2": Quantiles(3)}, missing_cells={"counted3": "value"}
        ),
        ColumnMapping(columns={"digits5": Category(), "measured12": Numeric()}, missing=("NA", "--")),
        ColumnMapping(columns={"empty10": Quantiles(3), "empty32": Category()}, missing_cells={"empty10": "value"}),
    ]
)
Case = tuple[pd.DataFrame, pd.DataFrame | None, ColumnChoice, ColumnMapping, str | None]
CASES = st.tuples(
    wide_tables(), st.one_of(st.none(), wide_tables()), CHOICES, MAPPINGS, st.sampled_from([None, None, "."])
)


def everything(table: Table, others: list[Table], case: Case) -> list[Any]:
    """Whatever anybody can see of a table, up to the first refusal."""
    _, _, choice, mapping, decimal = case
    seen: list[Any] = []
    try:
        prepared = prepare(table, mapping, choice, decimal)
        seen += [[plan.describe() for plan in prepared.plans], prepared.notes, prepared.leaks]
        seen += [suggest_mapping(prepared, "nb"), inspect_table(prepared)]
        dataset, notes = encode(prepared, others)
        seen += [notes, *content_of(dataset)]
    except ProbfsError as error:
        seen.append(str(error))
    return seen


def content_of(dataset: Any) -> list[Any]:
    seen: list[Any] = [dataset.classes, dataset.labels.tolist(), dataset.counts.tolist()]
    seen.append(dataset.unlabelled_counts.tolist())
    for feature in dataset.features:
        numbers = None if feature.numbers is None else feature.numbers.tolist()
        seen += [feature.name, feature.labels.to_pylist(), feature.labelled.tolist(), feature.unlabelled.tolist()]
        seen += [feature.values, feature.categories().to_pylist(), numbers, feature.missing_is_value]
    return seen


def check_that_all_ways_give_the_same(case: Case) -> None:
    """Numbers cut together or each alone, as a matrix or as values, read as numbers or as texts."""
    cells, further, choice, mapping, decimal = case
    usual = reading_for(ReadOptions(decimal=decimal), mapping, choice, every_column=True)
    table = read_csv_text(cells.to_csv(index=False), options=usual)
    others = [] if further is None else [read_csv_text(further.to_csv(index=False), options=usual)]
    expected = everything(table, others, case)
    with columns_together(False):
        assert everything(table, others, case) == expected
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encode_module, "_code_numbers", lambda *_: {})
        assert everything(table, others, case) == expected
    marked = mark_missing(table, usual.na).columns.values()
    if all(column.distinct() for column in marked if column.is_numeric):
        # A column without a value is one of numbers only to those who read them.
        texts_of = read_csv_text(cells.to_csv(index=False), options=replace(usual, as_text=every_name))
        assert everything(texts_of, [], case) == everything(table, [], case)


HEALTH = [HealthCheck.too_slow, HealthCheck.data_too_large]


@settings(max_examples=12, suppress_health_check=HEALTH)
@given(CASES)
def test_all_ways_to_hold_numbers_give_the_same(case: Case) -> None:
    check_that_all_ways_give_the_same(case)


# Labelled rows


def test_declared_values_count_though_never_seen_and_say_nothing_in_unlabelled_rows(write: Write) -> None:
    body = "\n@attribute y {0,1}\n@data\nx,0\nz,0\nx,1\nx,1\nz,1\n"
    two, three = (f"@relation r\n@attribute a {values}" + body for values in ("{x,z}", "{x,z,w}"))
    scores = [probfs.rank(write("t.arff", arff), target="y").features[0].s_s for arff in (two, three)]
    assert scores[0] != scores[1]
    table = read_table(write("t.arff", three + "w,?\nx,?\n"))
    (feature,) = encode(prepare(table, ColumnMapping(), ColumnChoice()))[0].features
    assert (feature.labels.to_pylist(), feature.unlabelled.tolist()) == (["x", "z", "w"], [3, 0])


def test_measured_columns_have_their_numbers_once_and_in_order() -> None:
    text = "a,b,y\n2,x,p\n-0,z,q\n,x,p\n0.0,z,q\n"
    number, category = encode_csv(text, unlabelled=["a,b\n1e0,x\n2,new\n"], numbers_as_they_are=True).features
    assert number.numbers is not None
    assert (number.numbers.tolist(), len(number.labels)) == ([0.0, 1.0, 2.0], 0)
    assert (number.labelled.tolist(), number.unlabelled.tolist()) == ([2, 0, 3, 0], [1, 2])
    assert category.numbers is None
    assert (category.labelled.tolist(), category.unlabelled.tolist()) == ([0, 1, 0, 1], [0, 2])


def test_dates_are_measured_in_days_since_the_first_of_all_tables() -> None:
    days = pd.to_datetime(["2020-03-01T00:00", "2020-02-28T00:00", "2020-03-01T12:00"] * 2)
    prepared = prepare_frame({"d": days, "y": list("abcabc")}, numbers_as_they_are=True)
    (feature,) = encode(prepared, [read_csv_text("d,y\n2020-02-27,\n")])[0].features
    assert feature.numbers is not None
    assert feature.numbers.tolist() == [0.0, 1.0, 3.0, 3.5]


def test_ordered_categories_stand_in_their_order_unless_texts_are_wanted() -> None:
    grades = pd.Categorical(["low", "high", "mid", "low"], ["low", "mid", "high"], ordered=True)
    for keep, expected in ((True, ["low", "mid", "high"]), (False, ["high", "low", "mid"])):
        (feature,) = encode(prepare_frame({"a": grades, "y": list("pqpq")}, keep_category_order=keep))[0].features
        assert feature.labels.to_pylist() == expected


# Unlabelled rows


def test_rows_without_a_class_and_rows_of_another_file_are_the_same(write: Write) -> None:
    labelled = "a,b,y\nx,u,0\ny,v,0\nx,v,1\ny,u,1\nx,u,1\n"
    inside = probfs.rank(write("one.csv", labelled + "x,v,\ny,new,\n"), target="y", score="unlabeled")
    others = [write("u.csv", "b,a\nv,x\n"), write("w.csv", "a,b\ny,new\n")]
    outside = probfs.rank(write("two.csv", labelled), target="y", unlabeled=others, score="unlabeled")
    assert inside.to_csv() == outside.to_csv()
    assert outside.input.unlabelled_rows == 2
    assert all(feature.s_su is not None for feature in inside.features)


def test_unlabelled_values_that_no_labelled_row_holds_are_missing() -> None:
    (feature,) = encode_csv("a,y\nx,p\nz,q\nnew,\nz,\n", unlabelled=['a\nx\nother\n""\n']).features
    assert feature.labels.to_pylist() == ["x", "z"]
    assert (feature.labelled.tolist(), feature.unlabelled.tolist()) == ([0, 1], [2, 1, 0, 2, 2])
    (number,) = encode_csv("a,y\n1,p\n2,q\n", unlabelled=["a\n1\nmany\n"], numbers_as_they_are=True).features
    assert number.unlabelled.tolist() == [0, 2], "text in a column guessed to be numeric"


@pytest.mark.parametrize(
    ("cells", "noted"),
    [("1x\n", False), ("1x\n" * 9 + '""\n' * 9, False), ("1x\n" * 10, True), ("1.0\n2.00\n" * 9, False)],
)
def test_most_cells_of_enough_must_be_unseen_to_be_noted(write: Write, cells: str, noted: bool) -> None:
    data, others = write("t.csv", "a,y\n1,p\n2,p\n1,q\n2,q\n"), [write("u.csv", "a\n" + cells)]
    ranking = probfs.rank(data, target="y", unlabeled=others)
    assert any("most unlabelled cells" in warning for warning in ranking.warnings) is noted


def test_further_tables_must_have_the_features_and_should_have_the_counts(write: Write) -> None:
    data = write("t.csv", "a,b,c,y\nx,u,u,0\ny,v,u,0\nx,v,v,1\ny,u,v,1\n")
    lacking = r"u\.csv: lacks 2 columns of .*t\.csv: 'b', 'c'; add them, or leave them out with exclude="
    with pytest.raises(probfs.DataError, match=lacking):
        probfs.rank(data, target="y", unlabeled=[write("u.csv", "a\nx\n")])
    prepared = prepare_csv("a,n,y\nx,2,p\nz,3,q\nx,5,\n", count="n")
    dataset, notes = encode(prepared, [read_csv_text("a,n\nx,7\nz,0\n"), read_csv_text("a\nx\n")])
    assert (dataset.counts.tolist(), dataset.unlabelled_counts.tolist()) == ([2, 3], [5, 7, 0, 1])
    assert notes == ("t.csv: no column 'n', so each of its rows counts once",)
    numbered = csv_of_rows(["nr", "a", "y"], [(n, "uv"[n % 3 > 1], "pq"[n % 2]) for n in range(30)])
    assert encode_csv(numbered, unlabelled=["a\nu\nv\n"]).unlabelled_rows == 2, "an identifier may be lacking"


# Notes and refusals


MEASURED = {"numbers_as_they_are": True}
SAME, DIFFERENT = "the same value in every labelled row: ", "a different value in every row (an identifier?): "


@pytest.mark.parametrize(
    ("rows", "choice", "expected"),
    [
        (
            [(f"<{n}.5", n * 1.5, "pq"[n % 2]) for n in range(1, 31)],
            {},
            ["cut into 5 intervals at quantiles of the labelled rows (bins=, or a mapping): 'b'"],
        ),
        (
            [("" if n % 2 else n % 5, n % 3, "pq"[n % 2]) for n in range(60)],
            {},
            [
                "one column alone nearly gives the class away (leakage?): whether a is missing gives y away: 60 of 60 "
                "rows; exclude= leaves out what is known only after the class"
            ],
        ),
        ([(n / 7, f"c{n}", "pq"[n % 2]) for n in range(10)], {}, [f"{DIFFERENT}'b'; exclude= leaves it out"]),
        ([(n + 5, n + 0.5, "pq"[n % 2]) for n in range(6)], MEASURED, [f"{DIFFERENT}'a'; exclude= leaves it out"]),
        ([(1, "", "pq"[n % 2]) for n in range(6)], {}, ["no value in any labelled row: 'b'", f"{SAME}'a'"]),
        # A missing cell is nothing to naive Bayes, and a value of a category, but not of numbers, to the SVM.
        ([("x", 1, "p"), ("", "", "q")] * 2, {}, [f"{SAME}'a', 'b'"]),
        ([("x", 1, "p"), ("", "", "q")] * 2, MEASURED, [f"{SAME}'b'"]),
    ],
)
def test_notes_say_what_to_know_before_ranking(rows: Any, choice: dict[str, Any], expected: list[str]) -> None:
    text = csv_of_rows(["a", "b", "y"], rows)
    _, notes = encode(prepare_csv(text, **choice))
    assert list(notes) == expected
    with command_line_language():
        _, told = encode(prepare_csv(text, **choice))
    assert told == tuple(note.replace("exclude=", "--exclude").replace("bins=", "--bins") for note in notes)


def test_whole_numbers_beyond_doubles_are_different_values() -> None:
    keys = [2**63 + n % 4 for n in range(24)]
    for columns in ({"key": keys}, {"key": keys, "twin": keys[::-1]}):
        dataset, notes = encode(prepare_frame({**columns, "y": ["p", "q", "q"] * 8}))
        found = [[feature.labels[code].as_py() for code in feature.labelled] for feature in dataset.features]
        assert (found, notes) == ([list(map(str, cells)) for cells in columns.values()], ())


def test_a_few_dates_are_no_identifiers_whether_they_are_texts_or_dates() -> None:
    days = pd.date_range("2020-01-30", periods=8)
    for cells in (days, days.strftime("%Y-%m-%d")):
        _, notes = encode(prepare_frame({"day": cells, "word": list("abcdefgh"), "y": list("pqpqpqpq")}))
        assert notes == ("a different value in every row (an identifier?): 'word'; exclude= leaves it out",)


def test_more_values_than_are_counted_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probfs.columns.encode.MOST_VALUES", 2)
    problem = "t.csv: column 'a' has 3 different values, more than the 2 that are counted; leave it out with"
    with pytest.raises(DataError) as caught:
        encode_csv("a,y\nu,p\nv,q\nw,p\n")
    assert str(caught.value) == f"{problem} exclude=, or cut or group it in a mapping"
