"""The class of each row of a table, or of some of its rows wherever they are, learned from the whole target."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from probfs.cluster.number_ranges import RowGroups
from probfs.columns.choice import ColumnChoice, TableNames
from probfs.columns.mapping import ColumnMapping
from probfs.columns.rules import UNKNOWN, positions_in
from probfs.columns.target import Target, choose_target, drop_rare_classes, read_classes, row_counts
from probfs.columns.texts import TableTexts, learn_texts, mark_missing
from probfs.errors import DataError
from probfs.tables.arrays import Flags, Integers, Labels
from probfs.tables.table import Table
from probfs.text import quoted


@dataclass(frozen=True, eq=False)
class TargetCoding:
    """The class of each text of the target."""

    name: str
    texts: pa.StringArray
    labels: Labels
    """The position of each text's class, or UNKNOWN; the last entry is that of a missing cell."""
    dropped: Flags
    """Whether rows with this text are left out, as their class is rare."""

    @classmethod
    def of(cls, table: Table, target: Target, weights: Integers, count: str | None) -> TargetCoding:
        """From the target of a whole table, of which ``weights`` says how many equal rows each row stands for, 0 if it
        was dropped.
        """
        column = table.columns[target.name]
        labels = np.full(len(column.entries) + 1, UNKNOWN, dtype=target.labels.dtype)
        labels[column.codes] = target.labels
        dropped = np.zeros(len(labels), dtype=np.bool_)
        dropped[column.codes[(row_counts(table, count) > 0) & (weights == 0)]] = True
        return cls(target.name, column.values, labels, dropped)

    def positions(self, table: Table) -> Integers:
        """For each row of a table, the position of its text among the texts."""
        column = table.columns[self.name]
        found = np.append(positions_in(column.values, self.texts), len(self.texts))
        held = column.counts() > 0
        if (found[held] == UNKNOWN).any():
            text = column.values[int(np.argmax((found == UNKNOWN) & held))].as_py()
            problem = f"column {quoted(self.name)} holds {quoted(text)}, which was not there before"
            raise DataError(f"{problem}; do not change a file while it is ranked", source=table.source)
        return found[column.codes]


@dataclass(frozen=True, eq=False)
class RowClasses:
    """What tells the classes of rows, before anything is known of other columns."""

    target: TargetCoding
    texts: TableTexts
    """What the texts of the target mean; in other columns, only texts that are missing everywhere are known."""
    count: str | None
    by_class: Integers
    """How many labelled rows each class has."""
    quantity: bool
    """Whether the target holds numbers that are hardly classes."""
    labelled: Flags
    """For each row of the table this was learned from, whether it has a class and takes part."""

    def read(self, table: Table, names: list[str]) -> tuple[Table, RowGroups]:
        """Some columns of a block of the table, with the cells that are missing marked, and what its rows are."""
        own = self.texts.read(table.only({*names, self.target.name, self.count or self.target.name}))
        positions = self.target.positions(own)
        weights = None
        if self.count is not None or self.target.dropped.any():
            weights = np.where(self.target.dropped[positions], 0, row_counts(own, self.count))
        return own, RowGroups.of(self.target.labels[positions], len(self.by_class), weights)


def learn_row_classes(table: Table, mapping: ColumnMapping, choice: ColumnChoice, decimal: str | None) -> RowClasses:
    """The classes and counts of a table's rows as ``prepare`` finds them."""
    name, reason = choose_target(table, mapping, choice)
    if choice.count is not None:
        TableNames.of(table).refuse_unknown(choice.count, "count")
    table = mark_missing(table.only({name, choice.count or name}), choice.missing_texts(mapping))
    texts = learn_texts(table, mapping, choice, decimal, name)
    table = texts.read_columns(table)
    counts = row_counts(table, choice.count)
    target = read_classes(table, mapping, name, reason, None if choice.count is None else counts, choice.cut_target)
    target, weights, _ = drop_rare_classes(target, counts, choice.min_class, table.source)
    return RowClasses(
        TargetCoding.of(table, target, weights, choice.count),
        texts,
        choice.count,
        np.array(target.class_rows, dtype=np.int64),
        target.quantity,
        (target.labels != UNKNOWN) & (weights > 0),
    )
