"""How probable each labelled row's own class is to a model that was not trained on the row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from probfs.tables.table import Floats


def least_probability(rows: float) -> float:
    """The smallest probability that a row's own class is taken to have, in a table of so many rows: without it, one
    row that a model without smoothing rules out would make every mean infinite.
    """
    return 1 / (2 * rows)


@dataclass(frozen=True, eq=False)
class RowOdds:
    """The log-odds of every other class against a row's own, at exponent 1: (classes - 1) × rows.

    A class of weight 0 has odds of -infinity. Where the row's own class has weight 0, all odds are infinite.
    """

    against_own: Floats
    counts: Floats
    """How many equal rows each row stands for."""
    errors: float
    """How many rows have a most probable class that is not their own."""

    @property
    def rows(self) -> float:
        return float(self.counts.sum())

    @property
    def mean_loss(self) -> float:
        """The mean of -log P over rows, no row's P taken to be less than the least."""
        losses = np.logaddexp.reduce(self.against_own, axis=0, initial=0.0)
        return float(self.counts @ np.minimum(losses, -np.log(least_probability(self.rows))) / self.rows)

    @classmethod
    def joined(cls, parts: Sequence[RowOdds]) -> RowOdds:
        """The odds of several groups of rows, one after the other."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            np.concatenate([part.against_own for part in parts], axis=1),
            np.concatenate([part.counts for part in parts]),
            sum(part.errors for part in parts),
        )
