"""Who may be lowest, of two classes: see ``backends/sieve``."""

from __future__ import annotations

import numpy as np
from numba import njit

from probfs.kernels import SIFT_UNDERFLOW, SIFTED
from probfs.kernels.loops.numerics import CARELESS, bits, exp

_SMALLEST_SINGLE = 1e-37
"""Single precision has smaller numbers, with fewer digits, that take long to compute with."""
_LARGEST_LOSS = 1e30
"""More than that means no bound at all, and single precision has no more than a little more."""
_FEW = 256
"""Among so many numbers, the lowest few are found by comparing each with each."""


def two_class_sift(
    cells, lines, rows, features, count, line_of, base, tables, order, odds, towards, counts,
    absolute, champions, wanted, rounding, fall, bounds, favour, q, weight, loss, rest, estimate, found,
):  # fmt: skip
    """Put those features first whose sum may be among the ``wanted`` lowest; ``found`` becomes how many that is, and
    how many cells it took.

    The champions, as many features of the lowest estimates, are summed over all rows to begin with. Any other is gone
    on with, some rows at a time, as long as those that are left might bring it below them. ``estimate`` becomes each
    feature's sum, or what it would be if all rows were like those that were gone through: next time, when the sums will
    be others, the lowest of these are the champions.

    ``cells`` are as ``arrange`` leaves them, ``towards`` and ``counts`` in the same order of rows, and ``line_of`` says
    where a feature is among them. ``rounding`` is what its sum may be off by relatively, ``fall`` with what it takes
    from rows, see ``sieve``. ``bounds``, ``favour``, ``q``, ``weight``, ``loss`` and ``rest`` are room for what is
    computed.
    """
    blocks = (rows + SIFTED - 1) // SIFTED
    _arranged_row_terms(order, odds, towards, counts, rows, blocks * SIFTED, favour, q, weight, loss)
    _rest_of_rows(counts, rows, blocks, weight, loss, rest)
    _lowest_first(features, count, estimate, champions)
    for k in range(champions):
        feature = features[k]
        total = 0.0
        for block in range(blocks):
            line = (block * lines + line_of[feature]) * SIFTED
            total += _sifted(cells, line, base[feature], tables, q, weight, block * SIFTED, absolute)
        estimate[feature] = total
        bounds[k] = total + _slack(total, rounding, fall, feature, rest)
    highest = SIFT_UNDERFLOW + _nth_lowest(bounds, champions, wanted)
    kept, gone_through = count, champions * rows
    for block in range(blocks):
        last = kept
        kept = champions
        gone_through += (last - champions) * SIFTED
        for k in range(champions, last):
            feature = features[k]
            line = (block * lines + line_of[feature]) * SIFTED
            total = _sifted(cells, line, base[feature], tables, q, weight, block * SIFTED, absolute)
            estimate[feature] = total + (estimate[feature] if block > 0 else 0.0)
        stretch = rest[4] / (rest[4] - rest[_REST * (block + 1) + 4]) if absolute else 1.0
        # Not in the same loop: whenever the processor guesses wrong who is out, it throws away what it has begun.
        for k in range(champions, last):
            feature = features[k]
            total = estimate[feature]
            least = total - _most_lost(fall, feature, rest, block + 1)
            out = least > highest + _slack(total, rounding, fall, feature, rest)
            estimate[feature] = total * stretch if out else total
            features[kept] = feature
            kept += 0 if out else 1
    if kept <= _FEW:
        # Their sums are known now.
        for k in range(kept):
            total = estimate[features[k]]
            bounds[k] = total + _slack(total, rounding, fall, features[k], rest)
        highest = SIFT_UNDERFLOW + _nth_lowest(bounds, kept, wanted)
        last = kept
        kept = 0
        for k in range(last):
            feature = features[k]
            total = estimate[feature]
            features[kept] = feature
            kept += 0 if total > highest + _slack(total, rounding, fall, feature, rest) else 1
    found[0] = kept
    found[1] = gone_through


@njit
def _lowest_first(features, count, estimate, champions):
    """Swap the features of the lowest estimates with those that stand first."""
    worst = _worst(features, estimate, champions)
    for k in range(champions, count):
        if estimate[features[k]] < estimate[features[worst]]:
            features[k], features[worst] = features[worst], features[k]
            worst = _worst(features, estimate, champions)


