"""A small Excel workbook, written by hand: no package is needed to make what the reader is tested with."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from xml.sax.saxutils import escape

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
