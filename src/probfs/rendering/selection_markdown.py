"""A selection as Markdown: its sentences and a pipe table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from probfs.rendering.markdown_tables import escape_markdown, table_for_reading
from probfs.rendering.selection_csv import SELECTION_HEADER, selection_texts
from probfs.rendering.selection_summary import selection_sentences

if TYPE_CHECKING:
    from probfs.selection.result import Selection


def selection_markdown(selection: Selection) -> str:
    sentences = [escape_markdown(sentence) for sentence in selection_sentences(selection)]
    return "\n\n".join([*sentences, table_for_reading(SELECTION_HEADER, selection_texts(selection))])
