"""What a round adds up over rows: partial sums, which may come from any rows in any order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from probfs.tables.table import Floats


@dataclass(frozen=True, eq=False)
class Sums:
    """Partial sums over some rows, one entry for each feature: Σ ½|P - Q| and Σ (P_y - Q_y), in any unit."""

    absolute: Floats
    signed: Floats

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.absolute + other.absolute, self.signed + other.signed)

    @classmethod
    def side_by_side(cls, parts: Sequence[Sums]) -> Sums:
        """The sums of several lists of features as one list."""
        return cls(np.concatenate([part.absolute for part in parts]), np.concatenate([part.signed for part in parts]))


@dataclass(frozen=True)
class Fit:
    """Partial sums of the errors and losses of the model with all active features."""

    errors: float
    absolute_loss: float
    log_loss: float

    def __add__(self, other: Fit) -> Fit:
        return Fit(
            self.errors + other.errors,
            self.absolute_loss + other.absolute_loss,
            self.log_loss + other.log_loss,
        )
