"""Numbers and dates cut into intervals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import pyarrow as pa

from probfs.columns.rules.base import UNKNOWN, Coder, Seen, all_numbers, end_label, some_numbers, sorted_numbers
from probfs.tables.arrow_arrays import text_array
from probfs.tables.table import Floats, Integers, Kind


@dataclass(frozen=True, eq=False)
class CutCoder:
    """Numbers as the intervals between some points, each closed on the right."""

    points: Floats
    kind: Kind
    strict: bool = True
    """Whether a text among the numbers is an error (the user said: numbers) or a missing cell (we guessed so)."""

    @cached_property
    def labels(self) -> pa.StringArray:
        return interval_labels(self.points, self.kind)

    def assign(self, values: pa.StringArray) -> Integers:
        if self.strict:
            return np.searchsorted(self.points, all_numbers(values, self.kind), side="left")
        numbers = some_numbers(values, self.kind)
        return np.where(np.isnan(numbers), UNKNOWN, np.searchsorted(self.points, numbers, side="left"))


def interval_labels(points: Floats, kind: Kind) -> pa.StringArray:
    """The intervals between some points, as people write them."""
    ends = ["-inf", *(end_label(point, kind) for point in points), "inf"]
    closing = ["]"] * len(points) + [")"]
    return text_array([f"({low},{high}{bracket}" for (low, high), bracket in zip(pairwise(ends), closing, strict=True)])


@dataclass(frozen=True)
class Cut:
    """Intervals between given points, each closed on the right."""

    points: tuple[float, ...]
    scale: Kind = Kind.NUMBER

    def learn(self, seen: Seen) -> Coder:
        return CutCoder(np.array(self.points, dtype=np.float64), self.scale)

    def describe(self) -> str:
        return f"{len(self.points) + 1} intervals at {', '.join(end_label(p, self.scale) for p in self.points)}"


@dataclass(frozen=True)
class Quantiles:
    """Intervals that hold about equally many labelled rows."""

    intervals: int
    strict: bool = True

    def learn(self, seen: Seen) -> Coder:
        return CutCoder(self.points(seen), seen.kind, self.strict)

    def points(self, seen: Seen) -> Floats:
        """The least value at or below which lies each i/k of the rows: no interpolation, so counted rows and
        repeated rows give the same points; the largest value is no point, since nothing would lie above it.
        """
        numbers, counts = sorted_numbers(seen)
        below = np.cumsum(counts)
        if not len(below):
            return np.empty(0)
        # In Python's integers: rows may be counted in quadrillions.
        wanted = [-(-share * int(below[-1]) // self.intervals) for share in range(1, self.intervals)]
        points = np.unique(numbers[np.searchsorted(below, wanted, side="left")])
        inner: Floats = points[points < numbers[-1]]
        return inner

    def describe(self) -> str:
        return f"{self.intervals} intervals at quantiles"


@dataclass(frozen=True)
class Widths:
    """Intervals of equal width between the least and the greatest labelled value."""

    intervals: int

    def learn(self, seen: Seen) -> Coder:
        numbers, _ = sorted_numbers(seen)
        if not len(numbers) or numbers[0] == numbers[-1]:
            return CutCoder(np.empty(0), seen.kind)
        share = np.arange(1, self.intervals) / self.intervals
        # Not low + share·(high - low): the difference of extreme numbers is beyond a double.
        return CutCoder(np.unique(numbers[0] * (1 - share) + numbers[-1] * share), seen.kind)

    def describe(self) -> str:
        return f"{self.intervals} intervals of equal width"
