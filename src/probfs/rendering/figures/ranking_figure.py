"""What a figure of a ranking shows: the driving score of each feature, and how the models of all rounds do."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from probfs.classifiers.scores import SCORES
from probfs.rendering.figures.bars import BarChart, BarRow, BarText
from probfs.rendering.figures.compose import Drawing
from probfs.rendering.figures.curves import CurvePanel, Curves, Line
from probfs.rendering.figures.style import score_label
from probfs.rendering.ranking_columns import NOISE_MARK, is_noise, score_value
from probfs.rendering.ranking_summary import how_it_was_ranked
from probfs.rendering.unlisted import rest_of_ranking

if TYPE_CHECKING:
    from probfs.ranking.result import RankedFeature, Ranking


def ranking_drawing(ranking: Ranking) -> Drawing:
    score = SCORES[ranking.settings.score]
    words = f"({score.name})"
    if ranking.settings.eliminate:
        words += " when the feature left"
    elif ranking.settings.uncertainty and not score.needs_unlabelled:
        words += " ± standard error"
    data = ranking.input
    return Drawing(
        title=f"{data.source}, target {data.target}: {how_it_was_ranked(ranking)}",
        bars=BarChart(
            tuple(_row(feature, ranking) for feature in ranking.features),
            score_label(score),
            words,
            "rank, 90 % interval",
            partial(rest_of_ranking, ranking),
        ),
        curves=_curves(ranking),
    )


def _row(feature: RankedFeature, ranking: Ranking) -> BarRow:
    score = SCORES[ranking.settings.score]
    noise = is_noise(feature, ranking)
    low, high = feature.rank_low, feature.rank_high
    # Standard errors are those of the first round, in which other features have left no trace yet.
    error = None if ranking.settings.eliminate else getattr(feature, f"se_initial_{score.key}", None)
    return BarRow(
        feature.feature,
        feature.rank,
        score_value(feature, score),
        "dim" if noise else "strong",
        error,
        None if low is None or high is None else (low, high),
        BarText(NOISE_MARK if noise else ""),
    )


def _curves(ranking: Ranking) -> Curves | None:
    rounds = ranking.rounds
    if len(rounds) < 2:
        return None
    held_out = ranking.settings.estimate == "resubstitution" and all(own.cv_errors is not None for own in rounds)
    errors = [(own.features, (own.cv_errors or 0 if held_out else own.errors) / own.rows) for own in rounds]
    wrong = "rows wrong when held out" if held_out else "rows wrong"
    return Curves(
        (
            CurvePanel("log-loss", (Line("log-loss", tuple((own.features, own.log_loss) for own in rounds)),)),
            CurvePanel(
                f"{wrong}, and absolute loss",
                (
                    Line(wrong, tuple(errors)),
                    Line("absolute loss", tuple((own.features, own.absolute_loss) for own in rounds), "dashed"),
                ),
                as_share=True,
            ),
        )
    )
