"""Texts and bars of a report."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from probfs.rendering.report.content import LONGEST_NAME, as_sentence, bar_lengths, shown_name
from probfs.text import is_unseen


def test_a_name_is_shown_as_it_is() -> None:
    assert shown_name("größe der Zelle <b>") == "größe der Zelle <b>"


@given(st.text(max_size=400))
def test_whatever_a_name_holds_it_is_short_and_does_nothing(name: str) -> None:
    shown = shown_name(name)
    assert len(shown) <= LONGEST_NAME
    assert not any(map(is_unseen, shown))


def test_bars_are_shares_of_the_largest_score_and_none_is_below_nothing() -> None:
    assert bar_lengths([0.4, 0.1, None, -0.2, 0.0]) == [1.0, 0.25, 0.0, 0.0, 0.0]
    assert bar_lengths([-0.1, None]) == [0.0, 0.0]
    assert bar_lengths([math.inf, 2.0, math.nan]) == [1.0, 1.0, 0.0]
    assert bar_lengths([]) == []


def test_sentences_end_once() -> None:
    assert [as_sentence(text) for text in ("It ends.", "It goes on", "Really?")] == [
        "It ends.",
        "It goes on.",
        "Really?",
    ]
