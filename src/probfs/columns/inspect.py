"""What a table holds, column by column, and what a ranking would make of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from probfs.columns.encode import code_of_each_value, number_of_each_row
from probfs.columns.missing import code_for_missing
from probfs.columns.prepare import ColumnPlan, PreparedTable, Role
from probfs.columns.rules import Category, Measured, Quantiles
from probfs.columns.target import check_target
from probfs.errors import DataError
from probfs.notes import Note, NoteKind
from probfs.tables.cells import Kind, texts_of
from probfs.tables.column import Column
from probfs.text import counted


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
    reading: str = ""
    """What the file's texts are read as, where that is not as they stand, with an example; and what may be meant."""
    flags: tuple[str, ...] = ()
    """What a user should look at before the column is ranked: an identifier, leakage, a constant."""


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
    notes: tuple[Note, ...]


def inspect_table(prepared: PreparedTable) -> Inspection:
    """Summarise a prepared table; rows are counted as the count column says."""
    target = prepared.target
    refusals = []
    try:
        check_target(prepared)
    except DataError as error:
        refusals.append(NoteKind.REFUSED.note(f"rank would refuse this: {error.message}", [target.name]))
    for plan in prepared.features:
        column = prepared.table.columns[plan.name]
        takes_numbers = isinstance(plan.rule, (Measured, Quantiles, Category))
        if takes_numbers and column.is_numeric and not np.isinf(column.by_row).any():
            continue
        try:
            if isinstance(plan.rule, Measured):
                number_of_each_row(prepared.table, column, plan.rule)
            else:
                code_of_each_value(prepared.table, column, prepared.learn(column, plan.rule))
        except DataError as error:
            refusals.append(NoteKind.REFUSED.note(f"rank would refuse this: {error}", [plan.name]))
    return Inspection(
        prepared.table.source,
        target.name,
        target.reason,
        sum(target.class_rows),
        int(prepared.weights[prepared.unlabelled].sum()),
        dict(zip(target.classes, target.class_rows, strict=True)),
        tuple(_summary(prepared, plan) for plan in prepared.plans),
        (*prepared.notes, *prepared.trust_notes, *refusals),
    )


def kind_of(column: Column) -> str:
    """What a column looks like: numbers, dates, a declared list of values, or text."""
    if column.is_nominal:
        return "nominal"
    if column.kind is not Kind.TEXT:
        return str(column.kind.value)
    return "number" if column.distinct() and column.numbers() is not None else "text"


def _summary(prepared: PreparedTable, plan: ColumnPlan) -> ColumnSummary:
    every = prepared.table.columns[plan.name]
    # The most frequent number is among the known ones.
    column = every.of_known_numbers()
    counts = column.counts(prepared.weights)
    present = counts[:-1] if column.problem is None else np.zeros(1, dtype=np.int64)
    top = int(present.argmax()) if present.any() else None
    return ColumnSummary(
        column.name,
        kind_of(column),
        every.distinct(prepared.weights) if column is not every else int(np.count_nonzero(present)),
        int(counts[-1]),
        None if top is None else texts_of(column.entries[top : top + 1])[0].as_py(),
        0 if top is None else int(present[top]),
        f"target ({prepared.target.reason})" if plan.role is Role.TARGET else plan.describe(),
        prepared.texts.columns[plan.name].describe() if plan.name in prepared.texts.columns else "",
        tuple(_flags(prepared, plan)),
    )


def _flags(prepared: PreparedTable, plan: ColumnPlan) -> Iterator[str]:
    """What is remarkable about a column that could be ranked."""
    if plan.role not in (Role.FEATURE, Role.LEFT_OUT):
        return
    if plan.identifier:
        yield "identifier" if plan.role is Role.LEFT_OUT else f"identifier? {plan.identifier}"
    if plan.name in prepared.leaks:
        yield f"leakage? {prepared.leaks[plan.name].describe()}"
    if plan.missing_is_value and prepared.choice.missing == "auto":
        yield "missing cells tell the class"
    profile = prepared.profiles.get(plan.name)
    code = None if profile is None else code_for_missing(prepared.table.columns[plan.name], profile)
    if code is not None:
        yield f"missing? {code[0]} in {counted(code[1], 'row')}"
    if prepared.table.columns[plan.name].problem is not None and plan.role is Role.FEATURE:
        yield "refused"
    elif profile is not None and not profile.distinct and prepared.labelled_rows:
        yield "empty"
    elif profile is not None and profile.distinct == 1 and not profile.missing:
        yield "constant"
