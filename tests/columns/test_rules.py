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
    short_number,
)
from probfs.tables.arrow_arrays import text_array
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
    seen = Seen(text_array([str(v) for v in merged]), np.array(list(merged.values())), Kind.TEXT)
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
    assert probfs.rank(data, target="y", na=["inf"]).features[0].feature == "x"


def test_widths_of_extreme_numbers() -> None:
    found = mapped(["-1e308", "0", "1e308"], "{ widths = 2 }")
    assert found == ["(-inf,0]", "(-inf,0]", "(0,inf)"]


def learn(rule: Rule, values: list[str], kind: Kind = Kind.TEXT, declared: list[str] | None = None) -> Coder:
    """What a rule learns when each value is held by one row."""
    everything = None if declared is None else text_array(declared)
    return rule.learn(Seen(text_array(values), np.ones(len(values), dtype=np.int64), kind, everything))


def test_a_category_has_the_values_in_order_and_does_not_know_others() -> None:
    coder = learn(Category(), ["b", "a"])
    assert coder.labels.to_pylist() == ["a", "b"]
    assert coder.assign(text_array(["b", "c", "a"])).tolist() == [1, UNKNOWN, 0]


def test_declared_values_count_and_keep_the_file_s_order() -> None:
    assert learn(Category(), ["b"], declared=["z", "b"]).labels.to_pylist() == ["z", "b"]
    grouped = learn(Groups({"g": ("b",)}), ["b"], declared=["z", "b", "y"])
    assert grouped.labels.to_pylist() == ["g", "z", "y"]


def test_a_value_that_no_group_has_and_no_row_held_is_unknown_unless_there_is_an_other() -> None:
    values = text_array(["a", "b", "new"])
    alone = learn(Groups({"g": ("a",)}), ["a", "b"])
    assert [alone.labels.to_pylist(), alone.assign(values).tolist()] == [["g", "b"], [0, 1, UNKNOWN]]
    with_other = learn(Groups({"g": ("a",)}, "rest"), ["a", "b"])
    assert [with_other.labels.to_pylist(), with_other.assign(values).tolist()] == [["g", "rest"], [0, 1, 1]]
    into_group = learn(Groups({"g": ("a",)}, "g"), ["a", "b"])
    assert [into_group.labels.to_pylist(), into_group.assign(values).tolist()] == [["g"], [0, 0, 0]]


def rows_of(*values: tuple[str, int], declared: list[str] | None = None) -> Seen:
    """Values and how many labelled rows hold each."""
    counts = np.array([rows for _, rows in values], dtype=np.int64)
    return Seen(
        text_array([v for v, _ in values]), counts, Kind.TEXT, None if declared is None else text_array(declared)
    )


def test_rare_values_go_by_one_name_and_so_do_values_that_no_labelled_row_held() -> None:
    learned = Frequent(5).learn(rows_of(("c", 5), ("b", 4), ("a", 9), ("d", 1)))
    assert learned.labels.to_pylist() == ["a", "c", "other"]
    assert learned.assign(text_array(["a", "b", "c", "d", "new"])).tolist() == [0, 2, 1, 2, 2]
    nothing_rare = Frequent(5).learn(rows_of(("c", 5), ("a", 9)))
    assert nothing_rare.labels.to_pylist() == ["a", "c"]
    assert nothing_rare.assign(text_array(["c", "new"])).tolist() == [1, UNKNOWN]
    assert Frequent(5).learn(rows_of(("a", 5), declared=["a", "z"])).labels.to_pylist() == ["a", "other"]


def test_the_name_of_rare_values_is_free_unless_the_user_gave_it() -> None:
    seen = rows_of(("other", 7), ("other_", 7), ("b", 1))
    assert Frequent(5).learn(seen).labels.to_pylist() == ["other", "other_", "other__"]
    joined = Frequent(5, "other").learn(seen)
    assert joined.labels.to_pylist() == ["other", "other_"]
    assert joined.assign(text_array(["b", "other", "other_"])).tolist() == [0, 0, 1]
    rare = Frequent(5).learn(rows_of(("a", 7), ("other", 1), ("b", 1)))
    assert rare.labels.to_pylist() == ["a", "other"]
    assert rare.assign(text_array(["a", "b", "other"])).tolist() == [0, 1, 1]


@given(st.lists(st.sampled_from(["a", "b", "c", "other", "other_"]), min_size=1), st.integers(2, 5))
def test_rows_of_a_frequent_value_keep_it_and_no_others_do(cells: list[str], least: int) -> None:
    values = sorted(set(cells))
    learned = Frequent(least).learn(rows_of(*((value, cells.count(value)) for value in values)))
    new = [learned.labels.to_pylist()[code] for code in learned.assign(text_array(cells))]
    rare = {after for before, after in zip(cells, new, strict=True) if cells.count(before) < least}
    assert len(rare) <= 1
    kept = [(before, after) for before, after in zip(cells, new, strict=True) if cells.count(before) >= least]
    assert all(before == after and after not in rare for before, after in kept)


