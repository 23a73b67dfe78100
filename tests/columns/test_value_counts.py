"""Counts by value and class of some features, taken from those of all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given

from probfs.columns.dataset import Dataset
from probfs.screening.value_counts import count_values
from tests.support.screening import datasets


@given(datasets())
def test_the_counts_of_some_features_are_those_of_a_table_of_them(dataset: Dataset) -> None:
    every = count_values(dataset)
    some = np.arange(len(dataset.features))[::-2]
    alone = count_values(replace(dataset, features=tuple(dataset.features[place] for place in some)))
    chosen = every.of_features(some)
    for name in ("values", "offset", "by_slot", "class_rows"):
        np.testing.assert_array_equal(getattr(chosen, name), getattr(alone, name))
