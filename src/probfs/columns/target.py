"""The column to predict: which one it is, the class of each row, the rows that count, and whether it is predictable."""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from probfs.columns.choice import CUT_ABOVE, DEFAULT_MIN_CLASS, ColumnChoice, TableNames, default_target
from probfs.columns.dates import likely_kinds
from probfs.columns.identifiers import identifier_reason, look_like_dates
from probfs.columns.mapping import ColumnMapping
from probfs.columns.rules import UNKNOWN, Category, Coder, Quantiles, Rule, Seen, UnfitValueError, some_numbers
from probfs.errors import DataError, UsageError
from probfs.notes import Note, NoteKind
from probfs.tables.arrays import Flags, Floats, Integers, Labels, index_array, looked_up, text_array
from probfs.tables.cells import Kind
from probfs.tables.column import Column
from probfs.tables.table import GIVEN_AS_Y, Table, recalling_header
from probfs.text import counted, listed, option, quoted

if TYPE_CHECKING:
    from probfs.columns.prepare import PreparedTable

MOST_CLASSES_OF_NUMBERS = 50
"""A target of more distinct numbers than this, of which nobody said that they are classes, is taken for a quantity."""
LAST_COLUMN = "the last column"
MOST_ROWS = 2**53
"""Up to this many rows, sums in double precision are exact."""
MOST_COUNT = 10**15
"""A row stands for fewer rows than this."""
_BY = "by "
"""How the reason begins where the user or the mapping named the target."""
_MOST_CANDIDATES = 3
"""How many other columns a refusal names."""
_MOST_CLASSES = 20
"""A candidate has no more classes than this, unless it is named like a class column."""
_MOST_LOOKED_AT = 10_000
"""A column of more different values is no candidate, whatever it is called."""
_NEARLY_ALL, _MOST = 0.9, 0.5
_WORDS_OF_A_PHRASE = 4
"""Texts of typically so many words are free text, not names of classes."""
_CLASS_NAME = re.compile(
    r"(?:^|[_\W])(?:class|target|label|outcome|response|result|category|type|status|diagnosis|group|y)$"
    r"|^(?:species|survived|churn(?:ed)?|default(?:ed)?|approved|grade|is_\w+)$",
    re.I,
)


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


def numbers_of_rows(
    table: Table, name: str, may_be: Callable[[Floats], Flags], problem: str, kinds: Sequence[Kind] = (Kind.NUMBER,)
) -> tuple[Column, Floats]:
    """A column that says something of rows, and the number in each, NaN where it is missing; the first that may not be
    is an error.
    """
    column = table.usable(table.columns[name])
    numbers = some_numbers(column.entries, column.kind if column.kind in kinds else Kind.NUMBER)
    wrong = np.flatnonzero(~may_be(numbers))
    if len(wrong):
        # Among prices or dates, which are not read as such because of another one, that one is at fault.
        fits = [fit[wrong] for kind, fit in likely_kinds(column.values, None).items() if kind in kinds]
        odd = wrong[~np.any([np.zeros(len(wrong), dtype=np.bool_), *fits], axis=0)]
        at = int(odd[0] if 0 < len(odd) < _MOST * len(wrong) else wrong[0])
        raise table.cell_error(column, at, f"{quoted(column.values[at].as_py())} {problem}")
    return column, np.append(numbers, np.nan)[column.codes]


def row_counts(table: Table, name: str | None) -> Integers:
    """How many equal rows each row stands for, by the whole numbers in the column called ``name``; without it, one."""
    rows = table.row_counts
    if name is None or name not in table.columns:
        # A single 1, broadcast to all rows without a copy.
        return np.broadcast_to(np.int64(1), table.rows) if rows is None else rows
    problem = "is not a row count; use whole numbers of up to 15 digits"
    column, numbers = numbers_of_rows(
        table, name, lambda counts: (counts >= 0) & (counts < MOST_COUNT) & (counts == np.rint(counts)), problem, ()
    )
    if np.isnan(numbers).any():
        raise table.cell_error(column, len(column.entries), "the row count is missing; write 0 for no row")
    # In double precision first: the product may be more than an integer holds.
    if (numbers * (1.0 if rows is None else rows)).sum() > MOST_ROWS:
        raise DataError(f"column {quoted(name)}: the counts add up to more than 2^53 rows", source=table.source)
    counts = numbers.astype(np.int64)
    return counts if rows is None else counts * rows


