"""Several files read as one table: partitions, files without rows, columns that are not needed, progress, errors."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

from probfs.errors import DataError, UsageError
from probfs.runtime.progress import Progress, listening
from probfs.tables.parts import Part
from probfs.tables.readers import ReadOptions, many_files, read_part, read_table
from tests.support.table_content import Write, table_content


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(name: str, content: str | bytes) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def test_partitions_come_before_the_columns_of_the_file(folder: Path) -> None:
    put("d/year=2025/month=01/a.csv", "u,y\n1,0\n")
    put("d/year=2026/month=__HIVE_DEFAULT_PARTITION__/a.csv", "u,y\n2,1\n3,0\n")
    table = read_table("d")
    assert table_content(table) == {
        "year": ["2025", "2026", "2026"],
        "month": ["01", None, None],
        "u": ["1", "2", "3"],
        "y": ["0", "1", "0"],
    }
    assert list(table.columns) == ["year", "month", "u", "y"]


def test_one_part_has_its_partition_too(folder: Path) -> None:
    put("a.csv", "u,y\n1,0\n2,1\n")
    table = read_part(Part("a.csv", (("k", "v"), ("m", ""))), ReadOptions())
    assert table_content(table) == {"k": ["v", "v"], "m": [None, None], "u": ["1", "2"], "y": ["0", "1"]}
    assert (table.source, table.place(1)) == ("a.csv", ("a.csv", 1, 3))


def test_a_column_of_the_file_goes_before_one_of_its_path(folder: Path) -> None:
    for year in (2025, 2026):
        put(f"d/year={year}/a.csv", f"u,year,y\n1,{year}!,0\n")
    table = read_table("d")
    assert table_content(table)["year"] == ["2025!", "2026!"]
    assert list(table.columns) == ["u", "year", "y"]
    assert table.notes == ("d/year=2025/a.csv and 1 more file: holds 'year', so the folder of that name is no column",)


def test_files_beside_partitions_lack_their_columns(folder: Path) -> None:
    put("d/k=1/a.csv", "u,y\n1,0\n")
    put("d/z.csv", "u,y\n1,0\n")
    with pytest.raises(DataError, match=r"^d/z.csv: lacks 1 column of d/k=1/a.csv: 'k'; "):
        read_table("d")
    assert table_content(read_table("d", ReadOptions(union=True)))["k"] == ["1", None]


EMPTY = {
    "csv": (b"u,y\n", b"u,y\n1,0\n"),
    "tsv": (b"u\ty\n", b"u\ty\n1\t0\n"),
    "arff": (
        b"@relation t\n@attribute u numeric\n@attribute y {0,1}\n@data\n",
        b"@relation t\n@attribute u numeric\n@attribute y {0,1}\n@data\n1,0\n",
    ),
}


@pytest.mark.parametrize("ending", EMPTY)
def test_a_file_without_rows_is_no_mistake_beside_others(folder: Path, ending: str) -> None:
    empty, full = EMPTY[ending]
    put(f"d/a.{ending}", empty)
    put(f"d/b.{ending}", full)
    put(f"d/c.{ending}", empty)
    assert table_content(read_table("d")) == {"u": ["1"], "y": ["0"]}
    with pytest.raises(DataError, match=r"has no data rows below"):
        read_table(f"d/a.{ending}")
    with pytest.raises(DataError, match=rf"^d/\[ac\].{ending} \(2 files\): none of these files has data rows$"):
        read_table(f"d/[ac].{ending}")


def test_a_parquet_file_without_rows_is_none_either(folder: Path) -> None:
    frame = pd.DataFrame({"u": [1, 2], "y": ["a", "b"]})
    Path("d/k=1").mkdir(parents=True)
    frame[:0].to_parquet("d/k=1/a.parquet", index=False)
    frame.to_parquet("d/k=1/b.parquet", index=False)
    assert table_content(read_table("d")) == {"k": ["1", "1"], "u": ["1", "2"], "y": ["a", "b"]}


def test_a_file_without_rows_must_have_the_columns(folder: Path) -> None:
    put("a.csv", "u,x\n")
    put("b.csv", "u,y\n1,0\n")
    with pytest.raises(DataError, match=r"^a.csv: lacks 1 column of b.csv: 'y'; "):
        read_table(["a.csv", "b.csv"])


def test_the_file_that_cannot_be_read_is_named(folder: Path) -> None:
    put("a.csv", "u,y\n1,0\n")
    put("b.csv", "u,y\n1,0\n1,2,3\n")
    put("c.csv", b"")
    for names, message in (
        (["a.csv", "b.csv"], "^b.csv:3: 3 fields"),
        (["a.csv", "c.csv"], "^c.csv: is empty"),
        (["a.csv", "none.csv"], "^none.csv: cannot be read: no such file"),
    ):
        with pytest.raises(DataError, match=message):
            read_table(names)


def test_files_may_be_compressed_in_their_own_ways(folder: Path) -> None:
    put("d/a.csv", "u,y\n1,0\n")
    put("d/b.csv.gz", gzip.compress(b"u,y\n2,1\n"))
    assert table_content(read_table("d")) == {"u": ["1", "2"], "y": ["0", "1"]}


def test_options_hold_for_all_files(folder: Path) -> None:
    put("a.txt", "u;y\n1;0\n")
    put("b.txt", "u;y\n2;1\n")
    put("c.arff", EMPTY["arff"][1])
    put("d.arff", EMPTY["arff"][1])
    assert table_content(read_table("*.txt", ReadOptions("csv", ";")))["u"] == ["1", "2"]
    with pytest.raises(UsageError, match=r"which has no delimiter to choose"):
        read_table("*.arff", ReadOptions(delimiter=";"))


def test_numbers_of_parquet_files_agree_whatever_their_width(folder: Path) -> None:
    pd.DataFrame({"u": [1, 2]}).to_parquet("a.parquet")
    pd.DataFrame({"u": [1.0, None, 2.5]}).to_parquet("b.parquet")
    pd.DataFrame({"u": [None, None]}).to_parquet("c.parquet")
    table = read_table("*.parquet")
    assert table_content(table) == {"u": ["1", "2", "1", None, "2.5", None, None]}
    assert table.columns["u"].numbers() is not None


def test_types_that_differ_are_an_error_for_whoever_uses_the_column(folder: Path) -> None:
    pd.DataFrame({"u": [1, 2], "v": [1, 2]}).to_parquet("a.parquet")
    pd.DataFrame({"u": ["1", "2"], "v": [3, 4]}).to_parquet("b.parquet")
    table = read_table("*.parquet")
    expected = (
        "column 'u' holds numbers in a.parquet, but text in b.parquet; write it alike in all files, or leave it out"
    )
    with pytest.raises(DataError, match=expected):
        table.usable(table.columns["u"])
    table.usable(table.columns["v"])


def test_categories_keep_the_order_of_their_type(folder: Path) -> None:
    sizes = pd.CategoricalDtype(["low", "middle", "high"], ordered=True)
    for name, cells in (("a", ["high", "high"]), ("b", ["middle", "low"])):
        pd.DataFrame({"u": pd.Categorical(cells, dtype=sizes)}).to_parquet(f"{name}.parquet")
    column = read_table("*.parquet").columns["u"]
    assert (column.ordered, column.values.to_pylist()) == (True, ["low", "middle", "high"])


@pytest.fixture
def columns_read(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The columns that each read of a Parquet file asks for."""
    asked: list[Any] = []
    real = pq.ParquetFile.read_row_groups

    def read(file: Any, groups: Sequence[int], columns: Sequence[str] | None = None) -> Any:
        asked.append(columns)
        return real(file, groups, columns=columns)

    monkeypatch.setattr(pq.ParquetFile, "read_row_groups", read)
    return asked


