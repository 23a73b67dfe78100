"""Text as rich lays it out, for a terminal of some width or for none."""

from __future__ import annotations

import io

from rich.console import Console, RenderableType
from rich.text import Text

_WIDE = 10_000


def laid_out(pieces: list[str | RenderableType], width: int | None, color: bool) -> str:
    """Sentences and tables, one after the other; without a width nothing is ever cut off or folded."""
    text = io.StringIO()
    console = Console(
        file=text,
        width=width or _WIDE,
        force_terminal=color,
        no_color=not color,
        highlight=False,
        markup=False,
        emoji=False,
    )
    for piece in pieces:
        console.print(Text(piece) if isinstance(piece, str) else piece)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n"
