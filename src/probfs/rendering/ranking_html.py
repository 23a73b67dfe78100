"""A ranking as a notebook shows it: a table of the best features, with bars."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from probfs.classifiers.scores import SCORES
from probfs.rendering.html_elements import MOST_ROWS, result_html
from probfs.rendering.ranking_columns import NOISE, is_noise, meaning_of_marks, ranking_columns, score_value
from probfs.rendering.ranking_summary import summary_sentences
from probfs.rendering.unlisted import rest_of_ranking

if TYPE_CHECKING:
    from probfs.ranking.result import Ranking


def ranking_html(ranking: Ranking) -> str:
    shown = replace(ranking, features=ranking.features[:MOST_ROWS])
    columns = ranking_columns(shown)
    score = SCORES[ranking.settings.score]
    return result_html(
        sentences=summary_sentences(ranking),
        columns=columns,
        texts=("feature", NOISE),
        bars=(score.symbol, [score_value(feature, score) for feature in shown.features]),
        dim=[is_noise(feature, ranking) for feature in shown.features],
        rest=rest_of_ranking(ranking, len(shown.features)),
        meanings=meaning_of_marks(columns),
        warnings=ranking.warnings,
    )
