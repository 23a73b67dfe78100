"""Results in a few lines: what Python shows where a result stands alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from probfs.classifiers.scores import SCORES
from probfs.rendering.ranking_columns import score_value, shown_score
from probfs.rendering.ranking_summary import how_it_was_ranked, what_was_read
from probfs.rendering.selection_summary import what_it_achieves, what_to_keep
from probfs.text import printable, shorten_middle

if TYPE_CHECKING:
    from probfs.ranking.result import Ranking
    from probfs.selection.result import Selection

_BEST = 3
_LONGEST_NAME = 40
_LONGEST_LINE = 300


def ranking_repr(ranking: Ranking) -> str:
    """What was ranked, how, and the best features with the score that decided."""
    score = SCORES[ranking.settings.score]
    shown = ranking.features[:_BEST]
    best = [f"{feature.rank}. {_name(feature.feature)} {shown_score(score_value(feature, score))}" for feature in shown]
    listed = _listed(best, ranking.input.features)
    return _lines("Ranking", [what_was_read(ranking.input), how_it_was_ranked(ranking), f"{score.symbol}: {listed}"])


def selection_repr(selection: Selection) -> str:
    """What was read, what to keep, how well that does, and the best of the kept features."""
    kept = _listed([_name(name) for name in selection.kept[:_BEST]], len(selection.kept))
    achieved = what_it_achieves(selection.honest)[:1]
    lines = [what_was_read(selection.input), what_to_keep(selection), f"Kept: {kept or 'none'}", *achieved]
    return _lines("Selection", lines)


def _name(name: str) -> str:
    return printable(shorten_middle(name, _LONGEST_NAME))


def _listed(shown: Sequence[str], total: int) -> str:
    more = total - len(shown)
    return ", ".join([*shown, f"… {more:,} more"] if more else shown)


def _lines(kind: str, lines: Sequence[str]) -> str:
    return f"<{kind} of " + "\n ".join(shorten_middle(printable(line), _LONGEST_LINE) for line in lines) + ">"
