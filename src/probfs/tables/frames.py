"""Tables that a Python program holds in memory -> Table, told by what they offer, so that no library is imported.

pandas' frames are read as they are, all others through the Arrow C stream (``__arrow_c_stream__``): polars, pyarrow,
DuckDB and whatever else speaks it. Lazy frames of polars are collected first. Arrays are numpy's, or become such.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain, count
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from probfs.errors import DataError, UsageError
from probfs.tables.arrow import table_from_arrow
from probfs.tables.cells import Kind
from probfs.tables.column import Column, typed_column, unusable_column
from probfs.tables.header import name_columns
from probfs.tables.table import GIVEN_AS_Y, Table, table_of_columns
from probfs.text import did_you_mean, listed, option, printable, quoted

if TYPE_CHECKING:
    import pandas

Array: TypeAlias = npt.NDArray[Any]
TAKEN = "a path, a data frame (pandas, polars, pyarrow, DuckDB, or whatever has __arrow_c_stream__) or a numpy array"
_FRAME, _ARRAY = "<frame>", "<array>"
"""The names of frames and arrays in messages, as they have no file name."""
_TARGET_NAMES = ("y", "target", "class")
"""What a target without a name is called: the first of these that no column has."""
_CONTAINERS = (list, dict, set, frozenset, tuple, np.ndarray)


class ArrowStream(Protocol):
    """Whatever offers its rows as an Arrow C stream."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...  # Arrow's name


class LazyFrame(Protocol):
    """A query of polars that was not run yet."""

    def collect(self) -> ArrowStream: ...

    def collect_schema(self) -> Any: ...


InMemory: TypeAlias = "pandas.DataFrame | ArrowStream | LazyFrame | npt.NDArray[Any] | Table"


def is_table(data: object) -> bool:
    """Whether data is one table or array, and not a list of them."""
    offers = ("iloc", "collect_schema", "__arrow_c_stream__", "__arrow_c_array__", "__array__", "toarray")
    return isinstance(data, Table) or any(hasattr(data, name) for name in offers)


def array_width(data: Any) -> int | None:
    """How many columns an array has whose columns have no names; None for all else."""
    return int(np.shape(data)[1]) if _is_array(data) and np.ndim(data) == 2 else None


def is_pandas(data: object) -> bool:
    """Whether data is an object of pandas, or of a library that builds on its classes."""
    return any(base.__module__.partition(".")[0] == "pandas" for base in type(data).__mro__)


def _is_array(data: object) -> bool:
    return hasattr(data, "__array__") and not (is_pandas(data) or hasattr(data, "collect_schema") or _is_arrow(data))


