"""Pipe tables in Markdown, with names from files escaped."""

from __future__ import annotations

import re
from collections.abc import Sequence

from probfs.text import printable

_SPECIAL = re.compile(r"[\\`*_\[\]<>#|~$&]")
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
_DIGITS = 4


def pipe_table(header: Sequence[str], rows: Sequence[Sequence[object]], digits: int | None = None) -> str:
    """A Markdown table, texts escaped and left-aligned; numbers keep all digits, or ``digits`` significant ones."""
    texts = [any(isinstance(row[column], str) for row in rows) for column in range(len(header))]
    lines = [list(header), ["---" if text else "---:" for text in texts]]
    lines += [[_cell(value, digits) for value in row] for row in rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def table_for_reading(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table of a few digits, without the columns in which no row holds anything."""
    held = [column for column in range(len(header)) if any(row[column] is not None for row in rows)]
    return pipe_table([header[column] for column in held], [[row[column] for column in held] for row in rows], _DIGITS)


def escape_markdown(text: str) -> str:
    """The text with every character escaped that Markdown or HTML would act on.

    >>> print(escape_markdown("a_b <i>"))
    a\\_b &lt;i&gt;
    """
    return _SPECIAL.sub(lambda found: _ENTITIES.get(found[0], f"\\{found[0]}"), printable(text))


def _cell(value: object, digits: int | None) -> str:
    if value is None:
        return ""
    if digits is not None and isinstance(value, float):
        return f"{value:.{digits}g}"
    return escape_markdown(value) if isinstance(value, str) else str(value)
