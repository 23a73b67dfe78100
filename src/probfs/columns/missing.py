"""Whether missing cells tell the class, so that they are a value of their own and not nothing, as in the paper."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from probfs.columns.rules import UNKNOWN
from probfs.columns.target import Target
from probfs.tables.arrays import Integers
from probfs.tables.column import Column

LEAST_MISSING = 5
"""With fewer missing cells a column's missingness is never judged."""
SIGNIFICANCE = 1e-3
"""Missing cells tell the class where chance alone would deal them out so unevenly more rarely than this."""
_MOST_OUTCOMES = 1 << 18
"""Outcomes of the test that are summed up one by one; beyond, the normal law."""
_EQUALLY_LIKELY = 1 + 1e-7
"""Two outcomes whose probabilities differ by less are equally likely: the difference is rounding."""


def missing_cells_tell(column: Column, target: Target, weights: Integers | None) -> bool:
    """Whether the missing cells of labelled rows tell the class; ``weights`` has None where all rows weigh 1."""
    rows, cell_weights = column.missing_cells(weights)
    labels = target.labels[rows]
    known = labels != UNKNOWN
    missing = np.bincount(
        labels[known], None if cell_weights is None else cell_weights[known], minlength=len(target.classes)
    )
    return missingness_p_value(missing.tolist(), target.class_rows) < SIGNIFICANCE


def missingness_p_value(missing_by_class: Sequence[float], rows_by_class: Sequence[int]) -> float:
    """The probability that missing cells dealt out by chance would differ so much from the class frequencies.

    For each class an exact two-sided hypergeometric test: of all ways to choose which rows are missing, the share in
    which the number from this class is no more likely than the one at hand. The least of these probabilities, times
    the number of classes.

    >>> round(missingness_p_value([10, 0], [10, 10]), 8)
    2.165e-05
    >>> missingness_p_value([3, 3], [10, 10])
    1.0
    """
    missing = [int(count) for count in missing_by_class]
    total, drawn = sum(rows_by_class), sum(missing)
    tests = (_two_sided(found, total, size, drawn) for found, size in zip(missing, rows_by_class, strict=True))
    return min(1.0, min(tests) * len(missing))


@lru_cache(maxsize=1 << 12)
def _two_sided(found: int, total: int, size: int, drawn: int) -> float:
    """The probability of an outcome no likelier than ``found`` when ``drawn`` of ``total`` are drawn, ``size`` of which
    are of the class.
    """
    mean = drawn * (size / total)
    deviation = math.sqrt(mean * ((total - size) / total) * ((total - drawn) / (total - 1)))
    # Farther outcomes have no weight worth a sum; 50 more, as beside a small mean the law is Poisson's.
    reach = 12 * deviation + 50
    least = max(0, drawn + size - total, math.floor(mean - reach))
    most = min(drawn, size, math.ceil(mean + reach))
    if most - least >= _MOST_OUTCOMES:
        return math.erfc(max(abs(found - mean) - 0.5, 0) / deviation / math.sqrt(2))
    if not least <= found <= most:
        return 0.0
    # The logarithm of each outcome's probability, but for a constant, from the ratios of neighbours.
    outcomes = np.arange(least, most, dtype=np.float64)
    rising = np.log(size - outcomes) + np.log(drawn - outcomes)
    falling = np.log(outcomes + 1) + np.log(total - size - drawn + outcomes + 1)
    logarithms = np.concatenate([[0.0], np.cumsum(rising - falling)])
    probabilities = np.exp(logarithms - logarithms.max())
    probabilities /= probabilities.sum()
    return min(1.0, float(probabilities[probabilities <= probabilities[found - least] * _EQUALLY_LIKELY].sum()))
