"""The mapping: from TOML, or a dictionary, to rules, and how every mistake in it is answered."""

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
from probfs.columns.mapping import MOST_BYTES, ColumnMapping, load_mapping, parse_mapping
from probfs.columns.rules import Among, Category, Cut, Frequent, Groups, Numeric, Ordering, Quantiles, Rule, Widths
from probfs.errors import MappingError, ProbfsError
from probfs.tables.cells import Kind
from tests.support.table_content import Write


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
    assert probfs.rank(frame, target="y", mapping=tomllib.loads(text)).features == by_file.features
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
    with pytest.raises(MappingError, match=r"m\.toml: is larger than 4 MiB; is it a mapping\?"):
        load_mapping(write("m.toml", b"#" * (MOST_BYTES + 1)))


@pytest.mark.parametrize(
    "text",
    [
        *(b"a" + b".b" * 40_000 + b" = 1", b"x = " + b"[" * 50_000, b'x = "\xff"', b"\0", b"x = " + b"9" * 5000),
        *(b"k" * 1_001 + b" = 1", b"missing = [0x" + b"f" * 9000 + b"]"),
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
