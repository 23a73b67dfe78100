"""The sentences that go with a selection, whatever there is to keep."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from probfs.rendering.formats import Presentation
from probfs.rendering.selection_summary import selection_sentences
from probfs.rendering.selection_table import selection_table
from probfs.selection.result import Verdict
from probfs.text import command_line_language
from tests.support.selections import HONEST, make_feature, make_selection


def what_to_keep(verdicts: str, untested: bool = False, **settings: Any) -> str:
    """The second sentence, for features with these verdicts, each written as its first letter."""
    words: dict[str, Verdict] = {"k": "keep", "r": "redundant", "w": "weak", "n": "noise"}
    untold = {"p": None, "q": None} if untested else {}
    features = [make_feature(rank, f"x{rank}", words[one], **untold) for rank, one in enumerate(verdicts, 1)]
    return selection_sentences(make_selection(*features, **settings))[1]


def test_the_sentences_say_what_was_read_what_to_keep_and_what_it_achieves() -> None:
    what, keep, judged, difference = selection_sentences(make_selection())
    assert what == "patients.csv: 4 features, 500 labelled rows, target outcome with 2 classes ('no', 'yes')"
    assert keep == (
        "Keep 1 of 4. 1 says what kept columns say (redundant), 1 adds too little (weak), "
        "1 cannot be told from noise (false discoveries: at most 10%)."
    )
    assert judged == (
        "Judged on rows that neither choice nor model had seen (10 folds): "
        "kept 14.4% wrong, log-loss 0.330; all 15.0%, 0.352; none (always the class shares) 49.0%, 0.694."
    )
    assert difference == "Log-loss a row: 0.022 lower than with all columns (standard error 0.009)."


@pytest.mark.parametrize(
    ("verdicts", "sentence"),
    [
        ("k", "Keep 1 of 1."),
        ("kkk", "Keep all 3."),
        ("krr", "Keep 1 of 3. 2 say what kept columns say (redundant)."),
        ("kkww", "Keep 2 of 4. 2 add too little (weak)."),
        ("kn", "Keep 1 of 2. 1 cannot be told from noise (false discoveries: at most 10%)."),
        ("n", "Keep none of 1: it cannot be told from noise (false discoveries: at most 10%)."),
        ("nnn", "Keep none of 3: none can be told from noise (false discoveries: at most 10%)."),
        ("w", "Keep none of 1. 1 adds too little (weak)."),
        (
            "wn",
            "Keep none of 2. 1 adds too little (weak), 1 cannot be told from noise (false discoveries: at most 10%).",
        ),
    ],
)
def test_the_numbers_add_up_in_words(verdicts: str, sentence: str) -> None:
    assert what_to_keep(verdicts) == sentence


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"keep": "fewest"}, "Keep 2 of 3 (the fewest within one standard error of the least log-loss)."),
        ({"keep": "most"}, "Keep 2 of 3 (the most within one standard error of the least log-loss)."),
        ({"keep": 2}, "Keep 2 of 3."),
        ({"keep": 5}, "Keep 2 of 3 (fewer than the 5 asked for)."),
        ({"always": ("x2",)}, "Keep 2 of 3, 1 by request."),
        ({"always": ("x1", "x2"), "keep": "fewest"}, "Keep 2 of 3, 2 by request (the fewest within one standard"),
    ],
)
def test_the_user_s_own_choices_are_said(settings: dict[str, Any], sentence: str) -> None:
    assert what_to_keep("kkw", **settings).startswith(sentence)


def test_what_is_cut_by_request_only_is_said_to_be_so() -> None:
    features = [make_feature(1, "a", "keep"), *(make_feature(rank, f"x{rank}", "weak") for rank in (2, 3))]
    selection = replace(make_selection(*features, keep=1), best_size=2)
    assert selection_sentences(selection)[1] == (
        "Keep 1 of 3. 1 is beyond the 1 asked for (weak), 1 adds too little (weak)."
    )
    table = selection_table(selection, Presentation()).splitlines()
    assert [line.split("  ")[-1] for line in table[-2:]] == ["beyond the 1 asked for", "adds too little"]
    assert "beyond" not in selection_sentences(replace(make_selection(*features), best_size=2))[1]


def test_fewer_than_asked_for_is_said_of_none_too() -> None:
    assert what_to_keep("nn", keep=1).startswith("Keep none of 2 (fewer than the 1 asked for): none can be told")


def test_the_tolerated_share_is_written_as_it_was_chosen() -> None:
    assert "(false discoveries: at most 0.5%)" in what_to_keep("kn", false_discoveries=0.005)


def test_it_is_said_that_nothing_was_screened() -> None:
    unscreened = "Keep 1 of 2. 1 adds too little (weak). No column was screened for noise."
    assert what_to_keep("kw", false_discoveries=1.0) == unscreened
    assert what_to_keep("kw", untested=True) == unscreened
    assert "screened" not in what_to_keep("kw")


@pytest.mark.parametrize(
    ("difference", "sentence"),
    [
        (-0.0224, "Log-loss a row: 0.022 lower than with all columns (standard error 0.009)."),
        (0.03, "Log-loss a row: 0.030 higher than with all columns (standard error 0.009)."),
        (0.01, "Log-loss a row: 0.010 higher than with all columns (standard error 0.009): no clear difference."),
        (0.0, "Log-loss a row: the same as with all columns (standard error 0.009)."),
        (-0.0004, "Log-loss a row: the same as with all columns (standard error 0.009)."),
    ],
)
def test_the_difference_is_told_with_its_direction(difference: float, sentence: str) -> None:
    honest = replace(HONEST, difference=difference)
    assert selection_sentences(make_selection(honest=honest))[-1] == sentence


def test_without_folds_it_is_said_that_nothing_was_judged() -> None:
    selection = make_selection(honest=None, folds=0)
    assert selection_sentences(selection)[2:] == ["Not judged on unseen rows (folds=0)."]
    with command_line_language():
        assert selection_sentences(selection)[2:] == ["Not judged on unseen rows (--folds 0)."]


def test_features_that_are_not_listed_are_counted_all_the_same() -> None:
    selection = make_selection()
    assert selection_sentences(selection.top(1)) == selection_sentences(selection)
