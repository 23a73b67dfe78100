"""CSV and TSV: cells, kinds and errors as Python's csv module and a plain rule give them."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from probfs.errors import DataError
from probfs.tables import csv as csv_reader
from probfs.tables import csv_head
from probfs.tables.cells import AMONG_NUMBERS, UNMISTAKABLE, Kind
from probfs.tables.column import Column
from probfs.tables.table import NoRowsError
from probfs.text import command_line_language
from tests.support.tables import lines_of, read_bytes, table_content

WORDS = {*UNMISTAKABLE, *AMONG_NUMBERS}
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


read = partial(read_bytes, delimiter=",")
"""A table of which the delimiter is said, so that no other one is looked for."""


def held(column: Column) -> list[Any]:
    """Cells as the column holds them: texts, or numbers; None where one is missing."""
    return [cell if cell != "" else None for cell in column.cells.to_pylist()]


@contextmanager
def small_steps(size: int) -> Iterator[None]:
    """Chunks, first blocks, Arrow's blocks and batches of few bytes and rows, as large files have them."""
    of_reader = {"_CHUNK_BYTES": size, "_BLOCK_BYTES": max(size, 16), "_BLOCK_ROWS": 1, "_ROWS_AT_ONCE": 2}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in of_reader.items():
            patch.setattr(csv_reader, name, value)
        patch.setattr(csv_head, "HEAD_BYTES", max(size, 8))
        patch.setattr(csv_head, "CELLS_LOOKED_AT", 2)
        yield


def records_of(text: str, delimiter: str) -> tuple[list[tuple[int, list[str]]], bool]:
    """Records with the lines on which they begin, as far as the csv module reads them, and whether that is all."""
    reader = csv.reader(re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", text), delimiter=delimiter, strict=True)
    found: list[tuple[int, list[str]]] = []
    start = 1
    try:
        for record in reader:
            if record:
                found.append((start, record))
            start = reader.line_num + 1
    except csv.Error:
        return found, False
    return found, True


def is_plain(cell: str) -> bool:
    stripped = cell.strip()
    number = NUMBER.fullmatch(stripped) is not None and not re.match(r"[+-]?0\d", stripped)
    return number and abs(float(stripped)) < 2**53


def expected_column(cells: list[str]) -> tuple[Kind, list[Any]]:
    """The kind of a column and its cells, by the rule alone."""
    present = [cell for cell in cells if cell]
    if present and all(map(is_plain, present)):
        return Kind.NUMBER, [float(cell) if cell else None for cell in cells]
    return Kind.TEXT, [cell or None for cell in cells]


CELLS = st.one_of(
    st.sampled_from(["1", "-2.5", "0", "0.5", "1e-07", "+3", "1E5", ".5", "5.", " 4", "7 ", "-0", "1e-400"]),
    st.sampled_from(["007", "-01", " 02", "+03", "00", "01.5", "1-05", "x 01", "1e07", "0e01", "2024-01-05", "12 08"]),
    st.sampled_from(["", "", " ", "NA", "nan", "?", "-", "..", " NA", "none", "inf", "-Infinity", "1e400", "NaN"]),
    st.sampled_from(["9007199254740992", "9007199254740991", "-9007199254740993", "1e15", "12345678901234567890"]),
    st.sampled_from(["a", "é", "\u00a05", "x\ty", "it's", "0x10", "1_000", "1,5", "1.2.3", "true", "\ufeff1", "٣"]),
    st.sampled_from(['"', 'a"b', "two\nlines", "\n", 'say ""', ",", ";", "0\n07", ",07", '",07'.replace('"', "")]),
    st.text(alphabet='01.-+eE, "\nab', max_size=6),
)
NUMBERS = st.one_of(st.floats(-1e9, 1e9).map(repr), st.integers(-(10**6), 10**6).map(str), st.just(""))


@st.composite
def written_tables(draw: st.DrawFn) -> tuple[str, str]:
    """A text and its delimiter: most columns of numbers with a few other cells, most rows of the right length."""
    delimiter = draw(st.sampled_from([",", ";", "\t", "|", " ", "-", "e"]))
    width = draw(st.integers(1, 4))
    usual = [draw(st.sampled_from([NUMBERS, CELLS])) for _ in range(width)]
    quoting: Any = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator=end)
    writer.writerow([f"n{place}" for place in range(width)])
    for _ in range(draw(st.integers(0, 8))):
        row = [draw(cells if draw(st.integers(0, 5)) else CELLS) for cells in usual]
        if draw(st.integers(0, 40)) == 0:
            row = row[:-1] or [*row, "1"]
        writer.writerow(row)
        if draw(st.integers(0, 8)) == 0:
            out.write(draw(st.sampled_from([end, end * 2, " " + end])))
    text = out.getvalue()
    return (text if draw(st.booleans()) else text.removesuffix(end)), delimiter


