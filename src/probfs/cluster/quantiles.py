"""The numbers of a column whose rows are on a cluster, at a resolution that is enough to test it.

Each block tells some thousand quantiles of its numbers, or all of them where they are fewer. Those of all blocks part
the numbers into bins; a number that many rows hold has a bin of its own. A column with fewer different numbers than
bins is tested exactly. Of others, the standardized statistic is off by about one part in as many as there are bins, so
that p is right to three digits down to 1e-12.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from probfs.columns.rules import some_numbers
from probfs.tables.arrays import Codes, Floats, code_type
from probfs.tables.column import Column

MOST_BINS = 1 << 15
_FEWEST_QUANTILES = 1024
"""What a block tells, however many there are."""


def numbers_in_rows(column: Column) -> Floats:
    """The number in each row, NaN where there is none."""
    if column.is_numeric:
        return column.by_row
    numbers: Floats = np.append(some_numbers(column.entries, column.kind), np.nan)[column.codes]
    return numbers


def quantiles_of_each(blocks: int) -> int:
    """How many quantiles each of some blocks is to tell: together twice as many as there are bins."""
    return max(2 * MOST_BINS // blocks, _FEWEST_QUANTILES)


def sketch(numbers: Floats, most: int = MOST_BINS) -> Floats:
    """All different numbers, if they are few, or quantiles of all, in rising order."""
    # Adding 0 makes -0 the same as 0.
    ordered = np.sort(numbers[~np.isnan(numbers)] + 0.0)
    different = ordered[np.flatnonzero(np.diff(ordered, prepend=-np.inf) != 0)] if len(ordered) else ordered
    return different if len(different) <= most else _thinned(ordered, most)


def edges_of(sketches: Sequence[Floats], most: int = MOST_BINS) -> Floats:
    """The upper ends of bins that hold the numbers of all blocks, given a sketch of each."""
    every = np.sort(np.concatenate(sketches))
    different = np.unique(every)
    return different if len(different) <= most else _thinned(every, most)


def _thinned(ordered: Floats, most: int) -> Floats:
    """Some of many numbers, evenly spread over their places, and what lies just below those that repeat."""
    places = np.linspace(0, len(ordered) - 1, most).astype(np.int64)
    chosen = ordered[places]
    repeated = chosen[1:][np.diff(chosen) == 0]
    return np.unique(np.concatenate([chosen, np.nextafter(repeated, -np.inf)]))


def bin_codes(numbers: Floats, edges: Floats) -> Codes:
    """The bin of each number, and the code after the last for a missing one."""
    codes = np.searchsorted(edges, numbers + 0.0)
    return np.where(np.isnan(numbers), len(edges), codes).astype(code_type(len(edges)))
