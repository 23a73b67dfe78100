"""A ranking for people: aligned columns and a bar beside the score that decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from probfs.classifiers.scores import ABSOLUTE, SIGNED, Score
from probfs.rendering.formats import Presentation
from probfs.rendering.ranking_summary import shown_scores, summary_sentences
from probfs.rendering.terminal import terminal_text
from probfs.text import printable

if TYPE_CHECKING:
    from probfs.ranking.result import RankedFeature, Ranking

_BAR_WIDTH = 12
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_GAP = 2
_BAR = ""
_LONG_NAME = 24
_ROUND = "left in round"
_INITIAL = "in round 1"
_NOISE = " "
_NOISE_ABOVE = 0.1
"""The rate of false discoveries above which a column is marked as one that cannot be told from noise."""


def ranking_table(ranking: Ranking, presentation: Presentation) -> str:
    """The table with its sentences; without a terminal's width nothing is ever cut off."""
    driving, *others = shown_scores(ranking)
    largest = max((abs(_value(feature, driving) or 0.0) for feature in ranking.features), default=0.0)
    columns = {
        "rank": [str(feature.rank) for feature in ranking.features],
        "feature": [printable(feature.feature) for feature in ranking.features],
        driving.symbol: [shown_score(_value(feature, driving)) for feature in ranking.features],
        _BAR: [_bar(_value(feature, driving), largest) for feature in ranking.features],
    }
    for score in others:
        columns[score.symbol] = [shown_score(_value(feature, score)) for feature in ranking.features]
    columns[_ROUND] = [str(feature.round) for feature in ranking.features]
    if ranking.settings.uncertainty:
        columns |= _uncertainty(ranking)
    if any(_is_noise(feature, ranking) for feature in ranking.features):
        columns[_NOISE] = ["≈ noise" if _is_noise(feature, ranking) else "" for feature in ranking.features]
    if presentation.width is not None:
        _make_fit(columns, presentation.width)
    hidden = ranking.input.features - len(ranking.features)
    more = [f"… and {hidden:,} more"] if hidden else []
    meaning = ["±: one standard error."] if any(_INITIAL in heading for heading in columns) else []
    if _NOISE in columns:
        meaning.append(f"≈ noise: these rows cannot tell the column from noise (q > {_NOISE_ABOVE}).")
    advice = " ".join([*meaning, "To decide which columns to keep, run probfs select."])
    return terminal_text([*summary_sentences(ranking), "", _grid(columns), *more, "", advice], presentation)


def _uncertainty(ranking: Ranking) -> dict[str, list[str]]:
    """Rank intervals, and the scores of round 1 with their standard errors."""
    features = ranking.features
    columns = {"rank interval (90%)": [f"{feature.rank_low}-{feature.rank_high}" for feature in features]}
    for score in (ABSOLUTE, SIGNED):
        columns[f"{score.symbol} {_INITIAL}"] = [
            f"{getattr(feature, f'initial_{score.key}'):.4f} ± {getattr(feature, f'se_initial_{score.key}'):.4f}"
            for feature in features
        ]
    return columns


def _is_noise(feature: RankedFeature, ranking: Ranking) -> bool:
    settings = ranking.settings
    together = settings.specification.sees_columns_together(settings.options)
    return not together and feature.q is not None and feature.q > _NOISE_ABOVE


def _grid(columns: dict[str, list[str]]) -> Table:
    grid = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0))
    for heading in columns:
        if heading in ("feature", _BAR):
            grid.add_column(heading, overflow="fold", style="cyan" if heading == _BAR else None)
        elif heading == _NOISE:
            grid.add_column(heading, no_wrap=True, style="dim")
        else:
            grid.add_column(heading, justify="right", no_wrap=True)
    for row in zip(*columns.values(), strict=True):
        grid.add_row(*(Text(cell) for cell in row))
    return grid


def _make_fit(columns: dict[str, list[str]], width: int) -> None:
    """Leave out what a narrow terminal has no room for: the name and the driving score are what was asked for."""
    needed = ("rank", "feature", *list(columns)[2:3], _BAR, _NOISE)
    expendable = [heading for heading in columns if heading not in needed]
    for heading in [*reversed(expendable), _BAR, *(heading for heading in columns if heading == _NOISE)]:
        widths = [max(cell_len(text) for text in (name, *cells)) + _GAP for name, cells in columns.items()]
        # A name longer than this is folded; it must not cost all others their columns.
        widths[1] = min(widths[1], max(_LONG_NAME, width // 3))
        if sum(widths) - _GAP <= width:
            return
        del columns[heading]


def _value(feature: RankedFeature, score: Score) -> float | None:
    value: float | None = getattr(feature, score.key)
    return value


def shown_score(value: float | None) -> str:
    """A score in four decimals, or as a power of ten where few of them would be seen; nothing for none."""
    if value is None:
        return ""
    return f"{value:.4f}" if value == 0 or abs(value) >= 1e-3 else f"{value:.2e}"


def _bar(value: float | None, largest: float) -> str:
    """A bar in eighths of a character; a score below zero gets none, only its minus sign."""
    if value is None or value <= 0 or largest <= 0:
        return ""
    eighths = max(1, round(value / largest * _BAR_WIDTH * 8))
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
