"""JSON lines, one object a line -> Table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from probfs.errors import DataError
from probfs.runtime.memory import require_memory
from probfs.tables.arrow_arrays import text_array
from probfs.tables.readers.arrow import table_of_columns
from probfs.tables.readers.column_builder import ColumnBuilder
from probfs.tables.readers.line_recorder import LineRecorder
from probfs.tables.readers.lines import decode_line
from probfs.tables.readers.memory_guard import MemoryGuard
from probfs.tables.source import Utf8Stream
from probfs.tables.table import Column, Kind, Table, unusable_column
from probfs.text import counted, quoted

_ROWS_AT_ONCE = 20_000
_READ_BYTES = 1 << 20
_ONE_OBJECT = "JSON lines hold one object a line"
_UNUSABLE = " "
"""Stands for a cell that cannot be used, but is not missing."""


def read_json_lines(stream: Utf8Stream) -> Table:
    """Read objects of which each is a row, and each key a column; a key that is not there, or null, is missing."""
    return _JsonLinesReader(stream).read()


class _Number(str):
    """A number as the file spells it."""


class _ObjectWithEqualKeys(dict[str, Any]):
    """An object in which a key stands twice."""


def _as_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    by_key = dict(pairs)
    return by_key if len(by_key) == len(pairs) else _ObjectWithEqualKeys(by_key)


_CONSTANTS = {"NaN": None, "Infinity": _Number("inf"), "-Infinity": _Number("-inf")}
"""What JSON does not know, but Python and others write."""
_DECODER = json.JSONDecoder(
    object_pairs_hook=_as_object, parse_float=_Number, parse_int=_Number, parse_constant=_CONSTANTS.__getitem__
)


class _JsonLinesReader:
    def __init__(self, stream: Utf8Stream) -> None:
        self._stream = stream
        self._source = stream.source
        self._lines = LineRecorder()
        self._columns: dict[str, _JsonColumn] = {}
        self._builders: list[ColumnBuilder] = []

    def read(self) -> Table:
        memory = MemoryGuard(self._stream, self._builders)
        memory.check()
        numbers: list[int] = []
        for number, line in _numbered_lines(self._stream):
            text = decode_line(line, number, self._source)
            if not text.strip():
                continue
            position = len(numbers)
            for key, value in self._parse(text, number).items():
                column = self._columns.get(key) or self._new_column(key)
                column.add(position, value, number)
            numbers.append(number)
            if len(numbers) == _ROWS_AT_ONCE:
                self._finish_block(numbers)
                numbers = []
                memory.check()
        self._finish_block(numbers)
        if not self._lines.rows:
            raise DataError(f"is empty; {_ONE_OBJECT}", source=self._source)
        if not self._columns:
            raise DataError("has no columns, as its objects have no keys", source=self._source)
        columns = (column.finish() for column in self._columns.values())
        return table_of_columns(columns, self._source, self._lines.rows, lines=self._lines.finish())

    def _parse(self, text: str, number: int) -> dict[str, Any]:
        try:
            value = _DECODER.decode(text)
        except json.JSONDecodeError as error:
            problem = f"is no JSON: {error.msg.lower()}, at character {error.pos + 1}"
        except RecursionError:
            problem = "is nested too deeply"
        else:
            if isinstance(value, _ObjectWithEqualKeys):
                problem = "holds a key twice"
            elif isinstance(value, dict):
                return value
            else:
                problem = f"holds {_described(value)}, not an object"
        raise DataError(f"{problem}; {_ONE_OBJECT}", source=self._source, line=number)

    def _new_column(self, key: str) -> _JsonColumn:
        if not _is_unicode(key):
            raise DataError(f"the key {quoted(key)} is no valid Unicode; rename it", source=self._source)
        column = self._columns[key] = _JsonColumn(key, self._lines.rows)
        self._builders.append(column.builder)
        return column

    def _finish_block(self, line_numbers: list[int]) -> None:
        self._lines.append(line_numbers)
        # A short line may name a new column, which has a cell in every row.
        require_memory(self._lines.rows * len(self._columns), "this table", self._source)
        for column in self._columns.values():
            column.finish_block(self._lines.rows, line_numbers)


class _JsonColumn:
    """Collects the cells of one key; rows without the key cost next to nothing until their block is finished."""

    def __init__(self, name: str, rows_before: int) -> None:
        self.builder = ColumnBuilder(name)
        self._name = name
        self._rows = 0
        self._positions: list[int] = []
        self._texts: list[str] = []
        self._only_numbers = True
        self._kind = Kind.TEXT
        self._problem: str | None = None
        self._skip_to(rows_before)

    def add(self, position: int, value: Any, line: int) -> None:
        """Add the cell of a row, by the row's position in its block."""
        if value is None:
            return
        kind = type(value)
        if kind is not _Number:
            self._only_numbers = False
            if kind is bool:
                value = "true" if value else "false"
            elif kind is not str:
                self._refuse(f"holds {_described(value)} on line {line}, which cannot be ranked", Kind.NESTED)
                value = _UNUSABLE
        self._positions.append(position)
        self._texts.append(value)

    def finish_block(self, rows: int, lines: list[int]) -> None:
        """Take the cells added since the last block, which ends where the table has ``rows`` rows."""
        if self._positions:
            try:
                cells = text_array(self._texts)
            except UnicodeEncodeError:
                wrong = next(place for place, text in enumerate(self._texts) if not _is_unicode(text))
                line = lines[self._positions[wrong]]
                self._refuse(f"holds text on line {line} that is no valid Unicode", Kind.TEXT)
                cells = text_array([_UNUSABLE] * len(self._texts))
            ((codes, dictionary),) = self.builder.encode(cells)
            spread = np.full(rows - self._rows, len(dictionary) - 1, dtype=codes.dtype)
            spread[self._positions] = codes
            self.builder.extend([(spread, dictionary)])
            self._rows = rows
            self._positions, self._texts = [], []
        self._skip_to(rows)

    def finish(self) -> Column:
        kind = Kind.NUMBER if self._only_numbers and self._problem is None else Kind.TEXT
        column, _ = self.builder.finish(kind)
        if self._problem is None:
            return column
        return unusable_column(self._name, column.codes == len(column.values), self._kind, self._problem)

    def _skip_to(self, rows: int) -> None:
        """Add missing cells until there are as many as rows."""
        if rows > self._rows:
            self.builder.extend([(np.zeros(rows - self._rows, dtype=np.uint8), pa.nulls(1, pa.string()))])
            self._rows = rows

    def _refuse(self, problem: str, kind: Kind) -> None:
        if self._problem is None:
            self._problem, self._kind = problem, kind


def _numbered_lines(stream: Utf8Stream) -> Iterator[tuple[int, bytes]]:
    """Physical lines without their ends, counted from 1."""
    number = 0
    rest: list[bytes] = []
    while block := stream.read(_READ_BYTES):
        *whole, last = block.split(b"\n")
        for line in whole:
            number += 1
            yield number, b"".join([*rest, line])
            rest = []
        rest.append(last)
    if any(rest):
        yield number + 1, b"".join(rest)


def _described(value: Any) -> str:
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {counted(len(value), 'value')}"
    return "null" if value is None else "a single value"


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)
