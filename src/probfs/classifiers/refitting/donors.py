"""Which row gives a row its value when a feature is permuted: drawn once a round, the same for every feature."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from probfs.tables.table import Integers

Donors = npt.NDArray[np.int32]
"""Permutations × rows: the position of the labelled row whose value each row is given."""


def draw_donors(counts: Integers, donor_counts: Integers, permutations: int, generator: np.random.Generator) -> Donors:
    """Donors for rows that count ``counts`` times each, among labelled rows that count ``donor_counts`` times.

    Imagine the rows laid out along a circle, each as wide as its count, and the donors along a second circle of the
    same length, in a random order and turned by a random angle, both drawn anew for every permutation. A row's donor
    is the one opposite the row's middle. If rows and donors are the same and all count once, this is a permutation;
    in general every donor is drawn with a frequency proportional to its count.
    """
    length = int(donor_counts.sum())
    middles = (np.cumsum(counts) - counts / 2) * (length / int(counts.sum()))
    donors = np.empty((permutations, len(counts)), dtype=np.int32)
    for row in donors:
        order = generator.permutation(len(donor_counts))
        ends = np.cumsum(donor_counts[order])
        places = (middles + int(generator.integers(length))) % length
        row[...] = order[np.searchsorted(ends, places, side="right").clip(max=len(order) - 1)]
    return donors
