"""A selection as a notebook shows it: a table of verdicts, with bars; noise is pale."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from probfs.classifiers.scores import SCORES
from probfs.rendering.html_elements import MOST_ROWS, result_html
from probfs.rendering.selection_columns import selection_columns
from probfs.rendering.selection_summary import selection_sentences
from probfs.rendering.unlisted import rest_of_selection

if TYPE_CHECKING:
    from probfs.selection.result import Selection


def selection_html(selection: Selection) -> str:
    shown = replace(selection, features=selection.features[:MOST_ROWS])
    score = SCORES[selection.settings.score]
    return result_html(
        sentences=selection_sentences(selection),
        columns=selection_columns(shown),
        texts=("feature", "verdict", "why"),
        bars=(score.symbol, [getattr(feature, score.key) for feature in shown.features]),
        dim=[feature.verdict == "noise" for feature in shown.features],
        rest=rest_of_selection(selection, len(shown.features)),
        meanings=(),
        warnings=selection.warnings,
    )
