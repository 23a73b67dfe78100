"""Columns of numbers in several files -> one block of numbers, where every file has them as numbers.

Otherwise each of thousands of columns would have to be joined by calls of its own (see ``number_block``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
import pyarrow as pa

from probfs.tables.arrow_arrays import index_array
from probfs.tables.joined_columns import join_columns
from probfs.tables.mixed_column import MixedColumn
from probfs.tables.number_block import NumberBlock, NumberColumn, have_one_text_for_each_number
from probfs.tables.readers.number_columns import columns_of_fitting_numbers
from probfs.tables.table import Column, Floats, Integers, Kind

Columns = Mapping[str, Column]
"""The columns of one file by their names."""


def join_wide_numbers(parts: Sequence[Columns], sources: Sequence[str]) -> dict[str, Column]:
    """The columns that belong to a wide block in every file, joined, by their names."""
    joined: dict[str, Column] = {}
    for kind in (Kind.NUMBER, Kind.TEXT):
        names = [name for name in parts[0] if all(_is_in_wide_block(part.get(name), kind) for part in parts)]
        if names:
            joined |= _join(parts, names, sources, kind)
    return joined


def join_lone_numbers(columns: Sequence[Column]) -> NumberColumn | None:
    """A column that is a block of its own in every file, joined; None for any other."""
    if not all(isinstance(column, NumberColumn) and column.kind is Kind.NUMBER for column in columns):
        return None
    numbers = np.concatenate([column.by_row for column in columns if isinstance(column, NumberColumn)])
    name = columns[0].name
    return columns_of_fitting_numbers([name], numbers[None, :])[name]


def without_blocks(columns: Columns) -> dict[str, Column]:
    """The columns with codes in place of the numbers of wide blocks, which take more memory in long tables."""
    return {name: _coded(column) if _is_in_wide_block(column) else column for name, column in columns.items()}


def _numeric(column: Column) -> NumberColumn | None:
    if isinstance(column, MixedColumn):
        return column.numeric
    return column if isinstance(column, NumberColumn) else None


def _is_in_wide_block(column: Column | None, kind: Kind | None = None) -> bool:
    """Whether a column is one of many in a block of numbers, of this kind if one is named."""
    numeric = None if column is None else _numeric(column)
    return numeric is not None and len(numeric.block.numbers) > 1 and kind in (None, numeric.kind)


def _coded(column: Column) -> Column:
    return Column(column.name, column.codes, column.values, column.kind)


def _join(parts: Sequence[Columns], names: Sequence[str], sources: Sequence[str], kind: Kind) -> dict[str, Column]:
    cells = [_NumbersOfPart([part[name] for name in names]) for part in parts]
    numbers = np.concatenate([part.numbers() for part in cells], axis=1)
    if kind is Kind.NUMBER:
        # All texts of declared numbers follow from the numbers.
        return dict(columns_of_fitting_numbers(names, numbers))
    texts = partial(_texts, cells, np.cumsum([0, *(part.rows for part in cells)])[:-1])
    fits = np.flatnonzero(have_one_text_for_each_number(numbers, texts))
    block = NumberBlock(numbers[fits], lambda lines, rows: texts(fits[lines], rows))
    columns = block.columns([names[line] for line in fits.tolist()], kind)
    return {column.name: _with_words(column, [part[column.name] for part in parts], sources) for column in columns}


class _NumbersOfPart:
    """The same columns of one file, which may belong to several blocks."""

    def __init__(self, columns: Sequence[Column]) -> None:
        numeric = [own for column in columns if (own := _numeric(column)) is not None]
        self.rows = numeric[0].rows
        blocks = list(dict.fromkeys(own.block for own in numeric))
        places = {block: place for place, block in enumerate(blocks)}
        self._blocks = blocks
        self._owners = np.array([places[own.block] for own in numeric])
        self._lines = np.array([own.line for own in numeric])

    def numbers(self) -> Floats:
        numbers = np.empty((len(self._lines), self.rows))
        for place, block in enumerate(self._blocks):
            own = self._owners == place
            numbers[own] = block.numbers[self._lines[own]]
        return numbers

    def texts(self, lines: Integers, rows: Integers) -> pa.StringArray:
        owners = self._owners[lines]
        chosen = [np.flatnonzero(owners == place) for place in range(len(self._blocks))]
        own = zip(self._blocks, chosen, strict=True)
        return _in_order([block.texts(self._lines[lines[some]], rows[some]) for block, some in own], chosen)


def _texts(parts: Sequence[_NumbersOfPart], first_rows: Integers, lines: Integers, rows: Integers) -> pa.StringArray:
    owners = np.searchsorted(first_rows, rows, side="right") - 1
    chosen = [np.flatnonzero(owners == place) for place in range(len(parts))]
    own = zip(parts, first_rows.tolist(), chosen, strict=True)
    return _in_order([part.texts(lines[some], rows[some] - first) for part, first, some in own], chosen)


def _in_order(texts: Sequence[pa.StringArray], places: Sequence[Integers]) -> pa.StringArray:
    """Texts of several groups, each put into the place that it has among all."""
    everywhere = np.concatenate(places)
    back = np.empty(len(everywhere), dtype=np.int64)
    back[everywhere] = np.arange(len(everywhere))
    return pa.concat_arrays(texts).take(index_array(back))


def _with_words(numeric: NumberColumn, parts: Sequence[Column], sources: Sequence[str]) -> Column:
    """The column with the words that some files have among its numbers."""
    words = dict.fromkeys(word for part in parts if isinstance(part, MixedColumn) for word in part.words)
    if not words:
        return numeric
    make: Callable[[], Column] = partial(join_columns, parts, sources)
    return MixedColumn(numeric, list(words), make)
