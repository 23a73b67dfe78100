"""Plain delimited text: its cells as codes."""

from __future__ import annotations

import numpy as np
from numba import njit

from probfs.kernels import LONGEST_CELL, MOST_DISTINCT, SLOTS

_HASH = np.uint64(0x9E3779B97F4A7C15)
_SLOT_BITS = SLOTS.bit_length() - 1
_EMPTY = np.uint64(1 << 8 * LONGEST_CELL)
_QUOTE, _NEWLINE, _RETURN = 34, 10, 13


def split_cells(data, size, columns, delimiter, rows, codes, keys, distinct, words, word_codes, failed):
    """Codes for the cells of plain delimited text, which ends with a newline, column by column; and the words that the
    cells of a column are, in the order of their codes.

    ``failed`` becomes 0 if the text is as plain as that: no quotes, no long cells, not too many values, as many cells
    in every line. ``words`` is room to look words up in, all 0, and ``word_codes`` for their codes.
    """
    position = 0
    for row in range(rows):
        for column in range(columns):
            word, position = _cell(data, position, delimiter)
            if word == 0 or (data[position] == _NEWLINE) != (column == columns - 1):
                return
            if columns == 1 and word == _EMPTY:
                # A blank line, which is no row.
                return
            position += 1
            place = column * SLOTS + np.int64((word * _HASH) >> np.uint64(64 - _SLOT_BITS))
            while words[place] != word:
                if words[place] == 0:
                    if distinct[column] == MOST_DISTINCT:
                        return
                    words[place] = word
                    word_codes[place] = distinct[column]
                    keys[column * MOST_DISTINCT + distinct[column]] = word
                    distinct[column] += 1
                    break
                place = column * SLOTS + (place + 1) % SLOTS
            codes[column * rows + row] = word_codes[place]
    if position == size:
        failed[0] = 0


@njit
def _cell(data, position, delimiter):
    """A cell as a word (its bytes, and above them one more than their number), or 0 if it is not plain; and its end."""
    word, length = np.uint64(0), 0
    while True:
        byte = data[position]
        if byte in (delimiter, _NEWLINE):
            break
        if byte == _RETURN and data[position + 1] == _NEWLINE:
            position += 1
            break
        if byte in (_QUOTE, _RETURN, 0) or length == LONGEST_CELL:
            return np.uint64(0), position
        word |= np.uint64(byte) << np.uint64(8 * length)
        length += 1
        position += 1
    return word | np.uint64(length + 1) << np.uint64(8 * LONGEST_CELL), position
