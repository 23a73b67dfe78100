"""Draft mappings: identifiers dropped, numbers cut, rare values grouped, and always accepted by rank."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probfs.columns.mapping_file import MOST_BYTES, MappingFile, parse_mapping
from probfs.columns.prepare import prepare
from probfs.columns.roles import ColumnChoice
from probfs.columns.rules import Groups, Measured, Quantiles
from probfs.columns.suggestion import suggest_mapping, toml_text
from probfs.tables.readers.frame import table_from_frame
from probfs.text import is_unseen
from tests.support.prepared_tables import csv_of_rows, prepare_csv

CELL = st.one_of(st.none(), st.integers(0, 40).map(str), st.text(max_size=4))


@settings(max_examples=60)
@given(
    st.lists(st.text(min_size=1, max_size=5).filter(str.strip), min_size=2, max_size=4, unique=True),
    st.lists(st.lists(CELL, min_size=4, max_size=4), min_size=3, max_size=40),
)
def test_what_suggest_writes_is_accepted_for_any_table(names: list[str], rows: list[list[str | None]]) -> None:
    columns = {name: [row[position] for row in rows] for position, name in enumerate(names)}
    table = table_from_frame(pd.DataFrame(columns, dtype=object))
    prepared = prepare(table, parse_mapping(b""), ColumnChoice(na=("?",)))
    mapping = parse_mapping(suggest_mapping(prepared, "nb").encode())
    again = prepare(table, mapping, ColumnChoice())
    for plan in again.features:
        assert not isinstance(plan.rule, Measured)
        again.learn(again.table.columns[plan.name], plan.rule)


def suggest(text: str, classifier: str = "nb", **choice: Any) -> MappingFile:
    """The suggested mapping, read back."""
    return parse_mapping(suggest_mapping(prepare_csv(text, **choice), classifier).encode())


def rows(*columns: Callable[[int], object], number: int = 200) -> str:
    names = [*(f"c{position}" for position in range(len(columns))), "y"]
    return csv_of_rows(names, [[*(cell(n) for cell in columns), "pq"[n % 2]] for n in range(number)])


@pytest.mark.parametrize(
    ("name", "cell", "dropped"),
    [
        ("customer_id", lambda n: n * 7 % 1000, True),
        ("rowNum", lambda n: n + 5, True),
        ("userId", lambda n: n * 1.5, True),
        ("note", lambda n: f"text {n}", True),
        ("dose", lambda n: n * 1.5, False),
        ("valid", lambda n: n * 1.5, False),
        ("period", lambda n: n % 12, False),
        ("customer_id", lambda n: n % 15, False),
        ("colour", lambda n: f"colour {n % 40}", False),
    ],
)
def test_identifiers_are_dropped_by_name_or_because_they_tell_every_row(
    name: str, cell: Callable[[int], object], dropped: bool
) -> None:
    text = rows(cell, lambda n: n % 3).replace("c0", name, 1)
    assert suggest(text).drop == ((name,) if dropped else ())


def test_a_mapping_that_would_drop_everything_drops_nothing() -> None:
    assert suggest(rows(lambda n: f"text {n}")).drop == ()


def test_long_numeric_columns_are_cut_and_rare_values_grouped() -> None:
    mapping = suggest(rows(lambda n: n * 0.5, lambda n: "common" if n > 5 else f"v{n % 3}"), bins=4)
    assert mapping.columns == {"c0": Quantiles(4), "c1": Groups({"rare": ("v0", "v1", "v2")})}


def test_the_name_of_the_group_of_rare_values_is_free() -> None:
    mapping = suggest(rows(lambda n: "rare" if n > 5 else f"v{n % 2}"))
    assert mapping.columns == {"c0": Groups({"rare_": ("v0", "v1")})}


def test_numbers_are_left_as_they_are_for_a_classifier_that_measures() -> None:
    text = rows(lambda n: n * 0.5, lambda n: n % 3)
    assert suggest(text, "svm", numbers_as_they_are=True).columns == {}
    prepared = prepare_csv(text, numbers_as_they_are=True)
    assert "probfs rank … --classifier svm --mapping THIS_FILE" in suggest_mapping(prepared, "svm")
    assert "probfs rank … --mapping THIS_FILE" in suggest_mapping(prepare_csv(text), "nb")


def test_infinite_numbers_are_called_missing_beside_the_texts_that_were_given() -> None:
    text = rows(lambda n: "inf" if n == 7 else "NA" if n == 8 else n * 0.5)
    mapping = suggest(text, na=["NA"])
    assert mapping.missing == ("NA", "inf")
    assert mapping.columns == {"c0": Quantiles(5)}


def test_a_target_that_is_a_quantity_is_cut_and_one_of_many_names_is_not() -> None:
    assert suggest(csv_of_rows(["a", "y"], [(n % 3, n * 1.5) for n in range(60)])).columns["y"] == Quantiles(2)
    assert "y" not in suggest(csv_of_rows(["a", "y"], [(n % 3, f"k{n}") for n in range(60)])).columns


def test_very_many_rare_values_do_not_make_a_mapping_that_is_too_large() -> None:
    long_names = rows(lambda n: "common" if n > 150 else f"{n % 20}" + "x" * 200_000)
    assert len(suggest_mapping(prepare_csv(long_names), "nb")) < MOST_BYTES


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
def test_any_text_is_written_as_toml(text: str) -> None:
    written = toml_text(text)
    assert tomllib.loads(f"key = {written}")["key"] == text
    assert not any(map(is_unseen, written))


def test_texts_that_look_missing_are_written_down_with_their_columns() -> None:
    text = rows(lambda n: "NA" if n == 7 else n * 0.5, lambda n: "NA" if n % 2 else "x", lambda n: n or "-")
    draft = suggest_mapping(prepare_csv(text), "nb")
    assert '    "NA",  # in c0, c1\n    "-",  # in c2\n' in draft
    assert parse_mapping(draft.encode()).missing == ("NA", "-")
    assert suggest(text, na=["none"]).missing == ()


def test_a_text_that_is_a_value_elsewhere_is_not_called_missing() -> None:
    assert suggest(rows(lambda n: n or "-", lambda n: "+-"[n % 2])).missing == (), "a sign"
    classes = csv_of_rows(["a", "y"], [(n or "NA", "NA" if n % 2 else "x") for n in range(60)])
    assert suggest(classes).missing == (), "a class"


def test_none_is_left_to_the_reader() -> None:
    text = rows(lambda n: ("None", "Some", "Marked")[n % 3])
    draft = suggest_mapping(prepare_csv(text), "nb")
    assert '    # "None",  # in c0: missing, or a value?\n' in draft
    assert parse_mapping(draft.encode()).missing == ()
    assert suggest(text, na=["None"]).missing == ("None",)


def test_the_command_in_a_draft_names_the_decimal_comma() -> None:
    table = table_from_frame(pd.DataFrame({"x": ["1,5", "2"], "y": ["p", "q"]}))
    draft = suggest_mapping(prepare(table, MappingFile(), ColumnChoice(), ","), "nb")
    assert "probfs rank … --decimal , --mapping THIS_FILE" in draft
