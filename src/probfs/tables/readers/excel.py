"""The first sheet of an Excel workbook -> Table."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any, BinaryIO, TypeAlias

import numpy as np

from probfs.errors import DataError
from probfs.notes import Note, NoteKind
from probfs.tables.arrow_arrays import text_array
from probfs.tables.readers.arrow import table_of_columns
from probfs.tables.readers.column_builder import ColumnBuilder
from probfs.tables.readers.sheet_size import check_sheet_size
from probfs.tables.row_lines import RowLines
from probfs.tables.table import Column, Kind, NoRowsError, Table
from probfs.tables.workbooks import COMPOUND_FILE_MAGIC, ZIP_MAGIC
from probfs.text import option, quoted

Cell: TypeAlias = "str | float | bool | datetime.date | datetime.time | datetime.timedelta"
"""A cell as the package reads it; an empty one, and one that holds an error such as #N/A, is an empty text."""


def read_excel(raw: BinaryIO, source: str, max_unpacked: int | None = None) -> Table:
    """Read the first sheet, whose first row that is not empty names the columns; rows are numbered as in the sheet."""
    start = raw.tell()
    magic = raw.read(len(COMPOUND_FILE_MAGIC))
    raw.seek(start)
    if not magic.startswith((ZIP_MAGIC, COMPOUND_FILE_MAGIC)):
        remedy = f"say what it is with {option('input_format')}"
        raise DataError(f"is no Excel workbook; {remedy}", source=source)
    try:
        import python_calamine
    except ImportError as error:
        raise DataError("is an Excel workbook; pip install 'probfs[excel]'", source=source) from error
    if magic.startswith(ZIP_MAGIC):
        check_sheet_size(raw, source, max_unpacked)
        raw.seek(start)
    try:
        first_row, rows, notes = _read_first_sheet(python_calamine.load_workbook(raw), source)
    except python_calamine.PasswordError as error:
        raise DataError("is protected by a password; save it without one", source=source) from error
    except BaseException as error:
        # The package is written in Rust, where a damaged file may cause a panic: an exception, but no Exception.
        if isinstance(error, (python_calamine.CalamineError, OSError)) or type(error).__name__ == "PanicException":
            reason = (str(error).splitlines() or ["damaged"])[0].rstrip(".").lower()
            problem = f"is no readable Excel workbook: {reason}; save it again, or as CSV"
            raise DataError(problem, source=source) from error
        raise
    return _table_of_rows(rows, first_row, source, notes)


def _read_first_sheet(workbook: Any, source: str) -> tuple[int, list[list[Cell]], tuple[Note, ...]]:
    """The row of the sheet in which its cells begin, the rows from there on, and notes."""
    sheets = [sheet.name for sheet in workbook.sheets_metadata if str(sheet.typ).endswith("WorkSheet")]
    if not sheets:
        raise DataError("has no sheet with cells", source=source)
    sheet = workbook.get_sheet_by_name(sheets[0])
    message = f"{source}: the first of {len(sheets)} sheets is read, {quoted(sheets[0])}"
    notes = (NoteKind.SHEETS.note(message),) if len(sheets) > 1 else ()
    first_row = 1 if sheet.start is None else sheet.start[0] + 1
    return first_row, sheet.to_python(skip_empty_area=True), notes


def _table_of_rows(rows: list[list[Cell]], first_row: int, source: str, notes: tuple[Note, ...]) -> Table:
    if not rows:
        raise DataError("is empty; a row of names and data rows are needed", source=source)
    header, *data = rows
    # Rows that hold nothing are for the eye, and so are columns without a name or a cell.
    kept = [place for place, row in enumerate(data) if any(cell != "" for cell in row)]
    if not kept:
        names = [_text(name) for name in header if name != ""]
        raise NoRowsError("has no data rows below the row of names", source=source, columns=names)
    cells = list(zip(*(data[place] for place in kept), strict=True))
    columns = [
        _column(_text(name), values)
        for name, values in zip(header, cells, strict=True)
        if name != "" or any(cell != "" for cell in values)
    ]
    lines = RowLines.of(np.array(kept, dtype=np.int64) + first_row + 1)
    return table_of_columns(columns, source, len(kept), notes, lines)


def _column(name: str, cells: Sequence[Cell]) -> Column:
    builder = ColumnBuilder(name)
    builder.append(text_array([None if cell == "" else _text(cell) for cell in cells]))
    return builder.finish(_kind_of({type(cell) for cell in cells if cell != ""}))[0]


def _kind_of(types: set[type]) -> Kind:
    if types and types <= {int, float}:
        return Kind.NUMBER
    return Kind.DATE if types and types <= {datetime.date, datetime.datetime} else Kind.TEXT


def _text(cell: Cell) -> str:
    """A cell as a CSV file would hold it."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        # Workbooks know no whole numbers: 7 is kept as 7.0.
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else repr(cell)
    return str(cell)
