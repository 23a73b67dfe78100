"""The sentences above a comparison."""

from __future__ import annotations

from dataclasses import replace

from probfs.comparison.changes import compare_rankings
from probfs.rendering.comparison_summary import comparison_sentences
from tests.support.comparisons import compare_orders, ranking_of, selection_of


def test_nothing_changed() -> None:
    assert comparison_sentences(compare_orders("abc", "abc")) == [
        "old: old.json, ranking of patients.csv (3 features, 500 labelled rows, target outcome)",
        "new: new.json, ranking of patients.csv (3 features, 500 labelled rows, target outcome)",
        "Nothing changed: the same columns and ranks, and the same scores (3 columns).",
    ]
    selection = selection_of({"a": "keep"})
    assert comparison_sentences(compare_rankings(selection, selection))[2:] == [
        "Nothing changed: the same columns, ranks and verdicts, and the same scores (1 column).",
        "Kept: 1 before, 1 now.",
    ]


def test_scores_may_change_without_ranks() -> None:
    old = ranking_of("ab")
    features = tuple(replace(own, s_s=(own.s_s or 0) * 2) for own in old.features)
    changed = replace(old, result=replace(old.result, features=features))  # type: ignore[arg-type]  # a ranking's
    assert comparison_sentences(compare_rankings(old, changed))[2:] == [
        "No rank changed: the same columns and ranks (2 columns); scores did change."
    ]


def test_a_table_that_was_ranked_now_is_named_once() -> None:
    new = ranking_of("abc", "patients.csv")
    assert comparison_sentences(compare_rankings(new, new))[1].startswith("new: ranking of patients.csv (")


def test_moves_are_counted_and_measured() -> None:
    sentences = comparison_sentences(compare_orders("abcdefg", "xcbadef"))
    assert sentences[2:] == [
        "Of 8 columns: 1 rose, 1 fell, 1 appeared, 1 vanished, 4 stayed (moves are counted among the columns that both "
        "have).",
        "Rank correlation of 6 columns in both: Spearman 0.771, Kendall 0.600. The same: 3 of the first 4, 4 of the "
        "first 5; rank-biased overlap 0.666.",
        "Whether moves are more than chance is not known: neither has rank intervals; rank with uncertainty=True to "
        "tell change from chance.",
    ]


def test_moves_beyond_intervals_are_named() -> None:
    wide = dict.fromkeys("abc", (1, 3))
    tight = {name: (rank, rank) for rank, name in enumerate("abc", 1)}
    within = comparison_sentences(compare_rankings(ranking_of("abc", intervals=wide), ranking_of("cba")))
    assert within[-1] == "Every move is within the rank intervals: chance may explain it."
    beyond = comparison_sentences(compare_rankings(ranking_of("abc", intervals=tight), ranking_of("cba")))
    assert beyond[-1] == "Beyond the rank intervals: 2 of 2 moves: 'c', 'a'."


def test_a_renamed_column_is_named() -> None:
    scores = dict.fromkeys("bx", 0.4)
    comparison = compare_rankings(ranking_of("abc", scores=scores), ranking_of("axc", scores=scores))
    assert "Probably renamed, by what they score: 'b' is now 'x'." in comparison_sentences(comparison)


def test_many_names_are_counted() -> None:
    old, new = [f"old{n}" for n in range(9)], [f"new{n}" for n in range(9)]
    scores = {name: (1 + int(name[3:])) / 20 for name in (*old, *new)}
    sentences = comparison_sentences(compare_rankings(ranking_of(old, scores=scores), ranking_of(new, scores=scores)))
    assert any(sentence.endswith("'old5' is now 'new5' and 3 more.") for sentence in sentences)


def test_kept_columns_are_named() -> None:
    old = selection_of({"a": "keep", "b": "keep", "c": "noise"})
    new = selection_of({"a": "keep", "c": "keep", "b": "noise"})
    assert "Kept: 2 before, 2 now; newly 'c'; no longer 'b'." in comparison_sentences(compare_rankings(old, new))


def test_what_makes_it_hard_to_compare_is_said() -> None:
    new = ranking_of("ab", settings={"score": "signed", "bins": 7}, labelled_rows=400)
    assert comparison_sentences(compare_rankings(ranking_of("ab"), new))[-2:] == [
        "Hard to compare: score (absolute → signed).",
        "Also different: bins (5 → 7), labelled rows (500 → 400).",
    ]


def test_columns_that_are_not_listed_are_counted() -> None:
    comparison = compare_rankings(ranking_of("ab", total=4), ranking_of("abcd"))
    assert comparison_sentences(comparison)[2] == (
        "No rank changed among the 2 columns that both documents list; 2 are listed in one document only."
    )
    moved = compare_rankings(ranking_of("ba", total=4), ranking_of("abcd"))
    assert comparison_sentences(moved)[2] == "Of 4 columns: 1 rose, 1 fell, 2 are listed in one document only."


def test_verdicts_that_changed_are_named_where_nothing_else_did() -> None:
    old, new = selection_of({"a": "keep", "b": "weak"}), selection_of({"a": "keep", "b": "noise"})
    sentences = comparison_sentences(compare_rankings(old, new))
    assert sentences[2:] == ["No rank changed; 1 verdict did: 'b' (weak → noise).", "Kept: 1 before, 1 now."]


def test_verdicts_that_changed_are_counted_beside_moves() -> None:
    old = selection_of({"a": "keep", "b": "keep", "c": "weak"})
    new = selection_of({"b": "keep", "a": "keep", "c": "redundant"})
    sentence = "Of 3 columns: 1 rose, 1 fell, 1 stayed, 1 judged otherwise."
    assert comparison_sentences(compare_rankings(old, new))[2] == sentence


def test_nothing_is_said_of_scores_that_are_not_the_same_kind() -> None:
    signed = ranking_of("ab", settings={"score": "signed"})
    sentences = comparison_sentences(compare_rankings(ranking_of("ab"), signed))
    assert sentences[2] == "No rank changed: the same columns and ranks (2 columns)."
