"""Measured numbers as intervals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from probfs.selection.counted_numbers import with_intervals

from probfs.columns.dataset import Feature
from probfs.tables.arrays import text_array
from tests.support.datasets import random_dataset


def measured(numbers: int, missing_is_value: bool = False) -> Feature:
    """A feature of different numbers, one a row, the last of which is missing."""
    codes = np.arange(numbers + 1, dtype=np.uint8)
    values = np.arange(numbers, dtype=np.float64)
    return Feature("m", text_array([]), codes, codes[:0], values, missing_is_value=missing_is_value)


@pytest.mark.parametrize("missing_is_value", [False, True])
def test_many_numbers_become_five_intervals(missing_is_value: bool) -> None:
    dataset = random_dataset(51, 1, 3, 2, seed=0)
    own = replace(dataset, features=(measured(50, missing_is_value), dataset.features[0]))
    feature, other = with_intervals(own).features
    assert feature.numbers is None
    assert feature.values == 5 + missing_is_value
    assert np.bincount(feature.labelled).tolist() == [10] * 5 + [1]
    assert other is dataset.features[0]


def test_few_numbers_stay_as_they_are() -> None:
    feature = measured(20)
    dataset = replace(random_dataset(21, 1, 3, 2, seed=0), features=(feature,))
    assert with_intervals(dataset).features == (feature,)
