"""The same as ``two_class`` for any number of classes: what there is for each class stands class by class."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from probfs.kernels import BLOCK, EQUAL_ODDS, TOGETHER
from probfs.kernels.loops.numerics import CARELESS, add_exactly, exp


def many_class_move(
    codes, stride, rows, features, count, offset, logs, slots, classes, high, low, counts, label, sign, top,
    probabilities, first, last, sums,
):  # fmt: skip
    """As ``two_class_move``; also each row's most probable class, and the probabilities of all."""
    for block in range(first, last):
        begin, end = block * BLOCK, min(rows, (block + 1) * BLOCK)
        for k in range(count):
            column = features[k] * stride
            for c in range(classes):
                base = c * slots + offset[features[k]]
                of_class = c * rows
                for row in range(begin, end):
                    term = sign * logs[base + codes[column + row]]
                    add_exactly(high, low, of_class + row, term)
        _block_of_classes(classes, rows, high, low, counts, label, top, probabilities, begin, end, block * 4, sums)


@njit(error_model="numpy")
def _block_of_classes(classes, rows, high, low, counts, label, top, probabilities, begin, end, place, sums):
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
            behind = max(difference + (low[best * rows + row] - low[c * rows + row]), 0.0)
            weight = exp(-behind)
            probabilities[c * rows + row] = weight
            whole += weight
            others += weight if c != label else 0.0
            second = min(second, behind) if c != best else second
            own_gap = behind if c == label else own_gap
            predicted = c if predicted < 0 and behind <= EQUAL_ODDS else predicted
        for c in range(classes):
            probabilities[c * rows + row] /= whole
        least = min(least, second)
        if label >= 0:
            errors += counts[row] if predicted != label else 0.0
            miss += counts[row] * (others / whole)
            # When the own class leads, what the others hold may be far below 1.
            loss += counts[row] * (math.log1p(others) if own_gap == 0.0 else own_gap + math.log(whole))
    sums[place] = errors
    sums[place + 1] = miss
    sums[place + 2] = loss
    sums[place + 3] = least


def many_class_sums(
    codes, stride, rows, features, count, offset, excess, slots, classes, counts, label, top, probabilities,
    first, last, first_feature, last_feature, start, mean, change, each, absolute, signed,
):  # fmt: skip
    """As ``two_class_sums``; ``excess`` is classes × tops × slots.

    ``start``, ``mean`` and ``change`` are room for what is computed for some rows at a time, ``each`` for every class.
    """
    for block in range(first, last):
        end = min(rows, (block + 1) * BLOCK)
        for k in range(first_feature, last_feature):
            absolute[block * count + k] = signed[block * count + k] = 0.0
        for begin in range(block * BLOCK, end, TOGETHER):
            size = min(end - begin, TOGETHER)
            for i in range(size):
                start[i] = top[begin + i] * slots
            for k in range(first_feature, last_feature):
                column = features[k] * stride + begin
                for c in range(classes):
                    base = c * classes * slots + offset[features[k]]
                    for i in range(size):
                        each[c * TOGETHER + i] = excess[base + codes[column + i] + start[i]]
                _change_sizes(classes, rows, probabilities, begin, size, each, mean, change)
                total, own = _changes_in_all(rows, counts, label, probabilities, begin, size, each, mean, change)
                absolute[block * count + k] += total / 2
                signed[block * count + k] += own


@njit(fastmath=CARELESS, error_model="numpy")
def _change_sizes(classes, rows, probabilities, begin, size, each, mean, change):
    """E = Σ P·e for each row, and Σ P·|E - e|."""
    for i in range(size):
        mean[i] = change[i] = 0.0
    for c in range(classes):
        for i in range(size):
            mean[i] += probabilities[c * rows + begin + i] * each[c * TOGETHER + i]
    for c in range(classes):
        for i in range(size):
            change[i] += probabilities[c * rows + begin + i] * abs(mean[i] - each[c * TOGETHER + i])


@njit(fastmath=CARELESS, error_model="numpy")
def _changes_in_all(rows, counts, label, probabilities, begin, size, each, mean, change):
    """Twice the absolute changes, and those of the rows' own class, if they have one."""
    total, own = 0.0, 0.0
    if label < 0:
        for i in range(size):
            total += change[i] * (counts[begin + i] / (1.0 + mean[i]))
    else:
        for i in range(size):
            scale = counts[begin + i] / (1.0 + mean[i])
            total += change[i] * scale
            own += (mean[i] - each[label * TOGETHER + i]) * probabilities[label * rows + begin + i] * scale
    return total, own
