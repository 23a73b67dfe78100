"""The elimination: rounds, how many features leave in each, in which order ties leave, and what is told of it all."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import probfs
from probfs.classifiers.protocol import RoundScores
from probfs.classifiers.scores import ABSOLUTE, SIGNED, Score
from probfs.columns.choice import ColumnChoice
from probfs.columns.inspect import inspect_table
from probfs.ranking.elimination import alphabetical_ranks, leaving_order, schedule
from probfs.ranking.inputs import InputRequest, read_prepared
from probfs.ranking.settings import Step
from probfs.ranking.story import choose_rounds
from tests.support import SAMPLES

KILN = SAMPLES / "kiln.csv"


@pytest.mark.parametrize(
    ("step", "sizes"),
    [
        (1, [4, 3, 2, 1]),
        (7, [4]),
        (3, [7, 4, 1]),
        (0.3, [10, 7, 5, 4, 3, 2, 1]),
        (0.29, [100, 71, 51]),
        ("auto", [100, 90, 81, 73, 66, 60, 54, 49, 45, 41, 37, 34, 31, 28, 27, 26]),
        (None, [4]),
    ],
)
def test_how_many_are_left_in_each_round(step: Step | None, sizes: list[int]) -> None:
    assert schedule(sizes[0], step)[: len(sizes)] == sizes


def tied(driving: Sequence[float], sizes: Sequence[float], first: int, second: int, signed: bool) -> bool:
    """Whether two scores differ by no more than rounding, in exact fractions."""
    low, high = Fraction(driving[first]), Fraction(driving[second])
    difference = abs(high - low)
    near = difference <= Fraction(1, 10**12) * max(abs(low), abs(high))
    return near or (signed and difference <= Fraction(1, 10**13) * Fraction(max(sizes[first], sizes[second])))


@given(
    st.lists(st.tuples(st.sampled_from([0.0, 1e-14, 0.5, -0.5, 0.75]), st.integers(0, 60)), min_size=2, max_size=40),
    st.sampled_from([0.0, 1e-3, 1.0]),
    st.sampled_from([ABSOLUTE, SIGNED]),
    st.integers(1, 40),
)
def test_ties_are_those_that_a_look_at_each_pair_finds_and_fall_to_the_name(
    drawn: list[tuple[float, int]], size: float, score: Score, wanted: int
) -> None:
    # Scores within some rounding errors of each other, and of the size of their terms.
    values = np.array([value * (1 + steps * 1e-13) + 4e-14 * size * (steps % 7) for value, steps in drawn])
    sizes = np.maximum(np.abs(values), size)
    scores = RoundScores(values if score is ABSOLUTE else sizes, values, None, 1, 0, 0.0, 0.0)
    driving = scores.driving(score).tolist()
    ascending = sorted(range(len(values)), key=driving.__getitem__)
    expected: list[int] = []
    while len(expected) < len(values):
        first = ascending[len(expected)]
        group = [first]
        for other in ascending[len(expected) + 1 :]:
            if not tied(driving, sizes.tolist(), first, other, score.signed):
                break
            group.append(other)
        expected += sorted(group, reverse=True)
    names = [f"f{number:02}" for number in range(len(values))]
    wanted = min(wanted, len(values))
    assert leaving_order(scores, score, alphabetical_ranks(names), wanted) == expected[:wanted]


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from([1e-3, 1.0])), min_size=1, max_size=8), st.randoms())
def test_the_order_of_columns_does_not_matter_where_scores_differ_by_rounding(
    drawn: list[tuple[int, float]], random: Random
) -> None:
    def leaving(positions: list[int], wanted: int) -> list[int]:
        values = np.array([4e-14 * drawn[place][0] for place in positions])
        sizes = np.array([drawn[place][1] for place in positions])
        scores = RoundScores(sizes, values, None, 1, 0, 0.0, 0.0)
        return [positions[place] for place in leaving_order(scores, SIGNED, np.array(positions), wanted)]

    ordered = list(range(len(drawn)))
    shuffled = random.sample(ordered, len(ordered))
    for wanted in (1, len(drawn)):
        assert leaving(shuffled, wanted) == leaving(ordered, wanted)


def test_one_round_without_elimination_ranks_by_its_scores() -> None:
    ranking = probfs.rank(SAMPLES / "commute.csv", target="mode", exclude=["person"], eliminate=False)
    assert len(ranking.rounds) == 1
    keys = [(feature.q is not None and feature.q <= 0.1, feature.s_a) for feature in ranking.features]
    told = [key for key in keys if key[0]]
    assert told == keys[: len(told)] == sorted(told, reverse=True)
    assert all(f.round == 1 and f.s_s == f.initial_s_s for f in ranking.features)


# The story: which rounds are told, and what features score in them


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
    plain = probfs.rank(KILN, target="cracked", classifier=classifier, screen=screen)
    ranking = probfs.rank(KILN, target="cracked", classifier=classifier, screen=screen, report=True)
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
    how: dict[str, Any] = {"target": "cracked", "folds": 0}
    plain, several = (probfs.select(KILN, report=wanted, **how) for wanted in (False, True))
    assert several == plain
    noise = plain.features[-1].feature
    names = [own.feature for own in plain.features if own.log_loss is not None]
    for selection in (several, probfs.select(KILN, report=True, include=[*names, noise], **how)):
        assert selection.background is not None
        story = selection.background.story
        left = [feature for feature in selection.features if feature.log_loss is not None]
        assert [len(told.scores) for told in story] == [*range(len(left), 0, -1)]
        assert [told.scores[-1] for told in story] == [feature.s_a for feature in reversed(left)]
        assert len(left) == len(names)


@pytest.mark.parametrize("call", [probfs.rank, probfs.select])
def test_a_report_has_the_inspection_of_the_command_and_the_intervals_of_columns_that_were_cut(call: Any) -> None:
    background = call(KILN, target="cracked", report=True).background
    prepared = read_prepared(InputRequest(KILN, choice=ColumnChoice("cracked", missing="auto")))
    assert background.inspection == inspect_table(prepared)
    assert background.intervals["soak_minutes"] == ("(-inf,35]", "(35,40]", "(40,44]", "(44,49]", "(49,inf)")
    assert "clay" not in background.intervals
    measured = probfs.rank(KILN, target="cracked", report=True, classifier="svm", step=4).background
    assert measured is not None
    assert not measured.intervals
