"""Lower bounds on scores: no score falls below its floor, and skipping by them changes no ranking."""

from __future__ import annotations

from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probfs.classifiers.extended_range import ExtendedFloats
from probfs.classifiers.naive_bayes import classifier as classifier_module
from probfs.classifiers.naive_bayes import score_floors, shrinkage
from probfs.classifiers.naive_bayes.classifier import NaiveBayes
from probfs.classifiers.naive_bayes.score_floors import PlainFloors, curvature
from probfs.classifiers.naive_bayes.shrinkage import ShrinkName
from probfs.classifiers.options import EstimateName
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
@pytest.mark.parametrize("most_classes", [0, 99], ids=["sieve", "floors"])
@settings(max_examples=10, deadline=None)
@given(datasets_with_near_ties(), PRUNING_SETTINGS)
def test_a_small_pool_and_compiled_loops_leave_the_order_as_it_is(
    most_classes: int, score: str, dataset: Dataset, how: PruningSettings
) -> None:
    with (
        patch.object(classifier_module, "_CLASSES_FOR_FLOORS", most_classes),
        patch.object(classifier_module, "_CLASSES_FOR_SIGNED_FLOORS", most_classes),
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
    """Whichever features leave, what is said of the others beforehand holds, as long as the exponent is held."""
    with patch.object(shrinkage, "_HELD_SHARE", 0.0):
        classifier = NaiveBayes(dataset, estimate, 3, smoothing, 0, shrink=shrink)
        assert set(classifier._floors) == {ABSOLUTE, UNLABELED, *([SIGNED] if shrink == "on" else [])}
        classifier.score()
        for _ in range(4):
            leaving = st.lists(st.sampled_from(classifier.active.tolist()), min_size=1, max_size=3, unique=True)
            classifier.drop(np.array(data.draw(leaving)))
            floors = {score: own.floors(classifier.active) for score, own in classifier._floors.items()}
            scores = classifier.score()
            for score, floor in floors.items():
                found = scores.driving(score)
                assert ((found.to_floats() if shrink == "on" else found.logs()) >= floor - 1e-9).all()


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_the_bound_on_random_changes(classes: int) -> None:
    random = np.random.default_rng(0)
    for _ in range(5_000):
        weights, own, other = random.normal(size=(3, classes)) * 10 ** random.uniform(-3, 1, (3, 1))
        moved = change(weights - other, own) - change(weights, own)
        bound = curvature(classes) * np.ptp(own) * np.ptp(other)
        assert np.abs(moved).sum() / 2 <= bound + 1e-14
        assert np.abs(moved).max() <= bound + 1e-14


def change(weights: Floats, logs: Floats) -> Floats:
    """P - Q for classes of these log-weights, when factors of these logarithms leave."""
    p, q = np.exp(weights - weights.max()), np.exp((weights - logs) - (weights - logs).max())
    found: Floats = p / p.sum() - q / q.sum()
    return found


def test_scores_too_small_for_doubles_leave_nothing_out() -> None:
    floors = PlainFloors(np.ones(4), 0.1)
    tiny = ExtendedFloats.of(np.full(4, 0.5), -5_000)
    features = np.arange(4)
    floors.record(features, tiny, tiny)
    floors.lower_after_removal(features[:1])
    assert floors.second_batch(features[1:], features[1:2], 1).tolist() == [2, 3]


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**6))
def test_floors_are_bounds_in_exact_fractions(seed: int) -> None:
    """With scores so small beside what floors have fallen that the rounding of sums and products decides."""
    random = np.random.default_rng(seed)
    reach = 10 ** random.uniform(0, 4, 60)
    floors, slopes = PlainFloors(reach, 0.25), [Fraction(0.25) * Fraction(own) for own in reach.tolist()]
    scored, fallen = np.arange(40, 60), Fraction(0)
    exact: dict[int, tuple[float, Fraction]] = {}
    for leaving in range(40):
        scores = random.uniform(-1e-9, 1e-9, len(scored))
        floors.record(scored, ExtendedFloats.of(scores), ExtendedFloats.of(np.abs(scores)))
        exact |= {feature: (own, fallen) for feature, own in zip(scored.tolist(), scores.tolist(), strict=True)}
        floors.lower_after_removal(np.array([leaving]))
        fallen += Fraction(float(reach[leaving]))
        for feature, floor in enumerate(floors.floors(np.arange(40, 60)).tolist(), 40):
            score, then = exact[feature]
            assert Fraction(floor) <= Fraction(score) - slopes[feature] * (fallen - then)
        scored = np.sort(random.choice(np.arange(40, 60), 5, replace=False))


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6))
def test_a_feature_that_may_be_as_low_as_a_scored_one_is_scored_too(seed: int) -> None:
    """Its floor may be a score that was just as low, before features without any reach left."""
    random = np.random.default_rng(seed)
    reach = np.append(10 ** random.uniform(0, 4, 20), 0.0)
    floors = PlainFloors(reach, 0.25)
    floors.lower_after_removal(np.arange(18))
    tied = ExtendedFloats.of(np.full(2, random.uniform(-1e-9, 1e-9)))
    floors.record(np.array([18, 19]), tied, ExtendedFloats.of(np.abs(tied.values)))
    floors.lower_after_removal(np.array([20]))
    floors.record(np.array([18]), ExtendedFloats.of(tied.values[:1]), ExtendedFloats.of(np.abs(tied.values[:1])))
    assert floors.second_batch(np.array([18, 19]), np.array([18]), 1).tolist() == [19]


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
