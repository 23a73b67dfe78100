"""Several files -> one Table, read one after the other."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from probfs.runtime.progress import Listener, Progress, current_listener, listening
from probfs.tables.joining import TableJoiner
from probfs.tables.parts import Part
from probfs.tables.readers import ReadOptions, read_part
from probfs.tables.table import NoRowsError, Table


def read_many(parts: Sequence[Part], options: ReadOptions, source: str) -> Table:
    """Read files as one table, which messages call ``source``."""
    if options.union:
        # Which columns there are in all, and which is the last, is known only when all are read.
        options = replace(options, unneeded=None)
    joiner = TableJoiner(source, options.union)
    sizes = [_size(part.path) for part in parts]
    listener = current_listener()
    for place, part in enumerate(parts):
        with listening(_counting(listener, sum(sizes[:place]), sum(sizes))):
            try:
                table = read_part(part, options)
            except NoRowsError as error:
                joiner.add_empty(error.source or "", error.columns)
                continue
        joiner.add(table)
        if options.unneeded is not None:
            # The first file decides: in another one, the last column may be another.
            unread = frozenset(name for name, column in table.columns.items() if column.unread)
            options = replace(options, unneeded=unread.intersection)
    return joiner.finish()


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
