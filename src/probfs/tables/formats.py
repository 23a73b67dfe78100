"""The formats of table files, each declared once with its reader and its writer.

To add a format, write a module that reads it, or a function in ``writers``, and add a ``TableFormat`` below. Commands
list the formats in their help, so this module imports neither numpy nor pyarrow: readers and writers are imported when
they are called.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, BinaryIO

from probfs.tables.opening import (
    COMPOUND_FILE_MAGIC,
    STANDARD_INPUT,
    ZIP_MAGIC,
    ZIPPED_WORKBOOK_ENDINGS,
    ReadOptions,
    TableInput,
    without_compression_ending,
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
    reader: str
    """The module and the name of the function that reads it."""
    writer: str | None
    """The name of the function that writes it; None for a format that can only be read."""
    delimiter: str = ""
    """What separates cells unless users choose otherwise; empty for a format without delimiters."""
    other_delimiters: str = ""
    """What is recognised as the delimiter of a file whose header the usual one does not split."""
    has_header_row: bool = False
    """Whether a row of names stands above the data, before which others can be skipped."""
    has_sheets: bool = False
    typed: bool = False
    """Whether files of this format tell numbers from texts that look like numbers."""
    magic: tuple[bytes, ...] = ()
    """How files of a binary format may begin; empty for text."""

    def lacking(self) -> dict[str, str]:
        """The options that files of this format have no use for, and what they lack for them."""
        lacking = {} if self.delimiter else {"delimiter": "no delimiter to choose"}
        if not self.has_sheets:
            lacking["sheet"] = "no sheets"
        if not self.has_header_row:
            lacking |= {"skip_rows": "no rows before its names", "no_header": "no row of names"}
        return lacking

    def input_from(
        self, raw: BinaryIO, source: str, options: ReadOptions, row_groups: tuple[int, ...] = ()
    ) -> TableInput:
        """An opened file as the reader of this format gets it."""
        others = "" if options.delimiter else self.other_delimiters
        return TableInput(raw, source, options, options.delimiter or self.delimiter, others, row_groups)

    def read(self, table_input: TableInput) -> Table:
        module, function = self.reader.split(".")
        table: Table = getattr(import_module(f"probfs.tables.{module}"), function)(table_input)
        return table

    def write(self, table: Table, target: str | None, safe: bool) -> bytes:
        """The table as a file, in which ``target`` names the column of classes, and ``safe`` guards spreadsheets
        against formulas.
        """
        written: bytes = getattr(import_module("probfs.tables.writers"), str(self.writer))(table, target, safe)
        return written


def format_of_path(path: str | os.PathLike[str]) -> TableFormat | None:
    """The format that a path's ending stands for, before any ``.gz``; None for standard input and unknown endings."""
    name = without_compression_ending(os.fspath(path).lower())
    ending = os.path.splitext(name)[1] if name != STANDARD_INPUT else ""
    return next((known for known in TABLE_FORMATS.values() if ending in known.endings), None)


def format_of_magic(head: bytes) -> TableFormat | None:
    """The binary format whose files begin like this."""
    return next((known for known in TABLE_FORMATS.values() if head.startswith(known.magic)), None)


def format_of_content(head: bytes, encoding: str) -> TableFormat:
    """The format that the beginning of a file shows; CSV, which has no mark, if it shows none."""
    text = ""
    with suppress(LookupError, UnicodeError):
        text = head.decode(encoding, "ignore").removeprefix("\ufeff").lstrip()
    # A whole JSON object in the first line is no header of a delimited file.
    with suppress(ValueError, RecursionError):
        if text.startswith("{") and isinstance(json.loads(text.split("\n", 1)[0]), dict):
            return TABLE_FORMATS["jsonl"]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    # Comments alone are taken for ARFF, too.
    first = next((line for line in lines if not line.startswith("%")), "@relation" if lines else "")
    is_arff = first.lower().startswith(("@relation", "@attribute"))
    return format_of_magic(head) or (TABLE_FORMATS["arff"] if is_arff else CSV)


def choose_format(path: str, head: bytes, options: ReadOptions) -> TableFormat:
    """The format of a file, as the user says, else by its ending, else by how it begins."""
    if options.input_format is not None:
        return TABLE_FORMATS[options.input_format]
    return format_of_path(path) or format_of_content(head, options.encoding or "utf-8")


_READ_CSV, _IPC = "csv.read_delimited", (b"ARROW1", b"FEA1", b"\xff\xff\xff\xff")
"""Arrow IPC files, Feather of version 1, and Arrow IPC streams, which begin with the length of their schema."""
CSV = TableFormat("csv", "CSV", (".csv",), _READ_CSV, "csv_bytes", ",", ";\t|", has_header_row=True)
_FEATHER, _JSON = (".feather", ".arrow", ".ipc"), (".jsonl", ".ndjson")
_EXCEL, _EXCEL_MAGIC = (*ZIPPED_WORKBOOK_ENDINGS, ".xls"), (ZIP_MAGIC, COMPOUND_FILE_MAGIC)
_FORMATS = (
    CSV,
    TableFormat("tsv", "TSV", (".tsv", ".tab"), _READ_CSV, "tsv_bytes", "\t", has_header_row=True),
    TableFormat("arff", "ARFF", (".arff",), "arff.read_arff", "arff_bytes"),
    TableFormat(
        "parquet", "Parquet", (".parquet", ".pq"), "arrow.read_parquet", "parquet_bytes", typed=True, magic=(b"PAR1",)
    ),
    TableFormat("feather", "Feather", _FEATHER, "arrow.read_feather", "feather_bytes", typed=True, magic=_IPC),
    TableFormat("jsonl", "JSON lines", _JSON, "json_lines.read_json_lines", "json_lines_bytes", typed=True),
    TableFormat(
        "excel", "Excel", _EXCEL, "excel.read_excel", None, has_header_row=True, has_sheets=True, magic=_EXCEL_MAGIC
    ),
)
TABLE_FORMATS = {table_format.name: table_format for table_format in _FORMATS}
"""Every format by its name, in the order of help."""
WRITABLE_FORMATS = tuple(name for name, table_format in TABLE_FORMATS.items() if table_format.writer is not None)
