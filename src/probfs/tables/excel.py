"""A sheet of an Excel workbook -> Table, by python-calamine; and refusing a workbook that would fill memory."""

from __future__ import annotations

import datetime
import re
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, BinaryIO, TypeAlias

import numpy as np
import pyarrow as pa

from probfs.errors import DataError, UsageError
from probfs.notes import Note, NoteKind
from probfs.runtime.memory import require_memory
from probfs.tables.arrays import short_number, text_array
from probfs.tables.cells import Kind
from probfs.tables.column import Column, number_column
from probfs.tables.header import ROWS_LOOKED_AT, count_titles, read_header
from probfs.tables.opening import COMPOUND_FILE_MAGIC, ZIP_MAGIC, ReadOptions, TableInput, refuse_suspicious_size
from probfs.tables.table import NoRowsError, Table, join_lines, table_of_columns
from probfs.text import listed, option, quoted, shown_bytes

Cell: TypeAlias = "str | float | bool | datetime.date | datetime.time | datetime.timedelta"
"""A cell as the package reads it; an empty one, and one that holds an error such as #N/A, is an empty text."""
_SHEET = re.compile(r"xl/worksheets/[^/]*\.xml", re.IGNORECASE)
# Most sheets have neither 27 columns nor 100,000 rows, and are looked through without a single match.
_WIDE_CELL = re.compile(rb""" r=["']([A-Z]{2,3})\d""")
_FAR_CELL = re.compile(rb""" r=["'][A-Z]{1,3}(\d{6,})""")
_NARROW, _NEAR = 26, 99_999
_CELL_BYTES = 100
"""What a cell takes as the package reads it, and as an object of Python."""


def read_excel(table_input: TableInput) -> Table:
    """Read a sheet, whose first row that is not empty names the columns; rows are numbered as in the sheet."""
    raw, source, options = table_input.raw, table_input.source, table_input.options
    start = raw.tell()
    magic = raw.read(len(COMPOUND_FILE_MAGIC))
    raw.seek(start)
    if not magic.startswith((ZIP_MAGIC, COMPOUND_FILE_MAGIC)):
        # What programs of the web call .xls is often a web page.
        is_markup = magic.lstrip().startswith(b"<")
        remedy = "save it as .xlsx or CSV" if is_markup else f"say what it is with {option('input_format')}"
        raise DataError(f"is {'a web page or XML' if is_markup else 'not an Excel workbook'}; {remedy}", source=source)
    try:
        import python_calamine
    except ImportError as error:
        raise DataError("is an Excel workbook; pip install 'probfs[excel]'", source=source) from error
    if magic.startswith(ZIP_MAGIC):
        _check_size(raw, source, options.max_unpacked)
        raw.seek(start)
    try:
        workbook = python_calamine.load_workbook(raw)
        sheets = [sheet.name for sheet in workbook.sheets_metadata if str(sheet.typ).endswith("WorkSheet")]
        if not sheets:
            raise DataError("has no sheet with cells", source=source)
        if options.sheet is not None and options.sheet not in sheets:
            problem = f"no sheet {quoted(options.sheet)} in {source}; choose from {listed(sheets, most=20)}"
            raise UsageError(f"{option('sheet')}: {problem}")
        sheet = workbook.get_sheet_by_name(options.sheet or sheets[0])
        first_row = 1 if sheet.start is None else sheet.start[0] + 1
        numbered = enumerate(sheet.to_python(skip_empty_area=True), first_row)
        rows = [(number, row) for number, row in numbered if any(cell != "" for cell in row)]
    except python_calamine.PasswordError as error:
        raise DataError("is protected by a password; save it without one", source=source) from error
    except BaseException as error:
        # The package is written in Rust, where a damaged file may cause a panic: an exception, but no Exception.
        if isinstance(error, (python_calamine.CalamineError, OSError)) or type(error).__name__ == "PanicException":
            reason = (str(error).splitlines() or ["damaged"])[0].rstrip(".").lower()
            problem = f"is not a readable Excel workbook: {reason}; save it again, or as CSV"
            raise DataError(problem, source=source) from error
        raise
    message = f"{source}: the first of {len(sheets)} sheets is read, {quoted(sheets[0])}"
    notes = [NoteKind.SHEETS.note(message)] if len(sheets) > 1 and options.sheet is None else []
    return _table_of_rows(rows, notes, options, source)


