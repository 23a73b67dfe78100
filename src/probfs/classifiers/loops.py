"""The loops over cells, compiled by numba: what other modules do in numpy, several times faster.

Rows are gone through in blocks that stay in the cache while all features pass, and each block leaves sums of its own,
so that results do not depend on the number of threads. Places in tables are unsigned: numba checks signed ones for
negative values, which would keep loops from being vectorised.

``excess`` is a flat table of classes × models × slots. Of two classes it holds p_t/p_b - 1, t being the class and b the
other; of more, p_max/p_b - 1 of each class b (see ``naive_bayes.rows``). ``start`` says where in it the part of a row's
most probable class and model begins, and the part of its model in the table of a class.
"""

from __future__ import annotations

import math

import numpy as np
from numba import config, njit

from probfs.classifiers.naive_bayes.model import EVEN_ODDS

if config.DISABLE_JIT:  # type: ignore[attr-defined]  # numba sets it from the environment
    raise ImportError("NUMBA_DISABLE_JIT is set")

ROWS_PER_BLOCK = 4096
ROWS_PER_LOG = 64
"""Rows whose sums of weights, from 1 to the number of classes, are multiplied before the logarithm is taken."""
ROWS_PER_STRIP = 512
"""Rows gone through at a time where each class needs scratch space."""
_FACTORS_PER_LOG = 256
"""How many factors from 1 to 2 are multiplied before the logarithm of their product is taken."""
# Sums may be reordered, but NaN and infinity keep their meaning.
_compiled = njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz", "arcp"})


@_compiled
def update(
    codes, features, offsets, log_odds, model, sign, odds, impossible, labels, counts, weights, posterior,
    start, fit, first, end
):  # fmt: skip
    """Add the log-odds of some features to those of the rows, or with sign -1 take them away; then find each row's
    posterior and top class; and of each block from ``first`` to ``end`` the errors, the absolute and logarithmic loss,
    and how many rows are ruled out: their own class lies further behind than ``impossible``.

    With two classes, ``posterior`` holds the probability of the less probable class, and the weight of a row's changes:
    its weight times the product of both probabilities, negative where the less probable class is the row's own.
    """
    others, rows = odds.shape
    models, slots = np.uint64(log_odds.shape[1]), np.uint64(log_odds.shape[2])
    shared = odds, impossible, model, labels, counts, weights, slots, models, posterior, start
    for block in range(first, end):
        begin, stop = np.uint64(block * ROWS_PER_BLOCK), np.uint64(min(rows, (block + 1) * ROWS_PER_BLOCK))
        for feature in features:
            column, base = codes[feature], np.uint64(offsets[feature])
            for c in range(others):
                for row in range(begin, stop):
                    term = log_odds[c, np.uint64(model[row]), base + np.uint64(column[row])]
                    odds[c, row] += sign * term
        if others == 1:
            _finish_two_classes(*shared, fit[block], begin, stop)
        else:
            _finish_classes(*shared, fit[block], begin, stop)


# No reordering here: it would undo the splitting of ln 2 and the rounding to a whole number.
@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def _exp(x):
    """e^x for x ≤ 0, to two units in the last place, and at least e^-708. Unlike the C library's, it is vectorised."""
    x = max(x, -708.0)
    # Adding 1.5·2^52 leaves the nearest whole number in the last bits.
    shifted = x * 1.4426950408889634 + 6755399441055744.0
    whole = shifted - 6755399441055744.0
    rest = (x - whole * 0.693147180369123816490) - whole * 1.90821492927058770002e-10
    series = 1.0
    for factor in (13.0, 12.0, 11.0, 10.0, 9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0):
        series = 1.0 + rest * (1.0 / factor) * series
    return series * np.int64((np.float64(shifted).view(np.int64) + 1023) << 52).view(np.float64)


