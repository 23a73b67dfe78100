"""What tables of a ranking show to people: headings, and the text of each cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from probfs.classifiers.scores import ABSOLUTE, SIGNED, Score
from probfs.rendering.ranking_summary import shown_scores
from probfs.text import printable

if TYPE_CHECKING:
    from probfs.ranking.result import RankedFeature, Ranking

ROUND = "left in round"
IN_ROUND_1 = "in round 1"
NOISE = " "
"""The heading of the column that marks noise."""
NOISE_ABOVE = 0.1
"""The rate of false discoveries above which a column is marked as one that cannot be told from noise."""
NOISE_MARK = "≈ noise"


def ranking_columns(ranking: Ranking) -> dict[str, list[str]]:
    """The cells below each heading; names are printable, and the driving score stands first of all scores."""
    features = ranking.features
    columns = {
        "rank": [str(feature.rank) for feature in features],
        "feature": [printable(feature.feature) for feature in features],
    }
    for score in shown_scores(ranking):
        columns[score.symbol] = [shown_score(score_value(feature, score)) for feature in features]
    columns[ROUND] = [str(feature.round) for feature in features]
    if ranking.settings.uncertainty:
        columns |= _uncertainty(ranking)
    noise = [is_noise(feature, ranking) for feature in features]
    if any(noise):
        columns[NOISE] = [NOISE_MARK if own else "" for own in noise]
    return columns


def meaning_of_marks(columns: dict[str, list[str]]) -> list[str]:
    """Sentences that explain the signs in these columns."""
    meaning = ["±: one standard error."] if any(IN_ROUND_1 in heading for heading in columns) else []
    if NOISE in columns:
        meaning.append(f"{NOISE_MARK}: these rows cannot tell the column from noise (q > {NOISE_ABOVE}).")
    return meaning


def is_noise(feature: RankedFeature, ranking: Ranking) -> bool:
    """Whether the rows cannot tell a feature from noise, for a classifier that needs each feature to tell the class."""
    settings = ranking.settings
    together = settings.model.sees_columns_together
    return not together and feature.q is not None and feature.q > NOISE_ABOVE


def score_value(feature: RankedFeature, score: Score) -> float | None:
    """A score of a feature in the round in which it left."""
    value: float | None = getattr(feature, score.key)
    return value


def shown_score(value: float | None) -> str:
    """A score in four decimals, or as a power of ten where few of them would be seen; nothing for none."""
    if value is None:
        return ""
    return f"{value:.4f}" if value == 0 or abs(value) >= 1e-3 else f"{value:.2e}"


def _uncertainty(ranking: Ranking) -> dict[str, list[str]]:
    """Rank intervals, and the scores of round 1 with their standard errors."""
    features = ranking.features
    columns = {"rank interval (90%)": [f"{feature.rank_low}-{feature.rank_high}" for feature in features]}
    for score in (ABSOLUTE, SIGNED):
        columns[f"{score.symbol} {IN_ROUND_1}"] = [
            f"{getattr(feature, f'initial_{score.key}'):.4f} ± {getattr(feature, f'se_initial_{score.key}'):.4f}"
            for feature in features
        ]
    return columns
