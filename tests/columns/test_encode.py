"""Prepared table to dataset: codes, unlabelled rows, refused targets and notes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import probfs
from probfs.columns.encode import encode
from probfs.columns.mapping_file import MappingFile
from probfs.columns.prepare import prepare
from probfs.columns.roles import ColumnChoice
from probfs.errors import DataError
from probfs.tables.readers import read_table
from probfs.tables.readers.frame import table_from_frame
from probfs.text import command_line_language
from tests.support.prepared_tables import csv_of_rows, encode_csv, prepare_csv
from tests.support.table_content import Write, read_csv_text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,y\nx,1\ny,1\n", "one class only, '1'"),
        ("a,y\nx,\ny,\n", "no row has a value in the target"),
        ("a,y\nx,1\ny,1\nx,2\n", "class '2' has one row only"),
        ("y\n1\n2\n", "no column is left to rank"),
        ("a,y\n" + "".join(f"x,{n}.5\nx,{n}.5\n" for n in range(60)), "a regression target?"),
    ],
)
def test_a_target_that_cannot_be_predicted_is_refused(write: Write, text: str, message: str) -> None:
    with pytest.raises(probfs.DataError) as caught:
        probfs.rank(write("t.csv", text), target="y")
    assert message in str(caught.value)


def test_a_long_numeric_column_is_cut_at_quantiles_and_it_is_said(write: Write) -> None:
    rows = [(n / 2, n % 3, "ab"[n > 12]) for n in range(25)]
    data = write("t.csv", "x,k,y\n" + "".join(f"{x},{k},{y}\n" for x, k, y in rows))
    ranking = probfs.rank(data, target="y")
    assert any("cut into 5 intervals at quantiles" in warning and "'x'" in warning for warning in ranking.warnings)
    cut = write("m.toml", "[columns]\nx = { cut = [2, 4.5, 7, 9.5] }\n")
    assert [f.s_s for f in probfs.rank(data, target="y", mapping=cut).features] == [f.s_s for f in ranking.features]
    assert probfs.rank(data, target="y", bins=3).features[0].s_s != ranking.features[0].s_s


def test_a_leading_zero_keeps_a_column_text(write: Write) -> None:
    text = "x,y\n" + "".join(f"{n:03},{'ab'[n % 2]}\n" for n in range(30))
    ranking = probfs.rank(write("t.csv", text), target="y", keep_identifiers=True)
    assert not any("cut at" in warning for warning in ranking.warnings)
    assert any("look like identifiers: 'x'" in warning for warning in ranking.warnings)


def test_notes_name_constant_empty_and_nearly_numeric_columns(write: Write) -> None:
    rows = "".join(f"1,,{n if n else 'none'}.5,{'ab'[n % 2]}\n" for n in range(40))
    warnings = "\n".join(probfs.rank(write("t.csv", f"same,void,near,y\n{rows}"), target="y").warnings)
    for expected in (
        "the same value in every labelled row",
        "no value in any labelled row: 'void'",
        "nearly all values are",
    ):
        assert expected in warnings


def test_declared_arff_values_count_though_never_seen(write: Write) -> None:
    body = "\n@attribute y {0,1}\n@data\nx,0\ny,0\nx,1\nx,1\ny,1\n"
    two = probfs.rank(write("a.arff", "@relation r\n@attribute a {x,y}" + body), target="y")
    three = probfs.rank(write("b.arff", "@relation r\n@attribute a {x,y,z}" + body), target="y")
    assert two.features[0].s_s != three.features[0].s_s


def test_rows_without_a_class_and_rows_of_another_file_are_the_same(write: Write) -> None:
    labelled = "a,b,y\nx,u,0\ny,v,0\nx,v,1\ny,u,1\nx,u,1\n"
    inside = probfs.rank(write("one.csv", labelled + "x,v,\ny,new,\n"), target="y", score="unlabeled")
    outside = probfs.rank(
        write("two.csv", labelled),
        target="y",
        unlabeled=[write("u.csv", "b,a\nv,x\n"), write("w.csv", "a,b\ny,new\n")],
        score="unlabeled",
    )
    assert inside.to_csv() == outside.to_csv()
    assert outside.input.unlabelled_rows == 2
    assert all(feature.s_su is not None for feature in inside.features)


def test_unlabelled_values_that_match_nothing_are_noted(write: Write) -> None:
    data = write("t.csv", "a,y\n1,p\n2,p\n1,q\n2,q\n")
    ranking = probfs.rank(data, target="y", unlabeled=[write("u.csv", "a\n" + "1.0\n2.0\n1\n" * 4)])
    assert any("most unlabelled cells hold what labelled ones do not" in warning for warning in ranking.warnings)


@pytest.mark.parametrize("classifier", ["nb", "svm"])
def test_a_few_unlabelled_cells_do_not_say_how_a_column_is_written(write: Write, classifier: str) -> None:
    data = write("t.csv", "a,y\n1,p\n2,p\n1,q\n2,q\n")
    for cells, noted in (("1.0x\n", False), ("1.0x\n" * 9 + '""\n' * 9, False), ("1.0x\n" * 10, True)):
        ranking = probfs.rank(data, target="y", unlabeled=[write("u.csv", "a\n" + cells)], classifier=classifier)
        assert any("most unlabelled cells" in warning for warning in ranking.warnings) is noted


def test_an_unlabelled_table_that_lacks_a_column_is_refused(write: Write) -> None:
    with pytest.raises(probfs.DataError, match=r"u\.csv: lacks 1 column of .*t\.csv: 'b'"):
        probfs.rank(write("t.csv", "a,b,y\nx,u,0\ny,v,0\nx,v,1\ny,u,1\n"), unlabeled=[write("u.csv", "a\nx\n")])


def test_unlabelled_values_that_no_labelled_row_holds_are_missing() -> None:
    dataset = encode_csv("a,y\nx,p\nz,q\nnew,\nz,\n", unlabelled=['a\nx\nother\n""\n'])
    (feature,) = dataset.features
    assert feature.labels.to_pylist() == ["x", "z"]
    assert feature.labelled.tolist() == [0, 1]
    assert feature.unlabelled.tolist() == [2, 1, 0, 2, 2]


def test_a_declared_value_without_a_labelled_row_is_missing_where_it_is_unlabelled(write: Write) -> None:
    arff = "@relation r\n@attribute a {x,z,w}\n@attribute y {p,q}\n@data\nx,p\nz,q\nw,?\nx,?\n"
    dataset, _ = encode(prepare(read_table(write("t.arff", arff)), MappingFile(), ColumnChoice()))
    assert dataset.features[0].labels.to_pylist() == ["x", "z", "w"]
    assert dataset.features[0].unlabelled.tolist() == [3, 0]


def test_measured_columns_have_their_numbers_once_and_in_order() -> None:
    text = "a,b,y\n2,x,p\n-0,z,q\n,x,p\n0.0,z,q\n"
    number, category = encode_csv(text, unlabelled=["a,b\n1e0,x\n2,new\n"], numbers_as_they_are=True).features
    assert number.numbers is not None
    assert number.numbers.tolist() == [0.0, 1.0, 2.0]
    assert len(number.labels) == 0
    assert (number.labelled.tolist(), number.unlabelled.tolist()) == ([2, 0, 3, 0], [1, 2])
    assert category.numbers is None
    assert (category.labelled.tolist(), category.unlabelled.tolist()) == ([0, 1, 0, 1], [0, 2])


def test_text_in_a_column_guessed_to_be_numeric_is_missing_where_it_is_unlabelled() -> None:
    (feature,) = encode_csv("a,y\n1,p\n2,q\n", unlabelled=["a\n1\nmany\n"], numbers_as_they_are=True).features
    assert feature.unlabelled.tolist() == [0, 2]


@pytest.mark.parametrize(("values", "dtype"), [(255, np.uint8), (256, np.uint16), (70_000, np.uint32)])
@pytest.mark.parametrize("measured", [False, True])
def test_codes_have_the_narrowest_type(values: int, dtype: type, measured: bool) -> None:
    letter = "" if measured else "v"
    rows = [(f"{letter}{number:05}" if letter else number, "pq"[number % 2]) for number in range(values)]
    (feature,) = encode_csv(csv_of_rows(["a", "y"], rows), numbers_as_they_are=measured, keep_identifiers=True).features
    assert feature.labelled.dtype == dtype
    assert feature.labelled.tolist() == list(range(values))


def test_rows_of_other_tables_count_by_the_same_column_or_once() -> None:
    prepared = prepare_csv("a,n,y\nx,2,p\nz,3,q\nx,5,\n", count="n")
    others = [read_csv_text("a,n\nx,7\nz,0\n"), read_csv_text("a\nx\n")]
    dataset, notes = encode(prepared, others)
    assert dataset.counts.tolist() == [2, 3]
    assert dataset.unlabelled_counts.tolist() == [5, 7, 0, 1]
    assert notes == ("t.csv: no column 'n', so each of its rows counts once",)


def test_more_values_than_are_counted_is_told_in_the_caller_s_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probfs.columns.dataset.MOST_VALUES", 2)
    text = "a,y\nu,p\nv,q\nw,p\n"
    with pytest.raises(DataError) as caught:
        encode_csv(text)
    problem = "t.csv: column 'a' has 3 different values, more than the 2 that are counted; leave it out with"
    assert str(caught.value) == f"{problem} exclude=, or cut or group it in a mapping"
    with command_line_language(), pytest.raises(DataError, match="leave it out with --exclude, or"):
        encode_csv(text)


def test_notes_name_options_in_the_caller_s_language() -> None:
    text = csv_of_rows(["when", "x", "y"], [(f"{n:02}/01/2020", n * 1.5, "pq"[n % 2]) for n in range(1, 31)])
    _, notes = encode(prepare_csv(text))
    assert notes == (
        "cut into 5 intervals at quantiles of the labelled rows (bins=, or a mapping): 'x'",
        "a different value in every row (an identifier?): 'when'; exclude= leaves it out",
    )
    with command_line_language():
        _, notes = encode(prepare_csv(text))
    assert "(--bins, or a mapping)" in notes[0]
    assert "; --exclude leaves it out" in notes[1]


def test_missing_cells_tell_rows_apart_only_in_categories_that_are_measured() -> None:
    """Naive Bayes leaves a missing cell out, so one value beside missing cells says nothing; for the SVM a category
    that is missing is a value of its own.
    """
    text = "a,k,y\nx,1,p\n,,q\nx,1,p\n,,q\n"
    _, counted = encode(prepare_csv(text))
    assert counted == ("the same value in every labelled row: 'a', 'k'",)
    _, measured = encode(prepare_csv(text, numbers_as_they_are=True))
    assert measured == ("the same value in every labelled row: 'k'",)


def test_a_table_of_identifiers_alone_is_refused_in_the_caller_s_language() -> None:
    text = csv_of_rows(["nr", "y"], [(number, "pq"[number % 2]) for number in range(30)])
    problem = "t.csv: no column is left to rank beside the target 'y' and identifiers: 'nr'"
    with pytest.raises(DataError) as caught:
        encode_csv(text)
    assert str(caught.value) == f"{problem}; keep_identifiers=True ranks them"
    with command_line_language(), pytest.raises(DataError, match="; --keep-identifiers ranks them"):
        encode_csv(text)
    assert [feature.name for feature in encode_csv(text, keep_identifiers=True).features] == ["nr"]


def test_unlabelled_tables_may_lack_an_identifier() -> None:
    text = csv_of_rows(["nr", "a", "y"], [(number, "uv"[number % 3 > 1], "pq"[number % 2]) for number in range(30)])
    assert encode_csv(text, unlabelled=["a\nu\nv\n"]).unlabelled_rows == 2


def test_a_column_that_gives_the_class_away_is_ranked_and_noted() -> None:
    rows = [("" if number % 2 else number % 5, number % 3, "pq"[number % 2]) for number in range(60)]
    dataset, notes = encode(prepare_csv(csv_of_rows(["boat", "a", "y"], rows)))
    assert [feature.name for feature in dataset.features] == ["boat", "a"]
    told = "'boat' (missing or not tells 'q' in 100.0% of rows)"
    assert notes == (f"these columns nearly give the class away (leakage?): {told}",)


def test_measurements_that_all_differ_are_no_identifiers() -> None:
    text = csv_of_rows(["size", "code", "y"], [(number / 7, f"c{number}", "pq"[number % 2]) for number in range(10)])
    _, notes = encode(prepare_csv(text))
    assert [note for note in notes if "(an identifier?)" in note] == [
        "a different value in every row (an identifier?): 'code'; exclude= leaves it out"
    ]


def test_a_few_dates_are_no_identifiers_whether_they_are_texts_or_dates() -> None:
    days = pd.date_range("2020-01-30", periods=8)
    y = ["p", "q"] * 4
    for cells in (days, days.strftime("%Y-%m-%d")):
        notes = probfs.rank(pd.DataFrame({"day": cells, "word": list("abcdefgh")}), y).warnings
        assert [note for note in notes if "identifier?" in note] == [
            "a different value in every row (an identifier?): 'word'; exclude= leaves it out"
        ]


def test_dates_are_measured_in_days_since_the_first_of_all_tables() -> None:
    days = pd.to_datetime(["2020-03-01T00:00", "2020-02-28T00:00", "2020-03-01T12:00"] * 2)
    frame = pd.DataFrame({"d": days, "y": list("abcabc")})
    prepared = prepare(table_from_frame(frame), MappingFile(), ColumnChoice("y", numbers_as_they_are=True))
    others = [read_csv_text("d,y\n2020-02-27,\n")]
    dataset, _ = encode(prepared, others)
    assert dataset.features[0].numbers is not None
    assert dataset.features[0].numbers.tolist() == [0.0, 1.0, 3.0, 3.5]


def test_a_type_of_categories_is_told_from_texts() -> None:
    frame = pd.DataFrame({"c": pd.Categorical(list("uvuv")), "t": list("uvvu"), "y": list("aabb")})
    dataset, _ = encode(prepare(table_from_frame(frame), MappingFile(), ColumnChoice("y")))
    assert {feature.name: feature.nominal for feature in dataset.features} == {"c": True, "t": False}
