"""One pass over the bytes of delimited rows: whether pyarrow reads them as Python's csv would, on which lines rows
begin, and which columns hold a leading zero that a number would lose.

Arrow's parser accepts an unclosed quote and text after a closing one, and says nothing of lines. All of this is told by
each byte and its neighbours, so numpy looks at chunks that stay in the cache, 1 ns a byte.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from probfs.tables.arrays import Flags, Integers
from probfs.tables.table import RowLines

CHUNK_BYTES = 1 << 18
_NEWLINE, _RETURN, _QUOTE, _POINT, _ZERO = b'\n\r".0'
_BLANKS, _SIGNS = b" \t", b"+-"
Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class RowScan:
    """What the bytes of well-formed rows show."""

    rows: int
    lines: RowLines
    newlines_in_cells: bool
    zero_led: frozenset[int]
    """The positions of columns with a cell such as 007, if all rows have as many cells as the header."""


def scan_rows(stream: Any, delimiter: str, width: int, first_line: int, *, zeros: bool) -> RowScan | None:
    """Look at the rows that a stream holds, the first of them on ``first_line``.

    None if only Python's csv can be trusted with them: there is a NUL, a lone carriage return, a quote that does not
    open or close a whole cell, or a delimiter that may be a part of a number. Leading zeros are looked for if ``zeros``
    is true; some that are found may turn out to be none.
    """
    if delimiter.isalnum() or delimiter in "+-./":
        return None
    scanner = _Scanner(ord(delimiter), width, first_line, zeros)
    # Each chunk begins with the last two bytes before it, and its own last byte waits for the one that follows.
    tail = b"\n\n"
    while chunk := stream.read(CHUNK_BYTES):
        data = tail + chunk
        if not scanner.add(data):
            return None
        tail = data[-3:]
    return scanner.finish() if scanner.add(tail + b"\n") else None


class _Scanner:
    def __init__(self, delimiter: int, width: int, first_line: int, zeros: bool) -> None:
        self._delimiter, self._width, self._zeros = delimiter, width, zeros
        self._line = first_line - 1
        self._rows = self._delimiters = self._quotes = 0
        self._newlines_in_cells = False
        self._first_rows: list[Integers] = []
        self._first_lines: list[Integers] = []
        self._zero_led: set[int] = set()

    def add(self, data: bytes) -> bool:
        """Look at all bytes but the first two and the last; False if they are not plain."""
        cells = np.frombuffer(data, np.uint8)
        before, here, after = cells[1:-2], cells[2:-1], cells[3:]
        if b"\0" in data or (b"\r" in data and np.any((here == _RETURN) & (after != _NEWLINE))):
            return False
        newlines = before == _NEWLINE
        starts = newlines & (here != _NEWLINE)
        if b"\r" in data:
            starts &= here != _RETURN
        inside = None
        if self._quotes % 2 or b'"' in data:
            quotes = here == _QUOTE
            if not self._quotes_are_clean(np.flatnonzero(quotes), before, after):
                return False
            # The parity of the number of quotes before each byte.
            inside = ((np.cumsum(quotes, dtype=np.uint8) - quotes + self._quotes % 2) & 1).view(np.bool_)
            self._quotes += int(np.count_nonzero(quotes))
            self._newlines_in_cells |= bool(np.any(newlines & inside))
            starts &= ~inside
        if self._zeros:
            self._find_zeros(cells, starts, inside)
        self._add_rows(newlines, starts)
        return True

    def _quotes_are_clean(self, places: Integers, before: Bytes, after: Bytes) -> bool:
        """Whether every first quote of a pair opens a cell (or doubles a quote) and every second one closes it."""
        odd = self._quotes % 2
        opening, closing = places[odd::2], places[1 - odd :: 2]
        return bool(
            np.isin(before[opening], (self._delimiter, _NEWLINE, _QUOTE)).all()
            and np.isin(after[closing], (self._delimiter, _NEWLINE, _RETURN, _QUOTE)).all()
        )

    def _add_rows(self, newlines: Flags, starts: Flags) -> None:
        ended, begun = int(np.count_nonzero(newlines)), int(np.count_nonzero(starts))
        if begun == ended:
            lines = np.array([self._line + 1][:begun], dtype=np.int64)
        else:
            lines = self._line + np.searchsorted(np.flatnonzero(newlines), np.flatnonzero(starts), side="right")
        self._first_lines.append(lines)
        self._first_rows.append(self._rows + np.arange(len(lines)))
        self._line += ended
        self._rows += begun

    def _find_zeros(self, cells: Bytes, starts: Flags, inside: Flags | None) -> None:
        """Add the columns of cells that begin with a zero and a digit."""
        before, here, after = cells[1:-2], cells[2:-1], cells[3:]
        delimiters = here == self._delimiter
        if inside is not None:
            delimiters &= ~inside
        # Bytes wrap around: those below the point and the zero become large.
        zeros = (here == _ZERO) & (after - np.uint8(_ZERO) < 10) & (before - np.uint8(_POINT) > _ZERO + 9 - _POINT)
        if zeros.any():
            places = np.flatnonzero(zeros)
            begins = (self._delimiter, _NEWLINE, _QUOTE)
            led = np.isin(before[places], begins)
            led |= np.isin(before[places], list(_BLANKS + _SIGNS)) & np.isin(cells[places], [*begins, *_BLANKS])
            if led.any():
                places = places[led]
                row = self._rows + np.searchsorted(np.flatnonzero(starts), places, side="right") - 1
                passed = self._delimiters + np.searchsorted(np.flatnonzero(delimiters), places)
                self._zero_led.update(np.unique(passed - row * (self._width - 1)).tolist())
        self._delimiters += int(np.count_nonzero(delimiters))

    def finish(self) -> RowScan | None:
        if self._quotes % 2:
            return None
        rows, lines = np.concatenate(self._first_rows), np.concatenate(self._first_lines)
        # A run ends where a line is passed over.
        runs = np.flatnonzero(np.diff(lines - rows, prepend=-1))
        row_lines = RowLines(rows[runs], lines[runs])
        return RowScan(self._rows, row_lines, self._newlines_in_cells, frozenset(self._zero_led))
