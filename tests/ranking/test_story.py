"""The story of an elimination: which rounds are told, what features score in them, and that nothing else changes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import probfs
from probfs.columns.choice import ColumnChoice
from probfs.columns.inspect import inspect_table
from probfs.ranking.elimination import schedule
from probfs.ranking.inputs import InputRequest, read_prepared
from probfs.ranking.story import Background, choose_rounds
from tests.support import SAMPLES


@given(st.integers(1, 3000), st.sampled_from([1, 3, 0.1, 0.5]), st.integers(2, 60))
def test_the_first_and_the_last_round_are_told_and_never_more_than_wanted(
    features: int, step: int | float, most: int
) -> None:
    sizes = schedule(features, step)
    told = choose_rounds(sizes, most)
    assert {1, len(sizes)} <= told <= set(range(1, len(sizes) + 1))
    assert len(told) <= most
    if len(sizes) <= most:
        assert len(told) == len(sizes)
    elif step == 1 and most >= 20:
        assert len(told) > most / 2
        assert len(sizes) - 1 in told, "the last rounds are told one by one"


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["absolute", "signed"]), st.integers(2, 4), st.sampled_from([1, 2]))
def test_the_story_is_what_a_new_model_of_the_features_scores(seed: int, score: str, classes: int, step: int) -> None:
    random = np.random.default_rng(seed)
    labels = np.arange(40) % classes
    cells = np.where(random.random((40, 6)) < 0.4, labels[:, None], random.integers(0, 3, (40, 6)))
    frame = pd.DataFrame({f"x{place}": [f"v{cell}" for cell in cells[:, place]] for place in range(6)})
    frame["y"] = [f"c{label}" for label in labels]
    ranking = probfs.rank(frame, target="y", score=score, step=step, screen=False, report=True)
    assert ranking.background is not None
    order = [feature.feature for feature in ranking.features]
    assert [told.round for told in ranking.background.story] == [*range(1, len(ranking.rounds) + 1)]
    for told, own in zip(ranking.background.story, ranking.rounds, strict=True):
        left = order[: own.features]
        fresh = probfs.rank(frame[[*left, "y"]], target="y", score=score, eliminate=False, screen=False)
        scored = {one.feature: one.s_s if score == "absolute" else one.s_a for one in fresh.features}
        assert told.scores == pytest.approx([scored[name] for name in left], rel=1e-9, abs=1e-13)
        leaving = [one for one in ranking.features if one.round == own.round]
        assert own.removed == tuple(one.feature for one in reversed(leaving))
        s_a = {one.feature: one.s_a for one in fresh.features}
        assert [one.s_a for one in leaving] == pytest.approx([s_a[one.feature] for one in leaving], rel=1e-9, abs=1e-13)
    assert [one.round for one in ranking.features] == sorted((one.round for one in ranking.features), reverse=True)
    assert [one.initial_s_s for one in ranking.features[-step:]] == [one.s_s for one in ranking.features[-step:]]


@pytest.mark.parametrize(("classifier", "screen"), [("nb", True), ("nb", False), ("svm", False)])
def test_a_ranking_is_the_same_with_its_story_which_ends_with_the_scores_of_its_features(
    classifier: str, screen: bool
) -> None:
    kiln = SAMPLES / "kiln.csv"
    plain = probfs.rank(kiln, target="cracked", classifier=classifier, screen=screen)
    ranking = probfs.rank(kiln, target="cracked", classifier=classifier, screen=screen, report=True)
    assert ranking.to_json() == plain.to_json()
    assert plain.background is None
    assert ranking.background is not None
    story = ranking.background.story
    assert [told.round for told in story] == [own.round for own in ranking.rounds]
    for told, own in zip(story, ranking.rounds, strict=True):
        lowest = ranking.features[own.features - 1]
        assert lowest.round == told.round
        assert told.scores[-1] == lowest.s_a
    assert story[0].scores == tuple(feature.initial_s_a for feature in ranking.features)


def test_the_story_of_a_selection_tells_of_the_columns_that_were_eliminated() -> None:
    plain, selection = (
        probfs.select(SAMPLES / "kiln.csv", target="cracked", folds=0, report=wanted) for wanted in (False, True)
    )
    assert selection == plain
    assert selection.background is not None
    story = selection.background.story
    left = [feature for feature in selection.features if feature.log_loss is not None]
    assert [len(told.scores) for told in story] == [*range(len(left), 0, -1)]
    assert [told.scores[-1] for told in story] == [feature.s_a for feature in reversed(left)]


# What else results keep for a report

KILN = SAMPLES / "kiln.csv"


def background_of(result: probfs.Ranking | probfs.Selection) -> Background:
    assert result.background is not None
    return result.background


@pytest.mark.parametrize("call", [probfs.rank, probfs.select])
def test_the_inspection_is_that_of_the_command(call: object) -> None:
    result = (
        probfs.rank(KILN, target="cracked", report=True)
        if call is probfs.rank
        else probfs.select(KILN, target="cracked", folds=0, report=True)
    )
    prepared = read_prepared(InputRequest(KILN, choice=ColumnChoice("cracked", missing="auto")))
    assert background_of(result).inspection == inspect_table(prepared)


def test_intervals_are_told_of_the_columns_that_were_cut_and_of_no_others() -> None:
    intervals = background_of(probfs.rank(KILN, target="cracked", report=True)).intervals
    assert intervals["soak_minutes"] == ("(-inf,35]", "(35,40]", "(40,44]", "(44,49]", "(49,inf)")
    assert "clay" not in intervals
    assert not background_of(probfs.rank(KILN, target="cracked", report=True, classifier="svm", step=4)).intervals
