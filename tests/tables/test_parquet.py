"""Parquet files: what pandas stores beside the columns, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import probfs
from probfs.errors import DataError
from probfs.tables.readers import read_table
from probfs.tables.table import Kind


def test_a_stored_index_is_a_column_if_it_has_a_name(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": ["x", "y"], "y": ["0", "1"]}, index=[5, 9])
    frame.to_parquet(tmp_path / "unnamed.parquet")
    frame.rename_axis("person").to_parquet(tmp_path / "named.parquet")
    unnamed = read_table(tmp_path / "unnamed.parquet")
    assert (list(unnamed.columns), len(unnamed.notes)) == (["a", "y"], 1)
    assert "person" in read_table(tmp_path / "named.parquet").columns


def test_a_nested_column_is_read_as_one_that_cannot_be_used(tmp_path: Path) -> None:
    table = pa.table({"a": [[1, 2], None], "s": [{"x": 1}, {"x": 2}], "b": [b"1", None], "y": ["0", "1"]})
    pq.write_table(table, tmp_path / "t.parquet")
    columns = read_table(tmp_path / "t.parquet").columns
    assert [column.kind for column in columns.values()] == [Kind.NESTED, Kind.NESTED, Kind.OTHER, Kind.TEXT]
    assert [column.counts()[-1] for column in columns.values()] == [1, 0, 1, 0], "missing cells are counted"
    problem = "holds list<element: int64>, which cannot be ranked; turn it into text or numbers, or leave it out"
    assert columns["a"].problem == problem
    assert columns["y"].problem is None


def test_what_is_no_parquet_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.parquet").write_bytes(b"PAR1" + b"x" * 50 + b"PAR1")
    with pytest.raises(DataError, match="no readable Parquet"):
        read_table(tmp_path / "t.parquet")


def test_names_from_the_file_are_safe_to_show(tmp_path: Path) -> None:
    fields = pa.struct([("\x1b[31m\n" + "x" * 500, pa.int64())])
    pq.write_table(pa.table({"a": pa.array([None, None], fields), "y": ["0", "1"]}), tmp_path / "t.parquet")
    problem = str(read_table(tmp_path / "t.parquet").columns["a"].problem)
    assert problem.startswith("holds struct<\\x1b[31m\\nxxx")
    assert len(problem) < 160


def test_a_column_left_out_may_hold_anything(tmp_path: Path) -> None:
    plain = {"a": ["u", "v"] * 4, "y": ["0", "0", "1", "1"] * 2}
    raw = pa.array([b"\xff"] * 8)
    anything = {
        "l": [[1, 2]] * 8,
        "m": pa.array([[("k", 1)]] * 8, pa.map_(pa.string(), pa.int64())),
        "t": pa.Array.from_buffers(pa.string(), 8, raw.buffers()),
        "b": raw,
    }
    pq.write_table(pa.table(plain), tmp_path / "plain.parquet")
    pq.write_table(pa.table({**anything, **plain}), tmp_path / "t.parquet")
    (tmp_path / "drop.toml").write_text('drop = ["l", "m", "t", "b"]')
    for classifier in ("nb", "svm"):
        expected = probfs.rank(tmp_path / "plain.parquet", target="y", classifier=classifier).to_csv()
        ways: list[dict[str, Any]] = [{"exclude": [*anything]}, {"include": ["a"]}, {"mapping": tmp_path / "drop.toml"}]
        for left_out in ways:
            assert (
                probfs.rank(tmp_path / "t.parquet", target="y", classifier=classifier, **left_out).to_csv() == expected
            )
        with pytest.raises(DataError, match=r"t\.parquet: column 'm' holds map<.*>, which cannot be ranked"):
            probfs.rank(tmp_path / "t.parquet", classifier=classifier, exclude=["l", "t", "b"])


def test_a_named_index_is_a_column_but_not_the_last(tmp_path: Path) -> None:
    frame = pd.DataFrame({"g": list("ab") * 4, "x": list("kkll") * 2, "y": list("pqpq") * 2}).set_index("g")
    frame.to_parquet(tmp_path / "t.parquet")
    assert list(read_table(tmp_path / "t.parquet").columns) == ["g", "x", "y"]
