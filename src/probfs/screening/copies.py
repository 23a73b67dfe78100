"""Which features are copies of one another: they divide the labelled rows in exactly the same way.

The names of values do not matter, so a copy may be a one-to-one recoding, or the same length in centimetres and in
inches once it is cut. Missing cells must be the same. A feature whose numbers are measured and not counted has no
copies: another scale is another feature there.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from probfs.columns.dataset import Dataset, Feature, ValueCounts
from probfs.tables.arrays import Integers


def find_copies(dataset: Dataset, counts: ValueCounts) -> tuple[tuple[int, ...], ...]:
    """Groups of two or more features, by position, that are copies; ``counts`` are the dataset's own."""
    counted = np.array([feature.numbers is None for feature in dataset.features], dtype=np.bool_)
    rows = np.flatnonzero(dataset.counts > 0)
    groups: defaultdict[bytes, list[int]] = defaultdict(list)
    for position in with_equal_sums(counts, np.flatnonzero(counted)).tolist():
        groups[_first_rows(dataset.features[position], rows).tobytes()].append(position)
    return tuple(tuple(members) for members in groups.values() if len(members) > 1)


def with_equal_sums(counts: ValueCounts, features: Integers) -> Integers:
    """The features whose counts by class allow a copy: comparing a few numbers of each spares comparing all its rows.

    The sum over values of a function of their counts does not depend on which value is which, nor on values that no row
    holds. Sums of whole numbers that wrap around are exact in any order.
    """
    if not len(features):
        return features
    multipliers = np.random.default_rng(0).integers(1, 1 << 63, len(counts.class_rows), dtype=np.uint64)
    mixed = (counts.by_slot.astype(np.uint64) * multipliers).sum(axis=1, dtype=np.uint64)
    sums = np.add.reduceat(mixed * mixed, counts.offset)[features]
    _, which, times = np.unique(sums, return_inverse=True, return_counts=True)
    return features[times[which] > 1]


def _first_rows(feature: Feature, rows: Integers) -> Integers:
    """For each row the first one that holds the same value, and -1 where the cell is missing."""
    codes = feature.labelled[rows]
    first = np.empty(feature.values + 1, dtype=np.int64)
    # Of several rows with one value, the one assigned last stays.
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    first[feature.values] = -1
    return first[codes]
