"""What differs between two documents beside ranks."""

from __future__ import annotations

from typing import Any

import pytest

from probfs.comparison.differences import Difference, find_differences, shown_value
from tests.support.comparisons import ranking_of, selection_of


def test_the_same_settings_have_no_difference() -> None:
    assert find_differences(ranking_of("ab"), ranking_of("ba")) == ()


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"settings": {"score": "signed"}}, Difference("score", "absolute", "signed", True)),
        ({"settings": {"classifier": "svm"}}, Difference("classifier", "nb", "svm", True)),
        ({"settings": {"estimate": "cv"}}, Difference("estimate", "loo", "cv", True)),
        ({"settings": {"folds": 5}}, Difference("folds", None, 5, True)),
        ({"settings": {"bins": 7}}, Difference("bins", 5, 7, False)),
        ({"settings": {"exclude": ["x"]}}, Difference("exclude", [], ["x"], False)),
        ({"target": "mode"}, Difference("target", "outcome", "mode", True)),
        ({"classes": {"no": 1, "maybe": 2}}, Difference("classes", ["no", "yes"], ["maybe", "no"], True)),
        ({"labelled_rows": 400}, Difference("labelled rows", 500, 400, False)),
        ({"unlabelled_rows": 7}, Difference("unlabelled rows", 0, 7, False)),
    ],
)
def test_a_difference_says_what_and_whether_it_is_severe(changes: dict[str, Any], expected: Difference) -> None:
    assert find_differences(ranking_of("ab"), ranking_of("ab", **changes)) == (expected,)


def test_more_rows_of_a_class_are_no_other_classes() -> None:
    assert find_differences(ranking_of("ab"), ranking_of("ab", classes={"yes": 1, "no": 1})) == ()


def test_intervals_that_a_target_was_cut_into_may_move() -> None:
    old = ranking_of("ab", settings={"cut_target": 2}, classes={"(-inf,3]": 5, "(3,inf)": 5})
    new = ranking_of("ab", settings={"cut_target": 2}, classes={"(-inf,4]": 5, "(4,inf)": 5})
    (found,) = find_differences(old, new)
    assert (found.what, found.severe) == ("classes", False)


def test_no_rank_depends_on_whether_intervals_were_measured() -> None:
    assert find_differences(ranking_of("ab"), ranking_of("ab", settings={"uncertainty": True})) == ()


def test_a_setting_that_only_one_version_knows_is_not_compared() -> None:
    assert find_differences(ranking_of("ab"), ranking_of("ab", settings={"novelty": 3})) == ()


def test_a_selection_is_no_ranking_and_the_severe_come_first() -> None:
    found = find_differences(ranking_of("ab"), selection_of({"a": "keep", "b": "noise"}, labelled_rows=3))
    assert [difference.what for difference in found] == ["document", "score", "folds", "labelled rows"]
    assert [difference.severe for difference in found] == [True, True, False, False]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.1, "0.1"),
        ("scale", "scale"),
        ("\x1b[31m", "\\x1b[31m"),
        ("x" * 300, f"'{'x' * 59}…'"),
        (["a"] * 9, "'a', 'a', 'a', 'a' and 5 more"),
        ([1, None], "'1', 'None'"),
        (False, "no"),
    ],
)
def test_values_are_shown_in_a_few_safe_words(value: object, shown: str) -> None:
    assert shown_value(value) == shown


def test_a_difference_in_words() -> None:
    assert str(Difference("score", "absolute", "signed", True)) == "score (absolute → signed)"
