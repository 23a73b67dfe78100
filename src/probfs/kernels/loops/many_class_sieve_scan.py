"""The sieve of ``sieve_scan`` for more than two classes.

A feature's *excess* g_c of a class is p_y/p_c - 1 for its factors, where y is the row's own class. Arrays that have
something for each class have it block by block, and in each block class by class: were all rows of a class next to each
other, a block's classes could compete for the same few lines of the cache. ``docs/sieve.md`` derives every bound that
is used here, under the same names.
"""

from __future__ import annotations

import numpy as np

from probfs.kernels.kernel import (
    FAST_MATH,
    CodeArray,
    Float32Array,
    Float64Array,
    Int32Array,
    Int64,
    Int64Array,
    helper,
    kernel,
)
from probfs.kernels.loops.numerics import exp
from probfs.kernels.loops.sieve_bounds import (
    FEW_FEATURES,
    MIN_WEIGHT,
    ROWS_PER_CHECK,
    bound_of_lowest,
    count_checks,
    drop_features,
    move_lowest_first,
)


@helper()
def count_padded_rows(rows):
    """The rows, and rows of no weight that fill the last block."""
    return count_checks(rows) * ROWS_PER_CHECK


@helper()
def _at(row, c, classes):
    """Where arrays have what belongs to a row and a class."""
    block = row // ROWS_PER_CHECK
    return (block * classes + c) * ROWS_PER_CHECK + (row - block * ROWS_PER_CHECK)


@kernel(
    lengths={
        "cells": lambda rows, lines: count_padded_rows(rows) * lines,
        "features": "count",
        "line_of": "estimate",
        "base": "estimate",
        "widths": "estimate",
        "tables": 1,
        "order": "rows",
        "log_weights": lambda classes, rows: classes * rows,
        "models": "rows",
        "labels": "rows",
        "counts": "rows",
        "rounding": "estimate",
        "fall": lambda classes, estimate: 2 * classes * estimate,
        "bounds": lambda count, champions: max(champions, min(count, FEW_FEATURES)),
        "ratio": lambda classes, rows: classes * count_padded_rows(rows),
        "weight": lambda classes, rows: classes * count_padded_rows(rows),
        "table": count_padded_rows,
        "top": count_padded_rows,
        "lead": count_padded_rows,
        "scale": count_padded_rows,
        "own_weight": count_padded_rows,
        "remaining": lambda classes, rows: (count_checks(rows) + 1) * (2 * classes + 1),
        "place": ROWS_PER_CHECK,
        "each": lambda classes: classes * ROWS_PER_CHECK,
        "at_top": ROWS_PER_CHECK,
        "mean": ROWS_PER_CHECK,
        "size": ROWS_PER_CHECK,
        "estimate": "count",
        "found": 2,
    },
    writes={
        *("features", "bounds", "ratio", "weight", "table", "top", "lead", "scale", "own_weight", "remaining"),
        *("place", "each", "at_top", "mean", "size", "estimate", "found"),
    },
    fast_math=FAST_MATH,
)
def sift_many_class_features(
    cells: CodeArray, lines: Int64, rows: Int64, features: Int64Array, count: Int64, line_of: Int64Array,
    base: Int64Array, widths: Int64Array, tables: Float32Array, classes: Int64, order: Int64Array,
    log_weights: Float64Array, models: Int64Array, labels: Int64Array, counts: Float64Array, absolute: Int64,
    champions: Int64, wanted: Int64, rounding: Float64Array, fall: Float64Array, bounds: Float64Array,
    ratio: Float64Array, weight: Float32Array, table: Int32Array, top: Int32Array, lead: Float32Array,
    scale: Float32Array, own_weight: Float32Array, remaining: Float64Array, place: Int32Array, each: Float32Array,
    at_top: Float32Array, mean: Float32Array, size: Float32Array, estimate: Float64Array, found: Int64Array,
) -> None:  # fmt: skip
    """Put those features first whose sums may be among the ``wanted`` lowest, as ``sift_features`` does.

    ``cells``, ``models``, ``labels`` and ``counts`` are in the order of ``gather_cells``, and a cell is a code.
    ``tables`` has g for each model, class and value of a feature. ``fall`` has a feature's largest loss for the rows of
    each class in which this class is the most probable one, and for the other rows of the class. From ``bounds`` to
    ``size`` all arrays are scratch space.
    """
    blocks, kinds = count_checks(rows), 2 * classes
    unit = _compare_classes(order, log_weights, rows, classes, top, ratio)
    blurred = _compute_row_terms(
        models, labels, counts, rows, classes, absolute, unit, ratio, weight, table, top, lead, scale, own_weight,
        remaining,
    )  # fmt: skip
    move_lowest_first(features, count, estimate, champions)
    for k in range(champions):
        for block in range(blocks):
            _add_block(
                cells, lines, line_of, base, widths, tables, classes, weight, table, top, lead, scale, own_weight,
                absolute, block, features[k], place, each, at_top, mean, size, estimate,
            )  # fmt: skip
    highest = bound_of_lowest(features, champions, wanted, rounding, kinds, fall, remaining, blurred, estimate, bounds)
    kept, gone_through = count, champions * rows
    for block in range(blocks):
        gone_through += (kept - champions) * ROWS_PER_CHECK
        for k in range(champions, kept):
            _add_block(
                cells, lines, line_of, base, widths, tables, classes, weight, table, top, lead, scale, own_weight,
                absolute, block, features[k], place, each, at_top, mean, size, estimate,
            )  # fmt: skip
        kept = drop_features(
            features, champions, kept, highest, block + 1, absolute, rounding, kinds, fall, remaining, blurred, estimate
        )
    if kept <= FEW_FEATURES:
        highest = bound_of_lowest(features, kept, wanted, rounding, kinds, fall, remaining, blurred, estimate, bounds)
        kept = drop_features(features, 0, kept, highest, blocks, 0, rounding, kinds, fall, remaining, blurred, estimate)
    found[0] = kept
    found[1] = gone_through


