"""Excel workbooks: a sheet as a table, and what is said of a workbook that cannot be read."""

from __future__ import annotations

import contextlib
import io
import sys
import zipfile
from importlib.util import find_spec

import pytest

from probfs.errors import DataError, UsageError
from probfs.runtime import memory
from probfs.tables.cells import Kind
from probfs.tables.opening import COMPOUND_FILE_MAGIC
from probfs.tables.reading import ReadOptions, read_table
from probfs.tables.table import Table
from tests.support.tables import Write, read_bytes, table_content
from tests.support.workbook import Cell, Day, workbook_bytes

ROWS: list[list[Cell]] = [
    ["n", "x", "flag", None, "day", "mixed", 2020, "y"],
    [1, 0.5, True, None, Day(45000), 1, "007", "p"],
    [None, "#N/A", False, None, None, "one", "a", "q"],
    [],
    [3, -2, None, None, Day(45001), None, "é<", "p"],
]
CONTENT = {
    "n": ["1", None, "3"],
    "x": ["0.5", None, "-2"],
    "flag": ["true", "false", None],
    "day": ["2023-03-15", None, "2023-03-16"],
    "mixed": ["1", "one", None],
    "2020": ["007", "a", "é<"],
    "y": ["p", "q", "p"],
}
NO_ROWS = "is empty; a row of names and data rows are needed"
calamine = pytest.mark.skipif(find_spec("python_calamine") is None, reason="python-calamine is not installed")


def lines(table: Table) -> list[int]:
    assert table.lines is not None
    return list(table.lines)


@calamine
def test_the_first_sheet_is_read_with_its_types_and_rows_are_numbered_as_in_it() -> None:
    for blank in range(3):
        table = read_bytes(workbook_bytes([*([] for _ in range(blank)), *ROWS]), "t.xlsx")
        assert (table_content(table), table.notes) == (CONTENT, ())
        assert lines(table) == [blank + 2, blank + 3, blank + 5]
    text, number = Kind.TEXT, Kind.NUMBER
    assert [column.kind for column in table.columns.values()] == [number, number, text, Kind.DATE, text, text, text]


@calamine
def test_a_picture_may_stand_before_the_sheets() -> None:
    with zipfile.ZipFile(io.BytesIO(workbook_bytes(ROWS))) as archive:
        members = {
            "docProps/thumbnail.jpeg": bytes(400_000),
            **{name: archive.read(name) for name in archive.namelist()},
        }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    assert table_content(read_bytes(packed.getvalue(), "t.xlsx")) == CONTENT


@calamine
def test_days_and_moments_of_one_column_are_moments() -> None:
    table = read_bytes(workbook_bytes([["when", "y"], [Day(45000), "p"], [Day(45000.5), "q"], [None, "p"]]), "t.xlsx")
    assert table_content(table)["when"] == ["2023-03-15 00:00:00", "2023-03-15 12:00:00", None]
    assert table.kinds == {"when": "date", "y": "text"}


@calamine
def test_a_sheet_is_chosen_by_its_name_and_rows_above_the_names_are_skipped(write: Write) -> None:
    path = write("t.xlsx", workbook_bytes([["other"], ["sheet"]], [[], ["a title"], [], *ROWS]))
    table = read_table(path, ReadOptions(sheet="Sheet2", skip_rows=2))
    assert (table_content(table), table.notes, lines(table)) == (CONTENT, (), [5, 6, 8])
    (note,) = read_table(path).notes
    assert note.endswith("t.xlsx: the first of 2 sheets is read, 'Sheet1'")
    with pytest.raises(UsageError, match=r"^sheet=: no sheet 'Sheet3' in .*t\.xlsx; choose from 'Sheet1', 'Sheet2'$"):
        read_table(path, ReadOptions(sheet="Sheet3"))
    with pytest.raises(DataError, match=NO_ROWS):
        read_table(path, ReadOptions(skip_rows=9))


@pytest.mark.parametrize("name", ["titanic.xlsx", "titanic.xls", "titanic"])
def test_without_the_package_the_message_says_what_to_install(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    data = COMPOUND_FILE_MAGIC + bytes(600) if name.endswith(".xls") else workbook_bytes(ROWS)
    with pytest.raises(DataError, match=rf"{name}: is an Excel workbook; pip install 'probfs\[excel\]'$"):
        read_bytes(data, name)


@calamine
@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (workbook_bytes([]), NO_ROWS),
        (workbook_bytes([["a", "y"]]), "has no data rows below the row of names"),
        (b"a,y\n1,p\n", "is not an Excel workbook; say what it is with input_format="),
        (COMPOUND_FILE_MAGIC + bytes(600), "is not a readable Excel workbook: "),
        (
            workbook_bytes(ROWS, members={"xl/media/image.png": bytes(70 << 20)}),
            "of the workbook unpack to more than 64",
        ),
    ],
    ids=["empty", "names only", "CSV", "damaged", "bomb"],
)
def test_what_is_no_table_is_refused(data: bytes, problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        read_bytes(data, "t.xlsx")


@calamine
def test_damaged_workbooks_are_refused_in_one_line(write: Write) -> None:
    data = workbook_bytes(ROWS)
    for length in range(len(data) - 1, 60, -41):
        with pytest.raises(DataError):
            read_bytes(data[:length], "t.xlsx")
    for place in range(4, len(data), 13):
        with contextlib.suppress(DataError):
            read_bytes(data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :], "t.xlsx")
    with pytest.raises(DataError, match=r"of the workbook unpack to more than .* allow it with max_unpacked="):
        read_table(write("t.xlsx", data), ReadOptions(max_unpacked=1000))


@calamine
def test_two_cells_far_apart_do_not_fill_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = b'<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    # The reference to the last cell stands where the second block of the sheet begins.
    start = b"<worksheet><sheetData>".ljust((8 << 20) - cells.index(b"D1048576"))
    sheet = start + cells + b"</sheetData></worksheet>"
    monkeypatch.setattr(memory, "free_memory", lambda: 64 << 30)
    with pytest.raises(DataError, match=r"t\.xlsx: this sheet needs about .* of memory"):
        read_bytes(workbook_bytes(members={"xl/worksheets/sheet1.xml": sheet}), "t.xlsx")
