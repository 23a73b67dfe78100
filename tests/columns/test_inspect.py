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
from probfs.columns.rules import Category, Cut, Frequent, Groups, Measured, Numeric, Quantiles, Rule
from probfs.columns.suggest import suggest_mapping, toml_text
from probfs.tables.frames import table_in_memory
from probfs.text import is_unseen
from tests.support.tables import csv_of, csv_of_rows, prepare_csv, prepare_frame, read_bytes, read_csv_text


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


def test_what_the_file_declares_is_its_kind() -> None:
    arff = b"@relation r\n@attribute a {1,2}\n@attribute b numeric\n@attribute y {p,q}\n@data\n1,2,p\n2,2,q\n"
    inspection = inspect_table(prepare(read_bytes(arff, "t.arff"), ColumnMapping(), ColumnChoice()))
    assert [column.kind for column in inspection.columns] == ["nominal", "number", "nominal"]
    days = pd.to_datetime(["2020-01-01", "2020-01-02"])
    assert inspect_table(prepare_frame({"when": days, "y": ["p", "q"]})).columns[0].kind == "date"


@pytest.mark.parametrize("measured", [False, True])
def test_what_rank_would_refuse_is_a_note_with_the_line(measured: bool) -> None:
    text = "a,b,c,y\nx,1,u,p\nz,many,g,q\n"
    mapping = '[columns]\na = { cut = [1] }\nb = "numeric"\nc = { groups = { g = ["u"] } }\n'
    notes = inspect_table(prepare_csv(text, mapping, numbers_as_they_are=measured)).notes
    assert [note.split(";")[0] for note in notes] == [
        "rank would refuse this: t.csv:2: column 'a': 'x' is not a number",
        "rank would refuse this: t.csv:3: column 'b': 'many' is not a number",
        "rank would refuse this: t.csv:3: column 'c': 'g' is the name of a group but in none",
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


def draft(text: str, classifier: str = "nb", **choice: Any) -> str:
    return suggest_mapping(prepare_csv(text, **choice), classifier)


def suggest(text: str, **choice: Any) -> ColumnMapping:
    """The suggested mapping, read back."""
    return parse_mapping(draft(text, **choice).encode())


def rows(*columns: Cell) -> str:
    return csv_of(200, **{f"c{position}": cell for position, cell in enumerate(columns)})


@pytest.mark.parametrize(
    ("cells", "choice", "expected"),
    [
        ([lambda n: n * 0.5], {"bins": 4}, {"c0": Quantiles(4)}),
        ([lambda n: "common" if n > 5 else f"v{n % 3}"], {}, {"c0": Groups({"rare": ("v0", "v1", "v2")})}),
        ([lambda n: "rare" if n > 5 else f"v{n % 2}"], {}, {"c0": Groups({"rare_": ("v0", "v1")})}),
        ([lambda n: "common" if n > 50 else f"v{n % 25}"], {}, {"c0": Frequent(5)}),
        # Six rare values are listed, and more are counted; one stays what it is.
        ([lambda n: f"v{min(n, 6)}"], {}, {"c0": Groups({"rare": tuple(f"v{n}" for n in range(6))})}),
        ([lambda n: f"v{min(n, 7)}"], {}, {"c0": Frequent(5)}),
        ([lambda n: f"v{min(n, 1)}"], {}, {}),
        ([lambda n: n * 0.5, lambda n: n % 3], {"numbers_as_they_are": True}, {}),
        # A mapping that would drop everything names what it keeps.
        ([lambda n: f"text {n}"], {}, {"c0": Category()}),
        ([lambda n: n], {}, {"c0": Numeric()}),
        ([lambda n: n], {"numbers_as_they_are": True}, {"c0": Numeric()}),
    ],
)
def test_numbers_are_cut_and_rare_values_grouped(
    cells: list[Cell], choice: dict[str, Any], expected: dict[str, Rule]
) -> None:
    mapping = suggest(rows(*cells), **choice)
    assert (mapping.drop, mapping.columns) == ((), expected)
    again = prepare(read_csv_text(rows(*cells)), mapping, ColumnChoice(**choice))
    assert len(again.features) == len(cells)


@pytest.mark.parametrize(
    ("number", "total", "rare"), [(4, 90, True), (5, 90, False), (9, 1000, True), (10, 1000, False)]
)
def test_rare_values_are_in_fewer_than_five_rows_or_a_hundredth(number: int, total: int, rare: bool) -> None:
    text = csv_of(total, x=lambda n: "uvw"[min(n // number, 2)])
    assert ('"rare" = ["u", "v"]' in draft(text)) is rare


def test_the_command_in_a_draft_names_what_else_was_said() -> None:
    text = rows(lambda n: n * 0.5)
    measured = draft(text, "svm", numbers_as_they_are=True, ignore_case=True)
    assert "probfs rank … --classifier svm --ignore-case --mapping THIS_FILE" in measured
    assert "probfs rank … --mapping THIS_FILE" in draft(text)
    commas = suggest_mapping(prepare_frame({"x": ["1,5", "2"], "y": ["p", "q"]}, decimal=","), "nb")
    assert "probfs rank … --decimal , --mapping THIS_FILE" in commas


def test_what_stays_and_what_gives_the_class_away_is_commented_on() -> None:
    assert "# whether c0 is missing gives y away: 200 of 200 rows\n" in draft(rows(lambda n: "" if n % 2 else n % 3))
    honest = draft(rows(lambda n: n % 3, lambda n: n * 0.5))
    assert "Leakage?" not in honest
    assert "# Left as they are:\n# c0: number, 3 values\n" in honest
    assert '"c1" = { quantiles = 5 }  # 200 values; now (-inf,19.5] (19.5,39.5] ' in honest


def test_identifiers_and_columns_that_cannot_be_ranked_are_dropped() -> None:
    assert suggest(csv_of(200, customer_id=lambda n: n * 7 % 1000, a=lambda n: n % 3)).drop == ("customer_id",)
    frame = pd.DataFrame({"id": range(40), "tags": [[1]] * 40, "y": ["p", "q"] * 20})
    for names in (["id", "tags", "y"], ["tags", "y"]):
        text = suggest_mapping(prepare_frame(frame[names]), "nb")
        assert tomllib.loads(text)["drop"] == ["tags"]
        assert '"tags",  # holds list<' in text


@pytest.mark.parametrize(
    ("cells", "rule"),
    [
        ([n * 1.5 for n in range(60)], Quantiles(2)),
        ([f"k{n}" for n in range(60)], None),
        # Where the largest number is the most frequent one, there are still two classes.
        ([min(n, 59) + 0.5 for n in range(130)], Quantiles(3)),
        ([min(n, 59) + 0.5 for n in range(2060)], Cut((58.5,))),
    ],
)
def test_a_target_that_is_a_quantity_is_cut_and_one_of_many_names_is_not(cells: list[object], rule: Rule) -> None:
    text = csv_of(a=lambda n: n % 3, y=cells)
    assert suggest(text).columns.get("y") == rule
    if rule is not None:
        assert len(prepare(read_csv_text(text), suggest(text), ColumnChoice()).target.classes) == 2


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
def test_any_text_is_written_as_toml(text: str) -> None:
    written = toml_text(text)
    assert tomllib.loads(f"key = {written}")["key"] == text
    assert not any(map(is_unseen, written))


@pytest.mark.parametrize(
    ("cells", "na", "lines", "missing"),
    [
        (
            [lambda n: "NA" if n == 7 else n * 0.5, lambda n: "NA" if n % 2 else "x", lambda n: n or "-"],
            [],
            '    "NA",  # in c0, c1\n    "-",  # in c2\n',
            ("NA", "-"),
        ),
        ([lambda n: "NA" if n == 7 else n * 0.5], ["none"], "missing = []\n", ()),
        ([lambda n: n or "-", lambda n: "+-"[n % 2]], [], "missing = []\n", ()),
        ([lambda n: ("None", "Some", "Marked")[n % 3]], [], '    # "None",  # in c0: missing, or a value?\n', ()),
        ([lambda n: -999 if n % 40 == 0 else n * 0.5], [], '    # "-999",  # in c0: missing, or a value?\n', ()),
        ([lambda n: -999 if n % 40 == 0 else n * 0.5], ["-999"], '    "-999",  # na=\n', ("-999",)),
        ([lambda n: ("None", "Some", "Marked")[n % 3]], ["None"], '    "None",  # na=\n', ("None",)),
        # Infinite numbers can be counted if they are few, but not cut.
        ([lambda n: {7: "inf", 8: "NA"}.get(n, n * 0.5)], ["NA"], '    "inf",  # infinite\n', ("NA", "inf")),
        ([lambda n: "inf" if n % 21 == 20 else n % 21], [], '    "inf",  # infinite\n', ("inf",)),
        ([lambda n: "inf" if n % 20 == 19 else n % 20], [], "missing = []\n", ()),
    ],
)
def test_texts_that_look_missing_are_written_down_unless_they_are_values_elsewhere(
    cells: list[Cell], na: list[str], lines: str, missing: tuple[str, ...]
) -> None:
    drafted = draft(rows(*cells), na=na)
    assert lines in drafted
    assert parse_mapping(drafted.encode()).missing == missing


def test_a_class_is_not_called_missing() -> None:
    assert suggest(csv_of(60, a=lambda n: n or "NA", y=lambda n: "NA" if n % 2 else "x")).missing == ()
