"""Where rows stand: in which file, and on which line, by which messages name cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]


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
