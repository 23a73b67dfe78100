"""The formats of table files, each registered once with its reader, its writer, or both.

To add a format, write a module that reads it or one that writes it, and register a ``TableFormat``. Commands list the
formats in their help, so this module imports neither numpy nor pyarrow: readers and writers are imported when called.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol

from probfs.registry import Registry
from probfs.tables.compression import without_compression_ending
from probfs.tables.source import STANDARD_INPUT, TableInput
from probfs.tables.workbooks import COMPOUND_FILE_MAGIC, ZIP_MAGIC, ZIPPED_WORKBOOK_ENDINGS

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
    read: Callable[[TableInput], Table] | None = None
    """None for a format that can only be written."""
    write: TableWriter | None = None
    """None for a format that can only be read."""
    delimiter: str = ""
    """What separates cells unless users choose otherwise; empty for a format without delimiters."""
    other_delimiters: str = ""
    """What is recognised as the delimiter of a file whose header the usual one does not split."""
    typed: bool = False
    """Whether files of this format tell numbers from texts that look like numbers."""
    magic: bytes | tuple[bytes, ...] = b""
    """The first bytes of every file of a binary format, or several beginnings; empty for text."""
    recognizes: Callable[[str], bool] | None = None
    """Whether a text begins as files of this format do; None for a format that cannot be told by its beginning."""


TABLE_FORMATS: Registry[TableFormat] = Registry("format")


def is_readable(table_format: TableFormat) -> bool:
    return table_format.read is not None


def is_writable(table_format: TableFormat) -> bool:
    return table_format.write is not None


def formats_by_ending(suits: Callable[[TableFormat], bool]) -> dict[str, str]:
    """The name of the suitable format that each file ending stands for.

    >>> formats_by_ending(is_readable)[".tab"]
    'tsv'
    """
    return {ending: known.name for known in TABLE_FORMATS if suits(known) for ending in known.endings}


def format_of_path(path: str | os.PathLike[str]) -> TableFormat | None:
    """The format that a path's ending stands for, before any ``.gz``; None for standard input and unknown endings."""
    path_text = without_compression_ending(os.fspath(path).lower())
    name = None if path_text == STANDARD_INPUT else formats_by_ending(is_readable).get(os.path.splitext(path_text)[1])
    return None if name is None else TABLE_FORMATS[name]


def format_of_magic(head: bytes) -> TableFormat | None:
    """The binary format whose files begin like this."""
    for table_format in filter(is_readable, TABLE_FORMATS):
        if table_format.magic and head.startswith(table_format.magic):
            return table_format
    return None


def format_of_content(head: bytes, encoding: str) -> TableFormat:
    """The format that the beginning of a file shows; CSV, which has no mark of its own, if it shows none."""
    binary = format_of_magic(head)
    if binary is not None:
        return binary
    try:
        text = head.decode(encoding, "ignore").removeprefix("\ufeff")
    except (LookupError, UnicodeError):
        return CSV
    for table_format in filter(is_readable, TABLE_FORMATS):
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

    return read_parquet(table_input.as_seekable(), table_input.source, table_input.unneeded, table_input.row_groups)


def _read_feather(table_input: TableInput) -> Table:
    from probfs.tables.readers.feather import read_feather

    return read_feather(table_input.as_seekable(), table_input.source)


def _read_json_lines(table_input: TableInput) -> Table:
    from probfs.tables.readers.json_lines import read_json_lines

    return read_json_lines(table_input.as_utf8())


def _read_excel(table_input: TableInput) -> Table:
    from probfs.tables.readers.excel import read_excel

    return read_excel(table_input.as_seekable(), table_input.source, table_input.max_unpacked)


def _write_delimited(delimiter: str, table: Table, *, target: str | None, safe: bool) -> bytes:
    from probfs.tables.writers.delimited import delimited_bytes

    return delimited_bytes(table, delimiter, safe)


def _write_arff(table: Table, *, target: str | None, safe: bool) -> bytes:
    from probfs.tables.writers.arff import arff_bytes

    return arff_bytes(table, target)


def _write_parquet(table: Table, *, target: str | None, safe: bool) -> bytes:
    from probfs.tables.writers.parquet import parquet_bytes

    return parquet_bytes(table)


def _write_feather(table: Table, *, target: str | None, safe: bool) -> bytes:
    from probfs.tables.writers.feather import feather_bytes

    return feather_bytes(table)


def _write_json_lines(table: Table, *, target: str | None, safe: bool) -> bytes:
    from probfs.tables.writers.json_lines import json_lines_bytes

    return json_lines_bytes(table)


def _is_arff(text: str) -> bool:
    """Whether the first line that is not a comment is a declaration; comments alone are taken for ARFF too."""
    commented = False
    for line in text.splitlines():
        if line.strip() and not line.lstrip().startswith("%"):
            return line.lstrip().lower().startswith(("@relation", "@attribute"))
        commented = commented or bool(line.strip())
    return commented


def _is_json_lines(text: str) -> bool:
    """Whether the first line is a whole JSON object, as no header of a delimited file is."""
    first, *_ = text.lstrip().split("\n", 1)
    if not first.startswith("{"):
        return False
    import json

    try:
        return isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


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
    TableFormat("parquet", "Parquet", (".parquet", ".pq"), _read_parquet, _write_parquet, typed=True, magic=b"PAR1")
)
TABLE_FORMATS.register(
    TableFormat(
        "feather",
        "Feather",
        (".feather", ".arrow", ".ipc"),
        _read_feather,
        _write_feather,
        typed=True,
        # Arrow IPC files, Feather of version 1, and Arrow IPC streams, which begin with the length of their schema.
        magic=(b"ARROW1", b"FEA1", b"\xff\xff\xff\xff"),
    )
)
TABLE_FORMATS.register(
    TableFormat(
        "jsonl",
        "JSON lines",
        (".jsonl", ".ndjson"),
        _read_json_lines,
        _write_json_lines,
        typed=True,
        recognizes=_is_json_lines,
    )
)
TABLE_FORMATS.register(
    TableFormat(
        "excel", "Excel", (*ZIPPED_WORKBOOK_ENDINGS, ".xls"), _read_excel, magic=(ZIP_MAGIC, COMPOUND_FILE_MAGIC)
    )
)