def test_columns_that_are_not_needed_stay_in_the_file(folder: Path, columns_read: list[Any]) -> None:
    frame = pd.DataFrame({"a": [1, 2], "a.b": ["x", "y"], "c": [[1], [2]], "y": ["0", "1"]})
    for name in "pq":
        frame.to_parquet(f"{name}.parquet")
    table = read_table("p.parquet", ReadOptions(unneeded={"a.b", "c", "none"}.intersection))
    assert columns_read == [["a", "y"]]
    assert list(table.columns) == ["a", "a.b", "c", "y"]
    assert {name: column.unread for name, column in table.columns.items()} == {
        "a": False,
        "a.b": True,
        "c": True,
        "y": False,
    }
    with pytest.raises(DataError, match=r"^p.parquet: column 'c' was not read$"):
        table.usable(table.columns["c"])
    assert table_content(table.only({"a", "y"})) == {"a": ["1", "2"], "y": ["0", "1"]}


def test_the_first_file_decides_which_columns_are_needed(folder: Path, columns_read: list[Any]) -> None:
    pd.DataFrame({"a": [1], "b": [2], "y": [0]}).to_parquet("p.parquet")
    pd.DataFrame({"y": [1], "b": [4], "a": [3]}).to_parquet("q.parquet")
    table = read_table("*.parquet", ReadOptions(unneeded=lambda names: names[:-1]))
    assert columns_read == [["y"], ["y"]]
    assert [column.unread for column in table.columns.values()] == [True, True, False]
    read_table("*.parquet", ReadOptions(unneeded=lambda names: names[:-1], union=True))
    assert columns_read[2:] == [None, None]


def test_users_may_leave_out_what_stands_in_the_path(folder: Path) -> None:
    named: list[Sequence[str]] = []
    Path("k=1").mkdir()
    pd.DataFrame({"a": [1], "y": [0]}).to_parquet("k=1/p.parquet")

    def unneeded(names: Sequence[str]) -> list[str]:
        named.append(names)
        return ["k", "a"]

    table = read_part(Part("k=1/p.parquet", (("k", "1"),)), ReadOptions(unneeded=unneeded))
    assert named == [["k", "a", "y"]]
    assert [column.unread for column in table.columns.values()] == [False, True, False]


def test_progress_is_that_of_all_bytes(folder: Path) -> None:
    put("a.csv", "u,y\n1,0\n")
    put("b.csv", "u,y\n1,0\n2,1\n")
    told: list[Progress] = []
    with listening(told.append):
        read_table(["a.csv", "b.csv"])
    assert {(own.stage, own.total, own.unit) for own in told} == {("reading", 20, "bytes")}
    done = [own.done for own in told]
    assert done == sorted(done)
    assert (done[0], done[-1]) == (0, 20)


def test_a_table_may_be_a_path_or_several(write: Write) -> None:
    path = write("a.csv", "u,y\n1,0\n")
    assert (
        table_content(read_table([path])) == table_content(read_table(path)) == table_content(read_table((str(path),)))
    )


def test_files_that_are_too_many_for_memory_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(many_files, "_BYTES_BETWEEN_CHECKS", 20)
    monkeypatch.setattr(many_files, "require_memory", lambda needed, *_: asked.append(needed))
    for name in "abcd":
        put(f"{name}.csv", "u,y\n1,0\n2,1\n")
    read_table("*.csv")
    # Of 48 bytes, 24 are read, which hold 8 cells: 16 in all, and as many again to rank them.
    assert asked == [2 * 16 - 8, 2 * 16 - 16]
