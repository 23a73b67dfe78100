"""The numbers of features that a dataset holds as intervals only: they are tested as numbers, before they were cut."""

from __future__ import annotations

import numpy as np

from probfs.columns.dataset import Dataset
from probfs.columns.prepare import PreparedTable
from probfs.columns.rules import Cut, Measured, Numeric, Quantiles, Rule, Widths, some_numbers
from probfs.screening.number_test import CodedNumbers, NumberBlock
from probfs.tables import number_block
from probfs.tables.number_block import NumberColumn
from probfs.tables.table import Column


def numbers_before_cutting(prepared: PreparedTable, dataset: Dataset) -> list[NumberBlock | CodedNumbers]:
    """The numbers, in labelled rows, of every feature of the dataset that was cut into intervals, on whoever's word.

    ``dataset`` has the rows of the prepared table in their order: it is encoded, and not yet arranged for a classifier.
    """
    if len(dataset.labels) != prepared.labelled_rows:
        raise ValueError("the dataset has other rows than the table")
    position = {feature.name: place for place, feature in enumerate(dataset.features)}
    coded: list[CodedNumbers] = []
    blocks: dict[number_block.NumberBlock, tuple[list[int], list[int]]] = {}
    for plan in prepared.features:
        feature = position.get(plan.name)
        if feature is None or not cuts_numbers(plan.rule):
            continue
        column = prepared.table.columns[plan.name]
        if isinstance(column, NumberColumn):
            features, lines = blocks.setdefault(column.block, ([], []))
            features.append(feature)
            lines.append(column.line)
        else:
            coded.append(_coded_numbers(prepared, column, feature))
    return [*(_numbers_of_block(prepared, block, *own) for block, own in blocks.items()), *coded]


def cuts_numbers(rule: Rule | Measured) -> bool:
    """Whether a rule makes intervals of numbers."""
    return isinstance(rule.fallback if isinstance(rule, Numeric) else rule, (Cut, Quantiles, Widths))


def _coded_numbers(prepared: PreparedTable, column: Column, feature: int) -> CodedNumbers:
    every = prepared.labelled_rows == column.rows
    codes = column.codes if every else column.codes[prepared.labelled]
    # Texts that are no numbers stand in unlabelled rows only.
    return CodedNumbers(feature, codes, some_numbers(column.values, column.kind))


def _numbers_of_block(
    prepared: PreparedTable, block: number_block.NumberBlock, features: list[int], lines: list[int]
) -> NumberBlock:
    numbers = block.numbers if lines == list(range(len(block.numbers))) else block.numbers[lines]
    if prepared.labelled_weights is not None:
        numbers = numbers[:, prepared.labelled]
    return NumberBlock(np.array(features, dtype=np.int64), numbers)
