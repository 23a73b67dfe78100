"""How the cells of a feature become codes: learned from the labelled rows of a table, for these and any other rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from probfs.columns.block_cutting import interval_codes
from probfs.columns.dataset import MISSING_LABEL, refuse_many_values
from probfs.columns.prepare import PreparedTable
from probfs.columns.recoding import new_code_of_each_value, translate_codes
from probfs.columns.roles import ColumnPlan
from probfs.columns.rules import Category, Coder, CutCoder, Measured
from probfs.tables.arrow_arrays import looked_up, text_array
from probfs.tables.number_block import NumberColumn
from probfs.tables.table import Codes, Flags, Integers, Table


@dataclass(frozen=True, eq=False)
class FeatureCoding:
    """A learned rule, its labels, and which of these labelled rows hold.

    The codes are those of a ``Feature``: 0…values-1, and ``values`` for a cell that says nothing.
    """

    name: str
    coder: Coder
    labels: pa.StringArray
    """The text of each value, with that of missing cells at the end where they are one."""
    missing_is_value: bool
    nominal: bool
    """Whether the values are those of a type of categories, as a data frame has it."""
    held: Flags
    """For each code, that of cells that say nothing included, whether some labelled row has it."""

    @property
    def values(self) -> int:
        return len(self.labels)

    @property
    def distinct(self) -> int:
        """How many values labelled rows hold."""
        return int(np.count_nonzero(self.held[:-1]))

    def new_codes(self, table: Table) -> Integers:
        """The code of each value of a table's column and, at the end, of a missing cell."""
        column = table.columns[self.name]
        return new_code_of_each_value(table, column, self.coder, missing_is_value=self.missing_is_value)

    def recode(self, table: Table, new_codes: Integers | None = None) -> Codes:
        """The code of every row of a table; ``new_codes`` are those of its values, where they are known already."""
        column = table.columns[self.name]
        if new_codes is None and isinstance(column, NumberColumn) and isinstance(self.coder, CutCoder):
            # Without a text for each of perhaps very many numbers.
            points = self.coder.points[None, :]
            codes: Codes = interval_codes(column.by_row[None, :], points, np.ones(points.shape, dtype=np.bool_))[0]
            return codes
        new_codes = self.new_codes(table) if new_codes is None else new_codes
        return translate_codes(column.codes, new_codes, self.values)

    def silence_unseen(self, unlabelled: Codes) -> tuple[Codes, int]:
        """The codes with that of cells that say nothing wherever no labelled row holds the value; how many still tell.

        A missing cell tells nothing here, though it may be a value.
        """
        kept = np.where(self.held, np.arange(self.values + 1), self.values)
        codes = looked_up(kept.astype(unlabelled.dtype), unlabelled)
        return codes, int(np.count_nonzero(codes < self.values - self.missing_is_value))


def learn_coding(prepared: PreparedTable, plan: ColumnPlan) -> tuple[FeatureCoding, Integers]:
    """What the labelled rows teach of a feature, and the code of each value of the column."""
    assert not isinstance(plan.rule, Measured), "numbers as they are have no list of values"
    table, missing_is_value = prepared.table, plan.missing_is_value
    column = table.columns[plan.name]
    in_text_order = column.ordered and not prepared.choice.types_order_categories
    coder = prepared.learn(replace(column, ordered=False) if in_text_order else column, plan.rule)
    labels = text_array([*coder.labels.to_pylist(), MISSING_LABEL]) if missing_is_value else coder.labels
    new_codes = new_code_of_each_value(table, column, coder, missing_is_value=missing_is_value)
    refuse_many_values(plan.name, len(coder.labels), table.source)
    # From how many rows hold each value, not from the rows.
    rows = column.counts(prepared.labelled_weights)
    held = np.bincount(new_codes, rows, minlength=len(labels) + 1) > 0
    nominal = column.categorical and isinstance(plan.rule, Category)
    return FeatureCoding(plan.name, coder, labels, missing_is_value, nominal, held), new_codes
