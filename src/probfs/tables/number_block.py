"""Columns of plain numbers kept together: one matrix of doubles, and what is asked of columns found for all at once.

A wide table has thousands of columns of a few rows each, for which a call of numpy or Arrow takes longer than its work.
Readers put into a block only columns in which every text is a finite number and every number has one text, so that
codes, and everything else but texts, follow from the numbers; the texts are looked up where somebody wants them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from probfs.tables.arrow_arrays import numpy_array
from probfs.tables.table import Codes, Column, Flags, Floats, Integers, Kind, code_type

FEWEST_COLUMNS = 64
"""Fewer columns are not worth a block."""
_CELLS_AT_ONCE = 1 << 20
"""Cells that are sorted, compared or coded at a time: what is made on the way takes several times their memory."""

Texts = Callable[[Integers, Integers], pa.StringArray]
"""Gives the texts of cells that are not missing, by their lines and rows."""


def is_wide(columns: int, rows: int) -> bool:
    """Whether a block serves a table of this size: with more rows than columns, single columns are work enough."""
    return columns >= FEWEST_COLUMNS and rows < columns


def some_lines(lines: int, rows: int) -> Iterator[slice]:
    """All lines of a block, as many at a time as there is memory to work on."""
    at_once = max(1, _CELLS_AT_ONCE // max(1, rows))
    return (slice(first, first + at_once) for first in range(0, lines, at_once))


def have_one_text_for_each_number(numbers: Floats, texts: Texts) -> Flags:
    """For each line of numbers, whether equal ones are written alike: not 1 and 1.0."""
    fits = np.ones(len(numbers), dtype=np.bool_)
    for lines in some_lines(*numbers.shape):
        part = numbers[lines]
        order = np.argsort(part, axis=1)
        ordered = np.take_along_axis(part, order, axis=1)
        line, place = np.nonzero(ordered[:, 1:] == ordered[:, :-1])
        own, next_to_it = (texts(lines.start + line, order[line, place + after]) for after in (0, 1))
        fits[lines.start + line[~numpy_array(pc.equal(own, next_to_it))]] = False
    return fits


class NumberBlock:
    """Numbers with a line for each column and a place for each row; NaN is a missing cell."""

    def __init__(self, numbers: Floats, texts: Texts) -> None:
        self.numbers = numbers
        self.texts = texts
        self._weighed: list[tuple[Integers, WeighedNumbers]] = []

    def __reduce__(self) -> tuple[Any, ...]:
        # Without what was found on demand, which can be found again.
        return NumberBlock, (self.numbers, self.texts)

    def columns(self, names: Sequence[str], kind: Kind) -> list[NumberColumn]:
        """The columns of the block, of which ``names`` has one for each line."""
        return [NumberColumn(name, self, line, kind) for line, name in enumerate(names)]

    def without(self, lines: Integers, rows: Integers) -> NumberBlock:
        """The block with some cells made missing."""
        numbers = self.numbers.copy()
        numbers[lines, rows] = np.nan
        return NumberBlock(numbers, self.texts)

    def weighed(self, weights: Integers | None) -> WeighedNumbers:
        """The numbers in rows of positive weight; without weights, in all rows."""
        if weights is None:
            return self._unweighed
        for known, weighed in self._weighed:
            if known is weights:
                return weighed
        # A ranking weighs rows in one or two ways, each of them asked for by several stages.
        self._weighed = [*self._weighed[-1:], (weights, WeighedNumbers(self.numbers, weights))]
        return self._weighed[-1][1]

    @cached_property
    def _unweighed(self) -> WeighedNumbers:
        return WeighedNumbers(self.numbers, None)

    @cached_property
    def codes(self) -> Codes:
        """The code of each cell: numbers in the order of their first rows, and then missing."""
        codes = np.empty(self.numbers.shape, dtype=code_type(self.numbers.shape[1]))
        for lines in some_lines(*self.numbers.shape):
            codes[lines] = _codes_by_first_row(self.numbers[lines])
        return codes

    def first_rows(self, lines: Integers) -> tuple[Integers, Integers]:
        """Two lists, line by line: which of some lines each distinct number is in, and the first row that holds it."""
        distinct = self.weighed(None).distinct[lines]
        rows = np.empty((len(lines), int(distinct.max(initial=0)) + 1), dtype=np.int64)
        backwards = np.arange(self.numbers.shape[1] - 1, -1, -1)
        # Of the rows that a code has, the last one written is the first.
        np.put_along_axis(rows, self.codes[lines, ::-1].astype(np.intp), backwards[None, :], axis=1)
        place, code = np.nonzero(np.arange(rows.shape[1]) < distinct[:, None])
        return place, rows[place, code]

    def distinct_texts(self, lines: Integers) -> list[list[str]]:
        """The texts of the distinct numbers of some lines, each in the order of their codes."""
        place, rows = self.first_rows(lines)
        texts = self.texts(lines[place], rows).to_pylist()
        ends = np.cumsum(self.weighed(None).distinct[lines])
        starts = np.concatenate([[0], ends[:-1]])
        return [texts[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


class WeighedNumbers:
    """What a block holds in the rows that weigh something, line by line."""

    def __init__(self, numbers: Floats, weights: Integers | None) -> None:
        self._every = numbers
        self._rows = None if weights is None else np.flatnonzero(weights > 0)
        self.weights = None if weights is None else weights[weights > 0]
        """The weights of these rows; None where each weighs one."""
        self._repeats: dict[int, Flags] = {}

    def parts(self) -> Iterator[tuple[slice, Floats]]:
        """Some lines at a time, with their numbers."""
        for lines in some_lines(*self._every.shape):
            yield lines, self._every[lines] if self._rows is None else self._every[lines][:, self._rows]

    @cached_property
    def missing(self) -> Integers:
        """The weight of the rows without a number."""
        missing = np.empty(len(self._every), dtype=np.int64)
        for lines, numbers in self.parts():
            absent = np.isnan(numbers)
            missing[lines] = np.count_nonzero(absent, axis=1) if self.weights is None else absent @ self.weights
        return missing

    @cached_property
    def distinct(self) -> Integers:
        """How many different numbers there are."""
        distinct = np.empty(len(self._every), dtype=np.int64)
        for lines, numbers in self.parts():
            ordered = np.sort(numbers, axis=1)
            # NaN, which is last, is not greater than anything.
            rises = np.count_nonzero(ordered[:, 1:] > ordered[:, :-1], axis=1)
            distinct[lines] = rises + ~np.isnan(ordered[:, :1]).all(axis=1)
        return distinct

    @cached_property
    def fractional(self) -> Flags:
        """Whether some number is not whole."""
        fractional = np.empty(len(self._every), dtype=np.bool_)
        for lines, numbers in self.parts():
            fractional[lines] = np.any((numbers != np.rint(numbers)) & ~np.isnan(numbers), axis=1)
        return fractional

    def repeats(self, times: int) -> Flags:
        """Whether some number stands in so many rows, or more."""
        if times not in self._repeats:
            self._repeats[times] = self._find_repeats(times)
        return self._repeats[times]

    def _find_repeats(self, times: int) -> Flags:
        repeats = np.zeros(len(self._every), dtype=np.bool_)
        for lines, numbers in self.parts():
            ordered = np.sort(numbers, axis=1)
            last = ordered[:, times - 1 :]
            repeats[lines] = np.any(last == ordered[:, : last.shape[1]], axis=1)
        return repeats


class NumberColumn(Column):
    """A column of a block; codes and texts are made when they are asked for."""

    block: NumberBlock
    line: int

    def __init__(self, name: str, block: NumberBlock, line: int, kind: Kind) -> None:
        # Not the base's: what is made on demand has no place among its fields.
        self.__dict__.update(name=name, block=block, line=line, kind=kind)

    def of_block(self, block: NumberBlock) -> NumberColumn:
        """The same column of another block."""
        return NumberColumn(self.name, block, self.line, self.kind)

    def renamed(self, name: str) -> NumberColumn:
        return NumberColumn(name, self.block, self.line, self.kind)

    @property
    def by_row(self) -> Floats:
        """The number in each row, NaN where it is missing."""
        own: Floats = self.block.numbers[self.line]
        return own

    @property
    def rows(self) -> int:
        return len(self.by_row)

    @cached_property
    def codes(self) -> Codes:
        own: Codes = self.block.codes[self.line]
        return own.astype(code_type(self.distinct()))

    @cached_property
    def values(self) -> pa.StringArray:
        return self.block.texts(np.full(self.distinct(), self.line), self._first_rows)

    @cached_property
    def _first_rows(self) -> Integers:
        """The first row that holds each value."""
        return self.block.first_rows(np.array([self.line]))[1]

    def distinct(self, weights: Integers | None = None) -> int:
        return int(self.block.weighed(weights).distinct[self.line])

    def missing(self, weights: Integers | None = None) -> int:
        return int(self.block.weighed(weights).missing[self.line])

    def is_missing(self) -> Flags:
        return np.isnan(self.by_row)

    def numbers(self) -> Floats:
        return self.by_row[self._first_rows]

    def has_fractions(self, weights: Integers | None) -> bool:
        """Whether some row of positive weight holds a number that is not whole."""
        return bool(self.block.weighed(weights).fractional[self.line])

    def repeats(self, times: int, weights: Integers | None) -> bool:
        """Whether some number stands in so many rows of positive weight."""
        return bool(self.block.weighed(weights).repeats(times)[self.line])


def _codes_by_first_row(numbers: Floats) -> Integers:
    """For each cell, how many other numbers of its line first stand in an earlier row; for NaN, how many there are."""
    # Stable, so that of equal numbers the first row comes first.
    order = np.argsort(numbers, axis=1, kind="stable")
    ordered = np.take_along_axis(numbers, order, axis=1)
    new = np.ones(ordered.shape, dtype=np.bool_)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    new[np.isnan(ordered)] = False
    start = np.maximum.accumulate(np.where(new, np.arange(numbers.shape[1]), 0), axis=1)
    first_row = np.take_along_axis(order, start, axis=1)
    is_first = np.zeros(numbers.shape, dtype=np.bool_)
    np.put_along_axis(is_first, order, new, axis=1)
    seen_before = np.cumsum(is_first, axis=1) - 1
    codes = np.empty(numbers.shape, dtype=np.int64)
    np.put_along_axis(codes, order, np.take_along_axis(seen_before, first_row, axis=1), axis=1)
    return np.where(np.isnan(numbers), np.count_nonzero(new, axis=1)[:, None], codes)
