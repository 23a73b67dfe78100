"""Tables that a Python program holds in memory -> Table, told by what they offer, so that no library is imported.

pandas' frames are read as they are, all others through the Arrow C stream (``__arrow_c_stream__``): polars, pyarrow,
DuckDB and whatever else speaks it. Lazy frames of polars are collected first. Arrays are numpy's, or become such.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from probfs.errors import DataError, UsageError
from probfs.tables.arrays import EXACT
from probfs.tables.arrow import table_from_arrow
from probfs.tables.cells import Kind
from probfs.tables.column import Column, typed_column, unusable_column
from probfs.tables.csv_head import name_columns
from probfs.tables.table import Table, table_of_columns
from probfs.text import did_you_mean, option, printable, quoted

if TYPE_CHECKING:
    import pandas

Array: TypeAlias = npt.NDArray[Any]
TAKEN = "a path, a data frame (pandas, polars, pyarrow, DuckDB, or whatever has __arrow_c_stream__) or a numpy array"
FRAME_SOURCE = "<frame>"
"""The name of a data frame in messages, which has no file name."""
ARRAY_SOURCE = "<array>"
"""The name of an array, which has none either."""
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


def as_array(data: Any) -> Array:
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


def _is_frame(data: object) -> bool:
    """Whether data offers what only frames do."""
    offers = ("iloc", "collect_schema", "__arrow_c_stream__", "__arrow_c_array__")
    return any(hasattr(data, name) for name in offers)


def _is_sparse(data: object) -> bool:
    return hasattr(data, "toarray") and hasattr(data, "nnz")


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
        return _table_of_frame(data, FRAME_SOURCE)
    if is_pandas(data) or not (hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")):
        what = _SPARSE if _is_sparse(data) else type(data).__name__
        raise UsageError(f"{parameter} must be {TAKEN}, not {what}")
    return _table_of_stream(data, parameter)


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


def _table_of_frame(frame: pandas.DataFrame, source: str) -> Table:
    """The columns of a data frame of pandas; its index is not one of them."""
    header = name_columns(_names_of_pandas(frame), source)
    if not len(frame.columns):
        raise DataError("has no columns", source=source)
    numbers = _number_cells(frame)
    columns = (
        _numbers(name, numbers[place]) if place in numbers else column_of_series(name, frame.iloc[:, place])
        for place, name in list(enumerate(header.names))[header.indexes :]
    )
    return replace(table_of_columns(columns, source, len(frame), header.notes), left_out=header.left_out)


def _names_of_pandas(frame: pandas.DataFrame) -> list[str]:
    """The names of the columns as texts; None and NaN name nothing."""
    from pandas import isna
    from pandas.api.types import is_scalar

    return ["" if is_scalar(name) and isna(name) else str(name) for name in frame.columns]


def _number_cells(frame: pandas.DataFrame) -> dict[int, pa.ChunkedArray]:
    """The cells of all columns of numbers by their places: those of one type with a few calls for all."""
    by_type: dict[Any, list[int]] = {}
    for place, dtype in enumerate(frame.dtypes):
        # numpy's types, or pandas' own, which have a mask for missing cells.
        plain = dtype if isinstance(dtype, np.dtype) else getattr(dtype, "numpy_dtype", None)
        if plain is not None and _is_numeric(plain):
            by_type.setdefault(dtype, []).append(place)
    cells: dict[int, pa.ChunkedArray] = {}
    for dtype, places in by_type.items():
        own = frame if len(places) == frame.shape[1] else frame.iloc[:, places]
        if isinstance(dtype, np.dtype):
            # A copy, as the frame may change later.
            cells.update(zip(places, _cells_of_matrix(own.to_numpy(dtype, copy=True)), strict=True))
            continue
        matrix = own.to_numpy(np.float32 if dtype.numpy_dtype == np.float32 else np.float64, na_value=np.nan)
        # Whole numbers that a double cannot hold are left to Arrow.
        exact = np.ones(len(places), bool) if dtype.kind == "f" else ~(np.abs(matrix) >= EXACT).any(axis=0)
        found = zip(places, exact.tolist(), _cells_of_matrix(matrix), strict=True)
        cells.update({place: column for place, is_exact, column in found if is_exact})
    return cells


def _cells_of_matrix(matrix: Array) -> Iterator[pa.ChunkedArray]:
    """The columns of an array of numbers; NaN is a missing cell to whoever reads them."""
    native = _native(matrix)
    rows, width = native.shape
    flat = np.ascontiguousarray(native.T).ravel()
    cells = pa.Array.from_buffers(pa.from_numpy_dtype(flat.dtype), len(flat), [None, pa.py_buffer(flat)])
    return (pa.chunked_array([cells.slice(place * rows, rows)]) for place in range(width))


def _numbers(name: str, cells: pa.ChunkedArray) -> Column:
    return Column(name, cells, Kind.NUMBER, stored=cells.type)


def _is_numeric(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "iuf"


def _native(array: Array) -> Array:
    """Numbers in a type that Arrow has and in this machine's order of bytes; halves are written as floats are."""
    if array.dtype.kind == "f" and array.dtype.itemsize not in (4, 8):
        return array.astype(np.float32 if array.dtype.itemsize == 2 else np.float64)
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def column_of_series(name: str, series: pandas.Series[Any]) -> Column:
    """One column of a data frame."""
    try:
        cells = _arrow_array(series)
    except UnicodeEncodeError as error:
        problem, kind = f"holds text that is no valid Unicode ({error.reason})", Kind.TEXT
    except _ContainersError:
        problem, kind = "holds lists or other containers, not single values", Kind.NESTED
    else:
        return typed_column(name, cells if isinstance(cells, pa.ChunkedArray) else pa.chunked_array([cells]))
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


