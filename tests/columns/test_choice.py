"""What users say of columns: names, options that contradict each other, and mappings."""

from __future__ import annotations

import contextlib
import tomllib
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import probfs
from probfs.columns.choice import ColumnChoice, columns_not_needed
from probfs.columns.mapping import MOST_BYTES, ColumnMapping, load_mapping, parse_mapping
from probfs.columns.rules import Among, Category, Cut, Frequent, Groups, Numeric, Ordering, Quantiles
from probfs.errors import MappingError, UsageError
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


@pytest.mark.parametrize("choice", [{"target": "\udcff"}, {"na": ["\udcff"]}, {"include": ["a", "b\ud800"]}])
def test_a_name_that_is_not_unicode_is_refused(choice: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="is not valid Unicode"):
        ColumnChoice(**choice)


COMMAS = 'a,age,"name, first","a,c",y\n' + "1,1,1,1,p\n1,1,1,1,q\n"


@pytest.mark.parametrize("parameter", ["exclude", "include"])
def test_names_between_commas_are_several_columns_where_none_is_called_so(parameter: str) -> None:
    for names, found in ((["a, age", "a"], {"a", "age"}), (["a,c"], {"a,c"})):
        choice: dict[str, Any] = {parameter: names}
        features = {plan.name for plan in prepare_csv(COMMAS, **choice).features}
        assert features == (found if parameter == "include" else {"a", "age", "name, first", "a,c"} - found)
    for name, problem in (
        ("a,agee", "no column 'agee' in t.csv; did you mean 'age'?"),
        ("name, firs", "no column 'name, firs' in t.csv; did you mean 'name, first'?"),
        (",", "no column ',' in t.csv; choose from 'a', 'age', 'name, first', 'a,c', 'y'"),
        ("", "the name is empty; name a column, or leave the option out"),
    ):
        choice = {parameter: ["a", name]}
        with pytest.raises(UsageError) as caught:
            prepare_csv(COMMAS, **choice)
        assert str(caught.value) == f"{parameter}=: {problem}"


RULE = "[columns]\n"
CLASSES = "in m.toml, but classes are needed; cut it"
UNLABELLED = "in m.toml, but its missing cells are unlabelled rows; take that out, or name another {target}"
BOTH = "column '{}' is {} and {}; keep one of the two"


@pytest.mark.parametrize(
    ("mapping", "choice", "problem"),
    [
        ("", {"include": ["a"], "exclude": ["a"]}, BOTH.format("a", "named by {include}", "named by {exclude}")),
        ("", {"include": ["a,n"], "exclude": ["n"]}, BOTH.format("n", "named by {include}", "named by {exclude}")),
        ("", {"include": ["n"], "count": "n"}, BOTH.format("n", "named by {count}", "named by {include}")),
        ("", {"count": "y", "target": "y"}, BOTH.format("y", "the target", "named by {count}")),
        ("", {"exclude": ["y"], "target": "y"}, BOTH.format("y", "the target", "named by {exclude}")),
        ("", {"weight": "n", "count": "n"}, BOTH.format("n", "named by {count}", "named by {weight}")),
        ("", {"time": "n", "include": ["n"]}, BOTH.format("n", "named by {time}", "named by {include}")),
        ('drop = ["a"]', {"include": ["a"]}, BOTH.format("a", "named by {include}", "dropped by m.toml")),
        ('drop = ["y"]', {"target": "y"}, BOTH.format("y", "the target", "dropped by m.toml")),
        (RULE + "y = '== p'", {"cut_target": 3}, BOTH.format("y", "cut by {cut_target}", "given a rule in m.toml")),
        (RULE + "n = '> 1'", {"count": "n"}, BOTH.format("n", "named by {count}", "given a rule in m.toml")),
        (RULE + "y = 'numeric'", {"target": "y"}, f"the target 'y' is numeric {CLASSES}"),
        (RULE + "y = { missing = 'value' }", {"target": "y"}, "the target 'y' has 'missing' " + UNLABELLED),
        ('target = "z"', {}, "m.toml:1: target: no column 'z' in t.csv; choose from 'a', 'n', 'y'"),
        ('drop = ["A"]', {}, "m.toml:1: drop: no column 'A' in t.csv; did you mean 'a'?"),
        ("\n[columns]\naa = '== x'", {}, "m.toml:3: columns: no column 'aa' in t.csv; did you mean 'a'?"),
        (RULE + "aa = { missing = 'skip' }", {}, "m.toml:2: columns: no column 'aa' in t.csv; did you mean 'a'?"),
        ("", {"na": ["auto", "none"]}, "{na}: auto and none contradict each other; keep one of the two"),
        ("", {"count": "m"}, "{count}: no column 'm' in t.csv; choose from 'a', 'n', 'y'"),
    ],
)
def test_contradictions_are_told_in_the_caller_s_language(mapping: str, choice: dict[str, Any], problem: str) -> None:
    names = ("include", "exclude", "count", "group", "weight", "time", "target", "cut_target", "na")
    python = {name: f"{name}=" for name in names}
    command_line = {name: f"--{name.replace('_', '-')}" for name in names}
    text = "a,n,y\nx,1,p\nz,2,q\n"
    for words, language in ((python, contextlib.nullcontext()), (command_line, command_line_language())):
        with language, pytest.raises(UsageError) as caught:
            prepare_csv(text, mapping, **choice)
        assert str(caught.value) == problem.format(**words)


