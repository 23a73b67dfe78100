"""What each column is for: options, mapping and content, and options that contradict each other."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import probfs
from probfs.columns.roles import ColumnChoice, ColumnPlan, Role
from probfs.columns.rules import Category, Measured, Numeric, Quantiles
from probfs.errors import UsageError
from probfs.text import command_line_language
from tests.support.prepared_tables import csv_of_rows, prepare_csv
from tests.support.table_content import Write

LONG = csv_of_rows(["x", "y"], [(number + 0.5, "pq"[number % 2]) for number in range(30)])
"""A numeric column with more values than are counted as categories."""


def test_options_that_contradict_the_mapping_are_refused(frame: pd.DataFrame, write: Write) -> None:
    for text, options in (
        ('drop = ["y"]', {"target": "y"}),
        ('[columns]\ny = "numeric"', {"target": "y"}),
        ('[columns]\nn = "<= 1"', {"count": "n"}),
        ('drop = ["a"]', {"include": ["a"]}),
    ):
        with pytest.raises(probfs.UsageError, match=r"m\.toml"):
            probfs.rank(frame, mapping=write("m.toml", text), **options)


def test_grouped_values_that_the_table_does_not_hold_are_noted(write: Write) -> None:
    frame = pd.DataFrame({"x": list("abab"), "y": list("0011")})
    mapping = write("m.toml", '[columns]\nx = { groups = { one = ["a", "zzz"] } }\n')
    assert any("holds none of 'zzz'" in warning for warning in probfs.rank(frame, target="y", mapping=mapping).warnings)


def plans(text: str, mapping: str = "", **choice: Any) -> dict[str, str]:
    """What will be done with each column, in words."""
    return {plan.name: plan.describe() for plan in prepare_csv(text, mapping, **choice).plans}


def test_every_column_has_its_role_and_who_said_so() -> None:
    text = "id,a,b,n,y\n1,x,u,1,p\n2,z,v,2,q\n"
    planned: dict[str, Any] = {"exclude": ["id"], "count": "n"}
    assert plans(text, 'drop = ["b"]', **planned) == {
        "id": "left out (exclude=)",
        "a": "category",
        "b": "left out (dropped by the mapping)",
        "n": "count (count=)",
        "y": "target",
    }
    with command_line_language():
        assert plans(text, **planned)["id"] == "left out (--exclude)"
        assert plans(text, include=["a"])["b"] == "left out (--include)"


def test_a_rule_of_the_mapping_is_followed() -> None:
    text = "a,y\nx,p\nz,q\n"
    assert plans(text, '[columns]\na = "== x"\n')["a"] == "yes/no: 'x' (mapping)"


def test_a_numeric_column_is_cut_counted_or_measured_by_what_the_classifier_wants() -> None:
    def rule(text: str, mapping: str = "", **choice: Any) -> object:
        (plan,) = prepare_csv(text, mapping, **choice).features
        return plan.rule

    short = csv_of_rows(["x", "y"], [(number % 20, "pq"[number % 2]) for number in range(40)])
    numeric = '[columns]\nx = "numeric"\n'
    assert rule(short) == Category()
    assert rule(LONG) == Quantiles(5, strict=False)
    assert rule(LONG, bins=3) == Quantiles(3, strict=False)
    assert rule(short, numeric) == Numeric(Category())
    assert rule(LONG, numeric, bins=7) == Numeric(Quantiles(7))
    assert rule(short, numbers_as_they_are=True) == Measured(strict=False)
    assert rule(LONG, numeric, numbers_as_they_are=True) == Measured()
    assert rule(LONG, '[columns]\nx = "category"\n', numbers_as_they_are=True) == Category()


def test_only_labelled_rows_decide_whether_a_column_is_long() -> None:
    cells = [(number + 0.5, "pq"[number % 2] if number < 20 else "") for number in range(30)]
    few_labelled = csv_of_rows(["x", "y"], cells)
    assert plans(few_labelled)["x"] == "category"
    assert plans(LONG)["x"] == "5 intervals at quantiles (30 numbers)"


def test_an_infinite_number_is_announced() -> None:
    text = LONG.replace("29.5,", "inf,")
    assert plans(text)["x"] == "5 intervals at quantiles (30 numbers; the infinite one needs na=)"


def test_leading_zeros_make_names_of_numbers() -> None:
    text = csv_of_rows(["x", "y"], [(f"{number % 25:03}", "pq"[number % 2]) for number in range(50)])
    assert plans(text)["x"] == "category"
    assert prepare_csv(text).notes == ()


def test_nearly_numeric_columns_are_noted_in_the_caller_s_language() -> None:
    text = LONG.replace("29.5,", "many,")
    (note,) = prepare_csv(text).notes
    assert note.startswith("nearly all values are numbers, but not all, so ranked as categories: 'x'; name the others")
    assert "with na=," in note
    with command_line_language():
        assert "with --na," in prepare_csv(text).notes[0]


@pytest.mark.parametrize(
    ("mapping", "choice", "python", "command_line"),
    [
        (
            "",
            {"include": ["a"], "exclude": ["a"]},
            "column 'a' is named by both include= and exclude=",
            "column 'a' is named by both --include and --exclude",
        ),
        (
            "",
            {"include": ["n"], "count": "n"},
            "column 'n' is named by both include= and count=",
            "column 'n' is named by both --include and --count",
        ),
        (
            "",
            {"count": "y", "target": "y"},
            "count=: 'y' is the target; name the column that holds the counts",
            "--count: 'y' is the target; name the column that holds the counts",
        ),
        (
            "",
            {"exclude": ["y"], "target": "y"},
            "exclude=: 'y' is the target; name another with target=",
            "--exclude: 'y' is the target; name another with --target",
        ),
        (
            'drop = ["a"]',
            {"include": ["a"]},
            "include=: 'a' is dropped by the mapping m.toml",
            "--include: 'a' is dropped by the mapping m.toml",
        ),
        (
            'drop = ["y"]',
            {"target": "y"},
            "target=: 'y' is dropped by the mapping m.toml",
            "--target: 'y' is dropped by the mapping m.toml",
        ),
        (
            '[columns]\ny = "numeric"',
            {"target": "y"},
            "target=: 'y' is numeric in m.toml, but classes are needed; cut it",
            "--target: 'y' is numeric in m.toml, but classes are needed; cut it",
        ),
        (
            '[columns]\nn = "> 1"',
            {"count": "n"},
            "count=: 'n' has a rule in m.toml; counts are taken as they are",
            "--count: 'n' has a rule in m.toml; counts are taken as they are",
        ),
        (
            "",
            {"exclude": ["A"]},
            "exclude=: no column 'A' in t.csv; did you mean 'a'?",
            "--exclude: no column 'A' in t.csv; did you mean 'a'?",
        ),
        (
            "",
            {"count": "m"},
            "count=: no column 'm' in t.csv; choose from 'a', 'n', 'y'",
            "--count: no column 'm' in t.csv; choose from 'a', 'n', 'y'",
        ),
    ],
)
def test_contradictions_are_told_in_the_caller_s_language(
    mapping: str, choice: dict[str, Any], python: str, command_line: str
) -> None:
    text = "a,n,y\nx,1,p\nz,2,q\n"
    with pytest.raises(UsageError) as caught:
        prepare_csv(text, mapping, **choice)
    assert str(caught.value) == python
    with command_line_language(), pytest.raises(UsageError) as caught:
        prepare_csv(text, mapping, **choice)
    assert str(caught.value) == command_line


@pytest.mark.parametrize("choice", [{"target": "\udcff"}, {"na": ["\udcff"]}, {"include": ["a", "b\ud800"]}])
def test_a_name_that_is_not_unicode_is_refused(choice: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="is not valid Unicode"):
        ColumnChoice(**choice)


def test_a_plan_describes_itself() -> None:
    assert ColumnPlan("a", Role.FEATURE, "mapping", Quantiles(3)).describe() == "3 intervals at quantiles (mapping)"
    assert ColumnPlan("a", Role.FEATURE, "").describe() == "category"
    assert ColumnPlan("n", Role.COUNT, "count=").describe() == "count (count=)"


@pytest.mark.parametrize(
    ("names", "left_out"),
    [
        (["a,b"], {"a", "b"}),
        (["a, b", "c"], {"a", "b", "c"}),
        (["b,a,"], {"a", "b"}),
        (["b,c"], {"b,c"}),
        (["a,b,c"], {"a", "b,c"}),
        (["b,c,b"], {"b,c", "b"}),
        (["ab", "a", "a"], {"ab", "a"}),
    ],
)
@pytest.mark.parametrize("parameter", ["exclude", "include"])
def test_names_between_commas_are_several_columns_where_none_is_called_so(
    parameter: str, names: list[str], left_out: set[str]
) -> None:
    choice: dict[str, Any] = {parameter: names}
    prepared = prepare_csv('a,b,c,"b,c",ab,y\n' + "1,1,1,1,1,p\n1,1,1,1,1,q\n", **choice)
    features = {plan.name for plan in prepared.features}
    assert features == (left_out if parameter == "include" else {"a", "b", "c", "b,c", "ab"} - left_out)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("a,agee", "no column 'agee' in t.csv; did you mean 'age'?"),
        ("agee,zzz", "no column 'agee' in t.csv; did you mean 'age'?"),
        ("name, firs", "no column 'name, firs' in t.csv; did you mean 'name, first'?"),
        (",", "no column ',' in t.csv; choose from 'a', 'age', 'name, first', 'y'"),
        ("", "the name is empty; name a column, or leave the option out"),
    ],
)
def test_the_part_that_is_no_column_is_named(name: str, problem: str) -> None:
    with pytest.raises(UsageError) as caught:
        prepare_csv('a,age,"name, first",y\n1,1,1,p\n1,1,1,q\n', exclude=[name])
    assert str(caught.value) == f"exclude=: {problem}"


def test_names_between_commas_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(UsageError, match="column 'b' is named by both include= and exclude="):
        prepare_csv("a,b,c,y\n1,1,1,p\n1,1,1,q\n", include=["a,b"], exclude=["b,c"])


NUMBERED = csv_of_rows(["nr", "a", "y"], [(number, number % 3, "pq"[number % 2]) for number in range(1, 31)])
LEFT_OUT = "left out (identifier: numbers the rows from 1 on)"


def test_an_identifier_is_left_out_and_it_is_said_how_to_keep_it() -> None:
    assert plans(NUMBERED) == {"nr": LEFT_OUT, "a": "category", "y": "target"}
    start = "left out, as identifiers tell rows apart, not classes: 'nr' (numbers the rows from 1 on)"
    assert prepare_csv(NUMBERED).notes == (f"{start}; keep_identifiers=True ranks them",)
    with command_line_language():
        assert prepare_csv(NUMBERED).notes == (f"{start}; --keep-identifiers ranks them",)


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
    assert plans(NUMBERED, target="nr")["nr"] == "target"
    assert prepare_csv(NUMBERED, target="nr").notes == ()


def test_a_row_that_stands_for_many_does_not_name_them() -> None:
    text = csv_of_rows(["state", "n", "y"], [(f"s{number}", 9, "pq"[number % 2]) for number in range(30)])
    assert plans(text, count="n")["state"] == "category"
    assert plans(text)["state"].startswith("left out (identifier: text that is different in nearly every row")


def test_of_many_identifiers_some_are_explained() -> None:
    names = [f"c{position}_id" for position in range(9)]
    text = csv_of_rows([*names, "a", "y"], [(*[number * 7] * 9, "x", "pq"[number % 2]) for number in range(30)])
    (note,) = prepare_csv(text).notes
    assert "'c5_id' (named like an identifier, 30 values in 30 rows) and 3 more; keep_identifiers=True" in note
