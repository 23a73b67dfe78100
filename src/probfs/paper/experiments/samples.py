"""The tables of the paper that come with the package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from probfs.columns.choice import ColumnChoice
from probfs.columns.prepare import apply_mapping
from probfs.ranking.inputs import read_prepared
from probfs.tables.arrays import index_array
from probfs.tables.column import Column
from probfs.tables.reading import ReadOptions, read_table
from probfs.tables.table import Table

_DATA = Path(__file__).parent / "data"
BREAST_CANCER = _DATA / "breast_cancer.csv"
BINARISED = _DATA / "breast_cancer.toml"
JOINT = _DATA / "joint.csv"

IDENTIFIER, TARGET = "sample_id", "class"


@cache
def breast_cancer() -> Table:
    """The nine measures and the class of 699 tumours."""
    table = read_table(BREAST_CANCER, ReadOptions())
    columns = {name: column for name, column in table.columns.items() if name != IDENTIFIER}
    return Table(table.source, columns, table.rows)


@cache
def binarised_breast_cancer() -> Table:
    """The same as the yes/no attributes of section 5.3."""
    table = apply_mapping(*read_prepared(BREAST_CANCER, BINARISED, ReadOptions(), ColumnChoice()))
    return Table(table.source, table.columns, table.rows)


def features_of(table: Table) -> list[str]:
    return [name for name in table.columns if name != TARGET]


def with_rows(table: Table, rows: npt.NDArray[np.intp], more: Mapping[str, Column] | None = None) -> Table:
    """Some rows of a table, in any order and any number of times, with further columns before the target."""
    taken = {
        name: replace(column, cells=column.cells.take(index_array(rows))) for name, column in table.columns.items()
    }
    target = taken.pop(TARGET)
    return Table(table.source, {**taken, **(more or {}), TARGET: target}, len(rows))
