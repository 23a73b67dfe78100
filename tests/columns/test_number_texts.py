"""Numbers with decimal commas and thousands separators."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.columns.number_texts import NumberStyle, is_settled, respell_numbers, style_of_numbers
from probfs.tables.arrow_arrays import text_array

THOUSANDS, COMMA, EITHER = NumberStyle.THOUSANDS, NumberStyle.DECIMAL_COMMA, NumberStyle.EITHER


@pytest.mark.parametrize(
    ("texts", "unsaid", "point", "comma"),
    [
        (["1", "2.5", "-3e4", "inf"], None, None, None),
        (["1,5", "2,25", "-,5"], COMMA, None, COMMA),
        (["1.234,5", "2"], COMMA, None, COMMA),
        (["1.234.567", "2"], COMMA, None, COMMA),
        (["1,234", "5,678", "9"], EITHER, THOUSANDS, COMMA),
        (["1,234", "0.5"], THOUSANDS, THOUSANDS, None),
        (["1,234,567", "1,234"], THOUSANDS, THOUSANDS, None),
        (["1,234.5", "7"], THOUSANDS, THOUSANDS, None),
        (["1 234", "12 345 678", "9"], THOUSANDS, THOUSANDS, COMMA),
        (["1\u00a0234", "1\u202f234", "1'234", "1\u2019234"], THOUSANDS, THOUSANDS, COMMA),
        (["1 234,5", "7"], COMMA, None, COMMA),
        (["1.234", "5.678"], None, None, COMMA),
        (["1.234", "0.567"], None, None, None),
        (["1.234", "5.67"], None, None, None),
        ([" 1,5 ", "2"], COMMA, None, COMMA),
        ([" 1", "2 "], None, None, None),
        (["1,5", "x"], None, None, None),
        (["007,5", "1,5"], None, None, None),
        (["012 345", "123 456"], None, None, None),
        (["1 23", "4 567"], None, None, None),
        (["12 34 56"], None, None, None),
        (["1,2,3"], None, None, None),
        (["1,234,5"], None, None, None),
        (["1,234 567"], None, None, None),
        (["\u0661,\u0665"], None, None, None),
        ([","], None, None, None),
        ([], None, None, None),
    ],
)
def test_a_style_is_told_by_all_texts_of_a_column(
    texts: list[str], unsaid: NumberStyle | None, point: NumberStyle | None, comma: NumberStyle | None
) -> None:
    values = text_array(texts)
    assert style_of_numbers(values, None) is unsaid
    assert style_of_numbers(values, ".") is point
    assert style_of_numbers(values, ",") is comma


def test_one_text_after_many_plain_ones_decides() -> None:
    plain = [str(number) for number in range(1000)]
    assert style_of_numbers(text_array(plain), None) is None
    assert style_of_numbers(text_array([*plain, "1,5"]), None) is COMMA
    assert style_of_numbers(text_array([*plain, "1.234.567"]), None) is COMMA
    assert style_of_numbers(text_array([*plain, "1,5", "x"]), None) is None


def test_only_what_is_not_a_guess_is_read() -> None:
    assert is_settled(THOUSANDS, None)
    assert is_settled(COMMA, ",")
    assert not is_settled(COMMA, None)
    assert not is_settled(EITHER, None)
    assert not is_settled(None, ",")


def test_texts_in_another_style_stay_as_they_are() -> None:
    texts = text_array(["1.234,5", "x, y", "1,2,3", " 7", "12 345", "NA"])
    assert respell_numbers(texts, COMMA).to_pylist() == ["1234.5", "x, y", "1,2,3", " 7", "12345", "NA"]
    texts = text_array(["1,234.5", "1.234,5", "x y", "1 234"])
    assert respell_numbers(texts, THOUSANDS).to_pylist() == ["1234.5", "1.234,5", "x y", "1234"]


@given(
    st.lists(st.tuples(st.integers(-(10**9), 10**9), st.integers(0, 99)), min_size=1),
    st.sampled_from([(",", "."), (".", ","), (" ", "."), (" ", ","), ("'", "."), ("\u202f", ",")]),
)
def test_numbers_are_read_as_they_were_written(numbers: list[tuple[int, int]], marks: tuple[str, str]) -> None:
    thousands, decimal = marks
    plain = [f"{whole}.{cents:02}" for whole, cents in numbers]
    written = [f"{whole:,}".replace(",", thousands) + f"{decimal}{cents:02}" for whole, cents in numbers]
    style = style_of_numbers(text_array(written), decimal)
    if style is None:
        assert written == plain, "nothing to respell"
    else:
        assert is_settled(style, decimal)
        assert respell_numbers(text_array(written), style).to_pylist() == plain


def test_texts_of_other_columns_in_the_same_memory_do_not_matter() -> None:
    texts = text_array(["0,5", "1 234", "2 345", "1.5"])
    assert style_of_numbers(texts.slice(1, 2), None) is THOUSANDS
    assert style_of_numbers(texts.slice(1, 0), None) is None
