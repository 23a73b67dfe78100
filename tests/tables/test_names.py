"""The names of columns: row indexes, columns without a name, and those that a shell offers."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import probfs
from probfs.errors import ProbfsError
from probfs.tables.files import read_column_names as column_names
from probfs.tables.header import name_columns
from probfs.tables.reading import ReadOptions, read_table
from probfs.text import delimited
from tests.support.table_content import Write, table_content


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
    assert column_names(str(write(name, content))) == names


def test_what_the_user_says_of_a_file_counts_and_nothing_is_waited_for(write: Write, tmp_path: Path) -> None:
    path = str(write("t.txt", "é;b".encode("latin-1")))
    assert column_names(path, "csv", ";", "latin-1") == ["é", "b"]
    assert column_names(path, "csv", ";") == column_names(path, "csv", ";", "no such encoding") == []
    assert column_names(path, "no such format") == []
    os.mkfifo(tmp_path / "pipe")
    for other in (tmp_path / "pipe", tmp_path / "missing", "-", "", "a\0b", "/dev/zero", "memory://t.csv", "none*"):
        assert column_names(str(other)) == []


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff"), min_size=1)


@given(names=st.lists(TEXT.map(str.strip).filter(bool), min_size=2, unique=True))
def test_every_name_that_can_be_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, names: list[str]
) -> None:
    path = tmp_path_factory.mktemp("names") / "t.csv"
    path.write_bytes(delimited([names, ["1"] * len(names)]).encode())
    assert column_names(str(path)) == names[name_columns(names, "t").indexes :]


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


def test_blanks_around_a_name_are_no_part_of_it(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a, b , outcome \n1,2,p\n2,1,q\n")
    assert column_names(str(path)) == list(read_table([str(path)], ReadOptions()).columns) == ["a", "b", "outcome"]
