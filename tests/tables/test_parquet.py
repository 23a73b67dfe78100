"""Parquet files: what pandas stores beside the columns, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from probfs.errors import DataError
from probfs.tables.readers import read_table


def test_a_stored_index_is_a_column_if_it_has_a_name(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": ["x", "y"], "y": ["0", "1"]}, index=[5, 9])
    frame.to_parquet(tmp_path / "unnamed.parquet")
    frame.rename_axis("person").to_parquet(tmp_path / "named.parquet")
    unnamed = read_table(tmp_path / "unnamed.parquet")
    assert (list(unnamed.columns), len(unnamed.notes)) == (["a", "y"], 1)
    assert "person" in read_table(tmp_path / "named.parquet").columns


def test_a_nested_parquet_column_is_named_in_the_error(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [[1, 2], [3]], "y": ["0", "1"]}), tmp_path / "t.parquet")
    with pytest.raises(DataError, match="column 'a' holds list"):
        read_table(tmp_path / "t.parquet")
    (tmp_path / "t.parquet").write_bytes(b"PAR1" + b"x" * 50 + b"PAR1")
    with pytest.raises(DataError, match="no readable Parquet"):
        read_table(tmp_path / "t.parquet")
