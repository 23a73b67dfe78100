"""The types of option values: words of the command line, values from Python, and what is out of range."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from probfs.classifiers.options import Choice, Number, ValueType, WholeNumber, parse_number

KERNEL = Choice(("linear", "rbf"))
FOLDS = WholeNumber(2, metavar="K")
BINS = WholeNumber(2, 100)
KEEP = WholeNumber(1, metavar="best|N", words=("best",))
PARTS = WholeNumber(2, zero="none")
COST = Number(1e-3, 1e3, "scale|NUMBER", ("scale",))
ALPHA = Number(0.5, 8, "ALPHA", zero="the exact limit")


@pytest.mark.parametrize(
    ("kind", "texts", "values", "expected"),
    [
        (KERNEL, ["rbf"], ["rbf"], "rbf"),
        (FOLDS, ["2"], [2, np.int64(2)], 2),
        (FOLDS, ["9" * 18], [], 10**18 - 1),
        (BINS, ["007"], [7], 7),
        (KEEP, ["best"], ["best"], "best"),
        (PARTS, ["0"], [np.int8(0)], 0),
        (COST, ["scale"], ["scale"], "scale"),
        (COST, ["0.5", " 5e-1 "], [0.5, np.float32(0.5), Fraction(1, 2)], 0.5),
        (ALPHA, ["0", "-0"], [0, Decimal(0)], 0.0),
    ],
)
def test_a_word_of_the_command_line_and_a_value_from_python_become_a_plain_one(
    kind: ValueType, texts: list[str], values: list[Any], expected: object
) -> None:
    for found in [*map(kind.parse, texts), *map(kind.check, values)]:
        assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        (KERNEL, "RBF", "'RBF' is not one of linear, rbf"),
        (FOLDS, "9" * 19, f"'{'9' * 19}' is not a whole number from 2 on, of up to 18 digits"),
        *((BINS, text, f"'{text}' is not a whole number from 2 to 100") for text in ("101", "3.0", "1_0", "+3")),
        (KEEP, "0", "'0' is neither best nor a whole number from 1 on, of up to 18 digits"),
        (PARTS, "1", "'1' is neither 0 (none) nor a whole number from 2 on, of up to 18 digits"),
        *((COST, text, f"'{text}' is neither scale nor a number from 0.001 to 1000") for text in ("auto", "nan")),
        (ALPHA, "0.25", "'0.25' is neither 0 (the exact limit) nor a number from 0.5 to 8"),
        (Number(0, 1), "2", "'2' is not a number from 0 to 1"),
    ],
)
def test_a_wrong_word_is_told_with_the_range(kind: ValueType, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        kind.parse(text)


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        (KERNEL, ["rbf"], "['rbf'] is not one of linear, rbf"),
        (FOLDS, 1, "1 is out of range; 2 or more"),
        *((FOLDS, given, f"{given!r} is not a whole number") for given in (3.0, "3", True)),
        (BINS, 101, "101 is out of range; 2 to 100"),
        (KEEP, "least", "'least' is neither best nor a whole number"),
        (PARTS, 1, "1 is out of range; 0 (none) or 2 or more"),
        *(
            (COST, given, f"{given!r} is neither scale nor a number from 0.001 to 1000")
            for given in ("2", math.nan, [1], 10**400, 1j, True)
        ),
        (ALPHA, -1, "-1 is neither 0 (the exact limit) nor a number from 0.5 to 8"),
    ],
)
def test_a_wrong_value_from_python_is_told_with_the_range(kind: ValueType, given: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        kind.check(given)


def test_what_is_no_finite_number_is_none() -> None:
    assert {parse_number(text) for text in ("", "x", "1_000", "nan", "-inf", "1e999", "0x10", "1,5")} == {None}
