"""P-values by the permutation law itself, where a smooth tail does not fit: few rows, or rare values or classes.

All that shuffled labels can give is tables with the same margins: how many rows hold each value, and each class. Of few
rows, all these tables are looked at. Else tables are drawn, which costs their cells, not their rows; or rows are
shuffled, where these are fewer than the cells. Drawing stops at the 20th table whose relation is as large as seen: then
p = 20 / tables (Besag & Clifford 1991), and an unrelated column takes few tables.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np

from probfs.screening.permutation_law import NEARLY
from probfs.tables.arrays import Floats, Integers

FEW_ROWS = 20
"""Of fewer rows than this p is exact."""
MOST_DRAWS = 99_999
MOST_ROWS = 10**9
"""numpy draws from the hypergeometric law of fewer rows than this."""
_MOST_CELLS = 1 << 17
"""Cells of all tables together, beyond which they are not enumerated: that takes some milliseconds, and each column of
a wide table may have margins of its own.
"""
_ROUNDING = 1e-12
"""A relation smaller than this is none, of so few rows."""
_FACTORIALS = np.cumprod([1.0, *range(1, FEW_ROWS)])
_ENOUGH_AS_LARGE = 20
_DRAWS_PER_FEATURE = 200
"""So that a feature beyond all drawn tables has q ≤ 0.005 even if it is the only one, among up to 500 features."""
_FIRST_DRAWS = 500
_DRAWS_AT_A_TIME = 8_000
_CELLS_AT_A_TIME = 1 << 20


@dataclass(frozen=True, eq=False)
class Margins:
    """How many rows hold each value and each class of a column; every value and every class is in some row.

    Margins in an order that does not depend on names or rows make p independent of these, and of other columns: values
    and classes by size, or values by rank if they are numbers.
    """

    value_rows: Integers
    class_rows: Integers
    numbers: bool
    """Whether values are distinct numbers, in rising order: then the relation is that of their midranks."""

    @property
    def work(self) -> int:
        """What one draw costs: the cells of the table, or the rows where these are fewer and can be shuffled."""
        cells = len(self.value_rows) * len(self.class_rows)
        return cells if self.numbers else min(cells, int(self.class_rows.sum()))

    def relations(self, tables: Integers) -> Floats:
        """The relation of each of several tables: values × classes × tables."""
        if self.numbers:
            scores = midrank_scores(self.value_rows.astype(np.float64))
            sums = np.einsum("v,vct->ct", scores, tables)
            between: Floats = (sums**2 / self.class_rows[:, None]).sum(axis=0) / (self.value_rows @ scores**2)
            return between
        rows = float(self.value_rows.sum())
        expected = np.outer(self.value_rows, self.class_rows)[:, :, None] / rows
        x_squared: Floats = ((tables - expected) ** 2 / expected).sum(axis=(0, 1))
        return x_squared / rows

    def exact_p(self, seen: Floats) -> Floats | None:
        """The p-values of several relations; None where there are too many tables to look at them all."""
        tables = _all_tables(self.value_rows, self.class_rows)
        if tables is None:
            return None
        relations = self.relations(tables)
        smallest_first = np.argsort(relations)
        # The orders of the labels that give a table, relative to those of others.
        orders = (1 / _FACTORIALS[tables[:, :, smallest_first]]).prod(axis=(0, 1))
        smaller = np.searchsorted(relations[smallest_first], np.where(seen > _ROUNDING, seen * NEARLY, 0.0))
        p: Floats = np.cumsum(orders[::-1])[len(orders) - 1 - smaller] / orders.sum()
        return p

    def drawn_p(self, seen: Floats, seed: int, draws: int) -> Floats:
        """The p-values of several relations by drawing; every call begins with the seed."""
        generator = np.random.default_rng(seed)
        if self.work < len(self.value_rows) * len(self.class_rows):
            return _sequential_p(_shuffle_rows(self, generator, draws), seen, draws)
        return _sequential_p(map(self.relations, _draw_tables(self, generator, draws)), seen, draws)


def midrank_scores(rows: Floats | Integers) -> Floats:
    """2·midrank - (N+1), a whole number, of each distinct number that so many rows hold, in rising order along the last
    axis.
    """
    ends: Floats = np.cumsum(rows, axis=-1, dtype=np.float64)
    return 2 * ends - rows - ends[..., -1:]


def enough_draws(features: int) -> int:
    """How many tables are drawn at most where so many features are tested."""
    return min(MOST_DRAWS, max(1, features) * _DRAWS_PER_FEATURE)


def with_equal_margins(
    columns: Integers, value_rows: Floats, class_rows: Floats, *, numbers: bool
) -> Iterator[tuple[Integers, Margins]]:
    """Groups of columns that share their margins, and so the tables that are looked at; ``value_rows`` is columns ×
    values and ``class_rows`` columns × classes, for all columns.
    """
    values = value_rows[columns]
    # Numbers keep their order, except that those that no row holds come last.
    order = np.argsort(values == 0 if numbers else values, axis=1, kind="stable")
    values = np.take_along_axis(values, order, axis=1)
    classes = np.sort(class_rows[columns], axis=1)
    groups: defaultdict[bytes, list[int]] = defaultdict(list)
    for place, margins in enumerate(np.concatenate([values, classes], axis=1)):
        groups[margins.tobytes()].append(place)
    for members in groups.values():
        value_sizes, class_sizes = (margin[members[0]].astype(np.int64) for margin in (values, classes))
        yield columns[members], Margins(value_sizes[value_sizes > 0], class_sizes[class_sizes > 0], numbers)


def _all_tables(value_rows: Integers, class_rows: Integers) -> Integers | None:
    """All tables, values × classes × tables: every way to deal out the rows of each value to the classes that still
    lack rows, and to the last value what is left. None where there are too many.
    """
    classes, lacking = len(class_rows), class_rows[None]
    dealt = np.empty((1, 0, classes), dtype=np.int64)
    for rows in value_rows[:-1].tolist():
        if len(lacking) * math.comb(rows + classes - 1, rows) * len(value_rows) * classes > _MOST_CELLS:
            return None
        ways = _ways_to_deal(rows, classes)
        left = lacking[:, None] - ways
        table, way = np.nonzero((left >= 0).all(axis=2))
        lacking = left[table, way]
        dealt = np.concatenate([dealt[table], ways[way][:, None]], axis=1)
    return np.moveaxis(np.concatenate([dealt, lacking[:, None]], axis=1), 0, 2)


@lru_cache
def _ways_to_deal(rows: int, classes: int) -> Integers:
    """How many rows each class gets: what lies between two bars, of all places for bars between the rows."""
    places = range(rows + classes - 1)
    bars = np.array([(-1, *chosen, rows + classes - 1) for chosen in combinations(places, classes - 1)])
    return np.diff(bars, axis=1) - 1


def _sequential_p(drawn_relations: Iterable[Floats], seen: Floats, most_draws: int) -> Floats:
    """The p-values of several relations, from batches of drawn ones, ``most_draws`` in all."""
    as_large = np.zeros(len(seen), dtype=np.int64)
    stopped_at = np.zeros(len(seen), dtype=np.int64)
    drawn = 0
    for relations in drawn_relations:
        for column in np.flatnonzero(stopped_at == 0).tolist():
            hits = np.flatnonzero(relations >= seen[column] * NEARLY)
            wanted = _ENOUGH_AS_LARGE - int(as_large[column])
            as_large[column] += len(hits)
            if len(hits) >= wanted:
                stopped_at[column] = drawn + hits[wanted - 1] + 1
        drawn += len(relations)
        if stopped_at.all():
            break
    unfinished = (as_large + 1) / (most_draws + 1)
    return np.where(stopped_at > 0, _ENOUGH_AS_LARGE / np.maximum(stopped_at, 1), unfinished)


def _batches(draws: int, cells: int) -> Iterator[int]:
    """The sizes of growing batches of draws, each of which takes so many cells."""
    largest = max(1, min(_DRAWS_AT_A_TIME, _CELLS_AT_A_TIME // cells))
    left, size = draws, min(_FIRST_DRAWS, largest)
    while left:
        yield min(size, left)
        left -= min(size, left)
        size = min(4 * size, largest)


def _draw_tables(margins: Margins, generator: np.random.Generator, draws: int) -> Iterator[Integers]:
    """Tables drawn class by class, the last class being what is left; within a class, value by value."""
    value_rows, class_rows = margins.value_rows, margins.class_rows
    for size in _batches(draws, len(value_rows) * len(class_rows)):
        tables = np.empty((len(value_rows), len(class_rows), size), dtype=np.int64)
        unassigned = np.repeat(value_rows[:, None], size, axis=1)
        for label, rows in enumerate(class_rows[:-1].tolist()):
            wanted = np.full(size, rows)
            others = unassigned.sum(axis=0) - rows
            for value in range(len(value_rows)):
                # How many of the value's rows are of the class, not the reverse: few rows are drawn faster.
                taken = generator.hypergeometric(wanted, others, unassigned[value])
                tables[value, label] = taken
                wanted -= taken
                others -= unassigned[value] - taken
            unassigned -= tables[:, label]
        tables[:, -1] = unassigned
        yield tables


def _shuffle_rows(margins: Margins, generator: np.random.Generator, draws: int) -> Iterator[Floats]:
    """X² / rows of shuffled labels, which is Σ O² / (R·C) - 1 over the cells that are not empty: O rows of a cell, R of
    its value, C of its class. Most cells of tables that have more cells than rows are empty.
    """
    value_rows, class_rows = margins.value_rows, margins.class_rows
    values, classes = len(value_rows), len(class_rows)
    value = np.repeat(np.arange(values), value_rows)
    label = np.repeat(np.arange(classes), class_rows)
    for size in _batches(draws, len(label)):
        shuffled = generator.permuted(np.tile(label, (size, 1)), axis=1)
        draw = np.arange(size)[:, None]
        cells, rows = np.unique((draw * values + value) * classes + shuffled, return_counts=True)
        terms = rows**2 / (value_rows[cells // classes % values] * class_rows[cells % classes])
        yield np.bincount(cells // (values * classes), terms, minlength=size).astype(np.float64) - 1
