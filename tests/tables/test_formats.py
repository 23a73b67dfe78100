"""The registry of table formats, the options that fit some of them, and how messages name these."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

from probfs.errors import ProbfsError, UsageError
from probfs.tables.formats import TABLE_FORMATS, format_of_content, format_of_path
from probfs.tables.reading import ReadOptions, read_table
from probfs.tables.writers import choose_table_format, table_bytes
from probfs.text import command_line_language
from tests.support.table_content import Write, read_csv_text


@pytest.mark.parametrize("name", ["colons", "CSV", "", ["csv"]])
def test_an_unknown_format_is_refused_wherever_it_is_given(name: str) -> None:
    written = r"^format=: .* is not one of csv, tsv, arff, parquet, feather, jsonl$"
    with pytest.raises(UsageError, match=written):
        table_bytes(read_csv_text("a,y\n1,p\n"), name)
    with pytest.raises(UsageError, match=written):
        choose_table_format("t.csv", name)
    with command_line_language(), pytest.raises(UsageError, match=r"^--input-format: .* is not one of .*, excel$"):
        ReadOptions(format=name)


def test_the_ending_decides_the_format() -> None:
    endings = {".CSV": "csv", ".tab": "tsv", ".arff": "arff", ".pq": "parquet", ".ipc": "feather", ".ndjson": "jsonl"}
    assert {ending: choose_table_format(f"t{ending}", None) for ending in endings} == endings
    assert (choose_table_format(None, None), choose_table_format("t.csv", "arff")) == ("csv", "arff")
    with pytest.raises(UsageError, match=r"the ending '.xlsx' tells no format"):
        choose_table_format("t.xlsx", None)
    for ending in (".GZ", ".bz2", ".xz", ".zst"):
        assert format_of_path(f"T.Parquet{ending}") is TABLE_FORMATS["parquet"]
    assert format_of_path("-") is format_of_path("t.txt") is None


@pytest.mark.parametrize(
    ("head", "encoding", "expected"),
    [
        (b"", "utf-8", "csv"),
        (b"PAR1....", "no such encoding", "parquet"),
        (b"ARROW1\0\0", "utf-8", "feather"),
        (b"\xff\xff\xff\xff\x80\0\0\0", "utf-8", "feather"),
        (b"PK\x03\x04....", "utf-8", "excel"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "utf-8", "excel"),
        (b'\n {"a": [1]}\r\n{', "utf-8", "jsonl"),
        (b'{"a", "b"}\n', "utf-8", "csv"),
        (b'{"a":' * 100_000, "utf-8", "csv"),
        (b"\xef\xbb\xbf\n  @RELATION r\n", "utf-8", "arff"),
        (b"% a comment\n\n@attribute a real\n", "utf-8", "arff"),
        (b"% comments only\n", "utf-8", "arff"),
        (b"% a comment\na,b\n", "utf-8", "csv"),
        ("@relation r\n".encode("utf-16"), "utf-16", "arff"),
        (b"@relation r\n", "no such encoding", "csv"),
    ],
)
def test_the_first_bytes_decide_where_there_is_no_ending(head: bytes, encoding: str, expected: str) -> None:
    assert format_of_content(head, encoding).name == expected


def test_no_library_is_imported_unasked(write: Write) -> None:
    write("a.csv", "a,y\nu,0\n")
    folder = write("b.csv", "a,y\nv,1\n").parent
    program = """import sys, probfs.tables.formats, probfs.tables.csv_head, probfs.tables.arff_header
print({"numpy", "pyarrow", "pandas", "lzma", "bz2"} & {*sys.modules})
import probfs.tables.reading as r; r.read_table("*.csv")
print({"fsspec", "pandas", "sklearn"} & {*sys.modules})"""
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=folder)
    assert told.stdout == "set()\nset()\n"


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("u.tsv.gz", {"delimiter": ";", "skip_rows": 2}),
        ("-", {"delimiter": ";", "skip_rows": 2, "sheet": "s"}),
        ("u.arff", {}),
        ("u.xlsx", {"skip_rows": 2, "sheet": "s"}),
    ],
)
def test_a_further_file_keeps_the_options_that_fit_it(name: str, kept: dict[str, object]) -> None:
    options = ReadOptions("csv", ";", "latin-1", 1000, ",", na=("none",), sheet="s", skip_rows=2)
    expected = ReadOptions(encoding="latin-1", max_unpacked=1000, decimal=",", na=("none",), **kept)  # type: ignore[arg-type]
    assert options.for_another(Path(name)) == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        *(({"delimiter": text}, "^delimiter=: .* is not one plain character") for text in ("", ";;", '"', "\n", "é")),
        *(({"decimal": text}, r"^decimal=: .* is neither '\.' nor ','$") for text in ("", ";", "comma")),
        *(({"skip_rows": rows}, "^skip_rows=: .* is not a whole number of rows, 0 or ") for rows in (-1, 1.5, True)),
        ({"delimiter": ";"}, r"^delimiter=: .*t\.arff is ARFF, which has no delimiter to choose$"),
        ({"sheet": "s"}, r"^sheet=: .*t\.arff is ARFF, which has no sheets$"),
        ({"skip_rows": 1}, r"^skip_rows=: .*t\.arff is ARFF, which has no rows before its names$"),
    ],
)
def test_options_that_do_not_fit_are_refused(write: Write, options: dict[str, object], message: str) -> None:
    path = write("t.arff", "@relation r\n@attribute a {0,1}\n@attribute class {p,q}\n@data\n0,p\n1,q\n")
    with pytest.raises(UsageError, match=message):
        read_table(path, ReadOptions(**options))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "content", "options", "in_python", "on_the_command_line"),
    [
        ("t.csv", b"", {"encoding": "x"}, "encoding=: no encoding 'x'", "--encoding: no encoding 'x'"),
        ("t.csv", b"a,y\n\xe9,p\n", {}, 'not UTF-8; try encoding="latin-1"', "not UTF-8; try --encoding latin-1"),
        ("t.csv", "a,y\n1,p\n".encode("utf-16"), {}, 'so with encoding="utf-16"', "so with --encoding utf-16"),
        ("t.csv", b"a,y\n\xe9,p\n", {"encoding": "ascii"}, "byte 4; try another encoding=", "try another --encoding"),
        (
            "t.csv",
            gzip.compress(b"a,y\n" * 99, mtime=0),
            {"max_unpacked": 9},
            "with max_unpacked=",
            "with --max-unpacked SIZE",
        ),
        ("t.csv", b"PAR1", {}, 'a Parquet file, not CSV; use input_format="parquet"', "use --input-format parquet"),
        ("t.parquet", b"a,y\n1,p\n", {}, "what it is with input_format=", "what it is with --input-format"),
    ],
)
def test_messages_name_options_as_the_caller_writes_them(
    write: Write, name: str, content: bytes, options: dict[str, str], in_python: str, on_the_command_line: str
) -> None:
    path = write(name, content)
    with pytest.raises(ProbfsError) as from_python:
        read_table(path, ReadOptions(**options))  # type: ignore[arg-type]
    with command_line_language(), pytest.raises(ProbfsError) as from_the_shell:
        read_table(path, ReadOptions(**options))  # type: ignore[arg-type]
    assert in_python in str(from_python.value)
    assert on_the_command_line in str(from_the_shell.value)
