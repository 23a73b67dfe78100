"""What a figure of a ranking shows."""

from __future__ import annotations

from dataclasses import replace

import pytest

import probfs
from probfs.rendering.figures.ranking_figure import ranking_drawing
from tests.support.paths import SAMPLES
from tests.support.results import make_ranking

NAMES = ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize(("score", "key"), [("absolute", "s_s"), ("signed", "s_a")])
def test_bars_show_the_driving_score_in_the_order_of_ranks(score: str, key: str) -> None:
    ranking = make_ranking(NAMES, score=score)
    chart = ranking_drawing(ranking).bars
    assert [(row.name, row.rank, row.value) for row in chart.rows] == [
        (feature.feature, feature.rank, getattr(feature, key)) for feature in ranking.features
    ]
    assert chart.value_words == f"({score}) when the feature left"
    assert [row.look for row in chart.rows] == ["strong", "strong", "strong", "dim", "dim"]
    assert [str(row.remark) for row in chart.rows] == ["", "", "", "≈ noise", "≈ noise"]
    assert chart.describe_rest(2) == f"… 3 more, none above {getattr(ranking.features[2], key):.4f}"


def test_intervals_are_shown_where_they_were_measured() -> None:
    rows = ranking_drawing(make_ranking(NAMES, uncertainty=True)).bars.rows
    assert [row.interval for row in rows] == [(1, 2), (1, 4), (1, 5), (2, 5), (2, 5)]
    assert {row.interval for row in ranking_drawing(make_ranking(NAMES)).bars.rows} == {None}


def test_standard_errors_go_with_scores_of_the_first_round_only() -> None:
    """After an elimination, bars are scores of other rounds than those whose errors are known."""
    eliminated = ranking_drawing(make_ranking(NAMES, uncertainty=True))
    assert {row.error for row in eliminated.bars.rows} == {None}
    one_round = ranking_drawing(make_ranking(NAMES, uncertainty=True, eliminate=False, score="signed"))
    assert {row.error for row in one_round.bars.rows} == {0.01}
    assert one_round.bars.value_words == "(signed) ± standard error"
    assert one_round.curves is None


def test_curves_show_every_round() -> None:
    ranking = make_ranking(NAMES)
    curves = ranking_drawing(ranking).curves
    assert curves is not None
    loss, wrong = curves.panels
    assert loss.lines[0].points == tuple((own.features, own.log_loss) for own in ranking.rounds)
    assert wrong.lines[0].points == tuple((own.features, own.errors / own.rows) for own in ranking.rounds)
    assert wrong.lines[1].points == tuple((own.features, own.absolute_loss) for own in ranking.rounds)
    assert curves.labels == ["rows wrong", "absolute loss"]
    assert curves.size_label == "features in the model (chosen on the same rows)"


def test_rows_that_a_model_was_trained_on_are_not_its_errors() -> None:
    ranking = make_ranking(NAMES, classifier="svm")
    rounds = tuple(replace(own, cv_errors=own.errors + 7) for own in ranking.rounds)
    curves = ranking_drawing(replace(ranking, rounds=rounds)).curves
    assert curves is not None
    assert curves.panels[0].title == "log-loss on training rows"
    assert curves.labels == ["rows wrong when held out", "absolute loss on training rows"]
    assert curves.panels[1].lines[0].points[0][1] == (rounds[0].errors + 7) / 200


def test_a_real_ranking_is_drawn_as_it_is() -> None:
    ranking = probfs.rank(SAMPLES / "commute.csv", target="mode", exclude=["person"], score="unlabeled")
    drawing = ranking_drawing(ranking)
    assert [row.value for row in drawing.bars.rows] == [feature.s_su for feature in ranking.features]
    assert drawing.title[0].endswith("commute.csv, target mode")
    assert drawing.title[1] == "Naive Bayes, leave-one-out, recursive elimination"
