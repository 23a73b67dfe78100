"""Measured numbers cut into intervals, where their values are to be counted together with those of other columns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from probfs.columns.choice import CUT_ABOVE, DEFAULT_BINS
from probfs.columns.dataset import Dataset, Feature
from probfs.columns.rules import interval_codes, quantile_points
from probfs.tables.arrays import Integers


def with_intervals(dataset: Dataset) -> Dataset:
    """The dataset with measured numbers cut at their quantiles, as Naive Bayes would have them: a number that hardly
    another row has would be a value from which the class of its one row follows.
    """
    return replace(dataset, features=tuple(_counted(feature, dataset.counts) for feature in dataset.features))


def _counted(feature: Feature, counts: Integers) -> Feature:
    if feature.numbers is None or len(feature.numbers) <= CUT_ABOVE:
        return feature
    numbers = np.append(feature.numbers, [np.nan, np.nan])[feature.labelled][None]
    points, counting = quantile_points(numbers, counts, DEFAULT_BINS)
    # A missing cell comes after the last interval, and stays a value or nothing.
    (codes,) = interval_codes(numbers, points, counting)
    intervals = int(counting.sum()) + 1
    nameless = pa.nulls(intervals + feature.missing_is_value, pa.string())
    return replace(feature, labelled=codes, numbers=None, label_source=nameless)
