"""Some columns of a frame that a caller holds, as a frame of the same library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from probfs.errors import UsageError
from probfs.tables.readers.arrow import FRAME_SOURCE
from probfs.tables.readers.frame import column_names
from probfs.tables.readers.in_memory import TAKEN, is_array, is_pandas
from probfs.tables.readers.unnamed_columns import name_columns
from probfs.text import did_you_mean, quoted


def keep_columns(frame: Any, needed: Sequence[str], optional: Sequence[str] = ()) -> Any:
    """The frame with only some of its columns, in its own order; those that are optional need not be there.

    Columns are called as in rankings of the frame: those of an array x0, x1 and so on.
    """
    if not hasattr(frame, "shape") and not hasattr(frame, "collect_schema"):
        frame = _as_arrow(frame)
    names = _names(frame)
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
        return frame.project(", ".join(_identifier(names[place]) for place in kept))
    return frame.select([names[place] for place in kept])


def _names(frame: Any) -> list[str]:
    if is_array(frame) and np.ndim(frame) == 2:
        return [f"x{place}" for place in range(frame.shape[1])]
    if hasattr(frame, "iloc") and hasattr(frame, "columns"):
        return column_names(frame)
    if hasattr(frame, "collect_schema"):
        return list(frame.collect_schema().names())
    for names in ("column_names", "columns"):
        if isinstance(getattr(frame, names, None), list):
            return list(getattr(frame, names))
    raise _not_a_frame(frame)


def _as_arrow(frame: Any) -> pa.Table:
    """Whatever can only be read as a stream, and perhaps only once, as a table of Arrow."""
    if is_pandas(frame) or not (hasattr(frame, "__arrow_c_stream__") or hasattr(frame, "__arrow_c_array__")):
        raise _not_a_frame(frame)
    return pa.table(frame)


def _not_a_frame(frame: Any) -> UsageError:
    return UsageError(f"frame must be {TAKEN.removeprefix('a path, ')}, not {type(frame).__name__}")


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
