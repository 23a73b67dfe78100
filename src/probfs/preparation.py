"""Table + mapping + the user's choice of columns -> what each column is for, and the class and weight of each row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from probfs.arrays import index_array, mask_array, numpy_array, text_array
from probfs.errors import DataError, UsageError
from probfs.mapping import MappingFile
from probfs.rules import UNKNOWN, Category, Coder, Groups, Numeric, Quantiles, Rule, Seen, UnfitValueError, short_number
from probfs.table import Column, Integers, Kind, Table, code_type, is_number, numbers_of
from probfs.text import listed, quoted

CUT_ABOVE = 20
"""A numeric column with more distinct values than this is cut before Naive Bayes counts it."""

MOST_CLASSES_OF_NUMBERS = 50
"""A target of more distinct numbers than this, of which nobody said that they are classes, is taken for a quantity."""

MOST_ROWS = 2**53


@dataclass(frozen=True)
class ColumnChoice:
    """What the command line says of columns."""

    target: str | None = None
    count: str | None = None
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    na: Sequence[str] = ()
    bins: int = 5

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
    rule: Rule = field(default_factory=Category)

    def describe(self) -> str:
        what = self.rule.describe() if self.role is Role.FEATURE else self.role.value
        return f"{what} ({self.reason})" if self.reason else what


@dataclass(frozen=True, eq=False)
class Prepared:
    """A table whose missing cells are marked, whose rows have a class and a weight, and whose columns have a plan."""

    table: Table
    target: str
    target_reason: str
    classes: tuple[str, ...]
    labels: Integers
    """Each row's position in ``classes``, or UNKNOWN for an unlabelled row."""
    weights: Integers
    """How many equal rows each row stands for."""
    plans: tuple[ColumnPlan, ...]
    notes: tuple[str, ...]
    classes_declared: bool
    """Whether the classes are the user's word (a rule, an ARFF nominal), not just what the column holds."""

    @cached_property
    def labelled(self) -> npt.NDArray[np.intp]:
        return np.flatnonzero((self.labels != UNKNOWN) & (self.weights > 0))

    @cached_property
    def unlabelled(self) -> npt.NDArray[np.intp]:
        return np.flatnonzero((self.labels == UNKNOWN) & (self.weights > 0))

    @property
    def features(self) -> tuple[ColumnPlan, ...]:
        return tuple(plan for plan in self.plans if plan.role is Role.FEATURE)

    @cached_property
    def labelled_weights(self) -> Integers:
        """The weight of each row as a labelled one: 0 where it has no label."""
        return np.where(self.labels == UNKNOWN, 0, self.weights)

    def learn(self, column: Column, rule: Rule) -> Coder:
        return learn(self.table, column, rule, self.labelled_weights)


def prepare(table: Table, mapping: MappingFile, choice: ColumnChoice) -> Prepared:
    """Decide what every column is for, and read the target and the row counts."""
    mapping.check_names(table.columns, table.source)
    for option, names in (("--include", choice.include), ("--exclude", choice.exclude)):
        for name in names:
            table.column(name, option)
    table = without_missing_texts(table, (*choice.na, *mapping.missing))
    target, why = _target(table, mapping, choice)
    if choice.count is not None:
        table.column(choice.count, "--count")
        if choice.count == target:
            raise UsageError(f"--count: {quoted(choice.count)} is the target; name the column that holds the counts")
    _check_choice(mapping, choice, target)
    weights = row_counts(table, choice.count)
    column = table.columns[target]
    coder = learn(table, column, mapping.columns.get(target, Category()), weights)
    labels = _assign(table, column, coder)
    present = np.bincount(labels[(labels != UNKNOWN) & (weights > 0)], minlength=len(coder.labels)) > 0
    classes, labels = _sorted_classes(coder.labels, labels, present)
    labelled_weights = np.where(labels == UNKNOWN, 0, weights)
    declared = column.declared or target in mapping.columns
    plans, notes = _plan(table, mapping, choice, target, labelled_weights)
    return Prepared(table, target, why, classes, labels, weights, plans, (*table.notes, *notes), declared)


def apply_mapping(prepared: Prepared, mapping: MappingFile) -> Table:
    """The table with the mapping's rules applied and its dropped columns left out."""
    table = prepared.table
    columns = {}
    for name, column in table.columns.items():
        rule = mapping.columns.get(name)
        if name in mapping.drop:
            continue
        if rule is None or isinstance(rule, Numeric):
            columns[name] = column
        else:
            columns[name] = recoded(table, column, prepared.learn(column, rule))
    return Table(table.source, columns, table.rows, table.lines)


