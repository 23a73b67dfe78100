"""Sums of changes that may be far below the smallest double.

Where all rows are nearly certain, the changes that a feature makes are too small for doubles. They are then summed in
units of 2^-shift, for as large a shift as the rows' gaps allow.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add

import numpy as np

from probfs.classifiers.extended_range import ExtendedFloats
from probfs.classifiers.naive_bayes.rows import LN2, Rows
from probfs.classifiers.protocol import Features
from probfs.classifiers.sums import Sums
from probfs.tables.table import Floats

_UNDERFLOW = 2.0**-900
"""A sum below this times the feature's largest effect may have lost digits to underflow, or be 0 because of it."""
_SATURATED_GAP = 600.0
"""When even the least certain row has a larger gap, sums are in units that fit this row from the start."""


def underflow_limits(groups: Sequence[Rows]) -> Floats:
    """For each feature the sum of absolute changes below which the sum must be computed in smaller units.

    These limits hold for all exponents below that of the groups, because effects are smaller then.
    """
    excess = [rows.largest_excess() for rows in groups]
    limits: Floats = _UNDERFLOW * (1 + np.maximum.reduce(excess))
    return limits


def sum_changes_of_any_size(
    groups: Sequence[Rows], features: Features, limits: Floats
) -> tuple[ExtendedFloats, ExtendedFloats]:
    """Σ ½|P - Q| and Σ (P_y - Q_y) of each feature; ``limits`` are the features' underflow limits."""
    for rows in groups:
        rows.expect(features)
    least = min(rows.least_gap() for rows in groups)
    shift = int(least / LN2) if _SATURATED_GAP < least < math.inf else 0
    sums = _add_up(rows.sum_changes(features, shift) for rows in groups)
    absolute, signed = ExtendedFloats.of(sums.absolute, -shift), ExtendedFloats.of(sums.signed, -shift)
    tiny = (sums.absolute < limits).nonzero()[0]
    while len(tiny):
        # Units that fit the features of the largest changes; the other features have another turn.
        nearest = np.minimum.reduce([rows.nearest_changes(features[tiny]) for rows in groups])
        tiny = tiny[np.isfinite(nearest)]
        if not len(tiny):
            break
        shift = int(nearest.min() / LN2)
        sums = _add_up(rows.sum_changes(features[tiny], shift) for rows in groups)
        done = sums.absolute >= limits[tiny]
        if not done.any():
            break
        absolute = absolute.replace_at(tiny[done], ExtendedFloats.of(sums.absolute[done], -shift))
        signed = signed.replace_at(tiny[done], ExtendedFloats.of(sums.signed[done], -shift))
        tiny = tiny[~done]
    return absolute, signed


def _add_up(parts: Iterable[Sums]) -> Sums:
    return reduce(add, parts)
