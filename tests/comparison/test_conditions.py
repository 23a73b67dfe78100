"""Conditions on a comparison, for pipelines."""

from __future__ import annotations

import operator
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probfs.comparison.conditions import MEASURES, Condition, parse_condition
from probfs.errors import UsageError
from probfs.text import command_line_language
from tests.support.comparisons import compare_orders

OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("SPEARMAN<0.8", Condition("spearman", "<", 0.8)),
        ("Kendall <= -.5", Condition("kendall", "<=", -0.5)),
        (" vanished>0 ", Condition("vanished", ">", 0)),
        ("kept_changed!=0", Condition("kept_changed", "!=", 0)),
        ("overlap >=1e-3", Condition("overlap", ">=", 0.001)),
        ("changed==3", Condition("changed", "==", 3)),
    ],
)
def test_a_condition_is_a_measure_an_operator_and_a_number(text: str, condition: Condition) -> None:
    assert parse_condition(text) == condition


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "",
            "'' is not a measure, <= >= == != < >, and a number, in quotes, like 'spearman<0.8'; measures: spearman, ",
        ),
        ("spearman", "in quotes, like 'spearman<0.8'"),
        ("spearman=0.8", "in quotes"),
        ("spearman<0.8<1", "'0.8<1' is not a number"),
        ("0.8>spearman", "'0.8>spearman' is not a measure"),
        (
            "spearmen<0.8",
            "'spearmen' is no measure; choose from spearman, kendall, overlap, rbo, changed, rose, fell, ",
        ),
        ("spearman<nan", "'nan' is not a number, in the condition 'spearman<nan'"),
        ("spearman<inf", "'inf' is not a number"),
        ("spearman<1_0", "'1_0' is not a number"),
        ("spearman<80%", "'80%' is not a number"),
        ("spearman<\x1b[31m", "'\\x1b[31m' is not a number"),
    ],
)
def test_a_malformed_condition_is_a_usage_error_with_the_way_out(text: str, says: str) -> None:
    with command_line_language(), pytest.raises(UsageError, match=r"^--fail-if: ") as caught:
        parse_condition(text)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@settings(max_examples=40)
@given(st.sampled_from(sorted(OPERATORS)), st.integers(-1, 5), st.sampled_from(["changed", "vanished", "rose", "rbo"]))
def test_a_condition_is_what_its_operator_says(symbol: str, limit: int, measure: str) -> None:
    comparison = compare_orders("abcd", "bxac")
    value = comparison.measures[measure]
    assert value is not None
    explained = parse_condition(f"{measure}{symbol}{limit}").explain(comparison)
    assert (explained is not None) == OPERATORS[symbol](value, limit)


def test_the_reason_names_the_condition_and_the_value() -> None:
    comparison = compare_orders("abcd", "dcba")
    assert parse_condition("SPEARMAN<0.8").explain(comparison) == "spearman < 0.8 is true: spearman is -1"


@pytest.mark.parametrize(
    ("measure", "reason"),
    [
        ("spearman", "fewer than two columns are in both"),
        ("beyond", "neither document has rank intervals"),
        ("kept_changed", "the two are not both selections"),
    ],
)
@pytest.mark.parametrize("symbol", OPERATORS)
def test_a_measure_that_is_not_known_fails_closed(measure: str, reason: str, symbol: str) -> None:
    comparison = compare_orders("ab", "bc")
    assert comparison.measures[measure] is None
    explained = parse_condition(f"{measure}{symbol}0").explain(comparison)
    assert explained == f"{measure} {symbol} 0 counts as true: {measure} is not known, as {reason}"


def test_every_measure_of_a_comparison_can_be_asked_for_and_has_a_reason_to_be_missing() -> None:
    measures = compare_orders("a", "b").measures
    assert list(measures) == list(MEASURES)
    assert all(MEASURES[name] for name, value in measures.items() if value is None)
    assert not [name for name, reason in MEASURES.items() if not reason and measures[name] is None]
