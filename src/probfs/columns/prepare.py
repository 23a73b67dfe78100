"""Table + mapping + the user's choice of columns -> what each column is for, and the class and weight of each row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from probfs.columns.choice import ColumnChoice, TableNames, check_choice
from probfs.columns.leakage import Leak, LeakFinder, times_in_leak
from probfs.columns.mapping import ColumnMapping
from probfs.columns.missing import decide_missing
from probfs.columns.roles import ColumnPlan, Role, RowFacts, plan_columns
from probfs.columns.rules import UNKNOWN, Coder, Numeric, Rule
from probfs.columns.target import (
    Target,
    choose_target,
    drop_rare_classes,
    label_of_each_value,
    learn_rule,
    read_classes,
    row_counts,
)
from probfs.columns.texts import TableTexts, learn_texts, mark_missing
from probfs.notes import Note, NoteKind
from probfs.tables.arrays import Integers, Labels, code_type, looked_up
from probfs.tables.column import Column, text_column
from probfs.tables.table import Table, profile_columns
from probfs.text import printable


@dataclass(frozen=True, eq=False)
class PreparedTable:
    """A table whose missing cells are marked, whose rows have a class and a weight, and whose columns have a plan."""

    table: Table
    target: Target
    choice: ColumnChoice
    texts: TableTexts
    """What the texts of cells mean, for tables of further rows."""
    weights: Integers
    """How many equal rows each row stands for."""
    facts: RowFacts
    """How rows count as labelled ones, and what columns hold in these."""
    plans: tuple[ColumnPlan, ...]
    notes: tuple[Note, ...]
    dropped_rows: int = 0
    """How many rows are left out because their class is rare; their weights are 0."""

    @property
    def labelled_weights(self) -> Integers | None:
        """The weight of each row as a labelled one, 0 where it has no label; None where all weigh one."""
        return self.facts.labelled_weights

    @property
    def labelled_rows(self) -> int:
        """How many rows have a class and count for something."""
        if self.labelled_weights is None:
            return self.table.rows
        if self.table.row_counts is not None:
            return int(self.table.row_counts[self.labelled].sum())
        return len(self.labelled)

    @cached_property
    def labelled(self) -> npt.NDArray[np.intp]:
        """The positions of the rows that have a class."""
        if self.labelled_weights is None:
            return np.arange(self.table.rows)
        return np.flatnonzero((self.target.labels != UNKNOWN) & (self.weights > 0))

    @cached_property
    def unlabelled(self) -> npt.NDArray[np.intp]:
        """The positions of the rows that have none."""
        if self.labelled_weights is None:
            return np.empty(0, dtype=np.intp)
        return np.flatnonzero((self.target.labels == UNKNOWN) & (self.weights > 0))

    @property
    def features(self) -> tuple[ColumnPlan, ...]:
        return tuple(plan for plan in self.plans if plan.role is Role.FEATURE)

    @cached_property
    def leaks(self) -> dict[str, Leak]:
        """The features of which one value, or missing cells, nearly give the class away."""
        every = self.labelled_weights is None
        finder = LeakFinder(
            self.target.classes,
            self.target.labels if every else self.target.labels[self.labelled],
            self.labelled_weights,
            None if every else self.labelled,
        )
        return finder.find((self.table.columns[plan.name] for plan in self.features), self.facts.labelled)

    @property
    def target_note(self) -> Note:
        """Which column is predicted, and who named it."""
        kind = NoteKind.TARGET_BY_DEFAULT if self.target.by_default else NoteKind.TARGET
        return kind.note(f"target: {printable(self.target.name)} ({self.target.reason})", [self.target.name])

    def learn(self, column: Column, rule: Rule) -> Coder:
        """What a rule learns from the labelled rows."""
        return learn_rule(self.table, column, rule, self.labelled_weights)


def prepare(table: Table, mapping: ColumnMapping, choice: ColumnChoice, decimal: str | None = None) -> PreparedTable:
    """Decide what every column is for, and read the target and the row counts.

    ``decimal`` is the decimal separator; without one, a point, and commas are noticed.
    """
    mapping.check_names(table.columns, table.source, table.left_out)
    names = TableNames.of(table)
    include, exclude = (names.resolve(getattr(choice, name), name) for name in ("include", "exclude"))
    choice = replace(choice, include=include, exclude=exclude)
    table = mark_missing(table, choice.missing_texts(mapping))
    target_name, reason = choose_target(table, mapping, choice)
    texts = learn_texts(table, mapping, choice, decimal, target_name)
    table = texts.read_columns(table)
    if choice.count is not None:
        names.refuse_unknown(choice.count, "count")
    check_choice(mapping, choice, target_name)
    weights = row_counts(table, choice.count)
    counts = None if choice.count is None else weights
    every_class = read_classes(table, mapping, target_name, reason, counts, choice.cut_target)
    target, weights, dropping = drop_rare_classes(every_class, weights, choice.min_class, table.source)
    facts = _row_facts(table, target, counts, _labelled_weights(target.labels, weights))
    plans, planning = plan_columns(table, mapping, choice, target_name, facts)
    plans, counting = decide_missing(
        table, plans, target, facts, choice=choice.missing, by_column=mapping.missing_cells
    )
    used = {plan.name for plan in plans if plan.role is not Role.LEFT_OUT}
    table = table.with_notes(texts.notes(used))
    notes = (*table.notes, *dropping, *planning, *counting)
    dropped_rows = sum(every_class.class_rows) - sum(target.class_rows)
    return PreparedTable(table, target, choice, texts, weights, facts, plans, notes, dropped_rows)


def _row_facts(table: Table, target: Target, counts: Integers | None, labelled: Integers | None) -> RowFacts:
    columns = [column for column in table.columns.values() if not column.unread]
    in_labelled = profile_columns(columns, labelled, times_in_leak(target.class_rows, labelled))
    # Where all rows are labelled and stand for one, the profiles are the same.
    in_every = in_labelled if labelled is None and counts is None else profile_columns(columns, counts)
    return RowFacts(counts, labelled, in_every, in_labelled)


def apply_mapping(prepared: PreparedTable, mapping: ColumnMapping) -> Table:
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
            columns[name] = _recode(table, column, prepared.learn(column, rule))
    return Table(table.source, columns, table.rows, table.lines)


def _recode(table: Table, column: Column, coder: Coder) -> Column:
    """The column with its values replaced by a learned rule's labels."""
    labels = label_of_each_value(table, column, coder)
    new_codes = np.where(labels == UNKNOWN, len(coder.labels), labels).astype(code_type(len(coder.labels)))
    return text_column(column.name, looked_up(new_codes, column.codes), coder.labels, declared=coder.labels)


def _labelled_weights(labels: Labels, weights: Integers) -> Integers | None:
    if labels.min(initial=0) != UNKNOWN and weights.min(initial=1) == weights.max(initial=1) == 1:
        return None
    return np.where(labels == UNKNOWN, 0, weights)
