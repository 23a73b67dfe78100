"""Splitting large files of short cells, which most tables of categories are, by a compiled loop.

The loop takes a tenth of pyarrow's time, but it only knows cells of a few bytes without quotes, of which a column may
have a few hundred distinct ones; every other block is left to pyarrow.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from probfs.kernels.loops.cell_splitting import HASH_SLOTS, MAX_CELL_BYTES, MAX_DISTINCT_CELLS, split_cells
from probfs.kernels.unavailable import KernelUnavailable
from probfs.tables.arrow_arrays import text_array
from probfs.tables.readers.lines import newlines
from probfs.tables.source import Utf8Stream

WORTH_SPLITTING = 16 << 20
"""Bytes of a file above which the loop saves several times the tenth of a second that loading it takes."""


class Splitter:
    """Splits the blocks of one file for as long as they are simple enough."""

    def __init__(self, stream: Utf8Stream, columns: int, delimiter: str) -> None:
        self._stream = stream
        self._columns = columns
        self._delimiter = ord(delimiter)
        self._is_loaded = False
        self._is_useful = True

    def prepare(self) -> None:
        """Load the loop once the file is known to be large; to be called by one thread, before each block."""
        if not self._is_useful or self._is_loaded:
            return
        if (self._stream.size() or self._stream.consumed) >= WORTH_SPLITTING:
            try:
                split_cells.load()
                self._is_loaded = True
            except KernelUnavailable:
                self._is_useful = False

    def split(self, data: bytes) -> pa.Table | None:
        """A block of rows as pyarrow would read it, or None."""
        if not (self._is_useful and self._is_loaded):
            return None
        table = _split_block(data, self._columns, self._delimiter)
        # The blocks of a file are alike: after one that is not simple enough, trying others would be in vain.
        self._is_useful = table is not None
        return table


def _split_block(data: bytes, columns: int, delimiter: int) -> pa.Table | None:
    if not data.endswith(b"\n"):
        data += b"\n"
    rows = newlines(data)
    codes = np.empty((columns, rows), dtype=np.uint8)
    words = np.empty((columns, MAX_DISTINCT_CELLS), dtype=np.uint64)
    distinct, failed = np.zeros(columns, dtype=np.int64), np.ones(1, dtype=np.int64)
    split = split_cells.bind(
        data=np.frombuffer(data, np.uint8),
        size=len(data),
        columns=columns,
        delimiter=delimiter,
        rows=rows,
        codes=codes,
        words=words,
        distinct=distinct,
        hash_words=np.zeros((columns, HASH_SLOTS), dtype=np.uint64),
        hash_codes=np.empty((columns, HASH_SLOTS), dtype=np.uint8),
        failed=failed,
    )
    split()
    if failed[0]:
        return None
    try:
        cells = [
            pa.DictionaryArray.from_arrays(
                pa.Array.from_buffers(pa.uint8(), rows, [None, pa.py_buffer(own)]),
                text_array([_decode_word(word) for word in found[:number].tolist()]),
            )
            for own, found, number in zip(codes, words, distinct.tolist(), strict=True)
        ]
    except UnicodeDecodeError:
        return None
    return pa.Table.from_arrays(cells, names=[str(number) for number in range(columns)])


def _decode_word(word: int) -> str:
    """The cell that a word stands for."""
    return word.to_bytes(8, "little")[: (word >> 8 * MAX_CELL_BYTES) - 1].decode()
