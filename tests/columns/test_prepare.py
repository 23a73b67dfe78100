"""A prepared table: which rows are labelled, what columns are for, what a mapping makes of it, and limits of notes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from probfs.columns.encode import encode
from probfs.columns.prepare import apply_mapping
from probfs.columns.rules import Category, Measured, Numeric, Quantiles, Rule
from probfs.columns.suggest import suggest_mapping
from probfs.errors import DataError
from probfs.text import command_line_language
from tests.support.tables import csv_of_rows, prepare_csv, prepare_frame, table_content


def test_a_text_that_means_missing_takes_the_label_away() -> None:
    prepared = prepare_csv("a,y\nx,p\nz,?\nz,q\nNA,-\n", 'missing = ["-"]', na=["?", "NA"])
    assert prepared.texts.missing == ("?", "NA", "-")
    assert (prepared.target.classes, prepared.unlabelled.tolist()) == (("p", "q"), [1, 3])
    assert table_content(prepared.table)["a"] == ["x", "z", "z", None]


def test_the_note_on_the_target_is_safe_to_show() -> None:
    assert prepare_csv("a,b\x1b\nx,p\nz,q\n").target_note == "target: b\\x1b (the last column)"


def test_a_mapping_is_applied_to_all_rows_and_drops_columns() -> None:
    text = 'drop = ["id"]\nmissing = ["2"]\n[columns]\na = "> 10"\nk = "numeric"\nc = "category"\n'
    table = "id,a,k,c,y\n1,5,007,u,p\n2,50,1,w,q\n3,,2,new,\n"
    mapped = apply_mapping(prepare_csv(table, text))
    assert table_content(mapped) == {
        "a": ["no", "yes", None],
        "k": ["7", "1", None],
        "c": ["u", "w", None],
        "y": ["p", "q", None],
    }
    assert mapped.columns["a"].declared is not None
    assert mapped.columns["a"].declared.to_pylist() == ["no", "yes"]
    assert mapped.rows == 3


def test_numbers_that_no_rule_changes_keep_their_cells() -> None:
    days = pd.date_range("2020-01-01", periods=2, tz="Europe/Oslo")
    columns = {"big": [2**63 - 1, 5], "day": days, "a": ["x", "z"], "y": ["p", "q"]}
    mapping = "[columns]\na = '== x'\nbig = 'numeric'\n"
    mapped = apply_mapping(prepare_frame(columns, mapping))
    assert mapped.columns["big"].stored_cells.to_pylist() == [2**63 - 1, 5]
    assert mapped.columns["day"].stored_cells.to_pylist() == list(days)


@pytest.mark.parametrize(("rule", "measured"), [("{ quantiles = 2 }", False), ('"<= 1"', False), ('"numeric"', True)])
def test_a_value_that_only_unlabelled_rows_hold_is_refused_with_its_first_line(rule: str, measured: bool) -> None:
    text = "x,y\n1,p\n2,q\nmany,\n3,\nmany,\n"
    with pytest.raises(DataError, match=r"^t\.csv:4: column 'x': 'many' is not a number"):
        encode(prepare_csv(text, f"[columns]\nx = {rule}", numbers_as_they_are=measured))


# What each column is for

LONG = csv_of_rows(["x", "y"], [(number + 0.5, "pq"[number % 2]) for number in range(30)])
"""A numeric column with more values than are counted as categories."""
SHORT = csv_of_rows(["x", "y"], [(number % 20, "pq"[number % 2]) for number in range(40)])
NUMBERED = csv_of_rows(["nr", "a", "y"], [(number, number % 3, "pq"[number % 2]) for number in range(1, 31)])
NUMERIC = '[columns]\nx = "numeric"\n'


def plans(text: str, mapping: str = "", **choice: Any) -> dict[str, str]:
    """What will be done with each column, in words."""
    return {plan.name: plan.describe() for plan in prepare_csv(text, mapping, **choice).plans}


def test_every_column_has_its_role_and_who_said_so() -> None:
    text = "id,a,b,n,y\n1,x,u,1,p\n2,z,v,2,q\n"
    assert plans(text, "drop = ['b']\n[columns]\na = '== x'", exclude=["id"], count="n") == {
        "id": "left out (exclude=)",
        "a": "yes/no: 'x' (mapping)",
        "b": "left out (dropped by the mapping)",
        "n": "count (count=)",
        "y": "target",
    }
    with command_line_language():
        assert plans(text, exclude=["id"])["id"] == "left out (--exclude)"
        assert plans(text, include=["a"])["b"] == "left out (--include)"


@pytest.mark.parametrize(
    ("text", "mapping", "choice", "rule"),
    [
        (SHORT, "", {}, Category()),
        (LONG, "", {}, Quantiles(5, strict=False)),
        (SHORT, NUMERIC, {}, Numeric(Category())),
        (LONG, NUMERIC, {"bins": 7}, Numeric(Quantiles(7))),
        (SHORT, "", {"numbers_as_they_are": True}, Measured(strict=False)),
        (LONG, NUMERIC, {"numbers_as_they_are": True}, Measured()),
        (LONG, '[columns]\nx = "category"\n', {"numbers_as_they_are": True}, Category()),
    ],
)
def test_a_numeric_column_is_cut_counted_or_measured_by_what_the_classifier_wants(
    text: str, mapping: str, choice: dict[str, Any], rule: Rule
) -> None:
    (plan,) = prepare_csv(text, mapping, **choice).features
    assert plan.rule == rule


def test_only_labelled_rows_decide_whether_a_column_is_long() -> None:
    cells = [(number + 0.5, "pq"[number % 2] if number < 20 else "") for number in range(30)]
    assert plans(csv_of_rows(["x", "y"], cells))["x"] == "category"
    assert plans(LONG)["x"] == "5 intervals at quantiles (30 numbers)"
    infinite = "5 intervals at quantiles (30 numbers; the infinite one needs na=)"
    assert plans(LONG.replace("29.5,", "inf,"))["x"] == infinite


def test_nearly_numeric_columns_and_unknown_members_of_groups_are_noted_in_the_caller_s_language() -> None:
    (note,) = prepare_csv(LONG.replace("29.5,", "many,")).notes
    problem = "nearly all values are numbers, but not all, so ranked as categories: 'x' (not 'many'); name the others"
    assert note == f"{problem} with na=, or map the column"
    with command_line_language():
        assert "with --na," in prepare_csv(LONG.replace("29.5,", "many,")).notes[0]
    (note,) = prepare_csv("x,y\na,p\nb,q\n", '[columns]\nx = { groups = { one = ["a", "zzz"] } }\n').notes
    assert note == "column 'x' holds none of 'zzz', which the groups of m.toml name"


@pytest.mark.parametrize(
    ("cells", "other", "kind"),
    [
        ([f"${number}.50" for number in range(1, 30)], "$ -", "number"),
        ([f"{number / 2}%" for number in range(1, 30)], "#DIV/0!", "number"),
        ([f"2024-01-{day:02}" for day in range(1, 30)], "unknown", "date"),
        ([f"{day:02}.01.2024" for day in range(1, 30)], "31.02.2024", "date"),
    ],
)
def test_columns_of_nearly_all_prices_shares_or_dates_are_warned_of(cells: list[str], other: str, kind: str) -> None:
    rows = [(cell, "pq"[place % 2]) for place, cell in enumerate(cells)]
    (note,) = (note for note in prepare_csv(csv_of_rows(["x", "y"], [*rows, (other, "p")])).notes if note.is_warning)
    assert note.startswith(f"nearly all values are {kind}s, but not all, so ranked as categories: 'x' (not '{other}')")


def test_a_text_in_an_unlabelled_row_is_warned_of_as_well() -> None:
    rows = [(f"{number}.5", "pq"[number % 2]) for number in range(30)]
    (note,) = (note for note in prepare_csv(csv_of_rows(["x", "y"], [("(kg)", ""), *rows])).notes if note.is_warning)
    assert "'x' (not '(kg)')" in note


def test_an_identifier_is_left_out_and_it_is_said_how_to_keep_it() -> None:
    left_out = "left out (identifier: numbers the rows from 1 on)"
    assert plans(NUMBERED) == {"nr": left_out, "a": "category", "y": "target"}
    start = "left out as identifiers: 'nr' (numbers the rows from 1 on)"
    assert prepare_csv(NUMBERED).notes == (f"{start}; keep_identifiers=True ranks them",)
    with command_line_language():
        assert prepare_csv(NUMBERED).notes == (f"{start}; --keep-identifiers ranks them",)
    names = [f"c{position}_id" for position in range(9)]
    text = csv_of_rows([*names, "a", "y"], [(*[number * 7] * 9, "x", "pq"[number % 2]) for number in range(30)])
    (note,) = prepare_csv(text).notes
    assert "'c5_id' (named like an identifier, 30 values in 30 rows) and 3 more; keep_identifiers=True" in note


@pytest.mark.parametrize(
    ("mapping", "choice"),
    [
        ("", {"keep_identifiers": True}),
        ("", {"include": ["nr", "a"]}),
        ("[columns]\nnr = { quantiles = 5 }\n", {}),
    ],
)
def test_an_identifier_that_the_user_wants_is_ranked_and_noted(mapping: str, choice: dict[str, Any]) -> None:
    prepared = prepare_csv(NUMBERED, mapping, **choice)
    assert [plan.name for plan in prepared.features] == ["nr", "a"]
    problem = "ranked, but they look like identifiers: 'nr' (numbers the rows from 1 on)"
    assert prepared.notes == (f"{problem}; exclude= leaves them out",)


def test_columns_that_are_not_ranked_anyway_are_not_judged() -> None:
    assert plans(NUMBERED, exclude=["nr"])["nr"] == "left out (exclude=)"
    assert plans(NUMBERED, 'drop = ["nr"]')["nr"] == "left out (dropped by the mapping)"
    assert plans(NUMBERED, count="nr")["nr"] == "count (count=)"
    assert prepare_csv(NUMBERED, target="nr").notes == ()


# From which number on: each limit by which columns are judged, from both of its sides


def codes_of(cells: list[object], **choice: Any) -> list[str]:
    """The codes of notes on a column ``x``; beside it stands a target."""
    prepared = prepare_csv(csv_of_rows(["x", "y"], [(cell, "pq"[n % 2]) for n, cell in enumerate(cells)]), **choice)
    return [note.code for note in prepared.notes if "x" in note.columns]


Cells = Callable[[int], list[object]]
"""A column for a number, of which the limit is the least for which a note is made."""


@pytest.mark.parametrize(
    ("code", "cells", "limit"),
    [
        # A number for missing stands in five rows, and in one of a hundred, and farther away than others spread.
        ("code-for-missing", lambda n: [*range(10, 60), *[-999] * n], 5),
        ("code-for-missing", lambda n: [*(k % 50 + 10 for k in range(1000 - n)), *[-999] * n], 10),
        ("code-for-missing", lambda n: [*(k % 50 + 10 for k in range(999 - n)), *[-999] * n], 10),
        ("code-for-missing", lambda n: [*range(n, 60), *[99] * 9], 20),
        ("code-for-missing", lambda n: [*([5, 7] * 9), *([6] if n else []), *[-9] * 9], 1),
        # It has up to seven digits, all of them nines.
        ("code-for-missing", lambda n: [*range(10, 60), *[10 ** (8 - n) - 1] * 9], 1),
        ("code-for-missing", lambda n: [*range(10, 60), *[-998 - n] * 9], 1),
        # A negative code may be near where nothing else is negative.
        ("code-for-missing", lambda n: [*(k + n - 1 for k in range(40)), *[-9] * 9], 1),
        # Of numbers, three are enough beside a dash, and two beside NA.
        ("missing-texts", lambda n: [*(range(n)), "-", "-"], 3),
        ("missing-texts", lambda n: [*(range(n)), "NA", "NA"], 2),
        ("missing-texts", lambda n: [*(f"{k} %" for k in range(n)), "-", "-"], 3),
        # A unit takes three numbers, and a doubt about units more values than are counted.
        ("number-style", lambda n: [*(f"{k} kg" for k in range(1, n + 1)), "1 kg"], 3),
        ("may-be-numbers", lambda n: [*(f"{k} kg" for k in range(1, n + 1)), "7 lb"] * 2, 20),
        ("may-be-numbers", lambda n: [*(f"{k}/{k + 30}" for k in range(100, 100 + n)), "100/130"], 21),
        ("date-style", lambda n: [*(f"{k % 28 + 1}.{k // 28 + 1}.2020" for k in range(12, 12 + n)), "13.1.2020"], 21),
        # Nine tenths of more values than are counted make a column nearly one of numbers.
        ("nearly-numbers", lambda n: [*(k + 0.5 for k in range(n)), "a", "b", "c"], 27),
        ("nearly-numbers", lambda n: [*(k + 0.5 for k in range(n)), "a"], 20),
        ("mixed-case", lambda n: ["yes", "no", *(["Yes"] * n)], 1),
        ("mixed-case", lambda n: ["yes", "no", *(["y"] * n)], 1),
    ],
)
def test_a_note_is_made_from_a_number_on(code: str, cells: Cells, limit: int) -> None:
    assert code not in codes_of(cells(limit - 1))
    assert code in codes_of(cells(limit))


@pytest.mark.parametrize(
    ("name", "values", "rows", "named"),
    [("patient", 5, 10, True), ("patient", 5, 9, False), ("patient", 4, 40, False), ("colour", 5, 40, False)],
)
def test_subjects_are_five_or_more_of_two_rows_each(name: str, values: int, rows: int, named: bool) -> None:
    prepared = prepare_csv(csv_of_rows([name, "y"], [(f"s{n % values}", "pq"[n % 3 > 1]) for n in range(rows)]))
    assert bool(prepared.subjects) is named


@pytest.mark.parametrize(
    ("number", "total", "rare"), [(4, 90, True), (5, 90, False), (9, 1000, True), (10, 1000, False)]
)
def test_rare_values_are_in_fewer_than_five_rows_or_a_hundredth(number: int, total: int, rare: bool) -> None:
    rows = [("uvw"[min(n // number, 2)], "pq"[n % 2]) for n in range(total)]
    draft = suggest_mapping(prepare_csv(csv_of_rows(["x", "y"], rows)), "nb")
    assert ('"rare" = ["u", "v"]' in draft) is rare


@pytest.mark.parametrize(("values", "form"), [(6, "groups"), (7, "min_count")])
def test_six_rare_values_are_listed_and_more_are_counted(values: int, form: str) -> None:
    rows = [(f"v{n}" if n < values else "w", "pq"[n % 2]) for n in range(90)]
    assert f'"x" = {{ {form} = ' in suggest_mapping(prepare_csv(csv_of_rows(["x", "y"], rows)), "nb")


def test_rows_that_stand_for_none_are_neither_labelled_nor_unlabelled() -> None:
    prepared = prepare_csv("a,n,y\nx,2,p\nz,0,p\nx,1,\nz,0,\nz,3,q\n", count="n")
    assert (prepared.labelled.tolist(), prepared.unlabelled.tolist(), prepared.labelled_rows) == ([0, 4], [2], 2)
    dataset, _ = encode(prepared)
    assert (dataset.counts.tolist(), dataset.unlabelled_counts.tolist()) == ([2, 3], [1])
