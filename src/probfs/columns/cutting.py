"""Rows of numbers cut at quantiles, many columns at once, as ``Quantiles`` cuts the values of one."""

from __future__ import annotations

import numpy as np

from probfs.tables.arrays import Codes, Flags, Floats, Integers, code_type

_FEW_POINTS = 32
"""Up to so many points, comparing all numbers with each is faster than a search for the numbers of each column."""


def quantile_points(numbers: Floats, weights: Integers | None, intervals: int) -> tuple[Floats, Flags]:
    """The points at which each row of a matrix is cut (see ``Quantiles.points``), and which of them count.

    A point does not if it repeats the one before, or if it is the largest number. NaN is missing; every row has a
    number. ``weights`` says how many equal table rows each place stands for; None where each is one.
    """
    present = np.count_nonzero(~np.isnan(numbers), axis=1)
    if weights is None:
        ordered = np.sort(numbers, axis=1)
        places = rows_up_to_each_share(present, intervals) - 1
    else:
        order = np.argsort(numbers, axis=1)
        ordered = np.take_along_axis(numbers, order, axis=1)
        below = np.cumsum(np.where(np.isnan(ordered), 0, weights[order]), axis=1)
        wanted = rows_up_to_each_share(below[:, -1], intervals)
        places = np.stack([np.searchsorted(own, rows) for own, rows in zip(below, wanted, strict=True)])
    points = np.take_along_axis(ordered, places, axis=1)
    counting = points < np.take_along_axis(ordered, present[:, None] - 1, axis=1)
    counting[:, 1:] &= points[:, 1:] > points[:, :-1]
    return points, counting


def rows_up_to_each_share(rows: Integers, intervals: int) -> Integers:
    """1/k … (k-1)/k of the table rows of each column, rounded up."""
    # Rows may be counted in quadrillions, so that a multiple of them is beyond 64 bits.
    whole, rest = np.divmod(rows[:, None], intervals)
    shares = np.arange(1, intervals)
    return np.asarray(whole * shares - (-rest * shares // intervals))


def interval_codes(numbers: Floats, points: Floats, counting: Flags) -> Codes:
    """For each number, how many of its row's counting points are below it; NaN comes after the last interval."""
    most = counting.shape[1]
    codes = np.zeros(numbers.shape, dtype=code_type(most + 2))
    if most <= _FEW_POINTS:
        for point in np.where(counting, points, np.inf).T:
            codes += numbers > point[:, None]
    else:
        for place, own in enumerate(numbers):
            codes[place] = np.searchsorted(points[place, counting[place]], own)
    absent = np.isnan(numbers)
    if absent.any():
        intervals = (np.count_nonzero(counting, axis=1) + 1).astype(codes.dtype)
        np.copyto(codes, np.broadcast_to(intervals[:, None], codes.shape), where=absent)
    return codes


def cut_one(numbers: Floats, points: Floats) -> Codes:
    """The interval of each number between some points; NaN comes after the last."""
    codes: Codes = interval_codes(numbers[None, :], points[None, :], np.ones((1, len(points)), dtype=np.bool_))[0]
    return codes
