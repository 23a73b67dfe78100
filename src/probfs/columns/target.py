"""The column to predict: which one it is, the class of each row, and the rows that count."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from probfs.columns.choice import CUT_ABOVE, DEFAULT_MIN_CLASS, ColumnChoice, TableNames, default_target
from probfs.columns.mapping import ColumnMapping
from probfs.columns.rules import UNKNOWN, Category, Coder, Quantiles, Rule, Seen, UnfitValueError, some_numbers
from probfs.errors import DataError, UsageError
from probfs.notes import Note, NoteKind
from probfs.tables.arrays import Integers, Labels, index_array, looked_up
from probfs.tables.cells import Kind
from probfs.tables.column import Column
from probfs.tables.table import GIVEN_AS_Y, Table
from probfs.text import counted, listed, option, quoted

MOST_CLASSES_OF_NUMBERS = 50
"""A target of more distinct numbers than this, of which nobody said that they are classes, is taken for a quantity."""
LAST_COLUMN = "the last column"
MOST_ROWS = 2**53
"""Up to this many rows, sums in double precision are exact."""
MOST_COUNT = 10**15
"""A row stands for fewer rows than this."""
_BY = "by "
"""How the reason begins where the user or the mapping named the target."""


@dataclass(frozen=True, eq=False)
class Target:
    """The column to predict, who named it, its classes, and each row's class."""

    name: str
    reason: str
    classes: tuple[str, ...]
    labels: Labels
    """Each row's position in ``classes``, or UNKNOWN for an unlabelled row."""
    declared: bool
    """Whether the classes are the user's word (a rule, an ARFF nominal), not just what the column holds."""
    class_rows: tuple[int, ...]
    """How many rows each class has."""
    quantity: bool
    """Whether the column holds numbers that nobody declared to be classes and that hardly are."""
    found: tuple[str, ...]
    """All classes that were found, rare ones included whose rows are dropped."""

    @property
    def by_default(self) -> bool:
        """Whether the target was neither named by the user, nor by the mapping, nor passed beside the table."""
        return not (self.reason.startswith(_BY) or self.reason == GIVEN_AS_Y)

    @property
    def assumed(self) -> bool:
        """Whether nobody named the target, so that the last column was taken."""
        return self.reason.startswith(LAST_COLUMN)


def choose_target(table: Table, mapping: ColumnMapping, choice: ColumnChoice) -> tuple[str, str]:
    """The name of the column to predict, and who named it."""
    if choice.target is not None:
        TableNames.of(table).refuse_unknown(choice.target, "target")
        return choice.target, f"{_BY}{option('target')}"
    if mapping.target is not None:
        return mapping.target, f"{_BY}the mapping"
    if table.target_hint is not None:
        name, reason = table.target_hint
        if name not in {*mapping.drop, *choice.exclude} or reason == GIVEN_AS_Y:
            return name, reason
    last = default_target(table.columns, mapping, choice)
    if last is None:
        raise UsageError(f"no column of {table.source} is left to be the target; name one with {option('target')}")
    return last, LAST_COLUMN if last == list(table.columns)[-1] else f"{LAST_COLUMN} that is not left out"


def learn_rule(table: Table, column: Column, rule: Rule, weights: Integers | None) -> Coder:
    """What a rule learns from the rows of positive weight; a value it cannot take is an error with its line."""
    counts = table.usable(column).counts(weights)[:-1]
    codes = np.flatnonzero(counts)
    seen = Seen(column.entries.take(index_array(codes)), counts[codes], column.kind, column.declared, column.ordered)
    try:
        return rule.learn(seen)
    except UnfitValueError as error:
        raise table.cell_error(column, int(codes[error.position]), error.problem) from error


def label_of_each_value(table: Table, column: Column, coder: Coder) -> Integers:
    """The position of each value's label, UNKNOWN where it has none; the last entry is that of a missing cell."""
    try:
        labels = coder.assign(table.usable(column).entries)
    except UnfitValueError as error:
        raise table.cell_error(column, error.position, error.problem) from error
    return np.append(labels, UNKNOWN)


def row_counts(table: Table, name: str | None) -> Integers:
    """How many equal rows each row stands for, by the whole numbers in the column called ``name``; without it, one."""
    rows = table.row_counts
    if name is None or name not in table.columns:
        # A single 1, broadcast to all rows without a copy.
        return np.broadcast_to(np.int64(1), table.rows) if rows is None else rows
    column = table.usable(table.columns[name])
    numbers = some_numbers(column.entries, Kind.NUMBER)
    wrong = np.flatnonzero(~((numbers >= 0) & (numbers < MOST_COUNT) & (numbers == np.rint(numbers))))
    if len(wrong):
        problem = f"{quoted(column.values[wrong[0]].as_py())} is not a row count; use whole numbers of up to 15 digits"
        raise table.cell_error(column, int(wrong[0]), problem)
    if column.counts()[-1]:
        raise table.cell_error(column, len(column.entries), "the row count is missing; write 0 for no row")
    counts: Integers = np.append(numbers, 0).astype(np.int64)[column.codes]
    # In double precision first: the product may be more than an integer holds.
    if (counts * (1.0 if rows is None else rows.astype(np.float64))).sum() > MOST_ROWS:
        raise DataError(f"column {quoted(name)}: the counts add up to more than 2^53 rows", source=table.source)
    return counts if rows is None else counts * rows


