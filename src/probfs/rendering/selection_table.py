"""A selection for people: a verdict on each feature, and why; noise is dim on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from probfs.classifiers.scores import SCORES
from probfs.rendering.formats import Presentation
from probfs.rendering.ranking_table import shown_score
from probfs.rendering.selection_summary import selection_sentences, shown_loss
from probfs.rendering.terminal import terminal_text
from probfs.text import printable

if TYPE_CHECKING:
    from probfs.selection.result import SelectedFeature, Selection

_GAP = 2
_LOSS = "log-loss"
_NONE = "-"
_ROOM_FOR_TEXT = 24
"""Characters beyond which names and reasons are folded before numbers are left out."""
_ROOM_FOR_REASON = 16


def selection_table(selection: Selection, presentation: Presentation) -> str:
    """The table with its sentences; without a terminal's width nothing is ever cut off."""
    score = SCORES[selection.settings.score]
    columns: dict[str, list[str]] = {
        "rank": [str(feature.rank) for feature in selection.features],
        "feature": [printable(feature.feature) for feature in selection.features],
        "verdict": [feature.verdict for feature in selection.features],
        score.symbol: [shown_score(getattr(feature, score.key)) or _NONE for feature in selection.features],
        _LOSS: [_NONE if feature.log_loss is None else shown_loss(feature.log_loss) for feature in selection.features],
        "folds": [_NONE if feature.folds is None else str(feature.folds) for feature in selection.features],
        "why": [_why(feature, selection) for feature in selection.features],
    }
    if selection.honest is None:
        del columns["folds"]
    if presentation.width is not None:
        _make_fit(columns, presentation.width, expendable=[_LOSS, "folds", score.symbol])
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


def _why(feature: SelectedFeature, selection: Selection) -> str:
    if feature.instead is not None and feature.explained is not None:
        return f"{printable(feature.instead)} says {feature.explained:.0%} of it"
    if feature.verdict == "noise" and feature.q is not None:
        return f"q {feature.q:.2g}"
    if selection.is_beyond(feature):
        return f"beyond the {selection.settings.keep} asked for"
    if feature.verdict == "weak":
        return "copy of a dropped column" if feature.log_loss is None else "adds too little"
    return "by request" if feature.keep and feature.feature in selection.settings.always else ""