LOOSE = st.tuples(st.text(alphabet='ab10,,""\n\n é \r-.', max_size=40).map("n0,n1\n".__add__), st.just(","))
SIXTH_IS_NUMBERS = (
    "a,b,c,d,e,f,g\n"
    + "1,1,1,1,1,1,1\n" * 4
    + "".join(",".join("x" if place == row else "2" for place in range(7)) + "\n" for row in range(7) if row != 5)
)
ODD_AT_THE_END = "a,b,c,d,e,f,g\n" + "".join(f"{n},{n / 8},5,1,2,,3\n" for n in range(20_000))
ODD_AT_THE_END += "x,NA,007,nan,9007199254740993,6,\n"


@settings(max_examples=10 * settings().max_examples, deadline=None)
@given(st.one_of(written_tables(), LOOSE), st.sampled_from([1, 2, 3, 7, 64, 1 << 18]))
@example(('n0,n1\n1,"a\n\nb"\n2,3\n', ","), 7)
@example(('n0,n1\n1,5" pipe\n2,3\n', ","), 7)
@example(('n0,n1\n"abcde"f,2\n3,4\n', ","), 3)
@example(("n0,n1\n1,2\n3,NA\n4,\n", ","), 3)
@example(("n0,n1\n1,2\n3,4\n05,x\n", ","), 3)
@example(("n0,n1\n1,2\n3,nan\n05,12345678901234567890\n", ","), 3)
@example(("n0,n1\n1,1\n\n1,1\nNA,\n9007199254740992,1", ","), 1)
@example(('n0,n1\n1,2\r3,4\n\n5,"6"\n', ","), 3)
@example(("n0\n\ufeffa\n\ufeff2\n", ","), 64)
@example((f"a,b\n1,2\n3,{'x' * 5_000}\n4,5\n", ","), 64)
@example((SIXTH_IS_NUMBERS, ","), 3)
@example((SIXTH_IS_NUMBERS, ","), 1 << 18)
@example((ODD_AT_THE_END, ","), 1 << 18)
def test_cells_kinds_lines_and_errors_are_those_of_the_csv_module(written: tuple[str, str], step: int) -> None:
    text, delimiter = written
    records, whole = records_of(text, delimiter)
    width, rows = len(records[0][1]) if records else 0, records[1:]
    assume(width and all(len(record) != width + 1 for _, record in rows[:1]))  # row names have tests of their own
    bad = next((line for line, record in rows if len(record) != width), None)
    with small_steps(step):
        if bad is not None or not whole or not rows:
            with pytest.raises(DataError) as caught:
                read(text, delimiter=delimiter, skip_rows=0)
            assert bad is None or caught.value.line == bad
            assert whole or bad is not None or caught.value.line is not None
            return
        table = read(text, delimiter=delimiter, skip_rows=0)
    assert lines_of(table) == [line for line, _ in rows]
    for place, column in enumerate(table.columns.values()):
        kind, cells = expected_column([record[place] for _, record in rows])
        # Numbers are compared as texts, as -0.0 is not 0.0.
        assert (column.kind, list(map(str, held(column)))) == (kind, list(map(str, cells)))
        assert kind is Kind.TEXT or column.cells.type == pa.float64()


STEPS = pytest.mark.parametrize("step", [2, 1 << 18], ids=["in small steps", "at once"])


def test_columns_can_be_kept_as_text_or_left_in_the_file() -> None:
    text = ",a,b,c\n0,1,2,3\n1,4,5,6\n"
    table = read(text, as_text=lambda names: [names[0]], unneeded=lambda names: [names[1]])
    assert {name: held(column) for name, column in table.columns.items()} == {
        "a": ["1", "4"],
        "b": [None, None],
        "c": [3.0, 6.0],
    }
    assert [name for name, column in table.columns.items() if column.unread] == ["b"]
    nothing = read(text, unneeded=lambda names: names)
    assert (nothing.rows, all(column.unread for column in nothing.columns.values())) == (2, True)
    with pytest.raises(DataError, match="2 fields, but the header has 4"):
        read(text + "1,2\n", unneeded=lambda names: names)
    with pytest.raises(NoRowsError) as caught:
        read(",a,b\n")
    assert caught.value.columns == ("a", "b")


