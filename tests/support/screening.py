"""Tables for the tests of screening: random ones of a few rows, in one block or several, and p-values from all orders
of the labels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, permutations
from typing import Any

import numpy as np
from hypothesis import strategies as st

from probfs.columns.dataset import Dataset
from probfs.rows.blocks import Block, add_answers
from probfs.screening.counting import CodedNumbers
from probfs.tables.arrays import Integers
from tests.support.datasets import feature_of

Relation = Callable[[Sequence[Any], Sequence[int]], Fraction]


@st.composite
def datasets(draw: st.DrawFn, rows: int = 14) -> Dataset:
    """Few rows, so that values never seen, seen once and missing all come up; some rows count for several, or none."""
    size = draw(st.integers(0, rows))
    classes = draw(st.integers(2, 4))
    features = []
    for number in range(draw(st.integers(1, 4))):
        values = draw(st.integers(1, 5))
        codes = draw(st.lists(st.integers(0, values), min_size=size, max_size=size))
        features.append(feature_of(f"f{number}", values, np.array(codes, dtype=np.int64)))
    labels = np.array(draw(st.lists(st.integers(0, classes - 1), min_size=size, max_size=size)), dtype=np.int8)
    counts = draw(st.one_of(st.just([1] * size), st.lists(st.integers(0, 4), min_size=size, max_size=size)))
    names = tuple(f"c{label}" for label in range(classes))
    return Dataset(tuple(features), names, labels, np.array(counts, dtype=np.int64), np.empty(0, np.int64))


def dataset_of(columns: Sequence[Integers], labels: Integers, counts: Integers | None = None) -> Dataset:
    """Columns of codes, -1 where a cell is missing, as a dataset."""
    features = []
    for number, codes in enumerate(columns):
        values = int(codes.max(initial=0)) + 1
        features.append(feature_of(f"f{number}", values, np.where(codes < 0, values, codes)))
    names = tuple(f"c{label}" for label in range(int(labels.max()) + 1))
    weights = np.ones(len(labels), np.int64) if counts is None else counts
    return Dataset(tuple(features), names, labels, weights, np.empty(0, np.int64))


def value_relation(values: Sequence[int], labels: Sequence[int]) -> Fraction:
    """X² / N of two columns of codes."""
    rows = len(values)
    total = Fraction(0)
    for value in set(values):
        for label in set(labels):
            expected = Fraction(values.count(value) * labels.count(label), rows)
            seen = sum(pair == (value, label) for pair in zip(values, labels, strict=True))
            total += (seen - expected) ** 2 / expected
    return total / rows


def score_relation(scores: Sequence[Fraction], labels: Sequence[int]) -> Fraction:
    """SSB / SST of scores in classes; 0 for scores that are all the same."""
    middle = sum(scores, Fraction(0)) / len(scores)
    whole = sum(((score - middle) ** 2 for score in scores), Fraction(0))
    between = Fraction(0)
    for label in set(labels):
        own = [score - middle for score, other in zip(scores, labels, strict=True) if other == label]
        between += sum(own, Fraction(0)) ** 2 / len(own)
    return between / whole if whole else Fraction(0)


def midranks(numbers: Sequence[float]) -> list[Fraction]:
    return [sum((Fraction(x < y) + Fraction(x == y, 2) for x in numbers), Fraction(1, 2)) for y in numbers]


def enumerated_p(relation: Relation, column: Sequence[Any], labels: Sequence[int]) -> float:
    """The share of all orders of the labels whose relation is at least as large as the one seen."""
    seen = relation(column, labels)
    # Orders that look alike are equally frequent.
    orders = [relation(column, order) for order in set(permutations(labels))]
    return sum(one >= seen for one in orders) / len(orders)


class SplitBlocks:
    """The rows of a dataset in several blocks, as workers of a cluster have them."""

    here = None

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.blocks = blocks

    @classmethod
    def of(cls, dataset: Dataset, cuts: Sequence[int], numbers: Sequence[CodedNumbers] = ()) -> SplitBlocks:
        """Blocks that begin at these labelled rows."""
        blocks = []
        for number, (start, end) in enumerate(pairwise([0, *sorted(cuts), len(dataset.labels)])):
            own = slice(start, end)
            features = tuple(replace(one, labelled=one.labelled[own]) for one in dataset.features)
            rows = replace(dataset, features=features, labels=dataset.labels[own], counts=dataset.counts[own])
            blocks.append(Block(rows, [replace(one, codes=one.codes[own]) for one in numbers], number))
        return cls(blocks)

    def ask(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return add_answers(self.each(function, *arguments))

    def each(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        return [function(block, *arguments) for block in self.blocks]

    def map(self, function: Callable[..., Block], *arguments: Any) -> SplitBlocks:
        return SplitBlocks(self.each(function, *arguments))

    def share(self, value: Any) -> Any:
        return value


def repeat_rows(dataset: Dataset) -> Dataset:
    """The dataset with as many rows as it counts, each of which counts once."""
    rows = np.repeat(np.arange(len(dataset.labels)), dataset.counts)
    features = tuple(replace(one, labelled=one.labelled[rows]) for one in dataset.features)
    return replace(dataset, features=features, labels=dataset.labels[rows], counts=np.ones(len(rows), np.int64))
