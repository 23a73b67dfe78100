"""Draft mappings: identifiers dropped, numbers cut, rare values grouped, and always accepted by rank."""

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
from probfs.columns.mapping import ColumnMapping, parse_mapping
from probfs.columns.prepare import prepare
from probfs.columns.rules import Category, Cut, Frequent, Groups, Measured, Numeric, Quantiles, Rule
from probfs.columns.suggest import suggest_mapping, toml_text
from probfs.tables.frames import table_in_memory
from probfs.text import is_unseen
from tests.support.prepared_tables import csv_of_rows, prepare_csv, prepare_frame
from tests.support.table_content import read_csv_text

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


def suggest(text: str, classifier: str = "nb", **choice: Any) -> ColumnMapping:
    """The suggested mapping, read back."""
    return parse_mapping(suggest_mapping(prepare_csv(text, **choice), classifier).encode())


def rows(*columns: Cell, number: int = 200) -> str:
    names = [*(f"c{position}" for position in range(len(columns))), "y"]
    return csv_of_rows(names, [[*(cell(n) for cell in columns), "pq"[n % 2]] for n in range(number)])


@pytest.mark.parametrize(
    ("cells", "choice", "expected"),
    [
        ([lambda n: n * 0.5], {"bins": 4}, {"c0": Quantiles(4)}),
        ([lambda n: "common" if n > 5 else f"v{n % 3}"], {}, {"c0": Groups({"rare": ("v0", "v1", "v2")})}),
        ([lambda n: "rare" if n > 5 else f"v{n % 2}"], {}, {"c0": Groups({"rare_": ("v0", "v1")})}),
        ([lambda n: "common" if n > 50 else f"v{n % 25}"], {}, {"c0": Frequent(5)}),
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


def test_identifiers_are_dropped() -> None:
    assert suggest(rows(lambda n: n * 7 % 1000, lambda n: n % 3).replace("c0", "customer_id", 1)).drop == (
        "customer_id",
    )


def test_the_command_in_a_draft_names_the_classifier_and_the_decimal_comma() -> None:
    text = rows(lambda n: n * 0.5)
    prepared = prepare_csv(text, numbers_as_they_are=True)
    assert "probfs rank … --classifier svm --mapping THIS_FILE" in suggest_mapping(prepared, "svm")
    assert "probfs rank … --mapping THIS_FILE" in suggest_mapping(prepare_csv(text), "nb")
    commas = prepare_frame({"x": ["1,5", "2"], "y": ["p", "q"]}, decimal=",")
    assert "probfs rank … --decimal , --mapping THIS_FILE" in suggest_mapping(commas, "nb")


def test_columns_that_give_the_class_away_are_commented_on() -> None:
    drafted = suggest_mapping(prepare_csv(rows(lambda n: "" if n % 2 else n % 3)), "nb")
    assert "# whether c0 is missing gives y away: 200 of 200 rows\n" in drafted
    honest = suggest_mapping(prepare_csv(rows(lambda n: n % 3, lambda n: n * 0.5)), "nb")
    assert "Leakage?" not in honest
    assert "# Left as they are:\n# c0: number, 3 values\n" in honest
    assert '"c1" = { quantiles = 5 }  # 200 values; now (-inf,19.5] (19.5,39.5] ' in honest


def test_columns_that_cannot_be_ranked_are_dropped() -> None:
    frame = pd.DataFrame({"id": range(40), "tags": [[1]] * 40, "y": ["p", "q"] * 20})
    for names in (["id", "tags", "y"], ["tags", "y"]):
        text = suggest_mapping(prepare_frame(frame[names]), "nb")
        assert tomllib.loads(text)["drop"] == ["tags"]
        assert '"tags",  # holds list<' in text


def test_a_target_that_is_a_quantity_is_cut_and_one_of_many_names_is_not() -> None:
    assert suggest(csv_of_rows(["a", "y"], [(n % 3, n * 1.5) for n in range(60)])).columns["y"] == Quantiles(2)
    assert "y" not in suggest(csv_of_rows(["a", "y"], [(n % 3, f"k{n}") for n in range(60)])).columns
    for same, rule in ((70, Quantiles(3)), (2000, Cut((58.5,)))):
        # Where the largest number is the most frequent one, there are still two classes.
        text = csv_of_rows(["a", "y"], [(n % 3, min(n, 59) + 0.5) for n in range(60 + same)])
        assert suggest(text).columns["y"] == rule
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
        ([lambda n: {7: "inf", 8: "NA"}.get(n, n * 0.5)], ["NA"], '    "inf",  # infinite\n', ("NA", "inf")),
    ],
)
def test_texts_that_look_missing_are_written_down_unless_they_are_values_elsewhere(
    cells: list[Cell], na: list[str], lines: str, missing: tuple[str, ...]
) -> None:
    draft = suggest_mapping(prepare_csv(rows(*cells), na=na), "nb")
    assert lines in draft
    assert parse_mapping(draft.encode()).missing == missing


def test_a_class_is_not_called_missing() -> None:
    classes = csv_of_rows(["a", "y"], [(n or "NA", "NA" if n % 2 else "x") for n in range(60)])
    assert suggest(classes).missing == ()
