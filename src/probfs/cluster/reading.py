"""The files of a table as blocks of rows, which workers read: consecutive files of about the same size together."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from probfs.tables.column import missing_column, unread_column
from probfs.tables.files import Part
from probfs.tables.formats import format_of_path
from probfs.tables.opening import display_name
from probfs.tables.reading import ReadOptions, read_parts
from probfs.tables.table import NoRowsError, Table
from probfs.tables.urls import is_url

_BLOCKS_PER_THREAD = 2
"""So that a thread that is done early has something left to do. Each block answers each question: more cost time."""


def plan_blocks(parts: Sequence[Part], threads: int) -> list[tuple[Part, ...]]:
    """The files of each block, in order, for so many threads. Where there are fewer files than blocks, Parquet files
    are read in several parts; a file of another format is in one block.
    """
    wanted = _BLOCKS_PER_THREAD * threads
    if len(parts) < wanted:
        parts = [group for part in parts for group in _row_groups(part)]
    times = Counter(part.path for part in parts)
    sizes = []
    for part in parts:
        try:
            size = os.stat(part.path).st_size
        except OSError:
            # A URL, or a file that only workers can see.
            size = 0
        # Each file counts for one byte at least.
        sizes.append(max(1, size // times[part.path]))
    middles = np.cumsum(sizes) - np.divide(sizes, 2)
    places = (middles * min(len(parts), wanted) / sum(sizes)).astype(np.int64)
    blocks: dict[int, dict[str, Part]] = {}
    for part, place in zip(parts, places.tolist(), strict=True):
        block = blocks.setdefault(place, {})
        # Row groups of the same file are read together.
        before = block.get(part.path)
        block[part.path] = part if before is None else replace(part, row_groups=before.row_groups + part.row_groups)
    return [tuple(block.values()) for block in blocks.values()]


def _row_groups(part: Part) -> list[Part]:
    """A part for each row group of a Parquet file, which can be read one by one; else the file itself."""
    known = format_of_path(part.path)
    if known is None or known.name != "parquet" or not os.path.isfile(part.path):
        return [part]
    import pyarrow.parquet as pq

    try:
        groups = pq.read_metadata(part.path).num_row_groups
    except (pa.ArrowException, OSError):
        # Whoever reads it says what is wrong.
        return [part]
    return [replace(part, row_groups=(number,)) for number in range(groups)] or [part]


def with_absolute_path(part: Part) -> Part:
    """A part for workers that may have been started in another folder."""
    return part if is_url(part.path) else replace(part, path=os.path.abspath(part.path))


# What workers do


def read_block(parts: Sequence[Part], reading: ReadOptions) -> Table:
    """The files of a block as one table."""
    source = display_name(parts[0].path)
    try:
        return read_parts(parts, reading, source)
    except NoRowsError as error:
        # Other blocks may have some.
        return Table(error.source or source, {name: missing_column(name, 0) for name in error.columns}, 0)


def head_of(table: Table) -> Table:
    """The table without its cells: the names of its columns, how many rows it has, and what the file says of both."""
    return replace(table, columns={name: unread_column(name, 0) for name in table.columns}, lines=None, files=None)


def complete(table: Table, names: Sequence[str]) -> Table:
    """The table with these columns, in this order; the cells of those that it lacks are missing."""
    return replace(table, columns={name: table.columns.get(name) or missing_column(name, table.rows) for name in names})