def row_importance(table: Table, name: str | None, target: str) -> Floats | None:
    """The number in the column called ``name`` of each row. Rows without a class need none, and weigh 1 or 0."""
    if name is None:
        return None
    column, importance = numbers_of_rows(
        table,
        name,
        lambda numbers: (numbers >= 0) & np.isfinite(numbers),
        "is not a weight; use finite numbers from 0 on",
    )
    unlabelled = table.columns[target].is_missing()
    lacking = np.flatnonzero(np.isnan(importance) & ~unlabelled)
    if len(lacking):
        raise table.row_error(column, int(lacking[0]), "the weight is missing; write 0 to leave the row out")
    if not importance[~unlabelled].any():
        raise DataError(f"column {quoted(name)}: every weight is zero, which leaves no row", source=table.source)
    return np.where(unlabelled & (importance != 0), 1.0, importance)


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
    # UNKNOWN (-1) picks the last entry: the rows without a label here, and no class below.
    rows = np.zeros(len(coder.labels) + 1, dtype=np.int64)
    np.add.at(rows, labels, column.counts(counts))
    names = coder.labels.to_pylist()
    order = np.flatnonzero(rows[:-1]).tolist()
    if not (column.ordered and isinstance(rule, Category)):
        order.sort(key=names.__getitem__)
    classes = tuple(names[label] for label in order)
    class_rows = tuple(rows[order].tolist())
    # From each value to its label, and from there to its class, before any row is looked at.
    positions = np.full(len(rows), UNKNOWN, dtype=np.min_scalar_type(-1 - len(classes)))
    positions[order] = np.arange(len(order))
    by_row = looked_up(positions[labels], column.codes)
    declared = column.is_nominal or name in mapping.columns or cut is not None
    numbers = None if declared or len(class_rows) <= 2 else column.numbers()
    quantity = False
    if numbers is not None:
        # Too many for classes, or too often alone in their row; one among a few whole ones is still a rare class.
        alone = class_rows.count(1)
        few = len(class_rows) <= CUT_ABOVE and bool(np.all(numbers == np.rint(numbers)))
        quantity = len(class_rows) > MOST_CLASSES_OF_NUMBERS or alone > 1 or (alone == 1 and not few)
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
    # UNKNOWN (-1) picks the entry at the end, which stays UNKNOWN.
    new_labels = np.full(len(target.classes) + 1, UNKNOWN, dtype=target.labels.dtype)
    new_labels[kept] = np.arange(len(kept))
    labels = new_labels[target.labels]
    dropped = (labels == UNKNOWN) & (target.labels != UNKNOWN)
    rows = sum(target.class_rows[label] for label in rare)
    names = listed([target.classes[label] for label in rare], 4)
    fewer = f"of classes with fewer than {least:,} rows ({option('min_class')})"
    note = NoteKind.DROPPED_ROWS.note(f"{counted(rows, 'row')} dropped, {fewer}: {names}", [target.name])
    classes = tuple(target.classes[label] for label in kept)
    class_rows = tuple(target.class_rows[label] for label in kept)
    left = replace(target, classes=classes, class_rows=class_rows, labels=labels)
    return left, np.where(dropped, 0, weights), (note,)


# Whether it can be predicted, and what to do if not


def check_target(prepared: PreparedTable) -> None:
    """Refuse a table whose target is no class column, or has nothing beside it to rank."""
    if (problem := _problem_with_target(prepared)) is not None:
        with recalling_header(prepared.table):
            raise DataError(problem, source=prepared.table.source)


