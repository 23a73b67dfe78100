"""Headers as people write them, in every format and on every way in; row indexes; and the names that a shell offers."""

from __future__ import annotations

import contextlib
import gzip
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import probfs
from probfs.tables.files import read_column_names
from probfs.tables.frames import keep_columns
from probfs.tables.reading import ReadOptions, read_table
from probfs.tables.table import Table
from tests.support.commands import Run
from tests.support.tables import Write, feather_bytes, read_bytes, table_content, workbook_bytes

WORD = st.text("abcdefghij", min_size=2, max_size=6)
NUMBER = st.floats(-1e6, 1e6).map(lambda number: repr(round(number, 2)))


def read(text: str, name: str = "t.csv", **options: Any) -> Table:
    """A table, of whose columns a shell is offered the same names."""
    with TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path(name).write_text(text, newline="")
        table = read_table(name, ReadOptions(**options))
        assert read_column_names(name, **options) == list(table.columns)
    return table


def codes(table: Table) -> list[str]:
    return [note.code for note in table.notes]


@st.composite
def plain_tables(draw: st.DrawFn) -> list[list[str]]:
    """Names and rows of at least three columns, of which the first holds words, and the second numbers."""
    width = draw(st.integers(3, 6))
    names = draw(st.lists(WORD, min_size=width, max_size=width, unique=True))
    kinds = [WORD, NUMBER, *(draw(st.sampled_from([WORD, NUMBER])) for _ in range(width - 2))]
    rows = draw(st.integers(2, 6))
    return [names, *([draw(kind) for kind in kinds] for _ in range(rows))]


TITLES = st.lists(st.sampled_from(["Report 2024", "", " ", "# made by hand, on Monday", "by: me", "2024"]), max_size=4)


@given(plain_tables(), TITLES, st.sampled_from(",;\t|"), st.booleans(), st.sampled_from(["", "sep=%s\n"]))
@example(
    [["ab", "cd", "ef"], ["aa", "0.5", "b"], ["bb", "1.5", "c"]], ["# made by hand, on Monday"] * 4, ";", False, ""
)
def test_titles_and_comments_above_the_header_change_no_cell(
    rows: list[list[str]], titles: list[str], delimiter: str, padded: bool, separator_line: str
) -> None:
    plain = read("".join(",".join(row) + "\n" for row in rows))
    assert plain.notes == ()
    padding = delimiter * (len(rows[0]) - 1) if padded else ""
    above = [title.replace(",", delimiter) + padding for title in titles]
    lines = [*above, *(delimiter.join(row) for row in rows)]
    text = separator_line.replace("%s", delimiter) + "\n".join(lines)
    table = read(text)
    assert table_content(table) == table_content(plain)
    assert ("titles" in codes(table)) == any(title or padded for title in titles)
    first_line = text.count("\n") - len(rows) + 3
    assert table.place(0)[2] == first_line
    skipped = read(text, skip_rows=first_line - 2, delimiter=delimiter)
    assert (table_content(skipped), codes(skipped)) == (table_content(plain), [])


@pytest.mark.parametrize(
    ("first", "is_title"),
    [
        ("x,y,z", True),
        ("x,y,,,,", True),
        ("x,y,z,,,", False),
        ("x,1,,,,", True),
        ("x,1,4,,,", False),
        ("2019,2020,2021,,,", False),
        ("#,x,y,z,w", True),
        ("#,x,y,z,w,v", False),
    ],
)
def test_a_row_of_few_cells_or_a_comment_is_a_title(first: str, is_title: bool) -> None:
    table = read(f"{first}\na,b,c,d,e,f\n1,2,3,4,5,6\n7,8,9,1,2,3\n")
    assert ("titles" in codes(table), list(table.columns) == [*"abcdef"]) == (is_title, is_title)


@given(plain_tables())
def test_a_row_of_data_in_place_of_the_header_is_said(rows: list[list[str]]) -> None:
    numbers = [float(cell) for cell in rows[1] if not cell.isalpha()]
    # Rising ones may be names: positions, years or wavelengths.
    assume(len(numbers) == 1 or numbers != sorted(numbers))
    text = "".join(",".join(row) + "\n" for row in rows[1:])
    assert "no-header" in codes(read(text))
    table = read(text, no_header=True)
    assert list(table.columns) == [f"column {place + 1}" for place in range(len(rows[0]))]
    assert (table.rows, table.notes, table.place(0)[2]) == (len(rows) - 1, (), 1)


