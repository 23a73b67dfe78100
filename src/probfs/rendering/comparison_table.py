"""A comparison for people: its sentences, and the columns that changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from probfs.rendering.comparison_summary import comparison_sentences
from probfs.rendering.formats import Presentation
from probfs.rendering.ranking_columns import shown_score
from probfs.rendering.terminal import terminal_text
from probfs.text import counted, printable

if TYPE_CHECKING:
    from probfs.comparison.result import ColumnChange, Comparison

_GAP = 2
_NONE = "-"
_MOST_ROWS = 50
"""Columns listed, best first; CSV and JSON have all."""
_LONG_NAME = 24
_NAME = "column"
_VERDICT = "verdict"
_INTERVAL = "rank intervals"
_SCORE = "score"
_MARKS = {"rose": "▲", "fell": "▼", "same": "="}


def comparison_table(comparison: Comparison, presentation: Presentation) -> str:
    """The sentences and the table; without a terminal's width nothing is ever cut off."""
    changed = sorted(comparison.changed, key=_best_rank)
    shown = changed[:_MOST_ROWS]
    pieces: list[str | Table] = [*comparison_sentences(comparison)]
    if shown:
        columns = _cells(shown)
        if comparison.same_scores is None:
            # Different scores say nothing of each other.
            del columns[_SCORE]
        if presentation.width is not None:
            _make_fit(columns, presentation.width)
        pieces += ["", _grid(columns, [column.beyond is False for column in shown])]
    if len(changed) > len(shown):
        more = counted(len(changed) - len(shown), "more column")
        pieces.append(f"… and {more} that changed; --format csv lists all")
    return terminal_text(list(pieces), presentation)


def _best_rank(column: ColumnChange) -> tuple[int, int]:
    ranks = [rank for rank in (column.new_rank, column.old_rank) if rank is not None]
    return min(ranks), ranks[0]


def _cells(changed: list[ColumnChange]) -> dict[str, list[str]]:
    """The cells below each heading; what no column has is left out."""
    columns = {
        "new": [_shown(column.new_rank) for column in changed],
        "old": [_shown(column.old_rank) for column in changed],
        _NAME: [printable(column.column) for column in changed],
        "change": [_change(column) for column in changed],
        _INTERVAL: [{None: "", True: "beyond", False: "within"}[column.beyond] for column in changed],
        _VERDICT: [_verdict(column) for column in changed],
        _SCORE: [f"{_score(column.old_score)} → {_score(column.new_score)}" for column in changed],
    }
    return {heading: cells for heading, cells in columns.items() if any(cells)}


def _shown(rank: int | None) -> str:
    return _NONE if rank is None else f"{rank}"


def _score(score: float | None) -> str:
    return shown_score(score) or _NONE


def _change(column: ColumnChange) -> str:
    if column.moved is not None:
        return f"{_MARKS[column.change]} {abs(column.moved)}" if column.moved else _MARKS["same"]
    if column.renamed is not None:
        return f"{column.change} ({'now' if column.new_rank is None else 'was'} {printable(column.renamed)}?)"
    return column.change


def _verdict(column: ColumnChange) -> str:
    if column.verdict_changed:
        return f"{column.old_verdict} → {column.new_verdict}"
    return column.new_verdict or column.old_verdict or ""


def _make_fit(columns: dict[str, list[str]], width: int) -> None:
    """Leave out what a narrow terminal has no room for."""
    for heading in (_SCORE, _INTERVAL, _VERDICT):
        widths = {name: max(map(cell_len, (name, *cells))) + _GAP for name, cells in columns.items()}
        # A long name is folded; it must not cost others their columns.
        widths[_NAME] = min(widths[_NAME], max(_LONG_NAME, width // 3))
        if sum(widths.values()) - _GAP <= width:
            return
        columns.pop(heading, None)


def _grid(columns: dict[str, list[str]], dim: list[bool]) -> Table:
    """The table; what chance may explain is dim."""
    grid = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0))
    for heading in columns:
        if heading in (_NAME, "change"):
            grid.add_column(heading, overflow="fold")
        else:
            grid.add_column(heading, justify="left" if heading in (_INTERVAL, _VERDICT) else "right", no_wrap=True)
    for is_dim, row in zip(dim, zip(*columns.values(), strict=True), strict=True):
        grid.add_row(*(Text(cell) for cell in row), style="dim" if is_dim else None)
    return grid
