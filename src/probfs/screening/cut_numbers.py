"""The numbers of features that a dataset holds as intervals only: they are tested as numbers, before they were cut."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from probfs.columns.dataset import Dataset
from probfs.columns.prepare import PreparedTable
from probfs.columns.rules import cuts_numbers, some_numbers
from probfs.screening.number_test import CodedNumbers, NumberBlock
from probfs.tables.cells import encode_cells
from probfs.tables.column import Column
from probfs.tables.table import number_groups, number_matrix

_REPEATED = 4
"""Rows for each different number, above which sorting the numbers alone is faster than sorting the rows."""


def numbers_before_cutting(prepared: PreparedTable, dataset: Dataset) -> Iterator[NumberBlock | CodedNumbers]:
    """The numbers, in labelled rows, of every feature of the dataset that was cut into intervals, on whoever's word.

    ``dataset`` has the rows of the prepared table in their order: it is encoded, and not yet arranged for a classifier.
    """
    if len(dataset.labels) != prepared.labelled_rows:
        raise ValueError("the dataset has other rows than the table")
    position = {feature.name: place for place, feature in enumerate(dataset.features)}
    cut = [
        prepared.table.columns[plan.name]
        for plan in prepared.features
        if plan.name in position and cuts_numbers(plan.rule)
    ]
    many = []
    for column in cut:
        distinct = prepared.facts.labelled[column.name].distinct
        if column.is_numeric and distinct * _REPEATED > column.rows:
            many.append(column)
        else:
            yield _coded_numbers(prepared, column, position[column.name])
    rows = slice(None) if prepared.labelled_weights is None else prepared.labelled
    for group in number_groups(many):
        features = np.array([position[column.name] for column in group], dtype=np.int64)
        yield NumberBlock(features, number_matrix(group)[:, rows])


def _coded_numbers(prepared: PreparedTable, column: Column, feature: int) -> CodedNumbers:
    # Not the column's own codes, which it would keep.
    codes, entries = encode_cells(column.cells, column.kind) if column.is_numeric else (column.codes, column.entries)
    if prepared.labelled_rows != column.rows:
        codes = codes[prepared.labelled]
    # Texts that are no numbers stand in unlabelled rows only.
    return CodedNumbers(feature, codes, some_numbers(entries, column.kind))
