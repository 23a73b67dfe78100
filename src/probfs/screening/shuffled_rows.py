"""X² of shuffled labels, row by row: where values and classes are so many that their table has more cells than there
are rows, most cells of a drawn table are empty, and those that are not are found faster by shuffling the rows.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from probfs.screening.drawn_tables import batches, sequential_probabilities
from probfs.tables.arrays import Floats, Integers


def shuffled_probabilities(
    value_rows: Integers, class_rows: Integers, seen: Floats, seed: int, most_draws: int
) -> Floats:
    """The p-values of several X² / rows that were seen in tables with the same margins."""
    return sequential_probabilities(_shuffle_labels(value_rows, class_rows, seed, most_draws), seen, most_draws)


def _shuffle_labels(value_rows: Integers, class_rows: Integers, seed: int, draws: int) -> Iterator[Floats]:
    """X² / rows, which is Σ O² / (R·C) - 1 over the cells that are not empty: O rows of a cell, R of its value, C of
    its class.
    """
    generator = np.random.default_rng(seed)
    values, classes = len(value_rows), len(class_rows)
    value = np.repeat(np.arange(values), value_rows)
    label = np.repeat(np.arange(classes), class_rows)
    for size in batches(draws, len(label)):
        shuffled = generator.permuted(np.tile(label, (size, 1)), axis=1)
        draw = np.arange(size)[:, None]
        cells, rows = np.unique((draw * values + value) * classes + shuffled, return_counts=True)
        terms = rows**2 / (value_rows[cells // classes % values] * class_rows[cells % classes])
        yield np.bincount(cells // (values * classes), terms, minlength=size).astype(np.float64) - 1
