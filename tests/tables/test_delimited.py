"""CSV and TSV: the fast path against the csv module, and what is refused, with its line."""

from __future__ import annotations

import csv
import gzip
import json
import re

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from probfs.errors import DataError
from probfs.tables.readers import ReadOptions, csv_blocks, read_table
from probfs.text import command_line_language
from tests.support.table_content import Write, read_csv_text, table_content


def by_the_csv_module(text: str) -> tuple[list[tuple[int, list[str]]], str | None]:
    """Records with their first physical lines, and what is wrong after them."""
    lines = text.splitlines(keepends=True) if not set(text) & set("\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029") else []
    reader = csv.reader(lines, strict=True)
    records: list[tuple[int, list[str]]] = []
    start = 1
    try:
        for record in reader:
            if record:
                records.append((start, record))
            start = reader.line_num + 1
    except csv.Error as error:
        return records, str(error)
    return records, None


CSV_TEXT = st.text(alphabet=st.sampled_from('ab1,,""\n\n é '), max_size=40).map(lambda text: f"x,y\n{text}")


@settings(max_examples=400)
@given(CSV_TEXT, st.sampled_from([3, 7, 1 << 20]), st.booleans())
@example('x,y\n1,"a\n\nb"\n2,3\n', 7, False)
@example('x,y\n1,5" pipe\n2,3\n', 7, False)
@example("x,y\n1,2", 3, True)
@example('x,y\n1,,1"\na,,1"\n1', 3, False)
def test_csv_reads_what_the_csv_module_reads_or_refuses(text: str, block: int, crlf: bool) -> None:
    text = text.replace("\n", "\r\n") if crlf else text
    records, problem = by_the_csv_module(text)
    assume({len(record) for _, record in records[1:]} != {3})  # rows with names, which have tests of their own
    bad = next((line for line, record in records[1:] if len(record) != 2), None)
    # Where the first rows have three fields, the header may lack a name, and another row be the odd one.
    unlike_first = next((line for line, record in records[1:] if len(record) != len(records[1][1])), None)
    before = csv_blocks.BLOCK_BYTES
    csv_blocks.BLOCK_BYTES = block
    table = refused = None
    try:
        table = read_csv_text(text)
    except DataError as error:
        refused = error
    finally:
        csv_blocks.BLOCK_BYTES = before
    if refused is not None or table is None:
        assert bad is not None or problem is not None or len(records) == 1
        assert bad is None or (refused is not None and refused.line in (bad, unlike_first))
        return
    assert problem is None
    assert bad is None
    rows = [[cell or None for cell in record] for _, record in records[1:]]
    assert [list(row) for row in zip(*table_content(table).values(), strict=True)] == rows
    assert table.lines is not None
    assert [table.lines.line(row) for row in range(table.rows)] == [line for line, _ in records[1:]]


def test_cells_are_text_and_only_the_empty_one_is_missing() -> None:
    table = read_csv_text('a,b,y\n007,NA,0\n7,null,1\n7.0,"",0\n')
    assert table_content(table)["a"] == ["007", "7", "7.0"]
    assert table_content(table)["b"] == ["NA", "null", None]


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b"", None, "is empty"),
        (b"\n\n", None, "is empty"),
        (b"a,b\n", None, "no data rows"),
        (b"a,b\n1,2\n3,4,5\n", 3, "3 fields, but the header has 2"),
        (b'a,b\n"1\n\n1",2\n\n3\n', 6, "1 field, but the header has 2"),
        (b"a,b,a\n1,2,3\n", 1, "'a' is column 1 and 3"),
        (b",a,b,a\n0,1,2,3\n", 1, "'a' is column 2 and 4"),
        (b'a,b\n1,2\n3,"4\n5,6\n', 3, "never closed"),
        (b'a,b\n1,2\n3,"x"y\n', 3, "text follows a closing quote"),
        (b"a,b\n1,caf\xe9\n", 2, "not UTF-8"),
        (b"a,b\n1,x\0y\n", 2, "NUL"),
        ("a,b\n1,2\n".encode("utf-16"), None, "UTF-16"),
        (b"<!DOCTYPE html>\n<html><body>404</body></html>\n", None, "web page"),
        (b"a;b;c\n1;2\n", 1, "contains ';'; use delimiter="),
        (b"a;b|c\n1;2|3\n", 1, "contains ';'; use delimiter="),
        (b"a,b\n1,2,\n3,4,\n", 2, "3 fields, but the header has 2"),
        (b"PK\x03\x04rest", None, "zip archive"),
        (gzip.compress(b"a,b\n1,2\n" * 500, mtime=0)[:-20], None, "gzip data ends too early"),
        (gzip.compress(b"a,b\n1,2\n", mtime=0)[:-8] + b"\0" * 8, None, "gzip data is damaged"),
        (b"PAR1 is not all there is to it", None, "Parquet"),
    ],
)
def test_a_broken_csv_is_refused_with_its_line(write: Write, data: bytes, line: int | None, message: str) -> None:
    path = write("t.csv", data)
    with pytest.raises(DataError) as caught:
        read_table(path)
    assert message in str(caught.value)
    assert caught.value.line == line
    assert caught.value.source == str(path)


