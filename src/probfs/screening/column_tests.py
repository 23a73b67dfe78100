"""Whether a column is related to the class, under shuffled labels: Pearson's X² of its values, and the test of Kruskal
& Wallis (1952) of its numbers.

Cutting a column into intervals loses order and detail, so numbers are tested before they are cut as well. Their
midranks are the scores of a projection of rank 1 (``permutation_law``), and H = (N-1) SSB / SST, corrected for ties.
Only the order of the numbers matters, and a row that counts for m rows is ranked as m rows would be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from probfs.columns.dataset import ValueCounts
from probfs.screening.counting import RankedNumbers
from probfs.screening.permutation_law import PermutationLaw, Projections
from probfs.screening.permutations import (
    FEW_ROWS,
    MOST_DRAWS,
    MOST_ROWS,
    Margins,
    enough_draws,
    midrank_scores,
    with_equal_margins,
)
from probfs.tables.arrays import Flags, Floats, Integers, Labels

CLAIM = 0.05
"""Larger p-values than this are no claim, and need no draws."""
_CLAIM_OF_FEW_ROWS = 0.1
_LEAST_EXPECTED = 1.0
"""An expected count below this makes the gamma tail of X² too light."""
_ONE_NUMBER = 0.5
_FEW_OTHERS = 5.0
"""Where one number is in more than half of the rows, and fewer rows than these of the smallest class are expected to
hold another, the gamma tail of H is too light: the rank of such a row is as good as a rare value.
"""
_FEWEST_DRAWS = 999
_MOST_WORK = 10_000_000
"""Cells, or rows, of all drawn tables together: about a second."""
_MOST_WORK_OF_A_DRAW = 1 << 24
"""Cells, or rows, of one table, beyond which a thousand tables take hours, and each a lot of memory."""
FEW_NUMBERS = 4096
"""Distinct numbers times classes, beyond which tables take too long to draw: such a column is judged by its intervals
alone. A column of no more distinct numbers must be known by each of them.
"""
_CELLS_OF_COUNTS = 1 << 20
_CELLS_OF_NUMBERS = 1 << 17
_CELLS_PER_ROW = 4
"""Distinct numbers times classes, for each row, beyond which counting them all takes too much memory."""


@dataclass(frozen=True, eq=False)
class ColumnTests:
    """The p-value of each of several columns, and whether the labels' order could change it."""

    p: Floats
    varies: Flags

    @classmethod
    def of_nothing(cls, columns: int) -> ColumnTests:
        """The tests of columns that do not vary."""
        return cls(np.ones(columns), np.zeros(columns, dtype=np.bool_))

    def put(self, columns: Integers, tests: ColumnTests) -> None:
        """Replace the tests of some columns."""
        self.p[columns], self.varies[columns] = tests.p, tests.varies


# What is yet to be drawn: columns with the same margins, these margins, and the relations that were seen.
_Doubtful = tuple[Integers, Margins, Floats]


def _probabilities(
    law: PermutationLaw,
    relation: Floats,
    value_rows: Floats,
    class_rows: Floats,
    rare: Flags,
    most_draws: int,
    *,
    numbers: bool,
) -> tuple[Floats, list[_Doubtful]]:
    """The p-values of several relations, and which of them are yet to be drawn: these are upper bounds for now.

    With few rows, a small p is exact, unless there are too many tables. Otherwise it is that of the gamma law; but
    where something is so ``rare`` that the tail of this law is too light, tables are drawn, unless ``most_draws`` is 0.
    """
    p = law.tail(relation)
    if not most_draws:
        return p, []
    few = np.flatnonzero(law.varies & (p < _CLAIM_OF_FEW_ROWS) & (class_rows.sum(axis=1) < FEW_ROWS))
    for same, margins in with_equal_margins(few, value_rows, class_rows, numbers=numbers):
        exact = margins.exact_p(relation[same])
        if exact is not None:
            p[same], rare[same] = exact, False
    doubtful = np.flatnonzero(rare & law.varies & (p < CLAIM))
    p[doubtful] = law.largest_tail(relation)[doubtful]
    groups = with_equal_margins(doubtful, value_rows, class_rows, numbers=numbers)
    return p, [(same, margins, relation[same]) for same, margins in groups]


