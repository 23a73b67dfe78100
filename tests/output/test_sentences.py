"""The sentences that go with results, and what Python shows of these."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probfs.classifiers.catalogue import SVM
from probfs.comparison.changes import compare_rankings
from probfs.comparison.result import Side
from probfs.notes import NoteKind
from probfs.output.sentences import comparison_sentences, ranking_sentences, selection_sentences
from probfs.output.writers import Presentation, terminal_text
from probfs.selection.result import Verdict
from probfs.text import command_line_language, is_unseen, printable
from tests.support.results import (
    HONEST,
    compare_orders,
    make_feature,
    make_large_selection,
    make_ranking,
    make_selection,
    ranking_of,
    selection_of,
)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"estimate": "cv", "folds": 7}, "Naive Bayes, 7-fold cross-validation, ranked by importance Ŝ_S (absolute)"),
        ({"eliminate": False, "score": "unlabeled"}, "by unlabelled importance Ŝ_SU (unlabeled) in one round"),
        ({"model": SVM(kernel="rbf", permutations=1)}, "RBF SVM, Platt-scaled, 1 shuffle a column, leave-one-out"),
        ({"model": SVM(removal="retrain")}, "Linear SVM, Platt-scaled, retrained, "),
    ],
)
def test_the_settings_are_in_the_sentence(changes: dict[str, Any], sentence: str) -> None:
    ranking = make_ranking("abc")
    assert sentence in ranking_sentences(replace(ranking, settings=replace(ranking.settings, **changes)))[1]


def test_a_table_is_told_by_its_rows_classes_and_groups() -> None:
    ranking = make_ranking("abc")
    data = replace(ranking.input, classes=dict.fromkeys("vwxyz", 40), dropped_rows=1, unlabelled_rows=3)
    together = {f"g{number}": ("a", "b") for number in range(7)}
    told = ranking_sentences(replace(ranking, input=data, settings=replace(ranking.settings, together=together)))
    rows = "3 columns, 200 labelled and 3 unlabelled rows (1 row of rare classes dropped)"
    assert told[0] == f"people.csv: {rows}, target class with 5 classes ('v', 'w', 'x', 'y' and 1 more)"
    groups = ", ".join(f"g{number} ('a', 'b')" for number in range(6))
    assert told[1] == f"Taken as one: {groups} and 1 more."
    assert (
        told[3]
        == "With all columns the model gets 21 of 200 rows wrong (10.5%); always guessing the largest class, 160."
    )


def test_errors_are_those_of_held_out_rows_where_there_are_any() -> None:
    ranking = make_ranking("abc")
    trained = replace(ranking, settings=replace(ranking.settings, estimate="resubstitution"))
    assert "21 of the 200 rows it was trained on wrong" in ranking_sentences(trained)[2]
    rounds = (replace(ranking.rounds[0], cv_errors=51), *ranking.rounds[1:])
    held_out = "With all columns the model gets 51 of 200 rows wrong when they are held out (25.5%); "
    assert ranking_sentences(replace(trained, rounds=rounds))[2].startswith(held_out)
    assert ranking_sentences(replace(ranking, rounds=rounds)) == ranking_sentences(ranking)


def describe_choice(verdicts: str, untested: bool = False, **settings: Any) -> str:
    """The second sentence, for columns with these verdicts, each written as its first letter."""
    words: dict[str, Verdict] = {"k": "keep", "r": "redundant", "w": "weak", "n": "noise"}
    untold = {"p": None, "q": None} if untested else {}
    features = [make_feature(rank, f"x{rank}", words[one], **untold) for rank, one in enumerate(verdicts, 1)]
    return selection_sentences(make_selection(*features, **settings))[1]


@pytest.mark.parametrize(
    ("verdicts", "settings", "sentence"),
    [
        ("k", {}, "Keep 1 of 1."),
        ("kk", {}, "Keep all 2."),
        ("kkk", {}, "Keep all 3."),
        ("krr", {}, "Keep 1 of 3. 2 say what kept columns say (redundant)."),
        ("n", {}, "Keep none of 1: it cannot be told from noise (false discoveries: at most 10%)."),
        ("nn", {"keep": 1}, "Keep none of 2 (fewer than the 1 asked for): none can be told from noise (false disc"),
        ("w", {}, "Keep none of 1. 1 adds too little (weak)."),
        ("kkww", {"keep": "fewest"}, "Keep 2 of 4 (the fewest within one standard error of the least log-loss). 2 add"),
        ("kkw", {"keep": 2}, "Keep 2 of 3. 1 adds"),
        ("kkw", {"keep": 5}, "Keep 2 of 3 (fewer than the 5 asked for). 1 adds"),
        ("kkw", {"always": ("x2",)}, "Keep 2 of 3, 1 by request. 1 adds"),
        ("kn", {"false_discoveries": 0.005}, "Keep 1 of 2. 1 cannot be told from noise (false discoveries: at most 0."),
        ("kw", {"false_discoveries": 1.0}, "Keep 1 of 2. 1 adds too little (weak). No column was screened for noise."),
        ("kw", {"untested": True}, "Keep 1 of 2. 1 adds too little (weak). No column was screened for noise."),
    ],
)
def test_the_numbers_add_up_and_choices_of_the_user_are_said(
    verdicts: str, settings: dict[str, Any], sentence: str
) -> None:
    assert describe_choice(verdicts, **settings).startswith(sentence)


def test_what_is_cut_by_request_only_is_said_to_be_so() -> None:
    features = [make_feature(1, "a", "keep"), *(make_feature(rank, f"x{rank}", "weak") for rank in (2, 3))]
    selection = replace(make_selection(*features, keep=1), best_size=2)
    sentences, table = selection_sentences(selection), terminal_text(selection.document(), Presentation(200))
    assert ["beyond the 1 asked for" in line for line in table.splitlines() if " weak " in line] == [True, False]
    assert sentences[1] == "Keep 1 of 3. 1 is beyond the 1 asked for (weak), 1 adds too little (weak)."


def test_how_selecting_does_on_unseen_rows_is_told_with_its_direction() -> None:
    for difference, told in (
        (0.03, "0.030 higher than with all columns (standard error 0.009)."),
        (0.0183, "0.018 higher than with all columns (standard error 0.009)."),
        (0.0181, "0.018 higher than with all columns (standard error 0.009): no clear difference."),
        (-0.0004, "the same as with all columns (standard error 0.009)."),
        (-0.0006, "0.001 lower than with all columns (standard error 0.009): no clear"),
    ):
        sentences = selection_sentences(make_selection(honest=replace(HONEST, difference=difference)))
        assert sentences[-1].startswith(f"Log-loss a row: {told}")
    unjudged = make_selection(honest=None, folds=0)
    assert selection_sentences(unjudged)[2:] == ["Not judged on unseen rows (folds=0)."]
    with command_line_language():
        assert selection_sentences(unjudged)[2:] == ["Not judged on unseen rows (--folds 0)."]


ROWS = "500 labelled rows, target outcome)"
OLD = selection_of({"a": "keep", "b": "keep", "c": "noise"})
NEW = selection_of({"a": "keep", "c": "keep", "b": "noise"})
AB = make_ranking("ab")
DOUBLED = replace(AB, features=tuple(replace(feature, s_s=0.8 / feature.rank) for feature in AB.features))
STAYED = "No rank changed. Of 2 columns: 2 stayed"
TIGHT = {name: (rank, rank) for rank, name in enumerate("abc", 1)}
UNLISTED = "2 are listed in one document only"
BEYOND = "Beyond the rank intervals: 2 of 2 moves: 'c', 'a'."
WITHIN = "Every move is within the rank intervals: chance may explain it."


@pytest.mark.parametrize(
    ("old", "new", "place", "told"),
    [
        (ranking_of("abc"), ranking_of("abc"), 2, "Nothing changed. Of 3 columns: 3 stayed; scores are the same."),
        (selection_of({"a": "keep"}), selection_of({"a": "keep"}), -1, "Kept: 1 before, 1 now."),
        (ranking_of("a", "patients.csv"), ranking_of("a"), 0, f"old: ranking of patients.csv (1 column, {ROWS}"),
        (ranking_of("a", "old.json"), ranking_of("a"), 0, f"old: old.json, ranking of patients.csv (1 column, {ROWS}"),
        (ranking_of("ab"), replace(ranking_of("ab"), result=DOUBLED), 2, f"{STAYED}; scores did change."),
        (ranking_of("ab"), ranking_of("ab", settings={"score": "signed"}), 2, f"{STAYED}."),
        (
            selection_of({"a": "keep", "b": "weak"}),
            selection_of({"a": "keep", "b": "noise"}),
            2,
            f"{STAYED}, 1 judged otherwise; scores did change.",
        ),
        (ranking_of("abc", intervals=dict.fromkeys("abc", (1, 3))), ranking_of("cba"), -1, WITHIN),
        (ranking_of("abc", intervals=TIGHT), ranking_of("cba"), -1, BEYOND),
        (
            ranking_of("ab", total=4),
            ranking_of("abcd"),
            2,
            f"No rank changed. Of 4 columns: {UNLISTED}, 2 stayed; scores are the same.",
        ),
        (ranking_of("ba", total=4), ranking_of("abcd"), 2, f"Of 4 columns: 1 rose, 1 fell, {UNLISTED}."),
        (OLD, NEW, 2, "Of 3 columns: 1 rose, 1 fell, 1 stayed, 2 judged otherwise."),
        (OLD, NEW, -1, "Kept: 2 before, 2 now; newly 'c'; no longer 'b'."),
    ],
)
def test_what_changed_is_counted_and_named(old: Side, new: Side, place: int, told: str) -> None:
    assert comparison_sentences(compare_rankings(old, new))[place] == told


def test_columns_that_were_renamed_are_named() -> None:
    old, new = [f"old{n}" for n in range(9)], [f"new{n}" for n in range(9)]
    scores = {name: (1 + int(name[3:])) / 20 for name in (*old, *new)}
    told = comparison_sentences(compare_rankings(ranking_of(old, scores=scores), ranking_of(new, scores=scores)))[3]
    renamed = ", ".join(f"'old{n}' is now 'new{n}'" for n in range(6))
    assert told == f"Probably renamed, by what they score: {renamed} and 3 more."


def test_how_alike_two_orders_are_is_told_by_correlations_and_first_columns() -> None:
    names = [f"c{number}" for number in range(120)]
    told = comparison_sentences(compare_orders(names, [*names[:-2], names[-1], names[-2]], 7))[3]
    overlaps = ", ".join(f"{size} of the first {size}" for size in (5, 7, 10, 20, 50, 100))
    correlation = "Rank correlation of 120 columns in both: Spearman 1.000, Kendall 1.000"
    assert told == f"{correlation}. The same: {overlaps}; rank-biased overlap 1.000."
    # Of all columns, all are the same.
    assert "Kendall 0.800. Rank-biased overlap: 0." in comparison_sentences(compare_orders("abcde", "abced", 5))[3]


# What Python shows of results: lines that are short, and tables in which texts stay texts


ALLOWED = {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "bdi", "span"}
ATTRIBUTES = {"style", "dir", "class", "scope", "colspan", "title", "aria-hidden"}
NAMES = st.text(st.one_of(st.sampled_from("<>&'\""), st.characters()), min_size=1, max_size=20)


@settings(max_examples=20)
@given(NAMES.filter(lambda name: len(printable(name)) <= 40))
def test_no_text_becomes_markup(name: str) -> None:
    notes = NoteKind.LEAKAGE.note(name), NoteKind.CUT.note(name)
    for result in (replace(make_ranking([name, *"bcd"]), warnings=notes), make_large_selection([name, *"abcdefg"])):
        page = result._repr_html_()
        markup, texts = re.findall("<[^>]*>", page), [html.unescape(text) for text in re.split("<[^>]*>", page)]
        assert {tag.strip("</>").partition(" ")[0] for tag in markup} <= ALLOWED
        assert set(re.findall(r'([^\s"]+)="[^"]*"', "".join(markup))) <= ATTRIBUTES
        assert printable(name) in texts
        assert not any(is_unseen(character) for text in texts if not text.isspace() for character in text)


def test_a_notebook_shows_thirty_columns_the_rest_and_warnings() -> None:
    page = make_ranking([f"c{number}" for number in range(40)])._repr_html_()
    assert page.count('scope="row"') == 30
    for text in ("… and 10 more, none above 0.0129", "Warning: a warning", "tex2jax_ignore"):
        assert text in page
    assert max(float(width) for width in re.findall(r"width: ([\d.]+)em", page)) == 6.0


def test_representations_are_a_few_lines_with_warnings() -> None:
    assert repr(make_ranking("abcd")).splitlines() == [
        "<Ranking of people.csv: 4 columns, 200 labelled rows, target class with 2 classes ('no', 'yes')",
        " Naive Bayes, leave-one-out, ranked by importance Ŝ_S (absolute) under recursive elimination",
        " With all columns the model gets 21 of 200 rows wrong (10.5%); always guessing the largest class, 80.",
        " importance Ŝ_S: 1. a 0.4000, 2. b 0.2000, 3. c 0.1333, … and 1 more, none above 0.1000",
        " Warning: a warning>",
    ]
    lines = repr(make_large_selection("abcdefghij")).splitlines()
    assert lines[1].startswith(" Keep 2 of 10. ")
    assert lines[2].startswith(" Judged on rows that neither choice nor model had seen (10 folds): kept ")
    rest = "… and 7 more (3 redundant, 2 weak, 2 noise), none above 0.0218"
    assert lines[4] == f" gain Ŝ_A: 1. a 0.0871, 2. b 0.0436, 3. c 0.0290, {rest}"
