"""The physical line on which each row of a file begins, recorded block by block."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from probfs.tables.row_lines import RowLines
from probfs.tables.table import Integers


class LineRecorder:
    """Records the lines of rows in the order of the file."""

    def __init__(self) -> None:
        self._first_rows: list[Integers] = []
        self._first_lines: list[Integers] = []
        self.rows = 0
        """How many rows have been recorded."""

    def append_run(self, first_line: int, rows: int) -> None:
        """Record rows that stand on consecutive lines."""
        if rows:
            self._first_rows.append(np.array([self.rows]))
            self._first_lines.append(np.array([first_line]))
            self.rows += rows

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
