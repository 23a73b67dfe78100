"""Lower bounds on scores: no score falls below its floor, and skipping by them changes no ranking."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probfs.classifiers.estimates import EstimateName
from probfs.classifiers.naive_bayes.classifier import NaiveBayes
from probfs.classifiers.scores import ABSOLUTE, UNLABELED
from probfs.columns.dataset import Dataset
from tests.support.datasets import datasets_with_near_ties, random_dataset
from tests.support.eliminations import eliminate_all
from tests.support.pruning import PRUNING_SETTINGS, PruningSettings, check_pruning


@settings(max_examples=40, deadline=None)
@given(datasets_with_near_ties(), PRUNING_SETTINGS)
def test_near_ties_leave_in_the_same_order(dataset: Dataset, how: PruningSettings) -> None:
    check_pruning(dataset, how, compiled=False)


@pytest.mark.slow
@settings(max_examples=1500, deadline=None)
@given(datasets_with_near_ties(), PRUNING_SETTINGS)
def test_the_same_on_thousands_of_tables(dataset: Dataset, how: PruningSettings) -> None:
    check_pruning(dataset, how, compiled=False)


@settings(max_examples=60, deadline=None)
@given(datasets_with_near_ties(), st.sampled_from(["loo", "resubstitution", "cv"]), st.data())
def test_no_score_falls_below_its_floor(dataset: Dataset, estimate: EstimateName, data: st.DataObject) -> None:
    """Whichever features leave, what is said of the others beforehand holds."""
    classifier = NaiveBayes(dataset, estimate, 3, 1.0, 0)
    classifier.score()
    for _ in range(4):
        leaving = data.draw(st.lists(st.sampled_from(classifier.active.tolist()), min_size=1, max_size=3, unique=True))
        classifier.drop(np.array(leaving))
        floors = {score: own._floor[classifier.active].copy() for score, own in classifier._floors.items()}
        assert set(floors) == {ABSOLUTE, UNLABELED}
        scores = classifier.score()
        for score, floor in floors.items():
            with np.errstate(divide="ignore"):
                logs = np.log(scores.driving(score).to_floats())
            assert (logs >= floor - 1e-9).all()


def test_most_scores_of_a_long_table_are_skipped() -> None:
    dataset = random_dataset(20_000, 40, 4, 2, seed=0, signal=0.1)
    scored = sum(len(one.scored) for one in eliminate_all(dataset, "loo", score="absolute"))
    assert scored < 40 * 41 / 2 / 2


def test_without_smoothing_there_is_no_floor() -> None:
    """Removing a zero factor can make a certain row uncertain again: there is no bound."""
    assert NaiveBayes(random_dataset(40, 5, 3, 2, seed=0), "loo", 0, 0.0, 0)._floors == {}
