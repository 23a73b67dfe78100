"""Cells as texts, as numbers, and as codes; and the few types in which tables hold cells of any Arrow type.

These are doubles, dates (``date32``), moments (microseconds), texts, dictionaries of texts or doubles, and ``null`` for
columns of missing cells. Numbers that doubles cannot hold exactly are held as texts, each of them read as a number.
"""

from __future__ import annotations

from enum import Enum
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from probfs.tables.arrays import (
    EXACT,
    Codes,
    Flags,
    Floats,
    code_type,
    double_array,
    filled,
    is_empty,
    known_moments,
    known_numbers,
    looked_up,
    mask_array,
    numpy_array,
    texts_of_numbers,
    without_exponents,
)
from probfs.text import printable

UNMISTAKABLE = ("NA", "N/A", "n/a", "NaN", "nan", "NAN", "null", "NULL", "Null", "None", "#N/A", "#NA", "<NA>", "?")
"""Texts that seldom mean anything but missing, in whatever column."""
AMONG_NUMBERS = ("", "na", "n.a.", "none", "NONE", "nil", "-", "--", ".", "..")
"""Texts that mean missing only where all others are numbers; the first is a cell of blanks."""
OF_THOUSANDS = r"[+-]?(?:[1-9][0-9]{0,2}(?:\.[0-9]{3})*|0)"
"""Numbers whose points may stand between thousands."""
_LONGEST_TYPE = 60
_UNITS_OF_A_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_PLAIN_INTEGER = r"^(?:0|-?[1-9]\d*)$"
_FIRST_ROWS = 1_000
"""Rows that nearly always hold all of a few texts."""
_EXACT_DIGITS = 15
"""Decimal digits that every double has."""


class Kind(Enum):
    """What the cells of a column are."""

    TEXT = "text"
    NUMBER = "number"
    DATE = "date"
    NESTED = "nested"
    """Lists, structs and maps, which only a column that nobody uses may hold."""
    OTHER = "other"
    """Bytes and other types that are neither text nor numbers, as unusable as nested ones."""


@cache
def kind_of(dtype: pa.DataType) -> Kind:
    """The kind that a dtype declares; durations are numbers of seconds."""
    types = pa.types
    if types.is_dictionary(dtype):
        return kind_of(dtype.value_type)
    if types.is_floating(dtype) or types.is_integer(dtype) or types.is_decimal(dtype) or types.is_duration(dtype):
        return Kind.NUMBER
    if types.is_date(dtype) or types.is_timestamp(dtype):
        return Kind.DATE
    if types.is_null(dtype) or types.is_boolean(dtype) or types.is_time(dtype) or is_text(dtype):
        return Kind.TEXT
    return Kind.NESTED if types.is_nested(dtype) else Kind.OTHER


def is_text(dtype: pa.DataType) -> bool:
    return bool(pa.types.is_string(dtype) or pa.types.is_large_string(dtype) or pa.types.is_string_view(dtype))


class UnusableError(Exception):
    """Why cells can be no texts, as a message has it after the column's name."""


