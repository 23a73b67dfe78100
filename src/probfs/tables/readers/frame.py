"""A pandas data frame -> Table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from probfs.errors import DataError
from probfs.tables.readers.arrow import table_from_arrow
from probfs.tables.table import Table
from probfs.text import quoted

if TYPE_CHECKING:
    import pandas

FRAME_SOURCE = "<frame>"
"""The name of a data frame in messages, which has no file name."""


def table_from_frame(frame: pandas.DataFrame) -> Table:
    """The columns of a data frame as text categories; its index is not one of them."""
    names = [_column_name(name) for name in frame.columns]
    try:
        arrays = [_arrow_array(name, frame.iloc[:, position]) for position, name in enumerate(names)]
    except UnicodeEncodeError as error:
        problem = f"a text is no valid Unicode ({error.reason}); encode it otherwise"
        raise DataError(problem, source=FRAME_SOURCE) from error
    if not names:
        raise DataError("has no columns", source=FRAME_SOURCE)
    return table_from_arrow(pa.Table.from_arrays(arrays, names=names), FRAME_SOURCE)


def _column_name(name: Any) -> str:
    """A column's name as text; None and NaN name nothing."""
    from pandas import isna
    from pandas.api.types import is_scalar

    return "" if is_scalar(name) and isna(name) else str(name)


def _arrow_array(name: str, series: pandas.Series[Any]) -> pa.Array | pa.ChunkedArray:
    try:
        return pa.array(series, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
        # A column of mixed objects, such as 1 and "x": each cell becomes its text.
        present = series.notna()
        if any(isinstance(value, (list, dict, set, tuple)) for value in series[present]):
            problem = f"column {quoted(name)} holds lists or other containers, not single values"
            raise DataError(problem, source=FRAME_SOURCE) from None
        return pa.array(series.astype(object).where(present, None).map(str, na_action="ignore"), pa.string())
