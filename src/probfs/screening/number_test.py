"""Whether a column's numbers are related to the class: the test of Kruskal & Wallis (1952) under shuffled labels.

Cutting a column into intervals loses order and detail, so numbers are tested before they are cut. Their midranks are
the scores of a projection of rank 1 (``permutation_law``), and H = (N-1) SSB / SST, corrected for ties, its relation.
Only the order of the numbers matters, and a row that counts for m rows is ranked as m rows would be.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probfs.screening.permutation_law import ColumnTests, PermutationLaw, Projections, sum_in_order
from probfs.screening.permutations import (
    CLAIM,
    MOST_DRAWS,
    MOST_ROWS,
    midrank_scores,
    put_exact,
    with_equal_margins,
)
from probfs.tables.arrays import Codes, Flags, Floats, Integers, Labels

FEW_NUMBERS = 4096
"""A column of no more different numbers must be known by each of them."""
_MOST_CELLS_DRAWN = FEW_NUMBERS
"""Distinct numbers times classes, beyond which tables take too long to draw: such a column is judged by its intervals
alone.
"""
_CELLS_AT_A_TIME = 1 << 17
_CELLS_PER_ROW = 4
"""Distinct numbers times classes, for each row, up to which counting is faster than sorting the rows."""
_ONE_NUMBER = 0.5
_RARE = 5.0
"""Where one number is in more than half of the rows, and fewer rows than these of the smallest class are expected to
hold another, the gamma tail is too light: the rank of such a row is as good as a rare value.
"""


@dataclass(frozen=True, eq=False)
class NumberBlock:
    """The numbers of several features, by position: features × labelled rows, NaN where a cell is missing."""

    features: Integers
    numbers: Floats


@dataclass(frozen=True, eq=False)
class CodedNumbers:
    """The numbers of one feature, by position, as one code a labelled row: ``numbers[code]``, or missing where the code
    is ``len(numbers)``. Distinct numbers are sorted, not rows, which is several times faster where numbers repeat.
    """

    feature: int
    codes: Codes
    numbers: Floats


@dataclass(frozen=True, eq=False)
class NumberCounts:
    """How many rows of each class hold each number of one feature, by position: numbers in rising order × classes."""

    feature: int
    by_class: Floats

    def __add__(self, other: NumberCounts) -> NumberCounts:
        return NumberCounts(self.feature, self.by_class + other.by_class)


@dataclass(frozen=True, eq=False)
class _ScoreSums:
    """Sums over the rows of each of several columns; scores are midranks around their mean."""

    class_rows: Floats
    """Columns × classes, as are the sums of scores."""
    class_sums: Floats
    squares: Floats
    fourth_powers: Floats
    most_rows: Floats
    """How many rows hold the most frequent number."""
    distinct: Integers

    @property
    def rows(self) -> Floats:
        total: Floats = self.class_rows.sum(axis=1)
        return total

    def relation(self) -> Floats:
        held = np.where(self.class_rows > 0, self.class_rows, 1.0)
        return sum_in_order(self.class_sums**2 / held) / np.where(self.squares > 0, self.squares, 1.0)

    def law(self) -> PermutationLaw:
        scores = Projections.onto_scores(self.rows, self.squares, self.fourth_powers)
        return PermutationLaw.of(self.rows, scores, Projections.onto_groups(self.class_rows))

    def tests(self, relation: Floats, p: Floats, varies: Flags) -> ColumnTests:
        return ColumnTests(relation * np.maximum(self.rows - 1, 0), p, varies)

    def rare(self) -> Flags:
        """Where the gamma tail is too light."""
        # Of a column without a number, no class has rows.
        least = np.where(self.class_rows > 0, self.class_rows, self.rows[:, None]).min(axis=1)
        others = self.rows - self.most_rows
        rare: Flags = (others < self.rows * _ONE_NUMBER) & (others * least < _RARE * self.rows)
        return rare


def rank_test(
    numbers: Floats, labels: Labels, classes: int, counts: Integers, seed: int, most_draws: int = MOST_DRAWS
) -> ColumnTests:
    """H and p of several columns: ``numbers`` is columns × labelled rows, NaN where a cell is missing."""
    tests = ColumnTests.of_nothing(len(numbers))
    at_a_time = max(1, _CELLS_AT_A_TIME // max(len(labels), 1))
    for first in range(0, len(numbers) if len(labels) else 0, at_a_time):
        columns = np.arange(first, min(first + at_a_time, len(numbers)))
        tests.put(columns, _test_block(numbers[columns], labels, classes, counts, seed, most_draws))
    return tests


def rank_test_of_codes(
    column: CodedNumbers, labels: Labels, classes: int, counts: Integers, seed: int, most_draws: int = MOST_DRAWS
) -> ColumnTests:
    """H and p of one column."""
    distinct = len(column.numbers)
    if (distinct + 1) * classes > _CELLS_PER_ROW * len(labels):
        by_row = np.append(column.numbers, np.nan)[column.codes]
        return rank_test(by_row[None], labels, classes, counts, seed, most_draws)
    weights = None if counts.min(initial=1) == counts.max(initial=1) == 1 else counts
    places = column.codes * np.int64(classes) + labels
    by_class = np.bincount(places, weights, minlength=(distinct + 1) * classes).reshape(-1, classes)[:-1]
    # Texts that are written differently may be the same number.
    numbers, rank = np.unique(column.numbers, return_inverse=True)
    merged = np.zeros((len(numbers), classes))
    np.add.at(merged, rank, by_class)
    return rank_test_of_counts(merged, seed, most_draws)


def rank_test_of_counts(by_class: Floats, seed: int, most_draws: int = MOST_DRAWS) -> ColumnTests:
    """H and p of one column, from how many rows of each class hold each number: distinct numbers, in rising order, ×
    classes. Numbers that no row holds do not matter.
    """
    number_rows = by_class.sum(axis=1)
    if not number_rows.any():
        return ColumnTests.of_nothing(1)
    scores = midrank_scores(number_rows)
    return _test_ranks(
        number_rows[None], scores[None], by_class.sum(axis=0)[None], (scores @ by_class)[None], seed, most_draws
    )


def _test_block(
    numbers: Floats, labels: Labels, classes: int, counts: Integers, seed: int, most_draws: int
) -> ColumnTests:
    if not counts.all():
        numbers = np.where(counts > 0, numbers, np.nan)
    order = np.argsort(numbers, axis=1)
    sorted_numbers = np.take_along_axis(numbers, order, axis=1)
    absent = np.isnan(sorted_numbers)
    # Where no cell is missing and each row is one, there is nothing to weigh.
    alike = not absent.any() and counts.min(initial=1) == counts.max(initial=1) == 1
    weights = np.ones(numbers.shape) if alike else np.where(absent, 0.0, counts[order])
    # Missing cells come last, with weight 0: they join the last number, and change nothing there.
    new = np.ones(numbers.shape, dtype=np.bool_)
    new[:, 1:] = sorted_numbers[:, 1:] > sorted_numbers[:, :-1]
    starts = np.flatnonzero(new)
    # Each number's rows stand where its first row is, with zeros up to the next number.
    number_rows = np.zeros(numbers.shape)
    number_rows[new] = np.diff(starts, append=new.size) if alike else np.add.reduceat(weights.ravel(), starts)
    by_number = midrank_scores(number_rows)
    scores = np.repeat(by_number[new], np.diff(starts, append=new.size)).reshape(new.shape)
    # Scores and weights are whole numbers, so no order of adding them changes a sum.
    places = (labels[order] + np.arange(0, len(numbers) * classes, classes)[:, None]).ravel()
    class_rows, class_sums = (
        np.bincount(places, terms.ravel(), minlength=len(numbers) * classes).reshape(-1, classes).astype(np.float64)
        for terms in (weights, weights * scores)
    )
    return _test_ranks(number_rows, by_number, class_rows, class_sums, seed, most_draws)


def _test_ranks(
    number_rows: Floats, scores: Floats, class_rows: Floats, class_sums: Floats, seed: int, most_draws: int
) -> ColumnTests:
    """H and p of several columns: the rows of each number and its score, columns × numbers in rising order, and of each
    class the rows and the sum of scores.
    """
    squared = scores * scores
    squares, fourth_powers = (number_rows * squared).sum(axis=1), (number_rows * squared * squared).sum(axis=1)
    distinct = np.count_nonzero(number_rows, axis=1)
    sums = _ScoreSums(class_rows, class_sums, squares, fourth_powers, number_rows.max(axis=1), distinct)
    law, relation = sums.law(), sums.relation()
    p, varies = law.tail(relation), law.varies
    known = put_exact(p, varies, relation, number_rows, class_rows, numbers=True)
    rare = varies & ~known & sums.rare()
    cells = distinct * np.count_nonzero(class_rows, axis=1)
    drawable = (cells <= _MOST_CELLS_DRAWN) & (sums.rows < MOST_ROWS)
    p[rare & ~drawable], varies[rare & ~drawable] = 1.0, False
    doubtful = np.flatnonzero(rare & drawable & (p < CLAIM))
    p[doubtful] = law.largest_tail(relation)[doubtful]
    # No draws could give less than what is certain.
    doubtful = doubtful[p[doubtful] * (most_draws + 1) > 1]
    for same, margins in with_equal_margins(doubtful, number_rows, class_rows, numbers=True):
        p[same] = margins.drawn_p(relation[same], seed, most_draws)
    return sums.tests(relation, p, varies)
