"""A pandas data frame -> Table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from probfs.errors import DataError
from probfs.tables.number_block import NumberColumn, is_wide
from probfs.tables.readers.arrow import column_from_arrow, table_of_columns
from probfs.tables.readers.number_columns import as_doubles, block_of_declared_numbers
from probfs.tables.readers.unnamed_columns import NamedColumns, name_columns
from probfs.tables.table import Column, Kind, Table, unusable_column

if TYPE_CHECKING:
    import pandas

FRAME_SOURCE = "<frame>"
"""The name of a data frame in messages, which has no file name."""


def table_from_frame(frame: pandas.DataFrame) -> Table:
    """The columns of a data frame as text categories; its index is not one of them."""
    header = name_frame_columns(frame)
    named = list(enumerate(header.names))[header.indexes :]
    numbers = _numbers(frame, named)
    columns = (numbers.get(name) or _column(name, frame.iloc[:, position]) for position, name in named)
    if not len(frame.columns):
        raise DataError("has no columns", source=FRAME_SOURCE)
    table = table_of_columns(columns, FRAME_SOURCE, len(frame), header.notes)
    return replace(table, left_out=header.left_out)


def name_frame_columns(frame: pandas.DataFrame) -> NamedColumns:
    """What the columns of a data frame are called here, by position."""
    return name_columns([_column_name(name) for name in frame.columns], FRAME_SOURCE)


def _numbers(frame: pandas.DataFrame, named: Sequence[tuple[int, str]]) -> dict[str, NumberColumn]:
    """Those of the columns that belong into blocks of numbers; none if two have the same name, which is refused."""
    if len({name for _, name in named}) < len(named):
        return {}
    by_type: dict[Any, list[tuple[int, str]]] = {}
    for (position, name), dtype in zip(named, frame.dtypes.iloc[len(frame.columns) - len(named) :], strict=True):
        if _is_number_type(dtype):
            by_type.setdefault(dtype, []).append((position, name))
    columns: dict[str, NumberColumn] = {}
    for dtype, own in by_type.items():
        if len(frame) and is_wide(len(own), len(frame)):
            lines = _lines(frame.iloc[:, [position for position, _ in own]], dtype)
            columns |= block_of_declared_numbers([name for _, name in own], as_doubles(lines))
    return columns


def _is_number_type(dtype: Any) -> bool:
    """Whether a type is one of numbers: numpy's, or pandas' own, which have a mask for missing cells."""
    own = dtype if isinstance(dtype, np.dtype) else getattr(dtype, "numpy_dtype", None)
    return own is not None and (own.kind in "iu" or own in (np.float32, np.float64))


def _lines(frame: pandas.DataFrame, dtype: Any) -> npt.NDArray[np.number]:
    """The columns of a frame of one type as lines of numbers, with NaN for what is missing."""
    if isinstance(dtype, np.dtype):
        return frame.to_numpy(dtype).T
    # Whole numbers that a double cannot hold are rounded to some that do not fit into a block either.
    return frame.to_numpy(np.float32 if dtype.numpy_dtype == np.float32 else np.float64, na_value=np.nan).T


def _column_name(name: Any) -> str:
    """A column's name as text; None and NaN name nothing."""
    from pandas import isna
    from pandas.api.types import is_scalar

    return "" if is_scalar(name) and isna(name) else str(name)


def _column(name: str, series: pandas.Series[Any]) -> Column:
    try:
        cells = _arrow_array(series)
    except UnicodeEncodeError as error:
        problem, kind = f"holds text that is no valid Unicode ({error.reason})", Kind.TEXT
    except _ContainersError:
        problem, kind = "holds lists or other containers, not single values", Kind.NESTED
    else:
        return column_from_arrow(name, cells if isinstance(cells, pa.ChunkedArray) else pa.chunked_array([cells]))
    return unusable_column(name, series.isna().to_numpy(dtype=np.bool_), kind, problem)


class _ContainersError(Exception):
    """Some cells hold several values."""


def _arrow_array(series: pandas.Series[Any]) -> pa.Array | pa.ChunkedArray:
    try:
        return pa.array(series, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
        # A column of mixed objects, such as 1 and "x": each cell becomes its text.
        present = series.notna()
        if any(isinstance(value, (list, dict, set, frozenset, tuple, np.ndarray)) for value in series[present]):
            raise _ContainersError from None
        return pa.array(series.astype(object).where(present, None).map(str, na_action="ignore"), pa.string())
