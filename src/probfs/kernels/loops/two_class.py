"""Two classes: the log-odds of rows, how well they do, and what each feature's leaving changes.

The ``tables`` of a model are its e for rows that favour class 0, those for class 1, and its log-odds; ``origin`` is
where a row's model begins. The ``counts`` of rows whose own class is 1 are negative.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from probfs.kernels import BLOCK, EQUAL_ODDS
from probfs.kernels.loops.numerics import CARELESS, add_exactly, bits, exp

_PRODUCTS = 256
"""That many factors of at most 2 are multiplied before their logarithm is taken."""
_SMALL = 1e-5
"""Of the logarithm of one more than such a number, three terms of its series are as good as all."""


def two_class_move(
    codes, stride, rows, features, count, offset, tables, slots, origin, high, low, counts, counts_are_one, sign,
    first, last, sums,
):  # fmt: skip
    """Add the log-odds of some features to every row's, losing nothing; then each block's errors,
    losses and least gap.
    """
    for block in range(first, last):
        begin, end = block * BLOCK, min(rows, (block + 1) * BLOCK)
        for k in range(count):
            column = features[k] * stride
            base = offset[features[k]] + 2 * slots
            for row in range(begin, end):
                term = sign * tables[base + codes[column + row] + origin[row]]
                add_exactly(high, low, row, term)
        _block_state(high, low, counts, counts_are_one, begin, end, block * 4, sums)


@njit(fastmath=CARELESS, error_model="numpy")
def _block_state(high, low, counts, counts_are_one, begin, end, place, sums):
    errors, miss, loss, least = 0.0, 0.0, 0.0, bits(np.inf)
    for first in range(begin, end, _PRODUCTS):
        product = 1.0
        for row in range(first, min(end, first + _PRODUCTS)):
            towards_own = 1.0 if counts[row] > 0.0 else -1.0
            odds = (high[row] + low[row]) * towards_own
            count = abs(counts[row])
            ratio = exp(-abs(odds))
            share = 1.0 / (1.0 + ratio)
            errors += count if odds < -EQUAL_ODDS * towards_own else 0.0
            miss += count * (share if odds < 0.0 else ratio * share)
            loss += count * max(-odds, 0.0)
            # log(1 + ratio): where it is not small, the logarithm of a product of many is cheaper than that of each.
            small = ratio < _SMALL
            loss += count * (ratio * (1.0 - ratio * (0.5 - ratio / 3.0)) if small else 0.0)
            product *= 1.0 if small else 1.0 + ratio
            least = min(least, bits(odds))
        if counts_are_one:
            loss += math.log(product)
        else:
            for row in range(first, min(end, first + _PRODUCTS)):
                ratio = exp(-abs(high[row] + low[row]))
                loss += abs(counts[row]) * math.log1p(ratio) if ratio >= _SMALL else 0.0
    sums[place] = errors
    sums[place + 1] = miss
    sums[place + 2] = loss
    sums[place + 3] = np.int64(least).view(np.float64)


@njit(fastmath=CARELESS, error_model="numpy")
def _row_terms(slots, origin, high, low, counts, begin, size, start, q, weight):
    """What a feature's change of a row is made of, e / (1 + q·e) · weight, and where its e are looked up."""
    for i in range(size):
        odds = high[begin + i] + low[begin + i]
        ratio = exp(-abs(odds))
        share = 1.0 / (1.0 + ratio)
        q[i] = ratio * share
        weight[i] = counts[begin + i] * ratio * share * share * (1.0 if odds >= 0.0 else -1.0)
        start[i] = origin[begin + i] + (0 if odds >= 0.0 else slots)


def two_class_sums(
    codes, stride, rows, features, count, offset, tables, slots, origin, high, low, counts,
    first, last, first_feature, last_feature, start, q, weight, absolute, signed,
):  # fmt: skip
    """Σ ½|P - Q| and Σ (P_y - Q_y) of each feature, a line of sums for each block.

    ``start``, ``q`` and ``weight`` are room for what a block's log-odds come to.
    """
    for block in range(first, last):
        begin = block * BLOCK
        size = min(rows - begin, BLOCK)
        _row_terms(slots, origin, high, low, counts, begin, size, start, q, weight)
        for k in range(first_feature, last_feature):
            column = features[k] * stride + begin
            base = offset[features[k]]
            size_of_changes, own = 0.0, 0.0
            for i in range(size):
                e = tables[base + codes[column + i] + start[i]]
                change = e / (1.0 + q[i] * e) * weight[i]
                own += change
                size_of_changes += abs(change)
            absolute[block * count + k] = size_of_changes
            signed[block * count + k] = own
