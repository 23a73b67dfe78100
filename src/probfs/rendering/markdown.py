"""Tables in Markdown, with names from files made harmless."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from probfs.ranking.result import CSV_HEADER, Ranking
from probfs.rendering.summary import errors_of_the_full_model, how_it_was_ranked, what_was_ranked
from probfs.text import printable

_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~$&])")


def ranking_markdown(ranking: Ranking) -> str:
    """The sentences about a ranking and its features as a pipe table."""
    sentences = (what_was_ranked(ranking), how_it_was_ranked(ranking), errors_of_the_full_model(ranking))
    rows = [[getattr(feature, name) for name in CSV_HEADER] for feature in ranking.features]
    return "\n\n".join([*(escaped(text) for text in sentences), pipe_table(CSV_HEADER, rows)])


def pipe_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; text cells are escaped, numbers keep all their digits."""
    lines = [list(header), ["---" if name in ("feature", "column") else "---:" for name in header]]
    lines += [[_cell(value) for value in row] for row in rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def escaped(text: str) -> str:
    """Text that Markdown and HTML show as it is."""
    return _SPECIAL.sub(r"\\\1", printable(text)).replace("\\<", "&lt;").replace("\\>", "&gt;").replace("\\&", "&amp;")


def _cell(value: object) -> str:
    if value is None:
        return ""
    return escaped(value) if isinstance(value, str) else str(value)
