"""What a table holds, column by column, and what a ranking would make of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probfs.columns.prepare import PreparedTable
from probfs.columns.recoding import new_code_of_each_value, number_of_each_row
from probfs.columns.roles import Role
from probfs.columns.rules import Measured
from probfs.errors import DataError
from probfs.tables.table import Column, Integers, Kind


@dataclass(frozen=True)
class ColumnSummary:
    """One column: its kind, how many distinct values and missing cells, the most frequent value, and its use."""

    column: str
    kind: str
    distinct: int
    missing: int
    most_frequent: str | None
    frequency: int
    use: str


@dataclass(frozen=True)
class Inspection:
    """A table's columns, its class balance and its rows."""

    source: str
    target: str
    target_reason: str
    labelled_rows: int
    unlabelled_rows: int
    classes: dict[str, int]
    columns: tuple[ColumnSummary, ...]
    notes: tuple[str, ...]


def inspect_table(prepared: PreparedTable) -> Inspection:
    """Summarise a prepared table; rows are counted as the count column says."""
    weights = prepared.weights
    by_class = np.bincount(
        prepared.target.labels[prepared.labelled],
        weights=weights[prepared.labelled],
        minlength=len(prepared.target.classes),
    )
    columns = tuple(
        _summary(
            prepared.table.columns[plan.name],
            weights,
            f"target ({prepared.target.reason})" if plan.role is Role.TARGET else plan.describe(),
        )
        for plan in prepared.plans
    )
    return Inspection(
        prepared.table.source,
        prepared.target.name,
        prepared.target.reason,
        int(weights[prepared.labelled].sum()),
        int(weights[prepared.unlabelled].sum()),
        {name: int(rows) for name, rows in zip(prepared.target.classes, by_class, strict=True)},
        columns,
        (*prepared.notes, *_refusals(prepared)),
    )


def _refusals(prepared: PreparedTable) -> list[str]:
    """What a ranking would refuse because a column does not hold what its rule needs."""
    refusals = []
    for plan in prepared.features:
        column = prepared.table.columns[plan.name]
        try:
            if isinstance(plan.rule, Measured):
                number_of_each_row(prepared.table, column, plan.rule)
            else:
                new_code_of_each_value(prepared.table, column, prepared.learn(column, plan.rule))
        except DataError as error:
            refusals.append(f"rank would refuse this: {error}")
    return refusals


def kind_of(column: Column) -> str:
    """What a column looks like: numbers, dates, a declared list of values, or text."""
    if column.declared:
        return "nominal"
    if column.kind is not Kind.TEXT:
        return str(column.kind.value)
    return "number" if len(column.values) and column.numbers() is not None else "text"


def _summary(column: Column, weights: Integers, use: str) -> ColumnSummary:
    counts = column.counts(weights)
    present = counts[:-1] if column.problem is None else np.zeros(1, dtype=np.int64)
    top = int(present.argmax()) if present.any() else None
    return ColumnSummary(
        column.name,
        kind_of(column),
        int(np.count_nonzero(present)),
        int(counts[-1]),
        None if top is None else column.values[top].as_py(),
        0 if top is None else int(present[top]),
        use,
    )
