"""What is learned from a whole table, and rows encoded with it, some at a time and wherever they are.

A plan made of a prepared table, a condensed one for instance, encodes blocks of the table's rows one by one as
``encode`` encodes them all. Only categories are planned: numbers as they are need all rows together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from probfs.cluster.quantiles import bin_codes, numbers_in_rows, sketch
from probfs.cluster.row_classes import TargetCoding
from probfs.columns.dataset import Dataset, Feature
from probfs.columns.encode import (
    FeatureCoding,
    learn_coding,
    notes_on_features,
    notes_on_unseen,
    refuse_lacking_columns,
    unseen_share,
)
from probfs.columns.prepare import PreparedTable
from probfs.columns.rules import UNKNOWN
from probfs.columns.target import check_target, row_counts
from probfs.columns.texts import TableTexts
from probfs.notes import Note
from probfs.rows.block import Block
from probfs.screening.counting import CodedNumbers
from probfs.tables.arrays import Floats, Integers
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
    edges: Mapping[str, Floats]
    """Of columns that are cut: the bins by which their numbers are tested."""

    @property
    def code_dtype(self) -> np.dtype[Any]:
        """The narrowest dtype that fits the codes of all features."""
        return np.min_scalar_type(max((feature.values for feature in self.features), default=0))

    def notes_on_unseen(self, present: Integers, telling: Integers) -> list[Note]:
        """A note on features whose unlabelled cells mostly hold other values than labelled ones, given the sums of
        ``present`` and ``telling`` of all blocks.
        """
        pairs = zip(self.features, present.tolist(), telling.tolist(), strict=True)
        return notes_on_unseen({own.name: unseen_share(held - told, held) for own, held, told in pairs})


@dataclass(frozen=True, eq=False)
class CodedBlock:
    """A block, and what the driver is told of it."""

    block: Block
    present: Integers
    """For each feature, how many unlabelled cells hold a value."""
    telling: Integers
    """For each feature, how many unlabelled cells hold a value that labelled rows hold, too."""

    def __sizeof__(self) -> int:
        return self.block.__sizeof__()


def plan_encoding(prepared: PreparedTable) -> EncodingPlan:
    """What is learned from the labelled rows of a prepared table, in place of encoding its rows."""
    check_target(prepared)
    features = tuple(learn_coding(prepared, plan)[0] for plan in prepared.features)
    return EncodingPlan(
        features,
        prepared.target.classes,
        TargetCoding.of(prepared.table, prepared.target, prepared.weights, prepared.choice.count),
        prepared.texts,
        prepared.choice.count,
        prepared.table.source,
        tuple(notes_on_features(prepared, {feature.name: feature.distinct for feature in features})),
        {},
    )


def sketch_numbers(table: Table, texts: TableTexts, names: Sequence[str], most: int) -> list[Floats]:
    """A sketch of the numbers of some columns, for the bins by which they are tested."""
    table = texts.read(table)
    return [sketch(numbers_in_rows(table.columns[name]), most) for name in names]


def encode_block(table: Table, plan: EncodingPlan, number: int, labelled: bool = True) -> CodedBlock:
    """Some rows of the planned table, or of a table of further rows without classes."""
    table = plan.texts.read(table)
    counts = row_counts(table, plan.count)
    if labelled:
        texts = plan.target.positions(table)
        labels = plan.target.labels[texts]
        counts = np.where(plan.target.dropped[texts], 0, counts)
        with_class = np.flatnonzero((labels != UNKNOWN) & (counts > 0))
        others = np.flatnonzero((labels == UNKNOWN) & (counts > 0))
    else:
        refuse_lacking_columns(table, [feature.name for feature in plan.features], plan.source)
        labels = np.full(table.rows, UNKNOWN, dtype=plan.target.labels.dtype)
        with_class, others = np.arange(0), np.arange(table.rows)
    # Rows of one class together, as whoever goes through them wants them.
    with_class = with_class[np.argsort(labels[with_class], kind="stable")]
    features, numbers = [], []
    present, telling = np.zeros((2, len(plan.features)), dtype=np.int64)
    for place, coding in enumerate(plan.features):
        column, every = table.columns[coding.name], coding.recode(table).astype(plan.code_dtype)
        unlabelled, telling[place] = coding.silence_unseen(every[others])
        present[place] = np.count_nonzero(~column.is_missing()[others])
        features.append(
            Feature(
                coding.name,
                coding.labels,
                every[with_class],
                unlabelled,
                missing_is_value=coding.missing_is_value,
                nominal=coding.nominal,
            )
        )
        if coding.name in plan.edges:
            edges = plan.edges[coding.name]
            numbers.append(CodedNumbers(place, bin_codes(numbers_in_rows(column)[with_class], edges), edges))
    dataset = Dataset(
        tuple(features), plan.classes, labels[with_class], counts[with_class], counts[others], plan.source
    )
    return CodedBlock(Block(dataset, tuple(numbers), number), present, telling)
