"""Headers as people write them, in every format and on every way in; row indexes; and the names that a shell offers."""

from __future__ import annotations

import gzip
import io
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import probfs
from probfs.errors import ProbfsError
from probfs.notes import NoteKind
from probfs.tables.files import read_column_names
from probfs.tables.frames import keep_columns
from probfs.tables.header import count_titles, name_columns, note_data
from probfs.tables.reading import ReadOptions, read_table
from probfs.tables.table import Table
from probfs.text import delimited
from tests.support.commands import Run
from tests.support.tables import Write, read_bytes, table_content
from tests.support.workbook import workbook_bytes

WORD = st.text("abcdefghij", min_size=2, max_size=6)
NUMBER = st.floats(-1e6, 1e6).map(lambda number: repr(round(number, 2)))


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
def test_titles_and_comments_above_the_header_change_no_cell(
    rows: list[list[str]], titles: list[str], delimiter: str, padded: bool, separator_line: str
) -> None:
    plain = read_bytes("".join(",".join(row) + "\n" for row in rows).encode(), "t.csv")
    padding = delimiter * (len(rows[0]) - 1) if padded else ""
    above = [title.replace(",", delimiter) + padding for title in titles]
    lines = [*above, *(delimiter.join(row) for row in rows)]
    text = separator_line.replace("%s", delimiter) + "\n".join(lines)
    table = read_bytes(text.encode(), "t.csv")
    assert table_content(table) == table_content(plain)
    assert ("titles" in codes(table)) == any(title or padded for title in titles)
    first_line = text.count("\n") - len(rows) + 3
    assert table.place(0)[2] == first_line
    skipped = read_table_text(text, skip_rows=first_line - 2, delimiter=delimiter)
    assert table_content(skipped) == table_content(plain)
    assert "titles" not in codes(skipped)


def read_table_text(text: str, **options: Any) -> Table:
    return probfs_read(text.encode(), **options)


def probfs_read(data: bytes, **options: Any) -> Table:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        return read_table("-", ReadOptions(**options))


@given(plain_tables())
def test_a_plain_header_is_neither_title_nor_data_and_a_row_of_data_is_said(rows: list[list[str]]) -> None:
    names, *data = rows
    assert count_titles(rows) == 0
    assert not note_data(names, data, "t")
    (warning,) = note_data(data[0], data[1:], "t")
    assert (warning.code, warning.severity) == ("no-header", "warning")
    text = "".join(",".join(row) + "\n" for row in data)
    table = read_table_text(text, no_header=True, input_format="csv")
    assert list(table.columns) == [f"column {place + 1}" for place in range(len(names))]
    assert (table.rows, table.notes, table.place(0)[2]) == (len(data), (), 1)


@pytest.mark.parametrize(
    ("names", "rows", "warns"),
    [
        (["country", "2019", "2020", "2021"], [["Chad", "1.5", "2", "3"]], False),
        (["0", "1", "2"], [["5", "6", "7"]], False),
        (["400", "410.0", "420"], [["0.1", "0.2", "0.3"]], False),
        (["400", "410.0", "421"], [["0.1", "0.2", "0.3"]], True),
        (["x", "y", "x"], [["x", "z", "x"], ["u", "y", "v"]], True),
        (["male", "yes"], [["female", "no"], ["male", "no"], ["male", "yes"]], True),
        (["name", "class"], [["x", "p"], ["y", "q"]], False),
        (["5", "yes"], [["6", "no"]], True),
        (["1", "2", "no"], [["5", "6", "no"]], True),
        (["9" * 5000, "yes"], [["6", "no"]], True),
        (["", ""], [["", ""]], False),
    ],
)
def test_names_may_be_years_or_positions_but_hardly_values(
    names: list[str], rows: list[list[str]], warns: bool
) -> None:
    assert bool(note_data(names, rows, "t")) is warns


IRIS = ["5,2,setosa,virginica", *(f"{place}.5,{place % 2},{place % 3}" for place in range(5))]


