"""P-values by drawing tables with the margins of the one seen, where values or classes are too rare for a tail.

Tables with the same margins are what shuffled labels give, and drawing one costs its cells, not its rows. Drawing stops
at the 20th table whose relation is as large as seen: then p = 20 / tables (Besag & Clifford 1991), and an unrelated
column takes few tables.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from probfs.screening.permutation_law import at_least
from probfs.tables.table import Floats, Integers

ENOUGH_AS_LARGE = 20
MOST_DRAWS = 99_999
MOST_ROWS = 10**9
"""numpy draws from the hypergeometric law of fewer rows than this."""
_FIRST_DRAWS = 500
_DRAWS_AT_A_TIME = 8_000
_CELLS_AT_A_TIME = 1 << 20


def drawn_probabilities(value_rows: Integers, class_rows: Integers, seen: Floats, seed: int) -> Floats:
    """The p-values of several relations that were seen in tables with the same margins.

    Every call begins with the seed, and the margins are sorted, so that the answer depends neither on other columns nor
    on the order of values, classes and rows.
    """
    as_large = np.zeros(len(seen), dtype=np.int64)
    stopped_at = np.zeros(len(seen), dtype=np.int64)
    drawn = 0
    for relations in _draw_relations(np.sort(value_rows), np.sort(class_rows), np.random.default_rng(seed)):
        for column in np.flatnonzero(stopped_at == 0).tolist():
            hits = np.flatnonzero(at_least(relations, float(seen[column])))
            wanted = ENOUGH_AS_LARGE - int(as_large[column])
            as_large[column] += len(hits)
            if len(hits) >= wanted:
                stopped_at[column] = drawn + hits[wanted - 1] + 1
        drawn += len(relations)
        if stopped_at.all():
            break
    unfinished = (as_large + 1) / (MOST_DRAWS + 1)
    return np.where(stopped_at > 0, ENOUGH_AS_LARGE / np.maximum(stopped_at, 1), unfinished)


def _draw_relations(value_rows: Integers, class_rows: Integers, generator: np.random.Generator) -> Iterator[Floats]:
    """The relations of random tables, in growing batches."""
    cells = len(value_rows) * len(class_rows)
    largest = max(1, min(_DRAWS_AT_A_TIME, _CELLS_AT_A_TIME // cells))
    left, size = MOST_DRAWS, min(_FIRST_DRAWS, largest)
    while left:
        yield _draw_batch(value_rows, class_rows, min(size, left), generator)
        left -= min(size, left)
        size = min(4 * size, largest)


def _draw_batch(value_rows: Integers, class_rows: Integers, size: int, generator: np.random.Generator) -> Floats:
    """Tables drawn class by class, the last class being what is left; within a class, value by value."""
    expected = np.outer(value_rows, class_rows) / value_rows.sum()
    unassigned = np.repeat(value_rows[:, None], size, axis=1)
    total = np.zeros(size)
    for label, rows in enumerate(class_rows[:-1].tolist()):
        wanted = np.full(size, rows)
        others = unassigned.sum(axis=0)
        for value in range(len(value_rows)):
            others -= unassigned[value]
            taken = generator.hypergeometric(unassigned[value], others, wanted)
            unassigned[value] -= taken
            wanted -= taken
            total += (taken - expected[value, label]) ** 2 / expected[value, label]
    total += ((unassigned - expected[:, -1:]) ** 2 / expected[:, -1:]).sum(axis=0)
    return total / float(value_rows.sum())
