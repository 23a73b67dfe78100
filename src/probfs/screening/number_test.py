"""Whether a column's numbers are related to the class: the test of Kruskal & Wallis (1952) under shuffled labels.

Cutting a column into intervals loses order and detail, so numbers are tested before they are cut. Their midranks are
the scores of a projection of rank 1 (``permutation_law``), and H = (N-1) SSB / SST, corrected for ties, its relation.
Only the order of the numbers matters, and a row that counts for m rows is ranked as m rows would be.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from probfs.screening.all_tables import DOUBTFUL, FEW_ROWS, exact_probabilities
from probfs.screening.column_tests import ColumnTests
from probfs.screening.drawn_tables import MOST_DRAWS, MOST_ROWS, Relation, drawn_probabilities
from probfs.screening.permutation_law import Projections, largest_probabilities, sum_in_order, tail_probabilities
from probfs.tables.arrays import Codes, Floats, Integers, Labels

if TYPE_CHECKING:
    from probfs.cluster.range_summary import NumberSummary

_CELLS_AT_A_TIME = 1 << 17
_ONE_NUMBER = 0.5
_RARE = 5.0
"""Where one number is in more than half of the rows, and fewer rows than these of the smallest class are expected to
hold another, the gamma tail is too light: the rank of such a row is as good as a rare value.
"""
_DOUBTFUL = 0.05
FEW_NUMBERS = 4096
"""A column of no more different numbers must be known by each of them."""
_MOST_CELLS_DRAWN = FEW_NUMBERS
"""Distinct numbers times classes, beyond which tables take too long to draw: such a column is judged by its intervals
alone.
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
class _Sums:
    """Sums over the rows of each of several columns, as of ``ScoreSums``."""

    class_rows: Floats
    """Columns × classes."""
    class_sums: Floats
    """Columns × classes."""
    squares: Floats
    fourth_powers: Floats
    most_rows: Floats
    distinct: Integers


@dataclass(frozen=True, eq=False)
class _Ranked:
    """Distinct numbers of several columns, one column after the other, each in rising order: how many rows hold each,
    its score 2·midrank - (N+1), a whole number, and where each column begins.
    """

    rows: Floats
    scores: Floats
    first: Integers

    @classmethod
    def of(cls, rows: Floats, first: Integers) -> _Ranked:
        ends = np.cumsum(rows)
        before = (ends - rows)[first]
        totals = np.add.reduceat(rows, first)
        sizes = np.diff(first, append=len(rows))
        scores = 2 * (ends - np.repeat(before, sizes)) - rows - np.repeat(totals, sizes)
        return cls(rows, scores, first)

    def sizes(self) -> Integers:
        """How many distinct numbers each column has."""
        return np.diff(self.first, append=len(self.rows))

    def column(self, place: int) -> tuple[Floats, Floats]:
        """The rows and the scores of one column's numbers."""
        own = slice(int(self.first[place]), int(self.first[place]) + int(self.sizes()[place]))
        return self.rows[own], self.scores[own]

    def sums(self, class_rows: Floats, class_sums: Floats) -> _Sums:
        """What the tail is computed from."""
        squared = self.scores**2
        squares = np.add.reduceat(self.rows * squared, self.first)
        fourth_powers = np.add.reduceat(self.rows * squared**2, self.first)
        most_rows = np.maximum.reduceat(self.rows, self.first)
        return _Sums(class_rows, class_sums, squares, fourth_powers, most_rows, self.sizes())


