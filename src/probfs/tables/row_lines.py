"""Where rows stand: in which file, and on which line, by which messages name cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from probfs.tables.arrays import Integers


@dataclass(frozen=True, eq=False)
class RowLines:
    """The physical line on which each row began, kept as runs of consecutive lines."""

    first_rows: Integers
    first_lines: Integers

    @classmethod
    def of(cls, lines: Integers) -> RowLines:
        """The runs in a list of every row's line."""
        breaks = np.flatnonzero(np.diff(lines, prepend=lines[:1] - 2) != 1)
        return cls(breaks.astype(np.int64), lines[breaks])

    def line(self, row: int) -> int:
        """The line on which a row began; rows are counted from 0, lines from 1."""
        run = int(np.searchsorted(self.first_rows, row, side="right")) - 1
        return int(self.first_lines[run]) + row - int(self.first_rows[run])


class LineRecorder:
    """Records the lines of rows, block by block in the order of the file."""

    def __init__(self) -> None:
        self._first_rows: list[Integers] = []
        self._first_lines: list[Integers] = []
        self.rows = 0
        """How many rows have been recorded."""

    def append(self, lines: Sequence[int] | Integers) -> None:
        """Record rows by the line of each."""
        numbers = np.asarray(lines, dtype=np.int64)
        if len(numbers):
            runs = RowLines.of(numbers)
            self._first_rows.append(runs.first_rows + self.rows)
            self._first_lines.append(runs.first_lines)
            self.rows += len(numbers)

    def finish(self) -> RowLines | None:
        if not self._first_rows:
            return None
        return RowLines(np.concatenate(self._first_rows), np.concatenate(self._first_lines))


@dataclass(frozen=True, eq=False)
class FileLines:
    """Which of several files each row comes from, and the lines of the rows in each of them."""

    sources: tuple[str, ...]
    first_rows: Integers
    """The row of the table that is the first of each file."""
    lines: tuple[RowLines | None, ...]

    def place(self, row: int) -> tuple[str, int, int | None]:
        """The file of a row, the row's position there, and its line if that is known."""
        part = int(np.searchsorted(self.first_rows, row, side="right")) - 1
        own = row - int(self.first_rows[part])
        lines = self.lines[part]
        return self.sources[part], own, None if lines is None else lines.line(own)
