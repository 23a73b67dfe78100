"""Faults that a CSV file's first bytes and its header show."""

from __future__ import annotations

from collections.abc import Sequence

from probfs.errors import DataError
from probfs.text import option, quoted

_MARKUP = (b"<!doctype", b"<html", b"<?xml")
_DELIMITERS = {";": "';'", "\t": "tab", "|": "'|'", ",": "','"}


def refuse_markup(start: bytes, source: str) -> None:
    """Refuse a web page, which a failed download leaves in place of a table, and XML."""
    if start[:1000].lstrip().lower().startswith(_MARKUP):
        raise DataError("is a web page or XML, not a table; was the download refused?", source=source)


def check_header(names: Sequence[str], delimiter: str, source: str, line: int) -> None:
    """Refuse a header split by the wrong delimiter, and names that are blank or not unique."""
    if len(names) == 1:
        for other, shown in _DELIMITERS.items():
            if other != delimiter and other in names[0]:
                use = option("delimiter", other, typed=shown)
                problem = f"the header is one column and contains {shown}; use {use}"
                raise DataError(problem, source=source, line=line)
    first: dict[str, int] = {}
    for number, name in enumerate(names, start=1):
        if not name.strip():
            raise DataError(f"column {number} has no name; give it one", source=source, line=line)
        if name in first:
            problem = f"{quoted(name)} is column {first[name]} and {number}; rename one of them"
            raise DataError(problem, source=source, line=line)
        first[name] = number
