"""The same table from every kind of file, the fast path against the slow one, and what is refused, with its line."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from unittest.mock import patch

import arff
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import probfs
from probfs.errors import DataError, ProbfsError
from probfs.tables.readers import ReadOptions, csv_blocks as delimited, read_table
from probfs.tables.readers.delimited import read_delimited
from probfs.tables.readers.frame import table_from_frame
from probfs.tables.source import Utf8Stream
from probfs.tables.table import Column, Kind, Table
from probfs.tables.writers import table_bytes as written
from tests.conftest import SAMPLES, Run

Write = Callable[[str, "str | bytes"], Path]


def cells(column: Column) -> list[str | None]:
    texts = [*column.values.to_pylist(), None]
    return [texts[code] for code in column.codes]


def content(table: Table) -> dict[str, list[str | None]]:
    return {name: cells(column) for name, column in table.columns.items()}


def from_csv(text: str | bytes, delimiter: str = ",") -> Table:
    data = text.encode() if isinstance(text, str) else text
    return read_delimited(Utf8Stream(io.BytesIO(data), "utf-8", "t.csv"), delimiter)


# --- every format ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def breast_cancer_csv() -> str:
    ranking = probfs.rank(SAMPLES / "breast_cancer.csv", exclude=["sample_id"])
    return ranking.to_csv()


def test_every_format_gives_the_same_ranking(tmp_path: Path, breast_cancer_csv: str) -> None:
    frame = pd.read_csv(SAMPLES / "breast_cancer.csv", dtype=str, keep_default_na=False)
    frame.to_csv(tmp_path / "t.tsv", sep="\t", index=False)
    frame.replace("", None).to_parquet(tmp_path / "text.parquet")
    pd.read_csv(SAMPLES / "breast_cancer.csv").to_parquet(tmp_path / "typed.parquet")
    packed = gzip.compress((SAMPLES / "breast_cancer.csv").read_bytes())
    for name in ("t.csv.gz", "misnamed.csv"):
        (tmp_path / name).write_bytes(packed)
    (tmp_path / "t.arff.gz").write_bytes(gzip.compress((SAMPLES / "breast_cancer.arff").read_bytes()))
    for path in [*sorted(tmp_path.iterdir()), SAMPLES / "breast_cancer.arff"]:
        assert probfs.rank(path, exclude=["sample_id"]).to_csv() == breast_cancer_csv, path.name
    for data in (frame, pd.read_csv(SAMPLES / "breast_cancer.csv")):
        assert probfs.rank(data, exclude=["sample_id"]).to_csv() == breast_cancer_csv


@pytest.mark.parametrize("kind", ["csv", "arff", "parquet"])
def test_standard_input_gives_the_same_ranking(run: Run, tmp_path: Path, breast_cancer_csv: str, kind: str) -> None:
    if kind == "parquet":
        pd.read_csv(SAMPLES / "breast_cancer.csv").to_parquet(tmp_path / "t.parquet")
        data = (tmp_path / "t.parquet").read_bytes()
    else:
        data = (SAMPLES / f"breast_cancer.{kind}").read_bytes()
    for told in ((), ("--input-format", kind)):
        result = run("rank", "-", "--exclude", "sample_id", *told, stdin=data)
        assert (result.returncode, result.stdout) == (0, breast_cancer_csv), result.stderr
    assert run("rank", "-", "--exclude", "sample_id", stdin=gzip.compress(data)).stdout == breast_cancer_csv


# --- CSV ------------------------------------------------------------------------------------------------------------


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
def test_csv_reads_what_the_csv_module_reads_or_refuses(text: str, block: int, crlf: bool) -> None:
    text = text.replace("\n", "\r\n") if crlf else text
    records, problem = by_the_csv_module(text)
    bad = next((line for line, record in records[1:] if len(record) != 2), None)
    before = delimited.BLOCK_BYTES
    delimited.BLOCK_BYTES = block
    table = refused = None
    try:
        table = from_csv(text)
    except DataError as error:
        refused = error
    finally:
        delimited.BLOCK_BYTES = before
    if refused is not None or table is None:
        assert bad is not None or problem is not None or len(records) == 1
        assert bad is None or (refused is not None and refused.line == bad)
        return
    assert problem is None
    assert bad is None
    rows = [[cell or None for cell in record] for _, record in records[1:]]
    assert [list(row) for row in zip(*content(table).values(), strict=True)] == rows
    assert table.lines is not None
    assert [table.lines.line(row) for row in range(table.rows)] == [line for line, _ in records[1:]]


def test_cells_are_text_and_only_the_empty_one_is_missing() -> None:
    table = from_csv('a,b,y\n007,NA,0\n7,null,1\n7.0,"",0\n')
    assert content(table)["a"] == ["007", "7", "7.0"]
    assert content(table)["b"] == ["NA", "null", None]


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b"", None, "is empty"),
        (b"\n\n", None, "is empty"),
        (b"a,b\n", None, "no data rows"),
        (b"a,b\n1,2\n3,4,5\n", 3, "3 fields, but the header has 2"),
        (b'a,b\n"1\n\n1",2\n\n3\n', 6, "1 field, but the header has 2"),
        (b"a,b,a\n1,2,3\n", 1, "'a' is column 1 and 3"),
        (b"a,,c\n1,2,3\n", 1, "column 2 has no name"),
        (b'a,b\n1,2\n3,"4\n5,6\n', 3, "never closed"),
        (b'a,b\n1,2\n3,"x"y\n', 3, "text follows a closing quote"),
        (b"a,b\n1,caf\xe9\n", 2, "not UTF-8"),
        (b"a,b\n1,x\0y\n", 2, "NUL"),
        ("a,b\n1,2\n".encode("utf-16"), None, "UTF-16"),
        (b"<!DOCTYPE html>\n<html><body>404</body></html>\n", None, "web page"),
        (b"a;b;c\n1;2;3\n", 1, "use --delimiter ';'"),
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


def test_line_ends_byte_order_marks_and_encodings(write: Write) -> None:
    expected = {"é": ["1", "3"], "y": ["2", "4"]}
    for text in (
        "é,y\n1,2\n3,4\n",
        "é,y\r\n1,2\r\n3,4",
        "é,y\r1,2\r3,4\r",
        "\ufeffé,y\n1,2\n3,4\n",
        "\n\né,y\n\n1,2\n3,4\n",
    ):
        assert content(read_table(write("t.csv", text))) == expected, repr(text)
    for encoding in ("latin-1", "utf-16", "cp1252"):
        data = "é,y\n1,2\n3,4\n".encode(encoding)
        assert content(read_table(write("t.csv", data), ReadOptions(encoding=encoding))) == expected
    with pytest.raises(ProbfsError, match="no encoding 'klingon'"):
        read_table(write("t.csv", "a,b\n1,2\n"), ReadOptions(encoding="klingon"))


@pytest.mark.parametrize("distinct", [254, 255, 256, 257, 65_535, 65_536, 65_537])
def test_codes_are_wide_enough(distinct: int) -> None:
    table = from_csv("a,b\n" + "".join(f"v{number},{number % 2}\n" for number in range(distinct)) + ",0\n")
    column = table.columns["a"]
    assert cells(column) == [*(f"v{number}" for number in range(distinct)), None]
    assert column.codes.dtype.itemsize == (1 if distinct < 256 else 2 if distinct < 65_536 else 4)


def test_lines_are_counted_alike_after_a_lone_carriage_return(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "BLOCK_BYTES", 9)
    table = from_csv("x,y\n1,2\r3,4\n5,6\n7,8\r\n9,0\n")
    assert table.lines is not None
    assert [table.lines.line(row) for row in range(table.rows)] == [2, 3, 4, 5, 6]


def test_a_block_of_blank_cells_is_not_a_blank_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "BLOCK_BYTES", 6)
    assert content(from_csv("a\ty\n1\t2\n\t\n \t\n", "\t")) == {"a": ["1", None, " "], "y": ["2", None, None]}


# --- ARFF -----------------------------------------------------------------------------------------------------------

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
    found = content(table)
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
    assert content(read_table(write("crlf.arff", "\ufeff" + ODD_ARFF.replace("\n", "\r\n")))) == found


def test_arff_cells_may_be_separated_by_tabs(write: Write) -> None:
    head = "@relation r\n@attribute a string\n@attribute b {p,q}\n@data\n"
    table = read_table(write("t.arff", head + "'x\ty'\tp\n'x, y'\tq\nplain\tp\n'x\ty',q\n"))
    assert content(table) == {"a": ["x\ty", "x, y", "plain", "x\ty"], "b": ["p", "q", "p", "q"]}


def test_one_number_is_one_value_however_it_is_written(write: Write) -> None:
    head = "@relation r\n@attribute a numeric\n@attribute y {p,q}\n@data\n"
    rows = ["1e15,p", "1000000000000000,q", "+1.50,p", "1.5,q", "-0,p", "0.0,q", "nan,p", "12345678901234567890,q"]
    table = read_table(write("t.arff", head + "\n".join(rows) + "\n"))
    assert content(table)["a"] == ["1000000000000000"] * 2 + ["1.5"] * 2 + ["0"] * 2 + [None, "12345678901234567890"]


def test_sparse_rows_leave_out_zeros_and_first_values(write: Write) -> None:
    text = "@relation r\n@attribute a numeric\n@attribute b {x,y}\n@attribute class {p,q}\n@data\n"
    table = read_table(write("s.arff", text + "{0 3, 2 q}\n{}\n{1 'y'}\n{1 ?, 2 q}\n5,y,p\n"))
    assert content(table) == {
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
        ("hello\n", 1, "no ARFF declaration"),
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


NAMES = st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6).filter(str.strip)
VALUES = st.text(alphabet=st.sampled_from("ab ,'\"%?{}\\\n\té~"), min_size=1, max_size=5)


@given(
    st.lists(NAMES, min_size=2, max_size=4, unique=True),
    st.lists(st.lists(st.one_of(st.none(), VALUES), min_size=4, max_size=4), min_size=1, max_size=6),
    st.sampled_from(["csv", "tsv", "arff", "parquet"]),
)
def test_what_is_written_is_read_back(names: list[str], rows: list[list[str | None]], kind: str) -> None:
    columns = {name: [row[position] for row in rows] for position, name in enumerate(names)}
    table = table_from_frame(pd.DataFrame(columns, dtype=object).map(lambda cell: cell))
    if all(cell is None for cell in columns[names[-1]]) or all(cell is None for cell in columns[names[0]]):
        return
    data = written(table, kind)  # type: ignore[arg-type]  # one of the formats
    suffix = Path(f"t.{kind}")
    back = read_back(data, suffix)
    assert content(back) == columns


def read_back(data: bytes, name: Path) -> Table:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        return read_table(path)


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
    table = content(read_back(text.encode(), Path("t.arff")))
    assert [list(row) for row in zip(*table.values(), strict=True)] == [[str(cell) for cell in row] for row in peer]


# --- typed tables ---------------------------------------------------------------------------------------------------


def test_typed_columns_become_the_texts_a_csv_would_hold() -> None:
    frame = pd.DataFrame(
        {
            "whole": pd.array([1, None, 3], dtype="Int64"),
            "float": [1.0, 2.5, float("nan")],
            "flag": [True, False, None],
            "kind": pd.Categorical(["x", None, "y"], categories=["y", "x", "unused"]),
            "day": pd.to_datetime(pd.Series(["2020-01-01 00:00:00", "2020-01-02 03:04:05", None])),
            "mixed": [1, "one", None],
            5: ["a", "b", "c"],
        }
    )
    found = content(table_from_frame(frame))
    assert found["whole"] == ["1", None, "3"]
    assert found["float"] == ["1", "2.5", None]
    assert [None if cell is None else cell.lower() for cell in found["flag"]] == ["true", "false", None]
    assert found["kind"] == ["x", None, "y"]
    assert found["day"] == ["2020-01-01 00:00:00", "2020-01-02 03:04:05", None]
    assert found["mixed"] == ["1", "one", None]
    assert found["5"] == ["a", "b", "c"]


def test_odd_frames_are_read_or_refused_in_one_line() -> None:
    odd = pd.DataFrame(
        {"none": pd.Categorical([None] * 4), "half": np.array([1, 2, 1, 2], dtype=np.float16), "y": list("ppqq")}
    )
    assert content(table_from_frame(odd)) == {"none": [None] * 4, "half": ["1", "2", "1", "2"], "y": list("ppqq")}
    huge = pd.DataFrame({"big": pd.Series([10**30, 1], dtype=object), "y": ["p", "q"]})
    assert content(table_from_frame(huge))["big"] == [str(10**30), "1"]
    for bad in ([[1], [2]], ["\ud800", "x"]):
        with pytest.raises(DataError):
            table_from_frame(pd.DataFrame({"bad": pd.Series(bad, dtype=object), "y": ["p", "q"]}))


def test_a_stored_index_is_a_column_if_it_has_a_name(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": ["x", "y"], "y": ["0", "1"]}, index=[5, 9])
    frame.to_parquet(tmp_path / "unnamed.parquet")
    frame.rename_axis("person").to_parquet(tmp_path / "named.parquet")
    unnamed = read_table(tmp_path / "unnamed.parquet")
    assert (list(unnamed.columns), len(unnamed.notes)) == (["a", "y"], 1)
    assert "person" in read_table(tmp_path / "named.parquet").columns


def test_a_nested_parquet_column_is_named_in_the_error(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [[1, 2], [3]], "y": ["0", "1"]}), tmp_path / "t.parquet")
    with pytest.raises(DataError, match="column 'a' holds list"):
        read_table(tmp_path / "t.parquet")
    (tmp_path / "t.parquet").write_bytes(b"PAR1" + b"x" * 50 + b"PAR1")
    with pytest.raises(DataError, match="no readable Parquet"):
        read_table(tmp_path / "t.parquet")


def test_a_carriage_return_in_a_cell_survives_being_written() -> None:
    frame = pd.DataFrame({"cr\rx": ["1", "2"], "y": ["p\rq", "r\r\ns"]})
    for kind in ("csv", "tsv"):
        back = read_back(written(table_from_frame(frame), kind), Path(f"t.{kind}"))
        assert content(back) == {"cr\rx": ["1", "2"], "y": ["p\rq", "r\r\ns"]}


def test_large_integers_survive_parquet() -> None:
    frame = pd.DataFrame({"n": [9007199254740993, 9007199254740992], "y": ["p", "q"]})
    back = read_back(written(table_from_frame(frame), "parquet"), Path("t.parquet"))
    assert content(back)["n"] == ["9007199254740993", "9007199254740992"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (gzip.compress(gzip.compress(b"a,b\n1,2\n", mtime=0), mtime=0), "gzipped twice"),
        (b"BZh91AY&SY", "bzip2"),
        (b"\xfd7zXZ\x00\x00", "xz"),
    ],
)
def test_other_compressions_are_named(write: Write, data: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_table(write("t.csv", data))


@pytest.mark.parametrize("encoding", ["rot13", "hex", "zlib", "base64"])
def test_an_encoding_that_is_not_of_text_is_refused(write: Write, encoding: str) -> None:
    with pytest.raises(ProbfsError, match="no encoding"):
        read_table(write("t.csv", "a,b\n1,2\n"), ReadOptions(encoding=encoding))


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


PLAIN_CELLS = st.sampled_from(["", "a", "b", "é", "1", "-1.5", "sevenby", "x y", "?", " ", "\ufeff"])
LESS_PLAIN = st.sampled_from(["longer than seven", '"q"', '"a\nb"', "a\rb", "\0"])


@st.composite
def large_files(draw: st.DrawFn) -> bytes:
    """Text that is plain for the most part: short cells, one line end, as many cells in every line."""
    columns = draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(PLAIN_CELLS, min_size=columns, max_size=columns), min_size=1, max_size=30))
    lines = [",".join(row) for row in rows]
    if draw(st.integers(0, 3)) == 0:
        lines[draw(st.integers(0, len(lines) - 1))] = draw(st.sampled_from(["", "a", "a,b,c,d,e"]) | LESS_PLAIN)
    end = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    header = ",".join(f"c{number}" for number in range(columns))
    text = end.join([header, *lines]) + draw(st.sampled_from([end, "", end * 2]))
    return text.encode() + draw(st.sampled_from([b"", b"", b"", b"\xff"]))


def read_with(splitting: int, content: bytes, block: int) -> list[object] | str:
    with (
        patch("probfs.tables.readers.cell_splitter.WORTH_SPLITTING", splitting),
        patch("probfs.tables.readers.csv_blocks.BLOCK_BYTES", block),
    ):
        try:
            table = read_delimited(Utf8Stream(io.BytesIO(content), "utf-8", "t"), ",")
        except DataError as error:
            return str(error)
    lines = table.lines
    return [table.rows, None if lines is None else (lines.first_rows.tolist(), lines.first_lines.tolist())] + [
        (name, column.values.to_pylist(), column.codes.tolist()) for name, column in table.columns.items()
    ]


@settings(max_examples=400)
@given(large_files(), st.sampled_from([1, 40, 1 << 20]))
def test_machine_code_splits_cells_as_the_others_do(content: bytes, block: int) -> None:
    assert read_with(0, content, block) == read_with(1 << 60, content, block)


@pytest.mark.parametrize("distinct", [254, 255, 256, 300])
def test_columns_of_many_values_are_left_to_pyarrow(distinct: int) -> None:
    content = ("a,b\n" + "".join(f"{i % distinct},{i}\n" for i in range(2_000))).encode()
    one = ("a,b\n" + "".join(f"{i % distinct},x\n" for i in range(2_000))).encode()
    for text in (content, one):
        assert read_with(0, text, 1 << 20) == read_with(1 << 60, text, 1 << 20)


def test_a_weight_behind_a_tab_is_a_weight(write: Callable[[str, str | bytes], Path]) -> None:
    header = "@relation r\n@attribute a {0,1}\n@attribute class {p,q}\n@data\n"
    table = read_table(write("t.arff", header + "0\tp\t{2}\n1\tq\t{1}\n"))
    assert [column.codes.tolist() for column in table.columns.values()] == [[0, 1], [0, 1]]
    assert "instance weights are ignored" in table.notes[0]


def test_years_of_two_digits_are_near_today_and_odd_formats_are_noted(
    write: Callable[[str, str | bytes], Path],
) -> None:
    header = '@relation r\n@attribute d date "dd/MM/yy"\n@attribute e date "kk:mm"\n@data\n'
    year = datetime.now().year
    near, far = (year + 19) % 100, (year + 22) % 100
    table = read_table(write("t.arff", f"{header}01/02/{near:02},24:00\n01/02/{far:02},24:00\n"))
    assert table.columns["d"].values.to_pylist() == [f"{year + 19}-02-01 00:00:00", f"{year - 78}-02-01 00:00:00"]
    assert table.columns["e"].values.to_pylist() == ["24:00"]
    assert table.notes[0].endswith("the date format 'kk:mm' is not understood, so its dates are taken as text")


def test_arff_is_recognised_by_its_text(run: Run) -> None:
    text = "@relation r\n@attribute a {0,1}\n@attribute class {p,q}\n@data\n" + "0,p\n1,q\n" * 3
    commented = "% c\n" * 100_000 + text
    for typed, more in ((text.encode("utf-16"), ["--encoding", "utf-16"]), (commented.encode(), [])):
        assert run("rank", "-", *more, stdin=typed).returncode == 0


@pytest.mark.parametrize("encoding", ["utf-32", "utf-32-le", "utf-16-be", "utf-7", "cp1252", "shift_jis"])
def test_encodings_of_text_are_read(encoding: str, write: Callable[[str, str | bytes], Path]) -> None:
    table = read_table(write("t.csv", "a,y\nx,p\nz,q\n".encode(encoding)), ReadOptions(encoding=encoding))
    assert list(table.columns) == ["a", "y"]
