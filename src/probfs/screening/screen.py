"""Every feature of a dataset tested against the class, with the rate of false discoveries among them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

import numpy as np

from probfs.columns.dataset import Dataset, ValueCounts
from probfs.runtime.threads import count_cores, map_ahead
from probfs.screening.column_tests import ColumnTests
from probfs.screening.drawn_tables import enough_draws
from probfs.screening.false_discoveries import q_values
from probfs.screening.number_test import CodedNumbers, NumberBlock, rank_test, rank_test_of_codes
from probfs.screening.value_counts import count_values
from probfs.screening.value_test import chi_squared_test
from probfs.tables.arrays import Floats, Integers


@dataclass(frozen=True, eq=False)
class Screening:
    """The tests of all features, in the order of the dataset."""

    p: Floats
    """The probability of a relation as large as seen if the feature were independent of the class."""
    q: Floats
    """The least rate of false discoveries at which the feature counts as related."""
    chi_squared: Floats
    """X² of class and value; 0 for a feature of one value."""
    kruskal_wallis: Floats
    """H of class and number; 0 for a feature without numbers."""

    @classmethod
    def of(cls, by_value: ColumnTests, by_number: ColumnTests) -> Screening:
        """What the tests of values and those of numbers say together."""
        p = combined_probabilities(by_value, by_number)
        return cls(p, q_values(p), by_value.statistic, by_number.statistic)


def screen(
    dataset: Dataset,
    numbers: Iterable[NumberBlock | CodedNumbers] = (),
    seed: int = 0,
    counts: ValueCounts | None = None,
) -> Screening:
    """Test every feature against the class, in labelled rows whose cell is not missing.

    ``numbers`` are the numbers of features that were cut into intervals, row by row as in the dataset; a feature that
    holds numbers itself needs none. ``seed`` is for tables drawn where values or classes are rare. ``counts`` are the
    dataset's own, where they are known already. A row may count for no row at all.
    """
    by_value = chi_squared_test(count_values(dataset) if counts is None else counts, seed)
    return Screening.of(by_value, _number_tests(dataset, numbers, seed))


def combined_probabilities(first: ColumnTests, second: ColumnTests) -> Floats:
    """One p-value of two tests of each column: twice the smaller one, or that of the only test that could tell.

    Whether a test can tell depends on the column and on how large the classes are, not on which row has which class.
    """
    both = np.minimum(1.0, 2 * np.minimum(first.p, second.p))
    return np.where(first.varies & second.varies, both, np.where(second.varies, second.p, first.p))


def _number_tests(dataset: Dataset, numbers: Iterable[NumberBlock | CodedNumbers], seed: int) -> ColumnTests:
    tests = ColumnTests.of_nothing(len(dataset.features))
    own = (
        CodedNumbers(position, feature.labelled, feature.numbers)
        for position, feature in enumerate(dataset.features)
        if feature.numbers is not None
    )
    rows = (dataset.labels, len(dataset.classes), dataset.counts, seed, enough_draws(len(dataset.features)))

    def test(part: NumberBlock | CodedNumbers) -> tuple[Integers, ColumnTests]:
        if isinstance(part, NumberBlock):
            return part.features, rank_test(part.numbers, *rows)
        return np.array([part.feature]), rank_test_of_codes(part, *rows)

    threads = count_cores()
    for features, found in map_ahead(test, chain(own, numbers), threads, ahead=threads):
        tests.put(features, found)
    return tests
