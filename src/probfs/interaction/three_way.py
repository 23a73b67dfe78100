"""Three-way tables of two columns and the class: counted for all pairs, fitted without interaction, and tested.

The null is that of no three-factor interaction (Birch 1963): the log-linear model [ab][ay][by], in which each column
shifts the log-odds of the classes by as much whatever the other column holds. It has no closed form, and is fitted by
iterative proportional scaling (Deming & Stephan 1940), many tables at a time. Pearson's X² then measures how far the
counts are from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from probfs.columns.dataset import Dataset, Feature
from probfs.tables.arrays import Codes, Floats, Integers

MOST_VALUES = 12
"""Values of a column that are told apart here: the most frequent ones, and all others as one."""
_FEWEST_ROWS = 5
"""Values of fewer rows than this are not told apart either."""
_ROWS_AT_ONCE, _VALUES_AT_ONCE = 1 << 12, 1024
"""Rows, and values of columns, whose indicators are multiplied at a time."""
_CELLS_AT_ONCE = 1 << 16
"""Cells of tables that are fitted at a time, so that they stay in the cache."""
_TOLERANCE = 1e-4
"""How many rows a fitted margin may be off; X² is then off by hardly more."""
_MOST_ROUNDS = 100
"""Where zero counts push the fit to its boundary, it converges very slowly, and changes little."""
_CLAIM = 0.05
"""Larger p-values than this are no claim, and need no draws."""
_FEW, _LEAST = 5.0, 1.0
"""Expected counts for which the law of χ² is good: at least 5 in four of five cells, and never below 1."""
_DRAWS = (99, 900)
"""How many tables are drawn, and how many more if fewer than these have as large an X²."""
_EXCEEDED = 10
_LEAST_SKEWNESS = 0.05
"""Of the law of drawn tables, where some are drawn: χ² with 3,000 degrees of freedom has as little."""
_MOST_WORK = 50_000_000
"""Cells of all drawn tables together: some seconds. Beyond that, pairs of rare values are not claimed."""


def test_pairs(dataset: Dataset, seed: int) -> Iterator[tuple[Integers, Integers, Floats, Floats]]:
    """Test all pairs of columns of which each has at least two values, some at a time: the positions of both columns,
    how much less log-loss a row has when the joint value takes the place of the two values, and p.
    """
    generator = np.random.default_rng(seed)
    budget = _MOST_WORK
    for a, b, tables in count_tables(dataset):
        at_a_time = max(1, _CELLS_AT_ONCE // tables[..., 0].size)
        for first in range(0, len(a), at_a_time):
            some = slice(first, first + at_a_time)
            counts = np.ascontiguousarray(tables[..., some])
            p, budget = p_values(counts, generator, budget)
            yield a[some], b[some], joint_gain(counts), p


# Counting


def count_tables(dataset: Dataset) -> Iterator[tuple[Integers, Integers, Floats]]:
    """The three-way tables of all pairs, those of equal shape together: positions of both columns, and the counts of
    rows that have both values (values of a × values of b × classes × pairs). Pairs come last, so that sums over values
    are sums of long arrays.

    The indicators of all values of some columns are a matrix; such matrices multiplied, class by class, are the counts.
    """
    columns = [_few_values(feature, dataset.counts) for feature in dataset.features]
    sizes = np.array([values for _, values in columns])
    # Columns of equally many values stand together, so that their pairs are cut out of the product in one step.
    places = np.argsort(sizes, kind="stable")
    places = places[sizes[places] > 1]
    # Sides of as many columns as have few enough values together.
    sides = np.split(places, np.flatnonzero(np.diff(np.cumsum(sizes[places]) // _VALUES_AT_ONCE)) + 1)
    for number, first in enumerate(sides):
        for second in sides[number:]:
            left, right = ([columns[place] for place in side] for side in (first, second))
            product = _multiply(left, left if first is second else right, dataset)
            yield from _cut(product, sizes, first, second, first is second)


def _few_values(feature: Feature, counts: Integers) -> tuple[Codes, int]:
    """Codes of at most ``MOST_VALUES`` values, and how many there are; a higher code is a missing cell."""
    rows = np.bincount(feature.labelled, counts, minlength=feature.values + 1)[: feature.values]
    order = np.argsort(-rows, kind="stable")
    order = order[rows[order] >= _FEWEST_ROWS]
    kept = order[:MOST_VALUES]
    others = bool(rows.sum() > rows[kept].sum())
    if others and len(kept) == MOST_VALUES:
        kept = kept[:-1]
    kept, values = np.sort(kept), len(kept) + others
    # All other values share the last code; a missing cell has the one behind it.
    new_codes = np.full(feature.values + 1, values - 1 if others else values, dtype=np.uint8)
    new_codes[kept] = np.arange(len(kept))
    new_codes[-1] = values
    return new_codes[feature.labelled], values


def _multiply(first: Sequence[tuple[Codes, int]], second: Sequence[tuple[Codes, int]], dataset: Dataset) -> Floats:
    """Counts of rows by the values of columns on either side, and by class: classes × values × values."""
    classes = len(dataset.classes)
    widths = [sum(size for _, size in side) for side in (first, second)]
    product = np.zeros((classes, widths[0], widths[1]))
    for label in range(classes):
        members = np.flatnonzero(dataset.labels == label)
        for start in range(0, len(members), _ROWS_AT_ONCE):
            rows = members[start : start + _ROWS_AT_ONCE]
            # Sums of so few counts are exact in single precision, unless a row stands for very many.
            counts = dataset.counts[rows]
            dtype: type[Any] = np.float32 if counts.sum() < 1 << 24 else np.float64
            left = _indicators(first, rows, dtype)
            right = left if first is second else _indicators(second, rows, dtype)
            # A matrix times itself takes half as long.
            product[label] += (left if (counts == 1).all() else left * counts.astype(dtype)) @ right.T
    return product


def _indicators(columns: Sequence[tuple[Codes, int]], rows: Integers, dtype: type[Any]) -> npt.NDArray[Any]:
    """Values of all columns × rows: 1 where a row holds a value."""
    matrix: npt.NDArray[Any] = np.empty((sum(size for _, size in columns), len(rows)), dtype=dtype)
    offset = 0
    for codes, size in columns:
        np.equal(codes[rows], np.arange(size, dtype=codes.dtype)[:, None], out=matrix[offset : offset + size])
        offset += size
    return matrix


def _cut(
    product: Floats, sizes: Integers, first: Integers, second: Integers, is_same: bool
) -> Iterator[tuple[Integers, Integers, Floats]]:
    """The tables of all pairs in a product, those of equal shape together."""
    starts = [np.cumsum(sizes[side]) - sizes[side] for side in (first, second)]
    for size_a in np.unique(sizes[first]).tolist():
        for size_b in np.unique(sizes[second]).tolist():
            wanted = (sizes[first] == size_a)[:, None] & (sizes[second] == size_b)
            a, b = np.nonzero(np.triu(wanted, 1) if is_same else wanted)
            if len(a):
                rows = (starts[0][a][:, None] + np.arange(size_a))[:, :, None]
                columns = (starts[1][b][:, None] + np.arange(size_b))[:, None, :]
                yield first[a], second[b], np.moveaxis(product[:, rows, columns], (2, 3, 0, 1), (0, 1, 2, 3))


# The test


def fit_without_interaction(counts: Floats) -> Floats:
    """The expected counts of tables (a × b × y × tables) under [ab][ay][by]."""
    ab, ay, by = counts.sum(axis=2), counts.sum(axis=1), counts.sum(axis=0)
    # Naive Bayes, which is the fit where the columns are independent in each class.
    fitted: Floats = ay[:, None] * _ratio(by, ay.sum(axis=0))
    fitted *= _ratio(ab, fitted.sum(axis=2))[:, :, None]
    left = np.arange(counts.shape[-1])
    some = fitted
    for _ in range(_MOST_ROUNDS):
        some *= _ratio(ay, some.sum(axis=1))[:, None]
        some *= _ratio(by, some.sum(axis=0))
        some *= _ratio(ab, some.sum(axis=2))[:, :, None]
        off = np.maximum(np.abs(some.sum(axis=1) - ay).max(axis=(0, 1)), np.abs(some.sum(axis=0) - by).max(axis=(0, 1)))
        going = off > _TOLERANCE
        if not going.all():
            fitted[..., left] = some
            left, some = left[going], some[..., going]
            ab, ay, by = ab[..., going], ay[..., going], by[..., going]
        if not len(left):
            return fitted
    fitted[..., left] = some
    return fitted


def _ratio(wanted: Floats, found: Floats) -> Floats:
    """``wanted / found``; 0 where both are 0."""
    ratio: Floats = wanted / np.where(found > 0, found, 1.0)
    return ratio


def chi_squared(counts: Floats, fitted: Floats) -> Floats:
    """Pearson's X² of each table."""
    distance: Floats = _ratio((counts - fitted) ** 2, fitted).sum(axis=(0, 1, 2))
    return distance


