"""Which files make up which block."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from probfs.cluster.reading import plan_blocks, read_block
from probfs.tables.files import Part
from probfs.tables.reading import ReadOptions


@pytest.mark.parametrize(
    ("sizes", "threads", "expected"),
    [
        ([10], 4, [1]),
        ([10] * 8, 2, [2, 2, 2, 2]),
        ([10] * 8, 8, [1] * 8),
        ([100, 1, 1, 1, 1, 96], 1, [1, 5]),
        ([0, 0, 0, 0], 1, [2, 2]),
        ([1000, 1, 1], 1, [1, 2]),
    ],
)
def test_blocks_hold_about_equally_many_bytes(
    tmp_path: Path, sizes: list[int], threads: int, expected: list[int]
) -> None:
    parts = [Part(str(tmp_path / f"{number:03}.csv")) for number in range(len(sizes))]
    for part, size in zip(parts, sizes, strict=True):
        Path(part.path).write_bytes(b"x" * size)
    blocks = plan_blocks(parts, threads)
    assert [len(block) for block in blocks] == expected
    assert [part for block in blocks for part in block] == parts


def test_files_that_only_workers_see() -> None:
    parts = [Part(f"s3://bucket/{number}.parquet") for number in range(4)]
    assert [len(block) for block in plan_blocks(parts, 1)] == [2, 2]


def test_a_large_parquet_file_is_read_by_several(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    pd.DataFrame({"a": range(100), "y": [0, 1] * 50}).to_parquet(path, row_group_size=10)
    blocks = plan_blocks([Part(str(path))], 2)
    assert [part.row_groups for block in blocks for part in block] == [(0, 1), (2, 3, 4), (5, 6), (7, 8, 9)]
    tables = [read_block(block, ReadOptions()) for block in blocks]
    cells = [text for table in tables for text in table.columns["a"].values.to_pylist()]
    assert cells == [str(number) for number in range(100)]
    assert [table.first_row for table in tables] == [0, 20, 50, 70]


def test_what_is_no_parquet_file_is_left_to_the_reader(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    path.write_bytes(b"nothing")
    assert plan_blocks([Part(str(path))], 2) == [(Part(str(path)),)]
