"""Copies among features of rows in blocks are those of all rows together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from probfs.cluster.copies import find_copies_in_blocks

from probfs.columns.dataset import Dataset
from probfs.screening.redundancy import find_copies
from probfs.screening.screen import count_values
from tests.support.blocks import blocks_of
from tests.support.datasets import feature_of, random_dataset
from tests.support.screening import datasets


@given(datasets(), st.lists(st.integers(0, 14), max_size=3).map(sorted))
def test_small_tables(dataset: Dataset, cuts: list[int]) -> None:
    counts = count_values(dataset)
    assert find_copies_in_blocks(blocks_of(dataset, cuts), counts) == find_copies(dataset, counts)


@pytest.mark.parametrize("seed", range(10))
def test_a_value_may_have_another_name_but_the_same_one_in_every_block(seed: int) -> None:
    dataset = random_dataset(60, 2, 3, 2, seed)
    first = dataset.features[0]
    renamed = np.array([2, 0, 1, 3])[first.labelled]
    # In each half of the rows a copy, but not of one and the same naming.
    halves = np.where(np.arange(60) < 30, first.labelled, renamed)
    more = (feature_of("renamed", 3, renamed), feature_of("halves", 3, halves))
    dataset = replace(dataset, features=(*dataset.features, *more))
    counts = count_values(dataset)
    assert find_copies_in_blocks(blocks_of(dataset, [30]), counts) == find_copies(dataset, counts) == ((0, 2),)