@pytest.mark.parametrize(
    ("lines", "skipped"),
    [
        (IRIS, True),
        (IRIS[:3], True),
        (["5,2,setosa", *IRIS[1:]], True),
        (["5,2,setosa", *IRIS[1:], "6.5,1,1"], False),
        (["5,2,7", *IRIS[1:]], False),
        (["5.0,2,setosa", *IRIS[1:]], False),
        (["5,3,setosa", *(f"{line},0" for line in IRIS[1:])], True),
        (["5,1,setosa", *IRIS[1:]], False),
        (["5,2,setosa", *IRIS[1:5], "u,v,w"], False),
    ],
)
def test_a_first_row_of_counts_and_class_names_is_none_of_names(lines: list[str], skipped: bool, write: Write) -> None:
    """As in the files of scikit-learn: breast_cancer.csv has four cells above rows of 31."""
    text = "\n".join(lines)
    table = read_table_text(text, input_format="csv")
    assert table.columns["column 1"].rows == len(lines) - 1 if skipped else "column 1" not in table.columns
    if skipped:
        (warning,) = table.notes
        assert (warning.code, warning.severity) == ("no-header", "warning")
        bare = read_table_text(text, input_format="csv", skip_rows=1, no_header=True)
        assert table_content(table) == table_content(bare)
        assert table.place(0)[2] == bare.place(0)[2] == 2
        assert read_column_names(str(write("t.csv", text.encode()))) == list(table.columns)


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ("5,p\n6,q\n7,q\n", (), "the target 'p' has one class only, 'q'; two or more are needed"),
        ("5,p\n6,q\n7,p\n", ("--target", "kind"), "no column 'kind' in t.csv; choose from '5', 'p'"),
    ],
)
def test_errors_about_a_table_say_that_its_header_may_be_data(
    text: str, arguments: tuple[str, ...], message: str, write: Write, run_here: Run
) -> None:
    write("t.csv", text.encode())
    told = run_here("rank", "t.csv", *arguments).stderr
    assert told.endswith(f"{message}; the header looks like data: '5'; if the file has no header, use --no-header\n")


@given(st.lists(st.sampled_from(["a", "b", "a.1", "", " ", "column 2", "Unnamed: 0"]), min_size=1, max_size=7))
def test_all_names_are_different_and_none_that_was_is_changed(names: list[str]) -> None:
    columns = name_columns(names, "t")
    kept = columns.names[columns.indexes :]
    assert len(set(kept)) == len(kept) == len(names) - columns.indexes
    assert columns.left_out == tuple(names[: columns.indexes])
    for place, (old, new) in enumerate(zip(names, columns.names, strict=True)):
        if place >= columns.indexes and old.strip():
            is_first = old not in names[columns.indexes : place]
            assert new == old if is_first else new.startswith(f"{old}.")


def test_equal_names_are_told_apart_in_every_format() -> None:
    cells: list[list[Any]] = [["a", "b", "a"], ["u", 1, "v"]]
    expected = {"a": ["u"], "b": ["1"], "a.1": ["v"]}
    arrow = pa.Table.from_arrays([pa.array([cell]) for cell in cells[1]], cells[0])
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, arrow.schema) as writer:
        writer.write_table(arrow)
    arff = "@attribute a {u}\n@attribute b real\n@attribute a {v}\n@data\nu,1,v\n"
    tables = [
        read_bytes(b"a,b,a\nu,1,v\n", "t.csv"),
        read_bytes(arff.encode(), "t.arff"),
        read_bytes(sink.getvalue(), "t.feather"),
        read_bytes(workbook_bytes(cells), "t.xlsx"),
        probfs.read(arrow),
        probfs.read(pd.DataFrame(cells[1:], columns=cells[0])),
    ]
    for table in tables:
        assert (table_content(table), codes(table)) == (expected, ["equal-names"])
        (note,) = table.notes
        assert note.endswith("s are called 'a'; the others are renamed to 'a.1'")
    assert list(keep_columns(pd.DataFrame(cells[1:], columns=cells[0]), ["a.1"]).iloc[0]) == ["v"]


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
    bare = probfs_read(workbook_bytes(SHEET[3:]), no_header=True)
    assert table_content(bare) == {f"column {place}": cells for place, cells in enumerate(expected.values(), 1)}
    assert bare.place(0)[2] == 1
    nameless = read_bytes(workbook_bytes([["k", "m", "", ""], [*"uvwx"], [*"abcd"]]), "t.xlsx")
    assert list(nameless.columns) == ["k", "m", "column 3", "column 4"]
    assert count_titles([["", "content"], ["a", "Alpha"], ["b", "Beta"]]) == 0, "a row index and one column"


