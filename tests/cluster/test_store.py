"""A Naive Bayes whose rows are in blocks elsewhere ranks as one that has them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.classifiers.estimates import EstimateName
from probfs.classifiers.naive_bayes.classifier import NaiveBayes
from probfs.classifiers.naive_bayes.counts import ClassCounts
from probfs.classifiers.naive_bayes.shrinkage import ShrinkName
from probfs.classifiers.scores import SCORES
from probfs.cluster.block import Block
from probfs.cluster.blocks import Blocks
from probfs.cluster.coded_rows import CodedRows
from probfs.cluster.store import ClusterStore
from probfs.columns.dataset import Dataset
from probfs.ranking.elimination import Round, eliminate
from probfs.screening.value_counts import count_values
from tests.support.datasets import dataset_of, problems, random_dataset, with_unlabelled
from tests.support.eliminations import assert_same_rounds, eliminate_all
from tests.support.exact_naive_bayes import Problem
from tests.support.in_process_cluster import InProcessCluster


def blocks_of(dataset: Dataset, cuts: list[int]) -> list[Block]:
    """The rows of a dataset in blocks that begin at these rows; unlabelled rows are cut at the same places."""
    dtype = np.min_scalar_type(max(feature.values for feature in dataset.features))
    codes = np.stack([feature.labelled.astype(dtype) for feature in dataset.features])
    others = np.stack([feature.unlabelled.astype(dtype) for feature in dataset.features])
    none = np.zeros(len(dataset.unlabelled_counts), dtype=np.int8)
    return [
        Block(
            CodedRows.sorted(dataset.labels[own], dataset.counts[own], codes[:, own]),
            CodedRows.sorted(none[own], dataset.unlabelled_counts[own], others[:, own]),
        )
        for own in (slice(first, end) for first, end in zip([0, *cuts], [*cuts, None], strict=True))
    ]


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
    totals = np.array(list(dataset.class_rows().values()))
    condensed = replace(
        dataset,
        labels=np.arange(len(dataset.classes)),
        counts=totals,
        unlabelled_counts=np.array([dataset.unlabelled_rows]),
    )
    blocks = [cluster.submit("block", _as_it_is, block) for block in blocks_of(dataset, cuts)]
    rows = len(dataset.counts) + len(dataset.unlabelled_counts)
    store = ClusterStore(Blocks(cluster, blocks), condensed, ClassCounts(counts.class_rows, counts.by_slot), rows)
    options = {"smoothing": 1.0, "compiled": False, "prune": None, **options}
    smoothing = options.pop("smoothing")
    classifier = NaiveBayes(condensed, estimate, 3, smoothing, 0, shrink=shrink, store=store, **options)
    return list(eliminate(classifier, [feature.name for feature in dataset.features], SCORES[score], 1))


def _as_it_is(block: Block) -> Block:
    return block


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
