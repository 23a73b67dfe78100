"""Exact p-values where there are few rows: all tables with the margins of the one seen, each as often as shuffled
labels give it. Of so few rows there are few tables, and the tail of a smooth law can be wrong by a factor of four.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import combinations

import numpy as np

from probfs.screening.drawn_tables import Relation
from probfs.screening.permutation_law import at_least
from probfs.tables.arrays import Floats, Integers

FEW_ROWS = 20
"""Fewer rows than this are few."""
DOUBTFUL = 0.1
"""Larger p-values by a smooth law than this are no claim: they stay as they are."""
_MOST_CELLS = 1 << 17
"""Cells of all tables together, beyond which they are not enumerated: that takes some milliseconds, and each column of
a wide table may have margins of its own.
"""

_ROUNDING = 1e-12
"""A relation smaller than this is none, of so few rows."""


def exact_probabilities(value_rows: Integers, class_rows: Integers, relation: Relation, seen: Floats) -> Floats | None:
    """The p-values of several relations that were seen in tables with the same margins; None where there are too many
    tables to look at them all.
    """
    enumerated = _all_tables(value_rows, class_rows)
    if enumerated is None:
        return None
    tables, orders = enumerated
    relations = relation(tables)
    largest_first = np.argsort(-relations)
    shares = np.cumsum(orders[largest_first]) / orders.sum()
    hits = [np.count_nonzero(at_least(relations, one if one > _ROUNDING else 0.0)) for one in seen.tolist()]
    p: Floats = shares[np.array(hits) - 1]
    return p


def _all_tables(value_rows: Integers, class_rows: Integers) -> tuple[Integers, Floats] | None:
    """All tables (values × classes × tables) and how many orders of the labels give each, value by value: every way to
    deal out the rows of a value to the classes that still lack rows, and to the last value what is left.
    """
    classes = len(class_rows)
    lacking = class_rows[None]
    orders = np.ones(1)
    dealt = np.empty((1, 0, classes), dtype=np.int64)
    for rows in value_rows[:-1].tolist():
        if len(lacking) * math.comb(rows + classes - 1, rows) * len(value_rows) * classes > _MOST_CELLS:
            return None
        ways, multiplicity = _ways_to_deal(rows, classes)
        left = lacking[:, None] - ways
        table, way = np.nonzero((left >= 0).all(axis=2))
        lacking = left[table, way]
        orders = orders[table] * multiplicity[way]
        dealt = np.concatenate([dealt[table], ways[way][:, None]], axis=1)
    last = np.array([_orders(int(value_rows[-1]), own) for own in lacking.tolist()])
    return np.moveaxis(np.concatenate([dealt, lacking[:, None]], axis=1), 0, 2), orders * last


@lru_cache
def _ways_to_deal(rows: int, classes: int) -> tuple[Integers, Floats]:
    """All ways to deal rows to classes, by how many each gets, and the number of orders of each."""
    # Bars between stars: what lies between two bars is dealt to one class.
    places = range(rows + classes - 1)
    bars = np.array([(-1, *own, rows + classes - 1) for own in combinations(places, classes - 1)])
    ways = np.diff(bars, axis=1) - 1
    return ways, np.array([_orders(rows, own) for own in ways.tolist()])


def _orders(rows: int, parts: list[int]) -> float:
    return math.factorial(rows) / math.prod(map(math.factorial, parts))
