"""Table -> ARFF as Weka reads it. (liac-arff writes the value ``?`` as a missing cell and leaves quotes in names.)"""

from __future__ import annotations

import re

import numpy as np

from probfs.tables.table import Column, Kind, Table

_BARE = re.compile(r"[A-Za-z0-9_.:/+-]+")
_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPED = re.compile(r"[\\'\n\r\t]")


def arff_bytes(table: Table, target: str | None) -> bytes:
    """Numeric attributes for columns of numbers other than the target, nominal ones with their values for the rest."""
    lines = ["@relation probfs", ""]
    columns: list[list[str]] = []
    for name, column in table.columns.items():
        numeric = name != target and _is_numeric(column)
        texts = column.values.to_pylist() if numeric else [quote_value(text) for text in column.values.to_pylist()]
        kind = "numeric" if numeric else f"{{{','.join(texts)}}}"
        lines.append(f"@attribute {quote_value(name)} {kind}")
        texts.append("?")
        columns.append([texts[code] for code in column.codes.tolist()])
    lines += ["", "@data", *(",".join(row) for row in zip(*columns, strict=True))]
    return ("\n".join(lines) + "\n").encode()


def quote_value(text: str) -> str:
    """A name or value, in quotes unless it needs none.

    >>> print(quote_value("v1"), quote_value("two words"), quote_value("?"))
    v1 'two words' '?'
    """
    if _BARE.fullmatch(text):
        return text
    return f"'{_ESCAPED.sub(lambda match: _ESCAPES[match[0]], text)}'"


def _is_numeric(column: Column) -> bool:
    """Whether reading the texts as numbers loses nothing: 1 and 1.0 are two texts but one number."""
    if column.kind is Kind.NUMBER and not column.categorical:
        return True
    numbers = None if column.kind is Kind.DATE or column.is_nominal or not len(column.values) else column.numbers()
    return numbers is not None and bool(np.isfinite(numbers).all()) and len(np.unique(numbers)) == len(numbers)
