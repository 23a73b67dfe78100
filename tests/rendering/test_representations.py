"""Results in a few lines."""

from __future__ import annotations

import pytest

from probfs.rendering.representations import ranking_repr, selection_repr
from probfs.text import is_unseen
from tests.support.results import awkward, make_large_selection, make_ranking
from tests.support.selections import make_feature, make_selection


def test_a_ranking_says_what_was_ranked_how_and_what_is_best() -> None:
    ranking = make_ranking(["a", "b", "c", "d", "e"])
    assert repr(ranking) == (
        "<Ranking of people.csv: 5 features, 200 labelled rows, target class with 2 classes ('no', 'yes')\n"
        " Naive Bayes, leave-one-out, ranked by Ŝ_S (absolute) under recursive elimination\n"
        " Ŝ_S: 1. a 0.4000, 2. b 0.2000, 3. c 0.1333, … 2 more>"
    )
    assert repr(ranking.top(1)).endswith(" Ŝ_S: 1. a 0.4000, … 4 more>")
    assert repr(make_ranking(["a"])).endswith(" Ŝ_S: 1. a 0.4000>")


def test_a_selection_says_what_to_keep_and_what_that_achieves() -> None:
    lines = repr(make_selection()).splitlines()
    assert lines[0].startswith("<Selection of patients.csv: 4 features")
    assert lines[1].startswith(" Keep 1 of 4. 1 says what kept columns say (redundant)")
    assert lines[2] == " Kept: albumin"
    assert lines[3].startswith(" Judged on rows that neither choice nor model had seen (10 folds): kept 14.4% wrong")
    assert lines[3].endswith(">")
    assert len(lines) == 4


def test_a_selection_of_nothing_says_so() -> None:
    assert "\n Kept: none\n" in repr(make_selection(make_feature(1, "ward", "noise")))


@pytest.mark.parametrize("number", [25, 2_000])
def test_representations_are_short_and_steer_no_terminal(number: int) -> None:
    names = awkward(number)[::-1]
    for shown in (ranking_repr(make_ranking(names)), selection_repr(make_large_selection(names))):
        assert len(shown) < 1_000
        assert not any(map(is_unseen, shown.replace("\n", "")))
