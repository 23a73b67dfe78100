"""What became of each column, what else differs, and how alike two rankings are (against scipy and definitions)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, spearmanr

from probfs.comparison.changes import compare_rankings
from probfs.comparison.measures import RBO_PERSISTENCE, kendall, rank_biased_overlap, spearman
from probfs.comparison.result import Difference, Side
from probfs.text import command_line_language
from tests.support.results import compare_orders, ranking_of, selection_of

NAMES = st.lists(st.sampled_from("abcdefghijkl"), min_size=1, max_size=12, unique=True)


@settings(max_examples=25)
@given(NAMES, NAMES)
def test_moves_are_those_of_lists_without_the_others(old: list[str], new: list[str]) -> None:
    comparison = compare_orders(old, new)
    left, right = [name for name in old if name in new], [name for name in new if name in old]
    expected: dict[str, tuple[str, int | None]] = {name: ("appeared", None) for name in new if name not in old}
    expected |= {name: ("vanished", None) for name in old if name not in new}
    for name in left:
        moved = left.index(name) - right.index(name)
        expected[name] = ("rose" if moved > 0 else "fell" if moved < 0 else "same", moved)
    assert {column.column: (column.change, column.moved) for column in comparison.columns} == expected
    assert [column.column for column in comparison.columns] == [*new, *(name for name in old if name not in new)]
    assert (comparison.spearman is None) == (len(left) < 2)
    changed = sum(change != "same" for change, _ in expected.values())
    assert comparison.measures["changed"] == changed


@settings(max_examples=25)
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
    assert (comparison.measures["beyond"] is None) == all(column.beyond is None for column in comparison.columns)


def test_verdicts_and_kept_columns_are_compared() -> None:
    old = selection_of({"a": "keep", "b": "keep", "c": "weak", "d": "noise"})
    new = selection_of({"a": "keep", "c": "keep", "b": "noise", "d": "noise", "e": "keep"})
    comparison = compare_rankings(old, new)
    assert (comparison.newly_kept, comparison.no_longer_kept) == (("c", "e"), ("b",))
    assert [column.column for column in comparison.changed] == ["c", "b", "e"]
    measures = comparison.measures
    assert [measures[name] for name in ("rose", "fell", "appeared", "verdicts", "kept_changed")] == [1, 1, 1, 2, 3]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"settings": {"score": "signed"}}, Difference("score", "absolute", "signed", True)),
        ({"settings": {"folds": 5}}, Difference("folds", None, 5, True)),
        ({"settings": {"bins": 7}}, Difference("bins", 5, 7, False)),
        ({"target": "mode"}, Difference("target", "outcome", "mode", True)),
        ({"classes": {"no": 1, "maybe": 2}}, Difference("classes", ["no", "yes"], ["maybe", "no"], True)),
        ({"labelled_rows": 400}, Difference("labelled rows", 500, 400, False)),
    ],
)
def test_a_difference_says_what_and_whether_it_is_severe(changes: dict[str, Any], expected: Difference) -> None:
    assert compare_rankings(ranking_of("ab"), ranking_of("ab", **changes)).differences == (expected,)
    found = compare_rankings(ranking_of("ab"), selection_of({"a": "keep"}, labelled_rows=3)).differences
    assert [difference.what for difference in found] == ["document", "score", "folds", "labelled rows"]
    assert [difference.severe for difference in found] == [True, True, False, False]


def test_what_makes_a_comparison_doubtful_is_said() -> None:
    old = ranking_of("abc", "old.json", total=1200)
    new = ranking_of("abc", "new.json", settings={"score": "signed", "bins": 9})
    with command_line_language():
        remarks = compare_rankings(old, new, top=1201).warnings
    assert [(remark.code, remark.severity, remark.message) for remark in remarks] == [
        ("difference", "warning", "score: absolute in old.json, but signed in new.json; ranks are hard to compare"),
        ("partial", "warning", "old.json lists only the best 3 of 1,200 columns: columns beyond them are unlisted"),
        ("top", "note", "--top 1201: there are only 1,200, so overlap is of all columns"),
    ]
    assert compare_orders("abc", "cab", 3).warnings == ()


def test_what_a_partial_document_leaves_out_neither_appeared_nor_vanished() -> None:
    scores = {"b": 0.4, "x": 0.4}
    part, whole = ranking_of("ab", total=9, scores=scores), ranking_of("axcdefghi", scores=scores)
    new, old = compare_rankings(part, whole, top=5), compare_rankings(whole, part)
    assert {column.change for column in new.columns} == {"same", "unlisted", "vanished"}
    assert {column.change for column in old.columns} == {"same", "unlisted", "appeared"}
    assert (new.renamed, new.overlaps, new.measures["overlap"]) == ({}, (), None)
    assert compare_rankings(part, whole, top=2).measures["overlap"] == 0.5
    names = ("changed", "appeared", "vanished", "renamed")
    assert [new.measures[name] for name in names] == [1, None, 1, None]
    assert [old.measures[name] for name in names] == [1, 1, None, None]


def scored(first: float, second: float, score: str = "absolute") -> Side:
    side = ranking_of("ab", settings={"score": score})
    features = [replace(one, s_s=value) for one, value in zip(side.by_name.values(), (first, second), strict=True)]
    result: Any = side.result
    return replace(side, result=replace(result, features=tuple(features)))


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (0.5, 0.001, True),
        (0.5 * (1 + 9e-10), 0.001, True),
        (0.5 * (1 + 1.1e-9), 0.001, False),
        (0.5, 0.001 - 4.9e-10, True),
        (0.5, 0.001 + 5.1e-10, False),
    ],
)
def test_scores_are_the_same_to_nine_digits_of_the_largest(first: float, second: float, same: bool) -> None:
    assert compare_rankings(scored(0.5, 0.001), scored(first, second)).same_scores is same
    assert compare_rankings(scored(0.5, 0.001), scored(first, second, "signed")).same_scores is None


# Columns with a score, which also says p.


def renamed(old: dict[str, float], new: dict[str, float], **changes: Any) -> dict[str, str]:
    before, now = (ranking_of(list(scores), scores=scores, **more) for scores, more in ((old, {}), (new, changes)))
    return compare_rankings(before, now).renamed


def test_a_column_with_the_same_scores_is_probably_the_same() -> None:
    comparison = compare_rankings(ranking_of("abc", scores={"b": 0.4}), ranking_of("axc", scores={"x": 0.4}))
    assert {each.column: each.renamed for each in comparison.columns} == {"a": None, "b": "x", "c": None, "x": "b"}
    assert [comparison.measures[name] for name in ("renamed", "vanished", "appeared")] == [1, 1, 1]
    rows = {"labelled_rows": 400}
    assert renamed({"a": 0.5, "b": 0.25}, {"z": 0.25 * (1 + 1e-12), "y": 0.75}, **rows) == {"b": "z"}
    # Two could be meant.
    assert renamed({"a": 0.5}, {"y": 0.5, "z": 0.5}) == renamed({"y": 0.5, "z": 0.5}, {"a": 0.5}) == {}
    # Columns without effect are all alike.
    assert renamed({"a": 0.0}, {"z": 0.0}) == {}


def test_of_two_columns_alone_the_test_against_the_class_tells() -> None:
    """Scores may depend on names and on other columns, but that test does not."""
    old, new = ranking_of("a", scores={"a": 0.3}), ranking_of("z", scores={"z": 0.3})
    other_scores = ranking_of("z", scores={"z": 0.3}, initial=0.2)
    assert compare_rankings(old, new).renamed == compare_rankings(old, other_scores).renamed == {"a": "z"}
    fewer_rows = ranking_of("z", scores={"z": 0.3}, initial=0.2, labelled_rows=499)
    assert compare_rankings(old, fewer_rows).renamed == {}
    assert compare_rankings(old, ranking_of("z", scores={"z": 0.31})).renamed == {}


def test_a_column_that_was_screened_out_is_told_by_p() -> None:
    old, new = {"a": "keep", "b": "noise", "c": "noise"}, {"a": "keep", "x": "noise", "y": "noise"}
    scores = {"b": 0.3, "c": 0.4, "x": 0.4, "y": 0.5}
    comparison = compare_rankings(selection_of(old, scores=scores), selection_of(new, scores=scores))
    assert comparison.renamed == {"c": "x"}


@settings(max_examples=25)
@given(st.integers(2, 60).flatmap(lambda number: st.permutations(range(1, number + 1))))
def test_correlations_are_those_of_scipy(ranks: list[int]) -> None:
    places = range(1, len(ranks) + 1)
    assert spearman(ranks) == pytest.approx(spearmanr(places, ranks).statistic, abs=1e-12)
    assert kendall(ranks) == pytest.approx(kendalltau(places, ranks, variant="b").statistic, abs=1e-12)


@settings(max_examples=25)
@given(NAMES, NAMES)
def test_rank_biased_overlap_is_what_the_paper_defines(old: list[str], new: list[str]) -> None:
    """Eq. 32, term by term."""
    shorter, longer = sorted((old, new), key=len)
    s, l, p = len(shorter), len(longer), RBO_PERSISTENCE  # noqa: E741  # the paper's letters
    x = [len(set(shorter[:depth]) & set(longer[:depth])) for depth in range(l + 1)]
    seen = sum(x[d] / d * p**d for d in range(1, l + 1))
    expected = sum(x[s] * (d - s) / (s * d) * p**d for d in range(s + 1, l + 1))
    value = (1 - p) / p * (seen + expected) + ((x[l] - x[s]) / l + x[s] / s) * p**l
    assert rank_biased_overlap(old, new) == pytest.approx(value, abs=1e-12)
    assert RBO_PERSISTENCE == 0.9


def test_overlaps_are_of_the_first_5_10_20_and_of_half_of_few_columns() -> None:
    names = [f"c{number}" for number in range(30)]
    comparison = compare_orders(names, [*names[15:], *names[:15]])
    assert [(each.first, each.shared) for each in comparison.overlaps] == [(5, 0), (10, 0), (20, 10)]
    assert [compare_orders(names[:n], names[:n]).top for n in (1, 2, 3, 19, 20, 30)] == [1, 1, 2, 10, 10, 10]