@pytest.mark.parametrize(
    ("text", "warns"),
    [
        ("country,2019,2020,2021\nChad,1.5,2,3", False),
        ("0,1,2\n5,6,7", False),
        ("1,2,4\n5,6,7", True),
        ("400,410.0,420\n0.1,0.2,0.3", False),
        ("400,410.0,421\n0.1,0.2,0.3", True),
        ("2,1,0\n5,6,7", True),
        ("a,1,2\nu,6,7", False),
        ("a,1,3\nu,6,7", True),
        ("x,y,x\nx,z,x\nu,y,v", True),
        ("male,yes\nfemale,no\nmale,no\nmale,yes", True),
        ("male,yes\nmale,yes", False),
        ("male,yes\nmale,no\nmale,no", False),
        ("name,class\nx,p\ny,q", False),
        ("5,yes\n6,no", True),
        ("1,2,no\n5,6,no", True),
        (f"{'9' * 999},yes\n6,no", True),
        ("u,,y\n,,q\n,,q", False),
    ],
)
def test_names_may_be_years_or_positions_but_hardly_values(text: str, warns: bool) -> None:
    table = read(text)
    assert [note.severity for note in table.notes if note.code == "no-header"] == ["warning"] * warns


IRIS = [f"{place}.5,{place % 2},{place % 3}" for place in range(5)]


@pytest.mark.parametrize(
    ("first", "rows", "skipped"),
    [
        ("5,2,setosa,virginica", IRIS, True),
        ("5,2,setosa,virginica", IRIS[:2], True),
        ("5,2,setosa", IRIS, True),
        ("5,2,setosa", [*IRIS, "6.5,1,1"], False),
        ("5,2,7", IRIS, False),
        ("5.0,2,setosa", IRIS, False),
        ("5,3,setosa", [f"{row},0" for row in IRIS], True),
        ("5,1,setosa", IRIS, False),
        ("5,2,setosa", [*IRIS[:4], "u,v,w"], False),
    ],
)
def test_a_first_row_of_counts_and_class_names_is_none_of_names(first: str, rows: list[str], skipped: bool) -> None:
    """As in the files of scikit-learn: breast_cancer.csv has four cells above rows of 31."""
    text = "\n".join([first, *rows])
    table = read(text)
    assert ("column 1" in table.columns) == skipped
    if skipped:
        bare = read(text, skip_rows=1, no_header=True)
        assert [(note.code, note.severity) for note in table.notes] == [("no-header", "warning")]
        assert (table_content(table), table.place(0)[2]) == (table_content(bare), 2)


def test_errors_about_a_table_say_that_its_header_may_be_data(write: Write, run_here: Run) -> None:
    write("t.csv", "5,p\n6,q\n7,q\n")
    hint = "; the header looks like data: '5'; if the file has no header, use --no-header\n"
    one_class = "t.csv: the target 'p' has one class only, 'q'; two or more are needed"
    assert run_here("rank", "t.csv").stderr.endswith(one_class + hint)
    no_column = "no column 'kind' in t.csv; choose from '5', 'p'"
    assert run_here("rank", "t.csv", "--target", "kind").stderr.endswith(no_column + hint)


@pytest.mark.parametrize(
    ("names", "kept", "left_out"),
    [
        (",a,y", ["a", "y"], [""]),
        ('"",a,y', ["a", "y"], [""]),
        ("  ,a,y", ["a", "y"], [""]),
        (",Unnamed: 0,a", ["a"], ["", "Unnamed: 0"]),
        ("Unnamed: 0.1,Unnamed: 0,a", ["a"], ["Unnamed: 0.1", "Unnamed: 0"]),
        ("a,Unnamed: 0", ["a", "Unnamed: 0"], []),
        ("Unnamed: 01,a", ["Unnamed: 01", "a"], []),
        ("a,, ,column 2,column 2 (2)", ["a", "column 2 (3)", "column 3", "column 2", "column 2 (2)"], []),
        ("a,a,a.1,a", ["a", "a.2", "a.1", "a.3"], []),
        ('""', ["column 1"], []),
        ("Unnamed: 0", ["Unnamed: 0"], []),
    ],
)
def test_a_first_column_without_a_name_is_an_index(names: str, kept: list[str], left_out: list[str]) -> None:
    rows = [",".join(cell * (names.count(",") + 1)) for cell in "uvw"]
    table = read("\n".join([names, *rows]))
    assert (list(table.columns), list(table.left_out), table.place(0)[2]) == (kept, left_out, 2)
    which = "first column was" if len(left_out) == 1 else "first 2 columns were"
    index = [f"t.csv: the unnamed {which} left out as a row index"] if left_out else []
    unnamed = [name for name in kept if name.startswith("column") and name not in names]
    what = f"{len(unnamed)} columns have no name" if len(unnamed) > 1 else "1 column has no name"
    named = [f"t.csv: {what}, so named by position: {str(unnamed)[1:-1]}"] if unnamed else []
    assert [note for note in table.notes if note.code != "equal-names"] == [*index, *named]


