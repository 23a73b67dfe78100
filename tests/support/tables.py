"""Small tables read from text, bytes or frames: as lists of texts, prepared, and encoded as a ranking has them."""

from __future__ import annotations

import contextlib
import io
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from probfs.columns.choice import ColumnChoice
from probfs.columns.dataset import Dataset
from probfs.columns.encode import encode
from probfs.columns.mapping import parse_mapping
from probfs.columns.prepare import PreparedTable, prepare
from probfs.ranking.inputs import reading_for
from probfs.tables.column import Column
from probfs.tables.csv import read_delimited
from probfs.tables.frames import table_in_memory
from probfs.tables.opening import ReadOptions, TableInput
from probfs.tables.reading import read_table
from probfs.tables.table import Table

Write = Callable[[str, "str | bytes"], Path]
"""The fixture that writes a small file."""


def cell_texts(column: Column) -> list[str | None]:
    """The text of every cell, None for a missing one."""
    texts = [*column.values.to_pylist(), None]
    return [texts[code] for code in column.codes]


def table_content(table: Table) -> dict[str, list[str | None]]:
    """The cells of every column."""
    return {name: cell_texts(column) for name, column in table.columns.items()}


def read_csv_text(text: str | bytes, delimiter: str = ",", options: ReadOptions | None = None) -> Table:
    """Read a CSV file with this content."""
    data = text.encode() if isinstance(text, str) else text
    raw: io.BufferedReader = io.BufferedReader(io.BytesIO(data))
    return read_delimited(TableInput(raw, "t.csv", options or ReadOptions(), delimiter))


def read_bytes(data: str | bytes, name: str = "t.csv", **options: Any) -> Table:
    """Read a file with this content and name, whose ending decides the format; messages call it by its name."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path(name).write_bytes(data.encode() if isinstance(data, str) else data)
        return read_table(name, ReadOptions(**options))


def put(files: Mapping[str, str | bytes]) -> None:
    """Write files with these names and contents, and the folders in which they are."""
    for name, content in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(content.encode() if isinstance(content, str) else content)


def lines_of(table: Table) -> list[int]:
    """The line of every row."""
    assert table.lines is not None
    return list(table.lines)


def feather_bytes(table: pa.Table, stream: bool = False, rows: int | None = None, **options: Any) -> bytes:
    """An Arrow IPC file, or a stream, perhaps in batches of so many rows."""
    sink = io.BytesIO()
    open_writer = pa.ipc.new_stream if stream else pa.ipc.new_file
    with open_writer(sink, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table, rows)
    return sink.getvalue()


def parquet_bytes(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


# Small tables prepared and encoded as a ranking would have them


def prepare_csv(text: str, mapping: str = "", decimal: str | None = None, **choice: Any) -> PreparedTable:
    """A CSV file ``t.csv`` with this content, prepared with the mapping ``m.toml`` and a choice of columns; cells are
    separated by semicolons if there are any.
    """
    rules, columns = parse_mapping(mapping.encode(), "m.toml"), ColumnChoice(**choice)
    options = reading_for(ReadOptions(decimal=decimal), rules, columns, every_column=True)
    return prepare(read_csv_text(text, ";" if ";" in text else ",", options), rules, columns, decimal)


def prepare_frame(columns: Any, mapping: str = "", decimal: str | None = None, **choice: Any) -> PreparedTable:
    """A data frame, or its columns, prepared in the same way."""
    table = table_in_memory(pd.DataFrame(columns), "data")
    return prepare(table, parse_mapping(mapping.encode(), "m.toml"), ColumnChoice(**choice), decimal)


def encode_csv(text: str, mapping: str = "", unlabelled: Sequence[str] = (), **choice: Any) -> Dataset:
    """The dataset of a CSV file and of further ones without classes."""
    dataset, _ = encode(prepare_csv(text, mapping, **choice), [read_csv_text(other) for other in unlabelled])
    return dataset


def csv_of(rows: int = 0, **columns: Sequence[object] | Callable[[int], object]) -> str:
    """CSV of columns, each given by its cells or by the cell of each row, and of a class ``y``, p and q in turns."""
    number = max([rows, *(len(cells) for cells in columns.values() if not callable(cells))])
    every: dict[str, Sequence[object] | Callable[[int], object]] = {"y": lambda n: "pq"[n % 2], **columns}
    names = [*(name for name in columns if name != "y"), "y"]
    made = [[one(n) for n in range(number)] if callable(one := every[name]) else one for name in names]
    return csv_of_rows(names, list(zip(*made, strict=True)))


def csv_of_rows(names: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """CSV of cells that need no quotes."""
    return "".join(f"{','.join(map(str, row))}\n" for row in (names, *rows))


# A small Excel workbook, written by hand: no package is needed to make what the reader is tested with

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_DATE_STYLE = 1


class Day(float):
    """A cell that shows a number of days since 1900 as a date, or as a moment of that day."""


Cell = str | float | bool | Day | None


def workbook_bytes(*sheets: Sequence[Sequence[Cell]], members: dict[str, bytes] | None = None) -> bytes:
    """An .xlsx file with these sheets, each a list of rows; ``members`` are put in front of the archive."""
    numbers = range(1, len(sheets) + 1)
    listed = "".join(f'<sheet name="Sheet{n}" sheetId="{n}" r:id="rId{n}"/>' for n in numbers)
    related = "".join(
        f'<Relationship Id="rId{n}" Type="{_RELATIONS}/worksheet" Target="worksheets/sheet{n}.xml"/>' for n in numbers
    )
    styles = (
        '<numFmts count="0"/><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs>'
    )
    files = {
        **(members or {}),
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{_RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">{related}<Relationship '
        f'Id="rIdS" Type="{_RELATIONS}/styles" Target="styles.xml"/></Relationships>',
        "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}">{styles}</styleSheet>',
        **{f"xl/worksheets/sheet{n}.xml": _sheet(rows) for n, rows in zip(numbers, sheets, strict=True)},
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"/>',
    }
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return sink.getvalue()


def _sheet(rows: Sequence[Sequence[Cell]]) -> str:
    written = ""
    for number, row in enumerate(rows, start=1):
        cells = "".join(_cell(f"{chr(65 + place)}{number}", cell) for place, cell in enumerate(row))
        written += f'<row r="{number}">{cells}</row>'
    return f'<worksheet xmlns="{_MAIN}"><sheetData>{written}</sheetData></worksheet>'


def _cell(place: str, cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return f'<c r="{place}" t="b"><v>{float(cell):g}</v></c>'
    if isinstance(cell, Day):
        return f'<c r="{place}" s="{_DATE_STYLE}"><v>{float(cell):g}</v></c>'
    if isinstance(cell, str) and cell.startswith("#"):
        return f'<c r="{place}" t="e"><v>{escape(cell)}</v></c>'
    if isinstance(cell, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{escape(cell)}</t></is></c>'
    return f'<c r="{place}"><v>{cell!r}</v></c>'
