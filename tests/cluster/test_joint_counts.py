"""Counts of pairs of features of rows in blocks are those of all rows together."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from probfs.cluster.joint_counts import JointCountsInBlocks

from probfs.cluster import joint_counts
from probfs.columns.dataset import Dataset
from probfs.screening.redundancy import CodedTable, Pairs, PairSums
from tests.support.blocks import blocks_of
from tests.support.screening import datasets


@given(datasets(rows=20), st.lists(st.integers(0, 20), max_size=3).map(sorted), st.sampled_from([1, 1 << 21]))
def test_blocks_add_up(dataset: Dataset, cuts: list[int], at_a_time: int) -> None:
    whole = CodedTable.of(dataset)
    blocks = blocks_of(dataset, cuts)
    counts = JointCountsInBlocks(blocks, whole.values, whole.classes, len(dataset.labels))
    every = list(range(len(dataset.features)))
    plan = [Pairs(place, every[: place + 1]) for place in every]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(joint_counts, "CELLS_AT_A_TIME", at_a_time)
        for found, expected in zip(counts.count(plan), whole.count(plan), strict=True):
            for own in fields(PairSums):
                np.testing.assert_array_equal(getattr(found.sums(), own.name), getattr(expected.sums(), own.name))
