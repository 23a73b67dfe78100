"""On a terminal: a table with bars, and help instead of waiting for input."""

from __future__ import annotations

from tests.support.commands import COMMUTE, run_in_terminal


def test_a_terminal_gets_a_table_with_bars_and_what_was_ranked() -> None:
    shown = " ".join(run_in_terminal("rank", *COMMUTE).split())
    assert "6 columns, 204 labelled and 36 unlabelled rows, target mode with 3 classes" in shown
    assert "Naive Bayes, leave-one-out, ranked by importance Ŝ_S (absolute)" in shown
    assert "48 of 204 rows wrong" in shown
    assert "████" in shown
    assert "rank,feature" not in shown


def test_no_input_on_a_terminal_shows_the_help() -> None:
    assert "--score" in run_in_terminal("rank")
