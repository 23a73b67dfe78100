"""Columns that a file or a data frame declares to be numbers -> a block of numbers, if there are many of them.

Their texts are not the file's: a table has one spelling for each number (see ``unify_numbers``).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from probfs.tables.arrow_arrays import numpy_array
from probfs.tables.number_block import NumberBlock, NumberColumn, is_wide
from probfs.tables.readers.column_builder import unify_numbers
from probfs.tables.table import Floats, Integers, Kind

LONG = 10_000
"""Rows of a column that is worth a block of its own, if its numbers are different."""
_SAMPLE = 2_000
_CELLS = 1 << 22
"""Numbers of single precision that are written and read together."""
_EXACT = float(1 << 53)
"""Below this, every whole number is a double of its own."""


def block_of_declared_numbers(names: Sequence[str], numbers: Floats) -> dict[str, NumberColumn]:
    """The columns of a block by their names; ``numbers`` has a line for each, of which some may not fit into it."""
    # fmax and fmin pass over NaN, and need no memory for as many numbers again.
    too_large = (np.fmax.reduce(numbers, axis=1) >= _EXACT) | (np.fmin.reduce(numbers, axis=1) <= -_EXACT)
    fits = np.flatnonzero(~too_large)
    # Adding zero turns -0 into 0. A block has its own numbers, whatever becomes of those given, a line in one piece.
    own = np.add(numbers if len(fits) == len(numbers) else numbers[fits], 0.0, order="C")
    return columns_of_fitting_numbers([names[line] for line in fits.tolist()], own)


def columns_of_fitting_numbers(names: Sequence[str], numbers: Floats) -> dict[str, NumberColumn]:
    """The columns of the block that these numbers become, all of which are known to fit into it."""
    block = NumberBlock(numbers, partial(_texts_at, numbers))
    return {column.name: column for column in block.columns(names, Kind.NUMBER)}


def numbers_from_arrow(
    named: Sequence[tuple[str, pa.ChunkedArray]], rows: int, *, checked: bool
) -> dict[str, NumberColumn]:
    """Those of some Arrow columns that belong into a block; if they are not ``checked``, damage is an ArrowInvalid."""
    by_type: dict[pa.DataType, list[tuple[str, pa.ChunkedArray]]] = {}
    for name, cells in named:
        if _is_plain(cells.type):
            by_type.setdefault(cells.type, []).append((name, cells))
    columns: dict[str, NumberColumn] = {}
    for own in by_type.values():
        if rows and is_wide(len(own), rows):
            columns |= block_of_declared_numbers(
                [name for name, _ in own], _matrix([cells for _, cells in own], checked)
            )
    return columns


def column_of_many_numbers(name: str, cells: pa.ChunkedArray) -> NumberColumn | None:
    """A long column in which most numbers are different, as a block of its own: texts of them would take much longer.

    None for any other column, and for one that does not fit into a block.
    """
    if len(cells) < LONG or not _is_plain(cells.type):
        return None
    # The first rows tell: where they mislead, all is the same but the time it takes.
    if pc.count_distinct(cells.slice(0, _SAMPLE)).as_py() < _SAMPLE // 2:
        return None
    return block_of_declared_numbers([name], _matrix([cells], checked=True)).get(name)


def _is_plain(dtype: pa.DataType) -> bool:
    return bool(pa.types.is_integer(dtype) or pa.types.is_float32(dtype) or pa.types.is_float64(dtype))


def as_doubles(numbers: npt.NDArray[np.number]) -> Floats:
    """Numbers of any type as doubles: of single precision, those that are written in the same digits."""
    if numbers.dtype != np.float32:
        return numbers.astype(np.float64, copy=False)
    flat = np.ascontiguousarray(numbers).ravel()
    doubles = np.empty(len(flat))
    # The texts of very many cells would not fit into one array of Arrow's, and take much memory.
    for first in range(0, len(flat), _CELLS):
        some = flat[first : first + _CELLS]
        texts = pc.cast(pa.Array.from_buffers(pa.float32(), len(some), [None, pa.py_buffer(some)]), pa.string())
        doubles[first : first + len(some)] = numpy_array(pc.cast(texts, pa.float64()))
    return doubles.reshape(numbers.shape)


def _matrix(columns: Sequence[pa.ChunkedArray], checked: bool) -> Floats:
    """Columns of one type as lines of numbers, with NaN for what is missing."""
    table = pa.Table.from_arrays(list(columns), names=[str(number) for number in range(len(columns))])
    if not checked:
        table.validate(full=True)
    (batch,) = table.combine_chunks().to_batches()
    return as_doubles(batch.to_tensor(null_to_nan=True, row_major=False).to_numpy().T)


def _texts_at(numbers: Floats, lines: Integers, rows: Integers) -> pa.StringArray:
    return texts_of_numbers(numbers[lines, rows])


def texts_of_numbers(numbers: Floats) -> pa.StringArray:
    """Numbers as a table writes those that a file declares."""
    doubles = pa.Array.from_buffers(pa.float64(), len(numbers), [None, pa.py_buffer(np.ascontiguousarray(numbers))])
    return unify_numbers(pc.cast(doubles, pa.string()))