def _draw(p: Floats, doubtful: _Doubtful, seed: int, draws: int) -> None:
    """Draw p-values, except where no draws could give less than the upper bound."""
    columns, margins, relation = doubtful
    unsure = p[columns] * (draws + 1) > 1
    if unsure.any():
        p[columns[unsure]] = margins.drawn_p(relation[unsure], seed, draws)


# Values


def chi_squared_test(counts: ValueCounts, seed: int, most_draws: int | None = None) -> ColumnTests:
    """The p-value of X² of every feature; missing cells are no value."""
    most_draws = enough_draws(len(counts.values)) if most_draws is None else most_draws
    tests = ColumnTests.of_nothing(len(counts.values))
    if not len(counts.values):
        return tests
    missing = counts.offset + counts.values
    value_rows = counts.by_slot.sum(axis=1)
    value_rows[missing] = 0
    class_rows = np.add.reduceat(counts.by_slot, counts.offset) - counts.by_slot[missing]
    rows = np.maximum(class_rows.sum(axis=1), 1)
    feature = np.repeat(np.arange(len(counts.values)), counts.values + 1)
    terms = np.zeros(len(value_rows))
    # In parts, so that nothing else is as large as the counts.
    at_a_time = max(1, _CELLS_OF_COUNTS // max(1, counts.by_slot.shape[1]))
    for first in range(0, len(terms), at_a_time):
        part = slice(first, first + at_a_time)
        expected = value_rows[part, None] * class_rows[feature[part]] / rows[feature[part], None]
        seen = expected > 0
        difference = np.where(seen, counts.by_slot[part] - expected, 0.0)
        terms[part] = (difference**2 / np.where(seen, expected, 1.0)).sum(axis=1)
    rare: list[_Doubtful] = []
    for width in np.unique(counts.values[counts.values > 1]).tolist():
        features = np.flatnonzero(counts.values == width)
        slots = counts.offset[features][:, None] + np.arange(width)
        held, of_class, all_rows = value_rows[slots], class_rows[features], rows[features]
        relation = terms[slots].sum(axis=1) / all_rows
        present = of_class.sum(axis=1)
        law = PermutationLaw.of(present, Projections.onto_groups(held), Projections.onto_groups(of_class))
        least = _least_seen(held) * _least_seen(of_class) / all_rows
        cells = np.count_nonzero(held, axis=1) * np.count_nonzero(of_class, axis=1)
        drawable = (present < MOST_ROWS) & (np.minimum(cells, present) <= _MOST_WORK_OF_A_DRAW)
        is_rare = (least < _LEAST_EXPECTED) & drawable
        p, doubtful = _probabilities(law, relation, held, of_class, is_rare, most_draws, numbers=False)
        tests.put(features, ColumnTests(p, law.varies))
        rare += [(features[same], margins, seen) for same, margins, seen in doubtful]
    certain = 1 / (most_draws + 1)
    work = sum(margins.work for same, margins, _ in rare if (tests.p[same] > certain).any())
    # Where many features need draws, many may be related, and larger p-values still count as discoveries.
    draws = min(most_draws, max(_FEWEST_DRAWS, _MOST_WORK // max(work, 1)))
    for one in rare:
        _draw(tests.p, one, seed, draws)
    return tests


def _least_seen(sizes: Floats) -> Floats:
    least: Floats = np.where(sizes > 0, sizes, np.inf).min(axis=1)
    return least


# Numbers


def rank_test(
    numbers: RankedNumbers, labels: Labels, classes: int, counts: Integers | Floats, seed: int, most_draws: int
) -> ColumnTests:
    """The p-value of H of several columns; ``counts`` says how many rows each labelled row stands for."""
    tests = ColumnTests.of_nothing(len(numbers.ranks))
    values, rows = numbers.distinct + 1, len(labels)
    at_a_time = max(1, _CELLS_OF_NUMBERS // max(rows, 1))
    weights = counts.astype(np.float64)
    for first in range(0, len(numbers.ranks), at_a_time):
        ranks = numbers.ranks[first : first + at_a_time]
        column = np.arange(len(ranks))[:, None]
        places = (ranks + column * values).ravel()
        if values * classes <= _CELLS_PER_ROW * rows:
            cells = places * classes + np.broadcast_to(labels, ranks.shape).ravel()
            of_cells = np.broadcast_to(weights, ranks.shape).ravel()
            counted = np.bincount(cells, of_cells, minlength=len(ranks) * values * classes).astype(np.float64)
            found = rank_test_of_counts(counted.reshape(-1, values, classes)[:, :-1], seed, most_draws)
        else:
            known = np.where(ranks < numbers.distinct, weights, 0.0).ravel()
            number_rows = np.bincount(places, known, minlength=len(ranks) * values).reshape(-1, values)
            scores = midrank_scores(number_rows)
            # Scores and weights are whole numbers, so no order of adding them changes a sum.
            sums = (
                np.bincount((labels + column * classes).ravel(), terms, minlength=len(ranks) * classes)
                for terms in (known, known * scores.take(places))
            )
            class_rows, class_sums = (each.reshape(-1, classes).astype(np.float64) for each in sums)
            found = _test_ranks(number_rows.astype(np.float64), scores, class_rows, class_sums, seed, most_draws)
        tests.put(np.arange(first, first + len(ranks)), found)
    return tests


def rank_test_of_counts(by_class: Floats, seed: int, most_draws: int = MOST_DRAWS) -> ColumnTests:
    """The p-value of H of columns, from how many rows of each class hold each number: columns × numbers (rising)
    × classes. Numbers that no row holds do not matter.
    """
    if not by_class.any():
        return ColumnTests.of_nothing(len(by_class))
    number_rows = by_class.sum(axis=2)
    scores = midrank_scores(number_rows)
    sums = by_class.sum(axis=1), np.einsum("fv,fvc->fc", scores, by_class)
    return _test_ranks(number_rows, scores, *sums, seed, most_draws)


def order_test(counts: ValueCounts, scales: Sequence[Floats | None], seed: int, most_draws: int) -> ColumnTests:
    """The p-values of features whose values have an order, by the numbers that values stand for. The order of fewer
    than three values tells nothing.
    """
    tests = ColumnTests.of_nothing(len(counts.values))
    ordered = np.array([scale is not None for scale in scales], dtype=np.bool_)
    for width in np.unique(counts.values[ordered & (counts.values > 2)]).tolist():
        features = np.flatnonzero(ordered & (counts.values == width))
        numbers = np.array([scales[feature] for feature in features.tolist()])
        by_class = counts.by_slot[counts.offset[features][:, None] + np.arange(width)]
        by_class[np.isnan(numbers)] = 0
        by_class = np.take_along_axis(by_class, np.argsort(numbers, axis=1)[:, :, None], axis=1)
        found = rank_test_of_counts(by_class, seed, most_draws)
        several = np.count_nonzero(by_class.any(axis=2), axis=1) > 2
        tests.put(features, replace(found, varies=found.varies & several))
    return tests


def _test_ranks(
    number_rows: Floats, scores: Floats, class_rows: Floats, class_sums: Floats, seed: int, most_draws: int
) -> ColumnTests:
    """The p-values of several columns: the rows of each number and its score, columns × numbers in rising order, and of
    each class the rows and the sum of scores.
    """
    rows, squared = class_rows.sum(axis=1), scores * scores
    squares, fourth_powers = (number_rows * squared).sum(axis=1), (number_rows * squared * squared).sum(axis=1)
    seen = class_rows > 0
    relation = (class_sums**2 / np.where(seen, class_rows, 1.0)).sum(axis=1) / np.where(squares > 0, squares, 1.0)
    column = Projections.onto_scores(rows, squares, fourth_powers)
    law = PermutationLaw.of(rows, column, Projections.onto_groups(class_rows))
    # Of a column without a number, no class has rows.
    least = np.where(seen, class_rows, rows[:, None]).min(axis=1)
    others = rows - number_rows.max(axis=1)
    rare = (others < rows * _ONE_NUMBER) & (others * least < _FEW_OTHERS * rows)
    cells = np.count_nonzero(number_rows, axis=1) * np.count_nonzero(class_rows, axis=1)
    drawable = (cells <= FEW_NUMBERS) & (rows < MOST_ROWS) & (most_draws > 0)
    p, doubtful = _probabilities(law, relation, number_rows, class_rows, rare & drawable, most_draws, numbers=True)
    for one in doubtful:
        _draw(p, one, seed, most_draws)
    # Where nothing may be drawn, as with weights, the law decides.
    unknown = rare & ~drawable & (most_draws > 0)
    return ColumnTests(np.where(unknown, 1.0, p), law.varies & ~unknown)
