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
from probfs.tables.readers.arrow import FRAME_SOURCE, column_from_arrow, table_of_columns
from probfs.tables.readers.number_columns import as_doubles, block_of_declared_numbers
from probfs.tables.readers.unnamed_columns import name_columns
from probfs.tables.table import Column, Kind, Table, unusable_column

if TYPE_CHECKING:
    import pandas


def table_from_frame(frame: pandas.DataFrame, source: str = FRAME_SOURCE) -> Table:
    """The columns of a data frame as text categories; its index is not one of them."""
    header = name_columns(column_names(frame), source)
    named = list(enumerate(header.names))[header.indexes :]
    numbers = _numbers(frame, named)
    columns = (numbers.get(name) or column_from_series(name, frame.iloc[:, position]) for position, name in named)
    if not len(frame.columns):
        raise DataError("has no columns", source=source)
    table = table_of_columns(columns, source, len(frame), header.notes)
    return replace(table, left_out=header.left_out)


def column_names(frame: pandas.DataFrame) -> list[str]:
    """The names of the columns as texts."""
    return [_column_name(name) for name in frame.columns]


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


def column_from_series(name: str, series: pandas.Series[Any]) -> Column:
    """One column of a data frame."""
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
    series = _simple(series)
    try:
        return pa.array(series, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
        # A column of mixed objects, such as 1 and "x": each cell becomes its text.
        present = series.notna()
        if any(isinstance(value, (list, dict, set, frozenset, tuple, np.ndarray)) for value in series[present]):
            raise _ContainersError from None
        return pa.array(series.astype(object).where(present, None).map(_cell_text, na_action="ignore"), pa.string())


def _simple(series: pandas.Series[Any]) -> Any:
    """The cells in a type that Arrow has: sparse ones dense, periods as their first days, intervals as texts."""
    import pandas

    dtype: Any = series.dtype
    if isinstance(dtype, pandas.SparseDtype):
        return series.sparse.to_dense()  # type: ignore[attr-defined]  # pandas-stubs do not know it
    if isinstance(dtype, pandas.PeriodDtype):
        return series.dt.to_timestamp()
    if isinstance(dtype, pandas.IntervalDtype):
        return series.astype(object).where(series.notna(), None).map(str, na_action="ignore")
    if isinstance(dtype, pandas.CategoricalDtype) and _are_odd(dtype.categories):
        texts = [_cell_text(category) for category in dtype.categories]
        if len(set(texts)) == len(texts):
            return series.cat.rename_categories(texts)
    return series


def _are_odd(categories: pandas.Index[Any]) -> bool:
    """Whether Arrow has no type for categories: intervals, as pandas.cut makes, periods, objects of several types."""
    import pandas

    if isinstance(categories.dtype, (pandas.IntervalDtype, pandas.PeriodDtype)):
        return True
    return categories.dtype == object and pandas.api.types.infer_dtype(categories).startswith("mixed")


def _cell_text(value: Any) -> str:
    """A cell among others of several types as a text; a truth value is the same text everywhere."""
    return str(value).lower() if isinstance(value, (bool, np.bool_)) else str(value)