@_compiled
def _finish_two_classes(
    odds, impossible, model, labels, counts, weights, slots, models, posterior, start, fit, begin, stop
):
    log_odds, q, change = odds[0], posterior[0], posterior[1]
    errors, miss, loss, ruled_out = 0.0, 0.0, 0.0, 0.0
    for first in range(begin, stop, np.uint64(_FACTORS_PER_LOG)):
        last, product = min(first + np.uint64(_FACTORS_PER_LOG), stop), 1.0
        for row in range(first, last):
            margin, weight = log_odds[row], weights[row]
            ratio = _exp(-abs(margin))
            larger = 1.0 / (1.0 + ratio)
            is_top = (labels[row] == 0) == (margin >= 0.0)
            q[row] = ratio * larger
            change[row] = weight * ratio * larger * larger * (1.0 if is_top else -1.0)
            top = np.uint64(0) if margin >= 0.0 else models
            start[0, row] = (top + np.uint64(model[row])) * slots
            # Equal probabilities fall to class 0.
            errors += counts[row] if (margin >= -EVEN_ODDS) != (labels[row] == 0) else 0.0
            miss += weight * (ratio * larger if is_top else larger)
            behind = 0.0 if is_top else abs(margin)
            ruled_out += weight if behind > impossible else 0.0
            loss += weight * behind
            # One logarithm of a product is cheaper than many logarithms.
            product *= 1.0 + ratio if weight == 1.0 else 1.0
        loss += math.log(product)
        for row in range(first, last):
            if weights[row] != 1.0:
                loss += weights[row] * math.log1p(math.exp(-abs(log_odds[row])))
    fit[0], fit[1], fit[2], fit[3] = errors, miss, loss, ruled_out


@_compiled
def _finish_classes(
    odds, impossible, model, labels, counts, weights, slots, models, posterior, start, fit, begin, stop
):
    others = odds.shape[0]
    errors, miss, loss, ruled_out = 0.0, 0.0, 0.0, 0.0
    for row in range(begin, stop):
        top, highest = others, 0.0
        for c in range(others):
            if odds[c, row] > highest:
                top, highest = c, odds[c, row]
        label, total, wrong, predicted = labels[row], 0.0, 0.0, -1
        for c in range(others + 1):
            behind = highest - (odds[c, row] if c < others else 0.0)
            weight = math.exp(-behind)
            posterior[c, row] = weight
            total += weight
            wrong += weight if c != label else 0.0
            # Equal probabilities fall to the first class.
            predicted = c if predicted < 0 and behind <= EVEN_ODDS else predicted
        for c in range(others + 1):
            posterior[c, row] /= total
        start[1, row] = np.uint64(model[row]) * slots
        start[0, row] = np.uint64(top) * models * slots + start[1, row]
        if label >= 0:
            behind = highest - (odds[label, row] if label < others else 0.0)
            ruled_out += weights[row] if behind > impossible else 0.0
            errors += counts[row] if predicted != label else 0.0
            miss += weights[row] * (wrong / total)
            # Where the row's own class leads, the weights of the others may add up to far less than 1.
            loss += weights[row] * (math.log1p(wrong) if behind == 0.0 else behind + math.log(total))
    fit[0], fit[1], fit[2], fit[3] = errors, miss, loss, ruled_out


@_compiled
def sum_losses(odds, labels, weights, exponent, sharpness, largest, sums, first, end):
    """Of each block from ``first`` to ``end``: the log-losses of its rows, none taken to be more than ``largest``, at a
    sharpness of the odds that were raised to the exponent, and the slope and curvature of -log P by the sharpness.
    """
    others, rows = odds.shape
    against_own = np.empty((others + 1, ROWS_PER_LOG))
    own, top, total, mean, square = np.empty((5, ROWS_PER_LOG))
    scale = sharpness / exponent
    for block in range(first, end):
        loss, slope, curvature = 0.0, 0.0, 0.0
        stop = min(rows, (block + 1) * ROWS_PER_BLOCK)
        for begin in range(block * ROWS_PER_BLOCK, stop, ROWS_PER_LOG):
            size, at = np.uint64(min(stop - begin, ROWS_PER_LOG)), np.uint64(begin)
            own[:] = 0.0
            for c in range(others):
                for i in range(size):
                    own[i] += odds[c, at + i] if labels[at + i] == c else 0.0
            against_own[others] = -own
            top[:] = -own
            for c in range(others):
                for i in range(size):
                    against_own[c, i] = odds[c, at + i] - own[i]
                    top[i] = max(top[i], against_own[c, i])
            total[:], mean[:], square[:] = 0.0, 0.0, 0.0
            for c in range(others + 1):
                for i in range(size):
                    weight = _exp((against_own[c, i] - top[i]) * scale)
                    total[i] += weight
                    mean[i] += weight * against_own[c, i]
                    square[i] += weight * against_own[c, i] * against_own[c, i]
            product, left = 1.0, 0
            for i in range(size):
                weight, part, lead = weights[at + i], 1.0 / total[i], top[i] * scale
                slope += weight * mean[i] * part
                curvature += weight * (square[i] * part - (mean[i] * part) ** 2)
                # One logarithm of a product is cheaper than many logarithms.
                is_plain = weight == 1.0 and lead < largest - others
                loss += lead if is_plain else 0.0
                product *= total[i] if is_plain else 1.0
                left += 0 if is_plain else 1
            loss += math.log(product)
            for i in range(size if left else np.uint64(0)):
                weight, lead = weights[at + i], top[i] * scale
                if weight != 1.0 or lead >= largest - others:
                    loss += weight * min(lead + math.log(total[i]), largest)
        sums[block, 0], sums[block, 1], sums[block, 2] = loss, slope / exponent, curvature / exponent**2


