"""Table + mapping + the user's choice of columns -> what each column is for, and the class and weight of each row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from probfs.columns.cell_texts import CellTexts, learn_texts, texts_named_missing
from probfs.columns.leakage import Leak, LeakFinder
from probfs.columns.mapping_file import MappingFile
from probfs.columns.missing_cells import decide_missing
from probfs.columns.missing_texts import mark_missing
from probfs.columns.recoding import learn_rule, recode_column
from probfs.columns.roles import ColumnChoice, ColumnPlan, Role, check_choice, plan_columns, resolve_names
from probfs.columns.row_counts import row_counts
from probfs.columns.rules import UNKNOWN, Coder, Numeric, Rule
from probfs.columns.target import Target, choose_target, drop_rare_classes, read_classes
from probfs.notes import Note, NoteKind
from probfs.tables.table import Column, Integers, Labels, Table
from probfs.text import printable


@dataclass(frozen=True, eq=False)
class PreparedTable:
    """A table whose missing cells are marked, whose rows have a class and a weight, and whose columns have a plan."""

    table: Table
    target: Target
    choice: ColumnChoice
    texts: CellTexts
    """What the texts of cells mean, for tables of further rows."""
    weights: Integers
    """How many equal rows each row stands for."""
    labelled_weights: Integers | None
    """The weight of each row as a labelled one, 0 where it has no label; None where all weigh one."""
    plans: tuple[ColumnPlan, ...]
    notes: tuple[Note, ...]
    dropped_rows: int = 0
    """How many rows are left out because their class is rare; their weights are 0."""

    @property
    def labelled_rows(self) -> int:
        """How many rows have a class and count for something."""
        if self.labelled_weights is None:
            return self.table.rows
        if self.table.standing_for is not None:
            return int(self.table.standing_for[self.labelled].sum())
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
        return finder.find(self.table.columns[plan.name] for plan in self.features)

    @property
    def target_note(self) -> Note:
        """Which column is predicted, and who named it."""
        kind = NoteKind.TARGET_BY_DEFAULT if self.target.by_default else NoteKind.TARGET
        return kind.note(f"target: {printable(self.target.name)} ({self.target.reason})", [self.target.name])

    def learn(self, column: Column, rule: Rule) -> Coder:
        """What a rule learns from the labelled rows."""
        return learn_rule(self.table, column, rule, self.labelled_weights)


def prepare(table: Table, mapping: MappingFile, choice: ColumnChoice, decimal: str | None = None) -> PreparedTable:
    """Decide what every column is for, and read the target and the row counts.

    ``decimal`` is what stands before the decimals of a number; without one, a point, and commas are noticed.
    """
    mapping.check_names(table.columns, table.source, table.left_out)
    include, exclude = (resolve_names(table, getattr(choice, name), name) for name in ("include", "exclude"))
    choice = replace(choice, include=include, exclude=exclude)
    table = mark_missing(table, texts_named_missing(choice, mapping))
    target_name, reason = choose_target(table, mapping, choice)
    texts = learn_texts(table, mapping, choice, decimal, target_name)
    table = texts.read_columns(table)
    if choice.count is not None:
        table.column(choice.count, "count")
    check_choice(mapping, choice, target_name)
    weights = row_counts(table, choice.count)
    counts = None if choice.count is None else weights
    every_class = read_classes(table, mapping, target_name, reason, counts, choice.cut_target)
    target, weights, dropping = drop_rare_classes(every_class, weights, choice.min_class, table.source)
    labelled_weights = _labelled_weights(target.labels, weights)
    plans, planning = plan_columns(table, mapping, choice, target_name, labelled_weights, counts)
    plans, counting = decide_missing(
        table, plans, target, labelled_weights, choice=choice.missing, by_column=mapping.missing_cells
    )
    used = {plan.name for plan in plans if plan.role is not Role.LEFT_OUT}
    table = replace(table, notes=(*table.notes, *texts.notes(used)))
    notes = (*table.notes, *dropping, *planning, *counting)
    dropped_rows = sum(every_class.class_rows) - sum(target.class_rows)
    return PreparedTable(table, target, choice, texts, weights, labelled_weights, plans, notes, dropped_rows)


def apply_mapping(prepared: PreparedTable, mapping: MappingFile) -> Table:
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
            columns[name] = recode_column(table, column, prepared.learn(column, rule))
    return Table(table.source, columns, table.rows, table.lines)


def _labelled_weights(labels: Labels, weights: Integers) -> Integers | None:
    if labels.min(initial=0) != UNKNOWN and weights.min(initial=1) == weights.max(initial=1) == 1:
        return None
    return np.where(labels == UNKNOWN, 0, weights)
