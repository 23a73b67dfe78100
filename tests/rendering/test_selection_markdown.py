"""The Markdown of a selection."""

from __future__ import annotations

from probfs.rendering.selection_markdown import selection_markdown
from tests.support.hostile_names import HOSTILE_NAMES
from tests.support.selections import make_hostile_selection, make_selection


def test_the_sentences_stand_above_the_table() -> None:
    text = selection_markdown(make_selection())
    assert text.index("Keep 1 of 4.") < text.index("| rank | feature | keep | verdict |")
    assert "| 2 | albumin2 | false | redundant | 0.0001 |" in text
    assert "| 4 | ward | false | noise | 0.5 | 0.62 |  |  |  | 0 |  |  |" in text


def test_names_are_escaped_wherever_they_stand() -> None:
    text = selection_markdown(make_hostile_selection(["pipe|pipe", *HOSTILE_NAMES[1:5], "twin"]))
    assert "<b>" not in text
    assert "\x1b" not in text
    assert text.count("pipe\\|pipe") == 2, "as a feature, and as the one that says what another says"
