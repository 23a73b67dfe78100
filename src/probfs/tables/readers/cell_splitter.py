"""Large files of short, plain cells, which most tables of categories are: split by a loop in machine code.

It takes a tenth of the time that pyarrow takes, and knows nothing but cells of a few bytes without quotes, of which a
column has a few hundred at most; whatever else a block holds, pyarrow is asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from probfs.kernels import LONGEST_CELL, MOST_DISTINCT, SLOTS
from probfs.tables.arrow_arrays import text_array
from probfs.tables.readers.lines import newlines
from probfs.tables.source import Utf8Stream

if TYPE_CHECKING:
    from probfs.kernels.loader import Loop

WORTH_SPLITTING = 16 << 20
"""Bytes of a file above which this saves several times the tenth of a second that loading the loop takes."""


class Splitter:
    """Splits the blocks of one file, as long as they are plain."""

    def __init__(self, stream: Utf8Stream, columns: int, delimiter: str) -> None:
        self._stream = stream
        self._columns = columns
        self._delimiter = ord(delimiter)
        self._loop: Loop | None = None
        self._useful = True

    def prepare(self) -> None:
        """Load the loop once the file is known to be large; to be called by one thread, before each block."""
        if self._useful and self._loop is None and (self._stream.size() or self._stream.consumed) >= WORTH_SPLITTING:
            try:
                from probfs.kernels.loader import loop

                self._loop = loop("split_cells", "uint8")
            except OSError:
                # Not even LLVM fits in the memory, perhaps.
                self._useful = False

    def split(self, data: bytes) -> pa.Table | None:
        """A block of rows as pyarrow would read it, or None."""
        if not self._useful or self._loop is None:
            return None
        table = _split(self._loop, data, self._columns, self._delimiter)
        # Blocks of a file are alike: where one is not plain, to try the others would be in vain.
        self._useful = table is not None
        return table


def _split(run: Loop, data: bytes, columns: int, delimiter: int) -> pa.Table | None:
    from probfs.kernels.loader import address

    if not data.endswith(b"\n"):
        data += b"\n"
    rows = newlines(data)
    codes = np.empty((columns, rows), dtype=np.uint8)
    keys = np.empty((columns, MOST_DISTINCT), dtype=np.uint64)
    distinct, failed = np.zeros(columns, dtype=np.int64), np.ones(1, dtype=np.int64)
    words, word_codes = np.zeros((columns, SLOTS), dtype=np.uint64), np.empty((columns, SLOTS), dtype=np.uint8)
    text = np.frombuffer(data, np.uint8)
    results = codes, keys, distinct, words, word_codes, failed
    run(address(text), len(data), columns, delimiter, rows, *[address(result) for result in results])
    if failed[0]:
        return None
    try:
        cells = [
            pa.DictionaryArray.from_arrays(
                pa.Array.from_buffers(pa.uint8(), rows, [None, pa.py_buffer(own)]),
                text_array([_text(key) for key in found[:number].tolist()]),
            )
            for own, found, number in zip(codes, keys, distinct.tolist(), strict=True)
        ]
    except UnicodeDecodeError:
        return None
    return pa.Table.from_arrays(cells, names=[str(number) for number in range(columns)])


def _text(key: int) -> str:
    """The cell that a word stands for."""
    return key.to_bytes(8, "little")[: (key >> 8 * LONGEST_CELL) - 1].decode()
