"""A ranking as Markdown: its sentences and a pipe table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from probfs.rendering.markdown_tables import escape_markdown, table_for_reading
from probfs.rendering.ranking_csv import CSV_HEADER, ranking_rows
from probfs.rendering.ranking_summary import summary_sentences

if TYPE_CHECKING:
    from probfs.ranking.result import Ranking


def ranking_markdown(ranking: Ranking) -> str:
    sentences = [escape_markdown(sentence) for sentence in summary_sentences(ranking)]
    return "\n\n".join([*sentences, table_for_reading(CSV_HEADER, ranking_rows(ranking))])