def test_lines_are_counted_alike_after_a_lone_carriage_return(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_blocks, "BLOCK_BYTES", 9)
    table = read_csv_text("x,y\n1,2\r3,4\n5,6\n7,8\r\n9,0\n")
    assert table.lines is not None
    assert [table.lines.line(row) for row in range(table.rows)] == [2, 3, 4, 5, 6]


def test_a_block_of_blank_cells_is_not_a_blank_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_blocks, "BLOCK_BYTES", 6)
    table = read_csv_text("a\ty\n1\t2\n\t\n \t\n", "\t")
    assert table_content(table) == {"a": ["1", None, " "], "y": ["2", None, None]}


@pytest.mark.parametrize(("delimiter", "shown"), [(";", "';'"), ("\t", "tab"), ("|", "'|'")])
def test_a_header_with_another_delimiter_names_the_option_as_the_caller_writes_it(delimiter: str, shown: str) -> None:
    text = f"a{delimiter}b\n1{delimiter}2\n"
    with pytest.raises(DataError, match=re.escape(f"contains {shown}; use delimiter={json.dumps(delimiter)}")):
        read_csv_text(text)
    with command_line_language(), pytest.raises(DataError, match=f"use --delimiter {re.escape(shown)}$"):
        read_csv_text(text)


@pytest.mark.parametrize(("delimiter", "shown"), [(";", "';'"), ("\t", "tabs"), ("|", "'|'")])
def test_another_delimiter_is_recognised_and_said(write: Write, delimiter: str, shown: str) -> None:
    rows = [["a", "b", "y"], ["1,5", "x", "p"], ["2,5", "z", "q"]]
    path = write("t.csv", "".join(delimiter.join(row) + "\n" for row in rows))
    table = read_table(path)
    assert table_content(table) == {"a": ["1,5", "2,5"], "b": ["x", "z"], "y": ["p", "q"]}
    assert table.notes == (f"{path}: cells are separated by {shown}",)


def test_a_delimiter_is_recognised_behind_quotes_and_without_an_ending(write: Write) -> None:
    path = write("data", b'"";"a";"y"\n"1";1,5;"p;q"\n"2";2;"r"\n')
    table = read_table(path)
    assert table_content(table) == {"a": ["1,5", "2"], "y": ["p;q", "r"]}
    assert [note.partition(": ")[2] for note in table.notes] == [
        "cells are separated by ';'",
        "the unnamed first column was left out as a row index",
    ]


def test_a_delimiter_that_was_chosen_is_not_doubted(write: Write) -> None:
    path = write("t.csv", "a;b\n1;2\n3;4\n")
    with pytest.raises(DataError, match="contains ';'"):
        read_table(path, ReadOptions(delimiter=","))
    with pytest.raises(DataError, match="contains ';'"):
        read_table(path, ReadOptions(format="tsv"))
    assert list(read_table(path, ReadOptions(format="csv")).columns) == ["a", "b"]


@pytest.mark.parametrize("block", [4, 1 << 20])
@pytest.mark.parametrize("name", ["", '""', "  ", "Unnamed: 0"])
def test_an_unnamed_first_column_is_left_out(monkeypatch: pytest.MonkeyPatch, block: int, name: str) -> None:
    monkeypatch.setattr(csv_blocks, "BLOCK_BYTES", block)
    table = read_csv_text(f'{name},a,,y\n0,x,1,p\n1,"z ""z""",2,q\n2,x,3,q\n')
    assert table_content(table) == {"a": ["x", 'z "z"', "x"], "column 3": ["1", "2", "3"], "y": ["p", "q", "q"]}
    assert table.left_out == (name.strip('"'),)
    assert table.notes == (
        "t.csv: the unnamed first column was left out as a row index",
        "t.csv: 1 column has no name, so named by position: 'column 3'",
    )
    assert table.lines is not None
    assert [table.lines.line(row) for row in range(3)] == [2, 3, 4]


@pytest.mark.parametrize("block", [60, 1 << 20])
def test_row_names_that_the_header_does_not_count_are_left_out(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(csv_blocks, "BLOCK_BYTES", block)
    table = read_csv_text('"mpg","cyl"\n"Mazda",21,6\n"Datsun, 710",22.8,4\n\n"Valiant",18,6\n')
    assert table_content(table) == {"mpg": ["21", "22.8", "18"], "cyl": ["6", "4", "6"]}
    assert table.notes == ("t.csv: the unnamed first column was left out as a row index",)


@pytest.mark.parametrize(
    "rows",
    [
        "1,2,3\n",  # one row is too little to judge by
        "1,2,3\n4,5\n",
        "1,2,3\n4,5,6,7\n",
        "3,5,x\n1,7,y\n",
        "1,5,x\n1,7,y\n",  # decimal commas: a name that two rows have is none
        ",2,3\nb,5,6\n",
        "1,2,\n4,5,\n",  # a delimiter at the end of each line
    ],
)
def test_rows_that_are_too_long_in_any_other_way_are_refused(rows: str) -> None:
    with pytest.raises(DataError, match="3 fields, but the header has 2") as caught:
        read_csv_text(f"a,b\n{rows}")
    assert caught.value.line == 2


def test_a_single_column_with_commas_has_no_row_names() -> None:
    with pytest.raises(DataError, match="2 fields, but the header has 1"):
        read_csv_text("x\n1,5\n2,5\n")
