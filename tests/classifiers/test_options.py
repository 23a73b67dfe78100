"""The types of option values: words of the command line, values from Python, and what is out of range."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.classifiers.options import Choice, Number, ValueType, WholeNumber, parse_number

KERNEL = Choice(("linear", "rbf"))
FOLDS = WholeNumber(2, metavar="K")
BINS = WholeNumber(2, 100)
KEEP = WholeNumber(1, metavar="best|N", words=("best",))
PARTS = WholeNumber(2, zero="none")
COST = Number(1e-3, 1e3, "scale|NUMBER", ("scale",))
ALPHA = Number(0.5, 8, "ALPHA", zero="the exact limit")


def test_help_shows_what_stands_for_the_value() -> None:
    shown = ["linear|rbf", "K", "N", "best|N", "scale|NUMBER", "ALPHA"]
    assert [kind.metavar for kind in (KERNEL, FOLDS, BINS, KEEP, COST, ALPHA)] == shown


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (KERNEL, "rbf", "rbf"),
        (FOLDS, "2", 2),
        (FOLDS, "9" * 18, 10**18 - 1),
        (BINS, "007", 7),
        (BINS, "100", 100),
        (KEEP, "best", "best"),
        (KEEP, "1", 1),
        (PARTS, "0", 0),
        (COST, "scale", "scale"),
        (COST, "1e-3", 1e-3),
        (COST, " 5 ", 5.0),
        (ALPHA, "0", 0.0),
        (ALPHA, "-0", 0.0),
    ],
)
def test_a_word_of_the_command_line_is_parsed(kind: ValueType, text: str, value: object) -> None:
    parsed = kind.parse(text)
    assert parsed == value
    assert type(parsed) is type(value)


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        (KERNEL, "RBF", "'RBF' is not one of linear, rbf"),
        (FOLDS, "1", "'1' is not a whole number from 2 on, of up to 18 digits"),
        (FOLDS, "9" * 19, f"'{'9' * 19}' is not a whole number from 2 on, of up to 18 digits"),
        (BINS, "101", "'101' is not a whole number from 2 to 100"),
        (KEEP, "0", "'0' is neither best nor a whole number from 1 on, of up to 18 digits"),
        (PARTS, "1", "'1' is neither 0 (none) nor a whole number from 2 on, of up to 18 digits"),
        (BINS, "3.0", "'3.0' is not a whole number from 2 to 100"),
        (BINS, "1_0", "'1_0' is not a whole number from 2 to 100"),
        (BINS, "+3", "'+3' is not a whole number from 2 to 100"),
        (COST, "auto", "'auto' is neither scale nor a number from 0.001 to 1000"),
        (COST, "nan", "'nan' is neither scale nor a number from 0.001 to 1000"),
        (ALPHA, "0.25", "'0.25' is neither 0 (the exact limit) nor a number from 0.5 to 8"),
        (Number(0, 1), "2", "'2' is not a number from 0 to 1"),
    ],
)
def test_a_wrong_word_is_told_with_the_range(kind: ValueType, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        kind.parse(text)


@pytest.mark.parametrize(
    ("kind", "given", "value"),
    [
        (KERNEL, "linear", "linear"),
        (FOLDS, np.int64(3), 3),
        (KEEP, "best", "best"),
        (PARTS, np.int8(0), 0),
        (BINS, 2, 2),
        (BINS, 100, 100),
        (COST, "scale", "scale"),
        (COST, 2, 2.0),
        (COST, np.float32(0.5), 0.5),
        (COST, Fraction(1, 2), 0.5),
        (ALPHA, Decimal(0), 0.0),
    ],
)
def test_a_value_from_python_becomes_a_plain_one(kind: ValueType, given: Any, value: object) -> None:
    checked = kind.check(given)
    assert checked == value
    assert type(checked) is type(value)


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        (KERNEL, ["rbf"], "['rbf'] is not one of linear, rbf"),
        (FOLDS, 1, "1 is out of range; 2 or more"),
        (FOLDS, 3.0, "3.0 is not a whole number"),
        (FOLDS, "3", "'3' is not a whole number"),
        (BINS, 101, "101 is out of range; 2 to 100"),
        (KEEP, "least", "'least' is neither best nor a whole number"),
        (PARTS, 1, "1 is out of range; 0 (none) or 2 or more"),
        (COST, "2", "'2' is neither scale nor a number from 0.001 to 1000"),
        (COST, math.nan, "nan is neither scale nor a number from 0.001 to 1000"),
        (COST, [1], "[1] is neither scale nor a number from 0.001 to 1000"),
        (COST, 10**400, f"{10**400} is neither scale nor a number from 0.001 to 1000"),
        (COST, 1j, "1j is neither scale nor a number from 0.001 to 1000"),
        (ALPHA, -1, "-1 is neither 0 (the exact limit) nor a number from 0.5 to 8"),
    ],
)
def test_a_wrong_value_from_python_is_told_with_the_range(kind: ValueType, given: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        kind.check(given)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_parsed_to_its_last_digit(number: float) -> None:
    assert parse_number(repr(number)) == number


def test_what_is_no_finite_number_is_none() -> None:
    assert {parse_number(text) for text in ("", "x", "1_000", "nan", "-inf", "1e999", "0x10", "1,5")} == {None}
