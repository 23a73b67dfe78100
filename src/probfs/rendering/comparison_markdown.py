"""A comparison as Markdown: its sentences and a pipe table of the columns that changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from probfs.rendering.comparison_csv import COMPARISON_HEADER, comparison_texts
from probfs.rendering.comparison_summary import comparison_sentences
from probfs.rendering.markdown_tables import escape_markdown, table_for_reading

if TYPE_CHECKING:
    from probfs.comparison.result import Comparison


def comparison_markdown(comparison: Comparison) -> str:
    parts = [escape_markdown(sentence) for sentence in comparison_sentences(comparison)]
    changed = {column.column for column in comparison.changed}
    rows = [row for row in comparison_texts(comparison) if row[0] in changed]
    if rows:
        parts.append(table_for_reading(COMPARISON_HEADER, rows))
    return "\n\n".join(parts).rstrip("\n") + "\n"