def test_equal_names_are_told_apart_in_every_format() -> None:
    cells: list[list[Any]] = [["a", "b", "a"], ["u", 1, "v"]]
    arrow = pa.Table.from_arrays([pa.array([cell]) for cell in cells[1]], cells[0])
    frame = pd.DataFrame(cells[1:], columns=cells[0])
    for table in (
        read_bytes("a,b,a\nu,1,v\n"),
        read_bytes("@attribute a {u}\n@attribute b real\n@attribute a {v}\n@data\nu,1,v\n", "t.arff"),
        read_bytes(feather_bytes(arrow), "t.feather"),
        read_bytes(workbook_bytes(cells), "t.xlsx"),
        probfs.read(arrow),
        probfs.read(frame),
    ):
        assert (table_content(table), codes(table)) == ({"a": ["u"], "b": ["1"], "a.1": ["v"]}, ["equal-names"])
        assert table.notes[0].endswith("s are called 'a'; all but the first are renamed: 'a.1'")
    assert list(keep_columns(frame, ["a.1"]).iloc[0]) == ["v"]


@pytest.mark.parametrize("blank", ["", None, np.nan, pd.NA])
def test_an_index_of_a_frame_may_be_excluded_but_not_used(blank: object) -> None:
    cells = [range(8), list("xxyyxxyy"), list("uvuvuvuv"), list("00110011")]
    columns = pd.Index(["Unnamed: 0", "a", blank, "y"], dtype=object)
    frame = pd.DataFrame(list(zip(*cells, strict=True)), columns=columns)
    table = probfs.read(frame)
    assert table_content(table) == {"a": cells[1], "column 3": cells[2], "y": cells[3]}
    assert table.notes[0] == "<frame>: the unnamed first column was left out as a row index"
    assert probfs.rank(frame, target="y", exclude="Unnamed: 0").to_csv() == probfs.rank(table, target="y").to_csv()
    message = "include=: no column 'Unnamed: 0' in <frame>; it was left out as a row index"
    with pytest.raises(probfs.ProbfsError, match=message):
        probfs.rank(frame, include="Unnamed: 0")


SHEET: list[list[Any]] = [
    ["Sales of 2024", "", "", "", ""],
    ["", "", "", "", ""],
    ["city", "", 2019, 2020, "class"],
    ["Rome", "", 1.5, 2, "p"],
    ["Oslo", "", 2.5, "", "q"],
]


def test_a_sheet_may_have_titles_empty_columns_and_no_names() -> None:
    table = read_bytes(workbook_bytes(SHEET), "t.xlsx")
    expected = {"city": ["Rome", "Oslo"], "2019": ["1.5", "2.5"], "2020": ["2", None], "class": ["p", "q"]}
    assert (table_content(table), codes(table), table.place(0)[2]) == (expected, ["titles"], 4)
    bare = read_bytes(workbook_bytes(SHEET[3:]), "t", no_header=True)
    assert table_content(bare) == {f"column {place}": cells for place, cells in enumerate(expected.values(), 1)}
    assert bare.place(0)[2] == 1
    as_they_are = read_bytes(workbook_bytes(SHEET[2:]), "t", skip_rows=0)
    assert (table_content(as_they_are), codes(as_they_are)) == (expected, [])
    nameless = read_bytes(workbook_bytes([["k", "m", "", ""], [*"uvwx"], [*"abcd"]]), "t.xlsx")
    assert list(nameless.columns) == ["k", "m", "column 3", "column 4"]
    assert read(",content\na,Alpha\nb,Beta\n").left_out == ("",), "a row index and one column are no title"


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ('name   age y\nbob  5  p\n"De Vito"  61 q', {"name": ["bob", "De Vito"], "age": ["5", "61"], "y": ["p", "q"]}),
        ('  name   age y\n  bob 5 p  \n  cy\v6 q  \n', {"name": ["bob", "cy"], "age": ["5", "6"], "y": ["p", "q"]}),
        (
            '"mpg" "y"\n"Mazda RX4" 21 "p"\n"Hornet" 21.4 "q q"\n"Valiant" NA "p"\n',
            {"mpg": ["21", "21.4", "NA"], "y": ["p", "q q", "p"]},
        ),
        ("x y\n1 21,5 p\n2 3 q\n3 NA p\n", {"x": ["21,5", "3", "NA"], "y": ["p", "q", "p"]}),
    ],
)  # fmt: skip
def test_blanks_may_separate_cells(text: str, content: dict[str, list[str]]) -> None:
    table = read(text, "t.txt")
    assert table_content(table) == content
    assert "t.txt: cells are separated by blanks" in table.notes
    assert table.place(1)[2] == 3


