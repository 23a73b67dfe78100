"""Lower bounds on scores: no score falls below its floor, and skipping by them changes no ranking."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probfs.classifiers.naive_bayes import score_floors, shrinkage
from probfs.classifiers.naive_bayes.classifier import FittedNaiveBayes
from probfs.classifiers.naive_bayes.score_floors import ScoreFloors
from probfs.classifiers.naive_bayes.shrinkage import ShrinkName
from probfs.classifiers.options import EstimateName
from probfs.classifiers.scores import SCORES
from probfs.columns.dataset import Dataset
from probfs.tables.arrays import Floats
from tests.support.datasets import datasets_with_near_ties, random_dataset
from tests.support.eliminations import assert_same_rounds, eliminate_all

HowToPrune = tuple[str, EstimateName, float, float, ShrinkName, bool]
HOW_TO_PRUNE = st.tuples(
    st.sampled_from(["absolute", "unlabeled", "signed"]),
    st.sampled_from(["loo", "resubstitution", "cv"]),
    st.sampled_from([1, 3, 0.2]),
    st.sampled_from([1.0, 1e-3, 1e-60]),
    st.sampled_from(["off", "on"]),
    st.booleans(),
)


@settings(max_examples=40, deadline=None)
@given(datasets_with_near_ties(), HOW_TO_PRUNE, st.booleans())
def test_near_ties_leave_in_the_same_order(dataset: Dataset, how: HowToPrune, small_pool: bool) -> None:
    check_pruning(dataset, how, small_pool)


@pytest.mark.slow
@settings(max_examples=1500, deadline=None)
@given(datasets_with_near_ties(), HOW_TO_PRUNE, st.booleans())
def test_the_same_on_thousands_of_tables(dataset: Dataset, how: HowToPrune, small_pool: bool) -> None:
    check_pruning(dataset, how, small_pool)


def check_pruning(dataset: Dataset, how: HowToPrune, small_pool: bool) -> None:
    """Rank a dataset with pruning and without."""
    score, estimate, step, smoothing, shrink, compiled = how
    with (
        patch.object(score_floors, "_MIN_POOL", 2 if small_pool else score_floors._MIN_POOL),
        patch.object(score_floors, "_ROUNDS_OF_A_POOL", 1 if small_pool else score_floors._ROUNDS_OF_A_POOL),
    ):
        pruned, everything = (
            eliminate_all(dataset, estimate, step, score, smoothing, compiled, prune, shrink) for prune in (True, False)
        )
    assert_same_rounds(pruned, everything)


@settings(max_examples=60, deadline=None)
@given(
    datasets_with_near_ties(),
    st.sampled_from(["loo", "resubstitution", "cv"]),
    st.sampled_from([1.0, 1e-3]),
    st.sampled_from(["off", "on"]),
    st.sampled_from(["absolute", "signed", "unlabeled"]),
    st.data(),
)
def test_no_score_falls_below_its_floor(
    dataset: Dataset,
    estimate: EstimateName,
    smoothing: float,
    shrink: ShrinkName,
    score: str,
    data: st.DataObject,
) -> None:
    """Whichever features leave, what is said of the others beforehand holds, as long as the exponent is held."""
    with patch.object(shrinkage, "_HELD_SHARE", 0.0):
        classifier = FittedNaiveBayes(dataset, estimate, 3, smoothing, 0, shrink=shrink, prune=True)
        classifier.lowest(SCORES[score], 1)
        for _ in range(4):
            leaving = st.lists(st.sampled_from(classifier.active.tolist()), min_size=1, max_size=3, unique=True)
            classifier.drop(np.array(data.draw(leaving)))
            assert classifier._floors is not None
            floors = classifier._floors.floors(classifier.active)
            assert (classifier.score().driving(SCORES[score]) >= floors).all()


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_the_bound_on_random_changes(classes: int) -> None:
    """One row: when a feature leaves, the change that another makes moves by no more than its floor falls."""
    random = np.random.default_rng(0)
    for _ in range(5_000):
        weights, logs, others = random.normal(size=(3, classes)) * 10 ** random.uniform(-3, 1, (3, 1))
        moved = change(weights - others, logs) - change(weights, logs)
        floors = ScoreFloors(np.array([np.ptp(logs), np.ptp(others)]), classes)
        floors.record(np.array([0]), np.zeros(1), np.zeros(1))
        floors.lower_after_removal(np.array([1]))
        (floor,) = floors.floors(np.array([0]))
        assert np.abs(moved).sum() / 2 <= -floor + 1e-14
        assert np.abs(moved).max() <= -floor + 1e-14


def change(weights: Floats, logs: Floats) -> Floats:
    """P - Q for classes of these log-weights, when factors of these logarithms leave."""
    p, q = np.exp(weights - weights.max()), np.exp((weights - logs) - (weights - logs).max())
    found: Floats = p / p.sum() - q / q.sum()
    return found


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6))
def test_a_feature_that_may_be_as_low_as_a_scored_one_is_scored_too(seed: int) -> None:
    """Its floor may be a score that was just as low, before features without any reach left."""
    random = np.random.default_rng(seed)
    reach = np.append(10 ** random.uniform(0, 4, 20), 0.0)
    floors = ScoreFloors(reach, 3)
    floors.lower_after_removal(np.arange(18))
    tied = np.full(2, random.uniform(-1e-9, 1e-9))
    floors.record(np.array([18, 19]), tied, np.abs(tied))
    floors.lower_after_removal(np.array([20]))
    floors.record(np.array([18]), tied[:1], np.abs(tied[:1]))
    assert floors.second_batch(np.array([18, 19]), np.array([18]), 1).tolist() == [19]


def test_floors_skip_most_features_of_wide_and_of_tall_tables() -> None:
    tables: list[tuple[Dataset, ShrinkName]] = [
        (random_dataset(60, 400, 3, 2, seed=0, signal=0.1), "on"),
        (random_dataset(40_000, 60, 3, 2, seed=0, signal=0.1), "off"),
    ]
    for dataset, shrink in tables:
        rounds = eliminate_all(dataset, "loo", score="absolute", prune=True, shrink=shrink)
        scored = sum(len(one.scored) for one in rounds)
        assert scored < 0.5 * sum(len(one.active) for one in rounds)