def degrees_of_freedom(counts: Floats) -> Floats:
    """The cells that are possible with these margins, less the number of cells that the margins fix."""
    ab, ay, by = counts.sum(axis=2) > 0, counts.sum(axis=1) > 0, counts.sum(axis=0) > 0
    cells = np.count_nonzero(ab[:, :, None] & ay[:, None] & by, axis=(0, 1, 2))
    pairs = sum(np.count_nonzero(margin, axis=(0, 1)) for margin in (ab, ay, by))
    single = sum(np.count_nonzero(margin, axis=0) for margin in (ab.any(1), ab.any(0), ay.any(0)))
    freedom: Floats = np.maximum(cells - pairs + single - 1, 0).astype(np.float64)
    return freedom


def p_values(counts: Floats, generator: np.random.Generator, budget: int) -> tuple[Floats, int]:
    """The probability of as large an X² without interaction: by the law of χ², or by drawn tables where this fails; and
    how many more cells may be drawn.
    """
    from scipy.special import chdtrc

    fitted = fit_without_interaction(counts)
    distance, freedom = chi_squared(counts, fitted), degrees_of_freedom(counts)
    p = np.ones(len(distance))
    p[freedom > 0] = chdtrc(freedom[freedom > 0], distance[freedom > 0])
    # Whether the expected counts are large enough for the law.
    cells, many = (np.count_nonzero(part, axis=(0, 1, 2)) for part in (fitted, fitted >= _FEW))
    least = np.where(fitted > 0, fitted, np.inf).min(axis=(0, 1, 2))
    for place in np.flatnonzero((p < _CLAIM) & ((many < 0.8 * cells) | (least < _LEAST))).tolist():
        p[place], budget = _drawn_p(fitted[..., place], distance[place], generator, budget)
    return p, budget


