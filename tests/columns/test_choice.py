"""What users say of columns: names, options that contradict each other, and mappings."""

from __future__ import annotations

import contextlib
import tomllib
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import probfs
from probfs.columns.choice import ColumnChoice, columns_as_text, columns_not_needed
from probfs.columns.mapping import MOST_BYTES, ColumnMapping, load_mapping, parse_mapping
from probfs.columns.rules import Among, Category, Cut, Frequent, Groups, Numeric, Ordering, Quantiles, Rule, Widths
from probfs.errors import MappingError, ProbfsError, UsageError
from probfs.tables.cells import Kind
from probfs.text import command_line_language
from tests.support.tables import Write, prepare_csv

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


# The mapping: from TOML, or a dictionary, to rules, and how every mistake in it is answered


def test_every_key_is_read() -> None:
    text = (
        'target = "y"\ndrop = ["id"]\nmissing = ["?", 999]\n[columns]\na = "category"\nb = "numeric"\n'
        'c = { quantiles = 4 }\nboat = { missing = "value" }\nage = { cut = [18], missing = "skip" }\n'
    )
    mapping = parse_mapping(text.encode())
    assert (mapping.target, mapping.drop, mapping.missing) == ("y", ("id",), ("?", "999"))
    assert mapping.columns == {"a": Category(), "b": Numeric(), "c": Quantiles(4), "age": Cut((18.0,))}
    assert mapping.missing_cells == {"boat": "value", "age": "skip"}, "alone or beside a rule"
    assert parse_mapping(b"\xef\xbb\xbf" + text.encode()) == mapping, "after a byte order mark"
    assert parse_mapping(b"") == replace(ColumnMapping(), source="mapping")
    assert load_mapping(None) == ColumnMapping()


RULES: dict[str, Rule] = {
    '"category"': Category(),
    '" numeric "': Numeric(),
    '"<=5"': Ordering("<=", 5.0),
    '"> -1e3"': Ordering(">", -1000.0),
    '">= 1970-01-02"': Ordering(">=", 86_400.0, Kind.DATE),
    '"== red"': Among(("red",)),
    '"== 1.0"': Among(("1.0",), (1.0,)),
    "'!= \"1\"'": Among(("1",), negated=True),
    "'in [1, \"red\"]'": Among(("1", "red"), (1.0,)),
    "{ cut = [1, 2.5] }": Cut((1.0, 2.5)),
    "{ cut = [1970-01-01, 1970-01-02] }": Cut((0.0, 86_400.0), Kind.DATE),
    "{ quantiles = 10000 }": Quantiles(10_000),
    "{ widths = 2 }": Widths(2),
    "{ min_count = 5 }": Frequent(5),
    '{ min_count = 2, other = "rest" }': Frequent(2, "rest"),
    '{ groups = { warm = ["red", 1] }, other = "cold" }': Groups({"warm": ("red", "1")}, "cold"),
}


@pytest.mark.parametrize(("rule", "expected"), RULES.items())
def test_a_rule_is_read_from_toml_and_from_a_dictionary(rule: str, expected: Rule) -> None:
    text = f'target = "y"\nmissing = ["?"]\n[columns]\nx = {rule}\n'
    mapping = parse_mapping(text.encode())
    assert mapping.columns["x"] == expected
    assert load_mapping(tomllib.loads(text)) == replace(mapping, text="")


def test_a_dictionary_ranks_as_the_file_does(write: Write, frame: pd.DataFrame) -> None:
    text = 'drop = ["n"]\n[columns]\na = "== x"\nb = { groups = { g = ["u"] }, missing = "value" }\n'
    by_file = probfs.rank(frame, target="y", mapping=write("m.toml", text))
    by_dict = probfs.rank(frame, target="y", mapping=tomllib.loads(text))
    assert (by_dict.features, by_dict.settings.mapping) == (by_file.features, "<dict>")
    assert load_mapping({"drop": ("a",), "columns": {"b": {"cut": (1, 2)}}}).columns == {"b": Cut((1.0, 2.0))}
    numbers = {"b": {"cut": np.array([1, 2])}, "c": {"quantiles": np.int64(3)}}
    assert load_mapping({"columns": numbers}).columns == {"b": Cut((1.0, 2.0)), "c": Quantiles(3)}


