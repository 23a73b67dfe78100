"""Rules: what each makes of values, what it learns from labelled rows, and what it cannot take."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import probfs
from probfs.columns.encode import encode
from probfs.columns.prepare import apply_mapping
from probfs.columns.rules import (
    UNKNOWN,
    Among,
    Category,
    Coder,
    Cut,
    Frequent,
    Groups,
    Measured,
    Numeric,
    Ordering,
    Quantiles,
    Rule,
    Seen,
    UnfitValueError,
    Widths,
)
from probfs.tables.arrays import double_array, text_array, texts_of_numbers
from probfs.tables.cells import Kind
from tests.support.tables import Write, prepare_csv, prepare_frame, table_content


def mapped(values: list[str | None], rule: str, labels: list[str | None] | None = None) -> list[str | None]:
    """A column put through a rule, from a frame and from a file; all rows are labelled unless said otherwise."""
    mapping = f"target = 'y'\n[columns]\nx = {rule}"
    columns = {"x": values, "y": labels or ["a"] * len(values)}
    rows = "".join(f"{x or ''},{y or ''}\n" for x, y in zip(*columns.values(), strict=True))
    found = [
        table_content(apply_mapping(prepared))["x"]
        for prepared in (prepare_frame(columns, mapping), prepare_csv(f"x,y\n{rows}", mapping))
    ]
    assert found[0] == found[1]
    return found[0]


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
        ("{ widths = 2 }", ["-1e308", "0", "1e308"], ["(-inf,0]", "(-inf,0]", "(0,inf)"]),
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


@pytest.mark.parametrize("text", ["NaT", "now", "today"])
def test_words_that_numpy_takes_for_dates_are_none(text: str) -> None:
    assert mapped(["2020-01-01", text], '"== 2020-01-01"') == ["yes", "no"]
    with pytest.raises(probfs.DataError, match=f"'{text}' is not a date"):
        mapped(["2020-01-01", text], '"<= 2020-06-01"')


def test_rules_learn_from_labelled_rows_only() -> None:
    values: list[str | None] = ["1", "2", "3", "4", "100", "200"]
    labels: list[str | None] = ["a", "a", "b", "b", None, None]
    assert mapped(values, "{ quantiles = 2 }", labels)[-2:] == ["(2,inf)", "(2,inf)"]
    assert mapped(values, "{ widths = 3 }", labels)[-1] == "(3,inf)"
    cells: list[str | None] = ["a", "a", "b", "b", None, "c"]
    frequent = mapped(cells, "{ min_count = 2, other = 'few' }", ["p", "q", "p", None, "q", None])
    assert frequent == ["a", "a", "few", "few", None, "few"]


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


@pytest.mark.parametrize(
    "rule",
    [
        *(Category(), Frequent(2), Frequent(3, "rest"), Groups({"g": ("1", "2.5")}), Groups({"g": ("1",)}, "rest")),
        *(Cut((-1.0, 2.5)), Quantiles(3), Quantiles(4, strict=False), Widths(3), Numeric(), Numeric(Quantiles(2))),
        *(Ordering("<=", 1.0), Ordering(">", -3.5), Among(("1", "x"), (1.0,)), Among(("2.5",), negated=True)),
    ],
)
@given(
    st.lists(st.tuples(st.sampled_from([-3.5, -1.0, 0.0, 1.0, 2.5, 1e15, 0.1]), st.integers(1, 4)), min_size=1),
    st.lists(st.sampled_from([-4.0, -1.0, 0.0, 1.0, 2.5, 7.0]), unique=True),
)
def test_a_rule_makes_the_same_of_numbers_and_of_their_texts(
    rule: Rule, rows: list[tuple[float, int]], others: list[float]
) -> None:
    seen = dict(rows)
    counts = np.array(list(seen.values()))
    by_row, further = np.array(list(seen)), np.array([*seen, *others], dtype=np.float64)
    found = []
    for make in (double_array, texts_of_numbers):
        coder = rule.learn(Seen(make(by_row), counts, Kind.NUMBER))
        found.append((coder.labels.to_pylist(), coder.assign(make(further)).tolist()))
    assert found[0] == found[1]


def test_an_infinite_number_is_refused_unless_named_missing(write: Write) -> None:
    rows = "".join(f"{number}.5,{'ab'[number % 2]}\n" for number in range(30))
    data = write("t.csv", f"x,y\n{rows}inf,a\n")
    with pytest.raises(probfs.DataError, match=r":32: column 'x': 'inf' is infinite; name it with na=, or map"):
        probfs.rank(data, target="y")
    assert probfs.rank(data, target="y", na=["inf"]).features[0].feature == "x"
    typed = prepare_frame({"x": [*(number / 2 for number in range(30)), np.inf], "y": list("ab" * 15 + "a")})
    with pytest.raises(probfs.DataError, match="<frame>: column 'x', row 31: 'inf' is infinite"):
        encode(typed)


def learn(rule: Rule, rows: str, declared: str | None = None, kind: Kind = Kind.TEXT) -> Coder:
    """What a rule learns from values, each in one row unless a number behind it says otherwise: ``a b:5``."""
    pairs = [(value, int(count or 1)) for value, _, count in (row.partition(":") for row in rows.split())]
    counts = np.array([count for _, count in pairs], dtype=np.int64)
    own = None if declared is None else text_array(declared.split())
    return rule.learn(Seen(text_array([value for value, _ in pairs]), counts, kind, own))


@pytest.mark.parametrize(
    ("rule", "rows", "declared", "labels", "codes"),
    [
        (Category(), "b a", None, "a b", {"b": 1, "c": UNKNOWN, "a": 0}),
        (Groups({"g": ("b",)}), "b", "z b y", "g z y", {"y": 2}),
        (Groups({"g": ("a",)}), "a b", None, "g b", {"a": 0, "b": 1, "new": UNKNOWN}),
        (Groups({"g": ("a",)}, "rest"), "a b", None, "g rest", {"a": 0, "b": 1, "new": 1}),
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


def test_a_guess_takes_text_among_numbers_for_missing_and_the_user_s_word_does_not() -> None:
    guessed, told = (learn(Quantiles(2, strict=strict), "0 1 2 3 4 5 6 7 8") for strict in (False, True))
    assert guessed.assign(text_array(["0", "many", "8"])).tolist() == [0, UNKNOWN, 1]
    with pytest.raises(UnfitValueError, match="'many' is not a number") as caught:
        told.assign(text_array(["0", "many", "8"]))
    assert caught.value.position == 1
    with pytest.raises(UnfitValueError, match="'x' is not a date"):
        learn(Numeric(), "2020-01-01 x", kind=Kind.DATE)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (Category(), "category"),
        (Numeric(Quantiles(5)), "numeric, as 5 intervals at quantiles"),
        (Measured(), "numeric"),
        (Widths(4), "4 intervals of equal width"),
        (Cut((-0.0, 18.0, 30.5)), "4 intervals at 0, 18, 30.5"),
        (Cut((0.0, 86_399.5), Kind.DATE), "3 intervals at 1970-01-01, 1970-01-01T23:59:59.500000"),
        (Ordering("<=", 5.0), "yes/no: <= 5"),
        (Ordering(">", 86_400.0, Kind.DATE), "yes/no: > 1970-01-02"),
        (Among(("a", "b")), "yes/no: 'a', 'b'"),
        (Among(("a",), negated=True), "yes/no: not 'a'"),
        (Frequent(2000, "rest"), "category, 'rest' for values in fewer than 2,000 rows"),
        (Groups({"g": ("a",)}, "rest"), "groups 'g', the rest 'rest'"),
    ],
)
def test_a_rule_is_described_in_a_few_words(rule: Rule | Measured, words: str) -> None:
    assert rule.describe() == words