def _drawn_p(fitted: Floats, distance: float, generator: np.random.Generator, budget: int) -> tuple[float, int]:
    """The p-value by tables drawn from a fitted model, given how many rows have each pair of values; and what is left
    of the budget.
    """
    from scipy.special import gammaincc

    rows = fitted.sum(axis=2).round()
    odds = _ratio(fitted, rows[..., None])
    # Where no row has a pair of values, any law will do.
    odds[rows == 0, 0] = 1.0
    odds /= odds.sum(axis=2, keepdims=True)
    found: list[Floats] = []
    for number in _DRAWS:
        budget -= number * fitted.size
        if budget < 0:
            return 1.0, budget
        drawn = generator.multinomial(rows.astype(np.int64), odds, (number, *rows.shape))
        tables = np.ascontiguousarray(np.moveaxis(drawn, 0, -1), dtype=np.float64)
        found.append(chi_squared(tables, fit_without_interaction(tables)))
        exceeded = np.count_nonzero(np.concatenate(found) >= distance * (1 - 1e-9))
        if exceeded >= _EXCEEDED:
            break
    drawn = np.concatenate(found)
    if exceeded >= _EXCEEDED or not drawn.std():
        return float((exceeded + 1) / (len(drawn) + 1)), budget
    # Far out in the tail, by the gamma law, shifted, of the mean, variance and skewness of what was drawn.
    deviation = drawn.std()
    skewness = max(((drawn - drawn.mean()) ** 3).mean() / deviation**3, _LEAST_SKEWNESS)
    shape, scale = 4 / skewness**2, deviation * skewness / 2
    return float(gammaincc(shape, max(distance - drawn.mean() + shape * scale, 0.0) / scale)), budget


# The effect


def joint_gain(counts: Floats) -> Floats:
    """By how many nats a row the leave-one-out log-loss of Naive Bayes falls when the joint value of two columns takes
    their place. Laplace's smoothing, as everywhere.
    """
    classes = counts.shape[2]
    ab, ay, by, y = counts.sum(axis=2), counts.sum(axis=1), counts.sum(axis=0), counts.sum(axis=(0, 1))
    values_ab = np.count_nonzero(ab, axis=(0, 1))
    values_a, values_b = (np.count_nonzero(margin.any(axis=1), axis=0) for margin in (ay, by))
    gain = np.zeros(counts.shape[-1])
    for label in range(classes):
        # For rows of this class, which are left out: one row less of the class, and of each value they hold.
        one = (np.arange(classes) == label).astype(np.float64)[:, None]
        # A count of 0 without a row would have no logarithm, and no row looks it up.
        log_y, log_a, log_b, log_ab = (
            np.log(np.maximum(left, 1e-300)) for left in (y - one, ay - one + 1, by - one + 1, counts - one + 1)
        )
        log_a, log_b = log_a - np.log(y - one + values_a), log_b - np.log(y - one + values_b)
        log_ab = log_ab - np.log(y - one + values_ab)
        joint, apart = log_y + log_ab, log_y + log_a[:, None] + log_b
        difference = joint[:, :, label] - np.logaddexp.reduce(joint, axis=2)
        difference -= apart[:, :, label] - np.logaddexp.reduce(apart, axis=2)
        held = counts[:, :, label]
        gain += (held * np.where(held > 0, difference, 0.0)).sum(axis=(0, 1))
    a_row: Floats = gain / np.maximum(y.sum(axis=0), 1)
    return a_row
