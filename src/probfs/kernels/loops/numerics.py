"""Arithmetic that all loops share."""

from __future__ import annotations

import numpy as np

from probfs.kernels.constants import ROWS_PER_BLOCK
from probfs.kernels.kernel import helper

_LOG2_E = 1.4426950408889634
# ln 2 in two parts, the first with so few digits that its products with exponents are exact.
_LN2_HIGH = 0.693147180369123816490
_LN2_LOW = 1.90821492927058770002e-10
_ROUND = 1.5 * 2.0**52
"""Added to a number, this leaves its nearest integer in the last bits."""
_LEAST_EXPONENT = -708.0


# No reordering: it would undo the splitting of ln 2 and the rounding to an integer.
@helper(fast_math=frozenset({"contract"}))
def exp(x):
    """e^x for x ≤ 0, to within two units in the last place; 0 where that is below the smallest normal number.

    Unlike the C library's exp, it compiles to vector instructions.
    """
    shifted = max(x, _LEAST_EXPONENT) * _LOG2_E + _ROUND
    whole = shifted - _ROUND
    rest = (max(x, _LEAST_EXPONENT) - whole * _LN2_HIGH) - whole * _LN2_LOW
    series = 1 / 6227020800.0
    series = series * rest + 1 / 479001600.0
    series = series * rest + 1 / 39916800.0
    series = series * rest + 1 / 3628800.0
    series = series * rest + 1 / 362880.0
    series = series * rest + 1 / 40320.0
    series = series * rest + 1 / 5040.0
    series = series * rest + 1 / 720.0
    series = series * rest + 1 / 120.0
    series = series * rest + 1 / 24.0
    series = series * rest + 1 / 6.0
    series = series * rest + 0.5
    series = series * rest + 1.0
    series = series * rest + 1.0
    power = np.int64((np.float64(shifted).view(np.int64) + 1023) << 52).view(np.float64)
    return series * power if x >= _LEAST_EXPONENT else 0.0


@helper()
def count_blocks(rows):
    """The number of blocks for this many rows."""
    return (rows + ROWS_PER_BLOCK - 1) // ROWS_PER_BLOCK


@helper()
def bits(x):
    """An integer that grows with |x|: minima of integers compile to vector instructions, minima of doubles do not."""
    return np.float64(abs(x)).view(np.int64)


@helper()
def add_exactly(high, low, place, term):
    """Add to a sum that is kept in two parts, without rounding (Knuth's two-sum)."""
    total = high[place] + term
    back = total - high[place]
    low[place] += (high[place] - (total - back)) + (term - back)
    high[place] = total
