"""What is learned from a condensed table, and blocks of rows encoded with it, wherever they are.

Blocks are encoded one by one as ``encode`` encodes all rows. Only categories are planned: numbers as they are need all
rows together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from probfs.cluster.counting import numbers_of_values, tested_numbers
from probfs.columns.dataset import Dataset
from probfs.columns.encode import FeatureCoding, learn_coding, refuse_lacking_columns
from probfs.columns.prepare import PreparedTable
from probfs.columns.rules import UNKNOWN, cuts_numbers, positions_in
from probfs.columns.target import check_target, row_counts
from probfs.columns.texts import TableTexts
from probfs.rows.blocks import Block
from probfs.screening.counting import RankedNumbers
from probfs.tables.arrays import Floats, Integers, code_type
from probfs.tables.table import Table

_DROPPED = UNKNOWN - 1
"""In place of the class of rows that are left out, as their class is rare."""


@dataclass(frozen=True, eq=False)
class EncodingPlan:
    """How a table's rows become codes."""

    features: tuple[FeatureCoding, ...]
    classes: tuple[str, ...]
    target: str
    target_texts: pa.StringArray
    target_labels: Integers
    """The position of each text's class, UNKNOWN or _DROPPED; the last entry is that of a missing cell."""
    texts: TableTexts
    count: str | None
    source: str
    tested: Mapping[str, Floats]
    """Of columns that are cut: the upper ends of the bins by which their numbers are tested."""

    @property
    def code_dtype(self) -> np.dtype[Any]:
        """The narrowest dtype that fits the codes of all features."""
        return code_type(max((feature.values for feature in self.features), default=0))


def plan_encoding(prepared: PreparedTable) -> EncodingPlan:
    """What the labelled rows of a condensed table teach."""
    check_target(prepared)
    target, count = prepared.target, prepared.choice.count
    column = prepared.table.columns[target.name]
    dropped = (row_counts(prepared.table, count) > 0) & (prepared.weights == 0)
    labels = np.full(len(column.entries) + 1, UNKNOWN, dtype=np.int64)
    labels[column.codes] = target.labels
    labels[column.codes[dropped]] = _DROPPED
    return EncodingPlan(
        tuple(learn_coding(prepared, plan)[0] for plan in prepared.features),
        target.classes,
        target.name,
        column.values,
        labels,
        prepared.texts,
        count,
        prepared.table.source,
        {
            plan.name: tested_numbers(prepared.table.columns[plan.name], prepared.labelled_weights)
            for plan in prepared.features
            if cuts_numbers(plan.rule)
        },
    )


def encode_block(
    table: Table, plan: EncodingPlan, number: int, labelled: bool
) -> tuple[Block, tuple[int, Integers, Integers]]:
    """The block of some rows of the planned table, or of a table of further rows, which have no class. And about its
    rows without a class: their number and, for each feature, how many hold a value, and how many hold a value that
    labelled rows hold, too.
    """
    table = plan.texts.read(table)
    counts = row_counts(table, plan.count)
    if labelled:
        column = table.columns[plan.target]
        places = np.append(positions_in(column.values, plan.target_texts), len(plan.target_texts))
        labels = plan.target_labels[places[column.codes]]
        others = np.flatnonzero((labels == UNKNOWN) & (counts > 0))
    else:
        refuse_lacking_columns(table, [feature.name for feature in plan.features], plan.source)
        labels = np.full(table.rows, UNKNOWN)
        others = np.arange(table.rows)
    rows = np.flatnonzero((labels >= 0) & (counts > 0))
    # Rows of one class stand together, as classifiers want them.
    rows = rows[np.argsort(labels[rows], kind="stable")]
    features, numbers = [], []
    present, seen = np.zeros((2, len(plan.features)), dtype=np.int64)
    for place, coding in enumerate(plan.features):
        column, codes = table.columns[coding.name], coding.recode(table).astype(plan.code_dtype)
        unlabelled, seen[place] = coding.mask_unseen(codes[others])
        present[place] = np.count_nonzero(~column.is_missing()[others])
        features.append(coding.feature(codes[rows], unlabelled))
        if coding.name in plan.tested:
            ends = plan.tested[coding.name]
            # A column that was counted value by value has its codes, and few values to look up.
            by_value = column.is_encoded or not column.is_numeric
            known = np.append(numbers_of_values(column), np.nan) if by_value else column.by_row
            # The bin of each number, and the code after the last for a missing one.
            bins = np.where(np.isnan(known), len(ends), np.searchsorted(ends, known)).astype(code_type(len(ends)))
            ranks = bins[column.codes[rows] if by_value else rows]
            numbers.append(RankedNumbers(np.array([place]), ranks[None], len(ends)))
    classes = labels[rows].astype(np.min_scalar_type(-1 - len(plan.classes)))
    dataset = Dataset(tuple(features), plan.classes, classes, counts[rows], counts[others], plan.source)
    return Block(dataset, tuple(numbers), number), (dataset.unlabelled_rows, present, seen)


def dataset_without_rows(prepared: PreparedTable, plan: EncodingPlan, unlabelled_rows: int) -> Dataset:
    """A dataset of one row for each class, which counts for all of them; codes are where the rows are."""
    nothing = np.empty(0, dtype=plan.code_dtype)
    class_rows = np.array(prepared.target.class_rows, dtype=np.int64)
    features = tuple(coding.feature(nothing, nothing) for coding in plan.features)
    unlabelled = np.array([unlabelled_rows], dtype=np.int64)
    return Dataset(features, plan.classes, np.arange(len(class_rows)), class_rows, unlabelled, plan.source)