def test_with_decimal_commas_points_may_separate_thousands() -> None:
    text = "a;b;c\n1,5;1.234;7\n2;2.345;8\n"
    assert read(text, delimiter=";", decimal=",").kinds == {"a": "text", "b": "text", "c": "number"}
    assert read(text, delimiter=";").kinds == {"a": "text", "b": "text", "c": "number"}
    assert read(text.replace("2.345", "2.34"), delimiter=";").kinds == {"a": "text", "b": "number", "c": "number"}


@STEPS
def test_lines_before_the_header_are_passed_over(step: int) -> None:
    with small_steps(2 * step):
        table = read('A "title\rof 2024\n\na,b\n1,2\n\n3,4\n', skip_rows=3)
        assert (table_content(table), lines_of(table)) == ({"a": ["1", "3"], "b": ["2", "4"]}, [5, 7])
        with pytest.raises(DataError, match="is empty"):
            read("a,b\n1,2\n", skip_rows=2)
        with pytest.raises(DataError, match=r"^t\.csv:4: 3 fields"):
            read("title\na,b\n1,2\n1,2,3\n", skip_rows=1)


@pytest.mark.parametrize(("delimiter", "shown"), [(";", "';'"), ("\t", "tab"), ("|", "'|'")])
def test_another_delimiter_is_recognised_and_said_or_else_named(delimiter: str, shown: str) -> None:
    text = "a,b,y\n1#5,x,p\n2#5,z,q\n".replace(",", delimiter).replace("#", ",")
    table = read_bytes(text)
    assert table_content(table) == {"a": ["1,5", "2,5"], "b": ["x", "z"], "y": ["p", "q"]}
    assert table.notes == (f"t.csv: cells are separated by {shown.replace('tab', 'tabs')}",)
    with pytest.raises(DataError, match=re.escape(f"contains {shown}; use delimiter={json.dumps(delimiter)}")):
        read(text)
    with command_line_language(), pytest.raises(DataError, match=f"use --delimiter {re.escape(shown)}$"):
        read(text)
    assert read_bytes(text, decimal=",").notes == table.notes


def test_the_usual_delimiter_is_taken_where_others_split_as_well() -> None:
    assert list(read_bytes("a;b,c;d\n1;2,3;4\n").columns) == ["a;b", "c;d"]
    assert list(read_bytes("a;b,c;d\n1;2,3;4\n", decimal=",").columns) == ["a", "b,c", "d"]
    assert list(read_bytes("a,b\n1,2\n", decimal=",").columns) == ["a", "b"]


@pytest.mark.parametrize("step", [60, 1 << 18])
def test_row_names_that_the_header_does_not_count_are_left_out(step: int) -> None:
    with small_steps(step):
        table = read('"mpg","cyl"\n"Mazda",21,6\n"Datsun, 710",22.8,4\n\n"Valiant",18,6\n')
    assert table_content(table) == {"mpg": ["21", "22.8", "18"], "cyl": ["6", "4", "6"]}
    assert table.notes == ("t.csv: the unnamed first column was left out as a row index",)


# One row is too little to judge by; names are different and in order; decimal commas; a delimiter ends each line.
@pytest.mark.parametrize(
    "rows", ["1,2,3", "1,2,3 4,5", "1,2,3 4,5,6,7", "3,5,x 1,7,y", "1,5,x 1,7,y", ",2,3 b,5,6", "1,2, 4,5,"]
)
def test_rows_that_are_too_long_in_any_other_way_are_refused(rows: str) -> None:
    with pytest.raises(DataError, match=r"^t\.csv:2: 3 fields, but the header has 2"):
        read("a,b\n" + rows.replace(" ", "\n"))


def test_only_a_large_file_is_refused_for_want_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a,b\n" + "1,2\n" * 100_000
    # Rows are taken for 5 bytes each; doubles are asked for twice, as ranking takes as much again.
    needed = 2 * 8 * 2 * (400_000 // 5)
    for free, small, refused in ((9, 400_000, False), (needed - 1, 399_999, True), (needed, 399_999, False)):
        monkeypatch.setattr("probfs.runtime.memory.free_memory", lambda free=free: free)
        monkeypatch.setattr(csv_reader, "_SMALL_FILE", small)
        with pytest.raises(DataError, match=r"this table needs about 2\.44 MB") if refused else nullcontext():
            assert read(text).rows == 100_000
