"""ARFF, JSON lines and Excel as programs and people write them. (What is refused: `tests/test_hostile.py`.)"""

from __future__ import annotations

import contextlib
import json
import sys
from datetime import datetime
from functools import partial
from importlib.util import find_spec
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.errors import DataError
from probfs.tables import arff as arff_reader
from probfs.tables import json_lines
from probfs.tables.cells import Kind
from probfs.tables.opening import COMPOUND_FILE_MAGIC
from tests.support.tables import Cell, Day, cell_texts, lines_of, read_bytes, table_content, workbook_bytes

read_arff = partial(read_bytes, name="t.arff")
HEADER = "@relation r\n@attribute a numeric\n@attribute b {x,y}\n@attribute c string\n@data\n"
WEIGHTS = "t.arff: instance weights are ignored"
every_line_end = pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])


ODD_ARFF = """% a comment
@RELATION 'an odd one'

@attribute 'first name' {red, 'dark blue', "it's", '?'}  % trailing comment
@ATTRIBUTE\tsize\tREAL [0, 10]
@attribute when date "yyyy-MM-dd HH:mm"
@attribute note string
@attribute many { a,
   b,  % the second
   c }
@attribute Class {yes,no}
@data
red, 1, '2020-01-02 03:04', 'plain', a, yes %one
'dark blue',1.0,"2021-01-02 03:04",'a, b',b,no
% between
'it\\'s',?,?,'tab\\there', c ,yes
'?',+2.50,?,?,?,?
?,7,?,'100%',a,no, {0.5}
"""


@every_line_end
def test_arff_reads_what_weka_and_openml_write(end: str) -> None:
    table = read_arff("\ufeff" + ODD_ARFF.replace("\n", end))
    assert table_content(table) == {
        "first name": ["red", "dark blue", "it's", "?", None],
        "size": ["1", "1", None, "2.5", "7"],
        "when": ["2020-01-02 03:04:00", "2021-01-02 03:04:00", None, None, None],
        "note": ["plain", "a, b", "tab\there", None, "100%"],
        "many": ["a", "b", "c", None, "a"],
        "Class": ["yes", "no", "yes", None, "no"],
    }
    assert table.columns["first name"].values.to_pylist() == ["red", "dark blue", "it's", "?"]
    assert table.columns["size"].cells.type == pa.float64()
    assert table.columns["when"].kind is Kind.DATE
    assert table.target_hint == ("Class", "the ARFF attribute of that name")
    assert table.notes == (WEIGHTS,)
    assert lines_of(table) == [13, 14, 16, 17, 18]


def test_one_number_is_one_value_however_it_is_written() -> None:
    head = "@relation r\n@attribute a numeric\n@attribute y {p,q}\n@data\n"
    rows = "1e15,p\n1000000000000000,q\n+1.50,p\n1.5,q\n-0,p\n0.0,q\nnan,p\n?,q\n007,p\n"
    expected = ["1000000000000000"] * 2 + ["1.5"] * 2 + ["0"] * 2 + [None, None, "7"]
    assert table_content(read_arff(head + rows))["a"] == expected
    assert table_content(read_arff(head + rows + "{1 q}"))["a"] == [*expected, "0"], "row by row"


FORMS: dict[str, tuple[str, list[str]]] = {
    "blanks between values": ("1 x u\n  2   y  v \n", ["u", "v"]),
    "a comma after the last value": ("1,x,u,\n2,y,v , \n", ["u", "v"]),
    "comments and blank lines between rows": ("% a\n1,x,u\n\n  %b\n \t\n2,y,v\n%", ["u", "v"]),
    "comments behind rows": ("1,x,u % one, 'two\n2,y,'v'%two\n", ["u", "v"]),
    "weights": ("1,x,u {5}\n2 y v { 0.5 }, % twice\n", ["u", "v"]),
    "weights behind tabs and values": ("1\tx\tu\t{2}\n2,y,'v'{1}\n", ["u", "v"]),
    "sparse rows": ("{0 1, 2 u}\n{ 2 'v', 0 2,1 y }\n", ["u", "v"]),
    "sparse rows with weights": ("{0 1, 2 u}, {0.5}\n{0 2,1 y,2 v}{2},\n", ["u", "v"]),
    "sparse rows with long values": (
        "{0 1,2 abcdefghijkl}\n{0 2,1 y,2 'm n o p q r s'}\n",
        ["abcdefghijkl", "m n o p q r s"],
    ),
    "quoted question marks": ("1,x,'?'\n'2','y',\" ?\"\n", ["?", " ?"]),
    "blanks inside values": ("1,x,u u\n2,y,v, {3}\n", ["u u", "v"]),
    "blanks inside quotes": ("1,x,' u'\n2,y,' '\n", [" u", " "]),
    "percent signs and apostrophes inside values": ("1,x,it's\n2,y,100% % all\n", ["it's", "100%"]),
    "a quoted comma behind a blank": ("1 x 'u,u'\n2 y v\n", ["u,u", "v"]),
    "no-break spaces around values": ("1,\xa0x,u\xa0\n2,y,'v'\n", ["u", "v"]),
}


@pytest.mark.parametrize("name", FORMS)
@every_line_end
def test_rows_may_have(name: str, end: str) -> None:
    rows, texts = FORMS[name]
    table = read_arff((HEADER + rows).replace("\n", end))
    assert table_content(table) == {"a": ["1", "2"], "b": ["x", "y"], "c": texts}
    assert table.notes == ((WEIGHTS,) if "weights" in name or "{3}" in rows else ())


