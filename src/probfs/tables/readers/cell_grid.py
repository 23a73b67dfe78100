"""Blocks of delimited rows with many columns -> all cells in one Arrow array, and all numbers in one cast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from probfs.tables.arrow_arrays import index_array, numpy_array, text_array
from probfs.tables.table import Flags, Floats, Integers, is_number

_NEWLINE, _PLUS, _MINUS, _POINT, _ZERO, _NINE = (ord(character) for character in "\n+-.09")
_MOST_BYTES = 1 << 30
"""Arrow's offsets have 32 bits."""
_MOST_SIGNS = 2
"""Bytes of the longest word that has no other bytes than numbers have."""
_IN_NUMBERS = np.isin(np.arange(256), list(b"0123456789.+-eE"))
"""Bytes of plain numbers; infinity and NaN have others."""

Bytes = npt.NDArray[np.uint8]
Offsets = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class CellGrid:
    """The cells of a block of rows, row by row, and which columns hold nothing but plain numbers, missing cells and
    some known words.
    """

    cells: pa.StringArray
    words: Integers
    """The places of the cells that hold such a word, among all cells."""
    numbers: Floats
    """A line for each row; NaN where a cell is missing or a word, and in columns that are not plain."""
    plain: Flags

    @property
    def rows(self) -> int:
        return len(self.numbers)

    @property
    def nbytes(self) -> int:
        return int(self.cells.nbytes) + self.numbers.nbytes

    def texts(self, column: int) -> pa.StringArray:
        """The cells of a column."""
        return self.cells.take(index_array(np.arange(self.rows) * len(self.plain) + column))


def parse_grid(
    data: bytes,
    columns: int,
    delimiter: str,
    missing: str = "",
    words: Sequence[str] = (),
    zeros_lead: bool = False,
) -> CellGrid | None:
    """The cells of rows of two columns or more without quotes; None unless every line has a cell for each column.

    ``missing`` is the text of a missing cell; if it is not empty, no cell may be. ``words`` may stand among numbers.
    Unless ``zeros_lead`` is true, a column with 007 is not one of numbers.
    """
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    # Blank lines after the last row are none.
    data = data.rstrip(b"\n") + b"\n"
    cells = _split(data, columns, ord(delimiter))
    if cells is None:
        return None
    starts = np.frombuffer(cells.buffers()[1], np.int32)
    lengths = np.diff(starts)
    if missing and not lengths.all():
        return None
    text = np.frombuffer(cells.buffers()[2], np.uint8)
    absent = _is_text(text, starts, lengths, missing.encode())
    strange = _cells_with_other_bytes(text, starts, len(cells))
    if not zeros_lead:
        strange |= _begins_with_needless_zero(text, starts, lengths)
    worded = _is_word(cells, strange | _begins_with_sign_or_point(text, starts, lengths), words)
    absent |= worded
    strange[absent] = False
    plain = np.logical_not(strange.reshape(-1, columns).any(axis=0))
    numbers = _numbers(cells, plain, absent.reshape(-1, columns))
    return CellGrid(cells, np.flatnonzero(worded), *numbers)


def _split(data: bytes, columns: int, delimiter: int) -> pa.StringArray | None:
    if len(data) > _MOST_BYTES or not _is_utf8(data):
        return None
    characters = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero((characters == delimiter) | (characters == _NEWLINE))
    if len(ends) % columns:
        return None
    by_row = characters[ends].reshape(-1, columns)
    if (by_row[:, -1] != _NEWLINE).any() or (by_row[:, :-1] == _NEWLINE).any():
        return None
    starts = np.zeros(len(ends) + 1, dtype=np.int32)
    starts[1:] = ends - np.arange(len(ends))
    text = data.translate(None, bytes([delimiter, _NEWLINE]))
    return pa.Array.from_buffers(pa.string(), len(ends), [None, pa.py_buffer(starts), pa.py_buffer(text)])


def _is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_text(text: Bytes, starts: Offsets, lengths: Offsets, wanted: bytes) -> Flags:
    """For each cell, whether it holds a text of at most one byte."""
    found: Flags = lengths == len(wanted)
    if wanted:
        found[found] = text[starts[:-1][found]] == wanted[0]
    return found


def _is_word(cells: pa.StringArray, may_be: Flags, words: Sequence[str]) -> Flags:
    """For each cell, whether it holds one of some words, as only few cells may."""
    found = np.zeros(len(cells), dtype=np.bool_)
    if words and may_be.any():
        places = np.flatnonzero(may_be)
        found[places] = numpy_array(pc.is_in(cells.take(index_array(places)), value_set=text_array(words)))
    return found


def _cells_with_other_bytes(text: Bytes, starts: Offsets, cells: int) -> Flags:
    """For each cell, whether it holds a byte that numbers do not."""
    flags = np.zeros(cells, dtype=np.bool_)
    flags[np.searchsorted(starts, np.flatnonzero(~_IN_NUMBERS[text]), side="right") - 1] = True
    return flags


def _begins_with_sign_or_point(text: Bytes, starts: Offsets, lengths: Offsets) -> Flags:
    """For each cell, whether it is as short as the words -, --, . and .. and begins as they do."""
    flags = np.zeros(len(lengths), dtype=np.bool_)
    cells = np.flatnonzero((lengths > 0) & (lengths <= _MOST_SIGNS))
    first = text[starts[cells]]
    flags[cells[(first == _MINUS) | (first == _POINT)]] = True
    return flags


def _begins_with_needless_zero(text: Bytes, starts: Offsets, lengths: Offsets) -> Flags:
    """For each cell, whether a zero and another digit come first, perhaps after a sign."""
    flags = np.zeros(len(lengths), dtype=np.bool_)
    cells = np.flatnonzero(lengths > 1)
    first = starts[cells]
    signed = (text[first] == _MINUS) | (text[first] == _PLUS)
    first = first + signed
    # A sign and a zero have nothing after them.
    may = (text[first] == _ZERO) & (lengths[cells] > 1 + signed)
    cells, following = cells[may], text[first[may] + 1]
    flags[cells[(following >= _ZERO) & (following <= _NINE)]] = True
    return flags


def _numbers(cells: pa.StringArray, plain: Flags, absent: Flags) -> tuple[Floats, Flags]:
    """The cells of plain columns as numbers, and which columns are plain indeed: 1-2 has only bytes of numbers, too."""
    try:
        numbers = _cast(cells, plain & ~absent)
    except pa.ArrowInvalid:
        numeric = is_number(cells).reshape(absent.shape) | absent
        plain = plain & numeric.all(axis=0)
        numbers = _cast(cells, plain & ~absent)
    # 1e999 is beyond a double.
    return numbers, plain & ~np.isinf(numbers).any(axis=0)


def _cast(cells: pa.StringArray, wanted: Flags) -> Floats:
    """The numbers in some cells, NaN in the others."""
    validity = pa.py_buffer(np.packbits(wanted.ravel(), bitorder="little"))
    masked = pa.Array.from_buffers(pa.string(), len(cells), [validity, *cells.buffers()[1:]])
    numbers = numpy_array(pc.cast(masked, pa.float64())).reshape(wanted.shape)
    return np.where(wanted, numbers, np.nan)
