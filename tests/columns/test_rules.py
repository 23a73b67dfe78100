"""Rules: what each makes of values, what it learns from labelled rows, and what it cannot take."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import probfs
from probfs.columns.encode import encode
from probfs.columns.prepare import apply_mapping
from probfs.columns.rules import UNKNOWN, Category, Coder, Frequent, Groups, Numeric, Quantiles, Rule, Seen, Widths
from probfs.errors import DataError
from probfs.tables.arrays import text_array
from probfs.tables.cells import Kind
from tests.support.tables import Write, csv_of, prepare_csv, prepare_frame, table_content


def mapped(values: str, rule: str, labels: str = "") -> tuple[str, str]:
    """A column, its cells between bars, put through a rule, from a frame and from a file, and what is said of it; rows
    are labelled unless said otherwise.
    """
    mapping, cells = f"target = 'y'\n[columns]\nx = {rule}", values.split("|")
    classes = labels.split("|") if labels else ["a"] * len(cells)
    by_frame = prepare_frame({"x": [cell or None for cell in cells], "y": [own or None for own in classes]}, mapping)
    by_file = prepare_csv(csv_of(x=cells, y=classes), mapping)
    found = table_content(apply_mapping(by_frame))["x"]
    assert found == table_content(apply_mapping(by_file))["x"]
    return by_file.plans[0].describe().removesuffix(" (mapping)"), "|".join(text or "" for text in found)


@pytest.mark.parametrize(
    ("rule", "words", "values", "expected"),
    [
        ('"<= 5"', "yes/no: <= 5", "5|5.1|-3|", "yes|no|yes|"),
        ('"> 5"', "yes/no: > 5", "5|5.1|007", "no|yes|yes"),
        ('"< 5"', "yes/no: < 5", "5|4.9", "no|yes"),
        ('">= 5"', "yes/no: >= 5", "5|4.9", "yes|no"),
        ('"== 1"', "yes/no: '1'", "1|1.0|01|2|x", "yes|yes|yes|no|no"),
        ('"!= red"', "yes/no: not 'red'", "red|blue|", "no|yes|"),
        ("'== \"1\"'", "yes/no: '1'", "1|1.0", "yes|no"),
        ('"in [1, 2]"', "yes/no: '1', '2'", "1|2.0|3", "yes|yes|no"),
        ('\'in ["red", "blue"]\'', "yes/no: 'red', 'blue'", "red|blue|green", "yes|yes|no"),
        ("{ cut = [-0.0, 18] }", "3 intervals at 0, 18", "0|18|18.5|", "(-inf,0]|(0,18]|(18,inf)|"),
        ("{ quantiles = 2 }", "2 intervals at quantiles", "1|2|3|4", "(-inf,2]|(-inf,2]|(2,inf)|(2,inf)"),
        ("{ widths = 2 }", "2 intervals of equal width", "-1e308|0|1e308", "(-inf,0]|(-inf,0]|(0,inf)"),
        ("{ widths = 2 }", "2 intervals of equal width", "0|1|10", "(-inf,5]|(-inf,5]|(5,inf)"),
        ('{ groups = { g = ["u"], h = ["v"] }, other = "no" }', "groups 'g', 'h', the rest 'no'", "u|v|x", "g|h|no"),
        ('{ groups = { warm = ["red"] } }', "groups 'warm'", "red|blue|", "warm|blue|"),
        ("{ min_count = 2 }", "category, 'other' for values in fewer than 2 rows", "u|u|v|w", "u|u|other|other"),
        ('"category"', "category", "1|01", "1|01"),
        ('"<= 2020-03-19"', "yes/no: <= 2020-03-19", "2020-03-19|2020-03-20|", "yes|no|"),
        ('"> 2020-03-19T23:59:59"', "yes/no: > 2020-03-19T23:59:59", "2020-03-19 23:59:59|2020-03-20", "no|yes"),
        ('"== 2020-03-19"', "yes/no: '2020-03-19'", "2020-03-19 00:00:00|2020-03-20", "yes|no"),
        # Words that numpy takes for dates are none.
        *(
            ('"== 2020-03-19"', "yes/no: '2020-03-19'", f"2020-03-19|{word}", "yes|no")
            for word in ("NaT", "now", "today")
        ),
        (
            "{ cut = [2020-01-01] }",
            "2 intervals at 2020-01-01",
            "2019-05-05|2021-05-05",
            "(-inf,2020-01-01]|(2020-01-01,inf)",
        ),
    ],
)
def test_what_a_rule_makes_of_values(rule: str, words: str, values: str, expected: str) -> None:
    assert mapped(values, rule) == (words, expected)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("{ quantiles = 2 }", "(-inf,2]|(-inf,2]|(2,inf)|(2,inf)|(2,inf)|(2,inf)"),
        ("{ widths = 3 }", "(-inf,2]|(-inf,2]|(2,3]|(3,inf)|(3,inf)|(3,inf)"),
        ("{ min_count = 2 }", "other|other|other|other|other|other"),
    ],
)
def test_rules_learn_from_labelled_rows_only(rule: str, expected: str) -> None:
    assert mapped("1|2|3|4|100|100", rule, "a|a|b|b||")[1] == expected


def points_by_definition(numbers: list[float], intervals: int) -> list[float]:
    """Of each i/k of the rows, the least number at or below which they lie; the largest number is no point."""
    rows = np.sort(numbers)
    shares = range(1, intervals)
    points = {min(x for x in rows if np.sum(rows <= x) * intervals >= share * len(rows)) for share in shares}
    return sorted(points - {rows[-1]})


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(1, 4)), min_size=1, max_size=12), st.integers(2, 6))
def test_quantiles_are_those_of_the_definition_however_rows_are_counted(
    pairs: list[tuple[int, int]], intervals: int
) -> None:
    merged: dict[int, int] = {}
    for value, count in pairs:
        merged[value] = merged.get(value, 0) + count
    seen = Seen(text_array([str(v) for v in merged]), np.array(list(merged.values())), Kind.TEXT)
    expected = points_by_definition([value for value, count in pairs for _ in range(count)], intervals)
    assert Quantiles(intervals).points(seen).tolist() == expected


def test_what_is_no_finite_number_is_refused_unless_it_is_named_missing_or_numbers_were_a_guess(write: Write) -> None:
    text = csv_of(x=[*(f"{number}.5" for number in range(30)), "inf"])
    with pytest.raises(DataError, match=r"^t\.csv:32: column 'x': 'inf' is infinite; name it with na=, or map"):
        encode(prepare_csv(text))
    assert probfs.rank(write("t.csv", text), target="y", na=["inf"]).features[0].feature == "x"
    typed = prepare_frame({"x": [*(number / 2 for number in range(30)), np.inf], "y": list("ab" * 15 + "a")})
    with pytest.raises(DataError, match="<frame>: column 'x', row 31: 'inf' is infinite"):
        encode(typed)
    with pytest.raises(DataError, match=r"^t\.csv:3: column 'x': 'now' is not a date, or not surely one; write"):
        encode(prepare_csv("x,y\n2020-01-01,p\nnow,q\n", "columns.x = 'date'"))
    guessed, told = (learn(Quantiles(2, strict=strict), "0 1 2 3 4 5 6 7 8") for strict in (False, True))
    assert guessed.assign(text_array(["0", "many", "8"])).tolist() == [0, UNKNOWN, 1]
    assert told.assign(text_array(["4", "4.1"])).tolist() == [0, 1]


def learn(rule: Rule, rows: str, declared: str | None = None) -> Coder:
    """What a rule learns from values, each in one row unless a number behind it says otherwise: ``a b:5``."""
    pairs = [(value, int(count or 1)) for value, _, count in (row.partition(":") for row in rows.split())]
    counts = np.array([count for _, count in pairs], dtype=np.int64)
    own = None if declared is None else text_array(declared.split())
    return rule.learn(Seen(text_array([value for value, _ in pairs]), counts, Kind.TEXT, own))


@pytest.mark.parametrize(
    ("rule", "rows", "declared", "labels", "codes"),
    [
        (Category(), "b a", None, "a b", {"b": 1, "c": UNKNOWN, "a": 0}),
        (Groups({"g": ("b",)}), "b", "z b y", "g z y", {"y": 2}),
        (Groups({"g": ("a",)}), "a b", None, "g b", {"a": 0, "b": 1, "new": UNKNOWN}),
        (Groups({"g": ("a",)}, "g"), "a b", None, "g", {"a": 0, "b": 0, "new": 0}),
        (Frequent(5), "c:5 b:4 a:9 d:1", None, "a c other", {"a": 0, "b": 2, "c": 1, "d": 2, "new": 2}),
        (Frequent(5), "a:5", "a z", "a other", {"z": 1}),
        (Frequent(5), "other:7 other_:7 b", None, "other other_ other__", {"b": 2, "other": 0}),
        (Frequent(5, "other"), "other:7 other_:7 b", None, "other other_", {"b": 0, "other": 0, "other_": 1}),
        (Quantiles(3), "5", None, "(-inf,inf)", {"5": 0, "9": 0}),
        (Widths(3), "", None, "(-inf,inf)", {"5": 0}),
        (Numeric(), "2 1", None, "1 2", {"1": 0, "2": 1}),
    ],
)
def test_what_a_rule_learns_and_makes_of_any_value(
    rule: Rule, rows: str, declared: str | None, labels: str, codes: dict[str, int]
) -> None:
    coder = learn(rule, rows, declared)
    assert coder.labels.to_pylist() == labels.split()
    assert coder.assign(text_array(list(codes))).tolist() == list(codes.values())
