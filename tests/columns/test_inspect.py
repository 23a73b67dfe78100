"""What a table holds, column by column, what a ranking would make of it, and draft mappings."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from probfs.columns.choice import ColumnChoice
from probfs.columns.encode import encode
from probfs.columns.inspect import ColumnSummary, inspect_table
from probfs.columns.mapping import ColumnMapping, parse_mapping
from probfs.columns.prepare import prepare
from probfs.columns.rules import Measured
from probfs.columns.suggest import suggest_mapping, toml_text
from probfs.tables.frames import table_in_memory
from probfs.text import is_unseen
from tests.support.tables import csv_of, csv_of_rows, prepare_csv, prepare_frame, read_bytes


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
    counted = inspect_table(prepare_csv("a,n,y\nx,1,q\nz,5,p\nx,2,\nw,0,q\n", count="n"))
    assert (counted.labelled_rows, counted.unlabelled_rows, counted.classes) == (6, 2, {"p": 5, "q": 1})
    assert counted.columns[:2] == (
        ColumnSummary("a", "text", 2, 0, "z", 5, "category"),
        ColumnSummary("n", "number", 3, 0, "5", 5, "count (count=)"),
    )


def test_of_a_column_that_cannot_be_ranked_kind_and_missing_cells_are_known() -> None:
    frame = pd.DataFrame({"l": [[1], None, [2]], "b": [b"x", b"y", None], "x": [1, 1, 2], "y": ["p", "q", "p"]})
    left_out = inspect_table(prepare_frame(frame, exclude=["l", "b"]))
    assert left_out.columns[:2] == (
        ColumnSummary("l", "nested", 0, 1, None, 0, "left out (exclude=)"),
        ColumnSummary("b", "other", 0, 1, None, 0, "left out (exclude=)"),
    )
    assert left_out.notes == ()
    ranked = inspect_table(prepare_frame(frame))
    assert [column.flags for column in ranked.columns] == [("refused",), ("refused",), (), ()]


def test_what_the_file_declares_is_its_kind() -> None:
    arff = b"@relation r\n@attribute a {1,2}\n@attribute b numeric\n@attribute y {p,q}\n@data\n1,2,p\n2,2,q\n"
    inspection = inspect_table(prepare(read_bytes(arff, "t.arff"), ColumnMapping(), ColumnChoice()))
    assert [column.kind for column in inspection.columns] == ["nominal", "number", "nominal"]
    days = pd.to_datetime(["2020-01-01", "2020-01-02"])
    assert inspect_table(prepare_frame({"when": days, "y": ["p", "q"]})).columns[0].kind == "date"


@pytest.mark.parametrize("measured", [False, True])
def test_what_rank_would_refuse_is_a_note_with_the_line(measured: bool) -> None:
    text = "a,b,c,d,y\nx,1,u,1e-3,p\nz,many,g,1e,q\n"
    mapping = '[columns]\na = { cut = [1] }\nb = "numeric"\nc = { groups = { g = ["u"] } }\nd = "number"\n'
    notes = inspect_table(prepare_csv(text, mapping, numbers_as_they_are=measured)).notes
    assert [note.split(";")[0] for note in notes] == [
        "rank would refuse this: t.csv:2: column 'a': 'x' is not a number",
        "rank would refuse this: t.csv:3: column 'b': 'many' is not a number",
        "rank would refuse this: t.csv:3: column 'c': 'g' is the name of a group but in none",
        "rank would refuse this: t.csv:3: column 'd': '1e' is not a number",
    ]


def test_what_to_look_at_before_ranking_is_flagged() -> None:
    cells = [(n, "" if n % 2 else n % 5, "k", "", "ab"[n % 3 > 1], "pq"[n % 2]) for n in range(60)]
    text = csv_of_rows(["nr", "boat", "same", "void", "a", "y"], cells)
    leak = "leakage? whether boat is missing gives y away: 60 of 60 rows"

    def flags(text: str, **choice: Any) -> list[tuple[str, ...]]:
        return [column.flags for column in inspect_table(prepare_csv(text, **choice)).columns]

    assert flags(text) == [("identifier",), (leak,), ("constant",), ("empty",), (), ()]
    assert flags(text, missing="auto")[1] == (leak, "missing cells tell the class")
    assert flags(text, keep_identifiers=True)[0] == ("identifier? numbers the rows from 0 on",)
    # Only labelled rows make a constant or an empty column.
    assert flags("a,b,c,y\nx,x,,p\nx,,,q\nz,x,1,\n") == [("constant",), (), ("empty",), ()]
    codes = csv_of_rows("ay", [(-999 if n < 5 else n, "pq"[n % 2]) for n in range(40)])
    assert flags(codes) == [("missing? -999 in 5 rows",), ()]
    kept = inspect_table(prepare_csv(text, keep_identifiers=True))
    assert kept.columns[0].use == "5 intervals at quantiles (60 numbers)"
    assert kept.notes[-1].startswith("one column alone nearly gives the class away (leakage?): whether boat is missing")


# Draft mappings: identifiers dropped, numbers cut, rare values grouped, and always accepted by rank


Cell = Callable[[int], object]
CELL = st.one_of(st.none(), st.integers(0, 40).map(str), st.text(max_size=4))


@settings(max_examples=60)
@given(
    st.lists(st.text(min_size=1, max_size=5).filter(str.strip), min_size=2, max_size=4, unique=True),
    st.lists(st.lists(CELL, min_size=4, max_size=4), min_size=3, max_size=40),
)
@example(["a", "y"], [["u", "0", None, None], ["v", "1", None, None], ["u", "INF", None, None]])
def test_what_suggest_writes_is_accepted_for_any_table(names: list[str], rows: list[list[str | None]]) -> None:
    columns = {name: [row[position] for row in rows] for position, name in enumerate(names)}
    table = table_in_memory(pd.DataFrame(columns, dtype=object), "data")
    prepared = prepare(table, parse_mapping(b""), ColumnChoice(na=("?",)))
    mapping = parse_mapping(suggest_mapping(prepared, "nb").encode())
    again = prepare(table, mapping, ColumnChoice())
    assert not any(isinstance(plan.rule, Measured) for plan in again.features)
    if len(again.target.classes) > 1 < max(again.target.class_rows):
        encode(again)


def rows(*columns: Cell, number: int = 200) -> str:
    return csv_of(number, **{f"c{position}": cell for position, cell in enumerate(columns)})


def rare(number: int, total: int) -> str:
    """Two values in so many rows of all, and another."""
    return rows(lambda n: "uvw"[min(n // number, 2)], number=total)


def singles(number: int, name: str = "v") -> str:
    """So many values in one row each, and another."""
    return rows(lambda n: f"v{n}" if n < number else name)


def quantity(number: int) -> str:
    return csv_of(a=lambda n: n % 3, y=[min(n, 59) + 0.5 for n in range(number)])


HALVES, NUMBERED, NAMED = rows(lambda n: n * 0.5), rows(lambda n: n), rows(lambda n: f"text {n}")
KEYS = csv_of(200, a_id=lambda n: n * 7 % 1000, b=lambda n: n % 3)
CODED, WORDS = rows(lambda n: n * 0.5 if n % 40 else -999), rows(lambda n: ("None", "Some", "Marked")[n % 3])
GAPS = rows(lambda n: {7: "inf", 8: "NA"}.get(n, n * 0.5), lambda n: "NA" if n % 2 else "x", lambda n: n or "-")
MEASURED = {"numbers_as_they_are": True}
KEPT, NUMBER = "[columns]\n\n# Left as they are:\n# c0: ", '"c0" = "number"  # numbers the rows from 0 on\n'
FEW, NOTHING, THEN = "  # 2 values in few rows each\n", "missing = []\n", "it, then: probfs rank …"


@pytest.mark.parametrize(
    ("text", "choice", "lines"),
    [
        # Numbers are cut.
        (HALVES, {"bins": 2}, '[columns]\n"c0" = { quantiles = 2 }  # 200 values; now (-inf,49.5] (49.5,inf)\n'),
        (HALVES, MEASURED, f"{KEPT}number, 200 values\n"),
        # Rare values are grouped: those in fewer than five rows or a hundredth, listed up to six.
        (rare(4, 90), {}, f'"c0" = {{ groups = {{ "rare" = ["u", "v"] }} }}{FEW}'),
        (rare(5, 90), {}, f"{KEPT}text, 3 values\n"),
        (rare(9, 1000), {}, f'"c0" = {{ groups = {{ "rare" = ["u", "v"] }} }}{FEW}'),
        (rare(10, 1000), {}, f"{KEPT}text, 3 values\n"),
        (singles(2, "rare"), {}, f'"c0" = {{ groups = {{ "rare_" = ["v0", "v1"] }} }}{FEW}'),
        (singles(6), {}, '"rare" = ["v0", "v1", "v2", "v3", "v4", "v5"] } }  # 6 values in few rows each\n'),
        (singles(7), {}, '"c0" = { min_count = 5 }  # 7 values in fewer than 5 rows each\n'),
        (singles(1), {}, f"{KEPT}text, 2 values\n"),
        # Identifiers are dropped, but not if they are all there is.
        (KEYS, {}, 'drop = [\n    "a_id",  # named like an identifier, 200 values in 200 rows\n]\n'),
        (NAMED, {}, 'drop = []\n\n# Texts that mean "not known", besides the empty cell.\n'),
        (NAMED, {}, '"c0" = "category"  # text that is different in nearly every row, 200 values in 200 rows\n'),
        (NUMBERED, {}, NUMBER),
        # What gives the class away is commented on.
        (rows(lambda n: "" if n % 2 else n % 3), {}, "# whether c0 is missing gives y away: 200 of 200 rows\n"),
        # The command names what else was said.
        (HALVES, {}, f"{THEN} --mapping THIS_FILE\n"),
        (HALVES, {**MEASURED, "ignore_case": True}, f"{THEN} --classifier svm --ignore-case --mapping THIS_FILE\n"),
        ("x;y\n1,5;p\n2;q\n", {"decimal": ","}, f"{THEN} --decimal , --mapping THIS_FILE\n"),
        # A target that is a quantity is cut; where the largest number is the most frequent one, below that.
        (quantity(60), {}, '[columns]\n"y" = { quantiles = 2 }  # 60 distinct numbers: a regression target? Cut into'),
        (quantity(130), {}, '[columns]\n"y" = { quantiles = 3 }  # 60 distinct numbers'),
        (quantity(2060), {}, '[columns]\n"y" = { cut = [58.5] }  # 60 distinct numbers'),
        (csv_of(c0=["u", "v"] * 30, y=[f"k{n}" for n in range(60)]), {}, f"{KEPT}text, 2 values\n"),
        # Texts that look missing are written down unless they are values elsewhere, or classes; and infinite numbers.
        (GAPS, {}, 'missing = [\n    "NA",  # in c0, c1\n    "-",  # in c2\n    "inf",  # infinite\n]'),
        (GAPS, {"na": ["none"]}, NOTHING),
        (rows(lambda n: n or "-", lambda n: "+-"[n % 2]), {}, NOTHING),
        (csv_of(60, a=lambda n: n or "NA", y=lambda n: "NA" if n % 2 else "x"), {}, NOTHING),
        (WORDS, {}, 'missing = [\n    # "None",  # in c0: missing, or a value?\n]'),
        (WORDS, {"na": ["None"]}, 'missing = [\n    "None",  # na=\n]'),
        (CODED, {}, 'missing = [\n    # "-999",  # in c0: missing, or a value?\n]'),
        (rows(lambda n: "inf" if n % 21 == 20 else n % 21), {}, 'missing = [\n    "inf",  # infinite\n]'),
        (rows(lambda n: "inf" if n % 20 == 19 else n % 20), {}, NOTHING),
    ],
)
def test_a_draft_says_what_rank_takes(text: str, choice: dict[str, Any], lines: str) -> None:
    prepared = prepare_csv(text, **choice)
    drafted = suggest_mapping(prepared, "svm" if choice.get("numbers_as_they_are") else "nb")
    assert lines in drafted
    again = prepare_csv(text, drafted, **{name: choice[name] for name in choice if name != "na"})
    assert [plan.name for plan in again.features] == [plan.name for plan in prepared.features or again.features]
    assert len(again.target.classes) == 2 or not prepared.target.quantity


def test_columns_that_cannot_be_ranked_are_dropped() -> None:
    frame = pd.DataFrame({"id": range(40), "tags": [[1]] * 40, "y": ["p", "q"] * 20})
    for names in (["id", "tags", "y"], ["tags", "y"]):
        text = suggest_mapping(prepare_frame(frame[names]), "nb")
        assert tomllib.loads(text)["drop"] == ["tags"]
        assert '"tags",  # holds list<' in text


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
def test_any_text_is_written_as_toml(text: str) -> None:
    written = toml_text(text)
    assert tomllib.loads(f"key = {written}")["key"] == text
    assert not any(map(is_unseen, written))
