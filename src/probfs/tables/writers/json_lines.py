"""Table -> JSON lines."""

from __future__ import annotations

import json
import re

from probfs.tables.table import Column, Kind, Table

_JSON_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)


def json_lines_bytes(table: Table) -> bytes:
    """An object a row, with null for a missing cell; numbers where the file that was read declared numbers."""
    columns = [_members(column) for column in table.columns.values()]
    cells = [column.codes.tolist() for column in table.columns.values()]
    rows = zip(*cells, strict=True)
    lines = (", ".join(map(list.__getitem__, columns, codes)) for codes in rows)
    return "".join(f"{{{line}}}\n" for line in lines).encode()


def _members(column: Column) -> list[str]:
    """For each code of a column, the key and the value as an object has them."""
    key = json.dumps(column.name, ensure_ascii=False)
    values = [_value(text, column.kind) for text in column.values.to_pylist()]
    return [f"{key}: {value}" for value in (*values, "null")]


def _value(text: str, kind: Kind) -> str:
    # JSON has no infinite number: it is written as text.
    is_number = kind is Kind.NUMBER and _JSON_NUMBER.fullmatch(text)
    return text if is_number else json.dumps(text, ensure_ascii=False)
