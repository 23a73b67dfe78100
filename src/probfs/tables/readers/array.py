"""A numpy array -> Table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from probfs.errors import DataError, UsageError
from probfs.tables.number_block import NumberColumn, is_wide
from probfs.tables.readers.arrow import ARRAY_SOURCE, column_from_arrow, table_of_columns
from probfs.tables.readers.frame import column_from_series, table_from_frame
from probfs.tables.readers.number_columns import as_doubles, block_of_declared_numbers
from probfs.tables.table import Column, Table
from probfs.text import quoted

Array: TypeAlias = npt.NDArray[Any]


def table_from_array(array: Array, names: Sequence[str] | None = None) -> Table:
    """The columns of an array of two dimensions; without names they are called x0, x1 and so on.

    A structured array has a column for each field, which is called as the field.
    """
    if array.dtype.names is not None and array.ndim == 1:
        import pandas

        return table_from_frame(pandas.DataFrame({name: array[name] for name in array.dtype.names}), ARRAY_SOURCE)
    if array.ndim != 2:
        problem = f"has {array.ndim} dimensions, but a table has two"
        raise DataError(f"{problem}; reshape it to rows and columns", source=ARRAY_SOURCE)
    rows, width = array.shape
    if not width:
        raise DataError("has no columns", source=ARRAY_SOURCE)
    own = [f"x{position}" for position in range(width)] if names is None else list(names)
    blocks = _block(array, own)
    columns = (blocks.get(name) or column_from_array(name, array[:, position]) for position, name in enumerate(own))
    return table_of_columns(columns, ARRAY_SOURCE, rows)


def check_names(names: Sequence[Any], width: int, parameter: str) -> list[str]:
    """Names that a user gives to the columns of an array, as texts: one for each column, all different."""
    if isinstance(names, (str, bytes)):
        raise UsageError(f"{parameter}: {names!r} is one text; give a list with a name for each column")
    texts = [str(name) for name in names]
    if len(texts) != width:
        raise UsageError(f"{parameter}: {len(texts):,} names for {width:,} columns; name each of them once")
    seen: set[str] = set()
    for text in texts:
        if not text.strip():
            raise UsageError(f"{parameter}: a name is empty; name every column")
        if text in seen:
            raise UsageError(f"{parameter}: two columns are called {quoted(text)}; rename one")
        seen.add(text)
    return texts


def _block(array: Array, names: Sequence[str]) -> dict[str, NumberColumn]:
    """The columns of a wide array of numbers, as far as they belong into a block."""
    rows, width = array.shape
    if not rows or not is_wide(width, rows) or not _is_numeric(array.dtype) or np.ma.isMaskedArray(array):
        return {}
    return block_of_declared_numbers(names, as_doubles(_native(array).T))


def column_from_array(name: str, cells: Array) -> Column:
    """One column of an array; NaN, NaT, None and masked cells are missing."""
    if not _is_numeric(cells.dtype):
        import pandas

        plain = np.ma.getdata(cells)
        if np.ma.isMaskedArray(cells):
            plain = plain.astype(object)
            plain[np.ma.getmaskarray(cells)] = None
        return column_from_series(name, pandas.Series(plain))
    numbers = np.ascontiguousarray(_native(np.ma.getdata(cells)))
    mask = np.ma.getmask(cells)
    present = None if mask is np.ma.nomask else pa.py_buffer(np.packbits(~np.asarray(mask), bitorder="little"))
    dtype = pa.from_numpy_dtype(numbers.dtype)
    arrow = pa.Array.from_buffers(dtype, len(numbers), [present, pa.py_buffer(numbers)])
    return column_from_arrow(name, pa.chunked_array([arrow]))


def _is_numeric(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "iuf"


def _native(array: Array) -> Array:
    """Numbers in a type that Arrow has and in this machine's order of bytes; halves are written as floats are."""
    if array.dtype.kind == "f" and array.dtype.itemsize not in (4, 8):
        return array.astype(np.float32 if array.dtype.itemsize == 2 else np.float64)
    return array.astype(array.dtype.newbyteorder("="), copy=False)
