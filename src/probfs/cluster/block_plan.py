"""Which files make up which block: consecutive files of about the same size together."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from probfs.tables.parts import Part

_BLOCKS_PER_THREAD = 2
"""So that a thread that is done early has something left to do. Each block answers each question: more cost time."""


@dataclass(frozen=True)
class BlockPlan:
    """The files of a block, and how many bytes they have, where that is known."""

    parts: tuple[Part, ...]
    size: int


def plan_blocks(parts: Sequence[Part], threads: int) -> list[BlockPlan]:
    """Blocks for so many threads, in the order of the files; a file is in one block."""
    sizes = np.array([_size(part.path) for part in parts], dtype=np.int64)
    wanted = min(len(parts), _BLOCKS_PER_THREAD * threads)
    # Files whose middles are in the same share of all bytes; each counts for one byte at least.
    weights = np.maximum(sizes, 1)
    middles = np.cumsum(weights) - weights / 2
    shares = (middles * wanted / weights.sum()).astype(np.int64)
    return [
        BlockPlan(tuple(parts[place] for place in own.tolist()), int(sizes[own].sum()))
        for own in (np.flatnonzero(shares == share) for share in np.unique(shares))
    ]


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        # A URL, or a file that only workers can see.
        return 0
