"""The names of a file's columns from its first lines: those that its reader finds, or none."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.tables.column_names import column_names
from probfs.tables.readers import read_table
from probfs.text import delimited
from tests.support.paths import SAMPLES
from tests.support.table_content import Write


@pytest.mark.parametrize("name", sorted(path.name for path in SAMPLES.iterdir() if path.suffix in (".csv", ".arff")))
def test_the_samples_have_the_names_that_their_reader_finds(name: str) -> None:
    assert column_names(str(SAMPLES / name)) == list(read_table(SAMPLES / name).columns)


@pytest.mark.parametrize(
    ("name", "content", "names"),
    [
        ("t.csv", b"a,b\n1,2\n", ["a", "b"]),
        ("t.csv", b"\xef\xbb\xbfa,b", ["a", "b"]),
        ("t.csv", b'\r\n"a\r\nb","c,""d"\r\n', ["a\r\nb", 'c,"d']),
        ("t.csv", b"a,b\r1,2\r", ["a", "b"]),
        ("t.csv", b",a,,a\n", ["a"]),
        ("t.csv", b"a;b\n1;2\n", ["a", "b"]),
        ("t.tsv", b"a\tb c\n", ["a", "b c"]),
        ("t.csv.gz", gzip.compress(b"a,b\n", mtime=0), ["a", "b"]),
        ("t", b"@relation r\n@attribute 'it\\'s' {x}\n@ATTRIBUTE\t\"b c\" real\n@data\n", ["it's", "b c"]),
        ("t.arff", b" @attribute d{1}\r\n", ["d"]),
        ("t.arff", b"% @attribute no real\n@attribute a real\n@data\n@attribute no real\n", ["a"]),
        ("t.csv", b"", []),
        ("t.csv", b'"a,b\n1', []),
        ("t.csv", b"\xff\xfe,b\n", []),
        ("t.csv.gz", gzip.compress(b"a,b\n" * 99, mtime=0)[:12], []),
        ("t.parquet", b"PAR1 is not all of it", []),
        ("t.zip", b"PK\x03\x04", []),
    ],
)
def test_names_are_read_from_the_first_lines(write: Write, name: str, content: bytes, names: list[str]) -> None:
    assert column_names(str(write(name, content))) == names


def test_parquet_has_its_names_in_its_schema(tmp_path: Path) -> None:
    pd.DataFrame({"a b": [1], "c": ["x"]}, index=["r"]).to_parquet(tmp_path / "t.parquet")
    assert column_names(str(tmp_path / "t.parquet")) == ["a b", "c"]


def test_what_the_user_says_of_a_file_counts(write: Write) -> None:
    path = str(write("t.txt", "é;b".encode("latin-1")))
    assert column_names(path, "csv", ";", "latin-1") == ["é", "b"]
    assert column_names(path, "csv", ";") == []
    assert column_names(path, "csv", ";", "no such encoding") == []
    assert column_names(path, "no such format") == []


def test_nothing_is_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, tmp_path / "missing", "-", "", "a\0b", "/dev/zero"):
        assert column_names(str(path)) == []


def test_a_header_without_an_end_is_given_up(write: Write) -> None:
    assert column_names(str(write("t.csv", b"a" * (5 << 20)))) == []


WRITABLE = st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff")


@given(st.lists(st.text(WRITABLE, min_size=1), min_size=2, unique=True))
def test_every_name_that_can_be_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, names: list[str]
) -> None:
    path = tmp_path_factory.mktemp("names") / "t.csv"
    path.write_bytes(delimited([names, ["1"] * len(names)]).encode())
    assert column_names(str(path)) == [name for name in names if name.strip()]


def test_of_many_files_the_first_is_read_and_the_names_of_its_folders(tmp_path: Path) -> None:
    for year in (2025, 2026):
        (tmp_path / f"year={year}").mkdir()
        (tmp_path / f"year={year}" / "t.csv").write_text(f"in{year},b\n")
    for path in (tmp_path, tmp_path / "*" / "t.csv", tmp_path / "year=*"):
        assert column_names(str(path)) == ["year", "in2025", "b"]
    assert column_names(str(tmp_path / "none*")) == column_names("memory://t.csv") == []
