"""A ranking for people: aligned columns and a bar beside the score that decided."""

from __future__ import annotations

import io

from rich.console import Console
from rich.table import Table
from rich.text import Text

from probfs.ranking import RankedFeature, Ranking
from probfs.render.summary import (
    SCORE_HEADINGS,
    errors_of_the_full_model,
    how_it_was_ranked,
    shown_scores,
    what_was_ranked,
)
from probfs.text import printable

_BAR_WIDTH = 12
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_WIDE = 10_000


def ranking_table(ranking: Ranking, width: int | None, color: bool) -> str:
    """The table with its sentences; without a terminal's width nothing is ever cut off."""
    scores = shown_scores(ranking)
    driving = scores[0]
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    grid.add_column("rank", justify="right")
    grid.add_column("feature", overflow="fold")
    grid.add_column(SCORE_HEADINGS[driving], justify="right", no_wrap=True, style="bold")
    grid.add_column("", no_wrap=True, style="cyan")
    for name in scores[1:]:
        grid.add_column(SCORE_HEADINGS[name], justify="right", no_wrap=True)
    grid.add_column("left in round", justify="right", no_wrap=True)
    largest = max((abs(_value(feature, driving)) for feature in ranking.features), default=0.0)
    for feature in ranking.features:
        value = _value(feature, driving)
        grid.add_row(
            str(feature.rank),
            Text(printable(feature.feature)),
            _shown(value),
            _bar(value, largest),
            *(_shown(_value(feature, name)) for name in scores[1:]),
            str(feature.round),
        )
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
    console.print(Text(what_was_ranked(ranking)))
    console.print(Text(how_it_was_ranked(ranking)))
    console.print(Text(errors_of_the_full_model(ranking)))
    console.print()
    console.print(grid)
    hidden = ranking.input.features - len(ranking.features)
    if hidden:
        console.print(Text(f"… and {hidden:,} more"))
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n"


def _value(feature: RankedFeature, name: str) -> float:
    value: float | None = getattr(feature, name)
    return 0.0 if value is None else value


def _shown(value: float) -> str:
    return f"{value:.4f}" if value == 0 or abs(value) >= 1e-3 else f"{value:.2e}"


def _bar(value: float, largest: float) -> str:
    """A bar in eighths of a character; a score below zero gets none, only its minus sign."""
    if value <= 0 or largest <= 0:
        return ""
    eighths = max(1, round(value / largest * _BAR_WIDTH * 8))
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
