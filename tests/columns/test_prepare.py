"""A prepared table: what columns are for, missing cells as a value, what a mapping makes of it, and limits of notes."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact, hypergeom

import probfs
from probfs.columns.encode import encode
from probfs.columns.missing import missingness_p_value
from probfs.columns.prepare import apply_mapping
from probfs.errors import DataError
from tests.support.tables import Write, csv_of, csv_of_rows, prepare_csv, prepare_frame, read_csv_text, table_content

LONG = csv_of(30, x=lambda n: n + 0.5)
"""A numeric column with more values than are counted as categories."""
SHORT = csv_of(40, x=lambda n: n % 20)
NUMBERED = csv_of(30, nr=lambda n: n + 1, a=lambda n: n % 3)
NUMERIC = '[columns]\nx = "numeric"\n'
MEASURED = {"numbers_as_they_are": True}


# What each column is for


LEFT_OUT = "left out as identifiers: 'nr' (numbers the rows from 1 on); keep_identifiers=True ranks them"
RANKED = "ranked, but they look like identifiers: 'nr' (numbers the rows from 1 on); exclude= leaves them out"
CUT, CATEGORY = "5 intervals at quantiles", '[columns]\nx = "category"\n'
FEW_LABELLED = csv_of(x=[n + 0.5 for n in range(30)], y=["p", "q"] * 10 + [""] * 10)


@pytest.mark.parametrize(
    ("text", "mapping", "choice", "plan", "note"),
    [
        # Numbers are cut, counted or measured by their values in labelled rows.
        (SHORT, "", {}, "category", ""),
        (LONG, "", {}, f"{CUT} (30 numbers)", ""),
        (LONG.replace("29.5,", "inf,"), "", {}, f"{CUT} (30 numbers; the infinite one needs na=)", ""),
        (FEW_LABELLED, "", {}, "category", ""),
        (SHORT, NUMERIC, {}, "numeric, as category (mapping)", ""),
        (LONG, NUMERIC, {"bins": 7}, "numeric, as 7 intervals at quantiles (mapping)", ""),
        (SHORT, "", MEASURED, "numeric (20 numbers)", ""),
        (LONG, NUMERIC, MEASURED, "numeric (mapping)", ""),
        (LONG, CATEGORY, MEASURED, "category (mapping)", ""),
        # An identifier is left out unless the user wants it.
        (NUMBERED, "", {}, "left out (identifier: numbers the rows from 1 on)", LEFT_OUT),
        (NUMBERED, "", {"keep_identifiers": True}, f"{CUT} (30 numbers)", RANKED),
        (NUMBERED, "", {"include": ["nr", "a"]}, f"{CUT} (30 numbers)", RANKED),
        (NUMBERED, "[columns]\nnr = { quantiles = 5 }\n", {}, f"{CUT} (mapping)", RANKED),
        (NUMBERED, "", {"exclude": ["nr"]}, "left out (exclude=)", ""),
        (NUMBERED, "", {"include": ["a"]}, "left out (include=)", ""),
        (NUMBERED, 'drop = ["nr"]', {}, "left out (dropped by the mapping)", ""),
        (NUMBERED, "", {"count": "nr"}, "count (count=)", ""),
        (NUMBERED, "", {"target": "nr"}, "target", ""),
    ],
)
def test_what_is_done_with_a_column_and_what_is_said_of_it(
    text: str, mapping: str, choice: dict[str, Any], plan: str, note: str
) -> None:
    prepared = prepare_csv(text, mapping, **choice)
    assert (prepared.plans[0].describe(), prepared.notes) == (plan, (note,) if note else ())


# The table that a mapping makes


def test_a_mapping_is_applied_to_all_rows_and_drops_columns() -> None:
    text = 'drop = ["id"]\nmissing = ["2"]\n[columns]\na = "> 10"\nk = "numeric"\nc = "category"\n'
    mapped = apply_mapping(prepare_csv("id,a,k,c,y\n1,5,007,u,p\n2,50,1,w,q\n3,,2,new,\n", text))
    assert (mapped.rows, table_content(mapped)) == (
        3,
        {"a": ["no", "yes", None], "k": ["7", "1", None], "c": ["u", "w", None], "y": ["p", "q", None]},
    )
    assert mapped.columns["a"].declared is not None
    assert mapped.columns["a"].declared.to_pylist() == ["no", "yes"]


def test_numbers_that_no_rule_changes_keep_their_cells() -> None:
    days = pd.date_range("2020-01-01", periods=2, tz="Europe/Oslo")
    columns = {"big": [2**63 - 1, 5], "day": days, "a": ["x", "z"], "y": ["p", "q"]}
    mapped = apply_mapping(prepare_frame(columns, "[columns]\na = '== x'\nbig = 'numeric'\n"))
    assert mapped.columns["big"].stored_cells.to_pylist() == [2**63 - 1, 5]
    assert mapped.columns["day"].stored_cells.to_pylist() == list(days)


@pytest.mark.parametrize(("rule", "measured"), [("{ quantiles = 2 }", False), ('"<= 1"', False), ('"numeric"', True)])
def test_a_value_that_only_unlabelled_rows_hold_is_refused_with_its_first_line(rule: str, measured: bool) -> None:
    text = "x,y\n1,p\n2,q\nmany,\n3,\nmany,\n"
    with pytest.raises(DataError, match=r"^t\.csv:4: column 'x': 'many' is not a number"):
        encode(prepare_csv(text, f"[columns]\nx = {rule}", numbers_as_they_are=measured))


# Notes, and from which number on they are made: each limit from both of its sides


def warnings_of(text: str, mapping: str = "") -> list[str]:
    return [str(note) for note in prepare_csv(text, mapping).notes if note.is_warning]


@pytest.mark.parametrize(
    ("cells", "other", "kind"),
    [
        ([f"{n}.5" for n in range(29)], "many", "number"),
        ([f"${n}.50" for n in range(1, 30)], "$ -", "number"),
        ([f"{n / 2}%" for n in range(1, 30)], "#DIV/0!", "number"),
        ([f"2024-01-{day:02}" for day in range(1, 30)], "unknown", "date"),
        ([f"{day:02}.01.2024" for day in range(1, 30)], "31.02.2024", "date"),
    ],
)
def test_columns_of_nearly_all_numbers_prices_shares_or_dates_are_warned_of(
    cells: list[str], other: str, kind: str
) -> None:
    problem = f"nearly all values are {kind}s, but not all, so ranked as categories: 'x' (not '{other}')"
    expected = [f"{problem}; na= takes the other texts as missing, or map the column"]
    assert warnings_of(csv_of(x=[*cells, other])) == expected
    assert warnings_of(csv_of(x=[other, *cells, *cells], y=["", *"pq" * len(cells)])) == expected, "unlabelled, too"


def test_unknown_members_of_groups_are_named_and_the_target_is_safe_to_show() -> None:
    (note,) = prepare_csv("x,y\na,p\nb,q\n", '[columns]\nx = { groups = { one = ["a", "zzz"] } }\n').notes
    assert note == "column 'x' holds none of 'zzz', which the groups of m.toml name"
    assert prepare_csv("a,b\x1b\nx,p\nz,q\n").target_note == "target: b\\x1b (the last column)"


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
    below, at = (
        [note.code for note in prepare_csv(csv_of(x=cells(number))).notes if "x" in note.columns]
        for number in (limit - 1, limit)
    )
    assert (code in below, code in at) == (False, True)


@pytest.mark.parametrize(
    ("name", "values", "rows", "named"),
    [("patient", 5, 10, True), ("patient", 5, 9, False), ("patient", 4, 40, False), ("colour", 5, 40, False)],
)
def test_subjects_are_five_or_more_of_two_rows_each(name: str, values: int, rows: int, named: bool) -> None:
    prepared = prepare_csv(csv_of_rows([name, "y"], [(f"s{n % values}", "pq"[n % 3 > 1]) for n in range(rows)]))
    assert bool(prepared.subjects) is named


@pytest.mark.parametrize(("singles", "named"), [(86, True), (87, False)])
def test_values_that_decide_the_class_are_subjects_if_they_are_in_two_rows_each(singles: int, named: bool) -> None:
    cells, classes = [f"s{n}" for n in range(singles)], ["p"] * singles
    prepared = prepare_csv(csv_of(x=cells + ["a"] * 45 + ["b"] * 45, y=classes + ["q"] * 45 + ["r"] * 45))
    assert prepared.leaks["x"].values == singles + 2
    assert bool(prepared.subjects) is named


# Missing cells as a value: when they tell the class, and what becomes of them


@given(st.lists(st.integers(1, 300).flatmap(lambda size: st.tuples(st.integers(0, size), st.just(size))), min_size=2))
def test_the_test_is_scipy_s_hypergeometric_one_and_with_two_classes_fisher_s(table: list[tuple[int, int]]) -> None:
    missing, rows = [own for own, _ in table[:5]], [size for _, size in table[:5]]
    least = 1.0
    for own, size in zip(missing, rows, strict=True):
        # All outcomes no likelier than the one at hand.
        outcomes = hypergeom(sum(rows), size, sum(missing)).pmf(np.arange(min(sum(missing), size) + 1))
        least = min(least, float(outcomes[outcomes <= outcomes[own] * (1 + 1e-7)].sum()))
    assert missingness_p_value(missing, rows) == pytest.approx(min(1.0, least * len(rows)), rel=1e-8)
    square = [missing[:2], [size - own for own, size in table[:2]]]
    assert missingness_p_value(missing[:2], rows[:2]) == pytest.approx(min(1.0, 2 * fisher_exact(square)[1]), rel=1e-6)


@pytest.mark.parametrize("more", [0, 300, -600, 900])
def test_many_rows_are_judged_by_the_normal_law(more: int) -> None:
    rows, missing = [600_000, 700_000], [253_846 + more, 296_154 - more]
    outcomes = hypergeom(sum(rows), rows[0], sum(missing)).pmf(np.arange(rows[0] + 1))
    least = float(outcomes[outcomes <= outcomes[missing[0]] * (1 + 1e-7)].sum())
    assert missingness_p_value(missing, rows) == pytest.approx(min(1.0, 2 * least), rel=4e-3)


def titanic(rows: int = 200, seed: int = 0) -> str:
    """A column ``boat`` that is missing for nearly all who died, and ``deck``, missing by chance."""
    chance = random.Random(seed)
    cells = []
    for _ in range(rows):
        survived = chance.random() < 0.4
        boat = str(chance.randrange(1, 9)) if survived == (chance.random() < 0.95) else ""
        deck = "" if chance.random() < 0.5 else chance.choice("ABC")
        child = "yn"[chance.random() < 0.3 + 0.3 * survived]
        cells.append((boat, deck, child, "01"[survived]))
    return csv_of_rows(["boat", "deck", "child", "survived"], cells)


AUTO = {"missing": "auto"}
RARE = csv_of_rows(["a", "y"], [("x", "pq"[n % 2]) for n in range(100)] + [("", "r")] * 8)
"""All that is missing is of a rare class."""


@pytest.mark.parametrize(
    ("text", "mapping", "choice", "marked"),
    [
        (titanic(), "", AUTO, ["boat"]),
        (titanic(), "", {"missing": "skip"}, []),
        (titanic(), "", {"missing": "value"}, ["boat", "deck"]),
        (titanic(), '[columns]\nboat = { missing = "skip" }', AUTO, []),
        (titanic(), '[columns]\ndeck = { missing = "value" }', {}, ["deck"]),
        # Fewer than five missing cells are never judged.
        (csv_of(a=[""] * 5 + ["x"] * 1045, y=["p"] * 50 + ["q"] * 1000), "", AUTO, ["a"]),
        (csv_of(a=[""] * 4 + ["x"] * 1046, y=["p"] * 50 + ["q"] * 1000), "", AUTO, []),
        # Rows count as often as they say, and unlabelled or dropped ones not at all.
        ("a,n,y\n,40,p\nx,10,p\nx,50,q\nz,1,q\n", "", {**AUTO, "count": "n"}, ["a"]),
        ("a,n,y\n,20,p\nx,30,p\n,20,q\nx,30,q\n,9999,\n", "", {**AUTO, "count": "n"}, []),
        (RARE, "", {**AUTO, "min_class": 9}, []),
        (RARE, "", {**AUTO, "min_class": 8}, ["a"]),
        # Without missing cells, or without others, there is nothing to mark; one of each is enough.
        ("a,b,c,y\nx,,1,p\nz,,2,q\nx,,1,p\nz,,2,q\n", "", {"missing": "value"}, []),
        ("a,b,y\n,,p\nz,,q\nx,x,p\nz,,q\n", "", {"missing": "value"}, ["a", "b"]),
    ],
)
def test_missing_cells_are_a_value_where_the_user_says_so_or_they_tell_the_class(
    text: str, mapping: str, choice: dict[str, Any], marked: list[str]
) -> None:
    prepared = prepare_csv(text, mapping, **choice)
    assert [plan.name for plan in prepared.features if plan.missing_is_value] == marked
    said = f"missing cells count as a value where they tell the class (missing=\"skip|value\"): '{'/'.join(marked)}'"
    notes = [note for note in prepared.notes if note.code == "missing-cells"]
    assert notes == ([said] if marked and choice.get("missing") == "auto" else [])


def test_a_missing_cell_is_a_value_of_its_own_and_an_unseen_one_says_nothing() -> None:
    prepared = prepare_csv("a,y\nx,p\n,p\nz,q\nx,q\n,\nx,\n", missing="value")
    (feature,) = encode(prepared, [read_csv_text("b,a\n1,\n1,x\n1,new\n")])[0].features
    assert (feature.labels.to_pylist(), feature.values) == (["x", "z", "(missing)"], 3)
    assert (feature.labelled.tolist(), feature.unlabelled.tolist()) == ([0, 2, 1, 0], [2, 0, 2, 0, 3])
    cut = '[columns]\nboat = { cut = [4], missing = "value" }\n'
    (boat,) = encode(prepare_csv(titanic(), cut, include=["boat"]))[0].features
    assert boat.labels.to_pylist() == ["(-inf,4]", "(4,inf)", "(missing)"]
    (plan,) = prepare_csv(titanic(), cut, include=["boat"]).features
    assert plan.describe() == "2 intervals at 4, missing as a value (mapping)"


def test_a_number_that_is_missing_is_measured_as_such() -> None:
    prepared = prepare_csv("a,y\n1.5,p\n,p\n2,q\n1.5,q\n", missing="value", numbers_as_they_are=True)
    (feature,) = encode(prepared, [read_csv_text("b,a\n1,\n1,7\n1,red\n")])[0].features
    assert feature.numbers is not None
    assert (feature.numbers.tolist(), feature.values, feature.missing_is_value) == ([1.5, 2.0, 7.0], 4, True)
    assert (feature.labelled.tolist(), feature.unlabelled.tolist()) == ([0, 3, 1, 0], [3, 2, 4])


def test_missing_as_a_value_is_the_same_as_a_text_in_its_place(write: Write) -> None:
    # As categories: numbers are also tested as numbers.
    text = re.sub(r"^(?=\d)", "no. ", titanic(90, seed=3), flags=re.MULTILINE)
    filled = "\n".join(",".join(cell or "unknown" for cell in line.split(",")) for line in text.strip().split("\n"))
    for options in ({}, {"smoothing": 0}, {"estimate": "resubstitution"}):
        gaps = probfs.rank(write("t.csv", text), target="survived", missing="value", **options)
        full = probfs.rank(write("u.csv", filled), target="survived", missing="skip", **options)
        assert (gaps.features, gaps.rounds) == (full.features, full.rounds)
