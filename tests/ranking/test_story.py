"""The story of an elimination: which rounds are told, what features score in them, and that nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import probfs
from probfs.classifiers.naive_bayes.classifier import FittedNaiveBayes
from probfs.classifiers.scores import ABSOLUTE, SCORES
from probfs.columns.dataset import Dataset
from probfs.ranking.candidates import Screened
from probfs.ranking.elimination import eliminate, schedule
from probfs.ranking.story import RoundCollector, choose_rounds
from tests.support.datasets import random_dataset
from tests.support.eliminations import assert_same_rounds
from tests.support.paths import SAMPLES
from tests.support.scripted_classifier import ScriptedClassifier


def untested(columns: int) -> Screened:
    unknown = np.full(columns, np.nan)
    return Screened(unknown, unknown, np.arange(columns), {}, ())


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


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.sampled_from(["absolute", "signed"]), st.integers(2, 4))
def test_the_story_is_what_a_new_model_of_the_features_scores_and_rounds_stay_the_same(
    seed: int, score: str, classes: int
) -> None:
    dataset = random_dataset(30, 9, 3, classes, seed)
    names = [feature.name for feature in dataset.features]
    recorder = RoundCollector(names, untested(9), SCORES[score], schedule(9, 1))
    rounds = list(recorder.follow(eliminate(naive_bayes(dataset), names, SCORES[score], 1)))
    assert_same_rounds(rounds, list(eliminate(naive_bayes(dataset), names, SCORES[score], 1)))
    order = [int(own.active[position]) for own in rounds for position in own.leaving][::-1]
    for told, own in zip(recorder.story, rounds, strict=True):
        fresh = naive_bayes(dataset)
        fresh.drop(np.setdiff1d(fresh.active, own.active))
        by_feature = dict(zip(own.active.tolist(), fresh.score().driving(SCORES[score]), strict=True))
        assert told.round == own.number
        expected = [by_feature[feature] for feature in order[: len(own.active)]]
        assert told.scores == pytest.approx(expected, rel=1e-9, abs=1e-13)


def naive_bayes(dataset: Dataset) -> FittedNaiveBayes:
    return FittedNaiveBayes(dataset, "loo", 3, 1.0, 0, compiled=False)


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


def test_features_are_ranked_by_when_they_left() -> None:
    names, classifier = ["a", "b", "c"], ScriptedClassifier([0.3, 0.1, 0.2])
    collector = RoundCollector(names, untested(3))
    assert len(list(collector.follow(eliminate(classifier, names, ABSOLUTE, 2)))) == 2
    assert [(f.rank, f.feature, f.round, f.s_s, f.initial_s_s) for f in collector.features] == [
        (1, "a", 2, 0.3, 0.3),
        (2, "c", 1, 0.2, 0.2),
        (3, "b", 1, 0.1, 0.1),
    ]
    summaries = [(summary.round, summary.features, summary.removed) for summary in collector.summaries]
    assert summaries == [(1, 3, ("b", "c")), (2, 1, ("a",))]
