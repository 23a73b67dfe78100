"""Texts that mean missing: which they are, where they look so, and cells that hold them made missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from probfs.columns.rules import short_number
from probfs.tables.arrow_arrays import mask_array, numpy_array, text_array
from probfs.tables.missing_words import AMONG_NUMBERS, UNMISTAKABLE
from probfs.tables.mixed_column import MixedColumn
from probfs.tables.number_block import NumberBlock, NumberColumn, some_lines
from probfs.tables.summarized_column import SummarizedColumn
from probfs.tables.table import Column, Flags, Floats, Kind, Table, code_type, is_number

ALSO_WORDS = ("None",)
"""Unmistakable texts that are as often a value, as in None, Some, Marked: a draft does not decide."""
AUTO, NONE = "auto", "none"
"""What users say in place of a text: take all that looks so, or nothing but what they name."""
_KNOWN = frozenset((*UNMISTAKABLE, *AMONG_NUMBERS))
_FEW_TEXTS = 64
_LONGEST = 16
"""Bytes of the longest text that is looked at, with blanks around it."""


def looks_missing(values: pa.StringArray) -> Flags:
    """For each text, whether it means missing in some columns; blanks around it do not matter."""
    if len(values) <= _FEW_TEXTS:
        # Python looks through a few texts faster than Arrow is called.
        return np.array([text.strip() in _KNOWN for text in values.to_pylist()], dtype=np.bool_)
    looks = numpy_array(pc.binary_length(values)) <= _LONGEST
    short = values if looks.all() else values.filter(mask_array(looks))
    looks[looks] = numpy_array(pc.is_in(pc.utf8_trim_whitespace(short), value_set=text_array(sorted(_KNOWN))))
    return looks


def texts_that_look_missing(column: Column) -> list[str]:
    """The values of a column that mean missing in some columns."""
    if isinstance(column, NumberColumn):
        return []
    if isinstance(column, MixedColumn):
        return list(column.words)
    texts: list[str] = column.values.filter(mask_array(looks_missing(column.values))).to_pylist()
    return texts


def is_unmistakable(text: str) -> bool:
    """Whether a text means missing in any column.

    >>> is_unmistakable("NA"), is_unmistakable("-")
    (True, False)
    """
    return text.strip() in UNMISTAKABLE


def mark_missing(table: Table, texts: Sequence[str]) -> Table:
    """The table with the cells that hold one of ``texts`` made missing."""
    if not texts:
        return table
    numbers = np.array([float(text) for text in texts if is_number(text_array([text])).all()])
    # Where the file says numbers, 999.0 names the cell that is kept as 999.
    unwanted = {kind: tuple(texts) for kind in Kind}
    unwanted[Kind.NUMBER] += tuple(map(short_number, numbers.tolist()))
    blocks = _blocks_without(table, numbers, unwanted)
    columns = {name: without_values(column, unwanted[column.kind], blocks) for name, column in table.columns.items()}
    return replace(table, columns=columns)


def _blocks_without(
    table: Table, numbers: Floats, unwanted: Mapping[Kind, Sequence[str]]
) -> dict[NumberBlock, NumberBlock]:
    """The blocks of a table that hold some numbers in the unwanted spelling, each with the block in its place."""
    kinds: dict[NumberBlock, Kind] = {}
    for column in table.columns.values():
        own = column.numeric if isinstance(column, MixedColumn) else column
        if isinstance(own, NumberColumn):
            kinds[own.block] = own.kind
    changed: dict[NumberBlock, NumberBlock] = {}
    for block, kind in kinds.items() if len(numbers) else ():
        texts = text_array(unwanted[kind])
        found = []
        for lines in some_lines(*block.numbers.shape):
            line, row = np.nonzero(np.isin(block.numbers[lines], numbers))
            line += lines.start
            gone = numpy_array(pc.is_in(block.texts(line, row), value_set=texts))
            found.append((line[gone], row[gone]))
        line, row = map(np.concatenate, zip(*found, strict=True))
        if len(line):
            changed[block] = block.without(line, row)
    return changed


def without_values(
    column: Column, unwanted: Sequence[str], blocks: Mapping[NumberBlock, NumberBlock] = MappingProxyType({})
) -> Column:
    """The column with the cells that hold one of some texts made missing.

    From a block of numbers they are gone only in the block that ``blocks`` has in its place: words are in no block.
    """
    if isinstance(column, NumberColumn):
        return column.of_block(blocks[column.block]) if column.block in blocks else column
    if isinstance(column, SummarizedColumn):
        # Its numbers were counted without those cells.
        return column
    if isinstance(column, MixedColumn):
        numeric = without_values(column.numeric, unwanted, blocks)
        words = [word for word in column.words if word not in unwanted]
        if not words or (numeric is column.numeric and len(words) == len(column.words)):
            return column if words else numeric
        assert isinstance(numeric, NumberColumn)
        return MixedColumn(numeric, words, lambda: _without_values(column.whole, unwanted))
    return _without_values(column, unwanted)


def _without_values(column: Column, unwanted: Sequence[str]) -> Column:
    if column.problem is not None:
        return column
    gone = numpy_array(pc.is_in(column.values, value_set=text_array(unwanted)))
    if not gone.any():
        return column
    kept = int((~gone).sum())
    new_codes = np.full(len(gone) + 1, kept, dtype=code_type(kept))
    new_codes[np.flatnonzero(~gone)] = np.arange(kept)
    values = column.values.filter(mask_array(~gone))
    return column.recoded(new_codes, values)
