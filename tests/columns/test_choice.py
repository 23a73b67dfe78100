"""What users say of columns: names, what need not be read or must stay text, and options that contradict each other."""

from __future__ import annotations

from typing import Any

import pytest

from probfs.columns.choice import ColumnChoice, columns_as_text, columns_not_needed
from probfs.columns.mapping import parse_mapping
from probfs.errors import UsageError
from probfs.text import command_line_language
from tests.support.prepared_tables import prepare_csv

NAMES = ["a", "b", "c,d", "n", "y"]


@pytest.mark.parametrize(
    ("choice", "mapping", "expected"),
    [
        (ColumnChoice(exclude=["a,b", "c,d"]), b"", ["a", "b", "c,d"]),
        (ColumnChoice(exclude=["a", "nothing"]), b"", []),
        (ColumnChoice(exclude=["a"], target="a"), b"", []),
        (ColumnChoice(exclude=["a"]), b'drop = ["b"]', ["a", "b"]),
        (ColumnChoice(include=["a"]), b"", ["b", "c,d", "n"]),
        (ColumnChoice(include=["a"], target="b", count="n"), b"", ["c,d"]),
        (ColumnChoice(include=["a"], exclude=["y"]), b"", ["b", "c,d", "y"]),
        (ColumnChoice(include=["a"], count="y"), b"", ["b", "c,d"]),
        (ColumnChoice(include=["a"]), b'[columns]\nb = "category"', ["c,d", "n"]),
    ],
)
def test_columns_that_are_not_needed(choice: ColumnChoice, mapping: bytes, expected: list[str]) -> None:
    assert sorted(columns_not_needed(NAMES, parse_mapping(mapping), choice)) == expected


@pytest.mark.parametrize(
    ("choice", "mapping", "expected"),
    [
        (ColumnChoice(), b"", ["y"]),
        (ColumnChoice(exclude=["y"], count="n"), b"", ["c,d"]),
        (ColumnChoice(), b'target = "b"\n[columns]\na = "category"\nn = "<= 5"', ["a", "b"]),
        (ColumnChoice(), b"[columns]\na = '== \"1.0\"'\nb = '== 1.0'\nn = { groups = { g = ['1'] } }", ["a", "n", "y"]),
    ],
)
def test_columns_whose_digits_count_are_read_as_text(choice: ColumnChoice, mapping: bytes, expected: list[str]) -> None:
    assert sorted(columns_as_text(NAMES, parse_mapping(mapping), choice)) == expected


@pytest.mark.parametrize("choice", [{"target": "\udcff"}, {"na": ["\udcff"]}, {"include": ["a", "b\ud800"]}])
def test_a_name_that_is_not_unicode_is_refused(choice: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="is not valid Unicode"):
        ColumnChoice(**choice)


@pytest.mark.parametrize(
    ("names", "left_out"),
    [
        (["a,b"], {"a", "b"}),
        (["a, b", "c"], {"a", "b", "c"}),
        (["b,c", "b"], {"b,c", "b"}),
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


@pytest.mark.parametrize("parameter", ["exclude", "include"])
@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("a,agee", "no column 'agee' in t.csv; did you mean 'age'?"),
        ("name, firs", "no column 'name, firs' in t.csv; did you mean 'name, first'?"),
        (",", "no column ',' in t.csv; choose from 'a', 'age', 'name, first', 'y'"),
        ("", "the name is empty; name a column, or leave the option out"),
    ],
)
def test_the_part_that_is_no_column_is_named(parameter: str, name: str, problem: str) -> None:
    choice: dict[str, Any] = {parameter: ["a", name]}
    with pytest.raises(UsageError) as caught:
        prepare_csv('a,age,"name, first",y\n1,1,1,p\n1,1,1,q\n', **choice)
    assert str(caught.value) == f"{parameter}=: {problem}"


RULE = "[columns]\n"
BOTH = "column '{}' is {} and {}; keep one of the two"


@pytest.mark.parametrize(
    ("mapping", "choice", "problem"),
    [
        ("", {"include": ["a"], "exclude": ["a"]}, BOTH.format("a", "named by {include}", "named by {exclude}")),
        ("", {"include": ["a,n"], "exclude": ["n"]}, BOTH.format("n", "named by {include}", "named by {exclude}")),
        ("", {"include": ["n"], "count": "n"}, BOTH.format("n", "named by {count}", "named by {include}")),
        ("", {"count": "y", "target": "y"}, BOTH.format("y", "the target", "named by {count}")),
        ("", {"exclude": ["y"], "target": "y"}, BOTH.format("y", "the target", "named by {exclude}")),
        ('drop = ["a"]', {"include": ["a"]}, BOTH.format("a", "named by {include}", "dropped by m.toml")),
        ('drop = ["y"]', {"target": "y"}, BOTH.format("y", "the target", "dropped by m.toml")),
        (RULE + "y = '== p'", {"cut_target": 3}, BOTH.format("y", "cut by {cut_target}", "given a rule in m.toml")),
        (RULE + "n = '> 1'", {"count": "n"}, BOTH.format("n", "named by {count}", "given a rule in m.toml")),
        (
            RULE + "y = 'numeric'",
            {"target": "y"},
            "the target 'y' is numeric in m.toml, but classes are needed; cut it",
        ),
        (
            RULE + "y = { missing = 'value' }",
            {"target": "y"},
            "the target 'y' has 'missing' in m.toml, but its missing cells are unlabelled rows; take that out, or name "
            "another {target}",
        ),
        ("", {"exclude": ["A"]}, "{exclude}: no column 'A' in t.csv; did you mean 'a'?"),
        ("", {"count": "m"}, "{count}: no column 'm' in t.csv; choose from 'a', 'n', 'y'"),
        ("", {"target": "Y"}, "{target}: no column 'Y' in t.csv; did you mean 'y'?"),
    ],
)
def test_contradictions_are_told_in_the_caller_s_language(mapping: str, choice: dict[str, Any], problem: str) -> None:
    names = ("include", "exclude", "count", "target", "cut_target")
    python = {name: f"{name}=" for name in names}
    command_line = {name: f"--{name.replace('_', '-')}" for name in names}
    text = "a,n,y\nx,1,p\nz,2,q\n"
    with pytest.raises(UsageError) as caught:
        prepare_csv(text, mapping, **choice)
    assert str(caught.value) == problem.format(**python)
    with command_line_language(), pytest.raises(UsageError) as caught:
        prepare_csv(text, mapping, **choice)
    assert str(caught.value) == problem.format(**command_line)