def rank_test(
    numbers: Floats, labels: Labels, classes: int, counts: Integers, seed: int, most_draws: int = MOST_DRAWS
) -> ColumnTests:
    """H and p of several columns: ``numbers`` is columns × labelled rows, NaN where a cell is missing."""
    weights = counts.astype(np.float64)
    at_a_time = max(1, _CELLS_AT_A_TIME // max(numbers.shape[1], 1))
    parts = [
        _test_block(numbers[first : first + at_a_time], labels, classes, weights, seed, most_draws)
        for first in range(0, len(numbers), at_a_time)
    ]
    return ColumnTests.joined(parts)


def rank_test_of_codes(
    column: CodedNumbers, labels: Labels, classes: int, counts: Integers, seed: int, most_draws: int = MOST_DRAWS
) -> ColumnTests:
    """H and p of one column."""
    distinct = len(column.numbers)
    weights = None if counts.min(initial=1) == counts.max(initial=1) == 1 else counts.astype(np.float64)
    by_class = None
    if (distinct + 1) * classes <= len(labels):
        # One pass over the rows is enough where values and classes have few combinations.
        slots = column.codes * np.int64(classes) + labels
        by_class = np.bincount(slots, weights, minlength=(distinct + 1) * classes).reshape(-1, classes)[:-1]
    rows = np.bincount(column.codes, weights, minlength=distinct + 1)[:-1] if by_class is None else by_class.sum(axis=1)
    rows = rows.astype(np.float64)
    order = np.argsort(column.numbers)
    order = order[rows[order] > 0]
    if not len(order):
        return ColumnTests.of_nothing(1)
    starts = np.flatnonzero(np.diff(column.numbers[order], prepend=-np.inf))
    ranked = _Ranked.of(np.add.reduceat(rows[order], starts), np.zeros(1, dtype=np.int64))
    # A missing cell has score 0, and no weight.
    by_code = np.zeros(distinct + 1)
    by_code[order] = np.repeat(ranked.scores, np.diff(starts, append=len(order)))
    class_rows, class_sums = np.empty((2, 1, classes))
    if by_class is None:
        present = np.where(column.codes == distinct, 0.0, 1.0 if weights is None else weights)
        class_rows[0] = np.bincount(labels, present, minlength=classes)
        class_sums[0] = np.bincount(labels, present * by_code[column.codes], minlength=classes)
    else:
        class_rows[0], class_sums[0] = by_class.sum(axis=0), by_code[:-1] @ by_class
    return _test_scores(ranked.sums(class_rows, class_sums), ranked, seed, most_draws)


def rank_test_of_sums(summary: NumberSummary) -> ColumnTests:
    """H and p of one column whose numbers are nowhere together; it must have so many that no tables would be drawn."""
    scores, distinct = summary.scores, summary.labelled.distinct
    if not distinct:
        return ColumnTests.of_nothing(1)
    if distinct < FEW_ROWS or distinct <= _MOST_CELLS_DRAWN:
        raise ValueError(f"the sums of {distinct} different numbers do not tell how small p is")
    class_rows, class_sums = np.array([[scores.class_rows], [scores.class_sums]], dtype=np.float64)
    others = (scores.squares, scores.fourth_powers, scores.most_rows)
    squares, fourth_powers, most_rows = np.array(others, dtype=np.float64)[:, None]
    sums = _Sums(class_rows, class_sums, squares, fourth_powers, most_rows, np.array([distinct]))
    return _test_scores(sums, None, 0, 0)


def _test_block(
    numbers: Floats, labels: Labels, classes: int, weights: Floats, seed: int, most_draws: int
) -> ColumnTests:
    tests = ColumnTests.of_nothing(len(numbers))
    present = ~np.isnan(numbers) & (weights > 0)
    some = np.flatnonzero(present.any(axis=1))
    if not len(some):
        return tests
    if not present.all():
        numbers = np.where(present, numbers, np.nan)[some]
    order = np.argsort(numbers, axis=1)
    sorted_numbers = np.take_along_axis(numbers, order, axis=1)
    # Where no cell is missing and each row is one, there is nothing to weigh.
    alike = bool(present.all()) and weights.min() == weights.max() == 1
    sorted_weights = np.ones(1) if alike else np.where(np.isnan(sorted_numbers), 0.0, weights[order])
    # Missing cells come last, with weight 0: they join the last number, and change nothing there.
    new = np.zeros(numbers.shape, dtype=np.bool_)
    new[:, 0] = True
    new[:, 1:] = sorted_numbers[:, 1:] > sorted_numbers[:, :-1]
    starts = np.flatnonzero(new)
    first = np.searchsorted(starts, np.arange(0, new.size, len(labels))).astype(np.int64)
    rows = np.diff(starts, append=new.size)
    ranked = _Ranked.of(rows.astype(np.float64) if alike else np.add.reduceat(sorted_weights.ravel(), starts), first)
    sorted_scores = np.repeat(ranked.scores, rows).reshape(new.shape)
    # Scores and weights are whole numbers, so no order of adding them changes a sum.
    places = (labels[order] + np.arange(0, len(some) * classes, classes)[:, None]).ravel()
    class_rows, class_sums = np.empty((2, len(some), classes))
    if alike:
        class_rows[:] = np.bincount(labels, minlength=classes)
        class_sums[:] = np.bincount(places, sorted_scores.ravel(), minlength=class_sums.size).reshape(class_sums.shape)
    else:
        for sums, terms in ((class_rows, sorted_weights), (class_sums, sorted_weights * sorted_scores)):
            sums[:] = np.bincount(places, terms.ravel(), minlength=sums.size).reshape(sums.shape)
    tests.put(some, _test_scores(ranked.sums(class_rows, class_sums), ranked, seed, most_draws))
    return tests


def _test_scores(sums: _Sums, ranked: _Ranked | None, seed: int, most_draws: int) -> ColumnTests:
    """H and p; columns of few rows, or of few numbers that are rare, must be known by each of their numbers."""
    rows = sums.class_rows.sum(axis=1)
    column = Projections.onto_scores(rows, sums.squares, sums.fourth_powers)
    held = np.where(sums.class_rows > 0, sums.class_rows, 1.0)
    relation = sum_in_order(sums.class_sums**2 / held) / np.where(sums.squares > 0, sums.squares, 1.0)
    sides = column, Projections.onto_groups(sums.class_rows)
    p, varies = tail_probabilities(relation, rows, *sides)
    known = np.zeros(len(p), dtype=np.bool_)
    if ranked is not None:
        few = np.flatnonzero(varies & (rows < FEW_ROWS) & (p < DOUBTFUL))
        known = _put_exact(p, few, relation, ranked, sums.class_rows)
    least = np.where(sums.class_rows > 0, sums.class_rows, np.inf).min(axis=1)
    others = rows - sums.most_rows
    rare = varies & ~known & (others < rows * _ONE_NUMBER) & (others * least < _RARE * rows)
    cells = sums.distinct * np.count_nonzero(sums.class_rows, axis=1)
    drawable = (cells <= _MOST_CELLS_DRAWN) & (rows < MOST_ROWS)
    p[rare & ~drawable], varies[rare & ~drawable] = 1.0, False
    if ranked is None:
        return ColumnTests(relation * (rows - 1), p, varies)
    doubtful = np.flatnonzero(rare & drawable & (p < _DOUBTFUL))
    p[doubtful] = largest_probabilities(relation, rows, *sides)[doubtful]
    # No draws could give less than what is certain.
    for place in doubtful[p[doubtful] * (most_draws + 1) > 1].tolist():
        shuffled = _Shuffled.of(ranked, sums.class_rows, place)
        p[place] = drawn_probabilities(*shuffled.margins, shuffled.relation, relation[[place]], seed, most_draws)[0]
    return ColumnTests(relation * (rows - 1), p, varies)


def _put_exact(
    p: Floats, columns: Integers, relation: Floats, ranked: _Ranked, class_rows: Floats
) -> npt.NDArray[np.bool_]:
    """Replace the p-values of some columns by exact ones; of which that was possible."""
    known = np.zeros(len(p), dtype=np.bool_)
    groups: defaultdict[tuple[bytes, bytes], list[int]] = defaultdict(list)
    for place in columns.tolist():
        groups[ranked.column(place)[0].tobytes(), np.sort(class_rows[place]).tobytes()].append(place)
    for members in groups.values():
        shuffled = _Shuffled.of(ranked, class_rows, members[0])
        exact = exact_probabilities(*shuffled.margins, shuffled.relation, relation[members])
        if exact is not None:
            p[members], known[members] = exact, True
    return known


@dataclass(frozen=True, eq=False)
class _Shuffled:
    """A column whose labels are shuffled: its numbers in rising order, its classes by size."""

    margins: tuple[Integers, Integers]
    relation: Relation

    @classmethod
    def of(cls, ranked: _Ranked, class_rows: Floats, place: int) -> _Shuffled:
        number_rows, scores = ranked.column(place)
        sizes = np.sort(class_rows[place][class_rows[place] > 0])
        squares = float(number_rows @ scores**2)

        def relation(tables: Integers) -> Floats:
            sums = np.einsum("v,vct->ct", scores, tables)
            between: Floats = (sums**2 / sizes[:, None]).sum(axis=0) / squares
            return between

        return cls((number_rows.astype(np.int64), sizes.astype(np.int64)), relation)