@pytest.mark.parametrize("line", ["%s", "  %s  "])
def test_blanks_may_separate_cells(line: str) -> None:
    text = "".join(line % row + "\n" for row in ("name   age y", "bob  5  p", '"De Vito"\t61 q'.replace("\t", "  ")))
    table = read_bytes(text.encode(), "t.txt")
    assert table_content(table) == {"name": ["bob", "De Vito"], "age": ["5", "61"], "y": ["p", "q"]}
    assert table.notes == (NoteKind.DELIMITER.note(f"{table.source}: cells are separated by blanks"),)
    assert table.place(1)[2] == 3
    of_r = read_bytes(b'"mpg" "y"\n"Mazda RX4" 21 "p"\n"Hornet" 21.4 "q q"\n"Valiant" NA "p"\n', "t.txt")
    assert table_content(of_r) == {"mpg": ["21", "21.4", "NA"], "y": ["p", "q q", "p"]}
    with_commas = read_bytes(b"x y\n1 21,5 p\n2 3 q\n3 NA p\n", "t.txt")
    assert table_content(with_commas) == {"x": ["21,5", "3", "NA"], "y": ["p", "q", "p"]}
    one_column = read_bytes(b"first name\nBob Hope\nAl Gore\n", "t.csv")
    assert list(one_column.columns) == ["first name"]


UMLAUTS = "straße,n,y\nä,1,p\nb,2,q\n"


@pytest.mark.parametrize(("encoding", "shown"), [("cp1252", "Windows-1252"), ("utf-16", "UTF-16")])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", UMLAUTS),
        ("t.jsonl", '{"straße": "ä", "n": 1, "y": "p"}\n{"straße": "b", "n": 2, "y": "q"}\n'),
        ("t.arff", "@attribute straße {ä,b}\n@attribute n real\n@attribute y {p,q}\n@data\nä,1,p\nb,2,q\n"),
    ],
)
def test_text_that_is_not_utf8_is_read_and_said(name: str, text: str, encoding: str, shown: str) -> None:
    table = read_bytes(text.encode(encoding), name)
    assert table_content(table) == {"straße": ["ä", "b"], "n": ["1", "2"], "y": ["p", "q"]}
    assert (codes(table), f"was read as {shown}; to read it otherwise, use encoding=" in table.notes[0]) == (
        ["encoding"],
        True,
    )


MESSY = b"Results of 2024\n# by hand\nstra\xdfe, size,size ,y\n" + b"u,1,4,p\nv,2,5,q\n" * 6


def test_every_way_in_reads_the_same_names_cells_and_notes(write: Write, tmp_path: Path, run_here: Run) -> None:
    one = read_table(write("t.csv", MESSY))
    assert list(one.columns) == ["straße", "size", "size.1", "y"]
    assert codes(one) == ["encoding", "titles", "equal-names"]
    (tmp_path / "d").mkdir()
    for place in (1, 2):
        (tmp_path / "d" / f"{place}.csv.gz").write_bytes(gzip.compress(MESSY))
    for table, times in ((probfs_read(MESSY), 1), (read_table(tmp_path / "d"), 2)):
        assert table_content(table) == {name: cells * times for name, cells in table_content(one).items()}
        assert codes(table) == codes(one)
    assert read_column_names(str(tmp_path / "t.csv")) == list(one.columns)
    assert read_column_names(str(tmp_path / "t.csv"), no_header=True, skip_rows=3)[0] == "column 1"
    result = run_here("rank", "t.csv", "--exclude", "size.1", "--skip-rows", "2", "--input-format", "csv")
    assert "are renamed to 'size.1'" in result.stderr
    assert "title" not in result.stderr
    result = run_here("rank", "t.csv", "--skip-rows", "-1")
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
    write("t.parquet", pd.DataFrame({"a": [1]}).to_parquet())
    result = run_here("inspect", "t.parquet", "--no-header")
    assert result.stderr == "probfs: error: --no-header: t.parquet is Parquet, which has no row of names\n"


