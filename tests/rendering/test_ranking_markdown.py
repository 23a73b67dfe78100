"""A ranking in Markdown."""

from __future__ import annotations

from probfs.ranking.result import Ranking
from probfs.rendering.ranking_csv import CSV_HEADER
from probfs.rendering.ranking_markdown import ranking_markdown

HEADER = [name for name in CSV_HEADER if name not in ("se_initial_s_s", "se_initial_s_a", "rank_low", "rank_high")]
"""Without --uncertainty, nothing stands in the others."""


def test_sentences_stand_before_a_table_of_four_digits(commute: Ranking) -> None:
    *sentences, table = ranking_markdown(commute).split("\n\n")
    assert len(sentences) == 3
    header, rule, first, *_ = table.splitlines()
    assert header == f"| {' | '.join(HEADER)} |"
    assert rule == f"| ---: | --- |{' ---: |' * (len(HEADER) - 2)}"
    assert f"| {commute.features[0].s_s:.4g} |" in first


def test_names_are_escaped(hostile_ranking: Ranking) -> None:
    shown = ranking_markdown(hostile_ranking)
    assert "<b>" not in shown
    assert "&lt;b&gt;bold&lt;/b&gt;" in shown
    assert "pipe\\|pipe" in shown
    assert "\\`tick\\`" in shown
    assert "\x1b" not in shown
    # Every row of the table has as many cells as its header, whatever the names hold.
    rows = [line for line in shown.splitlines() if line.startswith("| ")]
    assert {line.replace("\\|", "").count("|") for line in rows} == {rows[0].count("|")}
