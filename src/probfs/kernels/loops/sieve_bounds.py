"""What every sieve does with the sums of its features: bound them, and drop the features that cannot be lowest.

``docs/sieve.md`` derives every bound that is used here, under the same names. There are ``kinds`` kinds of loss; for
the rows from each block on, ``remaining`` has the losses of each kind and, after these, the weight of all rows.
``blurred`` is the weight of the rows whose changes are differences that may have lost digits.
"""

from __future__ import annotations

import numpy as np

from probfs.kernels.kernel import FAST_MATH, helper

ROWS_PER_CHECK = 128
"""Rows between two checks of which features can still be lowest."""
FEW_FEATURES = 256
"""Among this many sums the lowest few are found by comparing each with each."""
UNDERFLOW_ERROR = 1e-25
"""Bound on the error of a sum from weights that are too small for single precision."""
MIN_WEIGHT = 1e-37
"""Smaller numbers in single precision have fewer digits and are slow to compute with: such weights become 0."""

BLUR = 0.1
"""By how much of its weight a row that lost digits adds to a feature's relative rounding error."""


@helper()
def count_checks(rows):
    """How many times the features are checked while all rows are gone through."""
    return (rows + ROWS_PER_CHECK - 1) // ROWS_PER_CHECK


@helper()
def move_lowest_first(features, count, estimate, champions):
    """Swap the features of the lowest estimates with those that stand first."""
    worst = _find_highest(features, estimate, champions)
    for k in range(champions, count):
        if estimate[features[k]] < estimate[features[worst]]:
            features[k], features[worst] = features[worst], features[k]
            worst = _find_highest(features, estimate, champions)


@helper()
def _find_highest(features, estimate, champions):
    worst = 0
    for k in range(1, champions):
        worst = k if estimate[features[k]] > estimate[features[worst]] else worst
    return worst


@helper(fast_math=FAST_MATH)
def bound_of_lowest(features, count, wanted, rounding, kinds, fall, remaining, blurred, estimate, bounds):
    """A number that at least ``wanted`` sums do not exceed: the first features are summed over all rows."""
    for k in range(count):
        total = estimate[features[k]]
        bounds[k] = total + rounding_error(total, rounding, kinds, fall, features[k], remaining, blurred)
    return UNDERFLOW_ERROR + _find_nth_lowest(bounds, count, wanted)


@helper(fast_math=FAST_MATH)
def drop_features(features, first, last, highest, block, absolute, rounding, kinds, fall, remaining, blurred, estimate):
    """Keep the features, from the first to before the last, that the rows from ``block`` on can bring down to
    ``highest``; the number of features that are left.

    For absolute sums, where rows differ in weight alone, a dropped feature's estimate is stretched to all rows.
    """
    whole, rest = remaining[kinds], remaining[(kinds + 1) * block + kinds]
    stretch = whole / (whole - rest) if absolute else 1.0
    kept = first
    for k in range(first, last):
        feature = features[k]
        total = estimate[feature]
        least = total - largest_loss(kinds, fall, feature, remaining, block)
        dropped = least > highest + rounding_error(total, rounding, kinds, fall, feature, remaining, blurred)
        estimate[feature] = total * stretch if dropped else total
        features[kept] = feature
        kept += 0 if dropped else 1
    return kept


@helper(fast_math=FAST_MATH)
def largest_loss(kinds, fall, feature, remaining, block):
    """The most that the rows from a block on can take from a feature's sum."""
    of_feature, of_rows = kinds * feature, (kinds + 1) * block
    total = 0.0
    for number in range(kinds):
        total += fall[of_feature + number] * remaining[of_rows + number]
    return total


@helper(fast_math=FAST_MATH)
def rounding_error(total, rounding, kinds, fall, feature, remaining, blurred):
    """Bound on the error of a sum that was computed in single precision."""
    return rounding[feature] * (abs(total) + 2.0 * largest_loss(kinds, fall, feature, remaining, 0) + BLUR * blurred)


@helper()
def _find_nth_lowest(numbers, count, wanted):
    """The highest of the ``wanted`` lowest numbers."""
    nth = np.inf
    for k in range(count):
        as_low = 0
        for other in range(count):
            as_low += 1 if numbers[other] <= numbers[k] else 0
        nth = min(nth, numbers[k]) if as_low >= wanted else nth
    return nth