@pytest.mark.parametrize(
    ("name", "content", "names"),
    [
        ("t.csv", b'\xef\xbb\xbf"a\r\nb","c,""d"\r\n', ["a\r\nb", 'c,"d']),
        ("t.csv", b"a,b\r1,2\r", ["a", "b"]),
        ("t.csv", b"\n,a,,b\n", ["a", "column 3", "b"]),
        ("t.csv", b"a;b\n1;2\n", ["a", "b"]),
        ("t.tsv.gz", gzip.compress(b"a\tb c\n", mtime=0), ["a", "b c"]),
        ("t", b"@relation r\n@attribute 'it\\'s' {x}\n@ATTRIBUTE\t\"b c\" real\n@data\n", ["it's", "b c"]),
        ("t.arff", b"% @attribute no real\n @attribute d{1}\r\n@data\n@attribute no real\n", ["d"]),
        ("t.parquet", pd.DataFrame({"a b": [1], "": [2], "c": ["x"]}, index=["r"]).to_parquet(), ["a b", "c"]),
        ("t.csv", b"", []),
        ("t.csv", b'"a,b\n1', []),
        ("t.csv", b"\xff\xfe,b\n", []),
        ("t.csv", b"a" * (5 << 20), []),
        ("t.csv.gz", gzip.compress(b"a,b\n" * 99, mtime=0)[:12], []),
        ("t.parquet", b"PAR1 is not all of it", []),
        ("t.zip", b"PK\x03\x04", []),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_names_are_read_from_the_first_lines(write: Write, name: str, content: bytes, names: list[str]) -> None:
    assert read_column_names(str(write(name, content))) == names


def test_what_the_user_says_of_a_file_counts_and_nothing_is_waited_for(write: Write, tmp_path: Path) -> None:
    path = str(write("t.txt", "é;b".encode("latin-1")))
    assert read_column_names(path, "csv", ";", "latin-1") == ["é", "b"]
    assert read_column_names(path, "csv", ";") == read_column_names(path, "csv", ";", "no such encoding") == []
    assert read_column_names(path, "no such format") == []
    os.mkfifo(tmp_path / "pipe")
    for other in (tmp_path / "pipe", tmp_path / "missing", "-", "", "a\0b", "/dev/zero", "memory://t.csv", "none*"):
        assert read_column_names(str(other)) == []


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff"), min_size=1)


@given(names=st.lists(TEXT.map(str.strip).filter(bool), min_size=2, unique=True))
def test_every_name_that_can_be_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, names: list[str]
) -> None:
    path = tmp_path_factory.mktemp("names") / "t.csv"
    path.write_bytes(delimited([names, ["1"] * len(names)]).encode())
    assert read_column_names(str(path)) == names[name_columns(names, "t").indexes :]


@pytest.mark.parametrize(
    ("names", "kept", "left_out"),
    [
        (["", "a", "y"], ["a", "y"], [""]),
        (["", "Unnamed: 0", "a"], ["a"], ["", "Unnamed: 0"]),
        (["Unnamed: 0.1", "Unnamed: 0", "a"], ["a"], ["Unnamed: 0.1", "Unnamed: 0"]),
        (["a", "Unnamed: 0"], ["a", "Unnamed: 0"], []),
        (["Unnamed: 01", "a"], ["Unnamed: 01", "a"], []),
        (["a", "", " ", "column 2", "column 2 (2)"], ["a", "column 2 (3)", "column 3", "column 2", "column 2 (2)"], []),
        ([""], ["column 1"], []),
        (["Unnamed: 0"], ["Unnamed: 0"], []),
        ([], [], []),
    ],
)
def test_a_first_column_without_a_name_is_an_index(names: list[str], kept: list[str], left_out: list[str]) -> None:
    header = name_columns(names, "t.csv")
    assert (list(header.names[header.indexes :]), list(header.left_out)) == (kept, left_out)
    assert bool(header.notes) == (kept != names)


@pytest.mark.parametrize("blank", ["", None, np.nan, pd.NA])
def test_an_index_of_a_frame_may_be_excluded_but_not_used(blank: object) -> None:
    cells = [range(8), list("xxyyxxyy"), list("uvuvuvuv"), list("00110011")]
    frame = pd.DataFrame(
        list(zip(*cells, strict=True)), columns=pd.Index(["Unnamed: 0", "a", blank, "y"], dtype=object)
    )
    table = probfs.read(frame)
    assert table_content(table) == {"a": cells[1], "column 3": cells[2], "y": cells[3]}
    assert table.notes[0] == "<frame>: the unnamed first column was left out as a row index"
    assert probfs.rank(frame, target="y", exclude="Unnamed: 0").to_csv() == probfs.rank(table, target="y").to_csv()
    with pytest.raises(
        ProbfsError, match="include=: no column 'Unnamed: 0' in <frame>; it was left out as a row index"
    ):
        probfs.rank(frame, include="Unnamed: 0")
