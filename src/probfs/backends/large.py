"""Rows of large tables: the same arithmetic, with its loops over cells in machine code."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import numpy.typing as npt

from probfs.backends.counts import Layout
from probfs.backends.many_classes import FactorTables, ManyClassRows
from probfs.backends.sums import Fit, Sums
from probfs.backends.two_class import OddsTables, TwoClassRows
from probfs.crew import crew
from probfs.native import BLOCK
from probfs.native.loader import Loop, address, loop
from probfs.table import Codes, Floats

MOST_TABLE_CELLS = 1 << 22
"""Beyond this the tables of many classes would not stay in the cache, and take long to make."""
_WORTH_A_THREAD = 500_000
"""Cells below which handing some of them to another thread takes longer than to go through them."""

Part = tuple[int, int, int, int]
"""The first block and the last, the first feature and the last; the last are not in it."""


class LargeTwoClassRows(TwoClassRows):
    """Two classes; without smoothing the zeros need more than these loops do, and numpy does it all."""

    def __init__(self, codes: Codes, counts: Floats, label: int | None, layout: Layout, tables: OddsTables) -> None:
        super().__init__(codes, counts, label, layout, tables)
        self._rows = codes.shape[1]
        self._blocks = _blocks(self._rows)
        self._move = loop("two_class_move", codes.dtype.name)
        self._sum = loop("two_class_sums", codes.dtype.name)
        self._towards_own = -1.0 if label == 1 else 1.0
        self._counts_are_one = bool((counts == 1).all())
        self._state: Floats | None = None
        # Looked up once: that takes longer than many a loop.
        self._codes_at, self._offset_at = address(codes), address(layout.offset)
        self._log_odds_at, self._excess_at = address(tables.log_odds), address(tables.excess)
        self._odds_at = tuple(map(address, (self.high, self.low, counts)))
        self._scratch: list[_Scratch] = []

    def add(self, features: npt.NDArray[np.intp], sign: int = 1) -> None:
        if self.zeros is not None:
            super().add(features, sign)
            return
        self._state = np.empty((self._blocks, 4))
        before = (
            *self._table(features),
            self._log_odds_at,
            float(sign),
            *self._odds_at,
            self._counts_are_one,
            self._towards_own,
        )
        state = address(self._state)
        parts = _parts(self._rows, 1, self._rows * (2 * len(features) + 6))
        kept = self, features, self._state
        crew().run([partial(_run, self._move, (*before, first, last, state), kept) for first, last, *_ in parts])

    def least_gap(self) -> float:
        return super().least_gap() if self._state is None else float(self._state[:, 3].min(initial=np.inf))

    def fit(self) -> Fit:
        if self._state is None:
            return super().fit()
        errors, miss, loss, _ = (self._state[0] if self._blocks == 1 else self._state.sum(axis=0)).tolist()
        return Fit(errors, miss, loss)

    def sums(self, features: npt.NDArray[np.intp], shift: int = 0) -> Sums:
        if shift or self._state is None:
            return super().sums(features, shift)
        sums = np.empty((2, self._blocks, len(features)))
        at = address(sums)
        before = (*self._table(features), self._excess_at, self.layout.slots, *self._odds_at, self._towards_own)
        parts = _parts(self._rows, len(features), self._rows * len(features))
        while len(self._scratch) < len(parts):
            self._scratch.append(_Scratch(min(self._rows, BLOCK)))
        after = at, at + sums[0].nbytes
        crew().run(
            [
                partial(_run, self._sum, (*before, *part, *scratch.addresses, *after), (self, features, sums))
                for part, scratch in zip(parts, self._scratch, strict=False)
            ]
        )
        absolute, signed = sums[:, 0] if self._blocks == 1 else sums.sum(axis=1)
        return Sums(absolute, signed)

    def _table(self, features: npt.NDArray[np.intp]) -> tuple[int, ...]:
        return self._codes_at, self._rows, address(features), len(features), self._offset_at


class _Scratch:
    """Where a thread keeps what it computes for a block."""

    def __init__(self, rows: int) -> None:
        self._start, self._numbers = np.empty(rows, dtype=np.int32), np.empty((2, rows))
        self.addresses = address(self._start), *map(address, self._numbers)


class LargeManyClassRows(ManyClassRows):
    """Any number of classes."""

    def __init__(self, codes: Codes, counts: Floats, label: int | None, layout: Layout, tables: FactorTables) -> None:
        super().__init__(codes, counts, label, layout, tables)
        self._sum = loop("many_class_sums", codes.dtype.name)
        self._excess_table = None if tables.zeros is not None else _excess_tables(tables.factors)

    def sums(self, features: npt.NDArray[np.intp], shift: int = 0) -> Sums:
        if shift or self._excess_table is None:
            return super().sums(features, shift)
        rows = self.codes.shape[1]
        behind, top = self._behind()
        weights = np.exp(-behind)
        probabilities = np.ascontiguousarray((weights / weights.sum(axis=0)).T)
        sums = np.empty((2, _blocks(rows), len(features)))
        at = address(sums)
        before = (
            *_table(self.codes, features, self.layout),
            address(self._excess_table),
            self.layout.slots,
            address(top),
            address(probabilities),
            len(weights),
            address(self.counts),
            -1 if self.label is None else self.label,
        )
        parts = _parts(rows, len(features), rows * len(features) * len(weights))
        kept = self, features, top, probabilities, sums
        after = at, at + sums[0].nbytes
        crew().run([partial(_run, self._sum, (*before, *part, *after), kept) for part in parts])
        absolute, signed = sums.sum(axis=1)
        return Sums(absolute, signed)


def _run(run: Loop, arguments: tuple[float, ...], kept: tuple[object, ...]) -> None:
    """Call a loop, whose arguments are addresses of what is ``kept`` meanwhile."""
    run(*arguments)


def _blocks(rows: int) -> int:
    return (rows + BLOCK - 1) // BLOCK


def _table(codes: Codes, features: npt.NDArray[np.intp], layout: Layout) -> tuple[int, ...]:
    return address(codes), codes.shape[1], address(features), len(features), address(layout.offset)


def _parts(rows: int, features: int, cells: int) -> list[Part]:
    """The blocks, or where they are too few the features, dealt to as many threads as pay."""
    blocks = _blocks(rows)
    threads = min(crew().size, cells // _WORTH_A_THREAD) or 1
    if blocks >= 4 * threads:
        return [(first, last, 0, features) for first, last in _stretches(blocks, threads)]
    return [(0, blocks, first, last) for first, last in _stretches(features, threads)]


def _stretches(items: int, parts: int) -> Iterator[tuple[int, int]]:
    for part in range(parts):
        first, last = items * part // parts, items * (part + 1) // parts
        if last > first:
            yield first, last


def _excess_tables(factors: Floats) -> Floats | None:
    """(f_top - f_c) / f_c for every top class, slot and class; none where that would be too much."""
    classes, slots = factors.shape
    if classes * classes * slots > MOST_TABLE_CELLS:
        return None
    return np.ascontiguousarray((factors[:, :, None] - factors.T[None]) / factors.T[None])