def read_classes(
    table: Table, mapping: ColumnMapping, name: str, reason: str, counts: Integers | None, cut: int | None = None
) -> Target:
    """The classes in the target column; a class that only rows of count 0 have is none.

    With ``cut``, the column's numbers are cut at quantiles into so many classes, fewer if numbers repeat.
    """
    column = table.columns[name]
    rule = mapping.columns.get(name, Category()) if cut is None else Quantiles(cut)
    coder = learn_rule(table, column, rule, counts)
    labels = label_of_each_value(table, column, coder)
    codes = np.where(labels == UNKNOWN, len(coder.labels), labels)
    rows = np.bincount(codes, column.counts(counts), minlength=len(coder.labels) + 1)
    in_order = column.ordered and isinstance(rule, Category)
    classes, positions = _sort_classes(coder.labels, rows[:-1] > 0, in_order=in_order)
    # From each value to its label, and from there to its class, before any row is looked at.
    narrow = np.min_scalar_type(-1 - len(classes))
    by_row = looked_up(positions[labels].astype(narrow), column.codes)
    declared = column.is_nominal or name in mapping.columns or cut is not None
    found = np.flatnonzero(positions[:-1] != UNKNOWN)
    by_class = np.zeros(len(classes), dtype=np.int64)
    by_class[positions[found]] = rows[found]
    class_rows = tuple(by_class.tolist())
    quantity = not declared and _is_quantity(column, class_rows)
    return Target(name, reason, classes, by_row, declared, class_rows, quantity, classes)


def drop_rare_classes(
    target: Target, weights: Integers, least: int, source: str
) -> tuple[Target, Integers, tuple[Note, ...]]:
    """The target without the classes of fewer than ``least`` rows, the rows' weights, 0 for rows dropped, and a note.

    Nothing is dropped of a quantity, which has no classes, nor by default where two classes would not be left.
    """
    kept = [label for label, rows in enumerate(target.class_rows) if rows >= least]
    rare = [label for label, rows in enumerate(target.class_rows) if rows < least]
    if not rare or target.quantity or (len(kept) < 2 and least <= DEFAULT_MIN_CLASS):
        return target, weights, ()
    if len(kept) < 2:
        found = f"only class {quoted(target.classes[kept[0]])} has" if kept else "no class has"
        problem = f"{option('min_class', least)}: {found} {least:,} rows or more in the target {quoted(target.name)}"
        raise DataError(f"{problem}, and two such classes are needed; choose fewer", source=source)
    new_labels = np.full(len(target.classes) + 1, UNKNOWN, dtype=target.labels.dtype)
    new_labels[kept] = np.arange(len(kept))
    # UNKNOWN (-1) picks the entry at the end, which stays UNKNOWN.
    labels = new_labels[target.labels]
    dropped = (labels == UNKNOWN) & (target.labels != UNKNOWN)
    rows = sum(target.class_rows[label] for label in rare)
    names = listed([target.classes[label] for label in rare], 4)
    fewer = f"of classes with fewer than {least:,} rows ({option('min_class')})"
    note = NoteKind.DROPPED_ROWS.note(f"{counted(rows, 'row')} dropped, {fewer}: {names}", [target.name])
    left = replace(
        target,
        classes=tuple(target.classes[label] for label in kept),
        class_rows=tuple(target.class_rows[label] for label in kept),
        labels=labels,
    )
    return left, np.where(dropped, 0, weights), (note,)


def _is_quantity(column: Column, class_rows: tuple[int, ...]) -> bool:
    """Whether numbers are too many for classes, or too often alone in their row.

    One number alone among a few whole ones is still a rare class.
    """
    numbers = column.numbers()
    if numbers is None or len(class_rows) <= 2:
        return False
    alone = class_rows.count(1)
    few = len(class_rows) <= CUT_ABOVE and bool(np.all(numbers == np.rint(numbers)))
    return len(class_rows) > MOST_CLASSES_OF_NUMBERS or alone > 1 or (alone == 1 and not few)


def _sort_classes(
    labels: pa.StringArray, present: npt.NDArray[np.bool_], *, in_order: bool
) -> tuple[tuple[str, ...], Integers]:
    """The labels that occur, sorted by name unless they are in order, and for each label its position among them."""
    names = labels.to_pylist()
    order = np.flatnonzero(present).tolist()
    if not in_order:
        order.sort(key=lambda code: names[code])
    position = np.full(len(names) + 1, UNKNOWN)
    position[order] = np.arange(len(order))
    # A label of UNKNOWN (-1) picks the entry at the end, which stays UNKNOWN.
    return tuple(names[code] for code in order), position
