"""A comparison as text, as a frame and in short, and conditions on it."""

from __future__ import annotations

import pytest

from probfs.comparison.changes import compare_rankings
from probfs.comparison.result import MEASURES, Condition, parse_condition
from probfs.errors import UsageError
from probfs.output.documents import COMPARISON_HEADER
from probfs.text import command_line_language
from tests.support.comparisons import compare_orders, ranking_of


def test_a_frame_has_the_columns_of_the_csv_and_types_that_know_missing_values() -> None:
    intervals = {"a": (1, 1), "b": (2, 3), "c": (2, 3)}
    frame = compare_rankings(ranking_of("abc", intervals=intervals), ranking_of("cba")).to_frame()
    assert list(frame) == list(COMPARISON_HEADER)
    assert frame["old_rank"].dtype == frame["moved"].dtype == "Int64"
    assert frame["beyond"].dtype == "boolean"
    assert frame["beyond"].tolist() == [True, False, True]
    missing = compare_orders("a", "b").to_frame()
    assert missing["old_rank"].isna().tolist() == [True, False]


def test_what_a_partial_document_cannot_tell_is_not_known() -> None:
    part, whole = ranking_of("ab", total=4), ranking_of("abcd")
    names = ("changed", "appeared", "vanished", "renamed")
    assert [compare_rankings(part, whole).measures[name] for name in names] == [0, None, 0, None]
    assert [compare_rankings(whole, part).measures[name] for name in names] == [0, 0, None, None]
    assert [compare_rankings(part, part).measures[name] for name in names] == [0, None, None, None]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "",
            "'' is not a measure, <= >= == != < >, and a number, in quotes, like 'spearman<0.8'; measures: spearman, ",
        ),
        ("spearman=0.8", "in quotes"),
        ("spearman<0.8<1", "'0.8<1' is not a number"),
        (
            "spearmen<0.8",
            "'spearmen' is no measure; choose from spearman, kendall, overlap, rbo, changed, rose, fell, ",
        ),
        ("spearman<nan", "'nan' is not a number, in the condition 'spearman<nan'"),
        ("spearman<\x1b[31m", "'\\x1b[31m' is not a number"),
    ],
)
def test_a_malformed_condition_is_a_usage_error_with_the_way_out(text: str, says: str) -> None:
    with command_line_language(), pytest.raises(UsageError, match=r"^--fail-if: ") as caught:
        parse_condition(text)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
    assert parse_condition(" Kendall <= -.5") == Condition("kendall", "<=", -0.5)
    assert parse_condition("kept_changed!=0") == Condition("kept_changed", "!=", 0)


@pytest.mark.parametrize(
    ("measure", "reason"),
    [
        ("spearman", "fewer than two columns are in both"),
        ("beyond", "neither document has rank intervals"),
        ("kept_changed", "the two are not both selections"),
    ],
)
@pytest.mark.parametrize("symbol", ["<", "!="])
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
