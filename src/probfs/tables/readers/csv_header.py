"""Faults that a CSV file's first bytes and its header show."""

from __future__ import annotations

import re
from collections.abc import Sequence

from probfs.errors import DataError
from probfs.tables.readers.csv_layout import DELIMITER_NAMES
from probfs.text import option, quoted

_JSON_ARRAY = re.compile(rb"\s*\[\s*\{\s*\"")
_MARKUP = (b"<!doctype", b"<html", b"<?xml")


def refuse_markup(start: bytes, source: str) -> None:
    """Refuse a web page, which a failed download leaves in place of a table, XML, and a JSON array of objects."""
    if start[:1000].lstrip().lower().startswith(_MARKUP):
        raise DataError("is a web page or XML, not a table; was the download refused?", source=source)
    if _JSON_ARRAY.match(start[:1000]):
        raise DataError("is a JSON array, not a table; write one object a line (JSON lines)", source=source)


def refuse_other_delimiter(names: Sequence[str], delimiter: str, source: str, line: int) -> None:
    """Refuse a header of one column that another delimiter would split."""
    if len(names) == 1:
        for other, shown in DELIMITER_NAMES.items():
            if other != delimiter and other in names[0]:
                use = option("delimiter", other, typed=shown)
                problem = f"the header is one column and contains {shown}; use {use}"
                raise DataError(problem, source=source, line=line)


def refuse_equal_names(names: Sequence[str], indexes: int, source: str, line: int) -> None:
    """Refuse a name that two columns have; the names of the first few, the row indexes, do not matter."""
    first: dict[str, int] = {}
    for number, name in enumerate(names[indexes:], start=indexes + 1):
        if name in first:
            problem = f"{quoted(name)} is column {first[name]} and {number}; rename one of them"
            raise DataError(problem, source=source, line=line)
        first[name] = number
