"""The formats of table files, each registered once with its reader, its writer, or both.

To add a format, write a module that reads it, or a function in ``writers``, and register a ``TableFormat``. Commands
list the formats in their help, so this module imports neither numpy nor pyarrow: readers and writers are imported when
they are called.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, BinaryIO

from probfs.registry import Registry
from probfs.tables.compression import without_compression_ending
from probfs.tables.opening import (
    COMPOUND_FILE_MAGIC,
    STANDARD_INPUT,
    ZIP_MAGIC,
    ZIPPED_WORKBOOK_ENDINGS,
    ReadOptions,
    TableInput,
)

if TYPE_CHECKING:
    from probfs.tables.table import Table


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
    write: Callable[..., bytes] | None = None
    """Given a table, the ``target``, which names the column of classes, and ``safe``, which guards spreadsheets against
    formulas; None for a format that can only be read."""
    delimiter: str = ""
    """What separates cells unless users choose otherwise; empty for a format without delimiters."""
    other_delimiters: str = ""
    """What is recognised as the delimiter of a file whose header the usual one does not split."""
    has_header_row: bool = False
    """Whether a row of names stands above the data, before which others can be skipped."""
    has_sheets: bool = False
    typed: bool = False
    """Whether files of this format tell numbers from texts that look like numbers."""
    magic: bytes | tuple[bytes, ...] = b""
    """The first bytes of every file of a binary format, or several beginnings; empty for text."""
    recognizes: Callable[[str], bool] | None = None
    """Whether a text begins as files of this format do; None for a format that cannot be told by its beginning."""

    def input_from(
        self, raw: BinaryIO, source: str, options: ReadOptions, row_groups: tuple[int, ...] = ()
    ) -> TableInput:
        """An opened file as the reader of this format gets it."""
        others = "" if options.delimiter else self.other_delimiters
        return TableInput(raw, source, options, options.delimiter or self.delimiter, others, row_groups)


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
    known = (one for one in TABLE_FORMATS if is_readable(one) and one.magic)
    return next((one for one in known if head.startswith(one.magic)), None)


def format_of_content(head: bytes, encoding: str) -> TableFormat:
    """The format that the beginning of a file shows; CSV, which has no mark, if it shows none."""
    try:
        text = head.decode(encoding, "ignore").removeprefix("\ufeff")
    except (LookupError, UnicodeError):
        text = ""
    known = (one for one in TABLE_FORMATS if is_readable(one) and one.recognizes is not None and one.recognizes(text))
    return format_of_magic(head) or next(known, CSV)


def choose_format(path: str, head: bytes, options: ReadOptions) -> TableFormat:
    """The format of a file, as the user says, else by its ending, else by how it begins."""
    if options.input_format is not None:
        return TABLE_FORMATS.get(options.input_format, "input_format", is_readable)
    return format_of_path(path) or format_of_content(head, options.encoding or "utf-8")


def _is_arff(text: str) -> bool:
    """Whether the first line that is not a comment is a declaration; comments alone are taken for ARFF too."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    first = next((line for line in lines if not line.startswith("%")), None)
    return bool(lines) if first is None else first.lower().startswith(("@relation", "@attribute"))


def _is_json_lines(text: str) -> bool:
    """Whether the first line is a whole JSON object, as no header of a delimited file is."""
    first, *_ = text.lstrip().split("\n", 1)
    try:
        return first.startswith("{") and isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


def _register(
    name: str, title: str, endings: tuple[str, ...], read: str, write: str | None, **more: Any
) -> TableFormat:
    """A format whose functions are given by their modules and names, and are imported when they are called."""

    def function(path: str) -> Any:
        module, function = path.split(".")
        return lambda table, **options: getattr(import_module(f"probfs.tables.{module}"), function)(table, **options)

    writer = None if write is None else function(f"writers.{write}")
    return TABLE_FORMATS.register(TableFormat(name, title, endings, function(read), writer, **more))


CSV = _register(
    "csv",
    "CSV",
    (".csv",),
    "csv.read_delimited",
    "csv_bytes",
    delimiter=",",
    other_delimiters=";\t|",
    has_header_row=True,
)
_register("tsv", "TSV", (".tsv", ".tab"), "csv.read_delimited", "tsv_bytes", delimiter="\t", has_header_row=True)
_register("arff", "ARFF", (".arff",), "arff.read_arff", "arff_bytes", recognizes=_is_arff)
_register("parquet", "Parquet", (".parquet", ".pq"), "arrow.read_parquet", "parquet_bytes", typed=True, magic=b"PAR1")
# Arrow IPC files, Feather of version 1, and Arrow IPC streams, which begin with the length of their schema.
_IPC = (b"ARROW1", b"FEA1", b"\xff\xff\xff\xff")
_ENDINGS = (".feather", ".arrow", ".ipc")
_register("feather", "Feather", _ENDINGS, "arrow.read_feather", "feather_bytes", typed=True, magic=_IPC)
_JSON = (".jsonl", ".ndjson")
_register(
    "jsonl",
    "JSON lines",
    _JSON,
    "json_lines.read_json_lines",
    "json_lines_bytes",
    typed=True,
    recognizes=_is_json_lines,
)
_WORKBOOKS = (*ZIPPED_WORKBOOK_ENDINGS, ".xls")
_MAGIC = (ZIP_MAGIC, COMPOUND_FILE_MAGIC)
_register("excel", "Excel", _WORKBOOKS, "excel.read_excel", None, has_header_row=True, has_sheets=True, magic=_MAGIC)
