"""What an engine on a cluster makes of files is what this process makes of them; here without Dask."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest

import probfs
from probfs.cluster import connection
from probfs.errors import DataError, UsageError
from tests.support.file_parts import assert_same_ranking, write_split_table
from tests.support.in_process_cluster import connect_here


@pytest.fixture(autouse=True)
def cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "connect", connect_here)


@pytest.mark.parametrize("seed", range(20))
def test_random_tables(tmp_path: Path, seed: int) -> None:
    table = write_split_table(tmp_path / "table", seed)
    expected = probfs.rank(table.folder, **table.options)
    assert_same_ranking(probfs.rank(table.folder, engine="dask", **table.options), expected)


def test_further_rows_without_a_class(tmp_path: Path) -> None:
    table, more = write_split_table(tmp_path / "table", 1), write_split_table(tmp_path / "more", 2)
    options: dict[str, Any] = {"target": "y", "score": "unlabeled"}
    expected = probfs.rank(table.folder, unlabeled=more.folder, **options)
    assert_same_ranking(probfs.rank(table.folder, unlabeled=more.folder, engine="dask", **options), expected)


def test_union(tmp_path: Path) -> None:
    rows = {"a": list("xyxyxyxy"), "y": list("01010110")}
    pd.DataFrame(rows).to_csv(tmp_path / "1.csv", index=False)
    pd.DataFrame({"b": list("uvvuuvvu"), **rows}).to_csv(tmp_path / "2.csv", index=False)
    expected = probfs.rank(tmp_path, target="y", union=True)
    assert_same_ranking(probfs.rank(tmp_path, target="y", union=True, engine="dask"), expected)
    with pytest.raises(DataError, match=r"2\.csv: has 1 column that .*1\.csv lacks: 'b'"):
        probfs.rank(tmp_path, target="y", engine="dask")


def test_one_file_in_row_groups(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.integers(0, 4, (300, 5)), columns=list("abcde")).assign(y=random.integers(0, 2, 300))
    frame.to_parquet(tmp_path / "table.parquet", row_group_size=29)
    expected = probfs.rank(tmp_path / "table.parquet", target="y")
    assert_same_ranking(probfs.rank(tmp_path / "table.parquet", target="y", engine="dask"), expected)


def test_report(tmp_path: Path) -> None:
    table = write_split_table(tmp_path / "table", 3)
    page = probfs.rank(table.folder, engine="dask", report=True, **table.options).to_html()
    assert page is not None
    assert "Round" in page


def test_files_without_rows(tmp_path: Path) -> None:
    for name, text in (("1", "a,y\n"), ("2", "a,y\nu,0\nv,1\nu,0\nv,1\n"), ("3", "y,a\n")):
        (tmp_path / f"{name}.csv").write_text(text)
    expected = probfs.rank(tmp_path, target="y")
    assert_same_ranking(probfs.rank(tmp_path, target="y", engine="dask"), expected)
    (tmp_path / "2.csv").unlink()
    with pytest.raises(DataError, match="none of these files has data rows"):
        probfs.rank(tmp_path, target="y", engine="dask")


def test_only_files_can_be_read_elsewhere() -> None:
    with pytest.raises(UsageError, match="no worker can read a DataFrame; write it to files"):
        probfs.rank(pd.DataFrame({"a": list("xyxy"), "y": list("0101")}), target="y", engine="dask")


def test_a_first_file_without_rows_decides_nothing(tmp_path: Path) -> None:
    (tmp_path / "0.csv").write_text("y,b,a\n")
    (tmp_path / "1.csv").write_text("a,b,y\n" + "u,1,p\nv,2,q\n" * 4)
    (tmp_path / "2.csv").write_text("b,a,y\n" + "1,u,p\n2,v,q\n" * 4)
    for union in (False, True):
        heard: list[str] = []
        probfs.rank(tmp_path, engine="dask", union=union, on_note=heard.append)
        assert "target: y (the last column)" in heard


def test_unlabelled_files_are_checked_as_labelled_ones(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b,y\n" + "u,1,p\nv,2,q\n" * 4)
    more = tmp_path / "more"
    more.mkdir()
    (more / "1.csv").write_text("a,b\nu,1\n")
    (more / "2.csv").write_text("a\nv\n")
    options: dict[str, Any] = {"target": "y", "unlabeled": more}
    engines: tuple[Literal["local", "dask"], ...] = ("local", "dask")
    for engine in engines:
        with pytest.raises(DataError, match=r"2\.csv: lacks 1 column of .*1\.csv: 'b'"):
            probfs.rank(tmp_path / "t.csv", engine=engine, **options)
    expected = probfs.rank(tmp_path / "t.csv", union=True, **options)
    assert_same_ranking(probfs.rank(tmp_path / "t.csv", union=True, engine="dask", **options), expected)
    for file in more.iterdir():
        file.write_text("a,b\n")
    for engine in engines:
        with pytest.raises(DataError, match="none of these files has data rows"):
            probfs.rank(tmp_path / "t.csv", engine=engine, **options)
    with pytest.raises(UsageError, match="no worker can read a DataFrame"):
        probfs.rank(tmp_path / "t.csv", target="y", engine="dask", unlabeled=pd.DataFrame({"a": ["u"], "b": ["1"]}))


def test_notes_of_many_files_are_told_once(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number:02}.csv").write_text("a;b;y\n" + "u;1;p\nv;2;q\n" * 2)
    expected = probfs.rank(tmp_path, target="y")
    assert any("and 19 more files: cells are separated by" in note for note in expected.warnings)
    assert_same_ranking(probfs.rank(tmp_path, target="y", engine="dask"), expected)
