"""What a round adds up over rows, in parts that may come from anywhere."""

from __future__ import annotations

from dataclasses import dataclass

from probfs.table import Floats


@dataclass(frozen=True, eq=False)
class Sums:
    """Partial sums over some rows, one entry a feature: Σ ½|P - Q| and Σ (P_y - Q_y), in units of 2^-shift."""

    absolute: Floats
    signed: Floats

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.absolute + other.absolute, self.signed + other.signed)


@dataclass(frozen=True)
class Fit:
    """Partial sums of how well the model with all active features does."""

    errors: float
    absolute_loss: float
    log_loss: float

    def __add__(self, other: Fit) -> Fit:
        return Fit(
            self.errors + other.errors,
            self.absolute_loss + other.absolute_loss,
            self.log_loss + other.log_loss,
        )