def _table_of_array(array: Array, parameter: str, names: Sequence[Any] | None) -> Table:
    """The columns of an array of two dimensions; without names they are called x0, x1 and so on.

    A structured array has a column for each field, which is called as the field.
    """
    if array.dtype.names is not None and names is not None:
        problem = "goes with an array whose columns have no names"
        raise UsageError(f"{option('feature_names')} {problem}; those of {parameter} are its fields'")
    if array.dtype.names is not None and array.ndim == 1:
        import pandas

        return _table_of_frame(pandas.DataFrame({name: array[name] for name in array.dtype.names}), ARRAY_SOURCE)
    if array.ndim != 2:
        problem = f"has {array.ndim} dimensions, but a table has two"
        raise DataError(f"{problem}; reshape it to rows and columns", source=ARRAY_SOURCE)
    rows, width = array.shape
    given = [f"x{place}" for place in range(width)] if names is None else _check_names(names, width)
    if not width:
        raise DataError("has no columns", source=ARRAY_SOURCE)
    if _is_numeric(array.dtype) and not np.ma.isMaskedArray(array):
        # A copy, as the array may change later.
        cells = _cells_of_matrix(np.array(array, order="F"))
        columns = [_numbers(name, own) for name, own in zip(given, cells, strict=True)]
    else:
        columns = [column_of_array(name, array[:, place]) for place, name in enumerate(given)]
    return table_of_columns(columns, ARRAY_SOURCE, rows)


def _check_names(names: Sequence[Any], width: int) -> list[str]:
    """Names that a user gives to the columns of an array, as texts: one for each column, all different."""
    parameter = option("feature_names")
    if isinstance(names, (str, bytes)):
        raise UsageError(f"{parameter}: {names!r} is one text; give a list with a name for each column")
    texts = [str(name) for name in names]
    if len(texts) != width:
        raise UsageError(f"{parameter}: {len(texts):,} names for {width:,} columns; name each of them once")
    if not all(text.strip() for text in texts):
        raise UsageError(f"{parameter}: a name is empty; name every column")
    if len(set(texts)) < width:
        twice = next(text for place, text in enumerate(texts) if text in texts[:place])
        raise UsageError(f"{parameter}: two columns are called {quoted(twice)}; rename one")
    return texts


def column_of_array(name: str, cells: Array) -> Column:
    """One column of an array; NaN, NaT, None and masked cells are missing."""
    plain, mask = np.ma.getdata(cells), np.ma.getmaskarray(cells)
    if not _is_numeric(cells.dtype):
        import pandas

        if mask.any():
            plain = plain.astype(object)
            plain[mask] = None
        return column_of_series(name, pandas.Series(plain))
    numbers = np.array(_native(plain))
    present = pa.py_buffer(np.packbits(~mask, bitorder="little")) if mask.any() else None
    arrow = pa.Array.from_buffers(pa.from_numpy_dtype(numbers.dtype), len(numbers), [present, pa.py_buffer(numbers)])
    return _numbers(name, pa.chunked_array([arrow]))


def keep_columns(frame: Any, needed: Sequence[str], optional: Sequence[str] = ()) -> Any:
    """The frame with only some of its columns, in its own order; those that are optional need not be there.

    It stays a frame of its library. Columns are called as in rankings of the frame: those of an array x0, x1 and so on.
    """
    if not hasattr(frame, "shape") and not hasattr(frame, "collect_schema"):
        # Whatever can only be read as a stream, and perhaps only once.
        if is_pandas(frame) or not (hasattr(frame, "__arrow_c_stream__") or hasattr(frame, "__arrow_c_array__")):
            raise _not_a_frame(frame)
        frame = pa.table(frame)
    names = _names_of(frame)
    header = name_columns(names, FRAME_SOURCE)
    positions = {name: place for place, name in enumerate(header.names) if place >= header.indexes}
    for name in needed:
        if name not in positions:
            raise UsageError(f"frame: it has no column {quoted(name)}{did_you_mean(name, positions)}")
    kept = sorted(positions[name] for name in (*needed, *optional) if name in positions)
    if is_array(frame):
        return frame[:, kept]
    if hasattr(frame, "iloc"):
        return frame.iloc[:, kept]
    if hasattr(frame, "project"):
        # DuckDB takes an expression.
        return frame.project(", ".join('"' + names[place].replace('"', '""') + '"' for place in kept))
    return frame.select([names[place] for place in kept])


def _names_of(frame: Any) -> list[str]:
    if is_array(frame) and np.ndim(frame) == 2:
        return [f"x{place}" for place in range(frame.shape[1])]
    if hasattr(frame, "iloc") and hasattr(frame, "columns"):
        return _names_of_pandas(frame)
    if hasattr(frame, "collect_schema"):
        return list(frame.collect_schema().names())
    for names in ("column_names", "columns"):
        if isinstance(getattr(frame, names, None), list):
            return list(getattr(frame, names))
    raise _not_a_frame(frame)


def _not_a_frame(frame: Any) -> UsageError:
    return UsageError(f"frame must be {TAKEN.removeprefix('a path, ')}, not {type(frame).__name__}")
