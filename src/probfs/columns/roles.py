"""What each column of a table is for: on the user's word, the mapping's, or by what it holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np

from probfs.columns.choice import CUT_ABOVE, ColumnChoice
from probfs.columns.identifiers import identifier_reason
from probfs.columns.mapping import ColumnMapping
from probfs.columns.rules import Category, Groups, Measured, Numeric, Quantiles, Rule
from probfs.notes import Note, NoteKind
from probfs.tables.arrays import Integers, index_array, is_number
from probfs.tables.cells import Kind
from probfs.tables.column import Column
from probfs.tables.table import Profile, Table
from probfs.text import counted, listed, option, quoted

MOST_IDENTIFIERS_EXPLAINED = 6
"""In one note."""
_NEARLY_ALL = 0.9


class Role(Enum):
    """What a column is there for."""

    TARGET = "target"
    COUNT = "count"
    FEATURE = "feature"
    LEFT_OUT = "left out"


@dataclass(frozen=True)
class ColumnPlan:
    """What will be done with a column, and on whose word."""

    name: str
    role: Role
    reason: str
    rule: Rule | Measured = field(default_factory=Category)
    identifier: str = ""
    """Why the column looks like an identifier, ranked or not; empty if it does not."""
    missing_is_value: bool = False
    """Whether a missing cell counts as a value of its own."""

    def describe(self) -> str:
        what = self.rule.describe() if self.role is Role.FEATURE else self.role.value
        if self.missing_is_value:
            what += ", missing as a value"
        return f"{what} ({self.reason})" if self.reason else what


@dataclass(frozen=True, eq=False)
class RowFacts:
    """How rows count, and what columns hold in those that do."""

    counts: Integers | None
    """How many equal rows each row stands for; None where each is one."""
    labelled_weights: Integers | None
    """The same for labelled rows, 0 for all others; None where all rows are labelled and stand for one."""
    every: Mapping[str, Profile]
    """What columns hold in all rows."""
    labelled: Mapping[str, Profile]
    """What they hold in labelled rows."""


def plan_columns(
    table: Table,
    mapping: ColumnMapping,
    choice: ColumnChoice,
    target: str,
    rows: RowFacts,
) -> tuple[tuple[ColumnPlan, ...], tuple[Note, ...]]:
    """What each column is for, and notes on what a user should know of that."""
    left_out = dict.fromkeys(mapping.drop, "dropped by the mapping") | dict.fromkeys(choice.exclude, option("exclude"))
    if choice.include:
        included = set(choice.include)
        left_out |= {name: option("include") for name in table.columns if name not in included and name not in left_out}
    plans: list[ColumnPlan] = []
    almost: list[str] = []
    for column in table.columns.values():
        if column.name == target:
            plans.append(ColumnPlan(target, Role.TARGET, ""))
        elif column.name == choice.count:
            plans.append(ColumnPlan(column.name, Role.COUNT, option("count")))
        elif column.name in left_out:
            plans.append(ColumnPlan(column.name, Role.LEFT_OUT, left_out[column.name]))
        elif (identifier := identifier_reason(column, rows.every[column.name], rows.counts)) and not _wanted(
            column.name, mapping, choice
        ):
            reason = f"identifier: {identifier}"
            plans.append(ColumnPlan(column.name, Role.LEFT_OUT, reason, identifier=identifier))
        else:
            plan, nearly = _feature_plan(column, mapping.columns.get(column.name), choice, rows)
            plans.append(replace(plan, identifier=identifier) if identifier else plan)
            if nearly:
                almost.append(column.name)
    notes = [
        NoteKind.UNKNOWN_MEMBERS.note(
            f"column {quoted(name)} holds none of {listed(unknown)}, which the groups of {mapping.source} name", [name]
        )
        for name, unknown in _unknown_members(table, mapping)
    ]
    if almost:
        problem = f"nearly all values are numbers, but not all, so ranked as categories: {listed(almost)}"
        message = f"{problem}; name the others with {option('na')}, or map the column"
        notes.append(NoteKind.NEARLY_NUMBERS.note(message, almost))
    return tuple(plans), (*notes, *_notes_on_identifiers(plans))


def _wanted(name: str, mapping: ColumnMapping, choice: ColumnChoice) -> bool:
    """Whether the user wants a column ranked even if it looks like an identifier."""
    return choice.keep_identifiers or name in choice.include or name in mapping.columns


def _notes_on_identifiers(plans: Sequence[ColumnPlan]) -> Iterator[Note]:
    """Which identifiers are left out and how to keep them, and which are ranked on the user's word."""
    identifiers = [plan for plan in plans if plan.identifier]
    for role in (Role.LEFT_OUT, Role.FEATURE):
        found = [plan for plan in identifiers if plan.role is role]
        if not found:
            continue
        shown = [f"{quoted(plan.name)} ({plan.identifier})" for plan in found[:MOST_IDENTIFIERS_EXPLAINED]]
        columns = [plan.name for plan in found]
        names = ", ".join(shown) + (f" and {len(found) - len(shown):,} more" if len(found) > len(shown) else "")
        if role is Role.LEFT_OUT:
            keep = option("keep_identifiers", True)
            message = f"left out, as identifiers tell rows apart, not classes: {names}; {keep} ranks them"
            yield NoteKind.IDENTIFIER.note(message, columns)
        else:
            message = f"ranked, but they look like identifiers: {names}; {option('exclude')} leaves them out"
            yield NoteKind.IDENTIFIER_RANKED.note(message, columns)


