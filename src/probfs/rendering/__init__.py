"""Ranking -> terminal table, CSV, JSON, Markdown."""

from __future__ import annotations

import os

from probfs.choices import OUTPUT_ENDINGS, OutputFormat
from probfs.ranking.result import Ranking
from probfs.runtime.output import format_by_ending


def format_for(path: str | os.PathLike[str] | None, chosen: OutputFormat | None, terminal: bool) -> OutputFormat:
    """The format asked for, or what the output file's ending says, or a table for people and CSV for programs."""
    if chosen is not None:
        return chosen
    if path is None:
        return "table" if terminal else "csv"
    return format_by_ending(path, OUTPUT_ENDINGS, for_streams="csv")


def render(
    ranking: Ranking, chosen: OutputFormat, *, width: int | None = None, color: bool = False, safe: bool = False
) -> str:
    """The ranking as text; ``width`` and ``color`` are the terminal's, for the table, ``safe`` is for the CSV."""
    if chosen == "csv":
        return ranking.to_csv(safe=safe)
    if chosen == "json":
        return ranking.to_json()
    if chosen == "markdown":
        from probfs.rendering.markdown import ranking_markdown

        return ranking_markdown(ranking)
    from probfs.rendering.table import ranking_table

    return ranking_table(ranking, width, color)
