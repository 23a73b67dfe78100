"""Numbers far below the smallest double, kept as mantissa × 2^exponent so that they can still be compared.

With thousands of informative columns a Naive Bayes probability comes within e^-1000 of 0 or 1, and so do its changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from probfs.tables.table import Floats, Integers

_NEGLIGIBLE = 2_000
"""A difference of exponents beyond which the smaller number is negligible."""


@dataclass(frozen=True, eq=False)
class ExtendedFloats:
    """An array of numbers ``values * 2**power``; without a power they are ordinary doubles, and as fast."""

    values: Floats
    power: Integers | None = None

    @classmethod
    def of(cls, values: Floats, power: int | Integers = 0) -> ExtendedFloats:
        """The numbers ``values * 2**power``, each with all its digits."""
        if isinstance(power, int) and power == 0:
            return cls(values)
        mantissa, own = np.frexp(values)
        return cls(mantissa, np.where(mantissa == 0, 0, own + np.asarray(power, dtype=np.int64)))

    @property
    def parts(self) -> tuple[Floats, Integers]:
        """Mantissas that are 0 or have a magnitude in [½, 1), and exponents."""
        mantissa, own = np.frexp(self.values)
        return mantissa, np.where(mantissa == 0, 0, own if self.power is None else own + self.power).astype(np.int64)

    def __len__(self) -> int:
        return len(self.values)

    def __add__(self, other: ExtendedFloats) -> ExtendedFloats:
        if self.power is None and other.power is None:
            return ExtendedFloats(self.values + other.values)
        zero = -(2**40)
        mantissa, own = self.parts
        other_mantissa, others = other.parts
        own, others = np.where(mantissa == 0, zero, own), np.where(other_mantissa == 0, zero, others)
        top = np.maximum(own, others)
        return ExtendedFloats.of(_shift(mantissa, own - top) + _shift(other_mantissa, others - top), top)

    def __truediv__(self, divisor: float) -> ExtendedFloats:
        return ExtendedFloats(self.values / divisor, self.power)

    @classmethod
    def concatenate(cls, parts: Sequence[ExtendedFloats]) -> ExtendedFloats:
        """Several arrays as one."""
        if all(part.power is None for part in parts):
            return cls(np.concatenate([part.values for part in parts]))
        mantissas, exponents = zip(*(part.parts for part in parts), strict=True)
        return cls(np.concatenate(mantissas), np.concatenate(exponents))

    def take(self, positions: Integers) -> ExtendedFloats:
        return ExtendedFloats(self.values[positions], None if self.power is None else self.power[positions])

    def replace_at(self, positions: Integers, others: ExtendedFloats) -> ExtendedFloats:
        """A copy with other numbers at some positions."""
        mantissa, exponent = self.parts
        mantissa[positions], exponent[positions] = others.parts
        return ExtendedFloats(mantissa, exponent)

    def relative_to(self, exponent: int | Integers) -> Floats:
        """The numbers in units of 2^exponent; those too small or too large for a double become 0 or ±infinity."""
        if self.power is None and isinstance(exponent, int) and exponent == 0:
            return self.values
        mantissa, own = self.parts
        return _shift(mantissa, np.where(mantissa == 0, 0, own - exponent))

    def logs(self) -> Floats:
        """The natural logarithms of numbers that are not negative."""
        with np.errstate(divide="ignore"):
            logs: Floats = np.log(self.values)
        return logs if self.power is None else logs + self.power * np.log(2.0)

    def floats_at(self, positions: Sequence[int]) -> list[float]:
        """The nearest doubles of some of the numbers."""
        if self.power is None:
            item = self.values.item
            return [item(position) + 0.0 for position in positions]
        floats: list[float] = self.take(np.asarray(positions)).to_floats().tolist()
        return floats

    def to_floats(self) -> Floats:
        """The nearest doubles; numbers too small for a double become 0."""
        # A tiny negative number has become -0.0, which adding 0.0 turns into 0.0.
        return self.relative_to(0) + 0.0


def _shift(mantissa: Floats, exponent: Integers) -> Floats:
    with np.errstate(over="ignore"):
        return np.ldexp(mantissa, np.clip(exponent, -_NEGLIGIBLE, _NEGLIGIBLE).astype(np.int32))
