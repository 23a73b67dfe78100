"""Cells of which most are the default of sparse rows, as codes and dictionaries: in wide files, one step for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count

import numpy as np

from probfs.tables.arrow_arrays import text_array
from probfs.tables.readers.arff_header import Attribute
from probfs.tables.readers.column_builder import EncodedCells
from probfs.tables.table import Codes, Kind, code_type


def sparse_default(attribute: Attribute) -> str | None:
    """The value that a sparse row means by leaving an attribute out: zero, or the first declared value."""
    if attribute.kind is Kind.NUMBER:
        return "0"
    return attribute.nominal[0] if attribute.nominal else None


def encode_exceptions(
    defaults: Sequence[str | None], exceptions: Sequence[Mapping[int, str | None]], rows: int
) -> list[EncodedCells]:
    """For each column, cells that hold its default, except for the values of some rows, which are in their order."""
    codes: list[Codes] = []
    texts: list[str | None] = []
    ends: list[int] = []
    for default, values in zip(defaults, exceptions, strict=True):
        own_codes, own_texts = _encode_column(default, values, rows)
        codes.append(own_codes)
        texts += own_texts
        # Each dictionary ends with a place for missing cells.
        texts.append(None)
        ends.append(len(texts))
    # Arrow takes longer to make an array than to take a slice of one.
    joined = text_array(texts)
    return [(own, joined[start:end]) for own, start, end in zip(codes, [0, *ends], ends, strict=False)]


def _encode_column(default: str | None, exceptions: Mapping[int, str | None], rows: int) -> tuple[Codes, list[str]]:
    """The codes of a column's cells, and its distinct texts in the order of their first appearance."""
    places: dict[str, int] = {}
    first_default = next(row for row in count() if row not in exceptions)
    for row, value in exceptions.items():
        if row > first_default and default is not None:
            places.setdefault(default, len(places))
        if value is not None:
            places.setdefault(value, len(places))
    if first_default < rows and default is not None:
        places.setdefault(default, len(places))
    missing = len(places)
    codes = np.full(rows, missing if default is None else places.get(default, missing), dtype=code_type(missing))
    if exceptions:
        codes[list(exceptions)] = [missing if value is None else places[value] for value in exceptions.values()]
    return codes, list(places)
