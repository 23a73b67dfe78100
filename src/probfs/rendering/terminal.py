"""Sentences and tables laid out by rich, for a terminal of some width or for none."""

from __future__ import annotations

import io

from rich.console import Console, RenderableType
from rich.text import Text

from probfs.rendering.formats import Presentation

_WIDE = 10_000


def terminal_text(pieces: list[str | RenderableType], presentation: Presentation) -> str:
    """Sentences and tables, one after the other; without a width nothing is ever cut off or folded."""
    text = io.StringIO()
    console = Console(
        file=text,
        width=presentation.width or _WIDE,
        force_terminal=presentation.color,
        no_color=not presentation.color,
        highlight=False,
        markup=False,
        emoji=False,
    )
    for piece in pieces:
        console.print(Text(piece) if isinstance(piece, str) else piece)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n"
