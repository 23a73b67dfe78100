"""ARFF as Weka, OpenML and liac-arff write it, and what is refused, with its line."""

from __future__ import annotations

import arff
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.errors import DataError
from probfs.tables.readers import read_table
from probfs.tables.table import Kind
from tests.support.table_content import Write, read_bytes, table_content

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
red, 1, '2020-01-02 03:04', 'plain', a, yes
'dark blue',1.0,"2021-01-02 03:04",'a, b',b,no
% between
'it\\'s',?,?,'tab\\there', c ,yes
'?',+2.50,?,?,?,?
?,7,?,'100%',a,no, {0.5}
"""


def test_arff_reads_what_weka_and_openml_write(write: Write) -> None:
    table = read_table(write("odd.arff", ODD_ARFF))
    found = table_content(table)
    assert found["first name"] == ["red", "dark blue", "it's", "?", None]
    assert found["size"] == ["1", "1", None, "2.5", "7"]
    assert found["when"] == ["2020-01-02 03:04:00", "2021-01-02 03:04:00", None, None, None]
    assert found["note"] == ["plain", "a, b", "tab\there", None, "100%"]
    assert found["many"] == ["a", "b", "c", None, "a"]
    assert table.columns["first name"].values.to_pylist() == ["red", "dark blue", "it's", "?"]
    assert table.columns["when"].kind is Kind.DATE
    assert table.target_hint == ("Class", "the ARFF attribute of that name")
    assert table.notes == (f"{table.source}: instance weights are ignored",)
    assert table.lines is not None
    assert [table.lines.line(row) for row in range(5)] == [13, 14, 16, 17, 18]
    assert table_content(read_table(write("crlf.arff", "\ufeff" + ODD_ARFF.replace("\n", "\r\n")))) == found


def test_arff_cells_may_be_separated_by_tabs(write: Write) -> None:
    head = "@relation r\n@attribute a string\n@attribute b {p,q}\n@data\n"
    table = read_table(write("t.arff", head + "'x\ty'\tp\n'x, y'\tq\nplain\tp\n'x\ty',q\n"))
    assert table_content(table) == {"a": ["x\ty", "x, y", "plain", "x\ty"], "b": ["p", "q", "p", "q"]}


def test_one_number_is_one_value_however_it_is_written(write: Write) -> None:
    head = "@relation r\n@attribute a numeric\n@attribute y {p,q}\n@data\n"
    rows = ["1e15,p", "1000000000000000,q", "+1.50,p", "1.5,q", "-0,p", "0.0,q", "nan,p", "12345678901234567890,q"]
    table = read_table(write("t.arff", head + "\n".join(rows) + "\n"))
    expected = ["1000000000000000"] * 2 + ["1.5"] * 2 + ["0"] * 2 + [None, "12345678901234567890"]
    assert table_content(table)["a"] == expected


def test_sparse_rows_leave_out_zeros_and_first_values(write: Write) -> None:
    text = "@relation r\n@attribute a numeric\n@attribute b {x,y}\n@attribute class {p,q}\n@data\n"
    table = read_table(write("s.arff", text + "{0 3, 2 q}\n{}\n{1 'y'}\n{1 ?, 2 q}\n5,y,p\n"))
    assert table_content(table) == {
        "a": ["3", "0", "0", "0", "5"],
        "b": ["x", "x", "y", None, "y"],
        "class": ["q", "p", "p", "q", "p"],
    }


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("@relation r\n@attribute a numeric\n", 2, "no @data"),
        ("@relation r\n@attribute a {x,y}\n@data\nx\nz\n", 5, "'z' is not among the declared values: 'x', 'y'"),
        ("@relation r\n@attribute a relational\n@data\n", 2, "relational"),
        ("@relation r\n@attribute a numeric\n@attribute a {x}\n@data\n", 3, "declared on line 2 already"),
        ("@relation r\n@attribute a numeric\n@data\n{1 3}\n", 4, "index 1 is out of range"),
        ("@relation r\n@attribute a numeric\n@attribute b numeric\n@data\n1,2\n1\n", 6, "1 value, but 2 attributes"),
        ("@relation r\n@attribute a numeric\n@attribute b numeric\n@data\n1,\n", 5, "empty value"),
        ("@relation r\n@attribute a numeric\n@data\n1\nx\n", 5, "'x' is not a number"),
        ("@relation r\n@attribute a {x,y\n@data\n", 2, "never closed"),
        ("@relation r\n@attribute 'a {x,y}\n@data\n", 2, "never closed"),
        ("@relation r\n@attribute a {x,x}\n@data\n", 2, "declared twice"),
        ("@relation r\n@attribute a date yyyy\n@data\n2020\nlast\n", 5, "'last' is not a date"),
        ("@relation r\n@attribute a numeric\n@data\n", None, "no data rows"),
        ("@relation r\n@attribute a\n@data\n1\n", 2, "no type"),
        ("@relation r\n@attribute a colour\n@data\n1\n", 2, "'colour' is not one of"),
        ("hello\n", 1, "not an ARFF declaration"),
        ("", None, "is empty"),
    ],
)
def test_a_broken_arff_is_refused_with_its_line(write: Write, text: str, line: int | None, message: str) -> None:
    with pytest.raises(DataError) as caught:
        read_table(write("t.arff", text))
    assert message in str(caught.value)
    assert caught.value.line == line


def test_a_hostile_attribute_line_takes_linear_time(write: Write) -> None:
    hostile = "@relation r\n@attribute a {" + "'," * 50_000 + "\n@data\n1\n"
    with pytest.raises(DataError):
        read_table(write("t.arff", hostile))
    with pytest.raises(DataError):
        read_table(write("t.arff", "@relation r\n@attribute a string\n@data\n" + "'\\" * 50_000 + "\n"))


PLAIN = st.text(alphabet="abcxyz0123456789_", min_size=1, max_size=5)


@given(st.lists(st.tuples(PLAIN, st.integers(-99, 99), st.sampled_from(["p", "q r", "it's"])), min_size=1, max_size=8))
def test_dense_arff_equals_liac_arff(rows: list[tuple[str, int, str]]) -> None:
    document = {
        "relation": "r",
        "attributes": [("text", "STRING"), ("number", "INTEGER"), ("class", ["p", "q r", "it's"])],
        "data": [list(row) for row in rows],
    }
    text = arff.dumps(document)
    peer = arff.loads(text)["data"]
    table = table_content(read_bytes(text.encode(), "t.arff"))
    assert [list(row) for row in zip(*table.values(), strict=True)] == [[str(cell) for cell in row] for row in peer]


@pytest.mark.parametrize(
    ("head", "row"),
    [
        ("@attribute a string", r"'\ud800'"),
        ("@attribute a date 'yyyy yyyy'", "2020"),
        ("@attribute a date 'M MM'", "1"),
        ("@attribute a {'',x}", "''"),
        ("@attribute a string", "x" + " " * 60_000 + "y"),
        ("@attribute a string", "''"),
    ],
)
def test_odd_arff_values_are_read_without_a_traceback(write: Write, head: str, row: str) -> None:
    table = read_table(write("t.arff", f"@relation r\n{head}\n@attribute y {{p,q}}\n@data\n{row},p\n'x',q\n"))
    assert table.rows == 2


@pytest.mark.parametrize(
    ("head", "row"),
    [("@attribute a date 'yyyy-MM-dd Z'", "'0001-01-01 +1400'"), ("@attribute a numeric", "{" + "9" * 5000 + " 1}")],
)
def test_odd_arff_values_are_refused_without_a_traceback(write: Write, head: str, row: str) -> None:
    with pytest.raises(DataError):
        read_table(write("t.arff", f"@relation r\n{head}\n@data\n{row}\n"))


def test_a_weight_behind_a_tab_is_a_weight(write: Write) -> None:
    header = "@relation r\n@attribute a {0,1}\n@attribute class {p,q}\n@data\n"
    table = read_table(write("t.arff", header + "0\tp\t{2}\n1\tq\t{1}\n"))
    assert [column.codes.tolist() for column in table.columns.values()] == [[0, 1], [0, 1]]
    assert "instance weights are ignored" in table.notes[0]
