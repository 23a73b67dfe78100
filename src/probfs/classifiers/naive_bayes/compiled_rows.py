"""Rows of large tables: the same arithmetic, with its loops over cells in machine code."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from functools import partial, reduce

import numpy as np
import numpy.typing as npt

from probfs.classifiers.naive_bayes.counts import ClassCounts
from probfs.classifiers.naive_bayes.many_class_rows import ManyClassRows
from probfs.classifiers.naive_bayes.rows import Rows
from probfs.classifiers.naive_bayes.two_class_rows import TwoClassRows
from probfs.classifiers.sums import Fit, Sums
from probfs.kernels import BLOCK, TOGETHER
from probfs.kernels.loader import Loop, address, loop
from probfs.runtime.threads import crew
from probfs.tables.table import Codes, Floats

MOST_TABLE_CELLS = 1 << 22
"""Beyond this the tables of many classes would not stay in the cache, and take long to make."""
MOST_TABLES_CELLS = 1 << 24
"""Of all groups together, which would take too much memory."""
_WORTH_A_THREAD = 500_000
"""Cells below which handing some of them to another thread takes longer than to go through them."""

Part = tuple[int, int, int, int]
"""The first block and the last, the first feature and the last; the last are not in it."""


def large(codes: Codes, groups: Sequence[TwoClassRows | ManyClassRows]) -> list[Rows]:
    """What does the same as some groups of rows; ``codes`` are those of all groups, one after the other."""
    two_class = [rows for rows in groups if isinstance(rows, TwoClassRows)]
    if two_class:
        fits = 3 * len(groups) * groups[0].layout.slots <= np.iinfo(np.int32).max
        return [LargeTwoClassRows(codes, two_class)] if fits else list(groups)
    many_class = [rows for rows in groups if isinstance(rows, ManyClassRows)]
    table_cells = len(many_class[0].high) ** 2 * many_class[0].layout.slots
    fits = table_cells <= MOST_TABLE_CELLS and table_cells * len(groups) <= MOST_TABLES_CELLS
    return [LargeManyClassRows(rows) for rows in many_class] if fits else list(groups)


class LargeTwoClassRows(Rows):
    """All rows together, whichever of the two classes and whichever model they belong to."""

    def __init__(self, codes: Codes, groups: Sequence[TwoClassRows]) -> None:
        """``codes`` are those of all groups, one after the other; no model may have zeros."""
        self.codes = codes
        self.layout = groups[0].layout
        self.groups = groups
        self.high = np.concatenate([group.high for group in groups])
        self.low = np.concatenate([group.low for group in groups])
        self.counts = np.concatenate([-group.counts if group.label == 1 else group.counts for group in groups])
        sizes = [len(group.counts) for group in groups]
        ends = np.cumsum(sizes)[:-1]
        for group, high, low in zip(groups, np.split(self.high, ends), np.split(self.low, ends), strict=True):
            # What is left to numpy sees every change.
            group.high, group.low = high, low
        self._size = codes.shape[1]
        self._blocks = _blocks(self._size)
        self._counts_are_one = bool((np.abs(self.counts) == 1).all())
        self._tables = np.concatenate([table for own in groups for table in (own.tables.excess, own.tables.log_odds)])
        self._origin = np.repeat(np.arange(len(groups)) * 3 * self.layout.slots, sizes).astype(np.int32)
        self._features = np.empty(len(codes), dtype=np.int64)
        self._state = _State(self._blocks)
        self._sums = np.empty(2 * self._blocks * len(codes))
        self._scratch: list[_Scratch] = []
        self._move, self._sum_up = (loop(name, codes.dtype.name) for name in ("two_class_move", "two_class_sums"))
        # Looked up once: that takes longer than many a loop.
        self._codes_at, self._features_at = table_at(codes), address(self._features)
        arrays = self.layout.offset, self._tables, self._origin, self.high, self.low, self.counts
        offset_at, tables_at, *rows_at = map(address, arrays)
        self._rows_at = offset_at, tables_at, self.layout.slots, *rows_at
        self._sums_at = address(self._sums)

    def add(self, features: npt.NDArray[np.intp], sign: int = 1) -> None:
        before = *self._arguments(features), self._counts_are_one, float(sign)
        parts = _parts(self._size, 1, self._size * (2 * len(features) + 6))
        _run(self._move, [(*before, first, last, self._state.address) for first, last, _, _ in parts], self)

    def least_gap(self) -> float:
        return self._state.least_gap()

    def fit(self) -> Fit:
        return self._state.fit()

    def sums(self, features: npt.NDArray[np.intp], shift: int = 0) -> Sums:
        if shift:
            return reduce(operator.add, (rows.sums(features, shift) for rows in self.groups))
        before = self._arguments(features)
        parts = _parts(self._size, len(features), self._size * len(features))
        while len(self._scratch) < len(parts):
            self._scratch.append(_Scratch(min(self._size, BLOCK), 2))
        size = self._blocks * len(features)
        after = self._sums_at, self._sums_at + size * self._sums.itemsize
        _run(
            self._sum_up,
            [(*before, *part, *own.addresses, *after) for part, own in zip(parts, self._scratch, strict=False)],
            self,
        )
        sums = self._sums[: 2 * size].reshape(2, self._blocks, len(features))
        absolute, signed = sums[:, 0].copy() if self._blocks == 1 else sums.sum(axis=1)
        return Sums(absolute, signed)

    def largest_excess(self) -> Floats:
        largest: Floats = np.max([rows.largest_excess() for rows in self.groups], axis=0)
        return largest

    def nearest_changes(self, features: npt.NDArray[np.intp]) -> Floats:
        nearest: Floats = np.min([rows.nearest_changes(features) for rows in self.groups], axis=0)
        return nearest

    def reach(self, counts: ClassCounts) -> Floats | None:
        reaches = [reach for rows in self.groups if (reach := rows.reach(counts)) is not None]
        return np.max(reaches, axis=0) if reaches else None

    def _arguments(self, features: npt.NDArray[np.intp]) -> tuple[int, ...]:
        self._features[: len(features)] = features
        return *self._codes_at, self._features_at, len(features), *self._rows_at


class _State:
    """How the rows of each block do: their errors, absolute and logarithmic loss, and their least gap."""

    def __init__(self, blocks: int) -> None:
        self._by_block = np.empty((blocks, 4))
        self.address = address(self._by_block)

    def least_gap(self) -> float:
        return min(self._by_block[:, 3].tolist(), default=np.inf)

    def fit(self) -> Fit:
        errors, miss, loss, _ = (self._by_block[0] if len(self._by_block) == 1 else self._by_block.sum(axis=0)).tolist()
        return Fit(errors, miss, loss)


class _Scratch:
    """Where a thread keeps what it computes for a block."""

    def __init__(self, rows: int, lines: int) -> None:
        """For so many rows, with some lines of numbers; the third and all that follow are one thing to the loops."""
        self._start, self._numbers = np.empty(rows, dtype=np.int32), np.empty((lines, rows))
        self.addresses = address(self._start), *map(address, self._numbers[:3])


class LargeManyClassRows(ManyClassRows):
    """Any number of classes; the rows of one class and one model, as they are in numpy."""

    def __init__(self, rows: ManyClassRows) -> None:
        """No model may have zeros, and its tables must not be too large."""
        super().__init__(rows.codes, rows.counts, rows.label, rows.layout, rows.tables)
        classes, size = self.high.shape
        self._size = size
        self._blocks = _blocks(size)
        self._excess_table = _excess_tables(rows.tables.factors)
        self._top, self._probabilities = np.zeros(size, dtype=np.int64), np.empty((classes, size))
        self._state = _State(self._blocks)
        self._scratch: list[_Scratch] = []
        kind = rows.codes.dtype.name
        self._move, self._sum_up = loop("many_class_move", kind), loop("many_class_sums", kind)
        self._label = -1 if rows.label is None else rows.label
        self._codes_at = table_at(rows.codes)
        self._counts_at = address(self.counts)
        self._rows_at = address(self._top), address(self._probabilities)
        self._offset_at, self._excess_at = address(self.layout.offset), address(self._excess_table)
        self._weights_at = *map(address, (self.high, self.low)), self._counts_at

    def add(self, features: npt.NDArray[np.intp], sign: int = 1) -> None:
        classes = len(self.high)
        before = (
            *self._codes_at,
            address(features),
            len(features),
            self._offset_at,
            address(self.tables.logs),
            self.layout.slots,
            classes,
            *self._weights_at,
            self._label,
            float(sign),
            *self._rows_at,
        )
        parts = _parts(self._size, 1, self._size * classes * (2 * len(features) + 6))
        arguments = [(*before, first, last, self._state.address) for first, last, _, _ in parts]
        _run(self._move, arguments, (self, features))

    def least_gap(self) -> float:
        return self._state.least_gap()

    def fit(self) -> Fit:
        return self._state.fit()

    def sums(self, features: npt.NDArray[np.intp], shift: int = 0) -> Sums:
        if shift:
            return super().sums(features, shift)
        classes = len(self.high)
        sums = np.empty((2, self._blocks, len(features)))
        at = address(sums)
        before = (
            *self._codes_at,
            address(features),
            len(features),
            self._offset_at,
            self._excess_at,
            self.layout.slots,
            classes,
            self._counts_at,
            self._label,
            *self._rows_at,
        )
        parts = _parts(self._size, len(features), self._size * len(features) * classes)
        while len(self._scratch) < len(parts):
            self._scratch.append(_Scratch(TOGETHER, 2 + classes))
        after = at, at + sums[0].nbytes
        _run(
            self._sum_up,
            [(*before, *part, *own.addresses, *after) for part, own in zip(parts, self._scratch, strict=False)],
            (self, features, sums),
        )
        absolute, signed = sums.sum(axis=1)
        return Sums(absolute, signed)


def _run(run: Loop, parts: Sequence[tuple[float, ...]], kept: object) -> None:
    """Call a loop for each part, in as many threads; the arguments are addresses of what is ``kept`` meanwhile."""
    if len(parts) == 1:
        run(*parts[0])
    else:
        crew().run([partial(_call, run, arguments, kept) for arguments in parts])


def _call(run: Loop, arguments: tuple[float, ...], kept: object) -> None:
    run(*arguments)


def _blocks(rows: int) -> int:
    return (rows + BLOCK - 1) // BLOCK


def table_at(codes: Codes) -> tuple[int, ...]:
    return address(codes[0]), codes.strides[0] // codes.itemsize, codes.shape[1]


def _parts(rows: int, features: int, cells: int) -> list[Part]:
    """The blocks, or where they are too few the features, dealt to as many threads as pay."""
    blocks = _blocks(rows)
    if cells < 2 * _WORTH_A_THREAD:
        return [(0, blocks, 0, features)]
    threads = min(crew().size, cells // _WORTH_A_THREAD)
    if blocks >= 4 * threads:
        return [(first, last, 0, features) for first, last in _stretches(blocks, threads)]
    return [(0, blocks, first, last) for first, last in _stretches(features, threads)]


def _stretches(items: int, parts: int) -> Iterator[tuple[int, int]]:
    for part in range(parts):
        first, last = items * part // parts, items * (part + 1) // parts
        if last > first:
            yield first, last


def _excess_tables(factors: Floats) -> Floats:
    """(f_top - f_c) / f_c for every class c, top class and slot."""
    return np.ascontiguousarray((factors[None] - factors[:, None]) / factors[:, None])
