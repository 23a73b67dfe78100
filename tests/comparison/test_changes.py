"""What became of each column, what else differs, and how alike two rankings are (against scipy and definitions)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, spearmanr

from probfs.comparison.changes import (
    RBO_PERSISTENCE,
    compare_rankings,
    find_differences,
    find_renames,
    kendall,
    rank_biased_overlap,
    spearman,
)
from probfs.comparison.result import Comparison, Difference
from probfs.text import command_line_language
from tests.support.comparisons import compare_orders, ranking_of, selection_of

NAMES = st.lists(st.sampled_from("abcdefghijkl"), min_size=1, max_size=12, unique=True)


def changes_of(comparison: Comparison) -> dict[str, tuple[str, int | None]]:
    return {column.column: (column.change, column.moved) for column in comparison.columns}


@settings(max_examples=25)
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
    measured = comparison.measures["beyond"]
    assert (measured is None) == all(column.beyond is None for column in comparison.columns)


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


def test_verdicts_and_kept_columns_are_compared() -> None:
    old = selection_of({"a": "keep", "b": "keep", "c": "weak", "d": "noise"})
    new = selection_of({"a": "keep", "c": "keep", "b": "noise", "d": "noise", "e": "keep"})
    comparison = compare_rankings(old, new)
    assert comparison.measures["verdicts"] == 2
    assert (comparison.newly_kept, comparison.no_longer_kept) == (("c", "e"), ("b",))
    assert comparison.measures["kept_changed"] == 3
    assert [column.column for column in comparison.changed] == ["c", "b", "e"]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"settings": {"score": "signed"}}, Difference("score", "absolute", "signed", True)),
        ({"settings": {"folds": 5}}, Difference("folds", None, 5, True)),
        ({"settings": {"bins": 7}}, Difference("bins", 5, 7, False)),
        ({"settings": {"exclude": ["x"]}}, Difference("exclude", [], ["x"], False)),
        ({"target": "mode"}, Difference("target", "outcome", "mode", True)),
        ({"classes": {"no": 1, "maybe": 2}}, Difference("classes", ["no", "yes"], ["maybe", "no"], True)),
        ({"labelled_rows": 400}, Difference("labelled rows", 500, 400, False)),
    ],
)
def test_a_difference_says_what_and_whether_it_is_severe(changes: dict[str, Any], expected: Difference) -> None:
    assert find_differences(ranking_of("ab"), ranking_of("ab", **changes)) == (expected,)


def test_a_selection_is_no_ranking_and_the_severe_come_first() -> None:
    found = find_differences(ranking_of("ab"), selection_of({"a": "keep", "b": "noise"}, labelled_rows=3))
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


def traits(strength: float | None, signed: float | None = 0.1, p: float | None = 0.25) -> tuple[float | None, ...]:
    return strength, signed, None, p


def test_a_column_with_the_same_scores_is_probably_the_same() -> None:
    old = {"a": traits(0.5), "b": traits(0.25)}
    new = {"z": traits(0.25 * (1 + 1e-12), 0.1 * (1 - 1e-12)), "y": traits(0.75)}
    assert find_renames(old, new) == {"b": "z"}
    # A signed score may cancel to nearly nothing; what rounding leaves of it is no difference.
    assert find_renames({"a": traits(0.5, 1e-17)}, {"z": traits(0.5, -2e-17)}) == {"a": "z"}
    # A column that was screened out is told by p.
    screened = {"a": traits(None, None, 0.3), "b": traits(None, None, 0.4)}
    assert find_renames(screened, {"z": traits(None, None, 0.4)}) == {"b": "z"}


def test_nothing_is_said_where_two_could_be_meant_or_columns_have_no_effect() -> None:
    twins = {"y": traits(0.5), "z": traits(0.5)}
    assert find_renames({"a": traits(0.5)}, twins) == find_renames(twins, {"a": traits(0.5)}) == {}
    assert find_renames({"a": traits(0.0, 0.0)}, {"z": traits(0.0, 0.0)}) == {}
    for p in (0.0, 1.0, None):
        assert find_renames({"a": traits(None, None, p)}, {"z": traits(None, None, p)}, same_rows=True) == {}
    # Comparing each with each would take hours.
    old, new = ({f"{sign}{n}": traits(0.5, sign * n * 1e-3) for n in range(1, 30_000)} for sign in (1, -1))
    assert find_renames(old, new) == {}


def test_of_two_columns_alone_the_test_against_the_class_tells() -> None:
    """Scores may depend on names and on other columns, but that test does not."""
    old, new = {"a": traits(0.5, p=0.03)}, {"z": traits(0.45, p=0.03 * (1 + 1e-12))}
    assert find_renames(old, new, same_rows=True) == {"a": "z"}
    assert find_renames(old, new) == {}
    assert find_renames(old, {"z": traits(0.45, p=0.031)}, same_rows=True) == {}
    assert find_renames({**old, "b": traits(0.1, p=0.2)}, new, same_rows=True) == {}


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
    found = rank_biased_overlap(old, new)
    assert found == pytest.approx(value, abs=1e-12)
    assert found == rank_biased_overlap(new, old)
    assert 0 <= found <= 1
