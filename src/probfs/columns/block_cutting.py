"""Columns of a block cut at quantiles, all at once, as ``rules/intervals.py`` cuts a single column."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from probfs.columns.dataset import MISSING_LABEL, DeferredLabels, EncodedFeature, Feature
from probfs.columns.prepare import PreparedTable
from probfs.columns.roles import ColumnPlan
from probfs.columns.rules import Quantiles, interval_labels
from probfs.tables.arrow_arrays import text_array
from probfs.tables.number_block import NumberBlock, NumberColumn
from probfs.tables.table import Codes, Floats, Integers, Kind, Table, code_type

_CELLS_AT_ONCE = 1 << 20
"""Cells that are cut at a time: what is made on the way takes several times their memory."""
_FEW_POINTS = 32
"""Up to so many points, comparing all numbers with each is faster than a search for the numbers of each column."""

Flags = npt.NDArray[np.bool_]


def cut_block_columns(prepared: PreparedTable, others: Sequence[Table]) -> dict[str, EncodedFeature]:
    """The features that are cut at quantiles and whose columns stand in blocks, in the tables of further rows too."""
    groups: dict[tuple[NumberBlock, Quantiles], list[ColumnPlan]] = {}
    for plan in prepared.features:
        column = prepared.table.columns[plan.name]
        if isinstance(column, NumberColumn) and isinstance(plan.rule, Quantiles):
            if all(isinstance(table.columns[plan.name], NumberColumn) for table in others):
                groups.setdefault((column.block, plan.rule), []).append(plan)
    encoded: dict[str, EncodedFeature] = {}
    for (block, rule), plans in groups.items():
        at_once = max(1, _CELLS_AT_ONCE // max(1, prepared.table.rows))
        for first in range(0, len(plans), at_once):
            for one in _cut(prepared, others, block, rule.intervals, plans[first : first + at_once]):
                encoded[one.feature.name] = one
    return encoded


def _cut(
    prepared: PreparedTable, others: Sequence[Table], block: NumberBlock, intervals: int, plans: Sequence[ColumnPlan]
) -> Iterable[EncodedFeature]:
    columns = [prepared.table.columns[plan.name] for plan in plans]
    numbers = block.numbers[[column.line for column in columns if isinstance(column, NumberColumn)]]
    weights = prepared.labelled_weights
    if weights is None:
        points, kept = quantile_points(numbers, None, intervals)
    else:
        seen = np.flatnonzero(weights > 0)
        points, kept = quantile_points(numbers[:, seen], weights[seen], intervals)
    codes = interval_codes(numbers, points, kept)
    labelled, unlabelled = codes[:, prepared.labelled], codes[:, prepared.unlabelled]
    for table in others:
        further = np.stack([_numbers_by_row(table, plan.name) for plan in plans])
        unlabelled = np.concatenate([unlabelled, interval_codes(further, points, kept)], axis=1)
    number = np.count_nonzero(kept, axis=1) + 1
    has_missing = np.any(labelled == number[:, None], axis=1)
    for line, (plan, column) in enumerate(zip(plans, columns, strict=True)):
        missing = plan.missing_is_value
        make = partial(_labels, points[line], kept[line], column.kind, missing=missing)
        source = DeferredLabels(int(number[line]) + missing, make)
        feature = Feature(plan.name, source, labelled[line], unlabelled[line], missing_is_value=missing)
        # Labelled rows are in all intervals, so no cell holds what they do not.
        yield EncodedFeature(feature, int(number[line]) + bool(missing and has_missing[line]), unseen=0.0)


def quantile_points(numbers: Floats, weights: Integers | None, intervals: int) -> tuple[Floats, Flags]:
    """The points at which each line of numbers is cut (see ``Quantiles.points``), and which of them count.

    A point does not if it repeats the one before, or if it is the largest number. Every line has a number.
    """
    order = np.argsort(numbers, axis=1)
    ordered = np.take_along_axis(numbers, order, axis=1)
    present = np.count_nonzero(~np.isnan(numbers), axis=1)
    shares = np.arange(1, intervals)
    if weights is None:
        places = _rows_up_to(present, shares, intervals) - 1
    else:
        below = np.cumsum(np.where(np.isnan(ordered), 0, weights[order]), axis=1)
        wanted = _rows_up_to(below[:, -1], shares, intervals)
        places = np.stack([np.searchsorted(own, rows) for own, rows in zip(below, wanted, strict=True)])
    points = np.take_along_axis(ordered, places, axis=1)
    kept = points < np.take_along_axis(ordered, present[:, None] - 1, axis=1)
    kept[:, 1:] &= points[:, 1:] > points[:, :-1]
    return points, kept


def _rows_up_to(rows: Integers, shares: Integers, intervals: int) -> Integers:
    """Shares of the rows of each line, rounded up; rows may be counted in quadrillions, so they are divided first."""
    whole, rest = np.divmod(rows[:, None], intervals)
    return np.asarray(whole * shares - (-rest * shares // intervals))


def interval_codes(numbers: Floats, points: Floats, kept: Flags) -> Codes:
    """For each number the interval it lies in: how many of its line's points are below it; missing comes after all."""
    last = np.count_nonzero(kept, axis=1)
    codes = np.zeros(numbers.shape, dtype=code_type(kept.shape[1] + 2))
    if kept.shape[1] <= _FEW_POINTS:
        for point in np.where(kept, points, np.inf).T:
            codes += numbers > point[:, None]
    else:
        for line, own in enumerate(numbers):
            codes[line] = np.searchsorted(points[line, kept[line]], own)
    return np.where(np.isnan(numbers), (last + 1)[:, None].astype(codes.dtype), codes)


def _labels(points: Floats, kept: Flags, kind: Kind, *, missing: bool) -> pa.StringArray:
    labels = interval_labels(points[kept], kind)
    return text_array([*labels.to_pylist(), MISSING_LABEL]) if missing else labels


def _numbers_by_row(table: Table, name: str) -> Floats:
    column = table.columns[name]
    assert isinstance(column, NumberColumn)
    return column.by_row