@njit
def _worst(features, estimate, champions):
    worst = 0
    for k in range(1, champions):
        worst = k if estimate[features[k]] > estimate[features[worst]] else worst
    return worst


@njit(fastmath=CARELESS, error_model="numpy")
def _arranged_row_terms(order, odds, towards, counts, rows, size, favour, q, weight, loss):
    """What ``_row_terms`` of ``two_class`` are when a row's tables look towards one class whether or not it is the more
    probable one, in the order of ``arrange``; rows that count for nothing come after the last.

    Weights are in units of e^-|log-odds| of the least certain row, and so is the most that can be taken from each row,
    its ``loss``. ``favour`` are the log-odds for the class that tables look towards.
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
        loss[i] = np.float32(min(scaled_q if own else scaled_p_q, _LARGEST_LOSS))
        size_of_weight = scaled_p_q if scaled_p_q > _SMALLEST_SINGLE else 0.0
        weight[i] = np.float32(size_of_weight if own else -size_of_weight)
    for i in range(rows, size):
        q[i] = weight[i] = np.float32(0.0)


_REST = 5
"""Numbers that ``rest`` has for each block: the losses of four kinds of rows, and the weight of all."""


@njit(fastmath=CARELESS, error_model="numpy")
def _rest_of_rows(counts, rows, blocks, weight, loss, rest):
    """What the rows from each block on can lose: those of class 0 whose tables look towards it, or towards class 1, and
    those of class 1 whose tables look towards it, or towards class 0; and then what all of them weigh.
    """
    for number in range(_REST):
        rest[_REST * blocks + number] = 0.0
    for block in range(blocks - 1, -1, -1):
        first_own, first, second_own, second, whole = 0.0, 0.0, 0.0, 0.0, 0.0
        for i in range(block * SIFTED, min(rows, (block + 1) * SIFTED)):
            own = np.float64(loss[i]) if weight[i] >= 0.0 else 0.0
            first_own += own if counts[i] > 0.0 else 0.0
            first += loss[i] - own if counts[i] > 0.0 else 0.0
            second_own += own if counts[i] < 0.0 else 0.0
            second += loss[i] - own if counts[i] < 0.0 else 0.0
            whole += abs(weight[i])
        here, later = _REST * block, _REST * (block + 1)
        rest[here] = rest[later] + first_own
        rest[here + 1] = rest[later + 1] + first
        rest[here + 2] = rest[later + 2] + second_own
        rest[here + 3] = rest[later + 3] + second
        rest[here + 4] = rest[later + 4] + whole


@njit(fastmath=CARELESS, error_model="numpy")
def _most_lost(fall, feature, rest, block):
    """The most that the rows from a block on can take from a feature's sum."""
    of_feature, of_rows = 4 * feature, _REST * block
    total = 0.0
    for number in range(4):
        total += fall[of_feature + number] * rest[of_rows + number]
    return total


@njit(fastmath=CARELESS, error_model="numpy")
def _slack(total, rounding, fall, feature, rest):
    return rounding[feature] * (abs(total) + _most_lost(fall, feature, rest, 0))


@njit
def _nth_lowest(numbers, count, wanted):
    """The highest of the ``wanted`` lowest numbers."""
    nth = np.inf
    for k in range(count):
        as_low = 0
        for other in range(count):
            as_low += 1 if numbers[other] <= numbers[k] else 0
        nth = min(nth, numbers[k]) if as_low >= wanted else nth
    return nth


@njit(inline="always")
def _sifted(cells, line, base, tables, q, weight, begin, absolute):
    """One feature's sum over some rows."""
    total = np.float32(0.0)
    for i in range(SIFTED):
        change = weight[begin + i] / (tables[base + cells[line + i]] + q[begin + i])
        total += abs(change) if absolute else change
    return total


def arrange(codes, stride, rows, features, count, widths, order, table, cells):
    """For some features, ``SIFTED`` rows of each after the other, and then as many further rows: where in the tables of
    the feature, one after the other, a row finds its value. What is missing of the last rows is 0.
    """
    blocks = (rows + SIFTED - 1) // SIFTED
    for k in range(count):
        column = features[k] * stride
        width = widths[features[k]]
        for block in range(blocks):
            first, line = block * SIFTED, (block * count + k) * SIFTED
            size = min(rows - first, SIFTED)
            for i in range(size):
                cells[line + i] = table[first + i] * width + codes[column + order[first + i]]
            for i in range(size, SIFTED):
                cells[line + i] = 0
