"""Table + mapping + the user's choice of columns -> what each column is for, and the class and weight of each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from probfs.columns.mapping_file import MappingFile
from probfs.columns.roles import ColumnChoice, ColumnPlan, Role, check_choice, plan_columns
from probfs.columns.rules import UNKNOWN, Category, Coder, Measured, Numeric, Rule, Seen, UnfitValueError, short_number
from probfs.errors import DataError, UsageError
from probfs.tables.arrow_arrays import index_array, looked_up, mask_array, numpy_array, text_array
from probfs.tables.table import Codes, Column, Floats, Integers, Kind, Labels, Table, code_type, is_number
from probfs.text import quoted

MOST_CLASSES_OF_NUMBERS = 50
"""A target of more distinct numbers than this, of which nobody said that they are classes, is taken for a quantity."""

MOST_ROWS = 2**53


@dataclass(frozen=True, eq=False)
class Prepared:
    """A table whose missing cells are marked, whose rows have a class and a weight, and whose columns have a plan."""

    table: Table
    target: str
    target_reason: str
    classes: tuple[str, ...]
    labels: Labels
    """Each row's position in ``classes``, or UNKNOWN for an unlabelled row."""
    weights: Integers
    """How many equal rows each row stands for."""
    plans: tuple[ColumnPlan, ...]
    notes: tuple[str, ...]
    labelled_weights: Integers | None
    """The weight of each row as a labelled one, 0 where it has no label; None where all weigh one."""
    classes_declared: bool
    """Whether the classes are the user's word (a rule, an ARFF nominal), not just what the column holds."""

    @property
    def labelled_rows(self) -> int:
        """How many rows have a class and count for something."""
        return self.table.rows if self.labelled_weights is None else len(self.labelled)

    @cached_property
    def labelled(self) -> npt.NDArray[np.intp]:
        if self.labelled_weights is None:
            return np.arange(self.table.rows)
        return np.flatnonzero((self.labels != UNKNOWN) & (self.weights > 0))

    @cached_property
    def unlabelled(self) -> npt.NDArray[np.intp]:
        if self.labelled_weights is None:
            return np.empty(0, dtype=np.intp)
        return np.flatnonzero((self.labels == UNKNOWN) & (self.weights > 0))

    @property
    def features(self) -> tuple[ColumnPlan, ...]:
        return tuple(plan for plan in self.plans if plan.role is Role.FEATURE)

    def learn(self, column: Column, rule: Rule) -> Coder:
        return learn(self.table, column, rule, self.labelled_weights)


def prepare(table: Table, mapping: MappingFile, choice: ColumnChoice) -> Prepared:
    """Decide what every column is for, and read the target and the row counts."""
    mapping.check_names(table.columns, table.source)
    for option, names in (("include", choice.include), ("exclude", choice.exclude)):
        for name in names:
            table.column(name, option)
    table = without_missing_texts(table, (*choice.na, *mapping.missing))
    target, why = _target(table, mapping, choice)
    if choice.count is not None:
        table.column(choice.count, "count")
        if choice.count == target:
            raise UsageError(f"--count: {quoted(choice.count)} is the target; name the column that holds the counts")
    check_choice(mapping, choice, target)
    weights = row_counts(table, choice.count)
    column = table.columns[target]
    given = None if choice.count is None else weights
    coder = learn(table, column, mapping.columns.get(target, Category()), given)
    rows = np.bincount(places_of_values(table, column, coder), column.counts(given), minlength=len(coder.labels) + 1)
    present = rows[:-1] > 0
    classes, positions = _sorted_classes(coder.labels, present)
    # From each value to its place, and from there to its class, before any row is looked at.
    by_value = positions[_places(table, column, coder)]
    narrow = np.min_scalar_type(-1 - len(classes))
    labels = looked_up(by_value.astype(narrow), column.codes)
    labelled_weights = _labelled_weights(labels, weights)
    declared = column.declared or target in mapping.columns
    plans, notes = plan_columns(table, mapping, choice, target, labelled_weights)
    return Prepared(
        table, target, why, classes, labels, weights, plans, (*table.notes, *notes), labelled_weights, declared
    )


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
        # One number that is seen everywhere.
        return np.broadcast_to(np.int64(1), table.rows)
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


def learn(table: Table, column: Column, rule: Rule, weights: Integers | None) -> Coder:
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
    codes = moved(column.codes, places_of_values(table, column, coder), len(coder.labels))
    return Column(column.name, codes, coder.labels, declared=True)


def moved(codes: Codes, places: Integers, labels: int) -> Codes:
    """The codes of as many labels, from each value's code to its place among them."""
    kind = code_type(labels)
    # Where nothing changes its place the codes are right as they are.
    same = np.array_equal(places, np.arange(len(places))) and codes.dtype == kind
    return codes if same else looked_up(places.astype(kind), codes)


def places_of_values(table: Table, column: Column, coder: Coder) -> Integers:
    """The new code of each value, and of a missing cell: what has no label is missing."""
    by_value = _places(table, column, coder)
    return np.where(by_value == UNKNOWN, len(coder.labels), by_value)


def measured(table: Table, column: Column, rule: Measured) -> Floats:
    """The number in every row, NaN for a missing cell."""
    try:
        by_value = rule.numbers(column.values, column.kind)
    except UnfitValueError as error:
        raise table.cell_error(column, error.position, error.problem) from error
    return np.append(by_value, np.nan)[column.codes]


def _places(table: Table, column: Column, coder: Coder) -> Integers:
    """The label's position for every value and, at the end, for a missing cell."""
    try:
        by_value = coder.assign(column.values)
    except UnfitValueError as error:
        raise table.cell_error(column, error.position, error.problem) from error
    return np.append(by_value, UNKNOWN)


def _labelled_weights(labels: Labels, weights: Integers) -> Integers | None:
    if labels.min(initial=0) != UNKNOWN and weights.min(initial=1) == weights.max(initial=1) == 1:
        return None
    return np.where(labels == UNKNOWN, 0, weights)


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
        return table.column(choice.target, "target").name, "by --target"
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


def _sorted_classes(labels: pa.StringArray, present: npt.NDArray[np.bool_]) -> tuple[tuple[str, ...], Integers]:
    """The classes that occur, in the order of their names, and for each label its position among them."""
    names = labels.to_pylist()
    order = sorted(np.flatnonzero(present).tolist(), key=lambda code: names[code])
    position = np.full(len(names) + 1, UNKNOWN)
    position[order] = np.arange(len(order))
    # A place of UNKNOWN (-1) picks the entry at the end, which stays UNKNOWN.
    return tuple(names[code] for code in order), position
