"""Typed Arrow cells -> codes and texts, as a CSV file would hold them; only distinct cells become texts."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from probfs.tables.arrow_arrays import filled, index_array, text_array
from probfs.tables.readers.column_builder import without_exponents
from probfs.tables.table import Kind
from probfs.text import printable

_LONGEST_TYPE = 60
_UNITS_OF_A_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


class UnusableCellsError(Exception):
    """The cells cannot be texts; the message says why."""


def kind_of(dtype: pa.DataType) -> Kind:
    """The kind that a dtype declares."""
    if pa.types.is_dictionary(dtype):
        return kind_of(dtype.value_type)
    if pa.types.is_floating(dtype) or pa.types.is_integer(dtype) or pa.types.is_decimal(dtype):
        return Kind.NUMBER
    if pa.types.is_duration(dtype):
        # In seconds.
        return Kind.NUMBER
    if pa.types.is_date(dtype) or pa.types.is_timestamp(dtype):
        return Kind.DATE
    if pa.types.is_null(dtype) or pa.types.is_boolean(dtype) or pa.types.is_time(dtype) or is_text(dtype):
        return Kind.TEXT
    return Kind.NESTED if pa.types.is_nested(dtype) else Kind.OTHER


def is_text(dtype: pa.DataType) -> bool:
    return bool(pa.types.is_string(dtype) or pa.types.is_large_string(dtype) or pa.types.is_string_view(dtype))


def without_extension(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    """The cells of an extension type that says how plain ones are meant, as what they mean; all others as they are."""
    name = getattr(cells.type, "extension_name", None)
    if name not in ("arrow.bool8", "arrow.json"):
        return cells
    storage = pa.chunked_array([chunk.storage for chunk in cells.chunks], cells.type.storage_type)
    return storage.cast(pa.bool_()) if name == "arrow.bool8" else storage


def encode_cells(cells: pa.ChunkedArray) -> Iterator[pa.DictionaryArray]:
    """The chunks of a column as dictionaries of texts, which differ and stand in the order of their first rows."""
    dtype = cells.type
    if kind_of(dtype) in (Kind.NESTED, Kind.OTHER):
        raise UnusableCellsError(f"holds {_shown(dtype)}, which cannot be ranked")
    for chunk in cells.chunks:
        if isinstance(chunk, pa.DictionaryArray):
            # Entries that no row holds are left behind.
            encoded = chunk.indices.dictionary_encode()
            texts = texts_of(_simple(chunk.dictionary).take(encoded.dictionary))
        else:
            encoded = _simple(chunk).dictionary_encode()
            texts = texts_of(encoded.dictionary)
        yield _merge_equal(encoded.indices, texts) if _may_repeat(dtype) else _dictionary(encoded.indices, texts)


def texts_of(distinct: pa.Array) -> pa.Array:
    """Cells as a CSV file would hold them."""
    dtype = distinct.type
    if pa.types.is_floating(dtype):
        numbers = _simple(distinct)
        return without_exponents(pc.cast(numbers, pa.string()))
    if pa.types.is_decimal(dtype):
        return _decimal_texts(distinct)
    if pa.types.is_duration(dtype):
        return _second_texts(distinct)
    if pa.types.is_timestamp(dtype):
        texts = _date_texts(pc.cast(distinct, pa.timestamp("us"), safe=False))
        return pc.replace_substring_regex(texts, r"\.000000$", "")
    return _date_texts(distinct) if pa.types.is_date(dtype) else pc.cast(distinct, pa.string())


def _simple(cells: pa.Array) -> pa.Array:
    """The cells in a type that Arrow can encode and take from, with one number for each number: NaN is missing."""
    dtype = cells.type
    if pa.types.is_string_view(dtype):
        return cells.cast(pa.large_string())
    if pa.types.is_null(dtype):
        return cells.cast(pa.string())
    if pa.types.is_float16(dtype):
        return _simple(cells.cast(pa.float32()))
    if not pa.types.is_floating(dtype):
        return cells
    present = pc.if_else(pc.is_nan(cells), pa.nulls(1, dtype)[0], cells)
    # Adding zero turns -0 into 0.
    return pc.add(present, index_array(np.zeros(1)).cast(dtype)[0])


def _may_repeat(dtype: pa.DataType) -> bool:
    """Whether distinct cells may have the same text: entries of a dictionary, and times that are written shorter."""
    return bool(pa.types.is_dictionary(dtype) or pa.types.is_duration(dtype) or pa.types.is_timestamp(dtype))


def _dictionary(indices: pa.Array, texts: pa.Array) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(indices, texts)


def _merge_equal(indices: pa.Array, texts: pa.Array) -> pa.DictionaryArray:
    merged = texts.dictionary_encode()
    if len(merged.dictionary) == len(texts):
        return _dictionary(indices, texts)
    return _dictionary(merged.indices.take(indices), merged.dictionary)


def _decimal_texts(distinct: pa.Array) -> pa.Array:
    """Decimals in all of their digits, without zeros at the end."""
    texts = pc.cast(distinct, pa.string())
    shorter = pc.replace_substring_regex(texts, r"\.0*$|(\.\d*?[1-9])0+$", r"\1")
    scientific = pc.match_substring(shorter, "E")
    if not pc.any(scientific, min_count=0).as_py():
        return shorter
    return text_array([_plain_decimal(text) if text and "E" in text else text for text in shorter.to_pylist()])


def _plain_decimal(text: str) -> str:
    number = Decimal(text)
    return f"{number:f}" if number == number.to_integral_value() else str(number.normalize()).replace("E", "e")


def _second_texts(distinct: pa.Array) -> pa.Array:
    """Durations in seconds."""
    parts = _UNITS_OF_A_SECOND[distinct.type.unit]
    counts = distinct.cast(pa.int64())
    known = filled(counts, 0)
    if np.any(known % parts):
        seconds = known / parts
        numbers = pa.Array.from_buffers(pa.float64(), len(seconds), [None, pa.py_buffer(seconds)])
        texts = without_exponents(pc.cast(numbers, pa.string()))
    else:
        texts = pc.cast(index_array(known // parts), pa.string())
    return pc.if_else(counts.is_valid(), texts, pa.nulls(1, pa.string())[0]) if counts.null_count else texts


def _date_texts(distinct: pa.Array) -> pa.Array:
    texts = pc.cast(distinct, pa.string())
    # Arrow formats a date beyond its range as "<value out of range: …>".
    if pc.any(pc.starts_with(texts, "<"), min_count=0).as_py():
        raise UnusableCellsError("holds dates too far away to be written")
    return texts


def _shown(dtype: pa.DataType) -> str:
    """A dtype as messages show it; the names of a struct's fields come from the file, and may be long."""
    text = str(dtype)
    return printable(text if len(text) <= _LONGEST_TYPE else text[: _LONGEST_TYPE - 1] + "…")


def category_order(cells: pa.ChunkedArray) -> pa.Array:
    """The texts of all categories that ordered dictionaries have, in their order."""
    entries = [texts_of(_simple(chunk.dictionary)) for chunk in cells.chunks]
    return pa.concat_arrays([texts.cast(pa.string()) for texts in entries]).drop_null().unique()
