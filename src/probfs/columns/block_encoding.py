"""Features whose columns stand in a block of numbers, encoded together: cut at quantiles, or as categories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import cast

import numpy as np
import pyarrow as pa

from probfs.columns.block_cutting import interval_codes, quantile_points
from probfs.columns.dataset import (
    MISSING_LABEL,
    DeferredLabels,
    EncodedFeature,
    Feature,
    refuse_many_values,
    unseen_share,
)
from probfs.columns.prepare import PreparedTable
from probfs.columns.roles import ColumnPlan
from probfs.columns.rules import Category, Quantiles, interval_labels
from probfs.tables.arrow_arrays import text_array
from probfs.tables.number_block import NumberBlock, NumberColumn, some_lines
from probfs.tables.table import Codes, Flags, Floats, Integers, Kind, Table, code_type

Group = list[tuple[ColumnPlan, NumberColumn]]


def encode_block_columns(prepared: PreparedTable, others: Sequence[Table]) -> dict[str, EncodedFeature]:
    """The features that can be encoded together, by name."""
    encoded: dict[str, EncodedFeature] = {}
    for (block, rule), group in _groups(prepared, others).items():
        for lines in some_lines(len(group), prepared.table.rows):
            some = group[lines]
            if isinstance(rule, Quantiles):
                features = _cut(prepared, others, block, rule, some)
            else:
                features = _categories(prepared, block, some)
            encoded.update((one.feature.name, one) for one in features)
    return encoded


def _groups(prepared: PreparedTable, others: Sequence[Table]) -> dict[tuple[NumberBlock, Quantiles | Category], Group]:
    """Features of the same block and rule; further tables must have them in blocks, too, and categories need texts.

    A column without a number in any labelled row is not among them: there is nothing to cut.
    """
    groups: dict[tuple[NumberBlock, Quantiles | Category], Group] = {}
    for plan in prepared.features:
        column = prepared.table.columns[plan.name]
        if not isinstance(column, NumberColumn) or not column.distinct(prepared.labelled_weights):
            continue
        further = all(isinstance(table.columns[plan.name], NumberColumn) for table in others)
        if (isinstance(plan.rule, Quantiles) and further) or (isinstance(plan.rule, Category) and not others):
            groups.setdefault((column.block, plan.rule), []).append((plan, column))
    return groups


def _cut(
    prepared: PreparedTable, others: Sequence[Table], block: NumberBlock, rule: Quantiles, group: Group
) -> Iterator[EncodedFeature]:
    numbers = block.numbers[[column.line for _, column in group]]
    weights = prepared.labelled_weights
    if weights is None:
        points, counting = quantile_points(numbers, None, rule.intervals)
    else:
        rows = np.flatnonzero(weights > 0)
        points, counting = quantile_points(numbers[:, rows], weights[rows], rule.intervals)
    codes = interval_codes(numbers, points, counting)
    unlabelled = [codes[:, prepared.unlabelled]]
    for table in others:
        further = [cast(NumberColumn, table.columns[plan.name]).by_row for plan, _ in group]
        unlabelled.append(interval_codes(np.stack(further), points, counting))
    intervals = (np.count_nonzero(counting, axis=1) + 1).tolist()
    labels = [
        DeferredLabels(
            intervals[line] + plan.missing_is_value,
            partial(_interval_labels, points[line], counting[line], column.kind, plan.missing_is_value),
        )
        for line, (plan, column) in enumerate(group)
    ]
    # Labelled rows are in every interval, so no cell holds what they do not.
    unseen = [0.0] * len(group)
    return _features(group, labels, codes[:, prepared.labelled], np.concatenate(unlabelled, axis=1), unseen)


def _interval_labels(points: Floats, counting: Flags, kind: Kind, missing_is_value: bool) -> pa.StringArray:
    return _with_missing(interval_labels(points[counting], kind).to_pylist(), missing_is_value)


def _with_missing(labels: list[str], missing_is_value: bool) -> pa.StringArray:
    return text_array([*labels, MISSING_LABEL] if missing_is_value else labels)


def _categories(prepared: PreparedTable, block: NumberBlock, group: Group) -> Iterator[EncodedFeature]:
    lines = np.array([column.line for _, column in group])
    old_codes = block.codes[lines]
    texts = block.distinct_texts(lines)
    held = _held_codes(old_codes, max(map(len, texts)), prepared.labelled_weights)
    new_codes: list[list[int]] = []
    labels: list[DeferredLabels] = []
    for own_texts, own_held, (plan, _) in zip(texts, held.tolist(), group, strict=True):
        own_labels = sorted(text for text, is_held in zip(own_texts, own_held, strict=False) if is_held)
        refuse_many_values(plan.name, len(own_labels), prepared.table.source)
        places = {label: place for place, label in enumerate(own_labels)}
        missing, unknown = len(own_labels), len(own_labels) + plan.missing_is_value
        padding = [missing] * (held.shape[1] - len(own_texts))
        new_codes.append([*(places.get(text, unknown) for text in own_texts), *padding])
        labels.append(DeferredLabels(unknown, partial(_with_missing, own_labels, plan.missing_is_value)))
    translation = np.array(new_codes, dtype=code_type(held.shape[1] + 1))
    codes = np.take_along_axis(translation, old_codes.astype(np.intp), axis=1)
    unlabelled = codes[:, prepared.unlabelled]
    present = np.count_nonzero(~np.isnan(block.numbers[lines][:, prepared.unlabelled]), axis=1)
    known = np.array([len(own) - plan.missing_is_value for own, (plan, _) in zip(labels, group, strict=True)])
    lost = present - np.count_nonzero(unlabelled < known[:, None], axis=1)
    unseen = [unseen_share(*counts) for counts in zip(lost.tolist(), present.tolist(), strict=True)]
    return _features(group, labels, codes[:, prepared.labelled], unlabelled, unseen)


def _held_codes(codes: Codes, most: int, weights: Integers | None) -> Flags:
    """For each line and each code up to that of a missing cell, whether a row of positive weight has it."""
    held = np.zeros((len(codes), most + 1), dtype=np.bool_)
    own = codes if weights is None else codes[:, weights > 0]
    np.put_along_axis(held, own.astype(np.intp), True, axis=1)
    return held


def _features(
    group: Group, labels: Sequence[DeferredLabels], labelled: Codes, unlabelled: Codes, unseen: Sequence[float]
) -> Iterator[EncodedFeature]:
    for (plan, _), own_labels, codes, further, share in zip(group, labels, labelled, unlabelled, unseen, strict=True):
        feature = Feature(plan.name, own_labels, codes, further, missing_is_value=plan.missing_is_value)
        yield EncodedFeature(feature, len(own_labels), share)
