"""The registry of table formats: the same table from files of every format, and what is said of an unknown one."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import probfs
from probfs.errors import DataError, UsageError
from probfs.tables.formats import (
    TABLE_FORMATS,
    TableFormat,
    format_of_content,
    format_of_path,
    formats_by_ending,
    is_readable,
    is_writable,
)
from probfs.tables.readers import ReadOptions, read_table
from probfs.tables.source import TableInput
from probfs.tables.table import Table
from probfs.tables.writers import choose_table_format, table_bytes
from probfs.text import command_line_language
from tests.conftest import SAMPLES, Run
from tests.support.table_content import Write, read_bytes, read_csv_text, table_content


@pytest.fixture(scope="module")
def breast_cancer_csv() -> str:
    ranking = probfs.rank(SAMPLES / "breast_cancer.csv", target="class", exclude=["sample_id"])
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
        assert probfs.rank(path, target="class", exclude=["sample_id"]).to_csv() == breast_cancer_csv, path.name
    for data in (frame, pd.read_csv(SAMPLES / "breast_cancer.csv")):
        assert probfs.rank(data, target="class", exclude=["sample_id"]).to_csv() == breast_cancer_csv


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


def test_arff_is_recognised_by_its_text(run: Run) -> None:
    text = "@relation r\n@attribute a {0,1}\n@attribute class {p,q}\n@data\n" + "0,p\n1,q\n" * 3
    commented = "% c\n" * 100_000 + text
    for typed, more in ((text.encode("utf-16"), ["--encoding", "utf-16"]), (commented.encode(), [])):
        assert run("rank", "-", *more, stdin=typed).returncode == 0


# --- the registry -----------------------------------------------------------------------------------------------------


def read_colons(table_input: TableInput) -> Table:
    return read_csv_text(table_input.as_seekable().read().removeprefix(b"COLONS\n"), ":")


def write_colons(table: Table, *, target: str | None, safe: bool) -> bytes:
    return b"COLONS\n" + table_bytes(table, "csv", safe=safe).replace(b",", b":")


COLONS = TableFormat("colons", "Colons", (".colons", ".col"), read_colons, write_colons, magic=b"COLONS")


def test_a_format_is_added_by_registering_it(write: Write, tmp_path: Path) -> None:
    content = {"a": ["1", None], "y": ["p", "q"]}
    with TABLE_FORMATS.registered(COLONS):
        assert choose_table_format("t.COL", None) == "colons"
        data = table_bytes(read_csv_text("a,y\n1,p\n,q\n"), "colons")
        assert table_content(read_bytes(data, "t.colons")) == content, "by its ending"
        assert table_content(read_bytes(data, "t.unknown")) == content, "by its first bytes"
        assert table_content(read_table(write("t.csv", data), ReadOptions(format="colons"))) == content, "by its name"
        with pytest.raises(DataError, match=r'is a Colons file, not CSV; use input_format="colons"'):
            read_table(tmp_path / "t.csv")
    with pytest.raises(UsageError, match="'colons' is not one of csv, tsv, arff, parquet, feather, jsonl, excel"):
        ReadOptions(format="colons")


@pytest.mark.parametrize("name", ["xml", "CSV", "", None, ["csv"]])
def test_an_unknown_format_is_refused_wherever_it_is_given(name: str) -> None:
    table = read_csv_text("a,y\n1,p\n")
    with pytest.raises(UsageError, match=r"^format=: .* is not one of csv, tsv, arff, parquet, feather, jsonl$"):
        table_bytes(table, name)
    if name is None:
        return
    with pytest.raises(UsageError, match=r"^format=: .* is not one of csv, tsv, arff, parquet, feather, jsonl$"):
        choose_table_format("t.csv", name)
    with pytest.raises(UsageError, match=r"^input_format=: .* is not one of csv, .*, feather, jsonl, excel$"):
        ReadOptions(format=name)
    with command_line_language(), pytest.raises(UsageError, match=r"^--input-format: "):
        ReadOptions(format=name)


def test_the_ending_decides_the_format() -> None:
    assert [choose_table_format(f"t{ending}", None) for ending in (".CSV", ".tab", ".arff", ".pq")] == [
        "csv",
        "tsv",
        "arff",
        "parquet",
    ]
    assert choose_table_format(None, None) == "csv"
    assert choose_table_format("t.csv", "arff") == "arff"
    with pytest.raises(UsageError, match=r"the ending '.xlsx' tells no format"):
        choose_table_format("t.xlsx", None)
    assert set(formats_by_ending(is_readable).values()) == set(TABLE_FORMATS.names(is_readable))
    assert set(formats_by_ending(is_writable).values()) == set(TABLE_FORMATS.names(is_writable))
    for ending in (".GZ", ".bz2", ".xz", ".zst"):
        assert format_of_path(f"T.Parquet{ending}") is TABLE_FORMATS["parquet"]
    assert format_of_path("-") is None
    assert format_of_path("t.txt") is None


@pytest.mark.parametrize(
    ("head", "encoding", "expected"),
    [
        (b"", "utf-8", "csv"),
        (b"a,b\n", "utf-8", "csv"),
        (b"a\tb\n", "utf-8", "csv"),
        (b"PAR1....", "utf-8", "parquet"),
        (b"PAR1....", "no such encoding", "parquet"),
        (b"ARROW1\0\0", "utf-8", "feather"),
        (b"FEA1....", "utf-8", "feather"),
        (b"\xff\xff\xff\xff\x80\0\0\0", "utf-8", "feather"),
        (b"PK\x03\x04....", "utf-8", "excel"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "utf-8", "excel"),
        (b'\n {"a": [1]}\r\n{', "utf-8", "jsonl"),
        (b'{"a": 1', "utf-8", "csv"),
        (b'{"a", "b"}\n', "utf-8", "csv"),
        (b"[" * 100_000, "utf-8", "csv"),
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


def test_the_registry_is_light_to_import() -> None:
    program = "import sys, probfs.tables.formats; print(*({'numpy', 'pyarrow', 'pandas'} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not result.stdout.strip()
