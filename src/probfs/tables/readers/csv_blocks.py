"""Blocks of whole CSV records: where quotes stand, where records end, and on which lines they begin."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from probfs.tables.source import Utf8Stream
from probfs.tables.table import Integers

BLOCK_BYTES = 4 << 20
_QUOTE, _NEWLINE, _RETURN = ord('"'), ord("\n"), ord("\r")


def record_blocks(stream: Utf8Stream) -> Iterator[bytes]:
    """The stream in blocks that end where a record ends, provided that every quote opens or closes a cell."""
    pending = b""
    size = BLOCK_BYTES
    while True:
        chunk = stream.read(size)
        data = pending + chunk
        end = _last_record_end(data) if chunk else len(data)
        if end:
            yield data[:end]
            pending, size = data[end:], BLOCK_BYTES
        else:
            # A record longer than the block: reading more each time keeps joining the pieces linear.
            pending, size = data, size * 2
        if not chunk:
            return


def _last_record_end(data: bytes) -> int:
    if b'"' not in data:
        return data.rfind(b"\n") + 1
    line_breaks = np.flatnonzero(np.frombuffer(data, np.uint8) == _NEWLINE)
    ends = _outside_quotes(line_breaks, quote_positions(data))
    return int(ends[-1]) + 1 if len(ends) else 0


def quote_positions(data: bytes) -> Integers:
    """The positions of all quotes in a block."""
    if b'"' not in data:
        return np.empty(0, dtype=np.int64)
    return np.flatnonzero(np.frombuffer(data, np.uint8) == _QUOTE)


def _outside_quotes(positions: Integers, quotes: Integers) -> Integers:
    """Those of the positions with an even number of quotes before them."""
    outside: Integers = positions[np.searchsorted(quotes, positions) % 2 == 0]
    return outside


def quotes_are_clean(data: bytes, quotes: Integers, delimiter: str) -> bool:
    """Whether every first quote of a pair opens a cell (or doubles a quote) and every second one closes it."""
    if len(quotes) % 2:
        return False
    cells = np.frombuffer(data, np.uint8)
    before, after = quotes[0::2] - 1, quotes[1::2] + 1
    opens = _all_in(cells[before[before >= 0]], (ord(delimiter), _NEWLINE, _QUOTE))
    closes = _all_in(cells[after[after < len(cells)]], (ord(delimiter), _NEWLINE, _RETURN, _QUOTE))
    return opens and closes


def _all_in(characters: npt.NDArray[np.uint8], allowed: tuple[int, ...]) -> bool:
    return bool(np.isin(characters, allowed).all())


def record_lines(data: bytes, quotes: Integers) -> Integers:
    """The physical line on which each record of a block begins, the first line being 0; blank lines are no records."""
    cells = np.frombuffer(data, np.uint8)
    line_breaks = np.flatnonzero(cells == _NEWLINE)
    ends = _outside_quotes(line_breaks, quotes) if len(quotes) else line_breaks
    if not len(ends) or ends[-1] != len(cells) - 1:
        ends = np.append(ends, len(cells))
    starts = np.concatenate([[0], ends[:-1] + 1])
    length = ends - starts
    blank = (length == 0) | ((length == 1) & (cells[np.minimum(starts, len(cells) - 1)] == _RETURN))
    kept: Integers = starts[~blank]
    return np.searchsorted(line_breaks, kept)
