"""The loops over cells, as numba compiles them: ``loader`` does so once and keeps the machine code.

Each does what a method of some rows does in numpy, and is tested against it. Arrays come as addresses, rows in blocks
that stay in the cache; every block leaves its own sums, which are added in one order however many threads there are.

With two classes the ``tables`` of a model are its e for rows that favour class 0, those for class 1, and its log-odds;
``origin`` is where a row's model begins. The ``counts`` of rows whose own class is 1 are negative.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from numba import cfunc, njit, types

from probfs.native import (
    BLOCK,
    EQUAL_ODDS,
    LONGEST_CELL,
    MOST_DISTINCT,
    SIFT_UNDERFLOW,
    SIFTED,
    SLOTS,
    TOGETHER,
)

_PRODUCTS = 256
"""That many factors of at most 2 are multiplied before their logarithm is taken."""
_SMALL = 1e-5
"""Of the logarithm of one more than such a number, three terms of its series are as good as all."""
_LOG2_E = 1.4426950408889634
# ln 2 in two parts, the first with so few digits that its products with exponents are exact.
_LN2_HIGH = 0.693147180369123816490
_LN2_LOW = 1.90821492927058770002e-10
_ROUND = 1.5 * 2.0**52
"""Added to a number, this leaves its nearest integer in the last bits."""
_LEAST_EXPONENT = -708.0
_SMALLEST_SINGLE = 1e-37
"""Single precision has smaller numbers, with fewer digits, that take long to compute with."""
_LARGEST_LOSS = 1e30
"""More than that means no bound at all, and single precision has no more than a little more."""
_FEW = 256
"""Among so many numbers, the lowest few are found by comparing each with each."""

_CARELESS = {"contract", "reassoc", "nsz", "arcp"}
"""Sums may be added in any order, and a·b + c rounded once; NaN and infinity keep their meaning."""

Function = Callable[..., Any]


# Without leave to reorder: the two parts of ln 2, and what rounds, would be lost.
@njit(fastmath={"contract"}, error_model="numpy")
def exp(x):  # type: ignore[no-untyped-def]  # numba infers them
    """e^x for x ≤ 0, to within two units in the last place; 0 where that is below the smallest normal number.

    Unlike the C library's, it becomes vector instructions.
    """
    shifted = max(x, _LEAST_EXPONENT) * _LOG2_E + _ROUND
    whole = shifted - _ROUND
    rest = (max(x, _LEAST_EXPONENT) - whole * _LN2_HIGH) - whole * _LN2_LOW
    series = 1 / 6227020800.0
    series = series * rest + 1 / 479001600.0
    series = series * rest + 1 / 39916800.0
    series = series * rest + 1 / 3628800.0
    series = series * rest + 1 / 362880.0
    series = series * rest + 1 / 40320.0
    series = series * rest + 1 / 5040.0
    series = series * rest + 1 / 720.0
    series = series * rest + 1 / 120.0
    series = series * rest + 1 / 24.0
    series = series * rest + 1 / 6.0
    series = series * rest + 0.5
    series = series * rest + 1.0
    series = series * rest + 1.0
    power = np.int64((np.float64(shifted).view(np.int64) + 1023) << 52).view(np.float64)
    return series * power if x >= _LEAST_EXPONENT else 0.0


@njit
def _bits(x):  # type: ignore[no-untyped-def]  # as above
    """An integer that grows with |x|: the least of integers becomes vector instructions, that of doubles does not."""
    return np.float64(abs(x)).view(np.int64)


def two_class_move(  # type: ignore[no-untyped-def]  # as above
    codes, stride, rows, features, count, offset, tables, slots, origin, high, low, counts, counts_are_one, sign,
    first, last, sums,
):  # fmt: skip
    """Add the log-odds of some features to every row's, losing nothing (Knuth's two-sum); then each block's errors,
    losses and least gap.
    """
    for block in range(first, last):
        begin, end = block * BLOCK, min(rows, (block + 1) * BLOCK)
        for k in range(count):
            column = features[k] * stride
            base = offset[features[k]] + 2 * slots
            for row in range(begin, end):
                term = sign * tables[base + codes[column + row] + origin[row]]
                total = high[row] + term
                back = total - high[row]
                low[row] += (high[row] - (total - back)) + (term - back)
                high[row] = total
        _block_state(high, low, counts, counts_are_one, begin, end, block * 4, sums)


@njit(fastmath=_CARELESS, error_model="numpy")
def _block_state(high, low, counts, counts_are_one, begin, end, place, sums):  # type: ignore[no-untyped-def]  # as above
    errors, miss, loss, least = 0.0, 0.0, 0.0, _bits(np.inf)
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
            least = min(least, _bits(odds))
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


@njit(fastmath=_CARELESS, error_model="numpy")
def _row_terms(  # type: ignore[no-untyped-def]  # as above
    slots, origin, high, low, counts, begin, size, start, q, weight
):
    """What a feature's change of a row is made of, e / (1 + q·e) · weight, and where its e are looked up."""
    for i in range(size):
        odds = high[begin + i] + low[begin + i]
        ratio = exp(-abs(odds))
        share = 1.0 / (1.0 + ratio)
        q[i] = ratio * share
        weight[i] = counts[begin + i] * ratio * share * share * (1.0 if odds >= 0.0 else -1.0)
        start[i] = origin[begin + i] + (0 if odds >= 0.0 else slots)


