"""How many labelled rows of each class hold each value of each feature."""

from __future__ import annotations

import numpy as np

from probfs.columns.dataset import Dataset, Feature, ValueCounts
from probfs.tables.arrays import Codes

_CELLS_AT_A_TIME = 1 << 17
"""So that their positions, eight bytes each, stay in the cache."""


def count_values(dataset: Dataset) -> ValueCounts:
    """The counts of a dataset's labelled rows."""
    columns = [_counted_codes(feature) for feature in dataset.features]
    values = np.array([distinct for _, distinct in columns], dtype=np.int64)
    ends = np.cumsum(values + 1)
    offset = ends - values - 1
    classes, rows = len(dataset.classes), len(dataset.labels)
    by_slot = np.zeros((int(ends[-1]) if len(ends) else 0, classes))
    # Counting is faster than adding up weights of 1.
    counts = None if (dataset.counts == 1).all() else dataset.counts.astype(np.float64)
    features_at_a_time = max(1, _CELLS_AT_A_TIME // max(rows, 1))
    for first in range(0, len(values), features_at_a_time):
        block = columns[first : first + features_at_a_time]
        slots = slice(int(offset[first]), int(ends[first + len(block) - 1]))
        narrow = np.min_scalar_type((slots.stop - slots.start) * classes)
        starts = (offset[first : first + len(block), None] - offset[first]) * classes
        for start in range(0, rows, _CELLS_AT_A_TIME):
            part = slice(start, start + _CELLS_AT_A_TIME)
            # The narrower the numbers, the faster they are computed; bincount widens them.
            places = np.array([codes[part] for codes, _ in block], dtype=narrow)
            places *= classes
            places += dataset.labels[part].astype(narrow)
            places += starts.astype(narrow)
            weights = None if counts is None else np.broadcast_to(counts[part], places.shape).ravel()
            counted = np.bincount(places.ravel(), weights, minlength=(slots.stop - slots.start) * classes)
            by_slot[slots] += counted.reshape(-1, classes)
    class_rows = np.bincount(dataset.labels, weights=dataset.counts, minlength=classes).astype(np.float64)
    return ValueCounts(values, offset, by_slot, class_rows)


def _counted_codes(feature: Feature) -> tuple[Codes, int]:
    """A feature's codes and its number of values. Numbers are not counted, only whether a cell has one: to count each
    would take a table as long as the column, and say nothing.
    """
    if feature.numbers is None:
        return feature.labelled, feature.values
    return (feature.labelled >= len(feature.numbers)).astype(np.uint8), 1 + feature.missing_is_value
