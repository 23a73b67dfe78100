"""Refusing a file that will not fit in memory, long before memory runs out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from probfs.runtime.memory import require_memory
from probfs.tables.source import Utf8Stream

_SMALL_FILE = 1 << 20
_BYTES_BETWEEN_CHECKS = 64 << 20
_PARSING_BYTES = 200 << 20
"""Memory that threads need to parse blocks; with less, pyarrow ends the process without a message."""


class HoldsCells(Protocol):
    """What collects the cells of a file."""

    @property
    def nbytes(self) -> int: ...


class MemoryGuard:
    """Checks from time to time whether there is memory for the rest of a file."""

    def __init__(self, stream: Utf8Stream, columns: Sequence[HoldsCells]) -> None:
        self._stream = stream
        self._columns = columns
        self._next_check = 0

    def check(self) -> None:
        """To be called before the first block and after each."""
        if self._stream.consumed < self._next_check:
            return
        total = self._stream.size()
        if total is not None and total < _SMALL_FILE:
            return
        self._next_check = self._stream.consumed + _BYTES_BETWEEN_CHECKS
        held = sum(column.nbytes for column in self._columns)
        expected = held if total is None else int(held * max(1.0, total / max(self._stream.consumed, 1)))
        # Ranking the table will take about as much memory again as the table itself.
        require_memory(2 * expected - held + _PARSING_BYTES, "this table", self._stream.source)
