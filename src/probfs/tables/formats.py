"""The formats of table files, each registered once with its reader and its writer.

To add a format, write a module that reads it and one that writes it, and register a ``TableFormat``. Commands list the
formats in their help, so this module imports neither numpy nor pyarrow: readers and writers are imported when called.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol

from probfs.registry import Registry
from probfs.tables.source import STANDARD_INPUT, TableInput

if TYPE_CHECKING:
    from probfs.tables.table import Table


class TableWriter(Protocol):
    """Turns a table into the bytes of a file."""

    def __call__(self, table: Table, *, target: str | None, safe: bool) -> bytes:
        """``target`` names the column of classes, and ``safe`` guards spreadsheets against formulas."""


@dataclass(frozen=True)
class TableFormat:
    """One format of table files."""

    name: str
    title: str
    """The name as messages write it."""
    endings: tuple[str, ...]
    """The endings of file names, each with its dot."""
    read: Callable[[TableInput], Table]
    write: TableWriter
    delimiter: str = ""
    """What separates cells unless users choose otherwise; empty for a format without delimiters."""
    other_delimiters: str = ""
    """What is recognised as the delimiter of a file whose header the usual one does not split."""
    magic: bytes = b""
    """The first bytes of every file of a binary format; empty for text."""
    recognizes: Callable[[str], bool] | None = None
    """Whether a text begins as files of this format do; None for a format that cannot be told by its beginning."""


TABLE_FORMATS: Registry[TableFormat] = Registry("format")


def formats_by_ending() -> dict[str, str]:
    """The name of the format that each file ending stands for.

    >>> formats_by_ending()[".tab"]
    'tsv'
    """
    return {ending: table_format.name for table_format in TABLE_FORMATS for ending in table_format.endings}


def format_of_path(path: str | os.PathLike[str]) -> TableFormat | None:
    """The format that a path's ending stands for, before any ``.gz``; None for standard input and unknown endings."""
    path_text = os.fspath(path).lower().removesuffix(".gz")
    name = None if path_text == STANDARD_INPUT else formats_by_ending().get(os.path.splitext(path_text)[1])
    return None if name is None else TABLE_FORMATS[name]


def format_of_content(head: bytes, encoding: str) -> TableFormat:
    """The format that the beginning of a file shows; CSV, which has no mark of its own, if it shows none."""
    for table_format in TABLE_FORMATS:
        if table_format.magic and head.startswith(table_format.magic):
            return table_format
    try:
        text = head.decode(encoding, "ignore").removeprefix("\ufeff")
    except (LookupError, UnicodeError):
        return CSV
    for table_format in TABLE_FORMATS:
        if table_format.recognizes is not None and table_format.recognizes(text):
            return table_format
    return CSV


def _read_delimited(table_input: TableInput) -> Table:
    from probfs.tables.readers.delimited import read_delimited

    return read_delimited(table_input.as_utf8(), table_input.delimiter, table_input.other_delimiters)


def _read_arff(table_input: TableInput) -> Table:
    from probfs.tables.readers.arff import read_arff

    return read_arff(table_input.as_utf8())


def _read_parquet(table_input: TableInput) -> Table:
    from probfs.tables.readers.parquet import read_parquet

    return read_parquet(table_input.as_seekable(), table_input.source)


def _write_delimited(delimiter: str, table: Table, *, target: str | None, safe: bool) -> bytes:
    from probfs.tables.writers.delimited import delimited_bytes

    return delimited_bytes(table, delimiter, safe)


def _write_arff(table: Table, *, target: str | None, safe: bool) -> bytes:
    from probfs.tables.writers.arff import arff_bytes

    return arff_bytes(table, target)


def _write_parquet(table: Table, *, target: str | None, safe: bool) -> bytes:
    from probfs.tables.writers.parquet import parquet_bytes

    return parquet_bytes(table)


def _is_arff(text: str) -> bool:
    """Whether the first line that is not a comment is a declaration; comments alone are taken for ARFF too."""
    commented = False
    for line in text.splitlines():
        if line.strip() and not line.lstrip().startswith("%"):
            return line.lstrip().lower().startswith(("@relation", "@attribute"))
        commented = commented or bool(line.strip())
    return commented


CSV = TABLE_FORMATS.register(
    TableFormat(
        "csv",
        "CSV",
        (".csv",),
        _read_delimited,
        partial(_write_delimited, ","),
        delimiter=",",
        other_delimiters=";\t|",
    )
)
TABLE_FORMATS.register(
    TableFormat("tsv", "TSV", (".tsv", ".tab"), _read_delimited, partial(_write_delimited, "\t"), delimiter="\t")
)
TABLE_FORMATS.register(TableFormat("arff", "ARFF", (".arff",), _read_arff, _write_arff, recognizes=_is_arff))
TABLE_FORMATS.register(
    TableFormat("parquet", "Parquet", (".parquet", ".pq"), _read_parquet, _write_parquet, magic=b"PAR1")
)
