"""Folds of rows in blocks are those of the rows in one place."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from probfs.classifiers.naive_bayes.counts import SlotLayout
from probfs.classifiers.naive_bayes.row_groups import Grouping
from probfs.cluster.folds import deal_blocks
from probfs.columns.folds import deal_folds
from probfs.tables.table import Codes
from tests.cluster.test_store import blocks_of
from tests.support.datasets import random_dataset
from tests.support.in_process_cluster import InProcessCluster


@given(
    st.integers(0, 1000),
    st.integers(2, 3),
    st.integers(2, 4),
    st.lists(st.integers(0, 60), max_size=4),
    st.integers(1, 3),
)
def test_every_row_is_dealt_as_it_would_be(seed: int, classes: int, folds: int, cuts: list[int], values: int) -> None:
    dataset = random_dataset(60, 3, values, classes, seed)
    counts = np.random.default_rng(seed).integers(0, 4, 60)
    dataset = replace(dataset, counts=counts + (np.arange(60) < 2 * classes))
    cluster = InProcessCluster()
    blocks = [cluster.submit("block", lambda own: own, block) for block in blocks_of(dataset, sorted(cuts))]
    layout = SlotLayout.of([feature.values for feature in dataset.features])
    dealt, fold_counts = deal_blocks(cluster, blocks, dataset, Grouping(layout, 1.0, "cv", folds, 0, compiled=False))  # type: ignore[arg-type]  # it has what is needed
    expected = deal_folds(dataset, folds, 0)
    # Equal rows may be dealt out in any order: how many copies of each row are in each fold is what counts.
    found: Counter[tuple[bytes, int]] = Counter()
    for block in cluster.gather(dealt):
        for row, own in enumerate(block.copies.T.tolist()):
            found.update(_by_fold(block.labelled.labels[row], block.labelled.codes[:, row], own))
    wanted: Counter[tuple[bytes, int]] = Counter()
    codes = np.stack([feature.labelled for feature in dataset.features])
    for row in np.flatnonzero(dataset.counts).tolist():
        wanted.update(_by_fold(dataset.labels[row], codes[:, row], expected[:, row].tolist()))
    assert found == wanted
    for fold in range(folds):
        assert fold_counts[fold].rows.tolist() == np.bincount(dataset.labels, expected[fold], classes).tolist()


def _by_fold(label: int, codes: Codes, copies: list[int]) -> dict[tuple[bytes, int], int]:
    content = bytes([label, *codes.tolist()])
    return {(content, fold): own for fold, own in enumerate(copies)}