def test_only_labelled_rows_make_a_value_frequent() -> None:
    cells: list[str | None] = ["a", "a", "b", "b", None]
    labels: list[str | None] = ["p", "q", "p", None, "q"]
    assert mapped(cells, "{ min_count = 2, other = 'few' }", labels) == ["a", "a", "few", "few", None]


def test_a_guess_takes_text_among_numbers_for_missing_and_the_user_s_word_does_not() -> None:
    numbers = [str(number) for number in range(9)]
    guessed, told = (learn(Quantiles(2, strict=strict), numbers) for strict in (False, True))
    assert guessed.assign(text_array(["0", "many", "8"])).tolist() == [0, UNKNOWN, 1]
    with pytest.raises(UnfitValueError, match="'many' is not a number") as caught:
        told.assign(text_array(["0", "many", "8"]))
    assert caught.value.position == 1


@pytest.mark.parametrize("rule", [Quantiles(3), Widths(3)])
def test_one_value_or_none_is_one_interval(rule: Rule) -> None:
    for values in (["5"], []):
        assert learn(rule, values).labels.to_pylist() == ["(-inf,inf)"]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20, unique=True), st.integers(2, 6))
def test_intervals_cover_every_number_and_none_is_empty(numbers: list[float], intervals: int) -> None:
    texts = [repr(number) for number in numbers]
    for rule in (Quantiles(intervals), Widths(intervals)):
        coder = learn(rule, texts, Kind.NUMBER)
        assigned = coder.assign(text_array(texts))
        order = np.argsort(numbers)
        assert (np.diff(assigned[order]) >= 0).all()
        assert len(coder.labels) <= intervals
        if isinstance(rule, Quantiles):
            assert set(assigned.tolist()) == set(range(len(coder.labels)))


def test_numbers_are_measured_as_they_are() -> None:
    values = text_array(["1", "007", "x", "2.5"])
    assert Measured(strict=False).numbers(values, Kind.TEXT).tolist() == pytest.approx([1, 7, np.nan, 2.5], nan_ok=True)
    with pytest.raises(UnfitValueError, match="'x' is not a number"):
        Measured().numbers(values, Kind.TEXT)
    with pytest.raises(UnfitValueError, match="'inf' is infinite; name it with na="):
        Measured(strict=False).numbers(text_array(["1", "inf"]), Kind.TEXT)


def test_numeric_is_checked_before_its_values_are_counted() -> None:
    assert learn(Numeric(), ["2", "1"]).labels.to_pylist() == ["1", "2"]
    with pytest.raises(UnfitValueError, match="'x' is not a number"):
        learn(Numeric(), ["2", "x"])
    with pytest.raises(UnfitValueError, match="'x' is not an ISO date"):
        learn(Numeric(), ["2020-01-01", "x"], Kind.DATE)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (Category(), "category"),
        (Numeric(Quantiles(5)), "numeric, as 5 intervals at quantiles"),
        (Measured(), "numeric"),
        (Quantiles(5), "5 intervals at quantiles"),
        (Widths(4), "4 intervals of equal width"),
        (Cut((18.0, 30.5)), "3 intervals at 18, 30.5"),
        (Cut((0.0, 86_399.5), Kind.DATE), "3 intervals at 1970-01-01, 1970-01-01T23:59:59.500000"),
        (Ordering("<=", 5.0), "yes/no: <= 5"),
        (Ordering(">", 86_400.0, Kind.DATE), "yes/no: > 1970-01-02"),
        (Among(("a", "b")), "yes/no: 'a', 'b'"),
        (Among(("a",), negated=True), "yes/no: not 'a'"),
        (Frequent(5), "category, 'other' for values in fewer than 5 rows"),
        (Frequent(2000, "rest"), "category, 'rest' for values in fewer than 2,000 rows"),
        (Groups({"g": ("a",)}), "groups 'g'"),
        (Groups({"g": ("a",)}, "rest"), "groups 'g', the rest 'rest'"),
    ],
)
def test_a_rule_is_described_in_a_few_words(rule: Rule | Measured, words: str) -> None:
    assert rule.describe() == words


@pytest.mark.parametrize(
    ("number", "text"), [(18.0, "18"), (-0.0, "0"), (0.1, "0.1"), (1e14, "100000000000000"), (1e300, "1e+300")]
)
def test_numbers_are_written_as_people_write_them(number: float, text: str) -> None:
    assert short_number(number) == text
