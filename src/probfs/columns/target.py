"""The column to predict: which one it is, and the class of each row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from probfs.columns.mapping_file import MappingFile
from probfs.columns.recoding import label_of_each_value, learn_rule
from probfs.columns.roles import ColumnChoice
from probfs.columns.rules import UNKNOWN, Category
from probfs.errors import UsageError
from probfs.tables.arrow_arrays import looked_up
from probfs.tables.table import Integers, Labels, Table
from probfs.text import option


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


def choose_target(table: Table, mapping: MappingFile, choice: ColumnChoice) -> tuple[str, str]:
    """The name of the column to predict, and who named it."""
    if choice.target is not None:
        return table.column(choice.target, "target").name, f"by {option('target')}"
    if mapping.target is not None:
        return mapping.target, "by the mapping"
    unwanted = {*mapping.drop, *choice.exclude}
    if table.target_hint is not None and table.target_hint[0] not in unwanted:
        return table.target_hint
    free = [name for name in table.columns if name != choice.count and name not in unwanted]
    if not free:
        raise UsageError(f"no column of {table.source} is left to be the target; name one with {option('target')}")
    last = free[-1] == list(table.columns)[-1]
    return free[-1], "the last column" if last else "the last column that is not left out"


def read_classes(table: Table, mapping: MappingFile, name: str, reason: str, counts: Integers | None) -> Target:
    """The classes in the target column; a class that only rows of count 0 have is none."""
    column = table.columns[name]
    coder = learn_rule(table, column, mapping.columns.get(name, Category()), counts)
    labels = label_of_each_value(table, column, coder)
    codes = np.where(labels == UNKNOWN, len(coder.labels), labels)
    rows = np.bincount(codes, column.counts(counts), minlength=len(coder.labels) + 1)
    classes, positions = _sort_classes(coder.labels, rows[:-1] > 0)
    # From each value to its label, and from there to its class, before any row is looked at.
    narrow = np.min_scalar_type(-1 - len(classes))
    by_row = looked_up(positions[labels].astype(narrow), column.codes)
    return Target(name, reason, classes, by_row, column.declared or name in mapping.columns)


def _sort_classes(labels: pa.StringArray, present: npt.NDArray[np.bool_]) -> tuple[tuple[str, ...], Integers]:
    """The labels that occur, sorted by name, and for each label its position among them."""
    names = labels.to_pylist()
    order = sorted(np.flatnonzero(present).tolist(), key=lambda code: names[code])
    position = np.full(len(names) + 1, UNKNOWN)
    position[order] = np.arange(len(order))
    # A label of UNKNOWN (-1) picks the entry at the end, which stays UNKNOWN.
    return tuple(names[code] for code in order), position
