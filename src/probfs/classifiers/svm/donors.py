"""Whose value a row gets when a column is shuffled: drawn once a round, and the same for every feature."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from probfs.tables.table import Integers

Donors = npt.NDArray[np.int32]
"""Shuffles × rows: the labelled row whose value each row is given."""


def draw_donors(counts: Integers, donor_counts: Integers, shuffles: int, generator: np.random.Generator) -> Donors:
    """Donors for rows that stand for ``counts`` rows each, from labelled rows that stand for ``donor_counts``.

    The rows stand side by side on a ring, each as wide as it counts, and so do the donors, in an order drawn anew for
    every shuffle and turned by a random angle: a row's donor is the one at its middle. When rows and donors are the
    same and all count once that is a permutation; in any case each donor is met as often as it counts.
    """
    length = int(donor_counts.sum())
    middles = (np.cumsum(counts) - counts / 2) * (length / int(counts.sum()))
    donors = np.empty((shuffles, len(counts)), dtype=np.int32)
    for row in donors:
        order = generator.permutation(len(donor_counts))
        ends = np.cumsum(donor_counts[order])
        places = (middles + int(generator.integers(length))) % length
        row[...] = order[np.searchsorted(ends, places, side="right").clip(max=len(order) - 1)]
    return donors