@_compiled
def sum_two_class_changes(codes, offsets, excess, posterior, start, features, sums, first, end):
    """Σ ½|P - Q| and Σ (P_y - Q_y) of each feature and of each block from ``first`` to ``end``: sums is features × 2 ×
    blocks.
    """
    rows = codes.shape[1]
    q, weight, start_of_top = posterior[0], posterior[1], start[0]
    for block in range(first, end):
        begin, stop = np.uint64(block * ROWS_PER_BLOCK), np.uint64(min(rows, (block + 1) * ROWS_PER_BLOCK))
        for k in range(features.size):
            column, base = codes[features[k]], np.uint64(offsets[features[k]])
            size, signed = 0.0, 0.0
            for row in range(begin, stop):
                e = excess[base + np.uint64(column[row]) + start_of_top[row]]
                change = e / (1.0 + q[row] * e) * weight[row]
                signed += change
                size += abs(change)
            sums[k, 0, block] = size
            sums[k, 1, block] = signed


@_compiled
def sum_changes(labels, weights, codes, offsets, excess, posterior, start, features, sums, first, end):
    """The same for any number of classes: Σ ½ Σ_c |P_c - Q_c| and Σ (P_y - Q_y)."""
    classes, rows = posterior.shape
    table = np.uint64(excess.size // classes)
    each = np.empty((classes, ROWS_PER_STRIP))
    of_top, mean, change = np.empty((3, ROWS_PER_STRIP))
    for block in range(first, end):
        stop = min(rows, (block + 1) * ROWS_PER_BLOCK)
        sums[:, :, block] = 0.0
        for begin in range(block * ROWS_PER_BLOCK, stop, ROWS_PER_STRIP):
            size = np.uint64(min(stop - begin, ROWS_PER_STRIP))
            at = np.uint64(begin)
            for k in range(features.size):
                column, base = codes[features[k]], np.uint64(offsets[features[k]])
                mean[:] = 0.0
                for i in range(size):
                    of_top[i] = excess[base + np.uint64(column[at + i]) + start[0, at + i]]
                for c in range(classes):
                    of_class = base + np.uint64(c) * table
                    for i in range(size):
                        u = excess[of_class + np.uint64(column[at + i]) + start[1, at + i]] - of_top[i]
                        each[c, i] = u
                        mean[i] += posterior[c, at + i] * u
                change[:] = 0.0
                for c in range(classes):
                    for i in range(size):
                        change[i] += posterior[c, at + i] * abs(mean[i] - each[c, i])
                total, signed = 0.0, 0.0
                for i in range(size):
                    scale = weights[at + i] / (1.0 + of_top[i] + mean[i])
                    total += change[i] * scale
                    label = labels[at + i]
                    if label >= 0:
                        signed += (mean[i] - each[label, i]) * posterior[label, at + i] * scale
                sums[k, 0, block] += total / 2
                sums[k, 1, block] += signed


@_compiled
def add_donor_sums(rest, factors, donors, sums):
    """Add to ``sums`` (permutations × rows) the product of each row of ``rest`` with its donors' rows of ``factors``.

    Both have a column for each support vector of an SVM.
    """
    for row in range(rest.shape[0]):
        of_row = rest[row]
        for permutation in range(donors.shape[0]):
            donor = factors[donors[permutation, row]]
            total = 0.0
            for vector in range(np.uint64(len(of_row))):
                total += of_row[vector] * donor[vector]
            sums[permutation, row] += total