# The mapping: from TOML, or a dictionary, to rules, and how every mistake in it is answered


def test_every_key_is_read_from_toml_and_from_a_dictionary() -> None:
    text = (
        'target = "y"\ndrop = ["id"]\nmissing = ["?", 999]\n[columns]\na = " category "\nb = "numeric"\n'
        'c = { quantiles = 10000 }\nboat = { missing = "value" }\nage = { cut = [18], missing = "skip" }\n'
        "d = '!= \"1\"'\ne = 'in [1, \"red\"]'\nf = { cut = [1970-01-01, 1970-01-02] }\ng = { min_count = 2 }\n"
        'h = { groups = { warm = ["red", 1] }, other = "cold" }\ni = "> -1e3"\nj = "<1970-01-02"\n'
    )
    mapping = parse_mapping(text.encode())
    assert (mapping.target, mapping.drop, mapping.missing) == ("y", ("id",), ("?", "999"))
    assert mapping.columns == {
        "a": Category(),
        "b": Numeric(),
        "c": Quantiles(10_000),
        "age": Cut((18.0,)),
        "d": Among(("1",), negated=True),
        "e": Among(("1", "red"), (1.0,)),
        "f": Cut((0.0, 86_400.0), Kind.DATE),
        "h": Groups({"warm": ("red", "1")}, "cold"),
        "g": Frequent(2),
        "i": Ordering(">", -1000.0),
        "j": Ordering("<", 86_400.0, Kind.DATE),
    }
    assert mapping.missing_cells == {"boat": "value", "age": "skip"}, "alone or beside a rule"
    assert parse_mapping(b"\xef\xbb\xbf" + text.encode()) == mapping, "after a byte order mark"
    assert load_mapping(tomllib.loads(text)) == replace(mapping, text="")
    assert parse_mapping(b"") == replace(ColumnMapping(), source="mapping")
    assert load_mapping(None) == ColumnMapping()


def test_a_dictionary_ranks_as_the_file_does(write: Write, frame: pd.DataFrame) -> None:
    text = 'drop = ["n"]\n[columns]\na = "== x"\nb = { groups = { g = ["u"] }, missing = "value" }\n'
    by_file = probfs.rank(frame, target="y", mapping=write("m.toml", text))
    by_dict = probfs.rank(frame, target="y", mapping=tomllib.loads(text))
    assert (by_dict.features, by_dict.settings.mapping) == (by_file.features, "<dict>")
    numbers = {"b": {"cut": np.array([1, 2])}, "c": {"quantiles": np.int64(3)}, "d": {"cut": (1, 2)}}
    found = load_mapping({"drop": ("a",), "columns": numbers})
    assert found.columns == {"b": Cut((1.0, 2.0)), "c": Quantiles(3), "d": Cut((1.0, 2.0))}


