"""Excel workbooks: the first sheet as a table, and what is said of a workbook that cannot be read."""

from __future__ import annotations

import contextlib
import io
import sys
import zipfile

import pytest

import probfs
from probfs.errors import DataError
from probfs.runtime import memory
from probfs.tables.readers import ReadOptions, read_table
from probfs.tables.readers.sheet_size import check_sheet_size
from probfs.tables.table import Kind
from probfs.tables.workbooks import COMPOUND_FILE_MAGIC
from tests.support.commands import Run
from tests.support.table_content import Write, read_bytes, table_content
from tests.support.workbook import Cell, Day, workbook_bytes

ROWS: list[list[Cell]] = [
    ["n", "x", "flag", "day", "mixed", 2020, "y"],
    [1, 0.5, True, Day(45000), 1, "007", "p"],
    [None, "#N/A", False, None, "one", "a", "q"],
    [],
    [3, -2, None, Day(45001), None, "é<", "p"],
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


@pytest.fixture
def calamine() -> None:
    pytest.importorskip("python_calamine")


@pytest.mark.usefixtures("calamine")
def test_the_first_sheet_is_read_with_its_types() -> None:
    table = read_bytes(workbook_bytes(ROWS, [["other"], ["sheet"]]), "t.xlsx")
    assert table_content(table) == CONTENT
    text, number = Kind.TEXT, Kind.NUMBER
    assert [column.kind for column in table.columns.values()] == [number, number, text, Kind.DATE, text, text, text]
    (note,) = table.notes
    assert note.endswith("t.xlsx: the first of 2 sheets is read, 'Sheet1'")


@pytest.mark.usefixtures("calamine")
def test_rows_are_numbered_as_in_the_sheet() -> None:
    for blank in range(3):
        table = read_bytes(workbook_bytes([*([] for _ in range(blank)), *ROWS]), "t.xlsx")
        assert table_content(table) == CONTENT
        assert table.notes == ()
        assert table.lines is not None
        assert [table.lines.line(row) for row in range(3)] == [blank + 2, blank + 3, blank + 5]


@pytest.mark.usefixtures("calamine")
def test_columns_without_name_and_cells_are_not_there() -> None:
    table = read_bytes(workbook_bytes([["a", None, "y", None], [1, None, "p", None]]), "t.xlsx")
    assert table_content(table) == {"a": ["1"], "y": ["p"]}


@pytest.mark.usefixtures("calamine")
def test_a_workbook_is_known_by_its_content(run: Run) -> None:
    data = workbook_bytes(ROWS)
    assert table_content(read_bytes(data, "t")) == CONTENT
    # The beginning shows no member of a workbook here; only the directory at the end does.
    late = workbook_bytes(ROWS, members={"a.bin": bytes(range(256)) * 2000})
    stored = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(late)) as source, zipfile.ZipFile(stored, "w") as archive:
        for name in source.namelist():
            archive.writestr(name, source.read(name))
    assert table_content(read_bytes(stored.getvalue(), "t")) == CONTENT
    for told in ((), ("--input-format", "excel")):
        result = run("inspect", "-", "--format", "csv", *told, stdin=data)
        assert (result.returncode, result.stdout.count("\n")) == (0, 8), result.stderr


@pytest.mark.usefixtures("calamine")
def test_a_workbook_ranks_as_its_csv_does(write: Write) -> None:
    rows: list[list[Cell]] = [["a", "b", "y"], *([i % 2, "uvw"[i % 3], "pq"[i % 2]] for i in range(12))]  # type: ignore[list-item]
    text = "".join(",".join(map(str, row)) + "\n" for row in rows)
    assert (
        probfs.rank(write("t.xlsx", workbook_bytes(rows)), target="y").to_csv()
        == probfs.rank(write("t.csv", text), target="y").to_csv()
    )


@pytest.mark.parametrize("name", ["titanic.xlsx", "titanic.xls", "titanic"])
def test_without_the_package_the_message_says_what_to_install(
    name: str, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    data = COMPOUND_FILE_MAGIC + bytes(600) if name.endswith(".xls") else workbook_bytes(ROWS)
    with pytest.raises(DataError, match=rf"{name}: is an Excel workbook; pip install 'probfs\[excel\]'$"):
        read_table(write(name, data))


@pytest.mark.usefixtures("calamine")
@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([], "is empty; a row of names and data rows are needed"),
        ([["a", "y"]], "has no data rows below the row of names"),
        ([["a", "a"], [1, 2]], "two columns are called 'a'; rename one"),
    ],
)
def test_a_sheet_that_is_no_table_is_refused(rows: list[list[Cell]], problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        read_bytes(workbook_bytes(rows), "t.xlsx")


@pytest.mark.usefixtures("calamine")
def test_damaged_workbooks_are_refused_in_one_line() -> None:
    data = workbook_bytes(ROWS)
    for length in range(len(data) - 1, 60, -41):
        with pytest.raises(DataError):
            read_bytes(data[:length], "t.xlsx")
    for place in range(4, len(data), 13):
        damaged = data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :]
        with contextlib.suppress(DataError):
            read_bytes(damaged, "t.xlsx")
    with pytest.raises(DataError, match="is no readable Excel workbook: "):
        read_bytes(COMPOUND_FILE_MAGIC + bytes(600), "t.xls")


def test_a_workbook_that_unpacks_to_too_much_is_refused(write: Write) -> None:
    pytest.importorskip("python_calamine")
    path = write("t.xlsx", workbook_bytes(ROWS))
    with pytest.raises(DataError, match=r"of the workbook unpack to more than .* allow it with max_unpacked="):
        read_table(path, ReadOptions(max_unpacked=1000))
    bomb = workbook_bytes(ROWS, members={"xl/media/image.png": bytes(70 << 20)})
    with pytest.raises(DataError, match="of the workbook unpack to more than 64"):
        check_sheet_size(io.BytesIO(bomb), "t.xlsx", None)


def test_two_cells_far_apart_do_not_fill_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = b'<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    sheet = b"<worksheet><sheetData>" + b" " * (8 << 20) + cells + b"</sheetData></worksheet>"
    data = workbook_bytes(members={"xl/worksheets/sheet1.xml": sheet})
    monkeypatch.setattr(memory, "free_memory", lambda: 64 << 30)
    with pytest.raises(DataError, match=r"^t\.xlsx: this sheet needs about .* of memory"):
        check_sheet_size(io.BytesIO(data), "t.xlsx", None)
    check_sheet_size(io.BytesIO(workbook_bytes(ROWS)), "t.xlsx", None)


@pytest.mark.parametrize("name", ["t.xlsx", "t.csv", "t.zip"])
def test_another_zip_archive_is_called_one(name: str) -> None:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr("t.csv", "a,y\n1,p\n")
    with pytest.raises(DataError, match="is a zip archive; unpack it first"):
        read_bytes(sink.getvalue(), name)
    # What is damaged is what its name says.
    damaged = "is a damaged Excel workbook; fetch it, or save it, again" if name == "t.xlsx" else "is a zip archive"
    for data in (sink.getvalue()[:-30], b"PK\x03\x04rest"):
        with pytest.raises(DataError, match=damaged):
            read_bytes(data, name)
