"""Which files make up which block: consecutive files of about the same size together."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from probfs.tables.files import Part
from probfs.tables.formats import format_of_path

_BLOCKS_PER_THREAD = 2
"""So that a thread that is done early has something left to do. Each block answers each question: more cost time."""


@dataclass(frozen=True)
class BlockPlan:
    """The files of a block, and how many bytes they have, where that is known."""

    parts: tuple[Part, ...]
    size: int


def plan_blocks(parts: Sequence[Part], threads: int) -> list[BlockPlan]:
    """Blocks for so many threads, in the order of the files. Where there are fewer files than that, Parquet files are
    read in several parts; of other formats, a file is in one block.
    """
    wanted = _BLOCKS_PER_THREAD * threads
    if len(parts) < wanted:
        parts = [own for part in parts for own in _parts_of_file(part)]
    times = Counter(part.path for part in parts)
    sizes = np.array([_size(part.path) // times[part.path] for part in parts], dtype=np.int64)
    wanted = min(len(parts), wanted)
    # Files whose middles are in the same share of all bytes; each counts for one byte at least.
    weights = np.maximum(sizes, 1)
    middles = np.cumsum(weights) - weights / 2
    shares = (middles * wanted / weights.sum()).astype(np.int64)
    return [
        BlockPlan(_joined([parts[place] for place in own.tolist()]), int(sizes[own].sum()))
        for own in (np.flatnonzero(shares == share) for share in np.unique(shares))
    ]


def _parts_of_file(part: Part) -> list[Part]:
    """A part for each row group of a Parquet file, which workers can read apart; else the file itself."""
    known = format_of_path(part.path)
    if known is None or known.name != "parquet" or not os.path.isfile(part.path):
        return [part]
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        groups = pq.read_metadata(part.path).num_row_groups
    except (pa.ArrowException, OSError):
        # Whoever reads it says what is wrong.
        return [part]
    return [replace(part, row_groups=(number,)) for number in range(groups)] or [part]


def _joined(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The parts, row groups of the same file together."""
    by_file: dict[str, Part] = {}
    for part in parts:
        before = by_file.get(part.path)
        by_file[part.path] = part if before is None else replace(part, row_groups=before.row_groups + part.row_groups)
    return tuple(by_file.values())


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        # A URL, or a file that only workers can see.
        return 0
