"""A ranking as CSV: a row for each feature, with all digits of its scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from probfs.classifiers.scores import SCORES
from probfs.text import delimited

if TYPE_CHECKING:
    from probfs.ranking.result import Ranking

SCORE_KEYS = tuple(score.key for score in SCORES)
RANK_KEYS = ("rank_low", "rank_high")
FLOAT_KEYS = (*SCORE_KEYS, "p", "q", "se_initial_s_s", "se_initial_s_a")
CSV_HEADER = (
    *("rank", "feature", *SCORE_KEYS, "round"),
    *(f"initial_{key}" for key in SCORE_KEYS),
    *FLOAT_KEYS[len(SCORE_KEYS) :],
    *RANK_KEYS,
)


def ranking_rows(ranking: Ranking) -> list[tuple[Any, ...]]:
    """The ranked features as rows below ``CSV_HEADER``."""
    return [tuple(getattr(feature, name) for name in CSV_HEADER) for feature in ranking.features]


def ranking_csv(ranking: Ranking, safe: bool = False) -> str:
    """The CSV; with ``safe``, a name that a spreadsheet would take for a formula begins with an apostrophe."""
    return delimited([CSV_HEADER, *ranking_rows(ranking)], safe=safe)