def without_missing_texts(table: Table, texts: Sequence[str]) -> Table:
    """The table with the cells that hold one of ``texts`` made missing."""
    if not texts:
        return table
    unwanted = text_array(list(texts))
    numbers = [short_number(float(text)) for text in texts if is_number(text_array([text])).all()]
    # Where the file says numbers, 999.0 names the cell that is kept as 999.
    unwanted_numbers = text_array([*texts, *numbers])
    columns = {
        name: _without(column, unwanted_numbers if column.kind is Kind.NUMBER else unwanted)
        for name, column in table.columns.items()
    }
    return Table(table.source, columns, table.rows, table.lines, table.target_hint, table.notes)


def row_counts(table: Table, name: str | None) -> Integers:
    """How many equal rows each row stands for."""
    if name is None or name not in table.columns:
        return np.ones(table.rows, dtype=np.int64)
    column = table.columns[name]
    numbers = np.zeros(len(column.values) + 1, dtype=np.int64)
    for code, text in enumerate(column.values.to_pylist()):
        whole = text.strip().removesuffix(".0")
        if not (whole.isascii() and whole.isdigit() and len(whole) <= 15):
            raise table.cell_error(
                column, code, f"{quoted(text)} is no row count; whole numbers of up to 15 digits are"
            )
        numbers[code] = int(whole)
    if len(column.values) in column.codes:
        raise table.cell_error(column, len(column.values), "the row count is missing; write 0 for no row")
    weights: Integers = numbers[column.codes]
    if weights.sum(dtype=np.float64) > MOST_ROWS:
        raise DataError(f"column {quoted(name)}: the counts add up to more than 2^53 rows", source=table.source)
    return weights


def learn(table: Table, column: Column, rule: Rule, weights: Integers) -> Coder:
    """What a rule learns from the rows of positive weight; a value it cannot take is an error with its line."""
    counts = column.counts(weights)[:-1]
    codes = np.flatnonzero(counts)
    declared = column.values if column.declared else None
    seen = Seen(column.values.take(index_array(codes)), counts[codes], column.kind, declared)
    try:
        return rule.learn(seen)
    except UnfitValueError as error:
        raise table.cell_error(column, int(codes[error.position]), error.problem) from error


def recoded(table: Table, column: Column, coder: Coder) -> Column:
    """The column with its values replaced by a learned rule's labels."""
    codes = _assign(table, column, coder)
    distinct = len(coder.labels)
    narrow = np.where(codes == UNKNOWN, distinct, codes).astype(code_type(distinct))
    return Column(column.name, narrow, coder.labels, declared=True)


def _assign(table: Table, column: Column, coder: Coder) -> Integers:
    """The label's position for every row, UNKNOWN for a missing cell or a value without a place."""
    try:
        by_value = coder.assign(column.values)
    except UnfitValueError as error:
        raise table.cell_error(column, error.position, error.problem) from error
    return np.append(by_value, UNKNOWN)[column.codes]


def _without(column: Column, unwanted: pa.StringArray) -> Column:
    gone = numpy_array(pc.is_in(column.values, value_set=unwanted))
    if not gone.any():
        return column
    kept = int((~gone).sum())
    renumbered = np.full(len(gone) + 1, kept, dtype=code_type(kept))
    renumbered[np.flatnonzero(~gone)] = np.arange(kept)
    values = column.values.filter(mask_array(~gone))
    return Column(column.name, renumbered[column.codes], values, column.kind, column.declared)


def _target(table: Table, mapping: MappingFile, choice: ColumnChoice) -> tuple[str, str]:
    """The column to predict, and who said so."""
    if choice.target is not None:
        return table.column(choice.target, "--target").name, "by --target"
    if mapping.target is not None:
        return mapping.target, "by the mapping"
    unwanted = {*mapping.drop, *choice.exclude}
    if table.target_hint is not None and table.target_hint[0] not in unwanted:
        return table.target_hint
    free = [name for name in table.columns if name != choice.count and name not in unwanted]
    if not free:
        raise UsageError(f"no column of {table.source} is left to be the target; name one with --target")
    last = free[-1] == list(table.columns)[-1]
    return free[-1], "the last column" if last else "the last column that is not left out"


def _sorted_classes(
    labels: pa.StringArray, codes: Integers, present: npt.NDArray[np.bool_]
) -> tuple[tuple[str, ...], Integers]:
    """The classes that occur, in the order of their names, and the rows' codes in that order."""
    names = labels.to_pylist()
    order = sorted(np.flatnonzero(present).tolist(), key=lambda code: names[code])
    position = np.full(len(names) + 1, UNKNOWN)
    position[order] = np.arange(len(order))
    # A code of UNKNOWN (-1) picks the entry at the end, which stays UNKNOWN.
    return tuple(names[code] for code in order), position[codes]