@pytest.mark.parametrize(
    ("mapping", "problem"),
    [
        ({"tarket": "y"}, r"unknown key 'tarket'; did you mean 'target'\?"),
        ({"columns": {1: "category"}}, "'1' is not text; write it in quotes, as \"1\""),
        ({"columns": {"a": {"groups": {2: ["x"]}}}}, "'2' is not text; write it in quotes, as \"2\""),
        ({"columns": {"a": None}}, "column 'a': a rule is text like \"<= 5\" or a table like .*"),
        ({"missing": [None]}, "missing: must be a list of texts, like .*"),
        ({"missing": ["\ud800"]}, r"'\\ud800' is not valid Unicode"),
        ({"columns": {"a": "== \ud800"}}, r"'== \\ud800' is not valid Unicode"),
    ],
)
def test_every_mistake_in_a_dictionary_is_told(mapping: Any, problem: str) -> None:
    with pytest.raises(MappingError, match=f"^mapping: {problem}$"):
        load_mapping(mapping)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('tarket = "y"\n', 1, "unknown key 'tarket'; did you mean 'target'?"),
        ("target = 3\n", 1, "target must be a column's name"),
        ('drop = ["x"]\n[columns]\nx = "<= 5"\n', 3, "both dropped and given a rule"),
        ('target = "y"\ndrop = ["y"]\n', 1, "both the target and dropped"),
        ("columns = 3\n", 1, "columns must be a table"),
        ('[columns]\n\nx = "categroy"\n', 3, "did you mean 'category'?"),
        ('[columns]\nx = "= 5"\n', 2, "did you mean '=='?"),
        ('[columns]\nx = "<= five"\n', 2, "<= needs a number or an ISO date, not 'five'"),
        ('[columns]\nx = "in []"\n', 2, "empty"),
        ('[columns]\nx = "in [[1]]"\n', 2, "only numbers and quoted texts"),
        ("[columns]\nx = 5\n", 2, "a rule is text"),
        ("[columns]\nx = { cuts = [1] }\n", 2, "unknown key 'cuts'; did you mean 'cut'?"),
        ("[columns]\nx = { cut = [1], widths = 3 }\n", 2, "found cut and widths"),
        ("[columns]\nx = { cut = [3, 1] }\n", 2, "cut points must grow"),
        ("[columns]\nx = { cut = [1, 2020-01-01] }\n", 2, "list of numbers"),
        ("[columns]\nx = { cut = [" + "9" * 400 + "] }\n", 2, "list of numbers"),
        ("[columns]\nx = '== \"5\", 6'\n", 2, "takes one value"),
        ("[columns]\nx = { widths = 10001 }\n", 2, "widths must be a whole number from 2 to 10000"),
        ('[columns]\nx = { cut = [1], other = "r" }\n', 2, "'other' goes with groups"),
        ('[columns]\nx = { groups = { a = ["1"], b = ["1"] } }\n', 2, "value '1' is in two groups"),
        ('[columns]\nx = "<="\n', 2, '<= needs something to compare with, as in "<= 5"'),
        ("[columns]\nx = {}\n", 2, "needs one of cut, quantiles, widths, groups, min_count; found none"),
        ("[columns]\nx = { groups = { a = [] } }\n", 2, "group 'a' is empty"),
        ("[columns]\nx = { min_count = 1 }\n", 2, "min_count must be a whole number of rows, 2 or more"),
        ("[columns]\nx = { min_count = 5, other = 2 }\n", 2, "other must be a name, in quotes"),
        ('[columns]\nx = { mising = "value" }\n', 2, "unknown key 'mising'; did you mean 'missing'?"),
        ('[columns]\nx = { missing = "auto" }\n', 2, 'column \'x\': missing must be "skip" or "value"'),
        ('[columns]\nx = "category"\ndrop = ["y"]\n', 3, "move it to the top"),
        # The line of a key is where it is set, or else first named.
        ("[columns]\n\n[columns.b]\nmin_count = 1\n", 3, "min_count must be"),
        ("[columns]\n'b c' = 1\n", 2, "a rule is text"),
        ('target = "b"\ndrop = [\n    "a",\n    "b",\n]\n', 1, "both the target and dropped"),
        ("target = ", 1, "TOML"),
        ('target = "y"\ndrop = yes\n', 2, "m.toml:2:8: TOML: invalid value"),
    ],
)
def test_every_mistake_in_a_mapping_has_its_line(write: Write, text: str, line: int, message: str) -> None:
    with pytest.raises(MappingError) as caught:
        load_mapping(write("m.toml", text))
    assert message in str(caught.value)
    assert (caught.value.line, caught.value.exit_status) == (line, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('target = "z"', "target: no column 'z' in <frame>; choose from 'x', 'y'"),
        ('drop = ["X"]', "drop: no column 'X' in <frame>; did you mean 'x'?"),
        ('\n[columns]\nxx = "category"', "m.toml:3: columns: no column 'xx' in <frame>; did you mean 'x'?"),
        ('[columns]\nxx = { missing = "value" }', "columns: no column 'xx' in <frame>; did you mean 'x'?"),
    ],
)
def test_a_mapping_that_names_an_unknown_column_says_the_nearest(write: Write, text: str, message: str) -> None:
    with pytest.raises(MappingError) as caught:
        probfs.rank(pd.DataFrame({"x": ["1", "2"], "y": ["a", "b"]}), mapping=write("m.toml", text))
    assert message in str(caught.value)
    ColumnMapping(target="x", drop=("y", "index")).check_names(["x", "y"], "t.csv", left_out=["index"])


