"""Two classes: the log-odds of rows, how well they are predicted, and how much each feature's leaving changes them.

``tables`` has three tables for each model, one after the other: e for rows that favour class 0, e for rows that favour
class 1, and the log-odds (see ``two_class_rows``). ``model_start`` says where the tables of a row's model begin. The
``counts`` of rows whose own class is 1 are negative. ``exponent`` is the power that weights are raised to: e and all
that is computed from log-odds depend on it, but not the log-odds themselves.
"""

from __future__ import annotations

import math

import numpy as np

from probfs.kernels.constants import EVEN_ODDS_TOLERANCE, ROWS_PER_BLOCK
from probfs.kernels.kernel import (
    FAST_MATH,
    CodeMatrix,
    CodeStride,
    Float64,
    Float64Array,
    Int32Array,
    Int64,
    Int64Array,
    Length,
    helper,
    kernel,
)
from probfs.kernels.loops.numerics import add_exactly, bits, count_blocks, exp

FIT_SIZE = 4
"""Numbers that each block leaves in ``block_fit``: errors, absolute and logarithmic loss, and the smallest gap."""
_FACTORS_PER_LOG = 256
"""How many factors, each at most 2, are multiplied before the logarithm of their product is taken."""
_SMALL = 1e-5
"""Below this, three terms of the series of log(1 + x) are as good as the function."""

_ROW_LENGTHS: dict[str, Length] = {
    "codes": "rows",
    "features": "count",
    "offsets": "codes",
    "tables": lambda slots: 3 * slots,
    "model_start": "rows",
    "high": "rows",
    "low": "rows",
    "exponent": 1,
    "counts": "rows",
}


@kernel(
    lengths={
        **_ROW_LENGTHS,
        "block_fit": lambda rows: FIT_SIZE * count_blocks(rows),
    },
    writes={"high", "low", "block_fit"},
)
def update_two_class_rows(
    codes: CodeMatrix, stride: CodeStride, rows: Int64, features: Int64Array, count: Int64, offsets: Int64Array,
    tables: Float64Array, slots: Int64, model_start: Int32Array, high: Float64Array, low: Float64Array,
    exponent: Float64Array, counts: Float64Array, counts_are_one: Int64, sign: Float64, first_block: Int64,
    end_block: Int64, block_fit: Float64Array,
) -> None:  # fmt: skip
    """Add the log-odds of some features to every row's, without rounding; then compute how well each block fits."""
    for block in range(first_block, end_block):
        begin, end = block * ROWS_PER_BLOCK, min(rows, (block + 1) * ROWS_PER_BLOCK)
        for k in range(count):
            column = features[k] * stride
            base = offsets[features[k]] + 2 * slots
            for row in range(begin, end):
                term = sign * tables[base + codes[column + row] + model_start[row]]
                add_exactly(high, low, row, term)
        _compute_block_fit(high, low, exponent[0], counts, counts_are_one, begin, end, block * FIT_SIZE, block_fit)


@helper(fast_math=FAST_MATH)
def _compute_block_fit(high, low, exponent, counts, counts_are_one, begin, end, place, block_fit):
    errors, miss, loss, least = 0.0, 0.0, 0.0, bits(np.inf)
    for first in range(begin, end, _FACTORS_PER_LOG):
        product = 1.0
        for row in range(first, min(end, first + _FACTORS_PER_LOG)):
            towards_own = 1.0 if counts[row] > 0.0 else -1.0
            plain_odds = (high[row] + low[row]) * towards_own
            odds = exponent * plain_odds
            count = abs(counts[row])
            ratio = exp(-abs(odds))
            share = 1.0 / (1.0 + ratio)
            errors += count if plain_odds < -EVEN_ODDS_TOLERANCE * towards_own else 0.0
            miss += count * (share if odds < 0.0 else ratio * share)
            loss += count * max(-odds, 0.0)
            # log(1 + ratio): where it is not small, one logarithm of a product is cheaper than many logarithms.
            small = ratio < _SMALL
            loss += count * (ratio * (1.0 - ratio * (0.5 - ratio / 3.0)) if small else 0.0)
            product *= 1.0 if small else 1.0 + ratio
            least = min(least, bits(odds))
        if counts_are_one:
            loss += math.log(product)
        else:
            for row in range(first, min(end, first + _FACTORS_PER_LOG)):
                ratio = exp(-abs(exponent * (high[row] + low[row])))
                loss += abs(counts[row]) * math.log1p(ratio) if ratio >= _SMALL else 0.0
    block_fit[place] = errors
    block_fit[place + 1] = miss
    block_fit[place + 2] = loss
    block_fit[place + 3] = np.int64(least).view(np.float64)


@helper(fast_math=FAST_MATH)
def _compute_row_terms(slots, model_start, high, low, exponent, counts, begin, size, start, q, weight):
    """The parts of a row's change e / (1 + q·e) · weight that depend on the row alone, and where its e are found."""
    for i in range(size):
        odds = exponent * (high[begin + i] + low[begin + i])
        ratio = exp(-abs(odds))
        share = 1.0 / (1.0 + ratio)
        q[i] = ratio * share
        weight[i] = counts[begin + i] * ratio * share * share * (1.0 if odds >= 0.0 else -1.0)
        start[i] = model_start[begin + i] + (0 if odds >= 0.0 else slots)


@kernel(
    lengths={
        **_ROW_LENGTHS,
        "start": lambda rows: min(rows, ROWS_PER_BLOCK),
        "q": lambda rows: min(rows, ROWS_PER_BLOCK),
        "weight": lambda rows: min(rows, ROWS_PER_BLOCK),
        "sums": lambda rows, count: 2 * count_blocks(rows) * count,
    },
    writes={"start", "q", "weight", "sums"},
    fast_math=FAST_MATH,
)
def sum_two_class_changes(
    codes: CodeMatrix, stride: CodeStride, rows: Int64, features: Int64Array, count: Int64, offsets: Int64Array,
    tables: Float64Array, slots: Int64, model_start: Int32Array, high: Float64Array, low: Float64Array,
    exponent: Float64Array, counts: Float64Array, first_block: Int64, end_block: Int64, first_feature: Int64,
    end_feature: Int64, start: Int32Array, q: Float64Array, weight: Float64Array, sums: Float64Array,
) -> None:  # fmt: skip
    """Σ ½|P - Q| of each block and feature, and after all of these Σ (P_y - Q_y).

    ``start``, ``q`` and ``weight`` are scratch space for the rows of one block.
    """
    signed = count_blocks(rows) * count
    for block in range(first_block, end_block):
        begin = block * ROWS_PER_BLOCK
        size = min(rows - begin, ROWS_PER_BLOCK)
        _compute_row_terms(slots, model_start, high, low, exponent[0], counts, begin, size, start, q, weight)
        for k in range(first_feature, end_feature):
            column = features[k] * stride + begin
            base = offsets[features[k]]
            size_of_changes, own = 0.0, 0.0
            for i in range(size):
                e = tables[base + codes[column + i] + start[i]]
                change = e / (1.0 + q[i] * e) * weight[i]
                own += change
                size_of_changes += abs(change)
            sums[block * count + k] = size_of_changes
            sums[signed + block * count + k] = own
