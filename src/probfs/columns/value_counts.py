"""How many labelled rows of each class hold each value of each feature."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from probfs.tables.table import Floats, Integers


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """Counts by value and class of all features, one below the other: feature j owns the rows ``offset[j]`` to
    ``offset[j] + values[j]`` of ``by_slot``, the last of them for missing cells that are no value.
    """

    values: Integers
    offset: Integers
    by_slot: Floats
    class_rows: Floats
    """How many rows each class has."""

    def of_features(self, features: Integers) -> ValueCounts:
        """The counts of some features, by position."""
        widths = self.values[features] + 1
        ends = np.cumsum(widths)
        starts = np.repeat(self.offset[features] - (ends - widths), widths)
        return replace(
            self, values=widths - 1, offset=ends - widths, by_slot=self.by_slot[starts + np.arange(len(starts))]
        )

    def tables(self) -> Iterator[tuple[Integers, Floats]]:
        """Features with equally many values, and their tables of counts as one array: features × values × classes."""
        for width in np.unique(self.values).tolist():
            features = np.flatnonzero(self.values == width)
            yield features, self.by_slot[self.offset[features][:, None] + np.arange(width)]
