"""P-values by drawing tables with the margins of the one seen, where values or classes are too rare for a tail.

Tables with the same margins are what shuffled labels give, and drawing one costs its cells, not its rows. Drawing stops
at the 20th table whose relation is as large as seen: then p = 20 / tables (Besag & Clifford 1991), and an unrelated
column takes few tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from probfs.screening.permutation_law import at_least
from probfs.tables.arrays import Floats, Integers

Relation = Callable[[Integers], Floats]
"""The relation of each of several tables: values × classes × tables -> one number a table."""

ENOUGH_AS_LARGE = 20
MOST_DRAWS = 99_999
DRAWS_PER_FEATURE = 200
"""So that a feature beyond all drawn tables has q ≤ 0.005 even if it is the only one, among up to 500 features."""
MOST_ROWS = 10**9
"""numpy draws from the hypergeometric law of fewer rows than this."""
_FIRST_DRAWS = 500
_DRAWS_AT_A_TIME = 8_000
_CELLS_AT_A_TIME = 1 << 20


def drawn_probabilities(
    value_rows: Integers,
    class_rows: Integers,
    relation: Relation,
    seen: Floats,
    seed: int,
    most_draws: int = MOST_DRAWS,
) -> Floats:
    """The p-values of several relations that were seen in tables with the same margins.

    Every call begins with the seed. Margins in an order that does not depend on names or rows (as sorted ones are) make
    the answer independent of these, and of other columns.
    """
    tables = _draw_tables(value_rows, class_rows, np.random.default_rng(seed), most_draws)
    return sequential_probabilities(map(relation, tables), seen, most_draws)


def sequential_probabilities(drawn_relations: Iterable[Floats], seen: Floats, most_draws: int) -> Floats:
    """The p-values of several relations, from batches of drawn ones, ``most_draws`` in all."""
    as_large = np.zeros(len(seen), dtype=np.int64)
    stopped_at = np.zeros(len(seen), dtype=np.int64)
    drawn = 0
    for relations in drawn_relations:
        for column in np.flatnonzero(stopped_at == 0).tolist():
            hits = np.flatnonzero(at_least(relations, float(seen[column])))
            wanted = ENOUGH_AS_LARGE - int(as_large[column])
            as_large[column] += len(hits)
            if len(hits) >= wanted:
                stopped_at[column] = drawn + hits[wanted - 1] + 1
        drawn += len(relations)
        if stopped_at.all():
            break
    unfinished = (as_large + 1) / (most_draws + 1)
    return np.where(stopped_at > 0, ENOUGH_AS_LARGE / np.maximum(stopped_at, 1), unfinished)


def enough_draws(features: int) -> int:
    """How many tables are drawn at most where so many features are tested."""
    return min(MOST_DRAWS, max(1, features) * DRAWS_PER_FEATURE)


def batches(draws: int, cells: int) -> Iterator[int]:
    """The sizes of growing batches of draws, each of which takes so many cells."""
    largest = max(1, min(_DRAWS_AT_A_TIME, _CELLS_AT_A_TIME // cells))
    left, size = draws, min(_FIRST_DRAWS, largest)
    while left:
        yield min(size, left)
        left -= min(size, left)
        size = min(4 * size, largest)


def _draw_tables(
    value_rows: Integers, class_rows: Integers, generator: np.random.Generator, most_draws: int = MOST_DRAWS
) -> Iterator[Integers]:
    """Random tables."""
    for size in batches(most_draws, len(value_rows) * len(class_rows)):
        yield _draw_batch(value_rows, class_rows, size, generator)


def _draw_batch(value_rows: Integers, class_rows: Integers, size: int, generator: np.random.Generator) -> Integers:
    """Tables drawn class by class, the last class being what is left; within a class, value by value."""
    tables = np.empty((len(value_rows), len(class_rows), size), dtype=np.int64)
    unassigned = np.repeat(value_rows[:, None], size, axis=1)
    for label, rows in enumerate(class_rows[:-1].tolist()):
        wanted = np.full(size, rows)
        others = unassigned.sum(axis=0) - rows
        for value in range(len(value_rows)):
            # How many of the value's rows are of the class, not the reverse: few rows are drawn several times faster.
            taken = generator.hypergeometric(wanted, others, unassigned[value])
            tables[value, label] = taken
            wanted -= taken
            others -= unassigned[value] - taken
        unassigned -= tables[:, label]
    tables[:, -1] = unassigned
    return tables