def test_a_mapping_that_cannot_be_read_is_named(write: Write) -> None:
    with pytest.raises(MappingError, match="m:2: is not UTF-8, as TOML must be; save it as UTF-8"):
        parse_mapping(b'target = "y"\n# \xff\n', "m")
    with pytest.raises(MappingError, match=r"no\\x1bne\.toml: cannot be read: no such file"):
        load_mapping("no\x1bne.toml")
    with pytest.raises(MappingError, match=r"m\.toml: is larger than 32 MiB; is it a mapping\?"):
        load_mapping(write("m.toml", b"#" * (MOST_BYTES + 1)))


@pytest.mark.parametrize(
    "text",
    [
        *(b"a" + b".b" * 40_000 + b" = 1", b"x = " + b"[" * 50_000, b'x = "\xff"', b"\0", b"x = " + b"9" * 5000),
        *(b"k" * 1_001 + b" = 1", b"missing = [0x" + b"f" * 9000 + b"]"),
        *(b'columns = { x = """\n# """, ' + b"a." * 40_000 + b"a = 1 }", b'[columns]\na = "in [1]\\n[foo]"'),
    ],
)
def test_a_hostile_mapping_is_refused(text: bytes) -> None:
    with pytest.raises(MappingError):
        parse_mapping(text)


@given(st.binary(max_size=60))
def test_no_mapping_raises_anything_but_its_own_error(content: bytes) -> None:
    with contextlib.suppress(ProbfsError):
        assert isinstance(parse_mapping(content), ColumnMapping)


def test_dots_in_texts_and_comments_are_no_dotted_keys() -> None:
    with pytest.raises(MappingError, match="column 'a': unknown key 'a'"):
        parse_mapping(("columns" + ".a" * 64 + " = 1").encode())
    with pytest.raises(MappingError, match="a key has more than 64 dotted parts"):
        parse_mapping(("columns" + ".a" * 65 + " = 1").encode())
    dotted = ".".join(["a"] * 100)
    text = f'# {dotted}\ndrop = ["{dotted}"]\n[columns]\n"{dotted}x" = "category"\n'
    assert parse_mapping(text.encode()).drop == (dotted,)
