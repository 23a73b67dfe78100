"""The values to predict, passed beside a table -> its last column."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from itertools import count
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa

from probfs.errors import UsageError
from probfs.tables.column import Column, typed_column
from probfs.tables.frames import as_array, column_of_array, column_of_series, is_array, is_pandas
from probfs.tables.table import GIVEN_AS_Y, Table
from probfs.text import option, quoted

_NAMES = ("y", "target", "class")
"""What a target without a name is called: the first of these that no column has."""


def add_labels(table: Table, y: Any, mapping_target: str | None = None) -> Table:
    """The table with ``y`` as its last column, which is the target.

    It is called as ``y`` is, else as the mapping's target, else by a name that no column has.
    """
    column = column_of_labels(y)
    if column.rows != table.rows:
        raise UsageError(f"y has {column.rows:,} values, but data has {table.rows:,} rows; give one for each row")
    name = column.name or mapping_target or _free_name(table)
    if mapping_target is not None and mapping_target != name:
        problem = f"y is called {quoted(name)}, but the mapping's target is {quoted(mapping_target)}"
        raise UsageError(f"{problem}; rename y, or take the target out of the mapping")
    if name in table.columns:
        problem = f"y is called {quoted(name)}, and so is a column of data"
        raise UsageError(f"{problem}; use {option('target', name)} in place of y, or take the column out of data")
    columns = {**table.columns, name: column.renamed(name)}
    return replace(table, columns=columns, target_hint=(name, GIVEN_AS_Y))


def column_of_labels(y: Any) -> Column:
    """The values as a column, which has no name where they have none."""
    if isinstance(y, (str, bytes)):
        raise UsageError(f"y must hold a value for each row; to name a column, use {option('target', str(y))}")
    if hasattr(y, "collect_schema") and hasattr(y, "collect"):
        y = y.collect()
    if is_pandas(y):
        return _column_of_pandas(y)
    if is_array(y):
        return _column_of_array(as_array(y))
    if hasattr(y, "__arrow_c_stream__") or hasattr(y, "__arrow_c_array__"):
        return _column_of_arrow(y)
    if isinstance(y, (Mapping, Set)) or not (hasattr(y, "__len__") and hasattr(y, "__iter__")):
        _refuse(type(y).__name__)
    import pandas

    return column_of_series("", pandas.Series(list(y), dtype=object))


def _column_of_pandas(y: Any) -> Column:
    import pandas

    if isinstance(y, pandas.DataFrame):
        if y.shape[1] != 1:
            _refuse(f"a frame of {y.shape[1]:,} columns")
        y = y.iloc[:, 0]
    return column_of_series(_name_of(y), pandas.Series(y))


def _column_of_array(array: np.ndarray[Any, Any]) -> Column:
    one_column = array.ndim == 2 and array.shape[1] == 1
    if array.dtype.names is not None or not (array.ndim == 1 or one_column):
        _refuse(f"an array of shape {array.shape}")
    return column_of_array("", array[:, 0] if one_column else array)


def _column_of_arrow(y: Any) -> Column:
    """One column, or a table of one."""
    if isinstance(y, (pa.Table, pa.RecordBatch)):
        cells = pa.table(y).to_struct_array()
    elif isinstance(y, pa.ChunkedArray):
        cells = y
    else:
        cells = pa.chunked_array(y) if hasattr(y, "__arrow_c_stream__") else pa.chunked_array([pa.array(y)])
    name = _name_of(y)
    if pa.types.is_struct(cells.type):
        if cells.type.num_fields != 1:
            _refuse(f"a frame of {cells.type.num_fields:,} columns")
        name, cells = cells.type.field(0).name, cells.flatten()[0]
    return typed_column(name, cells)


def _refuse(what: str) -> NoReturn:
    raise UsageError(f"y must hold a value for each row (a list, a Series, an Arrow or a numpy array), not {what}")


def _name_of(y: Any) -> str:
    """The name that values bear, empty if they have none."""
    name = getattr(y, "name", None)
    return "" if name is None or name != name or callable(name) else str(name)


def _free_name(table: Table) -> str:
    numbered = (f"{_NAMES[0]} ({number})" for number in count(2))
    return next(name for names in (_NAMES, numbered) for name in names if name not in table.columns)
