"""The sieve of two classes: which features may have the lowest sums, judged by as few rows as it takes.

``docs/sieve.md`` derives every bound that is used here, under the same names.
"""

from __future__ import annotations

import numpy as np

from probfs.kernels.kernel import (
    FAST_MATH,
    CodeArray,
    CodeMatrix,
    CodeStride,
    Float32Array,
    Float64Array,
    Int64,
    Int64Array,
    helper,
    kernel,
)
from probfs.kernels.loops.numerics import bits, exp
from probfs.kernels.loops.sieve_bounds import (
    FEW_FEATURES,
    MIN_WEIGHT,
    ROWS_PER_CHECK,
    bound_of_lowest,
    count_checks,
    drop_features,
    move_lowest_first,
)

KINDS_OF_LOSS = 4
"""Rows of class 0 whose tables look towards class 0, or towards class 1; and rows of class 1 whose tables look towards
class 1, or towards class 0. Each kind has its own bound on what a row can take from a sum.
"""
REMAINDERS = KINDS_OF_LOSS + 1
"""Numbers for each block in ``remaining``: the losses of each kind, and the weight of all rows."""
MAX_LOSS = 1e30
"""Losses above this are rounded down to it, to stay in the range of single precision."""


@kernel(
    lengths={
        "cells": lambda rows, lines: count_checks(rows) * lines * ROWS_PER_CHECK,
        "features": "count",
        "line_of": "estimate",
        "base": "estimate",
        "tables": 1,
        "order": "rows",
        "odds": "rows",
        "towards": "rows",
        "counts": "rows",
        "rounding": "estimate",
        "fall": lambda estimate: KINDS_OF_LOSS * estimate,
        "bounds": lambda count, champions: max(champions, min(count, FEW_FEATURES)),
        "favour": "rows",
        "q": lambda rows: count_checks(rows) * ROWS_PER_CHECK,
        "weight": lambda rows: count_checks(rows) * ROWS_PER_CHECK,
        "loss": "rows",
        "remaining": lambda rows: (count_checks(rows) + 1) * REMAINDERS,
        "estimate": "count",
        "found": 2,
    },
    writes={"features", "bounds", "favour", "q", "weight", "loss", "remaining", "estimate", "found"},
    fast_math=FAST_MATH,
)
def sift_features(
    cells: CodeArray, lines: Int64, rows: Int64, features: Int64Array, count: Int64, line_of: Int64Array,
    base: Int64Array, tables: Float32Array, order: Int64Array, odds: Float64Array, towards: Float64Array,
    counts: Float64Array, absolute: Int64, champions: Int64, wanted: Int64, rounding: Float64Array, fall: Float64Array,
    bounds: Float64Array, favour: Float64Array, q: Float32Array, weight: Float32Array, loss: Float32Array,
    remaining: Float64Array, estimate: Float64Array, found: Int64Array,
) -> None:  # fmt: skip
    """Put those features first whose sums may be among the ``wanted`` lowest; ``found`` becomes how many these are, and
    how many cells were gone through.

    The champions are the features of the lowest estimates. They are summed over all rows, and every other feature over
    one block of rows after the other, until it is clear that its sum is above theirs. ``estimate`` becomes each
    feature's sum, or what the sum would be if all rows were like those gone through; the lowest of these are the
    champions of the next call, whose sums will be different.

    ``cells``, ``towards`` and ``counts`` are in the order of ``gather_cells``; ``line_of`` is a feature's line there.
    ``rounding`` is a feature's relative rounding error, and ``fall`` its largest loss of each kind. ``bounds``,
    ``favour``, ``q``, ``weight``, ``loss`` and ``remaining`` are scratch space.
    """
    blocks = count_checks(rows)
    _compute_row_terms(order, odds, towards, counts, rows, blocks * ROWS_PER_CHECK, favour, q, weight, loss)
    _sum_remaining_losses(counts, rows, blocks, weight, loss, remaining)
    move_lowest_first(features, count, estimate, champions)
    for k in range(champions):
        for block in range(blocks):
            _add_block(cells, lines, line_of, base, tables, q, weight, absolute, block, features[k], estimate)
    highest = bound_of_lowest(
        features, champions, wanted, rounding, KINDS_OF_LOSS, fall, remaining, 0.0, estimate, bounds
    )
    kept, gone_through = count, champions * rows
    for block in range(blocks):
        gone_through += (kept - champions) * ROWS_PER_CHECK
        for k in range(champions, kept):
            _add_block(cells, lines, line_of, base, tables, q, weight, absolute, block, features[k], estimate)
        # In a loop of its own: the processor often mispredicts this branch, which would stall the summing loop.
        kept = drop_features(
            features,
            champions,
            kept,
            highest,
            block + 1,
            absolute,
            rounding,
            KINDS_OF_LOSS,
            fall,
            remaining,
            0.0,
            estimate,
        )
    if kept <= FEW_FEATURES:
        highest = bound_of_lowest(
            features, kept, wanted, rounding, KINDS_OF_LOSS, fall, remaining, 0.0, estimate, bounds
        )
        kept = drop_features(
            features, 0, kept, highest, blocks, 0, rounding, KINDS_OF_LOSS, fall, remaining, 0.0, estimate
        )
    found[0] = kept
    found[1] = gone_through


