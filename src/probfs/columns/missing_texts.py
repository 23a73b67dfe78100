"""Texts that mean missing: which they are, where they look so, and cells that hold them made missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from probfs.columns.rules import short_number
from probfs.tables.arrow_arrays import mask_array, numpy_array, text_array
from probfs.tables.number_block import NumberColumn
from probfs.tables.table import Column, Kind, Table, code_type, is_number

UNMISTAKABLE = ("NA", "N/A", "n/a", "NaN", "nan", "NAN", "null", "NULL", "Null", "None", "#N/A", "#NA", "<NA>", "?")
"""Texts that seldom mean anything but missing, in whatever column."""
ALSO_WORDS = ("None",)
"""Those of them that real tables hold as a value about as often, as in None, Some, Marked: a draft does not decide."""
AMONG_NUMBERS = ("", "na", "n.a.", "none", "NONE", "nil", "-", "--", ".", "..")
"""Texts that mean missing only where all others are numbers; the first is a cell of blanks."""
AUTO, NONE = "auto", "none"
"""What users say in place of a text: take all that looks so, or nothing but what they name."""
_KNOWN = frozenset((*UNMISTAKABLE, *AMONG_NUMBERS))
_FEW_TEXTS = 64
_LONGEST = 16
"""Bytes of the longest text that is looked at, with blanks around it."""


def looks_missing(values: pa.StringArray) -> npt.NDArray[np.bool_]:
    """For each text, whether it means missing in some columns; blanks around it do not matter."""
    if len(values) <= _FEW_TEXTS:
        # Python looks through a few texts faster than Arrow is called.
        return np.array([text.strip() in _KNOWN for text in values.to_pylist()], dtype=np.bool_)
    looks = numpy_array(pc.binary_length(values)) <= _LONGEST
    short = values if looks.all() else values.filter(mask_array(looks))
    looks[looks] = numpy_array(pc.is_in(pc.utf8_trim_whitespace(short), value_set=text_array(sorted(_KNOWN))))
    return looks


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
    unwanted = text_array(list(texts))
    numbers = np.array([float(text) for text in texts if is_number(text_array([text])).all()])
    # Where the file says numbers, 999.0 names the cell that is kept as 999.
    unwanted_numbers = text_array([*texts, *map(short_number, numbers.tolist())])
    columns = {
        name: without_values(column, unwanted_numbers if column.kind is Kind.NUMBER else unwanted)
        for name, column in table.columns.items()
        if not isinstance(column, NumberColumn) or np.isin(column.by_row, numbers).any()
    }
    return replace(table, columns={**table.columns, **columns})


def without_values(column: Column, unwanted: pa.StringArray) -> Column:
    """The column with the cells that hold one of some texts made missing."""
    if column.problem is not None:
        return column
    gone = numpy_array(pc.is_in(column.values, value_set=unwanted))
    if not gone.any():
        return column
    kept = int((~gone).sum())
    new_codes = np.full(len(gone) + 1, kept, dtype=code_type(kept))
    new_codes[np.flatnonzero(~gone)] = np.arange(kept)
    values = column.values.filter(mask_array(~gone))
    return Column(column.name, new_codes[column.codes], values, column.kind, column.declared)
