"""Blocks of cells -> columns: each block keeps its own small dictionary, and these are joined at the end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from probfs.tables.arrow_arrays import equal_mask, filled, looked_up, replace_by_null, text_array
from probfs.tables.table import Codes, Column, Integers, Kind, code_type

_PLAIN_INTEGER = r"^(?:0|-?[1-9]\d*)$"

EncodedCells: TypeAlias = "tuple[Codes, pa.StringArray]"
"""Codes of cells, and the dictionary of the texts they stand for."""


class ColumnBuilder:
    """Collects a column block by block, in one or two bytes a cell where the block's values allow it."""

    def __init__(self, name: str, missing: str | None = "") -> None:
        self.name = name
        self._missing = missing
        self._codes: list[Codes] = []
        self._dictionaries: list[pa.StringArray] = []

    def append(self, cells: pa.Array | pa.ChunkedArray) -> None:
        """Add a block of text cells; a null, or the text that means missing, is a missing cell."""
        self.extend(self.encode(cells))

    def encode(self, cells: pa.Array | pa.ChunkedArray) -> list[EncodedCells]:
        """A block of cells as ``extend`` takes it; the builder is unchanged, so that threads may encode blocks."""
        return [self._encode(chunk) for chunk in (cells.chunks if isinstance(cells, pa.ChunkedArray) else [cells])]

    def extend(self, blocks: Iterable[EncodedCells]) -> None:
        """Add cells that were encoded before."""
        for codes, dictionary in blocks:
            self._codes.append(codes)
            self._dictionaries.append(dictionary)

    def _encode(self, cells: pa.Array) -> EncodedCells:
        encoded = cells if isinstance(cells, pa.DictionaryArray) else cells.dictionary_encode()
        dictionary = encoded.dictionary.cast(pa.string())
        if self._missing is not None:
            dictionary = replace_by_null(dictionary, self._missing)
        distinct = len(dictionary)
        codes = filled(encoded.indices, distinct).astype(code_type(distinct))
        # One more entry, so that a missing cell has a place in its block's dictionary.
        return codes, pa.concat_arrays([dictionary, pa.nulls(1, pa.string())])

    @property
    def nbytes(self) -> int:
        """The memory that the collected cells take."""
        dictionaries: int = sum(texts.nbytes for texts in self._dictionaries)
        return dictionaries + sum(codes.nbytes for codes in self._codes)

    def only_block(self) -> EncodedCells | None:
        """The cells, if they were added as one block whose dictionary has no null but the one at its end."""
        if len(self._codes) != 1 or self._dictionaries[0].null_count != 1:
            return None
        return self._codes[0], self._dictionaries[0]

    def distinct(self) -> pa.StringArray:
        """The distinct texts collected so far, without a null for missing cells."""
        return self._join_dictionaries().drop_null().unique()

    def _join_dictionaries(self) -> pa.StringArray:
        return pa.concat_arrays(self._dictionaries) if self._dictionaries else text_array([])

    def finish(
        self, kind: Kind = Kind.TEXT, declared: Sequence[str] | None = None, *, spelled: bool = False
    ) -> tuple[Column, Integers]:
        """The column, and the codes of its values that are not declared (none if nothing is declared at all).

        Numbers that are ``spelled`` have one text each, as ``unify_numbers`` would give them.
        """
        as_they_are = kind is not Kind.NUMBER or spelled
        if len(self._codes) == 1 and as_they_are and declared is None and self._dictionaries[0].null_count == 1:
            # A single block whose dictionary has no other null than the last entry: nothing to join.
            return Column(self.name, self._codes[0], self._dictionaries[0][:-1], kind), np.empty(0, dtype=np.int64)
        joined = self._join_dictionaries()
        if not as_they_are:
            joined = unify_numbers(joined)
        if declared is not None:
            joined = pa.concat_arrays([text_array(declared), joined])
        encoded = joined.dictionary_encode()
        values = encoded.dictionary
        places = filled(encoded.indices, len(values))
        narrow = places.astype(code_type(len(values)))
        start = 0 if declared is None else len(declared)
        parts = []
        for codes, dictionary in zip(self._codes, self._dictionaries, strict=True):
            parts.append(looked_up(narrow[start : start + len(dictionary)], codes))
            start += len(dictionary)
        joined_codes = np.concatenate(parts) if parts else np.empty(0, dtype=np.uint8)
        undeclared = np.arange(len(declared), len(values)) if declared is not None else np.empty(0, dtype=np.int64)
        return Column(self.name, joined_codes, values, kind, declared is not None), undeclared


class IgnoredColumn(ColumnBuilder):
    """Takes the cells of a column that is left out, and keeps none."""

    def encode(self, cells: pa.Array | pa.ChunkedArray) -> list[EncodedCells]:
        return []


def unify_numbers(texts: pa.StringArray) -> pa.StringArray:
    """The texts with one spelling for each number, so that 1, 1.0 and +1 are the same value; NaN is missing."""
    trimmed = pc.utf8_trim_whitespace(texts)
    plain = pc.match_substring_regex(trimmed, _PLAIN_INTEGER)
    if pc.all(plain, min_count=0).as_py():
        return trimmed
    zero = text_array(["0"])[0]
    respelled = pc.cast(pc.cast(pc.if_else(plain, zero, trimmed), pa.float64()), pa.string())
    respelled = replace_by_null(pc.if_else(equal_mask(respelled, "-0"), zero, respelled), "nan")
    unified = pc.if_else(plain, trimmed, respelled)
    return without_exponents(unified)


def without_exponents(texts: pa.StringArray) -> pa.StringArray:
    """Numbers as Arrow writes them, without exponents where they have few digits: 1e+15 and 1000000000000000 are the
    same number, and 1.00000000005e+10 is 10000000000.5.
    """
    if not pc.any(pc.match_substring(texts, "e+"), min_count=0).as_py():
        return texts
    return text_array([text and _without_exponent(text) for text in texts.to_pylist()])


def _without_exponent(text: str) -> str:
    if "e+" not in text:
        return text
    number = float(text)
    if not number.is_integer():
        return repr(number)
    return str(int(number)) if abs(number) < 1e18 else text