def _check_choice(mapping: MappingFile, choice: ColumnChoice, target: str) -> None:
    """Complain about options that contradict each other, or the mapping."""
    for name in choice.include:
        if name in choice.exclude or name == choice.count:
            other = "--count" if name == choice.count else "--exclude"
            raise UsageError(f"column {quoted(name)} is named by both --include and {other}")
        if name in mapping.drop:
            raise UsageError(f"--include: {quoted(name)} is dropped by the mapping {mapping.source}")
    if target in mapping.drop:
        raise UsageError(f"--target: {quoted(target)} is dropped by the mapping {mapping.source}")
    if isinstance(mapping.columns.get(target), Numeric):
        raise UsageError(f"--target: {quoted(target)} is numeric in {mapping.source}, but classes are needed; cut it")
    if choice.count is not None and choice.count in mapping.columns:
        raise UsageError(
            f"--count: {quoted(choice.count)} has a rule in {mapping.source}; counts are taken as they are"
        )
    for option, names in (("--include", choice.include), ("--exclude", choice.exclude)):
        if target in names:
            raise UsageError(f"{option}: {quoted(target)} is the target; name another with --target")


def _plan(
    table: Table, mapping: MappingFile, choice: ColumnChoice, target: str, labelled_weights: Integers
) -> tuple[tuple[ColumnPlan, ...], tuple[str, ...]]:
    left_out = dict.fromkeys(mapping.drop, "dropped by the mapping") | dict.fromkeys(choice.exclude, "--exclude")
    if choice.include:
        included = set(choice.include)
        left_out |= {name: "--include" for name in table.columns if name not in included and name not in left_out}
    plans: list[ColumnPlan] = []
    almost: list[str] = []
    for column in table.columns.values():
        if column.name == target:
            plans.append(ColumnPlan(target, Role.TARGET, ""))
        elif column.name == choice.count:
            plans.append(ColumnPlan(column.name, Role.COUNT, "--count"))
        elif column.name in left_out:
            plans.append(ColumnPlan(column.name, Role.LEFT_OUT, left_out[column.name]))
        else:
            plan, nearly = _feature_plan(column, mapping.columns.get(column.name), choice.bins, labelled_weights)
            plans.append(plan)
            if nearly:
                almost.append(column.name)
    notes = [
        f"column {quoted(name)} holds none of {listed(unknown)}, which the groups of {mapping.source} name"
        for name, unknown in _unknown_members(table, mapping)
    ]
    if almost:
        note = f"nearly all values are numbers, but not all, so ranked as categories: {listed(almost)}"
        notes.append(f"{note}; name the others with --na, or map the column")
    return tuple(plans), tuple(notes)


def _unknown_members(table: Table, mapping: MappingFile) -> Iterator[tuple[str, list[str]]]:
    """Values that a mapping groups and the table does not hold: misspelt, perhaps."""
    for name, rule in mapping.columns.items():
        if isinstance(rule, Groups):
            held = set(table.columns[name].values.to_pylist())
            unknown = [value for values in rule.groups.values() for value in values if value not in held]
            if unknown:
                yield name, unknown


def _feature_plan(column: Column, rule: Rule | None, bins: int, weights: Integers) -> tuple[ColumnPlan, bool]:
    """The plan for a feature, and whether it was a near thing that it is not numeric."""
    if rule is not None and not isinstance(rule, Numeric):
        return ColumnPlan(column.name, Role.FEATURE, "mapping", rule), False
    seen = column.values.take(index_array(np.flatnonzero(column.counts(weights)[:-1])))
    many = len(seen) > CUT_ABOVE
    if rule is not None:
        return ColumnPlan(column.name, Role.FEATURE, "mapping", Numeric(Quantiles(bins) if many else Category())), False
    if not many or column.declared:
        return ColumnPlan(column.name, Role.FEATURE, "", Category()), False
    numbers = numbers_of(seen, column.kind)
    if numbers is not None:
        reason = f"{len(seen)} numbers" + ("" if np.isfinite(numbers).all() else "; the infinite one needs --na")
        return ColumnPlan(column.name, Role.FEATURE, reason, Quantiles(bins, strict=False)), False
    nearly = column.kind is Kind.TEXT and is_number(seen).mean() >= 0.9
    return ColumnPlan(column.name, Role.FEATURE, "", Category()), bool(nearly)
