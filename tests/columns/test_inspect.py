"""What a table holds, column by column, and what a ranking would make of it."""

from __future__ import annotations

import pandas as pd

from probfs.columns.inspect import ColumnSummary, inspect_table, kind_of
from probfs.tables.reading import read_table
from tests.support.prepared_tables import csv_of_rows, prepare_csv, prepare_frame
from tests.support.table_content import Write


def test_rows_classes_and_columns_are_counted() -> None:
    inspection = inspect_table(prepare_csv("id,a,y\n1,x,q\n2,,p\n3,x,q\n4,z,\n", exclude=["id"]))
    assert (inspection.source, inspection.target, inspection.target_reason) == ("t.csv", "y", "the last column")
    assert (inspection.labelled_rows, inspection.unlabelled_rows) == (3, 1)
    assert inspection.classes == {"p": 1, "q": 2}
    assert inspection.columns == (
        ColumnSummary("id", "number", 4, 0, "1", 1, "left out (exclude=)"),
        ColumnSummary("a", "text", 2, 1, "x", 2, "category"),
        ColumnSummary("y", "text", 2, 1, "q", 2, "target (the last column)"),
    )


def test_rows_count_as_often_as_they_stand_for() -> None:
    inspection = inspect_table(prepare_csv("a,n,y\nx,1,q\nz,5,p\nx,2,\nw,0,q\n", count="n"))
    assert (inspection.labelled_rows, inspection.unlabelled_rows) == (6, 2)
    assert inspection.classes == {"p": 5, "q": 1}
    (summary, counts, _) = inspection.columns
    assert (summary.distinct, summary.most_frequent, summary.frequency) == (2, "z", 5)
    assert counts.use == "count (count=)"


def test_of_a_column_that_cannot_be_ranked_kind_and_missing_cells_are_known() -> None:
    frame = pd.DataFrame({"l": [[1], None, [2]], "b": [b"x", b"y", None], "y": ["p", "q", "p"]})
    left_out = inspect_table(prepare_frame(frame, exclude=["l", "b"]))
    assert left_out.columns[:2] == (
        ColumnSummary("l", "nested", 0, 1, None, 0, "left out (exclude=)"),
        ColumnSummary("b", "other", 0, 1, None, 0, "left out (exclude=)"),
    )
    assert left_out.notes == ()
    used = inspect_table(prepare_frame(frame))
    refused = "rank would refuse this: <frame>: column '{}' holds {}, which cannot be ranked; "
    expected = [refused.format("l", "list<item: int64>"), refused.format("b", "binary")]
    assert [note[: len(start)] for note, start in zip(used.notes, expected, strict=True)] == expected


def test_what_the_file_declares_is_its_kind(write: Write) -> None:
    arff = "@relation r\n@attribute a {1,2}\n@attribute b numeric\n@data\n1,2\n"
    kinds = [kind_of(column) for column in read_table(write("t.arff", arff)).columns.values()]
    assert kinds == ["nominal", "number"]
    days = pd.to_datetime(["2020-01-01", "2020-01-02"])
    assert inspect_table(prepare_frame({"when": days, "y": ["p", "q"]})).columns[0].kind == "date"


def test_what_rank_would_refuse_is_a_note_with_the_line() -> None:
    text = "a,b,c,y\nx,1,u,p\nz,many,g,q\n"
    mapping = '[columns]\na = { cut = [1] }\nb = "numeric"\nc = { groups = { g = ["u"] } }\n'
    for measured in (False, True):
        notes = inspect_table(prepare_csv(text, mapping, numbers_as_they_are=measured)).notes
        assert [note.split(";")[0] for note in notes] == [
            "rank would refuse this: t.csv:2: column 'a': 'x' is not a number",
            "rank would refuse this: t.csv:3: column 'b': 'many' is not a number",
            "rank would refuse this: t.csv:3: column 'c': 'g' is the name of a group but in none",
        ]


def test_identifiers_leakage_constants_and_empty_columns_are_flagged() -> None:
    cells = [(n, "" if n % 2 else n % 5, "k", "", "ab"[n % 3 > 1], "pq"[n % 2]) for n in range(60)]
    text = csv_of_rows(["nr", "boat", "same", "void", "a", "y"], cells)
    leak = "leakage? whether boat is missing gives y away: 60 of 60 rows"
    flags = {column.column: column.flags for column in inspect_table(prepare_csv(text)).columns}
    assert flags == {
        "nr": ("identifier",),
        "boat": (leak,),
        "same": ("constant",),
        "void": ("empty",),
        "a": (),
        "y": (),
    }
    kept = inspect_table(prepare_csv(text, keep_identifiers=True))
    assert kept.columns[0].use == "5 intervals at quantiles (60 numbers)"
    assert kept.columns[0].flags == ("identifier? numbers the rows from 0 on",)
    assert kept.notes[-1].startswith("one column alone nearly gives the class away (leakage?): whether boat is missing")


def test_only_labelled_rows_make_a_constant_or_an_empty_column() -> None:
    columns = inspect_table(prepare_csv("a,b,c,y\nx,x,,p\nx,,,q\nz,x,1,\n")).columns
    assert [column.flags for column in columns] == [("constant",), (), ("empty",), ()]


def test_missing_cells_that_tell_the_class_are_flagged() -> None:
    rows = [("x" if number < 40 else "", number % 3, "pq"[number >= 40]) for number in range(80)]
    boat, a, _ = inspect_table(prepare_csv(csv_of_rows(["boat", "a", "y"], rows), missing="auto")).columns
    assert ("missing cells tell the class" in boat.flags, a.flags) == (True, ())
