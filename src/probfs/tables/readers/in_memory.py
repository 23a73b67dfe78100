"""Tables that a Python program holds in memory -> Table, told by what they offer, so that no library is imported.

pandas' frames are read as they are, all others through the Arrow C stream (``__arrow_c_stream__``): polars, pyarrow,
DuckDB and whatever else speaks it. Lazy frames of polars are collected first. Arrays are numpy's, or become such.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from probfs.errors import DataError, UsageError
from probfs.tables.readers.array import check_names, table_from_array
from probfs.tables.readers.arrow import FRAME_SOURCE, table_from_arrow
from probfs.tables.table import Table
from probfs.text import option, printable

if TYPE_CHECKING:
    import pandas

TAKEN = "a path, a data frame (pandas, polars, pyarrow, DuckDB, or whatever has __arrow_c_stream__) or a numpy array"
_SPARSE = "a sparse matrix; make it dense with .toarray()"


class ArrowStream(Protocol):
    """Whatever offers its rows as an Arrow C stream."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...  # Arrow's name


class LazyFrame(Protocol):
    """A query of polars that was not run yet."""

    def collect(self) -> ArrowStream: ...

    def collect_schema(self) -> Any: ...


InMemory: TypeAlias = "pandas.DataFrame | ArrowStream | LazyFrame | npt.NDArray[Any] | Table"


def is_array(data: object) -> bool:
    """Whether data is an array, whose columns have no names, unless it is structured."""
    return not _is_frame(data) and hasattr(data, "__array__")


def as_array(data: Any) -> npt.NDArray[Any]:
    """The array as one of numpy's own, masked if it is; other classes may give columns in a way of their own."""
    return data if np.ma.isMaskedArray(data) else np.asarray(data)


def is_table(data: object) -> bool:
    """Whether data is one table or array, and not a list of them."""
    return isinstance(data, Table) or _is_frame(data) or hasattr(data, "__array__") or _is_sparse(data)


def array_width(data: Any) -> int | None:
    """How many columns an array has whose columns have no names; None for all else."""
    shape = as_array(data).shape if is_array(data) else ()
    return int(shape[1]) if len(shape) == 2 else None


def is_pandas(data: object) -> bool:
    """Whether data is an object of pandas, or of a library that builds on its classes."""
    return any(base.__module__.partition(".")[0] == "pandas" for base in type(data).__mro__)


def table_in_memory(data: Any, parameter: str, names: Sequence[Any] | None = None) -> Table:
    """The table that a parameter holds; ``names`` are those of the columns of an array."""
    if names is not None and not is_array(data):
        problem = "goes with an array, whose columns have no names"
        raise UsageError(f"{option('feature_names')} {problem}; rename those of {parameter} itself")
    if isinstance(data, Table):
        return data
    if is_array(data):
        return _table_of_array(as_array(data), parameter, names)
    if hasattr(data, "collect_schema") and hasattr(data, "collect"):
        return table_in_memory(data.collect(), parameter)
    is_frame = hasattr(data, "iloc") and hasattr(data, "columns")
    if is_frame and (is_pandas(data) or not hasattr(data, "__arrow_c_stream__")):
        from probfs.tables.readers.frame import table_from_frame

        return table_from_frame(data)
    if is_pandas(data) or not (hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")):
        what = _SPARSE if _is_sparse(data) else type(data).__name__
        raise UsageError(f"{parameter} must be {TAKEN}, not {what}")
    return _table_of_stream(data, parameter)


def _is_frame(data: object) -> bool:
    """Whether data offers what only frames do."""
    offers = ("iloc", "collect_schema", "__arrow_c_stream__", "__arrow_c_array__")
    return any(hasattr(data, name) for name in offers)


def _is_sparse(data: object) -> bool:
    return hasattr(data, "toarray") and hasattr(data, "nnz")


def _table_of_array(array: npt.NDArray[Any], parameter: str, names: Sequence[Any] | None) -> Table:
    if names is None:
        return table_from_array(array)
    if array.dtype.names is not None:
        problem = "goes with an array whose columns have no names"
        raise UsageError(f"{option('feature_names')} {problem}; those of {parameter} are its fields'")
    width = array.shape[1] if array.ndim == 2 else len(names)
    return table_from_array(array, check_names(names, width, option("feature_names")))


def _table_of_stream(data: Any, parameter: str) -> Table:
    try:
        arrow = data if isinstance(data, pa.Table) else pa.table(data)
    except (pa.ArrowException, OSError, TypeError) as error:
        if "non-struct" in str(error) or isinstance(error, TypeError):
            problem = f"{parameter} must be {TAKEN}, not {type(data).__name__}, which is a single column"
            raise UsageError(problem) from error
        reason = printable((str(error).splitlines() or [type(error).__name__])[0].rstrip("."))
        remedy = "turn its columns into types that Arrow has"
        raise DataError(f"cannot be read through Arrow: {reason}; {remedy}", source=FRAME_SOURCE) from error
    if not arrow.num_columns:
        raise DataError("has no columns", source=FRAME_SOURCE)
    if not arrow.num_rows and isinstance(data, pa.RecordBatchReader):
        raise DataError("has no rows, or has been read before; a reader can be read only once", source=FRAME_SOURCE)
    return table_from_arrow(arrow, FRAME_SOURCE)