@helper(fast_math=FAST_MATH)
def _compute_row_terms(order, odds, towards, counts, rows, size, favour, q, weight, loss):
    """The parts of a row's change weight / (1/e + q) that depend on the row alone, and the row's largest ``loss``.

    ``favour`` are the log-odds for the class that a row's tables look towards; it may have become the less probable
    one. Weights and losses are in units of e^-|log-odds| of the least certain row. From ``rows`` to ``size`` there are
    rows of no weight.
    """
    least = bits(np.inf)
    for i in range(rows):
        favour[i] = odds[order[i]] * towards[i]
        least = min(least, bits(favour[i]))
    gap = np.int64(least).view(np.float64)
    unit = exp(-gap)
    for i in range(rows):
        ratio = exp(-abs(favour[i]))
        share = 1.0 / (1.0 + ratio)
        q[i] = np.float32(share if favour[i] < 0.0 else ratio * share)
        scaled_ratio = abs(counts[i]) * exp(gap - abs(favour[i]))
        scaled_q = abs(counts[i]) * share / unit if favour[i] < 0.0 else scaled_ratio * share
        scaled_p_q = scaled_ratio * share * share
        own = counts[i] * towards[i] > 0.0
        loss[i] = np.float32(min(scaled_q if own else scaled_p_q, MAX_LOSS))
        size_of_weight = scaled_p_q if scaled_p_q > MIN_WEIGHT else 0.0
        weight[i] = np.float32(size_of_weight if own else -size_of_weight)
    for i in range(rows, size):
        q[i] = weight[i] = np.float32(0.0)


@helper(fast_math=FAST_MATH)
def _sum_remaining_losses(counts, rows, blocks, weight, loss, remaining):
    """For the rows from each block on: the sum of the losses of each kind, and of all weights."""
    for number in range(REMAINDERS):
        remaining[REMAINDERS * blocks + number] = 0.0
    for block in range(blocks - 1, -1, -1):
        first_own, first, second_own, second, whole = 0.0, 0.0, 0.0, 0.0, 0.0
        for i in range(block * ROWS_PER_CHECK, min(rows, (block + 1) * ROWS_PER_CHECK)):
            # Of weight 0 may also be a row of another direction; its loss is then as small as its weight.
            own = np.float64(loss[i]) if weight[i] >= 0.0 else 0.0
            first_own += own if counts[i] > 0.0 else 0.0
            first += loss[i] - own if counts[i] > 0.0 else 0.0
            second_own += own if counts[i] < 0.0 else 0.0
            second += loss[i] - own if counts[i] < 0.0 else 0.0
            whole += abs(weight[i])
        here, later = REMAINDERS * block, REMAINDERS * (block + 1)
        remaining[here] = remaining[later] + first_own
        remaining[here + 1] = remaining[later + 1] + first
        remaining[here + 2] = remaining[later + 2] + second_own
        remaining[here + 3] = remaining[later + 3] + second
        remaining[here + 4] = remaining[later + 4] + whole


@helper(inline=True)
def _add_block(cells, lines, line_of, base, tables, q, weight, absolute, block, feature, estimate):
    """Add a feature's changes of the rows of one block to its sum, which begins with the first block."""
    line = (block * lines + line_of[feature]) * ROWS_PER_CHECK
    begin = block * ROWS_PER_CHECK
    total = np.float32(0.0)
    for i in range(ROWS_PER_CHECK):
        change = weight[begin + i] / (tables[base[feature] + cells[line + i]] + q[begin + i])
        total += abs(change) if absolute else change
    estimate[feature] = total + (estimate[feature] if block > 0 else 0.0)


@kernel(
    lengths={
        "codes": "rows",
        "features": "count",
        "widths": "codes",
        "order": "rows",
        "table": "rows",
        "cells": lambda rows, count: count_checks(rows) * count * ROWS_PER_CHECK,
    },
    writes={"cells"},
)
def gather_cells(
    codes: CodeMatrix, stride: CodeStride, rows: Int64, features: Int64Array, count: Int64, widths: Int64Array,
    order: Int64Array, table: Int64Array, cells: CodeArray,
) -> None:  # fmt: skip
    """Lay the codes out as the sieve goes through them: the first ``ROWS_PER_CHECK`` rows of one feature after the
    other, then as many further rows of each, and so on. A cell is a position in the tables of its feature: the row's
    table times the feature's width, plus the code. Cells after the last row are 0.
    """
    blocks = count_checks(rows)
    for k in range(count):
        column = features[k] * stride
        width = widths[features[k]]
        for block in range(blocks):
            first, line = block * ROWS_PER_CHECK, (block * count + k) * ROWS_PER_CHECK
            size = min(rows - first, ROWS_PER_CHECK)
            for i in range(size):
                cells[line + i] = table[first + i] * width + codes[column + order[first + i]]
            for i in range(size, ROWS_PER_CHECK):
                cells[line + i] = 0
