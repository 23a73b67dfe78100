"""Columns that stand in the path of a file, as year and month do in ``year=2026/month=05/sales.parquet``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from probfs.notes import NoteKind
from probfs.tables.arrow_arrays import text_array
from probfs.tables.source import Unneeded
from probfs.tables.table import Column, NoRowsError, Table
from probfs.text import listed

Partition = Sequence[tuple[str, str]]
"""Names of columns, each with the text of all of its cells; empty for missing ones."""


def add_partition(partition: Partition, read: Callable[[], Table]) -> Table:
    """The table that ``read`` gives, with the partition's columns before its own: the last one may be the target.

    A column that the file itself has is the file's.
    """
    try:
        table = read()
    except NoRowsError as error:
        names = dict.fromkeys([*(name for name, _ in partition), *error.columns])
        raise NoRowsError(error.message, source=error.source or "", columns=tuple(names)) from error
    new = {name: _column(name, cell, table.rows) for name, cell in partition if name not in table.columns}
    held = [name for name, _ in partition if name in table.columns]
    columns = {**new, **table.columns}
    if not held:
        return replace(table, columns=columns)
    message = f"{table.source}: holds {listed(held)}, so the folder of that name is no column"
    return replace(table, columns=columns, notes=(*table.notes, NoteKind.IGNORED.note(message, held)))


def unneeded_beside(partition: Partition, unneeded: Unneeded | None) -> Unneeded | None:
    """What says which columns of a file are not needed, where users may also name those of its path."""
    if unneeded is None:
        return None
    own = [name for name, _ in partition]
    return lambda names: unneeded([*(name for name in own if name not in names), *names])


def _column(name: str, cell: str, rows: int) -> Column:
    return Column(name, np.zeros(rows, dtype=np.uint8), text_array([cell] if cell else []))
