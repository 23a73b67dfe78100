"""A ranking for people: aligned columns and a bar beside the score that decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from probfs.classifiers.scores import SCORES
from probfs.rendering.formats import Presentation
from probfs.rendering.ranking_columns import NOISE, meaning_of_marks, ranking_columns, score_value
from probfs.rendering.ranking_summary import summary_sentences
from probfs.rendering.terminal import terminal_text

if TYPE_CHECKING:
    from probfs.ranking.result import Ranking

_BAR_WIDTH = 12
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_GAP = 2
_BAR = ""
_LONG_NAME = 24


def ranking_table(ranking: Ranking, presentation: Presentation) -> str:
    """The table with its sentences; without a terminal's width nothing is ever cut off."""
    columns = _with_bars(ranking_columns(ranking), ranking)
    if presentation.width is not None:
        _make_fit(columns, presentation.width)
    hidden = ranking.input.features - len(ranking.features)
    more = [f"… and {hidden:,} more"] if hidden else []
    advice = " ".join([*meaning_of_marks(columns), "To decide which columns to keep, run probfs select."])
    return terminal_text([*summary_sentences(ranking), "", _grid(columns), *more, "", advice], presentation)


def _with_bars(columns: dict[str, list[str]], ranking: Ranking) -> dict[str, list[str]]:
    """The columns with a bar behind the driving score."""
    driving = SCORES[ranking.settings.score]
    values = [score_value(feature, driving) for feature in ranking.features]
    largest = max((abs(value or 0.0) for value in values), default=0.0)
    widened: dict[str, list[str]] = {}
    for heading, cells in columns.items():
        widened[heading] = cells
        if heading == driving.symbol:
            widened[_BAR] = [_bar(value, largest) for value in values]
    return widened


def _grid(columns: dict[str, list[str]]) -> Table:
    grid = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0))
    for heading in columns:
        if heading in ("feature", _BAR):
            grid.add_column(heading, overflow="fold", style="cyan" if heading == _BAR else None)
        elif heading == NOISE:
            grid.add_column(heading, no_wrap=True, style="dim")
        else:
            grid.add_column(heading, justify="right", no_wrap=True)
    for row in zip(*columns.values(), strict=True):
        grid.add_row(*(Text(cell) for cell in row))
    return grid


def _make_fit(columns: dict[str, list[str]], width: int) -> None:
    """Leave out what a narrow terminal has no room for: the name and the driving score are what was asked for."""
    needed = ("rank", "feature", *list(columns)[2:3], _BAR, NOISE)
    expendable = [heading for heading in columns if heading not in needed]
    for heading in [*reversed(expendable), _BAR, *(heading for heading in columns if heading == NOISE)]:
        widths = [max(cell_len(text) for text in (name, *cells)) + _GAP for name, cells in columns.items()]
        # A name longer than this is folded; it must not cost all others their columns.
        widths[1] = min(widths[1], max(_LONG_NAME, width // 3))
        if sum(widths) - _GAP <= width:
            return
        del columns[heading]


def _bar(value: float | None, largest: float) -> str:
    """A bar in eighths of a character; a score below zero gets none, only its minus sign."""
    if value is None or value <= 0 or largest <= 0:
        return ""
    eighths = max(1, round(value / largest * _BAR_WIDTH * 8))
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
