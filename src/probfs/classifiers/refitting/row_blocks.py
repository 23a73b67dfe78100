"""Rows in blocks: each as large as memory or the cache allows, and several for the threads to share."""

from __future__ import annotations

from collections.abc import Iterator

LEAST_BLOCKS = 4


def divide_rows(rows: int, cells_per_row: int, most_cells: int, least_blocks: int = LEAST_BLOCKS) -> Iterator[slice]:
    """Blocks of rows of at most so many cells, and a few blocks at least, for the threads to share.

    Blocks do not depend on the number of threads, and neither does the order in which sums are taken.

    >>> list(divide_rows(9, 10, 1000))
    [slice(0, 3, None), slice(3, 6, None), slice(6, 9, None)]
    """
    size = max(1, min(most_cells // max(1, cells_per_row), -(-rows // least_blocks)))
    for start in range(0, rows, size):
        yield slice(start, min(start + size, rows))
