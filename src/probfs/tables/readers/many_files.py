"""Several files -> one Table, read one after the other."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from probfs.runtime.memory import require_memory
from probfs.runtime.progress import Listener, Progress, current_listener, listening
from probfs.tables.joining import TableJoiner
from probfs.tables.parts import Part
from probfs.tables.readers import ReadOptions, read_part
from probfs.tables.table import Column, NoRowsError, Table

_BYTES_BETWEEN_CHECKS = 16 << 20


def read_many(parts: Sequence[Part], options: ReadOptions, source: str) -> Table:
    """Read files as one table, which messages call ``source``."""
    if options.union:
        # Which columns there are in all, and which is the last, is known only when all are read.
        options = replace(options, unneeded=None)
    joiner = TableJoiner(source, options.union)
    ends = list(accumulate((_size(part.path) for part in parts), initial=0))
    memory = _MemoryGuard(ends[-1], source)
    listener = current_listener()
    for part, start, end in zip(parts, ends, ends[1:], strict=False):
        with listening(_counting(listener, start, ends[-1])):
            try:
                table = read_part(part, options)
            except NoRowsError as error:
                joiner.add_empty(error.source or "", error.columns)
                continue
        joiner.add(table)
        memory.check(table, end)
        if options.unneeded is not None:
            # The first file decides: in another one, the last column may be another.
            unread = frozenset(name for name, column in table.columns.items() if column.unread)
            options = replace(options, unneeded=unread.intersection)
    return joiner.finish()


class _MemoryGuard:
    """Checks from time to time whether there is memory for the rest of the files, each of which may be small."""

    def __init__(self, total: int, source: str) -> None:
        self._total = total
        self._source = source
        self._held = 0
        self._next_check = _BYTES_BETWEEN_CHECKS

    def check(self, table: Table, done: int) -> None:
        """To be called for each table, with how many bytes of all files have been read."""
        self._held += sum(column.codes.nbytes for column in table.columns.values() if type(column) is Column)
        self._held += sum(8 * column.rows for column in table.columns.values() if type(column) is not Column)
        if done < self._next_check:
            return
        self._next_check = done + _BYTES_BETWEEN_CHECKS
        # Ranking the table will take about as much memory again as the table itself.
        expected = int(self._held * self._total / done)
        require_memory(2 * expected - self._held, "this table", self._source)


def _size(path: str) -> int:
    """The bytes of a file; 0 where that is not known before it is opened."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _counting(listener: Listener, before: int, total: int) -> Listener:
    """A listener to the reading of one file, who tells of the bytes of all."""

    def tell(progress: Progress) -> None:
        if progress.unit == "bytes" and progress.total is not None and total:
            progress = replace(progress, done=min(before + progress.done, total), total=total)
        listener(progress)

    return tell