@pytest.mark.parametrize(
    ("mapping", "problem"),
    [
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


RULE_MISTAKES = {
    '"categroy"': "rule 'categroy' is not understood; did you mean 'category'?",
    '"= 5"': "'=' is not a comparison; did you mean '=='?",
    '"=< 5"': "'=' is not a comparison; did you mean '<='?",
    '"<= five"': "<= needs a number or an ISO date, not 'five'",
    '"<="': '<= needs something to compare with, as in "<= 5"',
    '"in []"': "the list after 'in' is empty",
    '"in [[1]]"': "'[[1]]' may hold only numbers and quoted texts",
    "'== \"5\", 6'": "== takes one value; use 'in [...]' for several",
    "5": 'a rule is text like "<= 5" or a table like { cut = [1, 2] }',
    "{}": "needs one of cut, quantiles, widths, groups, min_count; found none",
    "{ cuts = [1] }": "unknown key 'cuts'; did you mean 'cut'?",
    "{ cut = [1], widths = 3 }": "needs one of cut, quantiles, widths, groups, min_count; found cut and widths",
    "{ cut = [1, 1] }": "cut points must grow from left to right",
    "{ cut = [1, 2020-01-01] }": "cut must be a list of numbers, or of dates, like [18, 30, 65]",
    "{ cut = [" + "9" * 400 + "] }": "cut must be a list of numbers, or of dates, like [18, 30, 65]",
    "{ widths = 10001 }": "widths must be a whole number from 2 to 10000",
    "{ quantiles = 1 }": "quantiles must be a whole number from 2 to 10000",
    '{ cut = [1], other = "r" }': "'other' goes with groups and min_count, not with cut",
    '{ groups = { a = ["1"], b = ["1"] } }': "value '1' is in two groups, 'a' and 'b'",
    "{ groups = { a = [] } }": "group 'a' is empty",
    "{ min_count = 1 }": "min_count must be a whole number of rows, 2 or more",
    "{ min_count = 5, other = 2 }": "other must be a name, in quotes",
    '{ mising = "value" }': "unknown key 'mising'; did you mean 'missing'?",
    '{ missing = "auto" }': 'missing must be "skip" or "value"',
}
"""What is wrong with the rule of a column x, on the second line."""
KEEP_ONE = "; keep one of the two"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *((f"[columns]\nx = {rule}\n", f"2: column 'x': {problem}") for rule, problem in RULE_MISTAKES.items()),
        ('tarket = "y"\n', "1: unknown key 'tarket'; did you mean 'target'?"),
        ("target = 3\n", "1: target must be a column's name, in quotes"),
        ("columns = 3\n", "1: columns must be a table: put the rules under [columns]"),
        ('drop = ["x"]\n[columns]\nx = "<= 5"\n', f"3: column 'x' is both dropped and given a rule{KEEP_ONE}"),
        ("[columns]\ndrop = ['y']\n", "2: drop stands below [columns] and is taken for a column; move it to the top"),
        # The line of a key is where it is set, or else first named.
        ("[columns]\n\n[columns.b]\ncut = [2, 1]\n", "3: column 'b': cut points must grow from left to right"),
        ("[columns]\n\n'b c' = { cut = [2, 1] }\n", "3: column 'b c': cut points must grow from left to right"),
        ('target = "b"\ndrop = [\n    "b",\n]\n', f"1: column 'b' is both the target and dropped{KEEP_ONE}"),
    ],
)
def test_every_mistake_in_a_mapping_has_its_line(text: str, message: str) -> None:
    with pytest.raises(MappingError) as caught:
        parse_mapping(text.encode(), "m.toml")
    assert (str(caught.value), caught.value.exit_status) == (f"m.toml:{message}", 2)


def test_a_mapping_that_cannot_be_read_is_named(write: Write) -> None:
    with pytest.raises(MappingError, match=r"^m:1: TOML: invalid value$"):
        parse_mapping(b"target = ", "m")
    with pytest.raises(MappingError, match=r"^m:2:8: TOML: invalid value$"):
        parse_mapping(b'target = "y"\ndrop = yes\n', "m")
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
        *(b"missing = [0x" + b"f" * 9000 + b"]", b'[columns]\na = "in [1]\\n[foo]"'),
    ],
)
def test_a_hostile_mapping_is_refused(text: bytes) -> None:
    with pytest.raises(MappingError):
        parse_mapping(text)


def test_dots_in_texts_and_comments_are_no_dotted_keys() -> None:
    with pytest.raises(MappingError, match=r"^mapping:2: a key has more than 64 dotted parts"):
        parse_mapping(("\ncolumns" + ".a" * 65 + " = 1").encode())
    dotted = ".".join(["a"] * 100)
    text = f'# {dotted}\ndrop = ["{dotted}"]\n[columns]\n"{dotted}x" = "category"\n'
    assert parse_mapping(text.encode()).drop == (dotted,)
