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
from probfs.rendering.ranking_summary import model_and_estimate
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
        title=(f"{data.source}, target {data.target}", _how(ranking)),
        bars=BarChart(
            tuple(_row(feature, ranking) for feature in ranking.features),
            score_label(score),
            words,
            "rank, 90 % interval",
            partial(rest_of_ranking, ranking),
            asked=ranking.most_listed,
        ),
        curves=_curves(ranking),
    )


def _how(ranking: Ranking) -> str:
    """How the ranking was made; the axis of the bars names the score."""
    return f"{model_and_estimate(ranking)}, {'recursive elimination' if ranking.settings.eliminate else 'one round'}"


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
    estimate = ranking.settings.estimate
    held_out = [own.held_out_errors(estimate) for own in rounds]
    errors = [own.errors if held is None else held for own, held in zip(rounds, held_out, strict=True)]
    shares = tuple((own.features, wrong / own.rows) for own, wrong in zip(rounds, errors, strict=True))
    # Losses of rows that a model was trained on are no losses of rows that were held out.
    trained = " on training rows" if estimate == "resubstitution" else ""
    wrong = "rows wrong when held out" if held_out[0] is not None else f"rows wrong{trained}"
    loss = f"log-loss{trained}"
    absolute = Line(f"absolute loss{trained}", tuple((own.features, own.absolute_loss) for own in rounds), "dashed")
    return Curves(
        (
            CurvePanel(loss, (Line(loss, tuple((own.features, own.log_loss) for own in rounds)),)),
            CurvePanel("rows wrong, and absolute loss", (Line(wrong, shares), absolute), as_share=True),
        ),
        size_label="features in the model (chosen on the same rows)",
    )
