"""Mapping files: what every rule does, and how every mistake is answered."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import probfs
from probfs.columns.mapping_file import MappingFile, load_mapping, parse_mapping
from probfs.columns.prepare import apply_mapping, prepare
from probfs.columns.roles import ColumnChoice
from probfs.columns.rules import Quantiles, Seen
from probfs.errors import MappingError, ProbfsError
from probfs.tables.readers.frame import table_from_frame
from probfs.tables.table import Kind
from tests.support.table_content import table_content as content

Write = Callable[[str, "str | bytes"], Path]


def mapped(values: list[str | None], rule: str, labels: list[str | None] | None = None) -> list[str | None]:
    """A column put through a rule; all rows are labelled unless said otherwise."""
    frame = pd.DataFrame(
        {"x": pd.Series(values, dtype=object), "y": pd.Series(labels or ["a"] * len(values), dtype=object)}
    )
    mapping = parse_mapping(f"target = 'y'\n[columns]\nx = {rule}".encode())
    prepared = prepare(table_from_frame(frame), mapping, ColumnChoice())
    return content(apply_mapping(prepared, mapping))["x"]


@pytest.mark.parametrize(
    ("rule", "values", "expected"),
    [
        ('"<= 5"', ["5", "5.1", "-3", None], ["yes", "no", "yes", None]),
        ('"> 5"', ["5", "5.1", "007"], ["no", "yes", "yes"]),
        ('"== 1"', ["1", "1.0", "01", "2", "x"], ["yes", "yes", "yes", "no", "no"]),
        ('"!= red"', ["red", "blue", None], ["no", "yes", None]),
        ("'== \"1\"'", ["1", "1.0"], ["yes", "no"]),
        ('"in [1, 2]"', ["1", "2.0", "3"], ["yes", "yes", "no"]),
        ('\'in ["red", "blue"]\'', ["red", "blue", "green"], ["yes", "yes", "no"]),
        ("{ cut = [18, 30] }", ["18", "18.5", "30", "31", None], ["(-inf,18]", "(18,30]", "(18,30]", "(30,inf)", None]),
        ("{ quantiles = 2 }", ["1", "2", "3", "4"], ["(-inf,2]", "(-inf,2]", "(2,inf)", "(2,inf)"]),
        ("{ widths = 2 }", ["0", "1", "10"], ["(-inf,5]", "(-inf,5]", "(5,inf)"]),
        (
            '{ groups = { warm = ["red"], cool = ["blue"] }, other = "rest" }',
            ["red", "blue", "x"],
            ["warm", "cool", "rest"],
        ),
        ('{ groups = { warm = ["red"] } }', ["red", "blue", None], ["warm", "blue", None]),
        ('"category"', ["1", "01"], ["1", "01"]),
        ('"<= 2020-03-19"', ["2020-03-19", "2020-03-20", None], ["yes", "no", None]),
        ('"== 2020-03-19"', ["2020-03-19 00:00:00", "2020-03-20"], ["yes", "no"]),
        ("{ cut = [2020-01-01, 2021-01-01] }", ["2019-05-05", "2021-05-05"], ["(-inf,2020-01-01]", "(2021-01-01,inf)"]),
    ],
)
def test_what_a_rule_makes_of_values(rule: str, values: list[str | None], expected: list[str | None]) -> None:
    assert mapped(values, rule) == expected


def test_rules_learn_from_labelled_rows_only() -> None:
    values: list[str | None] = ["1", "2", "3", "4", "100", "200"]
    labels: list[str | None] = ["a", "a", "b", "b", None, None]
    assert mapped(values, "{ quantiles = 2 }", labels)[-2:] == ["(2,inf)", "(2,inf)"]
    assert mapped(values, "{ widths = 3 }", labels)[-1] == "(3,inf)"


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(1, 4)), min_size=1, max_size=12), st.integers(2, 6))
def test_quantiles_of_counted_rows_are_those_of_repeated_rows(pairs: list[tuple[int, int]], intervals: int) -> None:
    merged: dict[int, int] = {}
    for value, count in pairs:
        merged[value] = merged.get(value, 0) + count
    import pyarrow as pa

    seen = Seen(pa.array([str(v) for v in merged]), np.array(list(merged.values())), Kind.TEXT)
    expanded = np.sort([value for value, count in pairs for _ in range(count)])
    wanted = {
        int(min(v for v in expanded if np.sum(expanded <= v) * intervals >= share * len(expanded)))
        for share in range(1, intervals)
    } - {int(expanded[-1])}
    assert Quantiles(intervals).points(seen).tolist() == sorted(wanted)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("target = ", 1, "TOML"),
        ('drop = ["a"\n\n[columns]\n', 3, "TOML"),
        ('tarket = "y"\n', 1, "unknown key 'tarket'; did you mean 'target'?"),
        ("target = 3\n", 1, "target must be a column's name"),
        ('drop = "a"\n', 1, "must be a list of texts"),
        ('drop = ["x"]\n[columns]\nx = "<= 5"\n', 3, "both dropped and given a rule"),
        ('target = "y"\ndrop = ["y"]\n', 1, "both the target and dropped"),
        ('[columns]\n\nx = "categroy"\n', 3, "did you mean 'category'?"),
        ('[columns]\nx = "= 5"\n', 2, "did you mean '=='?"),
        ('[columns]\nx = "<= five"\n', 2, "<= needs a number or an ISO date, not 'five'"),
        ('[columns]\nx = "in [1, "\n', 2, "not understood"),
        ('[columns]\nx = "in []"\n', 2, "empty"),
        ('[columns]\nx = "in [[1]]"\n', 2, "only numbers and quoted texts"),
        ("[columns]\nx = 5\n", 2, "a rule is text"),
        ("[columns]\nx = { cuts = [1] }\n", 2, "unknown key 'cuts'; did you mean 'cut'?"),
        ("[columns]\nx = { cut = [1], widths = 3 }\n", 2, "found cut and widths"),
        ("[columns]\nx = { cut = [3, 1] }\n", 2, "cut points must grow"),
        ("[columns]\nx = { cut = [1, inf] }\n", 2, "list of numbers"),
        ("[columns]\nx = { cut = [] }\n", 2, "list of numbers"),
        ("[columns]\nx = { cut = [1, 2020-01-01] }\n", 2, "list of numbers"),
        ("[columns]\nx = { cut = [" + "9" * 400 + "] }\n", 2, "list of numbers"),
        ("[columns]\nx = '== \"5\", 6'\n", 2, "takes one value"),
        ("[columns]\nx = { quantiles = 1 }\n", 2, "from 2 to 10000"),
        ("[columns]\nx = { quantiles = true }\n", 2, "from 2 to 10000"),
        ('[columns]\nx = { cut = [1], other = "r" }\n', 2, "'other' goes with groups"),
        ('[columns]\nx = { groups = { a = ["1"], b = ["1"] } }\n', 2, "value '1' is in two groups"),
        ("[columns]\nx = { groups = { a = 1 } }\n", 2, "must be a list of texts"),
        ('target = "y"\n[columns]\ny = "numeric"\n', 3, "classes are needed"),
        ("columns = 3\n", 1, "columns must be a table"),
    ],
)
def test_every_mistake_in_a_mapping_has_its_line(write: Write, text: str, line: int, message: str) -> None:
    with pytest.raises(MappingError) as caught:
        load_mapping(write("m.toml", text))
    assert message in str(caught.value)
    assert caught.value.line == line
    assert caught.value.exit_status == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('target = "z"', "target: no column 'z' in <frame>; choose from 'x', 'y'"),
        ('drop = ["X"]', "drop: no column 'X' in <frame>; did you mean 'x'?"),
        ('[columns]\nxx = "category"', "columns: no column 'xx' in <frame>; did you mean 'x'?"),
    ],
)
def test_a_mapping_that_names_an_unknown_column_says_the_nearest(write: Write, text: str, message: str) -> None:
    frame = pd.DataFrame({"x": ["1", "2"], "y": ["a", "b"]})
    with pytest.raises(MappingError) as caught:
        probfs.rank(frame, mapping=write("m.toml", text))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ('"<= 5"', "m.csv:4: column 'x': 'many' is not a number"),
        ("{ cut = [5] }", "m.csv:4: column 'x': 'many' is not a number"),
        ('"numeric"', "m.csv:4: column 'x': 'many' is not a number"),
        ('{ groups = { many = ["1"] } }', "m.csv:4: column 'x': 'many' is the name of a group"),
    ],
)
def test_a_value_that_a_rule_cannot_take_is_shown_with_its_line(write: Write, rule: str, message: str) -> None:
    data = write("m.csv", "x,y\n1,a\n2,b\nmany,a\n3,b\n")
    with pytest.raises(probfs.DataError) as caught:
        probfs.rank(data, mapping=write("m.toml", f"[columns]\nx = {rule}\n"))
    assert message in str(caught.value)


def test_an_infinite_number_is_refused_unless_named_missing(write: Write) -> None:
    rows = "".join(f"{number}.5,{'ab'[number % 2]}\n" for number in range(30))
    data = write("t.csv", f"x,y\n{rows}inf,a\n")
    with pytest.raises(probfs.DataError, match=r":32: column 'x': 'inf' is infinite"):
        probfs.rank(data)
    assert probfs.rank(data, na=["inf"]).features[0].feature == "x"


@pytest.mark.parametrize(
    "text", [b"a" + b".b" * 40_000 + b" = 1", b"x = " + b"[" * 50_000, b'x = "\xff"', b"\0", b"x = " + b"9" * 5000]
)
def test_a_hostile_mapping_is_refused_at_once(text: bytes) -> None:
    start = time.monotonic()
    with pytest.raises(MappingError):
        parse_mapping(text)
    assert time.monotonic() - start < 5


@given(st.binary(max_size=60))
def test_no_mapping_raises_anything_but_its_own_error(content: bytes) -> None:
    with contextlib.suppress(ProbfsError):
        assert isinstance(parse_mapping(content), MappingFile)


def test_the_target_may_be_made_by_a_rule(write: Write) -> None:
    frame = pd.DataFrame({"x": list("aabbaabb"), "y": [str(number) for number in range(8)]})
    ranking = probfs.rank(frame, mapping=write("m.toml", '[columns]\ny = "< 4"\n'))
    assert ranking.input.classes == {"no": 4, "yes": 4}


def test_dots_in_texts_and_comments_are_no_dotted_keys() -> None:
    dotted = ".".join(["a"] * 100)
    assert parse_mapping(f'# {dotted}\ndrop = ["{dotted}"]\n[columns]\n"{dotted}x" = "category"\n'.encode()).drop == (
        dotted,
    )


def test_a_key_below_columns_by_mistake_is_explained() -> None:
    with pytest.raises(MappingError, match="move it to the top"):
        parse_mapping(b'[columns]\nx = "category"\ndrop = ["y"]\n')
    with pytest.raises(MappingError, match="did you mean '<='"):
        parse_mapping(b'[columns]\nx = "=< 5"\n')


def test_grouped_values_that_the_table_does_not_hold_are_noted(write: Write) -> None:
    frame = pd.DataFrame({"x": list("abab"), "y": list("0011")})
    mapping = write("m.toml", '[columns]\nx = { groups = { one = ["a", "zzz"] } }\n')
    assert any("holds none of 'zzz'" in warning for warning in probfs.rank(frame, mapping=mapping).warnings)


def test_widths_of_extreme_numbers() -> None:
    found = mapped(["-1e308", "0", "1e308"], "{ widths = 2 }")
    assert found == ["(-inf,0]", "(-inf,0]", "(0,inf)"]
