"""The elimination: rounds, how many features leave in each, and in which order ties leave."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import probfs
from probfs.classifiers.protocol import Features, RoundScores
from probfs.classifiers.row_odds import Odds
from probfs.classifiers.scores import ABSOLUTE, SIGNED, Score
from probfs.notes import Note
from probfs.ranking.elimination import alphabetical_ranks, eliminate, leaving_count, leaving_order, schedule
from probfs.ranking.settings import Step
from probfs.tables.arrays import Floats
from tests.support import SAMPLES


def round_scores(signed: Sequence[float] | Floats, sizes: Sequence[float] | Floats | None = None) -> RoundScores:
    """Scores Ŝ_A as given, and Ŝ_S as given or their sizes."""
    s_a = np.array(signed)
    s_s = np.abs(s_a) if sizes is None else np.array(sizes)
    return RoundScores(s_s, s_a, None, 1, 0, 0.0, 0.0)


class ScriptedClassifier:
    """Every feature keeps its score in all rounds."""

    calibrated = True
    notes: tuple[Note, ...] = ()

    def __init__(self, scores: Sequence[float]) -> None:
        self.active: Features = np.arange(len(scores))
        self.dropped: list[list[int]] = []
        self._scores = np.array(scores)

    def score(self) -> RoundScores:
        return round_scores(self._scores[self.active])

    def odds(self, features: Sequence[int] | None = None) -> Odds:
        raise NotImplementedError("scores alone are given")

    def drop(self, features: Features) -> None:
        self.dropped.append(features.tolist())
        self.active = np.setdiff1d(self.active, features)


# The elimination: rounds, how many features leave in each, and in which order ties leave


def test_the_lowest_leaves_until_none_is_left() -> None:
    classifier = ScriptedClassifier([0.3, 0.1, 0.2])
    rounds = list(eliminate(classifier, ["a", "b", "c"], ABSOLUTE, 1))
    assert [current.number for current in rounds] == [1, 2, 3]
    assert [current.active.tolist() for current in rounds] == [[0, 1, 2], [0, 2], [0]]
    assert [current.active[list(current.leaving)].tolist() for current in rounds] == classifier.dropped
    assert classifier.dropped == [[1], [2], [0]]


def test_a_step_takes_the_lowest_first_and_no_step_takes_all() -> None:
    scores = [0.4, 0.1, 0.3, 0.2, 0.5]
    for step, dropped in ((2, [[1, 3], [2, 0], [4]]), (0.5, [[1, 3], [2], [0], [4]]), (None, [[1, 3, 2, 0, 4]])):
        classifier = ScriptedClassifier(scores)
        list(eliminate(classifier, list("abcde"), ABSOLUTE, step))
        assert classifier.dropped == dropped


def test_protected_features_leave_after_all_others() -> None:
    scores = [0.4, 0.1, 0.3, 0.2, 0.5]
    for step, dropped in ((1, [[2], [0], [4], [1], [3]]), (2, [[2, 0], [4], [1, 3]]), (None, [[2, 0, 4], [1, 3]])):
        classifier = ScriptedClassifier(scores)
        list(eliminate(classifier, list("abcde"), ABSOLUTE, step, protected=(3, 1)))
        assert classifier.dropped == dropped


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.sampled_from([1, 2, 3, 0.3, None]))
def test_rounds_are_as_the_schedule_says(scores: list[float], step: int | float | None) -> None:
    names = [f"f{number}" for number in range(len(scores))]
    rounds = list(eliminate(ScriptedClassifier(scores), names, ABSOLUTE, step))
    assert [len(current.active) for current in rounds] == schedule(len(scores), step)


def tied(driving: Floats, sizes: Floats, first: int, second: int, signed: bool) -> bool:
    """Whether two scores differ by no more than rounding, in exact fractions."""
    low, high = Fraction(float(driving[first])), Fraction(float(driving[second]))
    difference = abs(high - low)
    largest = Fraction(float(max(sizes[first], sizes[second])))
    near = difference <= Fraction(1, 10**12) * max(abs(low), abs(high))
    return near or (signed and difference <= Fraction(1, 10**13) * largest)


@given(
    st.lists(st.tuples(st.sampled_from([0.0, 0.5, -0.5, 0.75]), st.integers(0, 60)), min_size=2, max_size=40),
    st.sampled_from([ABSOLUTE, SIGNED]),
    st.integers(1, 40),
)
def test_ties_are_those_that_a_look_at_each_pair_finds(
    drawn: list[tuple[float, int]], score: Score, wanted: int
) -> None:
    # Scores within some rounding errors of each other.
    values = np.array([value * (1 + steps * 1e-13) for value, steps in drawn])
    sizes = np.abs(values)
    names = [f"f{number:02}" for number in range(len(values))]
    scores = RoundScores(sizes, values, None, 1, 0, 0.0, 0.0)
    driving = scores.driving(score)
    ascending = sorted(range(len(values)), key=lambda position: float(driving[position]))
    expected: list[int] = []
    while len(expected) < len(values):
        first = ascending[len(expected)]
        group = [first]
        for other in ascending[len(expected) + 1 :]:
            if not tied(driving, sizes, first, other, score.signed):
                break
            group.append(other)
        expected += sorted(group, reverse=True)
    wanted = min(wanted, len(values))
    assert leaving_order(scores, score, alphabetical_ranks(names), wanted) == expected[:wanted]


def test_a_tie_falls_to_the_name() -> None:
    values = [0.5, 0.25, 0.5 * (1 + 1e-13), 0.25 * (1 - 1e-13)]
    order = leaving_order(round_scores(values), SIGNED, alphabetical_ranks(["a", "c", "b", "d"]), 4)
    assert order == [3, 1, 2, 0]
    assert leaving_order(round_scores([0.5, 0.5 * (1 + 1e-11)]), ABSOLUTE, alphabetical_ranks(["a", "b"]), 2) == [0, 1]


def test_a_signed_score_that_is_only_rounding_is_a_tie() -> None:
    assert leaving_order(round_scores([1e-18, -3e-18], [0.2, 0.2]), SIGNED, alphabetical_ranks(["a", "b"]), 2) == [1, 0]
    assert leaving_order(round_scores([-3e-18, 1e-18], [0.2, 0.2]), SIGNED, alphabetical_ranks(["a", "b"]), 2) == [1, 0]


@pytest.mark.parametrize(
    ("step", "remaining", "count"),
    [
        (1, 5, 1),
        (7, 5, 5),
        (0.3, 10, 3),
        (0.29, 100, 29),
        (0.3, 2, 1),
        (None, 4, 4),
        ("auto", 100, 10),
        ("auto", 39, 3),
        ("auto", 31, 3),
        ("auto", 30, 1),
        ("auto", 1, 1),
    ],
)
def test_how_many_leave(step: Step | None, remaining: int, count: int) -> None:
    assert leaving_count(step, remaining) == count


def test_one_round_without_elimination_ranks_by_its_scores() -> None:
    ranking = probfs.rank(SAMPLES / "commute.csv", target="mode", exclude=["person"], eliminate=False)
    assert len(ranking.rounds) == 1
    keys = [(feature.q is not None and feature.q <= 0.1, feature.s_a) for feature in ranking.features]
    told = [key for key in keys if key[0]]
    assert told == keys[: len(told)] == sorted(told, reverse=True)
    assert all(f.round == 1 and f.s_s == f.initial_s_s for f in ranking.features)