@pytest.mark.parametrize(
    "text", ["first name\nBob Hope\nAl Gore\n", "a 1\n5 2\n6 3 4\n", "1 2\n3 4\n5 6\n", "7\n8\n9\n"]
)
def test_blanks_in_texts_and_rows_of_other_lengths_separate_nothing(text: str) -> None:
    assert list(read(text, "t.txt").columns) == [text.split("\n")[0]]


@pytest.mark.parametrize(("encoding", "shown"), [("cp1252", "Windows-1252"), ("utf-16", "UTF-16")])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", "straße,n,y\nä,1,p\nb,2,q\n"),
        ("t.jsonl", '{"straße": "ä", "n": 1, "y": "p"}\n{"straße": "b", "n": 2, "y": "q"}\n'),
        ("t.arff", "@attribute straße {ä,b}\n@attribute n real\n@attribute y {p,q}\n@data\nä,1,p\nb,2,q\n"),
    ],
)
def test_text_that_is_not_utf8_is_read_and_said(name: str, text: str, encoding: str, shown: str) -> None:
    table = read_bytes(text.encode(encoding), name)
    assert table_content(table) == {"straße": ["ä", "b"], "n": ["1", "2"], "y": ["p", "q"]}
    message = f"is not UTF-8 and was read as {shown}; to read it otherwise, use encoding="
    assert (codes(table), table.notes) == (["encoding"], (f"{name}: {message}",))


@pytest.mark.parametrize(
    ("name", "content", "names"),
    [
        ("t.csv", b'\xef\xbb\xbf"a\r\nb","c,""d"\r\n', ["a\r\nb", 'c,"d']),
        ("t", b"@relation r\n@attribute 'it\\'s' {x}\n@ATTRIBUTE\t\"b c\" real\n@data\n", ["it's", "b c"]),
        ("t.arff", b"% @attribute no real\n @attribute d{1}\r\n@data\n@attribute no real\n", ["d"]),
        ("t.parquet", pd.DataFrame({"a b": [1], "": [2], "c": ["x"]}, index=["r"]).to_parquet(), ["a b", "c"]),
        ("t.csv", b"a" * 1000 + b",b\n", ["a" * 1000, "b"]),
        ("t.csv", b"a" * 1001 + b",b\n", ["b"]),
        ("t.csv", b"", []),
        ("t.csv", b'"a,b\n1', []),
        ("t.csv", b"a" * (5 << 20), []),
        ("t.csv.gz", gzip.compress(b"a,b\n" * 99, mtime=0)[:12], []),
        ("t.parquet", b"PAR1 is not all of it", []),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_names_are_read_from_the_first_lines(write: Write, name: str, content: bytes, names: list[str]) -> None:
    assert read_column_names(str(write(name, content))) == names


def test_what_the_user_says_of_a_file_counts_and_nothing_is_waited_for(write: Write, tmp_path: Path) -> None:
    path = str(write("t.txt", "é;b".encode("latin-1")))
    of_user = {"input_format": "csv", "delimiter": ";", "encoding": "latin-1"}
    assert read_column_names(path, **of_user) == ["é", "b"]
    for changed in ({"encoding": None}, {"encoding": "klingon"}, {"delimiter": ";;"}):
        assert read_column_names(path, **{**of_user, **changed}) == []
    os.mkfifo(tmp_path / "pipe")
    for other in (tmp_path / "pipe", tmp_path / "missing", "-", "", "a\0b", "/dev/zero", "memory://t.csv", "none*"):
        assert read_column_names(str(other)) == []