def _table_of_rows(rows: list[tuple[int, list[Cell]]], notes: list[Note], options: ReadOptions, source: str) -> Table:
    rows = [(number, row) for number, row in rows if number > (options.skip_rows or 0)]
    if not rows:
        raise DataError("is empty; a row of names and data rows are needed", source=source)
    first = [[_text(cell) for cell in row] for _, row in rows[:ROWS_LOOKED_AT]]
    titles = 0 if options.no_header or options.skip_rows is not None else count_titles(first)
    data = rows[titles + (not options.no_header) :]
    if not data:
        names = [name for name in first[titles] if name]
        raise NoRowsError("has no data rows below the row of names", source=source, columns=names)
    columns = list(zip(*(row for _, row in data), strict=True))
    # Columns without a name or a cell are for the eye.
    used = [
        place
        for place, cells in enumerate(columns)
        if any(cell != "" for cell in cells) or (first[titles][place] and not options.no_header)
    ]
    texts = [[row[place] for place in used] for row in first]
    header = read_header(texts, titles, source, no_header=options.no_header)
    named = list(zip(header.names, used, strict=True))[header.indexes :]
    lines = join_lines([[number for number, _ in data]])
    table = table_of_columns(
        (_column(name, columns[place]) for name, place in named), source, len(data), (*notes, *header.notes), lines
    )
    return replace(table, left_out=header.left_out)


def _column(name: str, cells: Sequence[Any]) -> Column:
    types = {type(cell) for cell in cells if cell != ""}
    if types and types <= {int, float}:
        return number_column(name, np.array([np.nan if cell == "" else cell for cell in cells], dtype=np.float64))
    texts = text_array([None if cell == "" else _text(cell) for cell in cells])
    if types and types <= {datetime.date, datetime.datetime}:
        dtype = pa.date32() if types == {datetime.date} else pa.timestamp("us")
        return Column(name, pa.chunked_array([texts.cast(dtype)]), Kind.DATE)
    return Column(name, pa.chunked_array([texts.dictionary_encode()]))


def _text(cell: Cell) -> str:
    """A cell as a CSV file would hold it."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    # Workbooks know no whole numbers: 7 is kept as 7.0.
    return short_number(cell) if isinstance(cell, float) else str(cell)


def _check_size(raw: BinaryIO, source: str, max_unpacked: int | None) -> None:
    """Refuse a workbook that unpacks to suspiciously much, or whose cells lie so far apart that they fill memory.

    Two cells, in the first and the last place of a sheet, are enough for 17 billion cells in between.
    """
    try:
        with zipfile.ZipFile(raw) as archive:
            members = archive.infolist()
            packed = sum(member.compress_size for member in members)
            unpacked = sum(member.file_size for member in members)
            which = f"the {shown_bytes(packed)} of the workbook"
            refuse_suspicious_size(unpacked, packed, max_unpacked, which, source)
            for member in members:
                if _SHEET.fullmatch(member.filename):
                    sheet = archive.read(member)
                    letters = set(_WIDE_CELL.findall(sheet))
                    # AB is column 28.
                    numbers = (sum(26**n * (letter - 64) for n, letter in enumerate(cell[::-1])) for cell in letters)
                    columns = max(numbers, default=_NARROW)
                    rows = max(map(int, set(_FAR_CELL.findall(sheet))), default=_NEAR)
                    if columns > _NARROW or rows > _NEAR:
                        require_memory(_CELL_BYTES * columns * rows, "this sheet", source)
    except DataError:
        # It says what is wrong already, and is a ValueError too.
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        raise DataError("is a damaged Excel workbook; fetch it, or save it, again", source=source) from error
