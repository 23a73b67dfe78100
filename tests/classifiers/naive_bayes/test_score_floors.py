"""Lower bounds on scores: no score falls below its floor, and skipping by them changes no ranking."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probfs.classifiers.estimates import EstimateName
from probfs.classifiers.naive_bayes import classifier as classifier_module
from probfs.classifiers.naive_bayes import score_floors
from probfs.classifiers.naive_bayes.classifier import NaiveBayes
from probfs.classifiers.naive_bayes.score_floors import least_growth
from probfs.classifiers.naive_bayes.shrinkage import ShrinkName
from probfs.classifiers.scores import ABSOLUTE, SIGNED, UNLABELED
from probfs.columns.dataset import Dataset
from probfs.tables.table import Floats
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


@pytest.mark.parametrize("score", ["absolute", "signed"])
@pytest.mark.parametrize("slow_fall", [0.0, np.inf], ids=["sieve", "floors"])
@settings(max_examples=10, deadline=None)
@given(datasets_with_near_ties(), PRUNING_SETTINGS)
def test_a_small_pool_and_compiled_loops_leave_the_order_as_it_is(
    slow_fall: float, score: str, dataset: Dataset, how: PruningSettings
) -> None:
    with (
        patch.object(classifier_module, "_SLOW_FALL", slow_fall),
        patch.object(score_floors, "_MIN_POOL", 2),
        patch.object(score_floors, "_ROUNDS_OF_A_POOL", 1),
    ):
        check_pruning(dataset, (score, *how[1:-1], "on"), compiled=True)


@settings(max_examples=60, deadline=None)
@given(
    datasets_with_near_ties(),
    st.sampled_from(["loo", "resubstitution", "cv"]),
    st.sampled_from([1.0, 1e-3]),
    st.sampled_from(["off", "on"]),
    st.data(),
)
def test_no_score_falls_below_its_floor(
    dataset: Dataset, estimate: EstimateName, smoothing: float, shrink: ShrinkName, data: st.DataObject
) -> None:
    """Whichever features leave, what is said of the others beforehand holds, also where the exponent changes."""
    classifier = NaiveBayes(dataset, estimate, 3, smoothing, 0, shrink=shrink)
    signed = [SIGNED] if shrink == "on" and len(dataset.classes) == 2 else []
    assert set(classifier._floors) == {ABSOLUTE, UNLABELED, *signed}
    classifier.score()
    for _ in range(4):
        exponent = classifier._shrinkage.exponent
        leaving = data.draw(st.lists(st.sampled_from(classifier.active.tolist()), min_size=1, max_size=3, unique=True))
        classifier.drop(np.array(leaving))
        assert classifier._shrinkage.exponent > exponent or shrink == "off" or len(leaving) == 1
        floors = {score: own._floors(classifier.active) for score, own in classifier._floors.items()}
        scores = classifier.score()
        for score, floor in floors.items():
            found = scores.driving(score)
            if score == SIGNED:
                assert (found.to_floats() >= floor).all()
            else:
                assert (found.logs() >= floor - 1e-9).all()


def change(z: Floats, step: Floats) -> Floats:
    """σ(z) - σ(z - λ), from differences that lose no digits."""
    found: Floats = -np.expm1(-step) / ((1 + np.exp(-z)) * (1 + np.exp(z - step)))
    return found


def test_the_bounds_of_two_classes_on_random_changes() -> None:
    random = np.random.default_rng(0)
    size = 100_000
    reach = 10 ** random.uniform(-4, 1, size)
    step = reach * random.uniform(-1, 1, size)
    farthest = 10 ** random.uniform(-2, 1.3, size)
    z = farthest * random.uniform(-1, 1, size)
    ratio = 1 + 10 ** random.uniform(-4, 0.5, size)
    least = least_growth(reach, 1.0, ratio)
    most = least * np.exp((ratio - 1) * reach)
    grown = change(z, ratio * step) / change(z, step)
    assert (least >= 1 - 1e-9).all()
    assert (grown >= least * (1 - 1e-9)).all()
    assert (grown <= most * (1 + 1e-9)).all()
    # A move along z, within ±farthest.
    moved = np.clip(z + random.uniform(-1, 1, size), -farthest, farthest) - z
    slope = 1 / (1 + np.exp(-farthest)) + 1 / (1 + np.exp(-farthest - reach)) - 1
    assert (np.abs(np.log(change(z + moved, step) / change(z, step))) <= slope * np.abs(moved) + 1e-9).all()


def test_the_bound_of_more_classes_when_the_exponent_grows() -> None:
    random = np.random.default_rng(0)
    for _ in range(5_000):
        classes = random.integers(2, 6)
        weights, logs = random.normal(size=(2, classes)) * 10 ** random.uniform(-2, 1, (2, 1))
        ratio = 1 + 10 ** random.uniform(-4, 0.5)
        before, after = (distance(power * weights, power * logs) for power in (1.0, ratio))
        growth = ratio * np.exp(-(ratio - 1) * (2 * np.ptp(weights) + np.ptp(logs)))
        assert after >= before * growth * (1 - 1e-9) - 1e-15


def distance(weights: Floats, logs: Floats) -> float:
    """½ Σ |P - Q| for classes of these log-weights, when factors of these logarithms leave."""
    p, q = np.exp(weights - weights.max()), np.exp((weights - logs) - (weights - logs).max())
    return float(np.abs(p / p.sum() - q / q.sum()).sum() / 2)


@pytest.mark.parametrize("score", ["absolute", "signed"])
def test_few_features_of_a_wide_table_are_scored_with_shrinkage(score: str) -> None:
    rounds = eliminate_all(random_dataset(60, 1_200, 3, 2, seed=0, signal=0.1), "loo", score=score, shrink="auto")
    assert rounds[0].scores.exponent is not None
    assert rounds[0].scores.exponent < 0.05
    assert sum(len(one.scored) for one in rounds[1:100]) < 99 * 1_200 / 10


def test_most_scores_of_a_long_table_are_skipped() -> None:
    dataset = random_dataset(20_000, 40, 4, 2, seed=0, signal=0.1)
    scored = sum(len(one.scored) for one in eliminate_all(dataset, "loo", score="absolute"))
    assert scored < 40 * 41 / 2 / 2


def test_without_smoothing_there_is_no_floor() -> None:
    """Removing a zero factor can make a certain row uncertain again: there is no bound."""
    assert NaiveBayes(random_dataset(40, 5, 3, 2, seed=0), "loo", 0, 0.0, 0)._floors == {}
