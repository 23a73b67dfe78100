"""What each column of a table is for: on the user's word, the mapping's, or by what it holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np

from probfs.columns.identifiers import identifier_reason
from probfs.columns.limits import CUT_ABOVE, DEFAULT_BINS
from probfs.columns.mapping_file import MappingFile
from probfs.columns.rules import Category, Groups, Measured, Numeric, Quantiles, Rule
from probfs.errors import UsageError
from probfs.notes import Note, NoteKind
from probfs.tables.arrow_arrays import index_array
from probfs.tables.number_block import NumberColumn
from probfs.tables.summarized_column import SummarizedColumn
from probfs.tables.table import Column, Integers, Kind, Table, is_number, numbers_of
from probfs.text import counted, listed, nearest_name, option, quoted

MOST_IDENTIFIERS_EXPLAINED = 6
"""In one note."""


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
    keep_identifiers: bool = False
    """Whether columns that look like identifiers are ranked, too."""
    missing: str = "skip"
    """Whether missing cells are nothing (skip), a value (value), or a value where they tell the class (auto)."""
    cut_target: int | None = None
    """Into how many classes a target of numbers is cut."""
    min_class: int = 1
    """Rows of classes with fewer rows than this are dropped."""
    types_order_categories: bool = True
    """Whether categories stand in the order that their column's type may give them, and not always in that of their
    texts."""

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
    identifier: str = ""
    """Why the column looks like an identifier, ranked or not; empty if it does not."""
    missing_is_value: bool = False
    """Whether a missing cell counts as a value of its own."""

    def describe(self) -> str:
        what = self.rule.describe() if self.role is Role.FEATURE else self.role.value
        if self.missing_is_value:
            what += ", missing as a value"
        return f"{what} ({self.reason})" if self.reason else what


def resolve_names(table: Table, names: Sequence[str], parameter: str) -> tuple[str, ...]:
    """The columns that a user names; ``a,b`` names two columns where none is called so."""
    return tuple(dict.fromkeys(column for name in names for column in _columns_named(table, name, parameter)))


def _columns_named(table: Table, name: str, parameter: str) -> list[str]:
    if parameter == "exclude" and name in table.left_out:
        # An index column, which was left out already.
        return []
    if not name and name not in table.columns:
        raise UsageError(f"{option(parameter)}: the name is empty; name a column, or leave the option out")
    if name in table.columns or "," not in name:
        return [table.column(name, parameter).name]
    found, unknown = _split_name(name, table)
    if unknown or not found:
        # A column whose own name holds a comma may be misspelt as a whole.
        near = nearest_name(name, table.columns)
        misspelt = not unknown or (near is not None and "," in near)
        table.column(name if misspelt else unknown[0], parameter)
    return found


def _split_name(name: str, table: Table) -> tuple[list[str], list[str]]:
    """The columns between the commas of a name, and the parts that are none."""
    parts = name.split(",")
    # Columns may hold commas in their own names: the longest that fits counts.
    most_parts = 1 + max(column.count(",") for column in table.columns)
    found: list[str] = []
    unknown: list[str] = []
    start = 0
    while start < len(parts):
        ends = range(min(start + most_parts, len(parts)), start, -1)
        candidates = ((end, ",".join(parts[start:end])) for end in ends)
        spelt = ((end, text) for end, part in candidates for text in (part, part.strip()) if text in table.columns)
        end, column = next(spelt, (start + 1, None))
        if column is not None:
            found.append(column)
        elif parts[start].strip():
            unknown.append(parts[start].strip())
        start = end
    return found, unknown


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
    table: Table,
    mapping: MappingFile,
    choice: ColumnChoice,
    target: str,
    labelled_weights: Integers | None,
    weights: Integers | None = None,
) -> tuple[tuple[ColumnPlan, ...], tuple[Note, ...]]:
    """What each column is for, and notes on what a user should know of that.

    ``weights`` says how many equal rows each row stands for; None where each is one.
    """
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
        elif (identifier := identifier_reason(column, weights)) and not _wanted(column.name, mapping, choice):
            reason = f"identifier: {identifier}"
            plans.append(ColumnPlan(column.name, Role.LEFT_OUT, reason, identifier=identifier))
        else:
            plan, nearly = _feature_plan(column, mapping.columns.get(column.name), choice, labelled_weights)
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


def _wanted(name: str, mapping: MappingFile, choice: ColumnChoice) -> bool:
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


def _unknown_members(table: Table, mapping: MappingFile) -> Iterator[tuple[str, list[str]]]:
    """Values that a mapping groups and the table does not hold: misspelt, perhaps."""
    for name, rule in mapping.columns.items():
        if isinstance(rule, Groups):
            held = set(table.columns[name].values.to_pylist())
            unknown = [value for values in rule.groups.values() for value in values if value not in held]
            if unknown:
                yield name, unknown


def _plan_of_numbers(column: Column, choice: ColumnChoice, weights: Integers | None) -> ColumnPlan:
    """The plan for a feature without a rule of which it is known that all values are finite numbers."""
    seen = column.distinct(weights)
    if not (seen > CUT_ABOVE or choice.numbers_as_they_are):
        return ColumnPlan(column.name, Role.FEATURE, "")
    return ColumnPlan(column.name, Role.FEATURE, counted(seen, "number"), _guess(choice))


def _guess(choice: ColumnChoice) -> Rule | Measured:
    """What is done with numbers of which nobody said anything."""
    return Measured(strict=False) if choice.numbers_as_they_are else Quantiles(choice.bins, strict=False)


def _feature_plan(
    column: Column, rule: Rule | None, choice: ColumnChoice, weights: Integers | None
) -> tuple[ColumnPlan, bool]:
    """The plan for a feature, and whether nearly all of its values, but not all, are numbers."""

    def plan(what: Rule | Measured, reason: str = "") -> ColumnPlan:
        return ColumnPlan(column.name, Role.FEATURE, reason, what)

    if rule is not None and not isinstance(rule, Numeric):
        return plan(rule, "mapping"), False
    if isinstance(column, (NumberColumn, SummarizedColumn)) and rule is None:
        return _plan_of_numbers(column, choice, weights), False
    seen = column.values.take(index_array(np.flatnonzero(column.counts(weights)[:-1])))
    many = len(seen) > CUT_ABOVE
    if rule is not None:
        numeric = Measured() if choice.numbers_as_they_are else Numeric(Quantiles(choice.bins) if many else Category())
        return plan(numeric, "mapping"), False
    if column.is_nominal or not (many or choice.numbers_as_they_are):
        return plan(Category()), False
    numbers = numbers_of(seen, column.kind)
    if numbers is not None:
        infinite = "" if np.isfinite(numbers).all() else f"; the infinite one needs {option('na')}"
        what = "date" if column.kind is Kind.DATE else "number"
        return plan(_guess(choice), counted(len(seen), what) + infinite), False
    # If all are numbers, a leading zero makes them names, like postal codes.
    nearly = many and column.kind is Kind.TEXT and 0.9 <= is_number(seen).mean() < 1
    return plan(Category()), bool(nearly)
