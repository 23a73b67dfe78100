"""A Naive Bayes whose rows are in blocks elsewhere ranks as one that has them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from probfs.cluster.store import ClusterStore

from probfs.classifiers.naive_bayes.classifier import FittedNaiveBayes
from probfs.classifiers.naive_bayes.model import ClassCounts
from probfs.classifiers.naive_bayes.shrinkage import ShrinkName
from probfs.classifiers.options import EstimateName
from probfs.classifiers.scores import SCORES
from probfs.columns.dataset import Dataset
from probfs.ranking.elimination import Round, eliminate
from probfs.screening.screen import count_values
from tests.support.blocks import blocks_of, condense
from tests.support.datasets import dataset_of, problems, random_dataset, with_unlabelled
from tests.support.eliminations import assert_same_rounds, eliminate_all
from tests.support.exact_naive_bayes import Problem
from tests.support.in_process_cluster import InProcessCluster


def eliminate_in_blocks(
    dataset: Dataset,
    cuts: list[int],
    estimate: EstimateName,
    score: str,
    *,
    shrink: ShrinkName = "off",
    cluster: Any = None,
    **options: Any,
) -> list[Round]:
    cluster = cluster or InProcessCluster()
    counts = count_values(dataset)
    condensed = condense(dataset)
    rows = len(dataset.counts) + len(dataset.unlabelled_counts)
    store = ClusterStore(
        blocks_of(dataset, cuts, cluster), condensed, ClassCounts(counts.class_rows, counts.by_slot), rows
    )
    options = {"smoothing": 1.0, "compiled": False, "prune": None, **options}
    smoothing = options.pop("smoothing")
    classifier = FittedNaiveBayes(condensed, estimate, 3, smoothing, 0, shrink=shrink, store=store, **options)
    return list(eliminate(classifier, [feature.name for feature in dataset.features], SCORES[score], 1))


@given(
    problems(),
    st.lists(st.integers(0, 15), max_size=3),
    st.sampled_from(["loo", "resubstitution", "cv"]),
    st.sampled_from(["absolute", "signed"]),
    st.sampled_from([0.0, 1.0]),
    st.sampled_from(["off", "on"]),
)
def test_small_tables(
    problem: Problem, cuts: list[int], estimate: EstimateName, score: str, smoothing: float, shrink: ShrinkName
) -> None:
    dataset = dataset_of(problem)
    expected = eliminate_all(dataset, estimate, score=score, smoothing=smoothing, shrink=shrink, compiled=False)
    found = eliminate_in_blocks(dataset, sorted(cuts), estimate, score, smoothing=smoothing, shrink=shrink)
    assert_same_rounds(found, expected)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("estimate", ["loo", "cv"])
@pytest.mark.parametrize("score", ["absolute", "signed", "unlabeled"])
@pytest.mark.parametrize("compiled", [False, True])
def test_larger_tables(classes: int, estimate: EstimateName, score: str, compiled: bool) -> None:
    dataset = with_unlabelled(random_dataset(3000, 12, 4, classes, 0), random_dataset(500, 12, 4, classes, 1))
    expected = eliminate_all(dataset, estimate, score=score, compiled=compiled, prune=True)
    found = eliminate_in_blocks(dataset, [100, 101, 2000], estimate, score, compiled=compiled, prune=True)
    assert_same_rounds(found, expected)
