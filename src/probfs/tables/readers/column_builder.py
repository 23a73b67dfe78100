"""From blocks of cells to columns: each block keeps its own small dictionary, and they are joined at the end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from probfs.runtime.memory import require_memory
from probfs.tables.arrow_arrays import equal_to, filled, looked_up, null_where, text_array
from probfs.tables.source import Utf8Stream
from probfs.tables.table import Codes, Column, Integers, Kind, RowLines, code_type

_SMALL_FILE = 1 << 20
_BYTES_BETWEEN_CHECKS = 64 << 20
_WORKING = 200 << 20
"""What it takes to parse blocks, in some threads with memory of their own; pyarrow gives up without a word for less."""
_PLAIN_INTEGER = r"^(?:0|-?[1-9]\d*)$"


Encoded: TypeAlias = "tuple[Codes, pa.StringArray]"
"""The codes of some cells, and the texts they stand for."""


class ColumnBuilder:
    """Collects a column block by block, in one or two bytes a cell where the block's values allow it."""

    def __init__(self, name: str, missing: str | None = "") -> None:
        self.name = name
        self._missing = missing
        self._codes: list[Codes] = []
        self._dictionaries: list[pa.StringArray] = []

    def append(self, cells: pa.Array | pa.ChunkedArray) -> None:
        """Add a block of text cells; a null, or the text that means missing, is a missing cell."""
        self.extend(self.encoded(cells))

    def encoded(self, cells: pa.Array | pa.ChunkedArray) -> list[Encoded]:
        """A block of cells as it is kept; nothing is added yet, so that blocks can be encoded side by side."""
        return [self._encoded(chunk) for chunk in (cells.chunks if isinstance(cells, pa.ChunkedArray) else [cells])]

    def extend(self, blocks: Iterable[Encoded]) -> None:
        """Add cells that were encoded before."""
        for codes, dictionary in blocks:
            self._codes.append(codes)
            self._dictionaries.append(dictionary)

    def _encoded(self, cells: pa.Array) -> Encoded:
        encoded = cells if isinstance(cells, pa.DictionaryArray) else cells.dictionary_encode()
        dictionary = encoded.dictionary.cast(pa.string())
        if self._missing is not None:
            dictionary = null_where(dictionary, self._missing)
        distinct = len(dictionary)
        codes = filled(encoded.indices, distinct).astype(code_type(distinct))
        # One entry more, so that a missing cell has a place in the dictionary of its block.
        return codes, pa.concat_arrays([dictionary, pa.nulls(1, pa.string())])

    @property
    def nbytes(self) -> int:
        """What is held so far."""
        dictionaries: int = sum(texts.nbytes for texts in self._dictionaries)
        return dictionaries + sum(codes.nbytes for codes in self._codes)

    def distinct(self) -> pa.StringArray:
        """The texts collected so far, each once; missing cells are none of them."""
        return self._joined().drop_null().unique()

    def _joined(self) -> pa.StringArray:
        return pa.concat_arrays(self._dictionaries) if self._dictionaries else text_array([])

    def finish(self, kind: Kind = Kind.TEXT, declared: Sequence[str] | None = None) -> tuple[Column, Integers]:
        """The column, and the codes of values that were not declared (none when nothing is declared)."""
        if len(self._codes) == 1 and kind is Kind.TEXT and declared is None and self._dictionaries[0].null_count == 1:
            # One block without a missing cell: nothing to join.
            return Column(self.name, self._codes[0], self._dictionaries[0][:-1], kind), np.empty(0, dtype=np.int64)
        joined = self._joined()
        if kind is Kind.NUMBER:
            joined = _canonical_numbers(joined)
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
        merged = np.concatenate(parts) if parts else np.empty(0, dtype=np.uint8)
        surplus = np.arange(len(declared), len(values)) if declared is not None else np.empty(0, dtype=np.int64)
        return Column(self.name, merged, values, kind, declared is not None), surplus


class MemoryGuard:
    """Looks now and then whether there will be memory for the rest of a file."""

    def __init__(self, stream: Utf8Stream, columns: Sequence[ColumnBuilder]) -> None:
        self._stream = stream
        self._columns = columns
        self._next = 0

    def check(self) -> None:
        """Called before the first block and after each."""
        if self._stream.consumed < self._next:
            return
        total = self._stream.size()
        if total is not None and total < _SMALL_FILE:
            return
        self._next = self._stream.consumed + _BYTES_BETWEEN_CHECKS
        held = sum(column.nbytes for column in self._columns)
        expected = held if total is None else int(held * max(1.0, total / max(self._stream.consumed, 1)))
        # The rest of it, and what it takes to rank it: about as much again.
        require_memory(2 * expected - held + _WORKING, "this table", self._stream.source)


class LineRecorder:
    """Collects the physical line on which each row began."""

    def __init__(self) -> None:
        self._first_rows: list[Integers] = []
        self._first_lines: list[Integers] = []
        self.rows = 0

    def append_run(self, first_line: int, rows: int) -> None:
        """Rows that stand on consecutive lines."""
        if rows:
            self._first_rows.append(np.array([self.rows]))
            self._first_lines.append(np.array([first_line]))
            self.rows += rows

    def append(self, lines: Any) -> None:
        """Rows of which each line is known."""
        every = np.asarray(lines, dtype=np.int64)
        if len(every):
            runs = RowLines.of(every)
            self._first_rows.append(runs.first_rows + self.rows)
            self._first_lines.append(runs.first_lines)
            self.rows += len(every)

    def finish(self) -> RowLines | None:
        if not self._first_rows:
            return None
        return RowLines(np.concatenate(self._first_rows), np.concatenate(self._first_lines))


def _canonical_numbers(texts: pa.StringArray) -> pa.StringArray:
    """One text for each number, so that 1, 1.0 and +1 are the same value; NaN is missing."""
    trimmed = pc.utf8_trim_whitespace(texts)
    plain = pc.match_substring_regex(trimmed, _PLAIN_INTEGER)
    if pc.all(plain, min_count=0).as_py():
        return trimmed
    zero = text_array(["0"])[0]
    written = pc.cast(pc.cast(pc.if_else(plain, zero, trimmed), pa.float64()), pa.string())
    written = null_where(pc.if_else(equal_to(written, "-0"), zero, written), "nan")
    texts_out = pc.if_else(plain, trimmed, written)
    # 1e+15 and 1000000000000000 are one number too.
    return text_array([text and _without_exponent(text) for text in texts_out.to_pylist()])


def _without_exponent(text: str) -> str:
    if "e+" not in text:
        return text
    number = float(text)
    return str(int(number)) if abs(number) < 1e18 else text
