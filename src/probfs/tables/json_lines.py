"""JSON lines, one object a line -> Table.

Python's decoder reads them, and not pyarrow's: it says which line is at fault and where, keeps the order of keys, and
gives numbers as they are spelled, which a column that turns out to be texts needs.
"""

from __future__ import annotations

import json
from array import array
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from probfs.errors import DataError
from probfs.runtime.memory import require_memory
from probfs.tables.arrays import is_missing, text_array
from probfs.tables.cells import Kind
from probfs.tables.column import Column, dictionary_cells, unusable_column
from probfs.tables.opening import TableInput, decode_line
from probfs.tables.table import RowLines, Table, table_of_columns
from probfs.text import counted, quoted

_ROWS_AT_ONCE = 20_000
_ONE_OBJECT = "JSON lines hold one object a line"
_UNUSABLE = " "
"""Stands for a cell that cannot be used, but is not missing."""
_LONG_NUMBER = r"^-?\d{16,}"
"""A number that may lose digits as a double, such as a key."""


class _Number(str):
    """A number as the file spells it."""


_CONSTANTS = {"NaN": None, "Infinity": _Number("inf"), "-Infinity": _Number("-inf")}
"""What JSON does not know, but Python and others write."""
_DECODER = json.JSONDecoder(parse_float=_Number, parse_int=_Number, parse_constant=_CONSTANTS.__getitem__)


def read_json_lines(table_input: TableInput) -> Table:
    """Read objects of which each is a row, and each key a column; a key that is not there, or null, is missing."""
    source = table_input.source
    columns: dict[str, _JsonColumn] = {}
    lines = array("q")

    def finish_block() -> None:
        # A short line may name a new column, which has a cell in every row.
        require_memory(len(lines) * len(columns), "this table", source)
        for column in columns.values():
            column.finish_block(len(lines), lines)

    with table_input.as_utf8() as raw:
        for number, line in enumerate(raw, 1):
            text = decode_line(line.rstrip(b"\n"), number, source)
            if not text.strip():
                continue
            for key, value in _parse(text, number, source).items():
                column = columns.get(key) or columns.setdefault(key, _JsonColumn(key, source))
                if value is not None:
                    column.add(len(lines), value, number)
            lines.append(number)
            if len(lines) % _ROWS_AT_ONCE == 0:
                finish_block()
    finish_block()
    if not lines:
        raise DataError(f"is empty; {_ONE_OBJECT}", source=source)
    if not columns:
        raise DataError("has no columns, as its objects have no keys", source=source)
    finished = (column.finish() for column in columns.values())
    row_lines = RowLines.of(np.frombuffer(lines, np.int64))
    return table_of_columns(finished, source, len(lines), lines=row_lines)


def _parse(text: str, number: int, source: str) -> dict[str, Any]:
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        problem = f"is no JSON: {error.msg.lower()}, at character {error.pos + 1}"
    except RecursionError:
        problem = "is nested too deeply"
    else:
        if isinstance(value, dict):
            return value
        problem = f"holds {_described(value)}, not an object"
    raise DataError(f"{problem}; {_ONE_OBJECT}", source=source, line=number)


class _JsonColumn:
    """Collects the cells of one key; rows without the key cost next to nothing until their block is finished."""

    def __init__(self, name: str, source: str) -> None:
        if not _is_unicode(name):
            raise DataError(f"the key {quoted(name)} is no valid Unicode; rename it", source=source)
        self._name = name
        self._chunks: list[pa.Array] = []
        self._rows = 0
        self._cells: dict[int, str] = {}
        """The cells since the last block, by their rows."""
        self._only_numbers = True
        self._problem: tuple[str, Kind] | None = None

    def add(self, row: int, value: Any, line: int) -> None:
        """Add the cell of a row."""
        if type(value) is not _Number:
            self._only_numbers = False
            if value == "":
                return
            if isinstance(value, bool):
                value = "true" if value else "false"
            elif not isinstance(value, str):
                problem = f"holds {_described(value)} on line {line}, which cannot be ranked"
                self._problem = self._problem or (problem, Kind.NESTED)
                value = _UNUSABLE
        self._cells[row] = value

    def finish_block(self, rows: int, lines: array[int]) -> None:
        """Take the cells added since the last block, which ends where the table has ``rows`` rows."""
        try:
            texts = text_array(list(self._cells.values()))
        except UnicodeEncodeError:
            wrong = next(row for row, text in self._cells.items() if not _is_unicode(text))
            self._problem = self._problem or (f"holds text on line {lines[wrong]} that is no valid Unicode", Kind.TEXT)
            texts = text_array([_UNUSABLE] * len(self._cells))
        places = np.full(rows - self._rows, len(texts))
        places[np.array(list(self._cells), np.int64) - self._rows] = np.arange(len(texts))
        self._chunks.append(dictionary_cells(places, texts).chunk(0).cast(pa.string()))
        self._rows, self._cells = rows, {}

    def finish(self) -> Column:
        cells = pa.chunked_array(self._chunks, pa.string())
        if self._problem is not None:
            return unusable_column(self._name, is_missing(cells), self._problem[1], self._problem[0])
        if not self._only_numbers:
            return Column(self._name, cells.dictionary_encode())
        numbers = cells.cast(pa.float64())
        inexact = pc.or_(pc.match_substring_regex(cells, _LONG_NUMBER), pc.is_inf(numbers))
        held = cells.dictionary_encode() if pc.any(inexact, min_count=0).as_py() else numbers
        return Column(self._name, held, Kind.NUMBER)


def _described(value: Any) -> str:
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {counted(len(value), 'value')}"
    return "null" if value is None else "a single value"


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)
