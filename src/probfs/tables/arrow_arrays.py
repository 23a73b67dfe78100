"""Between numpy and Arrow without importing pandas.

``pyarrow.array``, ``pyarrow.scalar`` and ``to_numpy`` import pandas, which takes half a second, in case they are given
something of its. Arrays made from buffers do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

_FEW = 32


def text_array(texts: Sequence[str | None]) -> pa.StringArray:
    """Texts, of which some may be missing.

    >>> text_array(["a", None, "é"]).to_pylist()
    ['a', None, 'é']
    """
    encoded = [b"" if text is None else text.encode() for text in texts]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(piece) for piece in encoded], out=offsets[1:])
    validity = None if None not in texts else _bits(np.array([text is not None for text in texts]))
    buffers = [validity, pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.large_string(), len(encoded), buffers).cast(pa.string())


def index_array(numbers: npt.NDArray[Any]) -> pa.Int64Array:
    """Whole numbers, to take by."""
    whole = np.ascontiguousarray(numbers, dtype=np.int64)
    return pa.Array.from_buffers(pa.int64(), len(whole), [None, pa.py_buffer(whole)])


def mask_array(flags: npt.NDArray[np.bool_]) -> pa.BooleanArray:
    """Yes or no, to filter by."""
    return pa.Array.from_buffers(pa.bool_(), len(flags), [None, _bits(flags)])


def numpy_array(values: pa.Array) -> npt.NDArray[Any]:
    """Numbers or flags, of which none is missing, as numpy has them."""
    if pa.types.is_boolean(values.type):
        return numpy_array(values.cast(pa.uint8())).astype(np.bool_)
    kind = np.dtype(str(values.type).replace("double", "float64"))
    return np.frombuffer(values.buffers()[1], kind, len(values), values.offset * kind.itemsize)


def looked_up(table: npt.NDArray[Any], codes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """``table[codes]``, where the codes are places in the table.

    >>> looked_up(np.array([7, 9], np.uint8), np.array([1, 0, 1], np.uint8)).tolist()
    [9, 7, 9]
    """
    if codes.dtype != np.uint8 or table.itemsize != 1:
        return np.asarray(table[codes])
    # Bytes translate bytes several times faster than numpy looks up one by one.
    return np.frombuffer(codes.tobytes().translate(table.tobytes().ljust(256, b"\0")), table.dtype)


def filled(values: pa.Array, number: int) -> npt.NDArray[np.signedinteger[Any]]:
    """Whole numbers with those that are missing replaced."""
    if not values.null_count:
        return numpy_array(values)
    scalar = index_array(np.array([number]))[0]
    return numpy_array(pc.fill_null(values.cast(pa.int64()), scalar))


def equal_to(texts: pa.StringArray, text: str) -> pa.BooleanArray:
    """Where the texts are a certain one."""
    return pc.equal(texts, text_array([text])[0])


def null_where(texts: pa.StringArray, missing: str) -> pa.StringArray:
    """The texts with a certain one made missing."""
    if len(texts) <= _FEW and missing not in texts.to_pylist():
        # Most blocks of a column hold few texts, and to look through these is faster than to ask for it.
        return texts
    return pc.if_else(equal_to(texts, missing), pa.nulls(1, pa.string())[0], texts)


def _bits(flags: npt.NDArray[np.bool_]) -> pa.Buffer:
    return pa.py_buffer(np.packbits(flags, bitorder="little"))
