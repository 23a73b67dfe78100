"""A look at the bytes of delimited rows as they are read: whether pyarrow reads them as Python's csv would, on which
lines rows begin, and which columns hold a leading zero that a number would lose.

Arrow's parser accepts an unclosed quote and text after a closing one, and says nothing of lines. All of this is told by
each byte and its neighbours, so numpy looks at chunks that stay in the cache, 1 ns a byte.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from probfs.tables.arrays import Flags, Integers
from probfs.tables.table import RowLines

CHUNK_BYTES = 1 << 18
_NEWLINE, _RETURN, _QUOTE, _POINT, _ZERO = b'\n\r".0'
_BLANKS, _SIGNS = b" \t", b"+-"
Bytes = npt.NDArray[np.uint8]


class NotPlainError(Exception):
    """Only Python's csv can be trusted with these rows: there is a NUL, a lone carriage return, a quote that does not
    open or close a whole cell, or a delimiter that may be a part of a number.
    """


class RowScan:
    """What the bytes of rows show, which are given one piece after the other."""

    def __init__(self, delimiter: str, width: int, first_line: int) -> None:
        if delimiter.isalnum() or delimiter in "+-./":
            raise NotPlainError
        self._delimiter, self._width = ord(delimiter), width
        self._line = first_line - 1
        self._delimiters = self._quotes = 0
        self._first_rows: list[Integers] = []
        self._first_lines: list[Integers] = []
        # Each chunk begins with the two bytes before it; its last byte is looked at together with the next chunk.
        self._tail = b"\n\n"
        self.rows = 0
        self.newlines_in_cells = False
        self.zero_led: set[int] = set()
        """The positions of columns with a cell such as 007, if all rows have as many cells as the header; cells that
        only seem to begin with a zero are possible."""

    def add(self, piece: bytes) -> None:
        """Look at the next bytes."""
        for start in range(0, len(piece), CHUNK_BYTES):
            data = self._tail + piece[start : start + CHUNK_BYTES]
            self._look_at(data)
            self._tail = data[-3:]

    def finish(self) -> RowLines:
        """Look at the last byte; the lines of all rows."""
        self._look_at(self._tail + b"\n")
        if self._quotes % 2:
            raise NotPlainError
        rows, lines = np.concatenate(self._first_rows), np.concatenate(self._first_lines)
        # A run ends where a line is passed over.
        runs = np.flatnonzero(np.diff(lines - rows, prepend=-1))
        return RowLines(rows[runs], lines[runs])

    def _look_at(self, data: bytes) -> None:
        """Look at all bytes but the first two and the last."""
        cells = np.frombuffer(data, np.uint8)
        before, here, after = cells[1:-2], cells[2:-1], cells[3:]
        if b"\0" in data or (b"\r" in data and np.any((here == _RETURN) & (after != _NEWLINE))):
            raise NotPlainError
        newlines, delimiters = before == _NEWLINE, here == self._delimiter
        starts = newlines & (here != _NEWLINE)
        if b"\r" in data:
            starts &= here != _RETURN
        if self._quotes % 2 or b'"' in data:
            inside = self._inside_quotes(before, here, after)
            self.newlines_in_cells |= bool(np.any(newlines & inside))
            starts &= ~inside
            delimiters &= ~inside
        self._find_zeros(cells, starts, delimiters)
        self._delimiters += int(np.count_nonzero(delimiters))
        self._add_rows(newlines, starts)

    def _inside_quotes(self, before: Bytes, here: Bytes, after: Bytes) -> Flags:
        """For each byte, whether the number of quotes before it is odd."""
        quotes = here == _QUOTE
        places, odd = np.flatnonzero(quotes), self._quotes % 2
        opening, closing = places[odd::2], places[1 - odd :: 2]
        # Every first quote of a pair must open a cell (or double a quote), and every second one close it.
        if not (
            np.isin(before[opening], (self._delimiter, _NEWLINE, _QUOTE)).all()
            and np.isin(after[closing], (self._delimiter, _NEWLINE, _RETURN, _QUOTE)).all()
        ):
            raise NotPlainError
        self._quotes += len(places)
        inside: Flags = ((np.cumsum(quotes, dtype=np.uint8) - quotes + odd) & 1).view(np.bool_)
        return inside

    def _find_zeros(self, cells: Bytes, starts: Flags, delimiters: Flags) -> None:
        """Add the columns of cells that begin with a zero and a digit."""
        before, here, after = cells[1:-2], cells[2:-1], cells[3:]
        # Bytes wrap around: those below the point and the zero become large.
        zeros = (here == _ZERO) & (after - np.uint8(_ZERO) < 10) & (before - np.uint8(_POINT) > _ZERO + 9 - _POINT)
        if not zeros.any():
            return
        places = np.flatnonzero(zeros)
        begins = (self._delimiter, _NEWLINE, _QUOTE)
        led = np.isin(before[places], begins)
        led |= np.isin(before[places], list(_BLANKS + _SIGNS)) & np.isin(cells[places], [*begins, *_BLANKS])
        places = places[led]
        row = self.rows + np.searchsorted(np.flatnonzero(starts), places, side="right") - 1
        passed = self._delimiters + np.searchsorted(np.flatnonzero(delimiters), places)
        self.zero_led.update(np.unique(passed - row * (self._width - 1)).tolist())

    def _add_rows(self, newlines: Flags, starts: Flags) -> None:
        ended, begun = int(np.count_nonzero(newlines)), int(np.count_nonzero(starts))
        if begun == ended:
            lines = np.array([self._line + 1][:begun], dtype=np.int64)
        else:
            lines = self._line + np.searchsorted(np.flatnonzero(newlines), np.flatnonzero(starts), side="right")
        self._first_lines.append(lines)
        self._first_rows.append(self.rows + np.arange(len(lines)))
        self._line += ended
        self.rows += begun
