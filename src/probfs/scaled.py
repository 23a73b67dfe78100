"""Numbers far below the smallest double, kept as mantissa × 2^exponent so that they can still be compared.

With thousands of informative columns a Naive Bayes probability comes within e^-1000 of 0 or 1, and so do its changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from probfs.table import Floats, Integers

_FAR = 2_000
"""A difference of exponents beyond which the smaller number does not count at all."""


@dataclass(frozen=True, eq=False)
class Scaled:
    """An array of numbers ``mantissa * 2**exponent``; a mantissa is 0 or has a magnitude in [½, 1)."""

    mantissa: Floats
    exponent: Integers

    @classmethod
    def of(cls, values: Floats, exponent: int | Integers = 0) -> Scaled:
        """The numbers ``values * 2**exponent``."""
        mantissa, own = np.frexp(values)
        return cls(mantissa, np.where(mantissa == 0, 0, own + np.asarray(exponent, dtype=np.int64)))

    def __len__(self) -> int:
        return len(self.mantissa)

    def __add__(self, other: Scaled) -> Scaled:
        zero = -(2**40)
        own = np.where(self.mantissa == 0, zero, self.exponent)
        others = np.where(other.mantissa == 0, zero, other.exponent)
        top = np.maximum(own, others)
        total = _shifted(self.mantissa, own - top) + _shifted(other.mantissa, others - top)
        return Scaled.of(total, top)

    def __truediv__(self, divisor: float) -> Scaled:
        return Scaled.of(self.mantissa / divisor, self.exponent)

    @classmethod
    def side_by_side(cls, parts: Sequence[Scaled]) -> Scaled:
        """The numbers of several arrays as one."""
        return cls(np.concatenate([part.mantissa for part in parts]), np.concatenate([part.exponent for part in parts]))

    def take(self, positions: Integers) -> Scaled:
        return Scaled(self.mantissa[positions], self.exponent[positions])

    def replaced(self, positions: Integers, values: Scaled) -> Scaled:
        """The same numbers with some of them changed."""
        mantissa, exponent = self.mantissa.copy(), self.exponent.copy()
        mantissa[positions], exponent[positions] = values.mantissa, values.exponent
        return Scaled(mantissa, exponent)

    def relative_to(self, exponent: int) -> Floats:
        """The numbers in units of 2^exponent, where 0 and ±infinity stand for what a double cannot hold."""
        return _shifted(self.mantissa, np.where(self.mantissa == 0, 0, self.exponent - exponent))

    def to_floats(self) -> Floats:
        """The nearest doubles; what is too small for one becomes 0."""
        # Adding 0 turns a negative zero, all that is left of a tiny negative number, into a plain one.
        return self.relative_to(0) + 0.0


def _shifted(mantissa: Floats, exponent: Integers) -> Floats:
    with np.errstate(over="ignore"):
        return np.ldexp(mantissa, np.clip(exponent, -_FAR, _FAR).astype(np.int32))