def two_class_sums(  # type: ignore[no-untyped-def]  # as above
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


def two_class_sift(  # type: ignore[no-untyped-def]  # as above
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
def _lowest_first(features, count, estimate, champions):  # type: ignore[no-untyped-def]  # as above
    """Swap the features of the lowest estimates with those that stand first."""
    worst = _worst(features, estimate, champions)
    for k in range(champions, count):
        if estimate[features[k]] < estimate[features[worst]]:
            features[k], features[worst] = features[worst], features[k]
            worst = _worst(features, estimate, champions)


@njit
def _worst(features, estimate, champions):  # type: ignore[no-untyped-def]  # as above
    worst = 0
    for k in range(1, champions):
        worst = k if estimate[features[k]] > estimate[features[worst]] else worst
    return worst


@njit(fastmath=_CARELESS, error_model="numpy")
def _arranged_row_terms(  # type: ignore[no-untyped-def]  # as above
    order, odds, towards, counts, rows, size, favour, q, weight, loss
):
    """What ``_row_terms`` are when a row's tables look towards one class whether or not it is the more probable one, in
    the order of ``arrange``; rows that count for nothing come after the last.

    Weights are in units of e^-|log-odds| of the least certain row, and so is the most that can be taken from each row,
    its ``loss``. ``favour`` are the log-odds for the class that tables look towards.
    """
    least = _bits(np.inf)
    for i in range(rows):
        favour[i] = odds[order[i]] * towards[i]
        least = min(least, _bits(favour[i]))
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


@njit(fastmath=_CARELESS, error_model="numpy")
def _rest_of_rows(counts, rows, blocks, weight, loss, rest):  # type: ignore[no-untyped-def]  # as above
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


@njit(fastmath=_CARELESS, error_model="numpy")
def _most_lost(fall, feature, rest, block):  # type: ignore[no-untyped-def]  # as above
    """The most that the rows from a block on can take from a feature's sum."""
    of_feature, of_rows = 4 * feature, _REST * block
    total = 0.0
    for number in range(4):
        total += fall[of_feature + number] * rest[of_rows + number]
    return total


@njit(fastmath=_CARELESS, error_model="numpy")
def _slack(total, rounding, fall, feature, rest):  # type: ignore[no-untyped-def]  # as above
    return rounding[feature] * (abs(total) + _most_lost(fall, feature, rest, 0))


@njit
def _nth_lowest(numbers, count, wanted):  # type: ignore[no-untyped-def]  # as above
    """The highest of the ``wanted`` lowest numbers."""
    nth = np.inf
    for k in range(count):
        as_low = 0
        for other in range(count):
            as_low += 1 if numbers[other] <= numbers[k] else 0
        nth = min(nth, numbers[k]) if as_low >= wanted else nth
    return nth


@njit(inline="always")
def _sifted(cells, line, base, tables, q, weight, begin, absolute):  # type: ignore[no-untyped-def]  # as above
    """One feature's sum over some rows."""
    total = np.float32(0.0)
    for i in range(SIFTED):
        change = weight[begin + i] / (tables[base + cells[line + i]] + q[begin + i])
        total += abs(change) if absolute else change
    return total


def arrange(codes, stride, rows, features, count, widths, order, table, cells):  # type: ignore[no-untyped-def]  # as above
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


def many_class_move(  # type: ignore[no-untyped-def]  # as above
    codes, stride, rows, features, count, offset, logs, slots, classes, high, low, counts, label, sign, top,
    probabilities, first, last, sums,
):  # fmt: skip
    """As ``two_class_move`` for any number of classes: what there is for each class stands class by class. Also each
    row's most probable class, and the probabilities of all.
    """
    for block in range(first, last):
        begin, end = block * BLOCK, min(rows, (block + 1) * BLOCK)
        for k in range(count):
            column = features[k] * stride
            for c in range(classes):
                base = c * slots + offset[features[k]]
                of_class = c * rows
                for row in range(begin, end):
                    term = sign * logs[base + codes[column + row]]
                    old = high[of_class + row]
                    total = old + term
                    back = total - old
                    low[of_class + row] += (old - (total - back)) + (term - back)
                    high[of_class + row] = total
        _block_of_classes(classes, rows, high, low, counts, label, top, probabilities, begin, end, block * 4, sums)


@njit(error_model="numpy")
def _block_of_classes(  # type: ignore[no-untyped-def]  # as above
    classes, rows, high, low, counts, label, top, probabilities, begin, end, place, sums
):
    errors, miss, loss, least = 0.0, 0.0, 0.0, np.inf
    for row in range(begin, end):
        best = 0
        for c in range(1, classes):
            best = (
                c
                if high[c * rows + row] + low[c * rows + row] > high[best * rows + row] + low[best * rows + row]
                else best
            )
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


def many_class_sums(  # type: ignore[no-untyped-def]  # as above
    codes, stride, rows, features, count, offset, excess, slots, classes, counts, label, top, probabilities,
    first, last, first_feature, last_feature, start, mean, change, each, absolute, signed,
):  # fmt: skip
    """As ``two_class_sums`` for any number of classes; ``excess`` is classes × tops × slots.

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


@njit(fastmath=_CARELESS, error_model="numpy")
def _change_sizes(  # type: ignore[no-untyped-def]  # as above
    classes, rows, probabilities, begin, size, each, mean, change
):
    """E = Σ P·e for each row, and Σ P·|E - e|."""
    for i in range(size):
        mean[i] = change[i] = 0.0
    for c in range(classes):
        for i in range(size):
            mean[i] += probabilities[c * rows + begin + i] * each[c * TOGETHER + i]
    for c in range(classes):
        for i in range(size):
            change[i] += probabilities[c * rows + begin + i] * abs(mean[i] - each[c * TOGETHER + i])


@njit(fastmath=_CARELESS, error_model="numpy")
def _changes_in_all(  # type: ignore[no-untyped-def]  # as above
    rows, counts, label, probabilities, begin, size, each, mean, change
):
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


_HASH = np.uint64(0x9E3779B97F4A7C15)
_SLOT_BITS = SLOTS.bit_length() - 1
_EMPTY = np.uint64(1 << 8 * LONGEST_CELL)
_QUOTE, _NEWLINE, _RETURN = 34, 10, 13


def split_cells(  # type: ignore[no-untyped-def]  # as above
    data, size, columns, delimiter, rows, codes, keys, distinct, words, word_codes, failed
):
    """Codes for the cells of plain delimited text, which ends with a newline, column by column; and the words that the
    cells of a column are, in the order of their codes.

    ``failed`` becomes 0 if the text is as plain as that: no quotes, no long cells, not too many values, as many cells
    in every line. ``words`` is room to look words up in, all 0, and ``word_codes`` for their codes.
    """
    position = 0
    for row in range(rows):
        for column in range(columns):
            word, position = _cell(data, position, delimiter)
            if word == 0 or (data[position] == _NEWLINE) != (column == columns - 1):
                return
            if columns == 1 and word == _EMPTY:
                # A blank line, which is no row.
                return
            position += 1
            place = column * SLOTS + np.int64((word * _HASH) >> np.uint64(64 - _SLOT_BITS))
            while words[place] != word:
                if words[place] == 0:
                    if distinct[column] == MOST_DISTINCT:
                        return
                    words[place] = word
                    word_codes[place] = distinct[column]
                    keys[column * MOST_DISTINCT + distinct[column]] = word
                    distinct[column] += 1
                    break
                place = column * SLOTS + (place + 1) % SLOTS
            codes[column * rows + row] = word_codes[place]
    if position == size:
        failed[0] = 0


@njit
def _cell(data, position, delimiter):  # type: ignore[no-untyped-def]  # as above
    """A cell as a word (its bytes, and above them one more than their number), or 0 if it is not plain; and its end."""
    word, length = np.uint64(0), 0
    while True:
        byte = data[position]
        if byte in (delimiter, _NEWLINE):
            break
        if byte == _RETURN and data[position + 1] == _NEWLINE:
            position += 1
            break
        if byte in (_QUOTE, _RETURN, 0) or length == LONGEST_CELL:
            return np.uint64(0), position
        word |= np.uint64(byte) << np.uint64(8 * length)
        length += 1
        position += 1
    return word | np.uint64(length + 1) << np.uint64(8 * LONGEST_CELL), position


_ITEMS = {
    "B": types.uint8,
    "F": types.float32,
    "U": types.uint64,
    "S": types.int32,
    "I": types.int64,
    "D": types.float64,
}


def object_code(name: str, codes: str, arguments: str, symbol: str, machine: Any) -> bytes:
    """One of the loops, for codes of one type, to be found as ``symbol``; ``loader`` says what the arguments mean."""
    items = {**_ITEMS, "C": getattr(types, codes)}
    signature = types.void(
        *(
            types.CPointer(items[letter]) if letter.isupper() else items[letter.upper()]  # type: ignore[no-untyped-call]
            for letter in arguments
        )
    )
    fastmath, function = _LOOPS[name]
    compiled = cfunc(signature, fastmath=fastmath, error_model="numpy")(function)
    module = llvm.parse_assembly(compiled.inspect_llvm())
    for inner in module.functions:
        # What only the loop itself calls becomes part of it, and numba's handling of errors, of which there are none
        # here, is seen to be of no use: nothing is left that needs numba.
        if not inner.is_declaration and inner.name != compiled.native_name:
            inner.linkage = "internal"
    module.get_function(compiled.native_name).name = symbol
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
    builder.getModulePassManager().run(module, builder)
    code: bytes = machine.emit_object(module)
    return code


_LOOPS: dict[str, tuple[set[str], Function]] = {
    "two_class_move": (set(), two_class_move),
    "two_class_sums": (_CARELESS, two_class_sums),
    "two_class_sift": (_CARELESS, two_class_sift),
    "many_class_move": (set(), many_class_move),
    "many_class_sums": (_CARELESS, many_class_sums),
    "arrange": (set(), arrange),
    "split_cells": (set(), split_cells),
}
