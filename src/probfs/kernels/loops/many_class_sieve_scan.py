"""The sieve of ``sieve_scan`` for more than two classes.

A row's *rivals* are the classes other than its most probable one, t: rival j is class t + 1 + j, where class 0 follows
the last class. Arrays that have something for each rival have it rival by rival: all rows of rival 0 come first.
``docs/sieve.md`` derives every bound that is used here, under the same names.
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
        "ratio": lambda classes, rows: (classes - 1) * count_padded_rows(rows),
        "weight": lambda classes, rows: (classes - 1) * count_padded_rows(rows),
        "start": count_padded_rows,
        "lead": count_padded_rows,
        "scale": count_padded_rows,
        "own_rival": count_padded_rows,
        "own_weight": count_padded_rows,
        "remaining": lambda classes, rows: (count_checks(rows) + 1) * (2 * classes + 1),
        "place": ROWS_PER_CHECK,
        "each": lambda classes: (classes - 1) * ROWS_PER_CHECK,
        "mean": ROWS_PER_CHECK,
        "size": ROWS_PER_CHECK,
        "estimate": "count",
        "found": 2,
    },
    writes={
        *("features", "bounds", "ratio", "weight", "start", "lead", "scale", "own_rival", "own_weight", "remaining"),
        *("place", "each", "mean", "size", "estimate", "found"),
    },
    fast_math=FAST_MATH,
)
def sift_many_class_features(
    cells: CodeArray, lines: Int64, rows: Int64, features: Int64Array, count: Int64, line_of: Int64Array,
    base: Int64Array, widths: Int64Array, tables: Float32Array, classes: Int64, order: Int64Array,
    log_weights: Float64Array, models: Int64Array, labels: Int64Array, counts: Float64Array, absolute: Int64,
    champions: Int64, wanted: Int64, rounding: Float64Array, fall: Float64Array, bounds: Float64Array,
    ratio: Float64Array, weight: Float32Array, start: Int32Array, lead: Float32Array, scale: Float32Array,
    own_rival: Int32Array, own_weight: Float32Array, remaining: Float64Array, place: Int32Array, each: Float32Array,
    mean: Float32Array, size: Float32Array, estimate: Float64Array, found: Int64Array,
) -> None:  # fmt: skip
    """Put those features first whose sums may be among the ``wanted`` lowest, as ``sift_features`` does.

    ``cells``, ``models``, ``labels`` and ``counts`` are in the order of ``gather_cells``, and a cell is a code.
    ``tables`` has e for each model, most probable class, rival and value of a feature. ``fall`` has a feature's largest
    loss for rows of each class that is the most probable one in them, and where it is a rival. From ``bounds`` to
    ``size`` all arrays are scratch space.
    """
    blocks, kinds = count_checks(rows), 2 * classes
    unit = _compare_classes(order, log_weights, models, labels, rows, classes, start, own_rival, ratio)
    _compute_row_terms(
        labels, counts, rows, classes, absolute, unit, ratio, weight, start, lead, scale, own_rival, own_weight, remaining
    )
    move_lowest_first(features, count, estimate, champions)
    for k in range(champions):
        for block in range(blocks):
            _add_block(
                cells, lines, line_of, base, widths, tables, rows, classes, weight, start, lead, scale, own_rival,
                own_weight, absolute, block, features[k], place, each, mean, size, estimate,
            )  # fmt: skip
    highest = bound_of_lowest(features, champions, wanted, rounding, kinds, fall, remaining, estimate, bounds)
    kept, gone_through = count, champions * rows
    for block in range(blocks):
        gone_through += (kept - champions) * ROWS_PER_CHECK
        for k in range(champions, kept):
            _add_block(
                cells, lines, line_of, base, widths, tables, rows, classes, weight, start, lead, scale, own_rival,
                own_weight, absolute, block, features[k], place, each, mean, size, estimate,
            )  # fmt: skip
        kept = drop_features(
            features, champions, kept, highest, block + 1, absolute, rounding, kinds, fall, remaining, estimate
        )
    if kept <= FEW_FEATURES:
        highest = bound_of_lowest(features, kept, wanted, rounding, kinds, fall, remaining, estimate, bounds)
        kept = drop_features(features, 0, kept, highest, blocks, 0, rounding, kinds, fall, remaining, estimate)
    found[0] = kept
    found[1] = gone_through


@helper(fast_math=FAST_MATH)
def _compare_classes(order, log_weights, models, labels, rows, classes, start, own_rival, ratio):
    """For each row: where the tables of its model and most probable class t start, which rival is the row's own class
    (``classes - 1`` if t itself is), and the rivals' odds against t in units of the odds of the least certain row.
    Returns this unit.
    """
    rivals, padded = classes - 1, count_padded_rows(rows)
    gap = np.inf
    for i in range(rows):
        top, highest = 0, log_weights[order[i]]
        for c in range(1, classes):
            other = log_weights[c * rows + order[i]]
            top = c if other > highest else top
            highest = max(other, highest)
        start[i] = (models[i] * classes + top) * rivals
        own = labels[i] - top - 1
        own_rival[i] = own if own >= 0 else own + classes
        for j in range(rivals):
            c = top + 1 + j
            behind = highest - log_weights[(c if c < classes else c - classes) * rows + order[i]]
            ratio[j * padded + i] = behind
            gap = min(gap, behind)
    for j in range(rivals):
        for i in range(j * padded, j * padded + rows):
            ratio[i] = exp(gap - ratio[i])
    return exp(-gap)


@helper(fast_math=FAST_MATH)
def _compute_row_terms(
    labels, counts, rows, classes, absolute, unit, ratio, weight, start, lead, scale, own_rival, own_weight, remaining
):  # fmt: skip
    """The parts of a row's change that depend on the row alone; and, for the rows from each block on, the sum of the
    losses of each kind, and of all weights.
    """
    rivals, kinds, padded, blocks = classes - 1, 2 * classes, count_padded_rows(rows), count_checks(rows)
    for number in range((blocks + 1) * (kinds + 1)):
        remaining[number] = 0.0
    for i in range(rows):
        whole = 1.0
        for j in range(rivals):
            whole += ratio[j * padded + i] * unit
        share = 1.0 / whole
        all_rivals = 0.0
        for j in range(rivals):
            scaled = counts[i] * ratio[j * padded + i] * share
            all_rivals += scaled
            weight[j * padded + i] = np.float32(scaled if scaled > MIN_WEIGHT else 0.0)
        leads = own_rival[i] == rivals
        own_rival[i] = 0 if leads else own_rival[i]
        own_ratio = ratio[own_rival[i] * padded + i] * share
        own_weight[i] = np.float32(0.0) if leads else weight[own_rival[i] * padded + i]
        lead[i] = np.float32(share if leads or absolute else 0.0)
        relative = unit / counts[i] if counts[i] > 0.0 else 0.0
        scale[i] = np.float32(relative if relative > MIN_WEIGHT else 0.0)
        loss = all_rivals if leads else counts[i] * own_ratio * (1.0 - own_ratio * unit)
        here = (kinds + 1) * (i // ROWS_PER_CHECK)
        remaining[here + 2 * labels[i] + (0 if leads else 1)] += loss
        remaining[here + kinds] += all_rivals
    for number in range(blocks * (kinds + 1) - 1, -1, -1):
        remaining[number] += remaining[number + kinds + 1]
    for i in range(rows, padded):
        start[i] = own_rival[i] = 0
        lead[i] = scale[i] = own_weight[i] = np.float32(0.0)
        for j in range(rivals):
            weight[j * padded + i] = np.float32(0.0)


@helper(fast_math=FAST_MATH)
def _add_block(
    cells, lines, line_of, base, widths, tables, rows, classes, weight, start, lead, scale, own_rival, own_weight,
    absolute, block, feature, place, each, mean, size, estimate,
):  # fmt: skip
    """Add a feature's changes of the rows of one block to its sum, which begins with the first block.

    Each step has a loop of its own: the look-ups, which are no vector instructions, would spoil the others.
    """
    line = (block * lines + line_of[feature]) * ROWS_PER_CHECK
    begin = block * ROWS_PER_CHECK
    width = widths[feature]
    for i in range(ROWS_PER_CHECK):
        place[i] = base[feature] + start[begin + i] * width + cells[line + i]
        mean[i] = np.float32(0.0)
    for j in range(classes - 1):
        of_rival = j * count_padded_rows(rows) + begin
        for i in range(ROWS_PER_CHECK):
            each[j * ROWS_PER_CHECK + i] = tables[place[i] + j * width]
        for i in range(ROWS_PER_CHECK):
            mean[i] += weight[of_rival + i] * each[j * ROWS_PER_CHECK + i]
    total = np.float32(0.0)
    one = np.float32(1.0)
    if absolute:
        for i in range(ROWS_PER_CHECK):
            size[i] = lead[begin + i] * abs(mean[i])
            mean[i] *= scale[begin + i]
        for j in range(classes - 1):
            of_rival = j * count_padded_rows(rows) + begin
            for i in range(ROWS_PER_CHECK):
                size[i] += weight[of_rival + i] * abs(mean[i] - each[j * ROWS_PER_CHECK + i])
        for i in range(ROWS_PER_CHECK):
            total += size[i] / (one + mean[i])
        total *= np.float32(0.5)
    else:
        for i in range(ROWS_PER_CHECK):
            size[i] = each[own_rival[begin + i] * ROWS_PER_CHECK + i]
        for i in range(ROWS_PER_CHECK):
            relative = mean[i] * scale[begin + i]
            change = lead[begin + i] * mean[i] + own_weight[begin + i] * (relative - size[i])
            total += change / (one + relative)
    estimate[feature] = total + (estimate[feature] if block > 0 else 0.0)
