"""Reading with options: which of them fit which files, and how messages name them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from probfs.errors import ProbfsError, UsageError
from probfs.tables.readers import ReadOptions, read_table
from probfs.text import command_line_language
from tests.support.table_content import Write, table_content

ARFF = "@relation r\n@attribute a {0,1}\n@attribute class {p,q}\n@data\n0,p\n1,q\n"


@pytest.mark.parametrize("delimiter", ["", ";;", '"', "\n", "\0", "é"])
def test_a_delimiter_is_one_plain_character(delimiter: str) -> None:
    with pytest.raises(UsageError, match=r"^delimiter=: .* is not one plain character"):
        ReadOptions(delimiter=delimiter)


def test_a_delimiter_is_only_for_formats_that_have_one(write: Write) -> None:
    semicolon = ReadOptions(delimiter=";")
    expected = {"a": ["1"], "y": ["p,q"]}
    assert table_content(read_table(write("t.csv", "a;y\n1;p,q\n"), semicolon)) == expected
    assert table_content(read_table(write("t.tsv", "a;y\n1;p,q\n"), semicolon)) == expected
    with pytest.raises(UsageError, match=r"^delimiter=: .*t\.arff is ARFF, which has no delimiter to choose$"):
        read_table(write("t.arff", ARFF), semicolon)


@pytest.mark.parametrize(
    ("name", "delimiter"),
    [("u.csv", ";"), ("u.tsv.gz", ";"), ("u.txt", ";"), ("-", ";"), ("u.arff", None), ("u.pq", None)],
)
def test_a_further_file_keeps_the_options_that_fit_it(name: str, delimiter: str | None) -> None:
    options = ReadOptions("csv", ";", "latin-1", 1000, ",")
    assert options.for_another(Path(name)) == ReadOptions(None, delimiter, "latin-1", 1000, ",")


@pytest.mark.parametrize("decimal", ["", ";", ",,", "comma"])
def test_decimals_follow_a_point_or_a_comma(decimal: str) -> None:
    with pytest.raises(UsageError, match=r"^decimal=: .* is neither '\.' nor ','$"):
        ReadOptions(decimal=decimal)


def unknown_encoding(write: Write) -> None:
    read_table(write("t.csv", "a,y\n1,p\n"), ReadOptions(encoding="klingon"))


def not_utf8(write: Write) -> None:
    read_table(write("t.csv", b"a,y\n\xe9,p\n"))


def utf16(write: Write) -> None:
    read_table(write("t.csv", "a,y\n1,p\n".encode("utf-16")))


def wrong_encoding(write: Write) -> None:
    read_table(write("t.csv", b"a,y\n\xe9,p\n"), ReadOptions(encoding="ascii"))


def gzip_limit(write: Write) -> None:
    import gzip

    read_table(write("t.csv", gzip.compress(b"a,y\n1,p\n" * 99)), ReadOptions(max_unpacked=9))


def parquet_named_csv(write: Write) -> None:
    read_table(write("t.csv", b"PAR1"))


def csv_named_parquet(write: Write) -> None:
    read_table(write("t.parquet", "a,y\n1,p\n"))


def misspelt_target(write: Write) -> None:
    read_table(write("t.csv", "a,class\n1,p\n")).column("clas", "target")


@pytest.mark.parametrize(
    ("read", "in_python", "on_the_command_line"),
    [
        (unknown_encoding, "encoding=: no encoding 'klingon'", "--encoding: no encoding 'klingon'"),
        (not_utf8, 'is not UTF-8; try encoding="latin-1"', "is not UTF-8; try --encoding latin-1"),
        (utf16, 'say so with encoding="utf-16"', "say so with --encoding utf-16"),
        (wrong_encoding, "is not ascii near byte 4; try another encoding=", "try another --encoding"),
        (gzip_limit, "allow it with max_unpacked=", "allow it with --max-unpacked SIZE"),
        (parquet_named_csv, 'not CSV; use input_format="parquet"', "not CSV; use --input-format parquet"),
        (csv_named_parquet, "say what it is with input_format=", "say what it is with --input-format"),
        (misspelt_target, "target=: no column 'clas' in ", "--target: no column 'clas' in "),
    ],
)
def test_messages_name_options_as_the_caller_writes_them(
    write: Write, read: Callable[[Write], None], in_python: str, on_the_command_line: str
) -> None:
    with pytest.raises(ProbfsError) as caught:
        read(write)
    assert in_python in str(caught.value)
    with command_line_language(), pytest.raises(ProbfsError) as caught:
        read(write)
    assert on_the_command_line in str(caught.value)
