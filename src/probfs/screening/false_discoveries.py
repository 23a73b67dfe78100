"""False-discovery rates: the q-values of Benjamini & Hochberg (1995)."""

from __future__ import annotations

import numpy as np

from probfs.tables.arrays import Floats


def q_values(p: Floats) -> Floats:
    """For each p-value, the least rate of false discoveries at which it still counts as a discovery.

    >>> q_values(np.array([0.01, 0.04, 0.03, 1.0])).round(4)
    array([0.04  , 0.0533, 0.0533, 1.    ])
    """
    order = np.argsort(p, kind="stable")
    rates = p[order] * len(p) / np.arange(1, len(p) + 1)
    q = np.empty(len(p))
    q[order] = np.minimum(np.minimum.accumulate(rates[::-1])[::-1], 1.0)
    return q
