"""What became of each column, and how alike two rankings are."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probfs.comparison.changes import compare_rankings
from probfs.comparison.result import Comparison
from tests.support.comparisons import compare_orders, ranking_of, selection_of

NAMES = st.lists(st.sampled_from("abcdefghijkl"), min_size=1, max_size=12, unique=True)


def changes_of(comparison: Comparison) -> dict[str, tuple[str, int | None]]:
    return {column.column: (column.change, column.moved) for column in comparison.columns}


def test_a_ranking_against_itself_has_no_change() -> None:
    comparison = compare_orders("abcde", "abcde")
    assert comparison.changed == ()
    assert set(changes_of(comparison).values()) == {("same", 0)}
    assert comparison.spearman == comparison.kendall == 1
    assert comparison.rbo == pytest.approx(1)
    assert comparison.same_scores


def test_columns_rise_and_fall_among_those_that_both_have() -> None:
    comparison = compare_orders("abcd", "xbac")
    assert changes_of(comparison) == {
        "x": ("appeared", None),
        "b": ("rose", 1),
        "a": ("fell", -1),
        "c": ("same", 0),
        "d": ("vanished", None),
    }
    assert [(column.old_rank, column.new_rank) for column in comparison.columns] == [
        (None, 1),
        (2, 2),
        (1, 3),
        (3, 4),
        (4, None),
    ]


@settings(max_examples=40)
@given(NAMES, NAMES)
def test_moves_are_those_of_lists_without_the_others(old: list[str], new: list[str]) -> None:
    comparison = compare_orders(old, new)
    left = [name for name in old if name in new]
    right = [name for name in new if name in old]
    expected: dict[str, tuple[str, int | None]] = {name: ("appeared", None) for name in new if name not in old}
    expected |= {name: ("vanished", None) for name in old if name not in new}
    for name in left:
        moved = left.index(name) - right.index(name)
        expected[name] = ("rose" if moved > 0 else "fell" if moved < 0 else "same", moved)
    assert changes_of(comparison) == expected
    assert [column.column for column in comparison.columns] == [*new, *(name for name in old if name not in new)]
    assert (comparison.spearman is None) == (len(left) < 2)
    assert comparison.measures["changed"] == len(comparison.columns) - sum(
        change == "same" for change, _ in expected.values()
    )


@settings(max_examples=40)
@given(st.data())
def test_a_move_is_beyond_if_no_interval_holds_the_other_rank(data: st.DataObject) -> None:
    """Intervals are taken among the common columns: here, by marking which of them each interval spans."""
    old, new = data.draw(NAMES), data.draw(NAMES)
    sides: list[dict[str, Any]] = []
    for names in (old, new):
        drawn = {
            name: (data.draw(st.integers(1, rank)), data.draw(st.integers(rank, len(names))))
            for rank, name in enumerate(names, 1)
        }
        sides.append({"intervals": data.draw(st.sampled_from([None, drawn]))})
    comparison = compare_rankings(ranking_of(old, **sides[0]), ranking_of(new, **sides[1]))
    left, right = [name for name in old if name in new], [name for name in new if name in old]
    for column in comparison.columns:
        inside = []
        for names, own, other, side in ((old, left, right, sides[0]), (new, right, left, sides[1])):
            if side["intervals"] is not None and column.moved is not None:
                low, high = side["intervals"][column.column]
                spanned = {own.index(name) for name in names[low - 1 : high] if name in own}
                inside.append(other.index(column.column) in spanned)
        assert column.beyond == (None if not inside else not any(inside))
    measured = comparison.measures["beyond"]
    assert (measured is None) == all(column.beyond is None for column in comparison.columns)


def test_a_column_that_stayed_is_never_beyond() -> None:
    tight = {name: (rank, rank) for rank, name in enumerate("abc", 1)}
    comparison = compare_rankings(ranking_of("abc", intervals=tight), ranking_of("acb"))
    assert [column.beyond for column in comparison.columns] == [False, True, True]
    assert comparison.measures["beyond"] == 2


def test_a_renamed_column_is_named() -> None:
    scores = {"b": 0.4, "x": 0.4}
    comparison = compare_rankings(ranking_of("abc", scores=scores), ranking_of("axc", scores=scores))
    assert comparison.renamed == {"b": "x"}
    assert {column.column: column.renamed for column in comparison.columns} == {
        "a": None,
        "b": "x",
        "c": None,
        "x": "b",
    }
    assert comparison.measures["renamed"] == comparison.measures["vanished"] == comparison.measures["appeared"] == 1


def test_what_a_partial_list_leaves_out_neither_appeared_nor_vanished() -> None:
    scores = {"b": 0.4, "x": 0.4}
    part = ranking_of("ab", total=9, scores=scores)
    whole = ranking_of("axcdefghi", scores=scores)
    new = compare_rankings(part, whole, top=5)
    assert {column.change for column in new.columns} == {"same", "unlisted", "vanished"}
    assert [column.column for column in new.changes("vanished")] == ["b"]
    assert new.renamed == {}
    assert new.measures["overlap"] is None
    assert new.overlaps == ()
    assert compare_rankings(part, whole, top=2).measures["overlap"] == 0.5
    old = compare_rankings(whole, part)
    assert {column.change for column in old.columns} == {"same", "unlisted", "appeared"}
    assert old.measures["vanished"] is None
    assert {warning.code for warning in old.warnings} == {"partial"}


@pytest.mark.parametrize(("columns", "top", "expected"), [(1, None, 1), (9, None, 5), (19, None, 10), (50, None, 10)])
def test_the_first_columns_are_ten_or_half_of_them(columns: int, top: int | None, expected: int) -> None:
    names = [f"c{number:02}" for number in range(columns)]
    assert compare_orders(names, names).top == expected
    backwards = compare_orders(names, names[::-1], top)
    assert (backwards.measures["overlap"] == 1) == (columns == 1)


def test_the_number_of_first_columns_may_be_chosen() -> None:
    names = [f"c{number:02}" for number in range(30)]
    moved = [*names[5:], *names[:5]]
    assert compare_orders(names, moved, 7).measures["overlap"] == pytest.approx(2 / 7)
    assert [own.first for own in compare_orders(names, moved, 7).overlaps] == [5, 7, 10, 20]
    everything = compare_orders(names, moved, 99)
    assert (everything.top, everything.measures["overlap"]) == (30, 1)
    assert [warning.code for warning in everything.warnings] == ["top"]


def test_verdicts_and_kept_columns_are_compared() -> None:
    old = selection_of({"a": "keep", "b": "keep", "c": "weak", "d": "noise"})
    new = selection_of({"a": "keep", "c": "keep", "b": "noise", "d": "noise", "e": "keep"})
    comparison = compare_rankings(old, new)
    assert comparison.measures["verdicts"] == 2
    assert (comparison.newly_kept, comparison.no_longer_kept) == (("c", "e"), ("b",))
    assert comparison.measures["kept_changed"] == 3
    assert [column.column for column in comparison.changed] == ["c", "b", "e"]


def test_another_verdict_is_a_change_even_at_the_same_rank() -> None:
    old, new = selection_of({"a": "keep", "b": "weak"}), selection_of({"a": "keep", "b": "redundant"})
    comparison = compare_rankings(old, new)
    assert [(column.column, column.change) for column in comparison.changed] == [("b", "same")]
    assert comparison.measures["changed"] == comparison.measures["verdicts"] == 1
    assert comparison.measures["kept_changed"] == 0


def test_scores_are_the_same_up_to_rounding() -> None:
    old = ranking_of("ab")
    for factor, same in ((1 + 1e-12, True), (1 + 1e-6, False)):
        columns = tuple(type(own)(**{**vars(own), "score": (own.score or 0) * factor}) for own in old.columns)
        assert compare_rankings(old, type(old)(**{**vars(old), "columns": columns})).same_scores is same
    screened = selection_of({"a": "keep", "b": "noise"}), selection_of({"a": "keep", "b": "weak"})
    assert compare_rankings(screened[0], screened[0]).same_scores
    assert not compare_rankings(*screened).same_scores


def test_scores_of_different_kinds_are_not_compared() -> None:
    same = ranking_of("ab")
    assert compare_rankings(same, same).same_scores is True
    assert compare_rankings(same, ranking_of("ab", settings={"score": "signed"})).same_scores is None
    assert compare_rankings(same, ranking_of("ab", settings={"eliminate": False})).same_scores is None
    assert compare_rankings(same, selection_of({"a": "keep", "b": "weak"})).same_scores is None
