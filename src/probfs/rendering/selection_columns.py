"""What tables of a selection show to people: headings, and the text of each cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from probfs.classifiers.scores import SCORES
from probfs.rendering.ranking_columns import shown_score
from probfs.rendering.selection_summary import shown_loss
from probfs.text import printable

if TYPE_CHECKING:
    from probfs.selection.result import SelectedFeature, Selection

LOSS = "log-loss"
_NONE = "-"


def selection_columns(selection: Selection) -> dict[str, list[str]]:
    """The cells below each heading; names are printable."""
    score = SCORES[selection.settings.score]
    columns: dict[str, list[str]] = {
        "rank": [str(feature.rank) for feature in selection.features],
        "feature": [printable(feature.feature) for feature in selection.features],
        "verdict": [feature.verdict for feature in selection.features],
        score.symbol: [shown_score(getattr(feature, score.key)) or _NONE for feature in selection.features],
        LOSS: [_NONE if feature.log_loss is None else shown_loss(feature.log_loss) for feature in selection.features],
        "folds": [_NONE if feature.folds is None else str(feature.folds) for feature in selection.features],
        "why": [_why(feature, selection) for feature in selection.features],
    }
    if selection.honest is None:
        del columns["folds"]
    return columns


def _why(feature: SelectedFeature, selection: Selection) -> str:
    if feature.instead is not None and feature.explained is not None:
        name = printable(feature.instead)
        return f"copy of {name}" if feature.is_copy else f"{name} says {feature.explained:.0%} of it"
    if feature.verdict == "noise" and feature.q is not None:
        return f"q {feature.q:.2g}"
    if selection.is_beyond(feature):
        return f"beyond the {selection.settings.keep} asked for"
    if feature.verdict == "weak":
        return "copy of a dropped column" if feature.is_copy else "adds too little"
    return "by request" if feature.keep and feature.feature in selection.settings.always else ""
