"""Conversions between numpy and Arrow that do not import pandas.

``pyarrow.array``, ``pyarrow.scalar`` and ``to_numpy`` import pandas, which takes half a second, to find out whether
their argument is one of its objects. Arrays built from buffers avoid that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

_FEW_TEXTS = 32


def text_array(texts: Sequence[str | None]) -> pa.StringArray:
    """An Arrow array of texts; None is a missing one.

    >>> text_array(["a", None, "é"]).to_pylist()
    ['a', None, 'é']
    """
    encoded = [b"" if text is None else text.encode() for text in texts]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(piece) for piece in encoded], out=offsets[1:])
    validity = None if None not in texts else _bitmap(np.array([text is not None for text in texts]))
    buffers = [validity, pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.large_string(), len(encoded), buffers).cast(pa.string())


def index_array(numbers: npt.NDArray[Any]) -> pa.Int64Array:
    """An Arrow array of whole numbers, as indices for ``take``."""
    whole = np.ascontiguousarray(numbers, dtype=np.int64)
    return pa.Array.from_buffers(pa.int64(), len(whole), [None, pa.py_buffer(whole)])


def mask_array(flags: npt.NDArray[np.bool_]) -> pa.BooleanArray:
    """An Arrow array of flags, as a mask for ``filter``."""
    return pa.Array.from_buffers(pa.bool_(), len(flags), [None, _bitmap(flags)])


def numpy_array(values: pa.Array) -> npt.NDArray[Any]:
    """A numpy array of an Arrow array's numbers or flags, of which none may be missing."""
    if pa.types.is_boolean(values.type):
        return numpy_array(values.cast(pa.uint8())).astype(np.bool_)
    dtype = np.dtype(str(values.type).replace("double", "float64"))
    return np.frombuffer(values.buffers()[1], dtype, len(values), values.offset * dtype.itemsize)


def looked_up(table: npt.NDArray[Any], codes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """``table[codes]``, for codes that are positions in the table.

    >>> looked_up(np.array([7, 9], np.uint8), np.array([1, 0, 1], np.uint8)).tolist()
    [9, 7, 9]
    """
    if codes.dtype != np.uint8 or table.itemsize != 1:
        return np.asarray(table[codes])
    # bytes.translate is several times faster than indexing in numpy.
    return np.frombuffer(codes.tobytes().translate(table.tobytes().ljust(256, b"\0")), table.dtype)


def filled(values: pa.Array, number: int) -> npt.NDArray[np.signedinteger[Any]]:
    """A numpy array of whole numbers, with ``number`` in place of each missing one."""
    if not values.null_count:
        return numpy_array(values)
    scalar = index_array(np.array([number]))[0]
    return numpy_array(pc.fill_null(values.cast(pa.int64()), scalar))


def equal_mask(texts: pa.StringArray, text: str) -> pa.BooleanArray:
    """A mask of the places where ``texts`` holds ``text``."""
    return pc.equal(texts, text_array([text])[0])


def replace_by_null(texts: pa.StringArray, missing: str) -> pa.StringArray:
    """The texts with a null in place of each that equals ``missing``."""
    if len(texts) <= _FEW_TEXTS and missing not in texts.to_pylist():
        # Most blocks of a column hold few distinct texts, and Python looks through these faster than Arrow is called.
        return texts
    return pc.if_else(equal_mask(texts, missing), pa.nulls(1, pa.string())[0], texts)


def _bitmap(flags: npt.NDArray[np.bool_]) -> pa.Buffer:
    return pa.py_buffer(np.packbits(flags, bitorder="little"))