def _is_arrow(data: object) -> bool:
    return not is_pandas(data) and (hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"))


def collected(data: Any) -> Any:
    """A lazy frame of polars as a frame; all else as it is."""
    return data.collect() if hasattr(data, "collect_schema") and hasattr(data, "collect") else data


def table_in_memory(data: Any, parameter: str, names: Sequence[Any] | None = None) -> Table:
    """The table that a parameter holds; ``names`` are those of the columns of an array."""
    if names is not None and not _is_array(data):
        problem = "goes with an array, whose columns have no names"
        raise UsageError(f"{option('feature_names')} {problem}; rename those of {parameter} itself")
    if isinstance(data, Table):
        return data
    if _is_array(data):
        # Subclasses of numpy's may index columns differently.
        return _table_of_array(data if np.ma.isMaskedArray(data) else np.asarray(data), names)
    data = collected(data)
    if is_pandas(data) and hasattr(data, "columns"):
        return _table_of_pandas(data)
    if _is_arrow(data):
        return _table_of_stream(data, parameter)
    what = "a sparse matrix; make it dense with .toarray()" if hasattr(data, "toarray") else type(data).__name__
    raise UsageError(f"{parameter} must be {TAKEN}, not {what}")


def _table_of_stream(data: Any, parameter: str) -> Table:
    try:
        arrow = data if isinstance(data, pa.Table) else pa.table(data)
    except (pa.ArrowException, OSError, TypeError) as error:
        if "non-struct" in str(error) or isinstance(error, TypeError):
            problem = f"{parameter} must be {TAKEN}, not {type(data).__name__}, which is a single column"
            raise UsageError(problem) from error
        reason = printable((str(error).splitlines() or [type(error).__name__])[0].rstrip("."))
        remedy = "turn its columns into types that Arrow has"
        raise DataError(f"cannot be read through Arrow: {reason}; {remedy}", source=_FRAME) from error
    if not arrow.num_columns:
        raise DataError("has no columns", source=_FRAME)
    if not arrow.num_rows and isinstance(data, pa.RecordBatchReader):
        raise DataError("has no rows, or has been read before; a reader can be read only once", source=_FRAME)
    return table_from_arrow(arrow, _FRAME)


def _table_of_pandas(frame: pandas.DataFrame) -> Table:
    """The columns of a data frame of pandas; its index is not one of them."""
    header = name_columns(_names_of_pandas(frame), _FRAME)
    if not len(frame.columns):
        raise DataError("has no columns", source=_FRAME)
    by_type: dict[Any, list[int]] = {}
    for place, dtype in enumerate(frame.dtypes):
        if isinstance(dtype, np.dtype) and dtype.kind in "iuf":
            by_type.setdefault(dtype, []).append(place)
    numbers: dict[int, Column] = {}
    for dtype, places in by_type.items():
        # All columns of one type with a few calls.
        some = frame if len(places) == frame.shape[1] else frame.iloc[:, places]
        columns = _number_columns([header.names[place] for place in places], some.to_numpy(dtype))
        numbers.update(zip(places, columns, strict=True))
    columns = (
        numbers.get(place) or _column_of_series(name, frame.iloc[:, place])
        for place, name in list(enumerate(header.names))[header.indexes :]
    )
    return replace(table_of_columns(columns, _FRAME, len(frame), header.notes), left_out=header.left_out)


def _names_of_pandas(frame: pandas.DataFrame) -> list[str]:
    """The names of the columns as texts; None and NaN name nothing."""
    from pandas import isna
    from pandas.api.types import is_scalar

    return ["" if is_scalar(name) and isna(name) else str(name) for name in frame.columns]


def _number_columns(names: Sequence[str], matrix: Array) -> Iterator[Column]:
    """The columns of an array of numbers; NaN is a missing cell to whoever reads them."""
    dtype = matrix.dtype.newbyteorder("=")
    if dtype.kind == "f" and dtype.itemsize not in (4, 8):
        # Arrow has no long doubles; halves are written as floats are.
        dtype = np.dtype(np.float32 if dtype.itemsize == 2 else np.float64)
    for place, name in enumerate(names):
        # A copy, as the array may change later.
        numbers = pa.py_buffer(np.array(matrix[:, place], dtype, order="C"))
        cells = pa.Array.from_buffers(pa.from_numpy_dtype(dtype), len(matrix), [None, numbers])
        yield typed_column(name, pa.chunked_array([cells]), checked=True)


def _column_of_series(name: str, series: pandas.Series[Any]) -> Column:
    try:
        cells = _cells_of_series(series)
    except UnicodeEncodeError as error:
        problem, kind = f"holds text that is not valid Unicode ({error.reason})", Kind.TEXT
    else:
        if cells is not None:
            return typed_column(name, cells if isinstance(cells, pa.ChunkedArray) else pa.chunked_array([cells]))
        problem, kind = "holds lists or other containers, not single values", Kind.NESTED
    return unusable_column(name, series.isna().to_numpy(dtype=np.bool_), kind, problem)


def _cells_of_series(series: Any) -> pa.Array | pa.ChunkedArray | None:
    """The cells in a type of Arrow's, or as texts where it has none; None if some hold several values."""
    import pandas

    if isinstance(series.dtype, pandas.SparseDtype):
        series = series.sparse.to_dense()
    if isinstance(series.dtype, pandas.CategoricalDtype) and _plain_cells(series.cat.categories) is None:
        # Intervals, as pandas.cut makes, periods, and objects of several types.
        texts = [_cell_text(category) for category in series.cat.categories]
        series = series.cat.rename_categories(texts) if len(set(texts)) == len(texts) else series.astype(object)
    cells = _plain_cells(series)
    if cells is not None:
        return cells
    present = series.notna()
    if any(isinstance(value, _CONTAINERS) for value in series[present]):
        return None
    return pa.array(series.astype(object).where(present, None).map(_cell_text, na_action="ignore"), pa.string())


def _plain_cells(values: Any) -> pa.Array | pa.ChunkedArray | None:
    try:
        cells = pa.array(values, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
        return None
    return None if isinstance(cells.type, pa.BaseExtensionType) else cells


def _cell_text(value: Any) -> str:
    """A cell among others of several types as a text; a truth value is the same text everywhere."""
    return str(value).lower() if isinstance(value, (bool, np.bool_)) else str(value)


def _table_of_array(array: Array, names: Sequence[Any] | None) -> Table:
    """The columns of an array of two dimensions; without names they are called x0, x1 and so on."""
    if array.ndim != 2:
        problem = f"has {array.ndim} dimensions, but a table has two"
        raise DataError(f"{problem}; reshape it to rows and columns", source=_ARRAY)
    rows, width = array.shape
    given = [f"x{place}" for place in range(width)]
    if names is not None:
        given = [names] if isinstance(names, str) else [str(name) for name in names]
        if not len(given) == width == len({name for name in given if name.strip()}) or isinstance(names, str):
            problem = f"{listed(given)} are not {width:,} different names; give a list with one for each column"
            raise UsageError(f"{option('feature_names')}: {problem}")
    if not width:
        raise DataError("has no columns", source=_ARRAY)
    return table_of_columns(_columns_of_array(given, array), _ARRAY, rows)


def _columns_of_array(names: Sequence[str], array: Array) -> Iterator[Column]:
    """The columns of an array of two dimensions; NaN, NaT, None and masked cells are missing."""
    plain, mask = np.ma.getdata(array), np.ma.getmask(array)
    if array.dtype.kind in "iuf" and not np.any(mask):
        yield from _number_columns(names, plain)
        return
    import pandas

    if np.any(mask):
        plain = plain.astype(object)
        plain[mask] = None
    for place, name in enumerate(names):
        yield _column_of_series(name, pandas.Series(plain[:, place]))


def keep_columns(frame: Any, needed: Sequence[str], optional: Sequence[str] = ()) -> Any:
    """The frame with only some of its columns, in their order there; optional ones need not be there.

    It stays a frame of its library. Columns are called as in rankings of the frame: those of an array x0, x1 and so on.
    """
    if _is_arrow(frame) and not hasattr(frame, "shape"):
        # Whatever can only be read as a stream, and perhaps only once.
        frame = pa.table(frame)
    width = array_width(frame)
    if width is not None:
        names: Any = [f"x{place}" for place in range(width)]
    elif is_pandas(frame) and hasattr(frame, "columns"):
        names = _names_of_pandas(frame)
    elif hasattr(frame, "collect_schema"):
        names = list(frame.collect_schema().names())
    else:
        # pyarrow's columns are cells, and its column_names are names.
        names = getattr(frame, "column_names", getattr(frame, "columns", None))
    if not isinstance(names, list):
        raise UsageError(f"frame must be {TAKEN.removeprefix('a path, ')}, not {type(frame).__name__}")
    header = name_columns(names, _FRAME)
    positions = {name: place for place, name in enumerate(header.names) if place >= header.indexes}
    for name in needed:
        if name not in positions:
            raise UsageError(f"frame: it has no column {quoted(name)}{did_you_mean(name, positions)}")
    kept = sorted(positions[name] for name in (*needed, *optional) if name in positions)
    if width is not None:
        return frame[:, kept]
    if is_pandas(frame):
        return frame.iloc[:, kept]
    if hasattr(frame, "project"):
        # DuckDB takes an expression.
        return frame.project(", ".join('"' + names[place].replace('"', '""') + '"' for place in kept))
    return frame.select([names[place] for place in kept])


def add_labels(table: Table, y: Any, mapping_target: str | None = None) -> Table:
    """The table with ``y`` as its last column, which is the target.

    It is called as ``y`` is, else as the mapping's target, else by a name that no column has.
    """
    column = column_of_labels(y)
    if column.rows != table.rows:
        raise UsageError(f"y has {column.rows:,} values, but data has {table.rows:,} rows; give one for each row")
    free = chain(_TARGET_NAMES, (f"{_TARGET_NAMES[0]} ({number})" for number in count(2)))
    name = column.name or mapping_target or next(name for name in free if name not in table.columns)
    if mapping_target is not None and mapping_target != name:
        problem = f"y is called {quoted(name)}, but the mapping's target is {quoted(mapping_target)}"
        raise UsageError(f"{problem}; rename y, or take the target out of the mapping")
    if name in table.columns:
        problem = f"y is called {quoted(name)}, and so is a column of data"
        raise UsageError(f"{problem}; use {option('target', name)} in place of y, or take the column out of data")
    columns = {**table.columns, name: replace(column, name=name)}
    return replace(table, columns=columns, target_hint=(name, GIVEN_AS_Y))


def column_of_labels(y: Any) -> Column:
    """The values as a column, which has no name where they have none."""
    if isinstance(y, (str, bytes)):
        raise UsageError(f"y must hold a value for each row; to name a column, use {option('target', str(y))}")
    y = collected(y)
    name = getattr(y, "name", None)
    name = "" if name is None or name != name or callable(name) else str(name)
    what = type(y).__name__
    if _is_array(y):
        array = y if np.ma.isMaskedArray(y) else np.asarray(y)
        if array.dtype.names is None and (array.ndim == 1 or array.shape[1:] == (1,)):
            return next(_columns_of_array([""], array.reshape(-1, 1)))
        what = f"an array of shape {array.shape}"
    elif hasattr(y, "columns"):
        columns = list(table_in_memory(y, "y").columns.values())
        if len(columns) == 1:
            return columns[0]
        what = f"a frame of {len(columns):,} columns"
    elif _is_arrow(y):
        return typed_column(name, pa.chunked_array(y if hasattr(y, "__arrow_c_stream__") else [pa.array(y)]))
    elif not isinstance(y, (Mapping, Set)) and hasattr(y, "__len__") and hasattr(y, "__iter__"):
        import pandas

        return _column_of_series(name, pandas.Series(y) if is_pandas(y) else pandas.Series(list(y), dtype=object))
    raise UsageError(f"y must hold a value for each row (a list, a Series, an Arrow or a numpy array), not {what}")