@helper(fast_math=FAST_MATH)
def _compare_classes(order, log_weights, rows, classes, top, ratio):
    """For each row its most probable class, and the odds of every class against this one in units of the largest such
    odds of another class in any row. Returns this unit.
    """
    gap = np.inf
    for i in range(rows):
        best, highest = 0, log_weights[order[i]]
        for c in range(1, classes):
            other = log_weights[c * rows + order[i]]
            best = c if other > highest else best
            highest = max(other, highest)
        top[i] = best
        for c in range(classes):
            behind = highest - log_weights[c * rows + order[i]]
            ratio[_at(i, c, classes)] = behind
            gap = min(gap, behind) if c != best else gap
    for i in range(rows, count_padded_rows(rows)):
        top[i] = 0
        for c in range(classes):
            ratio[_at(i, c, classes)] = np.inf
    for i in range(classes * count_padded_rows(rows)):
        # The most probable class itself, which lies behind by less than the gap, has no use for it.
        ratio[i] = exp(min(gap - ratio[i], 0.0))
    return exp(-gap)


@helper(fast_math=FAST_MATH)
def _compute_row_terms(
    models, labels, counts, rows, classes, absolute, unit, ratio, weight, table, top, lead, scale, own_weight, remaining
):  # fmt: skip
    """The parts of a row's change that depend on the row alone; and, for the rows from each block on, the sum of the
    losses of each kind, and of all weights. Returns the weight of the rows whose own class is not the most probable.
    """
    kinds, blocks = 2 * classes, count_checks(rows)
    for number in range((blocks + 1) * (kinds + 1)):
        remaining[number] = 0.0
    blurred = 0.0
    for i in range(rows):
        others = 0.0
        for c in range(classes):
            others += ratio[_at(i, c, classes)] if c != top[i] else 0.0
        share = 1.0 / (1.0 + others * unit)
        for c in range(classes):
            scaled = counts[i] * ratio[_at(i, c, classes)] * share
            weight[_at(i, c, classes)] = np.float32(scaled if c != top[i] and scaled > MIN_WEIGHT else 0.0)
        leads = top[i] == labels[i]
        table[i] = models[i] * classes
        own_weight[i] = weight[_at(i, labels[i], classes)]
        lead[i] = np.float32(share if leads or absolute else 0.0)
        relative = unit / counts[i] if counts[i] > 0.0 else 0.0
        scale[i] = np.float32(relative if relative > MIN_WEIGHT else 0.0)
        of_others = counts[i] * others * share
        own = ratio[_at(i, labels[i], classes)] * share
        here = (kinds + 1) * (i // ROWS_PER_CHECK)
        kind = 2 * labels[i] + (0 if leads else 1)
        remaining[here + kind] += of_others if leads else counts[i] * own * (1.0 - own * unit)
        remaining[here + kinds] += of_others
        blurred += 0.0 if leads else of_others
    for number in range(blocks * (kinds + 1) - 1, -1, -1):
        remaining[number] += remaining[number + kinds + 1]
    for i in range(rows, count_padded_rows(rows)):
        table[i] = 0
        lead[i] = scale[i] = own_weight[i] = np.float32(0.0)
        for c in range(classes):
            weight[_at(i, c, classes)] = np.float32(0.0)
    return blurred


@helper(fast_math=FAST_MATH)
def _add_block(
    cells, lines, line_of, base, widths, tables, classes, weight, table, top, lead, scale, own_weight, absolute, block,
    feature, place, each, at_top, mean, size, estimate,
):  # fmt: skip
    """Add a feature's changes of the rows of one block to its sum, which begins with the first block.

    Each step has a loop of its own: look-ups, which are no vector instructions, would spoil the others.
    """
    line = (block * lines + line_of[feature]) * ROWS_PER_CHECK
    begin = block * ROWS_PER_CHECK
    width = widths[feature]
    for i in range(ROWS_PER_CHECK):
        place[i] = base[feature] + table[begin + i] * width + cells[line + i]
        mean[i] = np.float32(0.0)
    for c in range(classes):
        for i in range(ROWS_PER_CHECK):
            each[c * ROWS_PER_CHECK + i] = tables[place[i] + c * width]
    for i in range(ROWS_PER_CHECK):
        at_top[i] = each[top[begin + i] * ROWS_PER_CHECK + i]
    for c in range(classes):
        of_class = (block * classes + c) * ROWS_PER_CHECK
        for i in range(ROWS_PER_CHECK):
            mean[i] += weight[of_class + i] * (each[c * ROWS_PER_CHECK + i] - at_top[i])
    if absolute:
        total = _sum_sizes(classes, weight, lead, scale, block, each, at_top, mean, size)
    else:
        total = _sum_own_changes(lead, scale, own_weight, block, at_top, mean)
    estimate[feature] = total + (estimate[feature] if block > 0 else 0.0)


@helper(fast_math=FAST_MATH)
def _sum_sizes(classes, weight, lead, scale, block, each, at_top, mean, size):
    """The rows' ½ Σ |P - Q| over classes."""
    begin = block * ROWS_PER_CHECK
    for i in range(ROWS_PER_CHECK):
        size[i] = lead[begin + i] * abs(mean[i])
    for c in range(classes):
        of_class = (block * classes + c) * ROWS_PER_CHECK
        for i in range(ROWS_PER_CHECK):
            ahead = each[c * ROWS_PER_CHECK + i] - at_top[i]
            size[i] += weight[of_class + i] * abs(mean[i] * scale[begin + i] - ahead)
    total = np.float32(0.0)
    for i in range(ROWS_PER_CHECK):
        total += size[i] / (np.float32(1.0) + (at_top[i] + mean[i] * scale[begin + i]))
    return total * np.float32(0.5)


@helper(fast_math=FAST_MATH)
def _sum_own_changes(lead, scale, own_weight, block, at_top, mean):
    """The rows' P - Q of their own class."""
    begin = block * ROWS_PER_CHECK
    total = np.float32(0.0)
    for i in range(ROWS_PER_CHECK):
        relative = at_top[i] + mean[i] * scale[begin + i]
        change = lead[begin + i] * mean[i] + own_weight[begin + i] * relative
        total += change / (np.float32(1.0) + relative)
    return total
