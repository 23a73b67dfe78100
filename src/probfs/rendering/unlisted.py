"""One line about the features that a table or a figure has no room for."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from probfs.classifiers.scores import SCORES
from probfs.rendering.ranking_columns import score_value, shown_score
from probfs.text import counted

if TYPE_CHECKING:
    from probfs.ranking.result import Ranking
    from probfs.selection.result import Selection

VERDICT_WORDS = {"keep": "kept", "redundant": "redundant", "weak": "weak", "noise": "noise"}


def not_listed(hidden: int) -> str:
    """How many features are left out; nothing if none is.

    >>> not_listed(1), not_listed(2000), not_listed(0)
    ('1 more feature is not listed.', '2,000 more features are not listed.', '')
    """
    return f"{counted(hidden, 'more feature')} {'is' if hidden == 1 else 'are'} not listed." if hidden else ""


def rest_of_ranking(ranking: Ranking, shown: int) -> str:
    """How many features follow the first so many, and how large their scores are; nothing if none follows."""
    score = SCORES[ranking.settings.score]
    more = ranking.input.features - shown
    if more <= 0:
        return ""
    # A ranking that was cut to its best features does not know the scores of the others.
    complete = len(ranking.features) == ranking.input.features
    values = [score_value(feature, score) for feature in ranking.features[shown:]] if complete else []
    return f"… {more:,} more{_none_above(values)}"


def rest_of_selection(selection: Selection, shown: int) -> str:
    """How many features follow the first so many, with what verdicts, and how large their scores are."""
    hidden = (*selection.features[shown:], *selection.unlisted)
    if not hidden:
        return ""
    verdicts: Counter[str] = Counter(feature.verdict for feature in hidden)
    kinds = ", ".join(f"{verdicts[verdict]:,} {word}" for verdict, word in VERDICT_WORDS.items() if verdicts[verdict])
    key = SCORES[selection.settings.score].key
    return f"… {len(hidden):,} more ({kinds}){_none_above(getattr(feature, key) for feature in hidden)}"


def _none_above(values: Iterable[float | None]) -> str:
    known = [value for value in values if value is not None and math.isfinite(value)]
    return f", none above {shown_score(max(known))}" if known else ""
