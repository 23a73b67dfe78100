"""Odds of rows, drawn at random."""

from __future__ import annotations

import numpy as np

from probfs.classifiers.row_odds import RowOdds


def random_odds(seed: int, rows: int, classes: int, size: float, lead: float, zeros: bool) -> RowOdds:
    """Odds of about this size, in favour of the rows' own classes by ``lead`` of it; some infinite with ``zeros``."""
    random = np.random.default_rng(seed)
    against_own = size * (random.normal(size=(classes - 1, rows)) - lead)
    if zeros:
        against_own[random.random(against_own.shape) < 0.3] = -np.inf
        against_own[:, random.random(rows) < 0.2] = np.inf
    counts = random.integers(1, 4, rows) if random.random() < 0.5 else np.ones(rows)
    return RowOdds(against_own, counts.astype(np.float64), 0)
