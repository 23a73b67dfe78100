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
    ("kind", "wrong", "is_not"),
    [
        (KERNEL, ["RBF", ["rbf"]], "not one of linear, rbf"),
        (FOLDS, ["9" * 19, "x", 1, 3.0, True], "not a whole number from 2 on"),
        (BINS, ["101", "3.0", "1_0", "+3", 101, 1], "not a whole number from 2 to 100"),
        (KEEP, ["0", "least", 0], "neither best nor a whole number from 1 on"),
        (PARTS, ["1", 1, -1], "neither 0 (none) nor a whole number from 2 on"),
        (
            COST,
            ["auto", "nan", "2000", math.nan, [1], 10**400, 1j, True],
            "neither scale nor a number from 0.001 to 1000",
        ),
        (ALPHA, ["0.25", -1, 8.5], "neither 0 (the exact limit) nor a number from 0.5 to 8"),
        (Number(0, 1), ["2", -0.5, 1.5], "not a number from 0 to 1"),
    ],
)
def test_what_is_wrong_is_told_with_the_range(kind: ValueType, wrong: list[Any], is_not: str) -> None:
    for given in wrong:
        ways = (kind.parse, kind.check) if isinstance(given, str) else (kind.check,)
        for way in ways:
            with pytest.raises(ValueError, match=f"^{re.escape(f'{given!r} is {is_not}')}$"):
                way(given)


def test_what_is_no_finite_number_is_none() -> None:
    assert {parse_number(text) for text in ("", "x", "1_000", "nan", "-inf", "1e999", "0x10", "1,5")} == {None}