def plain_cells(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    """Cells of any type in one of the few types that tables have; an error where they are none of these."""
    dtype, kind = cells.type, kind_of(cells.type)
    if kind in (Kind.NESTED, Kind.OTHER):
        # The names of a struct's fields come from the file, and may be long.
        text = str(dtype)
        shown = text if len(text) <= _LONGEST_TYPE else text[: _LONGEST_TYPE - 1] + "…"
        raise UnusableError(f"holds {printable(shown)}, which cannot be ranked")
    if pa.types.is_dictionary(dtype):
        parts = []
        for chunk in cells.chunks:
            entries = plain_cells(pa.chunked_array([chunk.dictionary])).chunk(0)
            texts = entries if is_text(entries.type) else texts_of(entries)
            parts.append(pa.DictionaryArray.from_arrays(chunk.indices, texts, ordered=dtype.ordered))
        return pa.chunked_array(parts, None if parts else pa.dictionary(dtype.index_type, pa.string(), dtype.ordered))
    if kind is Kind.NUMBER:
        return _plain_numbers(cells)
    if kind is Kind.DATE:
        return _plain_dates(cells)
    if pa.types.is_boolean(dtype):
        return cells.cast(pa.string()).dictionary_encode()
    # Arrow computes hardly anything with views.
    is_odd = pa.types.is_time(dtype) or pa.types.is_string_view(dtype)
    return cells.cast(pa.large_string()) if is_odd else cells


def _plain_numbers(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    dtype = cells.type
    if pa.types.is_float64(dtype):
        return cells
    if pa.types.is_floating(dtype) or (pa.types.is_decimal(dtype) and dtype.precision <= _EXACT_DIGITS):
        # The doubles that are written in the same digits: Arrow makes 63.120000000000005 of the decimal 63.12.
        cells = cells.cast(pa.float32()) if pa.types.is_floating(dtype) else cells
        return cells.cast(pa.large_string()).cast(pa.float64())
    if pa.types.is_duration(dtype):
        unit = double_array(np.array([_UNITS_OF_A_SECOND[dtype.unit]]))[0]
        return pc.divide(cells.cast(pa.int64()).cast(pa.float64(), safe=False), unit)
    if not pa.types.is_decimal(dtype):
        ends = pc.min_max(cells) if dtype.bit_width > 32 else {}
        if all(abs(end.as_py() or 0) < EXACT for end in ends.values()):
            return cells.cast(pa.float64(), safe=False)
        return cells.cast(pa.string()).dictionary_encode()
    texts = pc.replace_substring_regex(cells.cast(pa.string()), r"\.0*$|(\.\d*?[1-9])0+$", r"\1")
    return texts.dictionary_encode()


def _plain_dates(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    is_far = False
    try:
        if pa.types.is_timestamp(cells.type):
            cells = pc.cast(cells, options=pc.CastOptions(pa.timestamp("us"), allow_time_truncate=True))
        else:
            cells = cells.cast(pa.date32())
        # Arrow formats a date beyond its range as "<value out of range: …>".
        is_far = any(str(end.cast(pa.string())).startswith("<") for end in pc.min_max(cells).values())
    except pa.ArrowInvalid:
        is_far = True
    if is_far:
        raise UnusableError("holds dates too far away to be written")
    return cells


def numbers_by_row(cells: pa.ChunkedArray, kind: Kind) -> Floats:
    """The number in each row (of a date, seconds since 1970), NaN where a cell is missing.

    Texts must all be numbers, or dates.
    """
    # Of doubles, one chunk takes less time than many.
    chunks = [cells.combine_chunks()] if pa.types.is_float64(cells.type) else cells.chunks
    parts = [_chunk_numbers(chunk, kind) for chunk in chunks]
    return parts[0] if len(parts) == 1 else np.concatenate([np.empty(0), *parts])


def _chunk_numbers(chunk: pa.Array, kind: Kind) -> Floats:
    if isinstance(chunk, pa.DictionaryArray):
        entries = _chunk_numbers(chunk.dictionary, kind)
        return np.asarray(np.append(entries, np.nan)[filled(chunk.indices, len(entries))])
    dtype = chunk.type
    if is_text(dtype):
        # An empty cell is no number, nor need an entry be one that no row holds any more.
        return (known_moments if kind is Kind.DATE else known_numbers)(chunk.cast(pa.string()))
    if pa.types.is_null(dtype):
        return np.full(len(chunk), np.nan)
    is_double = pa.types.is_float64(dtype)
    numbers = numpy_array(chunk if is_double else chunk.cast(pa.timestamp("us")).cast(pa.int64()))
    numbers = numbers if is_double else numbers / 1e6
    return np.where(numpy_array(chunk.is_valid()), numbers, np.nan) if chunk.null_count else numbers


def null_where(cells: pa.ChunkedArray, gone: Flags) -> pa.ChunkedArray:
    """The cells with some of them made missing; their type stays."""
    chunks: list[pa.Array] = []
    for start, chunk in zip(np.cumsum([0, *map(len, cells.chunks)]).tolist(), cells.chunks, strict=False):
        mask = mask_array(gone[start : start + len(chunk)])
        if isinstance(chunk, pa.DictionaryArray):
            indices = pc.if_else(mask, pa.nulls(1, chunk.indices.type)[0], chunk.indices)
            chunks.append(pa.DictionaryArray.from_arrays(indices, chunk.dictionary, ordered=chunk.type.ordered))
        else:
            chunks.append(pc.if_else(mask, pa.nulls(1, chunk.type)[0], chunk))
    return pa.chunked_array(chunks, cells.type)


def encode_cells(cells: pa.ChunkedArray, kind: Kind) -> tuple[Codes, pa.Array]:
    """For each cell a code, and the distinct cells that codes stand for; the code after the last is a missing cell.

    The distinct cells are doubles, or texts where doubles would not tell them apart, or where they are no numbers. An
    empty text is a missing one, and entries of a dictionary that no row holds are left behind.
    """
    codes, entries = _distinct_cells(cells)
    if kind is Kind.NUMBER and pa.types.is_float64(entries.type):
        # -0 is 0, and NaN is a missing cell.
        numbers = numpy_array(entries) + 0.0
        if pa.types.is_dictionary(cells.type):
            numbers[~_held_codes(codes, len(numbers))] = np.nan
        doubles = double_array(numbers)
        has_zeros = np.count_nonzero(numpy_array(doubles) == 0.0) > 1
        return _merge_entries(codes, doubles) if doubles.null_count or has_zeros else (codes, doubles)
    return _tidy(codes, unify_numbers(entries) if kind is Kind.NUMBER else texts_of(entries), cells)


def encode_exactly(cells: pa.ChunkedArray) -> tuple[Codes, pa.StringArray]:
    """For each cell a code, and the distinct texts that codes stand for, in all of their digits, as a file has them.

    Numbers that are held as texts are as they are spelled, and moments have nanoseconds and time zones.
    """
    codes, entries = _distinct_cells(cells)
    if not pa.types.is_timestamp(entries.type):
        return _tidy(codes, texts_of(entries), cells)
    try:
        texts = pc.cast(entries, pa.string())
    except pa.ArrowInvalid:
        # This machine does not know the time zone.
        texts = pc.cast(pc.cast(entries, pa.timestamp(entries.type.unit, "UTC")), pa.string())
    texts = pc.replace_substring_regex(texts, r"\.0+($|Z|[+-])", r"\1")
    return _tidy(codes, pc.replace_substring_regex(texts, r"(:\d\d.*[+-]\d\d)(\d\d)$", r"\1:\2"), cells)


def _distinct_cells(cells: pa.ChunkedArray) -> tuple[Codes, pa.Array]:
    """For each cell the index of an entry, or the number of entries; no row may hold some entries of a dictionary."""
    if not pa.types.is_dictionary(cells.type):
        cells = (cells.cast(pa.string()) if pa.types.is_null(cells.type) else cells).dictionary_encode()
    elif cells.num_chunks > 1:
        try:
            cells = cells.unify_dictionaries()
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            cells = cells.cast(cells.type.value_type).dictionary_encode()
    entries = cells.chunk(0).dictionary if cells.num_chunks else pa.nulls(0, cells.type.value_type)
    parts = [filled(chunk.indices, len(entries)) for chunk in cells.chunks]
    return np.concatenate([np.empty(0, np.uint8), *parts], dtype=code_type(len(entries)), casting="unsafe"), entries


def _tidy(codes: Codes, texts: pa.Array, cells: pa.ChunkedArray) -> tuple[Codes, pa.StringArray]:
    """Codes and texts without entries that are missing cells, that repeat another one, or that no row holds."""
    texts = texts.cast(pa.string())
    held = np.ones(len(texts), np.bool_)
    if pa.types.is_dictionary(cells.type):
        held = _held_codes(codes, len(texts))
    is_blank = pc.any(is_empty(texts), min_count=0).as_py()
    if held.all() and not is_blank and len(pc.unique(texts)) == len(texts):
        return codes, texts
    absent = mask_array(~held | numpy_array(is_empty(texts)))
    return _merge_entries(codes, pc.if_else(absent, pa.nulls(1, pa.string())[0], texts))


def _held_codes(codes: Codes, count: int) -> Flags:
    """Which of the first ``count`` codes occur."""
    # Of few codes, the first rows nearly always hold all; counting all rows would take longer.
    for rows in (_FIRST_ROWS, len(codes)):
        held: Flags = np.bincount(codes[:rows], minlength=count + 1)[:count] > 0
        if held.all():
            break
    return held


def _merge_entries(codes: Codes, entries: pa.Array) -> tuple[Codes, pa.Array]:
    """Codes and entries with one code for equal entries, and that of missing cells for those that are null."""
    kept = entries.drop_null().unique()
    places = np.append(filled(pc.index_in(entries, value_set=kept, skip_nulls=True), len(kept)), len(kept))
    return looked_up(places.astype(code_type(len(kept))), codes), kept


def texts_of(distinct: pa.Array) -> pa.Array:
    """Cells as a CSV file would hold them."""
    texts = pc.cast(distinct, pa.string())
    if pa.types.is_floating(distinct.type):
        return without_exponents(texts)
    return pc.replace_substring_regex(texts, r"\.000000$", "") if pa.types.is_timestamp(distinct.type) else texts


def unify_numbers(texts: pa.StringArray) -> pa.StringArray:
    """The texts with one spelling for each number, so that 1, 1.0 and +1 are the same value; all others are missing.

    >>> unify_numbers(pa.array(["1.0", "+1", " 1 ", "12345678901234567890", "1e1", "NA"])).to_pylist()
    ['1', '1', '1', '12345678901234567890', '10', None]
    """
    trimmed = pc.utf8_trim_whitespace(texts.cast(pa.string()))
    plain = pc.match_substring_regex(trimmed, _PLAIN_INTEGER)
    if pc.all(plain, min_count=0).as_py():
        return trimmed
    return pc.if_else(plain, trimmed, texts_of_numbers(known_numbers(trimmed)))
