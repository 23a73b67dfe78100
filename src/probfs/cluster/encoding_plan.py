"""What is learned from a whole table, and rows encoded with it, some at a time and wherever they are.

A plan made of a prepared table, a condensed one for instance, encodes blocks of the table's rows one by one as
``encode`` encodes them all. Only categories are planned: numbers as they are need all rows together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from probfs.cluster.number_cells import NumberCells
from probfs.cluster.row_classes import TargetCoding
from probfs.columns.dataset import ValueCounts
from probfs.columns.encode import (
    FeatureCoding,
    learn_coding,
    notes_on_features,
    notes_on_lacking_counts,
    notes_on_unseen,
    refuse_lacking_columns,
    unseen_share,
)
from probfs.columns.prepare import PreparedTable
from probfs.columns.rules import UNKNOWN
from probfs.columns.target import check_target, row_counts
from probfs.columns.texts import TableTexts
from probfs.notes import Note
from probfs.tables.arrays import Codes, Floats, Integers, Labels
from probfs.tables.column import Column
from probfs.tables.table import Table


@dataclass(frozen=True, eq=False)
class EncodingPlan:
    """How a table's rows become codes, for those who encode them block by block."""

    features: tuple[FeatureCoding, ...]
    classes: tuple[str, ...]
    target: TargetCoding
    texts: TableTexts
    count: str | None
    source: str
    notes: tuple[Note, ...]
    """What a user should know of the encoded features; the note on unseen values comes once rows are encoded."""
    counts: ValueCounts | None
    numbers: tuple[str, ...] = ()
    """Columns whose numbers are to be kept beside the features that are made of them."""

    def __getstate__(self) -> dict[str, Any]:
        # Whoever encodes a block needs no counts.
        return {**self.__dict__, "counts": None}

    @property
    def code_dtype(self) -> np.dtype[Any]:
        """The narrowest dtype that fits the codes of all features."""
        return np.min_scalar_type(max((feature.values for feature in self.features), default=0))

    def value_counts(self) -> ValueCounts:
        """How many labelled rows of each class hold each value; unknown to a plan that has travelled."""
        assert self.counts is not None, "counts stay where the plan was made"
        return self.counts

    def notes_on_unseen(self, present: Integers, telling: Integers) -> list[Note]:
        """A note on features whose unlabelled cells mostly hold other values than labelled ones, given the sums of
        ``present`` and ``telling`` of all blocks.
        """
        pairs = zip(self.features, present.tolist(), telling.tolist(), strict=True)
        return notes_on_unseen({own.name: unseen_share(held - told, held) for own, held, told in pairs})


@dataclass(frozen=True, eq=False)
class EncodedBlock:
    """Some rows of a table: those with a class, and those without."""

    labels: Labels
    counts: Integers
    codes: Codes
    """Features × labelled rows."""
    unlabelled_counts: Integers
    unlabelled_codes: Codes
    present: Integers
    """For each feature, how many unlabelled cells hold a value."""
    telling: Integers
    """For each feature, how many unlabelled cells hold a value that labelled rows hold, too."""
    notes: tuple[Note, ...]
    numbers: tuple[NumberCells, ...] = ()
    """Those of labelled rows, in the columns that the plan names."""


def plan_encoding(prepared: PreparedTable) -> EncodingPlan:
    """What is learned from the labelled rows of a prepared table, in place of encoding its rows."""
    check_target(prepared)
    learned = [learn_coding(prepared, plan) for plan in prepared.features]
    features = tuple(coding for coding, _ in learned)
    return EncodingPlan(
        features,
        prepared.target.classes,
        TargetCoding.of(prepared.table, prepared.target, prepared.weights, prepared.choice.count),
        prepared.texts,
        prepared.choice.count,
        prepared.table.source,
        tuple(notes_on_features(prepared, {feature.name: feature.distinct for feature in features})),
        _count_values(prepared, learned),
    )


def _count_values(prepared: PreparedTable, learned: list[tuple[FeatureCoding, Integers]]) -> ValueCounts:
    classes = len(prepared.target.classes)
    labels, weights = prepared.target.labels[prepared.labelled], prepared.weights[prepared.labelled]
    by_slot: list[Floats] = [np.empty((0, classes))]
    for coding, new_codes in learned:
        codes, places, cell_weights = prepared.table.columns[coding.name].coded_cells(prepared.labelled, weights)
        slots = new_codes[codes] * classes + labels[places]
        counted = np.bincount(slots, cell_weights, minlength=(coding.values + 1) * classes)
        by_slot.append(counted.reshape(-1, classes).astype(np.float64))
    values = np.array([coding.values for coding, _ in learned], dtype=np.int64)
    class_rows = np.bincount(labels, weights, minlength=classes).astype(np.float64)
    return ValueCounts(values, np.cumsum(values + 1) - values - 1, np.concatenate(by_slot), class_rows)


def encode_block(table: Table, plan: EncodingPlan, labelled: bool = True) -> EncodedBlock:
    """Some rows of the planned table, or of a table of further rows without classes."""
    table = plan.texts.read(table)
    counts = row_counts(table, plan.count)
    if labelled:
        texts = plan.target.positions(table)
        labels = plan.target.labels[texts]
        counts = np.where(plan.target.dropped[texts], 0, counts)
        with_class, without = np.flatnonzero((labels != UNKNOWN) & (counts > 0)), (labels == UNKNOWN) & (counts > 0)
        others, notes = np.flatnonzero(without), []
    else:
        refuse_lacking_columns(table, [feature.name for feature in plan.features], plan.source)
        labels = np.full(table.rows, UNKNOWN, dtype=plan.target.labels.dtype)
        with_class, others = np.arange(0), np.arange(table.rows)
        notes = notes_on_lacking_counts(table, plan.count)
    codes = np.empty((len(plan.features), len(with_class)), dtype=plan.code_dtype)
    unlabelled = np.empty((len(plan.features), len(others)), dtype=plan.code_dtype)
    present, telling = np.zeros((2, len(plan.features)), dtype=np.int64)
    for place, feature in enumerate(plan.features):
        every = feature.recode(table)
        codes[place] = every[with_class]
        if len(others):
            unlabelled[place], telling[place] = feature.silence_unseen(every[others])
            present[place] = _count_present(table.columns[feature.name], others)
    return EncodedBlock(
        labels[with_class],
        counts[with_class],
        codes,
        counts[others],
        unlabelled,
        present,
        telling,
        tuple(notes),
        tuple(NumberCells.of(table.columns[name], with_class) for name in plan.numbers) if labelled else (),
    )


def _count_present(column: Column, rows: Integers) -> int:
    return int(np.count_nonzero(~column.is_missing()[rows]))
