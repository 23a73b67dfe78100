"""The mean of rows and how far they are from it, such that those of several parts of a table can be joined."""

from __future__ import annotations

import math
from dataclasses import dataclass

from probfs.tables.table import Floats


@dataclass(frozen=True)
class Moments:
    """How many rows there are, the mean of their values, and the sum of squared differences to it."""

    rows: float
    mean: float
    squares: float

    @classmethod
    def of(cls, values: Floats, counts: Floats) -> Moments:
        """Those of one value for each row; a row that counts for several is several rows."""
        rows = float(counts.sum())
        if not rows:
            return cls(0.0, 0.0, 0.0)
        mean = float(counts @ values) / rows
        return cls(rows, mean, float(counts @ (values - mean) ** 2))

    def __add__(self, other: Moments) -> Moments:
        # Chan, Golub & LeVeque (1983): no squares of means are subtracted from each other.
        rows = self.rows + other.rows
        if not rows:
            return self
        apart = other.mean - self.mean
        mean = (self.rows * self.mean + other.rows * other.mean) / rows
        return Moments(rows, mean, self.squares + other.squares + apart**2 * self.rows * other.rows / rows)

    @property
    def se(self) -> float:
        """The standard error of the mean."""
        return math.sqrt(self.squares / max(self.rows - 1, 1) / self.rows)