@pytest.mark.parametrize(
    "header",
    [
        "@attribute a real % c\n\n% c\n@attribute b {x, % c\n y}%c\n@ATTRIBUTE\tc\tSTRING %\n",
        "@attribute a INTEGER [0,\t9]\n@attribute b {x y 'z z'}\n@attribute c string\n",
        "@attribute a real\n@attribute b {New York, x, y}\n@attribute c string\n",
    ],
)
def test_declarations_may_have_blanks_commas_and_comments(header: str) -> None:
    table = read_arff(f"@relation r\n{header}@data % 9,x,w\n1,x,u\n2,y,v\n")
    assert table_content(table) == {"a": ["1", "2"], "b": ["x", "y"], "c": ["u", "v"]}


def test_what_is_ignored_in_declarations_is_noted() -> None:
    header = "@attribute 'column 2' real [0,9] of years\n@attribute '' {x,y} {2}\n@attribute ' ' string\n"
    table = read_arff(f"@relation r\n{header}@data\n1,x,u\n2,y,v\n")
    assert table_content(table) == {"column 2": ["1", "2"], "column 2 (2)": ["x", "y"], "column 3": ["u", "v"]}
    assert table.notes == (
        "t.arff: 2 attributes have no name, so named by position: 'column 2 (2)', 'column 3'",
        "t.arff: attribute 'column 2': 'of years' after the type is ignored",
        "t.arff: attribute '': '{2}' after the type is ignored",
    )


VALUES = {
    "numeric": ["1", "2.5", "2.50", "-0", "1e2", "+7", "nan", "0", "?"],
    "{x,y,'z z'}": ["x", "y", "'z z'", "?"],
    "string": ["u", "'v w'", "'?'", "?", "x"],
}
DEFAULTS = {"numeric": "0", "{x,y,'z z'}": "x", "string": None}
MEANINGS = {"2.50": "2.5", "-0": "0", "1e2": "100", "+7": "7", "nan": None, "?": None}


@st.composite
def arff_tables(draw: st.DrawFn) -> tuple[list[str], list[dict[int, str]], list[bool]]:
    kinds = draw(st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=5))
    row = st.fixed_dictionaries({}, optional={place: st.sampled_from(VALUES[kind]) for place, kind in enumerate(kinds)})
    rows = draw(st.lists(row, min_size=1, max_size=6))
    return kinds, rows, [len(row) < len(kinds) or draw(st.booleans()) for row in rows]


@given(arff_tables(), st.sampled_from([16 << 20, 16]), st.sampled_from([",", ", "]))
def test_cells_are_the_same_in_any_form_and_block(
    table: tuple[list[str], list[dict[int, str]], list[bool]], block: int, comma: str
) -> None:
    kinds, rows, sparse = table
    head = "@relation r\n" + "".join(f"@attribute a{place} {kind}\n" for place, kind in enumerate(kinds)) + "@data\n"
    lines = [
        "{" + comma.join(f"{place} {row[place]}" for place in row) + "}"
        if is_sparse
        else comma.join(row[place] for place in sorted(row))
        for row, is_sparse in zip(rows, sparse, strict=True)
    ]
    expected = {
        f"a{place}": [
            MEANINGS.get(row[place], row[place].strip("'")) if place in row else DEFAULTS[kind] for row in rows
        ]
        for place, kind in enumerate(kinds)
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arff_reader, "_BLOCK", block)
        found = read_arff(head + "\n".join(lines))
        patch.setattr(arff_reader._DataReader, "_read_plain", lambda *_: None)
        one_by_one = read_arff(head + "\n".join(lines))
    assert table_content(found) == table_content(one_by_one) == expected
    assert lines_of(found) == list(range(len(kinds) + 3, len(kinds) + 3 + len(rows)))


@pytest.mark.parametrize(
    ("pattern", "cell", "is_date"),
    [
        ("", "2020-01-02T15:04:00", True),
        ('""', "2020-01-02T15:04:00", True),
        ('"yyyy-MM-dd HH:mm"', "2020-01-02 15:04", True),
        ("yyyy-MM-dd'T'HH:mm:ss", "2020-01-02T15:04:00", True),
        ("'kk:mm'", "24:00", False),
        ("'yyyy-MM-dd'", "x y", False),
        ("'dd.MM.yyyy'", "31.12.2020", False),
    ],
)
def test_declared_dates_are_dates_if_they_are_understood(pattern: str, cell: str, is_date: bool) -> None:
    table = read_arff(f"@relation r\n@attribute e date {pattern}\n@attribute y {{a}}\n@data\n'{cell}',a\n?,a\n")
    column = table.columns["e"]
    assert (column.kind, [note.code for note in table.notes]) == (
        (Kind.DATE, []) if is_date else (Kind.TEXT, ["date-format"])
    )
    assert column.cells.to_pylist() == [datetime(2020, 1, 2, 15, 4) if is_date else cell, None]


NUMBERS = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS)
JSON_CELLS = st.one_of(SCALARS, st.lists(SCALARS, max_size=2), st.dictionaries(TEXTS, SCALARS, max_size=2))
OBJECTS = st.lists(st.dictionaries(st.sampled_from("abc"), JSON_CELLS, max_size=3), min_size=1, max_size=8).filter(any)


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
    picture = {"docProps/thumbnail.jpeg": Random(0).randbytes(400_000)}
    assert table_content(read_bytes(workbook_bytes(ROWS, members=picture), "t.xlsx")) == CONTENT


@calamine
def test_rows_above_the_names_of_a_chosen_sheet_are_skipped() -> None:
    data = workbook_bytes([["other"], ["sheet"]], [[], ["a title"], [], *ROWS])
    table = read_bytes(data, "t.xlsx", sheet="Sheet2", skip_rows=2)
    assert (table_content(table), table.notes, lines_of(table)) == (CONTENT, (), [5, 6, 8])
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
