"""The loops over cells, compiled: for tables on which they pay for importing numba.

Each does what a method of the same name does in numpy, and is tested against it. Rows come in blocks that stay in the
cache, and every block leaves its own sums, which are added in one order however many threads there are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit, prange

from probfs.backends.rows import EQUAL_ODDS

BLOCK = 4096
_FEATURES_AT_ONCE = 32
_PRODUCTS = 255
"""A power of two less one: that many factors of at most 2 are multiplied before their logarithm is taken."""
_TINY = 1e-8
_CARELESS = {"contract", "reassoc", "nsz", "arcp"}
"""Sums may be added in any order, and a·b + c rounded once; NaN and infinity keep their meaning."""

Function = Callable[..., None]


def _compiled(**options: Any) -> Callable[[Function], Function]:
    """Compile on first use, and keep the result where the package is, or else in the user's cache."""

    def decorate(function: Function) -> Function:
        try:
            compiled: Function = njit(parallel=True, cache=True, **options)(function)
        except RuntimeError:
            # Nowhere to keep it: compiled anew each time.
            compiled = njit(parallel=True, **options)(function)
        return compiled

    return decorate


@_compiled(fastmath=_CARELESS)
def two_class_sums(  # type: ignore[no-untyped-def]  # numba infers the types
    codes, features, offset, excess, start, q, signed_weight, absolute, signed
):
    """Σ ½|P - Q| and Σ (P_y - Q_y) of each feature, a row of sums for each block."""
    rows = codes.shape[1]
    chunks = (len(features) + _FEATURES_AT_ONCE - 1) // _FEATURES_AT_ONCE
    for task in prange(len(absolute) * chunks):
        block, chunk = task // chunks, task % chunks
        first, last = block * BLOCK, min(rows, (block + 1) * BLOCK)
        for k in range(chunk * _FEATURES_AT_ONCE, min(len(features), (chunk + 1) * _FEATURES_AT_ONCE)):
            column = codes[features[k]]
            base = offset[features[k]]
            size, own = 0.0, 0.0
            for row in range(first, last):
                e = excess[base + column[row] + start[row]]
                change = e / (1.0 + q[row] * e) * signed_weight[row]
                own += change
                size += abs(change)
            absolute[block, k] = size
            signed[block, k] = own


@_compiled(fastmath=_CARELESS)
def two_class_state(  # type: ignore[no-untyped-def]  # as above
    high, low, counts, counts_are_one, towards_own, second_start, start, q, signed_weight, sums
):
    """What the log-odds of each row come to, and each block's errors, losses and least gap.

    ``towards_own`` is 1 where class 0 is the rows' own, -1 where class 1 is.
    """
    rows = len(high)
    for block in prange(len(sums)):
        errors, miss, loss, least, product = 0.0, 0.0, 0.0, np.inf, 1.0
        for row in range(block * BLOCK, min(rows, (block + 1) * BLOCK)):
            odds = high[row] + low[row]
            gap = abs(odds)
            ratio = math.exp(-gap)
            share = 1.0 / (1.0 + ratio)
            side = math.copysign(1.0, odds)
            own = towards_own * side
            q[row] = ratio * share
            signed_weight[row] = counts[row] * ratio * share * share * own
            start[row] = second_start if odds < 0 else 0
            predicted = 1.0 if odds >= -EQUAL_ODDS else -1.0
            errors += counts[row] * (predicted != towards_own)
            miss += counts[row] * (ratio * share if own > 0 else share)
            loss += counts[row] * (0.0 if own > 0 else gap)
            if not counts_are_one:
                loss += counts[row] * math.log1p(ratio)
            elif ratio < _TINY:
                loss += ratio
            else:
                # The logarithm of a product of many is cheaper than that of each.
                product *= 1.0 + ratio
                if row & _PRODUCTS == _PRODUCTS:
                    loss += math.log(product)
                    product = 1.0
            least = min(least, gap)
        sums[block, 0] = errors
        sums[block, 1] = miss
        sums[block, 2] = loss + math.log(product)
        sums[block, 3] = least


@_compiled()
def two_class_add(codes, features, offset, log_odds, sign, high, low):  # type: ignore[no-untyped-def]  # as above
    """Add the log-odds of some features to every row's, losing nothing (Knuth's two-sum)."""
    rows = len(high)
    for block in prange((rows + BLOCK - 1) // BLOCK):
        for k in range(len(features)):
            column = codes[features[k]]
            base = offset[features[k]]
            for row in range(block * BLOCK, min(rows, (block + 1) * BLOCK)):
                term = sign * log_odds[base + column[row]]
                total = high[row] + term
                back = total - high[row]
                low[row] += (high[row] - (total - back)) + (term - back)
                high[row] = total


@_compiled(fastmath=_CARELESS)
def many_class_sums(  # type: ignore[no-untyped-def]  # as above
    codes, features, offset, excess, top, probabilities, counts, label, absolute, signed
):
    """The same for any number of classes; ``probabilities`` is rows × classes, ``excess`` top × slots × classes."""
    rows, classes = probabilities.shape
    chunks = (len(features) + _FEATURES_AT_ONCE - 1) // _FEATURES_AT_ONCE
    for task in prange(len(absolute) * chunks):
        block, chunk = task // chunks, task % chunks
        first, last = block * BLOCK, min(rows, (block + 1) * BLOCK)
        for k in range(chunk * _FEATURES_AT_ONCE, min(len(features), (chunk + 1) * _FEATURES_AT_ONCE)):
            column = codes[features[k]]
            base = offset[features[k]]
            size, own = 0.0, 0.0
            for row in range(first, last):
                table = excess[top[row], base + column[row]]
                mean = 0.0
                for c in range(classes):
                    mean += probabilities[row, c] * table[c]
                change = 0.0
                for c in range(classes):
                    change += abs(mean - table[c]) * probabilities[row, c]
                scale = counts[row] / (1.0 + mean)
                size += change * scale
                if label >= 0:
                    own += (mean - table[label]) * probabilities[row, label] * scale
            absolute[block, k] = size / 2
            signed[block, k] = own