def _problem_with_target(prepared: PreparedTable) -> str | None:
    target = prepared.target
    name, assumed = quoted(target.name), f", {target.reason}," if target.assumed else ""
    if not prepared.features:
        identifiers = [plan.name for plan in prepared.identifiers]
        beside = f" and identifiers: {listed(identifiers)}; {option('keep_identifiers', True)} ranks them"
        return f"no column is left to rank beside the target {name}{beside if identifiers else ''}"
    if not prepared.labelled_rows:
        return f"no row has a value in the target {name}; {_name_another(prepared)}"
    column = prepared.table.columns[target.name]
    of_keys = max(target.class_rows) == 1 and not target.declared
    if of_keys and (why := identifier_reason(column, prepared.profiles[target.name])):
        problem = f"the target {name}{assumed} is an identifier, which nothing predicts"
        return f"{problem}: {why}; {_name_another(prepared)}"
    if target.quantity:
        alone = target.class_rows.count(1)
        numbers = f"{len(target.class_rows):,} distinct numbers"
        numbers += f", {alone:,} of them in one row only" if alone else ""
        cut = f"cut it into classes with {option('cut_target', 3)}"
        classes = f'if they are classes, map it as "category" ({option("mapping")})'
        problem = f"the target {name}{assumed} is a quantity (a regression target?): {numbers}"
        return f"{problem}; {_name_another(prepared)}, or {cut}; {classes}"
    if len(target.classes) == 1:
        # On a cluster, a row here stands for several.
        unlabelled = int(prepared.weights[prepared.unlabelled].sum())
        empty = counted(unlabelled, "row without a value is", "rows without a value are")
        others = f"; {empty} no class, unless you fill it in" if unlabelled else ""
        return f"the target {name} has one class only, {quoted(target.classes[0])}; two or more are needed{others}"
    by_a_rule = target.declared and not column.is_nominal
    if not target.assumed or by_a_rule or len(target.found) <= CUT_ABOVE:
        # Somebody has looked at it, or there are few.
        return None
    rows = sum(target.class_rows) + prepared.dropped_rows
    phrases = statistics.median(len(text.split()) for text in target.found) >= _WORDS_OF_A_PHRASE
    if len(target.found) > _NEARLY_ALL * rows:
        why = f"{len(target.found):,} different values in {rows:,} rows"
    elif look_like_dates(text_array(target.found)) or phrases:
        what = "dates" if look_like_dates(text_array(target.found)) else "free text"
        why = f"{what}, {len(target.found):,} different ones in {rows:,} rows"
    else:
        return None
    return f"the target {name}{assumed} does not look like a class column: {why}; {_name_another(prepared)}"


def _name_another(prepared: PreparedTable) -> str:
    """How to name another target, with candidates where nobody had named this one: columns named like a target first,
    then those of few values, later columns first.
    """
    found = []
    for position, plan in enumerate(prepared.features if prepared.target.assumed else ()):
        column = prepared.table.columns[plan.name]
        if prepared.profiles[plan.name].distinct > _MOST_LOOKED_AT:
            continue
        rows = column.counts(prepared.weights)[:-1]
        rows = rows[rows > 0]
        named = bool(_CLASS_NAME.search(plan.name))
        measured = not column.is_nominal and len(column.entries) > CUT_ABOVE and column.numbers() is not None
        # A class column repeats its values, whatever it is called.
        few = 2 <= len(rows) <= _MOST_CLASSES and rows.min() > 1
        if few or (named and 2 <= len(rows) <= rows.sum() / 2 and not measured):
            found.append((not named, len(rows), -position, quoted(plan.name)))
    candidates = " or ".join(name for *_, name in sorted(found)[:_MOST_CANDIDATES])
    return f"name another with {option('target')}" + (f" ({candidates}?)" if candidates else "")
