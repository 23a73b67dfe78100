"""A column of numbers whose rows are split into blocks, for the tests of what is found range by range."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np
from hypothesis import strategies as st

from probfs.cluster.number_ranges import (
    Histogram,
    RowGroups,
    choose_ranges,
    finer_bins,
    histogram,
    pieces,
    quantile_ranks,
)
from probfs.cluster.range_summary import NumberSummary, RangeSummary, combine, summarize
from probfs.tables.arrays import Floats, Integers

SPECIAL = [0.0, -0.0, 5e-324, -5e-324, 2.2e-308, 1e308, -1e308, 1.7976931348623157e308, 10.0, 20.0, -2.5]
Sent = TypeVar("Sent")


@dataclass(frozen=True, eq=False)
class SplitNumbers:
    """Numbers, NaN where one is missing; the class of each row, -1 for none; row counts; where blocks begin."""

    numbers: Floats
    labels: Integers
    classes: int
    weights: Integers | None
    cuts: tuple[int, ...] = ()

    @property
    def labelled(self) -> Integers:
        """The positions of the counted rows that have a class."""
        return np.flatnonzero((self.labels >= 0) & (self.counts > 0))

    @property
    def counts(self) -> Integers:
        return np.ones(len(self.labels), np.int64) if self.weights is None else self.weights

    def blocks(self) -> list[tuple[Floats, RowGroups]]:
        edges = [0, *self.cuts, len(self.numbers)]
        parts = [slice(low, high) for low, high in pairwise(edges)]
        return [
            (
                self.numbers[part],
                RowGroups.of(self.labels[part], self.classes, None if self.weights is None else self.weights[part]),
            )
            for part in parts
        ]

    def histogram(self, most_rows: int, refinements: int = 1) -> Histogram:
        """Of all blocks, with bins split as often as that is allowed and needed."""
        bins = None
        for _ in range(refinements + 1):
            every = Histogram.joined([sent(histogram(numbers, rows, bins)) for numbers, rows in self.blocks()])
            bins = finer_bins(every, most_rows)
            if bins is None:
                break
        return every

    def summary(self, most_rows: int, intervals: int = 5, refinements: int = 1) -> NumberSummary:
        """As a cluster finds it; whatever travels does so as bytes."""
        counted = self.histogram(most_rows, refinements)
        return combine(counted, self.range_summaries(counted, most_rows, intervals))

    def range_summaries(
        self, counted: Histogram, most_rows: int, intervals: int = 5, *, few: int = 0, least_weight: int | None = None
    ) -> list[RangeSummary]:
        """Of ranges chosen by a histogram of all blocks."""
        ranges = choose_ranges(counted, most_rows)
        by_block = [sent(pieces(numbers, rows, sent(ranges))) for numbers, rows in self.blocks()]
        wanted = quantile_ranks(counted, intervals)
        by_range = [[block[place] for block in by_block] for place in range(len(ranges.starts))]
        return [
            sent(summarize(place, parts, ranges, wanted, few=few, least_weight=least_weight))
            for place, parts in enumerate(by_range)
        ]


def sent(thing: Sent) -> Sent:
    """What arrives on another machine."""
    arrived: Sent = pickle.loads(pickle.dumps(thing))
    return arrived


@st.composite
def split_numbers(draw: st.DrawFn, most_weight: int = 5) -> SplitNumbers:
    """Some rows with ties, missing cells, rows without a class or of no weight, split anywhere."""
    rows, classes = draw(st.integers(0, 60)), draw(st.integers(2, 10))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(["ties", "different", "constant", "extreme", "close", "whole"]))
    numbers = {
        "ties": random.integers(-3, 4, rows) / 2,
        "different": random.normal(size=rows) * 10.0 ** random.integers(-5, 6, rows),
        "constant": np.full(rows, 7.0),
        "extreme": random.choice(SPECIAL, rows),
        "close": 1.7e9 + np.round(random.random(rows), 2),
        "whole": np.round(random.random(rows) * 200) * 5,
    }[kind]
    numbers[random.random(rows) < draw(st.sampled_from([0.0, 0.2, 0.9]))] = np.nan
    labels = random.integers(draw(st.sampled_from([0, -1])), classes, rows)
    weights = random.integers(0, most_weight + 1, rows) if draw(st.booleans()) else None
    cuts = draw(st.lists(st.integers(0, rows), max_size=5).map(sorted))
    return SplitNumbers(numbers, labels, classes, weights, tuple(cuts))
