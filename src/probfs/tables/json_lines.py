"""JSON lines, one object a line -> Table.

Python's decoder reads them, and not pyarrow's: it says which line is at fault and where, keeps the order of keys, and
gives numbers as they are spelled, which a column that turns out to be texts needs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

from probfs.errors import DataError
from probfs.runtime.memory import require_memory
from probfs.tables.arrays import is_missing, text_array
from probfs.tables.cells import Kind
from probfs.tables.column import Column, unusable_column
from probfs.tables.opening import TableInput, decode_line
from probfs.tables.table import Table, join_lines, table_of_columns
from probfs.text import quoted

_ROWS_AT_ONCE = 20_000
_ONE_OBJECT = "JSON lines hold one object a line"
_LONG_NUMBER = r"^-?\d{16,}"
"""A number that may lose digits as a double, such as a key."""


class _Number(str):
    """A number as the file spells it."""


_CONSTANTS = {"NaN": None, "Infinity": _Number("inf"), "-Infinity": _Number("-inf")}
"""What JSON does not know, but Python and others write."""
_DECODER = json.JSONDecoder(parse_float=_Number, parse_int=_Number, parse_constant=_CONSTANTS.__getitem__)


def read_json_lines(table_input: TableInput) -> Table:
    """Read objects of which each is a row, and each key a column; a key that is not there, or null, is missing."""
    source, columns, lines = table_input.source, dict[str, _JsonColumn](), list[int]()
    with table_input.as_utf8() as raw:
        records = _records(raw, source)
        while batch := list(islice(records, _ROWS_AT_ONCE)):
            for key in dict.fromkeys(key for _, record in batch for key in record):
                if key not in columns:
                    columns[key] = _JsonColumn(key, len(lines), source)
            lines += [line for line, _ in batch]
            # A short line may name a new column, which has a cell in every row.
            require_memory(len(lines) * len(columns), "this table", source)
            for column in columns.values():
                column.add(batch)
    if not lines:
        raise DataError(f"is empty; {_ONE_OBJECT}", source=source)
    if not columns:
        raise DataError("has no columns, as its objects have no keys", source=source)
    return table_of_columns(
        (column.finish() for column in columns.values()), source, len(lines), lines=join_lines([lines])
    )


def _records(raw: BinaryIO, source: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of all lines that are not blank, with the numbers of these."""
    for number, line in enumerate(raw, 1):
        text = decode_line(line.rstrip(b"\n"), number, source)
        if not text.strip():
            continue
        try:
            value = _DECODER.decode(text)
        except json.JSONDecodeError as error:
            problem = f"is not JSON: {error.msg.lower()}, at character {error.pos + 1}"
        except RecursionError:
            problem = "is nested too deeply"
        else:
            if isinstance(value, dict):
                yield number, value
                continue
            problem = f"holds {_described(value)}, not an object"
        raise DataError(f"{problem}; {_ONE_OBJECT}", source=source, line=number)


class _JsonColumn:
    def __init__(self, name: str, rows_before: int, source: str) -> None:
        if not _is_unicode(name):
            raise DataError(f"the key {quoted(name)} is not valid Unicode; rename it", source=source)
        self._name = name
        self._chunks = [pa.nulls(rows_before, pa.string())]
        self._only_numbers = True
        self._problem: tuple[str, Kind] | None = None

    def add(self, batch: Sequence[tuple[int, dict[str, Any]]]) -> None:
        self._chunks.append(text_array([self._text(record.get(self._name), line) for line, record in batch]))

    def _text(self, value: Any, line: int) -> str | None:
        if value is None or type(value) is _Number:
            return value
        self._only_numbers = False
        if isinstance(value, bool):
            return "true" if value else "false"
        if not isinstance(value, str):
            problem = f"holds {_described(value)} on line {line}, which cannot be ranked"
            self._problem = self._problem or (problem, Kind.NESTED)
        elif value.isascii() or _is_unicode(value):
            return value or None
        else:
            self._problem = self._problem or (f"holds text on line {line} that is not valid Unicode", Kind.TEXT)
        # What cannot be used is not missing.
        return " "

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
    return {dict: "an object", list: "a list", type(None): "null"}.get(type(value), "a single value")


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)
