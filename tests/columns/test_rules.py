"""Rules: what each makes of values, what it learns from labelled rows, and what it cannot take."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import probfs
from probfs.columns.mapping_file import parse_mapping
from probfs.columns.prepare import apply_mapping, prepare
from probfs.columns.roles import ColumnChoice
from probfs.columns.rules import Quantiles, Seen
from probfs.tables.readers.frame import table_from_frame
from probfs.tables.table import Kind
from tests.support.table_content import Write
from tests.support.table_content import table_content as content


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


def test_widths_of_extreme_numbers() -> None:
    found = mapped(["-1e308", "0", "1e308"], "{ widths = 2 }")
    assert found == ["(-inf,0]", "(-inf,0]", "(0,inf)"]
