"""Pipe tables in Markdown, with names from files escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from probfs.text import printable

_SPECIAL = re.compile(r"[\\`*_\[\]<>#|~$&]")
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}


def pipe_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; text cells are escaped, numbers keep all their digits."""
    lines = [list(header), ["---" if name in ("feature", "column") else "---:" for name in header]]
    lines += [[_cell(value) for value in row] for row in rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def escape_markdown(text: str) -> str:
    """The text with every character escaped that Markdown or HTML would act on.

    >>> print(escape_markdown("a_b <i>"))
    a\\_b &lt;i&gt;
    """
    return _SPECIAL.sub(lambda found: _ENTITIES.get(found[0], f"\\{found[0]}"), printable(text))


def _cell(value: object) -> str:
    if value is None:
        return ""
    return escape_markdown(value) if isinstance(value, str) else str(value)
