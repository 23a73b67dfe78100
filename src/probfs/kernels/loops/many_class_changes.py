"""The loops of ``two_class_changes`` for any number of classes.

Arrays that have something for each class have it class by class: all rows, or slots, of class 0 come first.
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
    helper,
    kernel,
)
from probfs.kernels.loops.numerics import add_exactly, count_blocks, exp
from probfs.kernels.loops.two_class_changes import FIT_SIZE

ROWS_PER_STRIP = 512
"""Rows of a block that are gone through at a time where there is scratch space for each class."""


@kernel(
    lengths={
        "codes": "rows",
        "features": "count",
        "offsets": "codes",
        "logs": lambda classes, slots: classes * slots,
        "high": lambda classes, rows: classes * rows,
        "low": lambda classes, rows: classes * rows,
        "exponent": 1,
        "counts": "rows",
        "top": "rows",
        "probabilities": lambda classes, rows: classes * rows,
        "block_fit": lambda rows: FIT_SIZE * count_blocks(rows),
    },
    writes={"high", "low", "top", "probabilities", "block_fit"},
)
def update_many_class_rows(
    codes: CodeMatrix, stride: CodeStride, rows: Int64, features: Int64Array, count: Int64, offsets: Int64Array,
    logs: Float64Array, slots: Int64, classes: Int64, high: Float64Array, low: Float64Array, exponent: Float64Array,
    counts: Float64Array, label: Int64, sign: Float64, top: Int64Array, probabilities: Float64Array,
    first_block: Int64, end_block: Int64, block_fit: Float64Array,
) -> None:  # fmt: skip
    """Add the log-factors of some features to every row's log-weights, without rounding; then compute each row's most
    probable class, ``top``, the probabilities of all classes, and how well each block fits. ``label`` is the rows' own
    class, or -1.
    """
    for block in range(first_block, end_block):
        begin, end = block * ROWS_PER_BLOCK, min(rows, (block + 1) * ROWS_PER_BLOCK)
        for k in range(count):
            column = features[k] * stride
            for c in range(classes):
                base = c * slots + offsets[features[k]]
                of_class = c * rows
                for row in range(begin, end):
                    term = sign * logs[base + codes[column + row]]
                    add_exactly(high, low, of_class + row, term)
        _compute_block_fit(
            classes, rows, high, low, exponent[0], counts, label, top, probabilities, begin, end, block * FIT_SIZE,
            block_fit,
        )  # fmt: skip


@helper()
def _compute_block_fit(
    classes, rows, high, low, exponent, counts, label, top, probabilities, begin, end, place, block_fit
):
    errors, miss, loss, least = 0.0, 0.0, 0.0, np.inf
    for row in range(begin, end):
        best, highest = 0, high[row] + low[row]
        for c in range(1, classes):
            other = high[c * rows + row] + low[c * rows + row]
            best = c if other > highest else best
            highest = max(other, highest)
        top[row] = best
        whole, others, second, own_gap, predicted = 0.0, 0.0, np.inf, 0.0, -1
        for c in range(classes):
            difference = high[best * rows + row] - high[c * rows + row]
            plainly_behind = max(difference + (low[best * rows + row] - low[c * rows + row]), 0.0)
            predicted = c if predicted < 0 and plainly_behind <= EVEN_ODDS_TOLERANCE else predicted
            behind = exponent * plainly_behind
            weight = exp(-behind)
            probabilities[c * rows + row] = weight
            whole += weight
            others += weight if c != label else 0.0
            second = min(second, behind) if c != best else second
            own_gap = behind if c == label else own_gap
        for c in range(classes):
            probabilities[c * rows + row] /= whole
        least = min(least, second)
        if label >= 0:
            errors += counts[row] if predicted != label else 0.0
            miss += counts[row] * (others / whole)
            # When the own class leads, the weights of the others may add up to far less than 1.
            loss += counts[row] * (math.log1p(others) if own_gap == 0.0 else own_gap + math.log(whole))
    block_fit[place] = errors
    block_fit[place + 1] = miss
    block_fit[place + 2] = loss
    block_fit[place + 3] = least


@kernel(
    lengths={
        "codes": "rows",
        "features": "count",
        "offsets": "codes",
        "excess": lambda classes, slots: classes * classes * slots,
        "counts": "rows",
        "top": "rows",
        "probabilities": lambda classes, rows: classes * rows,
        "start": ROWS_PER_STRIP,
        "mean": ROWS_PER_STRIP,
        "change": ROWS_PER_STRIP,
        "each": lambda classes: classes * ROWS_PER_STRIP,
        "sums": lambda rows, count: 2 * count_blocks(rows) * count,
    },
    writes={"start", "mean", "change", "each", "sums"},
    fast_math=FAST_MATH,
)
def sum_many_class_changes(
    codes: CodeMatrix, stride: CodeStride, rows: Int64, features: Int64Array, count: Int64, offsets: Int64Array,
    excess: Float64Array, slots: Int64, classes: Int64, counts: Float64Array, label: Int64, top: Int64Array,
    probabilities: Float64Array, first_block: Int64, end_block: Int64, first_feature: Int64, end_feature: Int64,
    start: Int32Array, mean: Float64Array, change: Float64Array, each: Float64Array, sums: Float64Array,
) -> None:  # fmt: skip
    """Σ ½ Σ_c |P_c - Q_c| of each block and feature, and after all of these Σ (P_y - Q_y).

    ``excess`` has e for every class, top class and slot (see ``many_class_rows``). ``start``, ``mean``, ``change`` and
    ``each``, which has something for each class, are scratch space for the rows of one strip.
    """
    signed = count_blocks(rows) * count
    for block in range(first_block, end_block):
        end = min(rows, (block + 1) * ROWS_PER_BLOCK)
        for k in range(first_feature, end_feature):
            sums[block * count + k] = sums[signed + block * count + k] = 0.0
        for begin in range(block * ROWS_PER_BLOCK, end, ROWS_PER_STRIP):
            size = min(end - begin, ROWS_PER_STRIP)
            for i in range(size):
                start[i] = top[begin + i] * slots
            for k in range(first_feature, end_feature):
                column = features[k] * stride + begin
                for c in range(classes):
                    base = c * classes * slots + offsets[features[k]]
                    for i in range(size):
                        each[c * ROWS_PER_STRIP + i] = excess[base + codes[column + i] + start[i]]
                _compute_change_sizes(classes, rows, probabilities, begin, size, each, mean, change)
                total, own = _sum_changes(rows, counts, label, probabilities, begin, size, each, mean, change)
                sums[block * count + k] += total / 2
                sums[signed + block * count + k] += own


@helper(fast_math=FAST_MATH)
def _compute_change_sizes(classes, rows, probabilities, begin, size, each, mean, change):
    """E = Σ P·e of each row, and Σ P·|E - e|."""
    for i in range(size):
        mean[i] = change[i] = 0.0
    for c in range(classes):
        for i in range(size):
            mean[i] += probabilities[c * rows + begin + i] * each[c * ROWS_PER_STRIP + i]
    for c in range(classes):
        for i in range(size):
            change[i] += probabilities[c * rows + begin + i] * abs(mean[i] - each[c * ROWS_PER_STRIP + i])


@helper(fast_math=FAST_MATH)
def _sum_changes(rows, counts, label, probabilities, begin, size, each, mean, change):
    """The rows' Σ |P - Q| over classes and, if they have a class of their own, their changes of it."""
    total, own = 0.0, 0.0
    if label < 0:
        for i in range(size):
            total += change[i] * (counts[begin + i] / (1.0 + mean[i]))
    else:
        for i in range(size):
            scale = counts[begin + i] / (1.0 + mean[i])
            total += change[i] * scale
            own += (mean[i] - each[label * ROWS_PER_STRIP + i]) * probabilities[label * rows + begin + i] * scale
    return total, own
