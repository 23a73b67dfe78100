"""The scores of a round."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from probfs.classifiers.extended_range import ExtendedFloats
from probfs.classifiers.protocol import RoundScores
from probfs.classifiers.scores import ABSOLUTE, SCORES, SIGNED, UNLABELED, Score
from probfs.ranking.result import RankedFeature


def round_scores(s_su: ExtendedFloats | None) -> RoundScores:
    s_s, s_a = (ExtendedFloats.of(np.array([value])) for value in (0.5, -0.25))
    return RoundScores(s_s, s_a, s_su, 4, 1, 0.5, 0.7)


def test_the_driving_score_is_the_one_asked_for() -> None:
    scores = round_scores(ExtendedFloats.of(np.array([0.75])))
    assert scores.driving(ABSOLUTE) is scores.s_s
    assert scores.driving(SIGNED) is scores.s_a
    assert scores.driving(UNLABELED) is scores.s_su


def test_a_score_that_was_not_computed_cannot_drive() -> None:
    scores = round_scores(None)
    assert scores.get(UNLABELED) is None
    with pytest.raises(ValueError, match="the classifier gave no s_su"):
        scores.driving(UNLABELED)


@pytest.mark.parametrize("score", list(SCORES), ids=lambda score: score.name)
def test_every_score_has_its_place_in_rounds_and_results(score: Score) -> None:
    assert score.key in {field.name for field in fields(RoundScores)}
    assert {score.key, f"initial_{score.key}"} <= {field.name for field in fields(RankedFeature)}
