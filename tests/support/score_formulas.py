"""The paper's scores as plain functions of probabilities: the definition that every classifier is tested against.

``with_feature`` (P) and ``without_feature`` (Q) hold one row of class probabilities for each row of the table.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from probfs.tables.arrays import Floats


def absolute_score(with_feature: Floats, without_feature: Floats, counts: npt.ArrayLike | None = None) -> float:
    """Ŝ_S, eq. (2), for any number of classes: the mean of ½ Σ_c |P_c - Q_c|.

    >>> absolute_score(np.array([[0.75, 0.25]]), np.array([[0.5, 0.5]]))
    0.25
    """
    change = np.abs(with_feature - without_feature).sum(axis=1) / 2
    return float(np.average(change, weights=None if counts is None else np.asarray(counts, dtype=np.float64)))


def signed_score(
    with_feature: Floats, without_feature: Floats, labels: npt.ArrayLike, counts: npt.ArrayLike | None = None
) -> float:
    """Ŝ_A, eq. (3), for any number of classes: the mean of P_y - Q_y, y being the row's own class.

    >>> signed_score(np.array([[0.75, 0.25]]), np.array([[0.5, 0.5]]), [1])
    -0.25
    """
    rows = np.arange(len(with_feature))
    own = np.asarray(labels)
    return float(
        np.average(
            with_feature[rows, own] - without_feature[rows, own],
            weights=None if counts is None else np.asarray(counts, dtype=np.float64),
        )
    )
