"""ARFF as Weka reads it. (liac-arff writes a value ``?`` as a missing cell and leaves quotes in names bare.)"""

from __future__ import annotations

import re

from probfs.table import Column, Kind, Table

_BARE = re.compile(r"[A-Za-z0-9_.:/+-]+")
_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPED = re.compile(r"[\\'\n\r\t]")


def written_arff(table: Table) -> bytes:
    """Columns of numbers as NUMERIC, all others as nominal with the values they have."""
    lines = ["@relation probfs", ""]
    columns: list[list[str]] = []
    for name, column in table.columns.items():
        numeric = _is_numeric(column)
        texts = column.values.to_pylist() if numeric else [quoted_value(text) for text in column.values.to_pylist()]
        kind = "numeric" if numeric else f"{{{','.join(texts)}}}"
        lines.append(f"@attribute {quoted_value(name)} {kind}")
        texts.append("?")
        columns.append([texts[code] for code in column.codes.tolist()])
    lines += ["", "@data", *(",".join(row) for row in zip(*columns, strict=True))]
    return ("\n".join(lines) + "\n").encode()


def quoted_value(text: str) -> str:
    """A name or value, in quotes unless it is plainly safe without.

    >>> print(quoted_value("v1"), quoted_value("two words"), quoted_value("?"))
    v1 'two words' '?'
    """
    if _BARE.fullmatch(text):
        return text
    return f"'{_ESCAPED.sub(lambda match: _ESCAPES[match[0]], text)}'"


def _is_numeric(column: Column) -> bool:
    return column.kind is Kind.NUMBER or (
        column.kind is Kind.TEXT and not column.declared and len(column.values) > 0 and column.numbers() is not None
    )
