"""Delimited text without quotes: its cells as codes."""

from __future__ import annotations

import numpy as np

from probfs.kernels.kernel import Int64, Int64Array, Uint8Array, Uint64Array, helper, kernel

MAX_DISTINCT_CELLS = 255
"""Of one column, in one block of text."""
HASH_SLOTS = 512
"""Of the hash table in which a column's distinct cells are looked up."""
MAX_CELL_BYTES = 7
"""The eighth byte of a 64-bit word holds the length."""
_HASH = np.uint64(0x9E3779B97F4A7C15)
_SLOT_BITS = HASH_SLOTS.bit_length() - 1
_EMPTY = np.uint64(1 << 8 * MAX_CELL_BYTES)
_QUOTE, _NEWLINE, _RETURN = 34, 10, 13


@kernel(
    lengths={
        "data": "size",
        "codes": lambda columns, rows: columns * rows,
        "words": lambda columns: columns * MAX_DISTINCT_CELLS,
        "distinct": "columns",
        "hash_words": lambda columns: columns * HASH_SLOTS,
        "hash_codes": lambda columns: columns * HASH_SLOTS,
        "failed": 1,
    },
    writes={"codes", "words", "distinct", "hash_words", "hash_codes", "failed"},
)
def split_cells(
    data: Uint8Array, size: Int64, columns: Int64, delimiter: Int64, rows: Int64, codes: Uint8Array,
    words: Uint64Array, distinct: Int64Array, hash_words: Uint64Array, hash_codes: Uint8Array, failed: Int64Array,
) -> None:  # fmt: skip
    """Encode delimited text that ends with a newline: the cells' codes, column by column, and each column's distinct
    cells, as ``words`` in the order of their codes.

    ``failed`` becomes 0 if the text is simple enough: no quotes, no cell or number of distinct cells above the limits,
    the same number of cells in every line. ``hash_words`` must be all 0 beforehand: it and ``hash_codes`` are a hash
    table for each column.
    """
    position = 0
    for row in range(rows):
        for column in range(columns):
            word, position = _read_cell(data, position, delimiter)
            if word == 0 or (data[position] == _NEWLINE) != (column == columns - 1):
                return
            if columns == 1 and word == _EMPTY:
                # A blank line is not a row.
                return
            position += 1
            place = column * HASH_SLOTS + np.int64((word * _HASH) >> np.uint64(64 - _SLOT_BITS))
            while hash_words[place] != word:
                if hash_words[place] == 0:
                    if distinct[column] == MAX_DISTINCT_CELLS:
                        return
                    hash_words[place] = word
                    hash_codes[place] = distinct[column]
                    words[column * MAX_DISTINCT_CELLS + distinct[column]] = word
                    distinct[column] += 1
                    break
                place = column * HASH_SLOTS + (place + 1) % HASH_SLOTS
            codes[column * rows + row] = hash_codes[place]
    if position == size:
        failed[0] = 0


@helper()
def _read_cell(data, position, delimiter):
    """A cell as a word, and where it ends: the cell's bytes and, in the highest byte, one more than their number. The
    word is 0 if the cell is quoted, too long or has control characters.
    """
    word, length = np.uint64(0), 0
    while True:
        byte = data[position]
        if byte in (delimiter, _NEWLINE):
            break
        if byte == _RETURN and data[position + 1] == _NEWLINE:
            position += 1
            break
        if byte in (_QUOTE, _RETURN, 0) or length == MAX_CELL_BYTES:
            return np.uint64(0), position
        word |= np.uint64(byte) << np.uint64(8 * length)
        length += 1
        position += 1
    return word | np.uint64(length + 1) << np.uint64(8 * MAX_CELL_BYTES), position