def _unknown_members(table: Table, mapping: ColumnMapping) -> Iterator[tuple[str, list[str]]]:
    """Values that a mapping groups and the table does not hold: misspelt, perhaps."""
    for name, rule in mapping.columns.items():
        if isinstance(rule, Groups):
            held = set(table.columns[name].values.to_pylist())
            unknown = [value for values in rule.groups.values() for value in values if value not in held]
            if unknown:
                yield name, unknown


def _feature_plan(column: Column, rule: Rule | None, choice: ColumnChoice, rows: RowFacts) -> tuple[ColumnPlan, bool]:
    """The plan for a feature, and whether nearly all of its values, but not all, are numbers."""

    def plan(what: Rule | Measured, reason: str = "") -> ColumnPlan:
        return ColumnPlan(column.name, Role.FEATURE, reason, what)

    seen = rows.labelled[column.name].distinct
    many, measures = seen > CUT_ABOVE, choice.numbers_as_they_are
    if rule is not None and not isinstance(rule, Numeric):
        return plan(rule, "mapping"), False
    if rule is not None:
        numeric = Measured() if measures else Numeric(Quantiles(choice.bins) if many else Category())
        return plan(numeric, "mapping"), False
    if column.is_nominal or column.problem is not None or not (many or measures):
        return plan(Category()), False
    if column.kind in (Kind.NUMBER, Kind.DATE):
        # What is done with numbers of which nobody said anything.
        guess = Measured(strict=False) if measures else Quantiles(choice.bins, strict=False)
        what = "date" if column.kind is Kind.DATE else "number"
        infinite = f"; the infinite one needs {option('na')}" if _holds_infinity(column, rows.labelled_weights) else ""
        return plan(guess, counted(seen, what) + infinite), False
    values = column.values.take(index_array(np.flatnonzero(column.counts(rows.labelled_weights)[:-1])))
    # If all are numbers, a leading zero makes them names, like postal codes.
    return plan(Category()), many and bool(_NEARLY_ALL <= is_number(values).mean() < 1)


def _holds_infinity(column: Column, weights: Integers | None) -> bool:
    """Whether a row of positive weight holds an infinite number."""
    if column.kind is Kind.DATE:
        return False
    if not column.is_numeric:
        numbers = column.numbers()
        return numbers is not None and bool(np.any(np.isinf(numbers) & (column.counts(weights)[:-1] > 0)))
    infinite = np.isinf(column.by_row)
    return bool(np.any(infinite if weights is None else infinite & (weights > 0)))
