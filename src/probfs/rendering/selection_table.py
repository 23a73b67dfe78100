"""A selection for people: a verdict on each feature, and why; noise is dim on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from probfs.classifiers.scores import SCORES
from probfs.rendering.formats import Presentation
from probfs.rendering.selection_columns import LOSS, selection_columns
from probfs.rendering.selection_summary import selection_sentences
from probfs.rendering.terminal import terminal_text

if TYPE_CHECKING:
    from probfs.selection.result import Selection

_GAP = 2
_ROOM_FOR_TEXT = 24
"""Characters beyond which names and reasons are folded before numbers are left out."""
_ROOM_FOR_REASON = 16


def selection_table(selection: Selection, presentation: Presentation) -> str:
    """The table with its sentences; without a terminal's width nothing is ever cut off."""
    columns = selection_columns(selection)
    if presentation.width is not None:
        _make_fit(columns, presentation.width, expendable=[LOSS, "folds", SCORES[selection.settings.score].symbol])
    more = [f"… and {len(selection.unlisted):,} more"] if selection.unlisted else []
    grid = _grid(columns, [feature.verdict == "noise" for feature in selection.features], presentation.width)
    return terminal_text([*selection_sentences(selection), "", grid, *more], presentation)


def _grid(columns: dict[str, list[str]], dim: list[bool], width: int | None) -> Table:
    grid = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0))
    folded = {} if width is None else _folded_widths(columns, width)
    for heading in columns:
        if heading in ("feature", "why"):
            grid.add_column(heading, overflow="fold", width=folded.get(heading))
        else:
            grid.add_column(heading, justify="left" if heading == "verdict" else "right", no_wrap=True)
    for is_dim, row in zip(dim, zip(*columns.values(), strict=True), strict=True):
        grid.add_row(*(Text(cell) for cell in row), style="dim" if is_dim else None)
    return grid


def _make_fit(columns: dict[str, list[str]], width: int, expendable: list[str]) -> None:
    """Leave out what a narrow terminal has no room for: names, verdicts and reasons are what was asked for."""
    for heading in expendable:
        widths = _widths(columns)
        texts = sum(min(widths.pop(name), _ROOM_FOR_TEXT) for name in ("feature", "why"))
        if sum(widths.values()) + texts + _GAP * (len(columns) - 1) <= width:
            return
        columns.pop(heading, None)


def _folded_widths(columns: dict[str, list[str]], width: int) -> dict[str, int]:
    """How wide names and reasons may be; reasons are folded before names are."""
    widths = _widths(columns)
    name, why = widths.pop("feature"), widths.pop("why")
    free = width - sum(widths.values()) - _GAP * (len(columns) - 1)
    name = max(1, min(name, max(free - min(why, _ROOM_FOR_REASON), free // 2)))
    return {"feature": name, "why": max(1, min(why, free - name))}


def _widths(columns: dict[str, list[str]]) -> dict[str, int]:
    return {name: max(map(cell_len, (name, *cells))) for name, cells in columns.items()}
