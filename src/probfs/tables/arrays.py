"""Numpy arrays from Arrow's and back, without importing pandas, and texts from numbers and back.

``pyarrow.array``, ``pyarrow.scalar`` and ``to_numpy`` import pandas, which takes half a second, to find out whether
their argument is one of its objects. Arrays built from buffers avoid that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Codes = npt.NDArray[np.unsignedinteger[Any]]
Integers = npt.NDArray[np.int64]
Labels = npt.NDArray[np.signedinteger[Any]]
"""Positions of classes, in the narrowest dtype that holds them."""
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.intp] | slice
"""Some rows of a table, by position."""

EXACT = float(1 << 53)
"""Whole numbers below this are exact as doubles."""
_NUMBER = r"^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|(?i:inf|infinity))$"
_LOSES_A_ZERO = r"^[+-]?0\d"
_MOMENT = r"^\d{4}-\d{2}(?:-\d{2}(?:[T ]\d{2}(?::\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?)?)?$"


def text_array(texts: Sequence[str | None]) -> pa.StringArray:
    """An Arrow array of texts; None is a missing one."""
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


def code_array(codes: Codes, missing: int) -> pa.Array:
    """An Arrow array of codes that shares their memory; one code means a missing cell."""
    present = codes != missing
    validity = None if present.all() else _bitmap(present)
    return pa.Array.from_buffers(pa.from_numpy_dtype(codes.dtype), len(codes), [validity, pa.py_buffer(codes)])


def double_array(numbers: Floats) -> pa.DoubleArray:
    """An Arrow array of doubles, in which NaN is a missing cell."""
    doubles = np.ascontiguousarray(numbers, dtype=np.float64)
    absent = np.isnan(doubles)
    validity = _bitmap(~absent) if absent.any() else None
    return pa.Array.from_buffers(pa.float64(), len(doubles), [validity, pa.py_buffer(doubles)])


def mask_array(flags: Flags) -> pa.BooleanArray:
    """An Arrow array of flags, as a mask for ``filter``."""
    return pa.Array.from_buffers(pa.bool_(), len(flags), [None, _bitmap(flags)])


def numpy_array(values: pa.Array) -> npt.NDArray[Any]:
    """A numpy array of an Arrow array's numbers or flags, of which none may be missing."""
    if pa.types.is_boolean(values.type):
        return numpy_array(values.cast(pa.uint8())).astype(np.bool_)
    dtype = np.dtype(str(values.type).replace("double", "float64"))
    return np.frombuffer(values.buffers()[1], dtype, len(values), values.offset * dtype.itemsize)


def is_missing(cells: pa.Array | pa.ChunkedArray) -> Flags:
    """For each cell, whether it is null."""
    nulls = cells.is_null()
    return numpy_array(nulls.combine_chunks() if isinstance(nulls, pa.ChunkedArray) else nulls)


def is_empty(texts: pa.Array) -> pa.BooleanArray:
    """For each text, whether it is empty or missing."""
    # Comparing with a Python number, or filling with a Python truth value, would import pandas.
    empty = pc.equal(pc.binary_length(texts), index_array(np.zeros(1))[0])
    return pc.or_kleene(empty, pc.is_null(texts)) if texts.null_count else empty


def filled(values: pa.Array, number: int) -> npt.NDArray[np.signedinteger[Any]]:
    """A numpy array of whole numbers, with ``number`` in place of each missing one."""
    if not values.null_count:
        return numpy_array(values)
    scalar = index_array(np.array([number]))[0]
    return numpy_array(pc.fill_null(values.cast(pa.int64()), scalar))


def looked_up(table: npt.NDArray[Any], codes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """``table[codes]``, for codes that are positions in the table."""
    if codes.dtype != np.uint8 or table.itemsize != 1:
        return np.asarray(table[codes])
    # bytes.translate is several times faster than indexing in numpy.
    return np.frombuffer(codes.tobytes().translate(table.tobytes().ljust(256, b"\0")), table.dtype)


def code_type(distinct: int) -> np.dtype[np.unsignedinteger[Any]]:
    """The narrowest dtype for the codes 0…distinct, of which the last means missing."""
    return np.min_scalar_type(distinct)


def texts_of_numbers(numbers: Floats) -> pa.StringArray:
    """Numbers as tables write them, in the fewest digits that tell them apart; NaN is a missing one.

    >>> texts_of_numbers(np.array([1.0, 0.25, 1e15, -0.0])).to_pylist()
    ['1', '0.25', '1000000000000000', '0']
    """
    # Adding zero turns -0 into 0.
    return without_exponents(pc.cast(double_array(numbers + 0.0), pa.string()))


def without_exponents(texts: pa.StringArray) -> pa.StringArray:
    """Numbers as Arrow writes them, without exponents where they have few digits: 1e+15 and 1000000000000000 are the
    same number, and 1.00000000005e+10 is 10000000000.5.
    """
    if not pc.any(pc.match_substring(texts, "e+"), min_count=0).as_py():
        return texts
    listed = texts.to_pylist()
    for place, text in enumerate(listed):
        if text and "e+" in text:
            number = float(text)
            whole = str(int(number)) if abs(number) < 1e18 else text
            listed[place] = whole if number.is_integer() else repr(number)
    return text_array(listed)


def short_number(number: float) -> str:
    """A number the way people write it: 18, not 18.0.

    >>> short_number(18.0), short_number(0.25)
    ('18', '0.25')
    """
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def known_numbers(texts: pa.StringArray) -> Floats:
    """The texts as numbers, NaN where one is none."""
    trimmed = pc.utf8_trim_whitespace(texts)
    return _parse_some(trimmed, _NUMBER, lambda some: numpy_array(pc.cast(some, pa.float64())))


def known_moments(texts: pa.StringArray) -> Floats:
    """ISO dates as seconds since 1970, NaN where a text is none. (numpy takes NaT, now and today for dates, too.)"""
    return _parse_some(texts, _MOMENT, _seconds)


def _parse_some(texts: pa.StringArray, pattern: str, parse: Callable[[pa.StringArray], Floats]) -> Floats:
    """What ``parse`` makes of the texts that match, NaN for all others."""
    matches = pc.match_substring_regex(texts, pattern)
    if not matches.null_count and pc.all(matches, min_count=0).as_py():
        return parse(texts)
    numbers = np.full(len(texts), np.nan)
    places = np.flatnonzero(filled(matches.cast(pa.int64()), 0))
    numbers[places] = parse(texts.take(index_array(places)))
    return numbers


def _seconds(texts: pa.StringArray) -> Floats:
    try:
        return numpy_array(pc.cast(texts, pa.timestamp("us")).cast(pa.int64())) / 1e6
    except pa.ArrowInvalid:
        # One is a month, has digits that Arrow does not round, or is a date that no calendar has, such as 2023-02-30.
        numbers = np.full(len(texts), np.nan)
        for place, text in enumerate(texts.to_pylist()):
            with suppress(ValueError):
                numbers[place] = np.datetime64(text, "us").astype(np.int64) / 1e6
        return numbers


def loses_a_zero(texts: pa.StringArray) -> bool:
    """Whether some text would lose a zero as a number, as 007 would."""
    trimmed = pc.utf8_trim_whitespace(texts)
    return bool(pc.any(pc.match_substring_regex(trimmed, _LOSES_A_ZERO), min_count=0).as_py())


def _bitmap(flags: Flags) -> pa.Buffer:
    return pa.py_buffer(np.packbits(flags, bitorder="little"))
