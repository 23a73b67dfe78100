"""What each column of a table is for: on the user's word, the mapping's, or by what it holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from probfs.columns.limits import CUT_ABOVE, DEFAULT_BINS
from probfs.columns.mapping_file import MappingFile
from probfs.columns.rules import Category, Groups, Measured, Numeric, Quantiles, Rule
from probfs.errors import UsageError
from probfs.tables.arrow_arrays import index_array
from probfs.tables.table import Column, Integers, Kind, Table, is_number, numbers_of
from probfs.text import counted, listed, option, quoted


@dataclass(frozen=True)
class ColumnChoice:
    """What the user says of columns, beside the mapping."""

    target: str | None = None
    count: str | None = None
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    na: Sequence[str] = ()
    bins: int = DEFAULT_BINS
    numbers_as_they_are: bool = False
    """Whether the classifier measures numbers; for one that counts categories they are cut."""
    missing: str = "skip"
    """Whether missing cells are nothing (skip), a value (value), or a value where they tell the class (auto)."""
    cut_target: int | None = None
    """Into how many classes a target of numbers is cut."""
    min_class: int = 1
    """Rows of classes with fewer rows than this are dropped."""

    def __post_init__(self) -> None:
        for name in (self.target, self.count, *self.include, *self.exclude, *self.na):
            if name is not None and any("\ud800" <= character <= "\udfff" for character in name):
                raise UsageError(f"{quoted(name)} is not valid Unicode; write it as your terminal's encoding has it")


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
    missing_is_value: bool = False
    """Whether a missing cell counts as a value of its own."""

    def describe(self) -> str:
        what = self.rule.describe() if self.role is Role.FEATURE else self.role.value
        if self.missing_is_value:
            what += ", missing as a value"
        return f"{what} ({self.reason})" if self.reason else what


def check_choice(mapping: MappingFile, choice: ColumnChoice, target: str) -> None:
    """Refuse options that contradict each other, or the mapping."""
    include, exclude, count, by_target = (option(name) for name in ("include", "exclude", "count", "target"))
    if choice.count is not None and choice.count == target:
        raise UsageError(f"{count}: {quoted(choice.count)} is the target; name the column that holds the counts")
    for name in choice.include:
        if name in choice.exclude or name == choice.count:
            other = count if name == choice.count else exclude
            raise UsageError(f"column {quoted(name)} is named by both {include} and {other}")
        if name in mapping.drop:
            raise UsageError(f"{include}: {quoted(name)} is dropped by the mapping {mapping.source}")
    _check_target_mapping(mapping, choice, target)
    if choice.count is not None and choice.count in mapping.columns:
        problem = f"{quoted(choice.count)} has a rule in {mapping.source}; counts are taken as they are"
        raise UsageError(f"{count}: {problem}")
    for parameter, names in ((include, choice.include), (exclude, choice.exclude)):
        if target in names:
            raise UsageError(f"{parameter}: {quoted(target)} is the target; name another with {by_target}")


def _check_target_mapping(mapping: MappingFile, choice: ColumnChoice, target: str) -> None:
    """Refuse what a mapping may say of a feature, but not of the target."""
    by_target, name = option("target"), quoted(target)
    if target in mapping.drop:
        raise UsageError(f"{by_target}: {name} is dropped by the mapping {mapping.source}")
    if isinstance(mapping.columns.get(target), Numeric):
        raise UsageError(f"{by_target}: {name} is numeric in {mapping.source}, but classes are needed; cut it")
    if target in mapping.missing_cells:
        problem = f"{name} has 'missing' in {mapping.source}, but its missing cells are unlabelled rows"
        raise UsageError(f"{by_target}: {problem}; take that out, or name another target")
    if choice.cut_target is not None and target in mapping.columns:
        raise UsageError(f"{option('cut_target')}: {name} has a rule in {mapping.source}; keep one of the two")


def plan_columns(
    table: Table, mapping: MappingFile, choice: ColumnChoice, target: str, labelled_weights: Integers | None
) -> tuple[tuple[ColumnPlan, ...], tuple[str, ...]]:
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
        else:
            plan, nearly = _feature_plan(column, mapping.columns.get(column.name), choice, labelled_weights)
            plans.append(plan)
            if nearly:
                almost.append(column.name)
    notes = [
        f"column {quoted(name)} holds none of {listed(unknown)}, which the groups of {mapping.source} name"
        for name, unknown in _unknown_members(table, mapping)
    ]
    if almost:
        note = f"nearly all values are numbers, but not all, so ranked as categories: {listed(almost)}"
        notes.append(f"{note}; name the others with {option('na')}, or map the column")
    return tuple(plans), tuple(notes)


def _unknown_members(table: Table, mapping: MappingFile) -> Iterator[tuple[str, list[str]]]:
    """Values that a mapping groups and the table does not hold: misspelt, perhaps."""
    for name, rule in mapping.columns.items():
        if isinstance(rule, Groups):
            held = set(table.columns[name].values.to_pylist())
            unknown = [value for values in rule.groups.values() for value in values if value not in held]
            if unknown:
                yield name, unknown


def _feature_plan(
    column: Column, rule: Rule | None, choice: ColumnChoice, weights: Integers | None
) -> tuple[ColumnPlan, bool]:
    """The plan for a feature, and whether nearly all of its values, but not all, are numbers."""

    def plan(what: Rule | Measured, reason: str = "") -> ColumnPlan:
        return ColumnPlan(column.name, Role.FEATURE, reason, what)

    if rule is not None and not isinstance(rule, Numeric):
        return plan(rule, "mapping"), False
    seen = column.values.take(index_array(np.flatnonzero(column.counts(weights)[:-1])))
    many = len(seen) > CUT_ABOVE
    if rule is not None:
        numeric = Measured() if choice.numbers_as_they_are else Numeric(Quantiles(choice.bins) if many else Category())
        return plan(numeric, "mapping"), False
    if column.declared or not (many or choice.numbers_as_they_are):
        return plan(Category()), False
    numbers = numbers_of(seen, column.kind)
    if numbers is not None:
        infinite = "" if np.isfinite(numbers).all() else f"; the infinite one needs {option('na')}"
        guess = Measured(strict=False) if choice.numbers_as_they_are else Quantiles(choice.bins, strict=False)
        return plan(guess, counted(len(seen), "number") + infinite), False
    # If all are numbers, a leading zero makes them names, like postal codes.
    nearly = many and column.kind is Kind.TEXT and 0.9 <= is_number(seen).mean() < 1
    return plan(Category()), bool(nearly)
