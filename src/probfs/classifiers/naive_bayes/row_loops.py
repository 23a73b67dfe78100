"""Running the compiled loops of some rows: their work shared out among threads, and the sums of their blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from probfs.classifiers.sums import Fit, Sums
from probfs.kernels.kernel import BoundKernel, UpTo
from probfs.kernels.loops.numerics import count_blocks
from probfs.kernels.loops.two_class_changes import FIT_SIZE
from probfs.runtime.threads import thread_pool
from probfs.tables.table import Codes

_CELLS_WORTH_A_THREAD = 500_000
"""Cells below which handing them to another thread takes longer than going through them."""


class WorkShare(NamedTuple):
    """A range of blocks and a range of features, each without its end."""

    first_block: int
    end_block: int
    first_feature: int
    end_feature: int


class RowLoops:
    """The two loops of some rows: one updates the rows, the other sums the changes that features make to them."""

    def __init__(
        self,
        codes: Codes,
        cost: int,
        bind_update: Callable[..., BoundKernel],
        bind_sums: Callable[..., BoundKernel],
    ) -> None:
        """``cost`` is how many times as long a cell takes as with two classes. The functions bind all that is left of
        each kernel: ``bind_update`` takes ``features``, ``count`` and ``block_fit``; ``bind_sums`` takes ``features``,
        ``count`` and ``sums``, and adds scratch space for one thread.
        """
        features, rows = codes.shape
        self._rows = rows
        self._blocks = count_blocks(rows)
        self._cost = cost
        self._features = np.empty(features, dtype=np.int64)
        self._fit = np.empty((self._blocks, FIT_SIZE))
        self._sums = np.empty(2 * self._blocks * features)
        self._bind_sums = partial(bind_sums, features=self._features, count=UpTo(features), sums=self._sums)
        self._update = bind_update(features=self._features, count=UpTo(features), block_fit=self._fit)
        self._sum_changes = [self._bind_sums()]

    def update(self, features: npt.NDArray[np.intp], sign: int) -> None:
        """Add some features to the rows, or with sign -1 take them away."""
        count = len(features)
        self._features[:count] = features
        shares = split_work(self._rows, 1, self._rows * self._cost * (2 * count + 6))
        thread_pool().run(
            [
                partial(self._update, count=count, sign=sign, first_block=share.first_block, end_block=share.end_block)
                for share in shares
            ]
        )

    def sum_changes(self, features: npt.NDArray[np.intp]) -> Sums:
        """The sums of all rows for some features."""
        count = len(features)
        self._features[:count] = features
        shares = split_work(self._rows, count, self._rows * self._cost * count)
        while len(self._sum_changes) < len(shares):
            self._sum_changes.append(self._bind_sums())
        thread_pool().run(
            [
                partial(
                    sum_changes,
                    count=count,
                    first_block=share.first_block,
                    end_block=share.end_block,
                    first_feature=share.first_feature,
                    end_feature=share.end_feature,
                )
                for sum_changes, share in zip(self._sum_changes, shares, strict=False)
            ]
        )
        sums = self._sums[: 2 * self._blocks * count].reshape(2, self._blocks, count)
        absolute, signed = sums[:, 0].copy() if self._blocks == 1 else sums.sum(axis=1)
        return Sums(absolute, signed)

    def least_gap(self) -> float:
        """The smallest gap of any row, as of the last update."""
        return min(self._fit[:, 3].tolist(), default=np.inf)

    def fit(self) -> Fit:
        """Errors and losses of all rows, as of the last update."""
        errors, miss, loss, _ = (self._fit[0] if self._blocks == 1 else self._fit.sum(axis=0)).tolist()
        return Fit(errors, miss, loss)


def split_work(rows: int, features: int, cells: int) -> list[WorkShare]:
    """The blocks of some rows or, where there are too few blocks, the features, in shares for as many threads as pay.

    ``cells`` is the amount of work, in cells of a two-class table.
    """
    blocks = count_blocks(rows)
    if cells < 2 * _CELLS_WORTH_A_THREAD:
        return [WorkShare(0, blocks, 0, features)]
    threads = min(thread_pool().cores, cells // _CELLS_WORTH_A_THREAD)
    if blocks >= 4 * threads:
        return [WorkShare(first, end, 0, features) for first, end in _split_range(blocks, threads)]
    return [WorkShare(0, blocks, first, end) for first, end in _split_range(features, threads)]


def _split_range(items: int, shares: int) -> Iterator[tuple[int, int]]:
    for share in range(shares):
        first, end = items * share // shares, items * (share + 1) // shares
        if end > first:
            yield first, end
