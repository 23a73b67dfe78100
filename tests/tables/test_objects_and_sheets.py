"""JSON lines and Excel workbooks: what objects and sheets hold. (What is refused: `tests/test_hostile.py`.)"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import zipfile
from importlib.util import find_spec
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.errors import DataError, UsageError
from probfs.tables import json_lines
from probfs.tables.cells import Kind
from probfs.tables.opening import COMPOUND_FILE_MAGIC
from tests.support.tables import cell_texts, lines_of, read_bytes, table_content
from tests.support.workbook import Cell, Day, workbook_bytes

NUMBERS = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS)
CELLS = st.one_of(SCALARS, st.lists(SCALARS, max_size=2), st.dictionaries(TEXTS, SCALARS, max_size=2))
OBJECTS = st.lists(st.dictionaries(st.sampled_from("abc"), CELLS, max_size=3), min_size=1, max_size=8).filter(any)


def expected_text(value: Any) -> str | None:
    if value is None or value == "":
        return None
    return str(value).lower() if isinstance(value, bool) else value if isinstance(value, str) else repr(value)


@given(rows=OBJECTS, at_once=st.integers(1, 4), ends=st.sampled_from(["\n", "\r\n", "\n\n"]))
def test_every_object_is_a_row_and_every_key_a_column(rows: list[dict[str, Any]], at_once: int, ends: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_lines, "_ROWS_AT_ONCE", at_once)
        table = read_bytes("".join(json.dumps(row) + ends for row in rows), "t.jsonl")
    assert list(table.columns) == list(dict.fromkeys(key for row in rows for key in row))
    lines = lines_of(table)
    assert lines == [1 + ends.count("\n") * row for row in range(len(rows))]
    for key, column in table.columns.items():
        values = [row.get(key) for row in rows]
        nested = [isinstance(value, (list, dict)) for value in values]
        present = [value for value in values if value is not None]
        if any(nested):
            assert column.kind is Kind.NESTED
            assert f"on line {lines[nested.index(True)]}, which cannot be ranked" in str(column.problem)
        elif all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in present):
            assert (column.kind, column.problem) == (Kind.NUMBER, None)
            found = [None if text is None else float(text) for text in cell_texts(column)]
            assert found == [None if value is None else float(value) for value in values]
            assert pa.types.is_floating(column.cells.type) or any(abs(value) >= 1e15 for value in present)
        else:
            assert (column.kind, column.problem) == (Kind.TEXT, None)
            assert cell_texts(column) == [expected_text(value) for value in values]


def test_numbers_keep_what_their_spelling_says() -> None:
    text = '{"n": 9007199254740993, "m": 1.50, "s": "1.50"}\n{"n": 1, "m": "x", "s": "007"}\n'
    expected = {"n": ["9007199254740993", "1"], "m": ["1.50", "x"], "s": ["1.50", "007"]}
    assert table_content(read_bytes(text, "t.jsonl")) == expected
    numbers = ["1", "1.0", "1e0", "NaN", "-0", "-Infinity"]
    same = read_bytes("".join(f'{{"n": {number}}}\n' for number in numbers), "t.jsonl")
    assert table_content(same) == {"n": ["1", "1", "1", None, "0", "-inf"]}
    assert same.columns["n"].kind is Kind.NUMBER
    assert read_bytes('{"n": %s}\n' % ("9" * 10_000), "t.jsonl").rows == 1, "no limit on digits"


def test_columns_that_cannot_be_used_may_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "_ROWS_AT_ONCE", 2)
    text = '{"t": "x", "y": 1}\n{"y": 2, "o": {"x": 1, "x": 2}}\n{"t": null, "y": 3}\n{"t": "\\ud800"}\n{"t": [1]}\n'
    columns = read_bytes(text, "t.jsonl").columns
    remedy = "turn it into text or numbers, or leave it out"
    assert columns["t"].problem == f"holds text on line 4 that is not valid Unicode; {remedy}"
    assert (columns["t"].kind, columns["t"].counts()[-1]) == (Kind.TEXT, 2)
    assert columns["o"].kind is Kind.NESTED, "keys that stand twice inside are nobody's business"
    assert cell_texts(columns["y"]) == ["1", "2", "3", None, None]


@pytest.mark.parametrize(
    ("name", "encoding", "options"),
    [
        ("t.ndjson", "utf-16", {}),
        ("t.jsonl", "utf-32", {}),
        ("t.txt", "utf-8-sig", {}),
        ("t.csv", "utf-8", {"input_format": "jsonl"}),
    ],
)
def test_objects_of_other_encodings_and_names_are_read(name: str, encoding: str, options: dict[str, Any]) -> None:
    table = read_bytes('{"é": "ü", "y": 1}\r\n'.encode(encoding), name, encoding=encoding, **options)
    assert table_content(table) == {"é": ["ü"], "y": ["1"]}


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
calamine = pytest.mark.skipif(find_spec("python_calamine") is None, reason="python-calamine is not installed")


@calamine
def test_a_sheet_is_read_with_its_types_and_rows_are_numbered_as_in_it() -> None:
    for blank in range(3):
        table = read_bytes(workbook_bytes([*([] for _ in range(blank)), *ROWS]), "t.xlsx")
        assert (table_content(table), table.notes) == (CONTENT, ())
        assert lines_of(table) == [blank + 2, blank + 3, blank + 5]
    assert list(table.kinds.values()) == ["number", "number", "text", "date", "text", "text", "text"]
    whole = [1e15 - 1, 1e15, 2.5]
    assert table_content(read_bytes(workbook_bytes([["x"], ["a"], *([cell] for cell in whole)]), "t.xlsx"))["x"] == [
        *("a", "999999999999999", "1000000000000000.0", "2.5")
    ]


@calamine
def test_days_and_moments_of_one_column_are_moments() -> None:
    table = read_bytes(workbook_bytes([["when", "y"], [Day(45000), "p"], [Day(45000.5), "q"], [None, "p"]]), "t.xlsx")
    assert table_content(table)["when"] == ["2023-03-15 00:00:00", "2023-03-15 12:00:00", None]
    assert table.kinds == {"when": "date", "y": "text"}


@calamine
def test_a_picture_may_stand_before_the_sheets() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(workbook_bytes(ROWS))) as archive, zipfile.ZipFile(packed, "w") as other:
        other.writestr("docProps/thumbnail.jpeg", bytes(400_000))
        for name in archive.namelist():
            other.writestr(name, archive.read(name))
    assert table_content(read_bytes(packed.getvalue(), "t.xlsx")) == CONTENT


@calamine
def test_a_sheet_is_chosen_by_its_name_and_rows_above_the_names_are_skipped() -> None:
    data = workbook_bytes([["other"], ["sheet"]], [[], ["a title"], [], *ROWS])
    table = read_bytes(data, "t.xlsx", sheet="Sheet2", skip_rows=2)
    assert (table_content(table), table.notes, lines_of(table)) == (CONTENT, (), [5, 6, 8])
    assert read_bytes(data, "t.xlsx").notes == ("t.xlsx: the first of 2 sheets is read, 'Sheet1'",)
    with pytest.raises(UsageError, match=r"^sheet=: no sheet 'Sheet3' in t\.xlsx; choose from 'Sheet1', 'Sheet2'$"):
        read_bytes(data, "t.xlsx", sheet="Sheet3")
    with pytest.raises(DataError, match=r"^t\.xlsx: is empty; a row of names and data rows are needed$"):
        read_bytes(data, "t.xlsx", skip_rows=9)


@pytest.mark.parametrize("name", ["titanic.xlsx", "titanic.xls", "titanic"])
def test_without_the_package_the_message_says_what_to_install(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    data = COMPOUND_FILE_MAGIC + bytes(600) if name.endswith(".xls") else workbook_bytes(ROWS)
    with pytest.raises(DataError, match=rf"^{name}: is an Excel workbook; pip install 'probfs\[excel\]'$"):
        read_bytes(data, name)


@calamine
def test_damaged_and_large_workbooks_are_refused_in_one_line() -> None:
    data = workbook_bytes(ROWS)
    for length in range(len(data) - 1, 60, -41):
        with pytest.raises(DataError):
            read_bytes(data[:length], "t.xlsx")
    for place in range(4, len(data), 13):
        with contextlib.suppress(DataError):
            read_bytes(data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :], "t.xlsx")
    with pytest.raises(DataError, match=r"of the workbook unpack to more than .* allow it with max_unpacked="):
        read_bytes(data, "t.xlsx", max_unpacked=1000)


@calamine
@pytest.mark.parametrize(
    ("last", "needed"),
    [("XFD1048576", 16384 * 1048576), ("AB2", 28 * 99_999), ("A100000", 26 * 100_000), ("Z99999", 0)],
)
def test_two_cells_far_apart_do_not_fill_memory(last: str, needed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    row = last.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    cells = f'<row r="1"><c r="A1"><v>1</v></c></row><row r="{row}"><c r="{last}"><v>1</v></c></row>'
    sheet = f"<worksheet><sheetData>{cells}</sheetData></worksheet>".encode()
    asked: list[int] = []

    def refuse(bytes_needed: int, *_: object) -> None:
        asked.append(bytes_needed)
        raise DataError("is too large", source="t.xlsx")

    monkeypatch.setattr("probfs.tables.excel.require_memory", refuse)
    with contextlib.suppress(DataError):
        read_bytes(workbook_bytes(members={"xl/worksheets/sheet1.xml": sheet}), "t.xlsx")
    assert asked == [100 * needed] * (needed > 0)
