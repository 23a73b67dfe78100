"""The sieve: which features may be lowest is found from few rows, and the ranking is what it is without."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings

from probfs.classifiers.naive_bayes.classifier import NaiveBayes
from probfs.classifiers.naive_bayes.compiled_many_class_rows import CompiledManyClassRows
from probfs.classifiers.naive_bayes.sieve import Sieve
from probfs.classifiers.options import EstimateName
from probfs.classifiers.protocol import Features
from probfs.classifiers.scores import ABSOLUTE, SCORES
from probfs.columns.dataset import Dataset
from probfs.ranking.elimination import eliminate
from tests.support.datasets import datasets_with_near_ties, random_dataset, with_unlabelled
from tests.support.eliminations import eliminate_all, leaving_features
from tests.support.pruning import PRUNING_SETTINGS, PruningSettings, check_pruning


@settings(max_examples=60, deadline=None)
@given(datasets_with_near_ties(), PRUNING_SETTINGS)
def test_near_ties_leave_in_the_same_order(dataset: Dataset, how: PruningSettings) -> None:
    check_pruning(dataset, how, compiled=True)


@pytest.mark.slow
@settings(max_examples=1500, deadline=None)
@given(datasets_with_near_ties(), PRUNING_SETTINGS)
def test_the_same_on_thousands_of_tables(dataset: Dataset, how: PruningSettings) -> None:
    check_pruning(dataset, how, compiled=True)


@pytest.mark.parametrize(("score", "most"), [("absolute", 0.25), ("unlabeled", 0.25), ("signed", 0.6)])
@pytest.mark.parametrize("estimate", ["loo", "cv"])
@pytest.mark.parametrize("classes", [2, 4])
def test_most_rows_of_a_wide_table_are_skipped(
    score: str, estimate: EstimateName, classes: int, most: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nearly all features are never summed over all rows."""
    cells = 0

    def find_and_count(sieve: Sieve, active: Features, wanted: int) -> Features:
        nonlocal cells
        found = find_candidates(sieve, active, wanted)
        cells += sieve.cells_gone_through
        return found

    find_candidates = Sieve.find_candidates
    monkeypatch.setattr(Sieve, "find_candidates", find_and_count)
    dataset = random_dataset(600, 300, 4, classes, seed=0, signal=0.3)
    dataset = with_unlabelled(dataset, random_dataset(500, 300, 4, classes, seed=1, signal=0.3))
    pruned = eliminate_all(dataset, estimate, score=score, compiled=True)
    everything = eliminate_all(dataset, estimate, score=score, compiled=True, prune=False)
    assert leaving_features(pruned) == leaving_features(everything)
    rows = 1_100 if score == "unlabeled" else 600
    assert cells < most * rows * 300 * 301 / 2
    assert sum(len(one.scored) for one in pruned[1:]) < 2 * 300


@pytest.mark.parametrize(("values", "classes"), [(40, 2), (300, 2), (300, 3)])
def test_columns_of_many_values_are_sifted_too(values: int, classes: int) -> None:
    """A place in the tables of many folds takes two bytes, whether a code takes one or two."""
    dataset = random_dataset(500, 30, values, classes, seed=0)
    pruned = eliminate_all(dataset, "cv", compiled=True)
    everything = eliminate_all(dataset, "cv", compiled=True, prune=False)
    assert sum(len(one.scored) for one in pruned) < sum(len(one.scored) for one in everything)
    assert leaving_features(pruned) == leaving_features(everything)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("score", ["absolute", "signed"])
def test_rows_that_are_all_but_certain_are_sifted_too(score: str, classes: int) -> None:
    """Where even the least certain row is surer than e^-1000, and no weight is a double."""
    dataset = random_dataset(60, 1_200, 4, classes, seed=0, signal=1.0)
    names = [feature.name for feature in dataset.features]
    classifier = NaiveBayes(dataset, "loo", 0, 1.0, 0, compiled=True)
    assert min(rows.least_gap() for rows in classifier._labelled) > (1_000 if classes == 2 else 700)
    pruned = list(islice(eliminate(classifier, names, SCORES[score], 1), 40))
    classifier = NaiveBayes(dataset, "loo", 0, 1.0, 0, compiled=True, prune=False)
    everything = list(islice(eliminate(classifier, names, SCORES[score], 1), 40))
    assert sum(len(one.scored) for one in pruned[1:]) < 40 * 1_200 / 4
    assert leaving_features(pruned) == leaving_features(everything)


@pytest.mark.parametrize("classes", [2, 3])
def test_rows_of_count_0_are_no_trouble(classes: int) -> None:
    dataset = random_dataset(300, 30, 3, classes, seed=0)
    features = tuple(replace(feature, unlabelled=feature.labelled[:50]) for feature in dataset.features)
    dataset = replace(dataset, features=features, unlabelled_counts=np.arange(50) % 3)
    pruned = eliminate_all(dataset, "loo", score="unlabeled", compiled=True)
    everything = eliminate_all(dataset, "loo", score="unlabeled", compiled=True, prune=False)
    assert leaving_features(pruned) == leaving_features(everything)


def test_many_lowest_features_at_a_time_are_not_sifted() -> None:
    classifier = NaiveBayes(random_dataset(300, 200, 3, 2, seed=0), "loo", 0, 1.0, 0, compiled=True)
    classifier.lowest(ABSOLUTE, 1)
    assert classifier._sieve is not None
    assert len(classifier.lowest(ABSOLUTE, 10)[0]) < 100
    assert len(classifier.lowest(ABSOLUTE, 65)[0]) == 200


def test_counts_beyond_what_the_bounds_hold_for_are_not_sifted() -> None:
    dataset = random_dataset(300, 20, 3, 2, seed=0)
    classifier = NaiveBayes(replace(dataset, counts=dataset.counts * 10**13), "loo", 0, 1.0, 0, compiled=True)
    classifier.lowest(ABSOLUTE, 1)
    assert classifier._sieve is None


@pytest.mark.parametrize(("classes", "smoothing"), [(51, 1.0), (3, 1e-9)])
def test_many_classes_beyond_what_the_bounds_hold_for_are_not_sifted(classes: int, smoothing: float) -> None:
    dataset = random_dataset(150, 5, 12, classes, seed=0)
    classifier = NaiveBayes(dataset, "loo", 0, smoothing, 0, compiled=True)
    assert all(isinstance(rows, CompiledManyClassRows) for rows in classifier._labelled)
    classifier.lowest(ABSOLUTE, 1)
    assert classifier._sieve is None


@pytest.mark.parametrize("score", ["absolute", "signed"])
def test_many_classes_are_sifted_under_shrinkage_too(score: str) -> None:
    dataset = random_dataset(300, 60, 4, 6, seed=0)
    pruned = eliminate_all(dataset, "loo", score=score, compiled=True, shrink="on")
    everything = eliminate_all(dataset, "loo", score=score, compiled=True, prune=False, shrink="on")
    assert sum(len(one.scored) for one in pruned) < sum(len(one.scored) for one in everything) / 2
    assert leaving_features(pruned) == leaving_features(everything)
