"""Blocks of numbers: what they say of their columns, and that every format's columns are the same without a block."""

from __future__ import annotations

import io
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from probfs.tables.arrow_arrays import text_array
from probfs.tables.number_block import NumberBlock, NumberColumn, is_wide
from probfs.tables.readers import ReadOptions, read_table
from probfs.tables.readers.frame import table_from_frame
from probfs.tables.table import Column, Kind, Table
from tests.support.wide_tables import blocks

FLOATS = (0.0, -0.0, 1.0, 0.1, -2.5, 1e15, 123456789.25, 1e300, 5e-324, np.nan, np.inf, 2.0**53, 1e17, 16777217.0)
INTEGERS = (0, 1, -1, 7, 100, 2**31 - 1, -(2**31))
LARGE = (2**53, 2**53 + 1, 2**62)
DTYPES = (np.float64, np.float64, np.float64, np.float32, np.float32, np.int64, np.int64, np.int32, np.uint8, np.int64)
NULLABLE: dict[str, Any] = {
    "float64": "Float64",
    "float32": "Float32",
    "int64": "Int64",
    "int32": "Int32",
    "uint8": "UInt8",
}


@st.composite
def frames(draw: st.DrawFn) -> pd.DataFrame:
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows = draw(st.sampled_from([1, 3]))
    columns: dict[str, Any] = {}
    for number in range(40):
        dtype = np.dtype(DTYPES[number % len(DTYPES)])
        if dtype.kind == "f":
            drawn = np.where(generator.random(rows) < 0.5, generator.choice(FLOATS, rows), generator.normal(size=rows))
            with np.errstate(over="ignore"):
                columns[f"c{number}"] = drawn.astype(dtype)
        else:
            choice = INTEGERS if generator.random() < 0.9 or dtype != np.int64 else LARGE
            columns[f"c{number}"] = np.array(generator.choice(choice, rows)).astype(dtype)
    frame = pd.DataFrame(columns)
    for name in frame.columns[20:]:
        frame[name] = frame[name].astype(NULLABLE[frame[name].dtype.name]).mask(generator.random(rows) < 0.3)
    return frame.assign(word="a", y=generator.choice(["no", "yes"], rows))


def contents(table: Table) -> list[Any]:
    seen: list[Any] = []
    for column in table.columns.values():
        numbers = column.numbers()
        seen += [column.name, column.kind, column.problem, column.values.to_pylist(), column.codes.tolist()]
        seen += [column.codes.dtype, column.rows, column.distinct(), column.missing(), column.is_missing().tolist()]
        seen.append(None if numbers is None else [(number, np.signbit(number)) for number in numbers.tolist()])
    return seen


def arff(frame: pd.DataFrame) -> str:
    def cell(value: Any) -> str:
        return "?" if pd.isna(value) else str(value)

    kinds = ["string" if name in ("word", "y") else "numeric" for name in frame.columns]
    header = "".join(f"@attribute {name} {kind}\n" for name, kind in zip(frame.columns, kinds, strict=True))
    rows = "".join(", ".join(map(cell, row)) + "\n" for row in frame.itertuples(index=False))
    return f"@relation r\n{header}@data\n{rows}"


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(frames())
def test_columns_of_every_format_are_the_same_without_a_block(tmp_path: Path, frame: pd.DataFrame) -> None:
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_feather(tmp_path / "t.feather")
    (tmp_path / "t.arff").write_text(arff(frame))
    (tmp_path / "t.csv").write_text(frame.to_csv(index=False))
    readers = [partial(table_from_frame, frame), *(partial(read_table, path) for path in sorted(tmp_path.glob("t.*")))]
    for read in readers:
        with blocks(True):
            with_block = read()
        with blocks(False):
            assert contents(with_block) == contents(read())


def test_every_format_has_blocks(tmp_path: Path) -> None:
    frame = pd.DataFrame({f"c{number}": [0.5, 1.5] for number in range(9)}).assign(y=["no", "yes"])
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_feather(tmp_path / "t.feather")
    (tmp_path / "t.arff").write_text(arff(frame))
    (tmp_path / "t.csv").write_text(frame.to_csv(index=False))
    with blocks(True):
        tables = [table_from_frame(frame), *(read_table(path) for path in sorted(tmp_path.glob("t.*")))]
    assert [sum(isinstance(c, NumberColumn) for c in table.columns.values()) for table in tables] == [9] * 5


@pytest.mark.parametrize("dtype", [*NULLABLE.values(), "double[pyarrow]", "int64[pyarrow]"])
def test_nullable_columns_of_a_frame_are_in_a_block(dtype: Any) -> None:
    frame = pd.DataFrame({f"c{number}": [number, None, 1] for number in range(9)}, dtype="Int64").astype(dtype)
    with blocks(True):
        with_block = table_from_frame(frame)
    assert all(isinstance(column, NumberColumn) for column in with_block.columns.values())
    with blocks(False):
        assert contents(with_block) == contents(table_from_frame(frame))


def test_whole_numbers_that_a_double_cannot_hold_are_in_no_block() -> None:
    frame = pd.DataFrame({f"c{number}": pd.array([2**53 + 1, None], dtype="Int64") for number in range(9)})
    with blocks(True):
        table = table_from_frame(frame)
    assert table.columns["c0"].values.to_pylist() == ["9007199254740993"]


@given(
    st.lists(st.lists(st.sampled_from([0.0, 1.0, 2.5, -3.0, np.nan]), min_size=6, max_size=6), min_size=1, max_size=5),
    st.one_of(st.none(), st.lists(st.integers(0, 3), min_size=6, max_size=6)),
)
def test_what_a_block_says_is_what_its_columns_say(lines: list[list[float]], weights: list[int] | None) -> None:
    numbers = np.array(lines)
    own = None if weights is None else np.array(weights)
    block = NumberBlock(numbers, lambda line, row: text_array([repr(number) for number in numbers[line, row].tolist()]))
    for column in block.columns([f"c{number}" for number in range(len(lines))], Kind.NUMBER):
        alone = Column(column.name, column.codes, column.values, Kind.NUMBER)
        assert [None if n != n else repr(n) for n in column.by_row.tolist()] == [
            None if code == len(column.values) else column.values[code].as_py() for code in column.codes.tolist()
        ]
        # Values are in the order of their first rows.
        assert list(dict.fromkeys(code for code in column.codes.tolist() if code < len(column.values))) == list(
            range(len(column.values))
        )
        assert (column.rows, column.distinct(own), column.missing(own)) == (
            alone.rows,
            alone.distinct(own),
            alone.missing(own),
        )
        rows = [n for n, weight in zip(column.by_row.tolist(), weights or [1] * 6, strict=True) if weight and n == n]
        assert column.has_fractions(own) == any(not number.is_integer() for number in rows)
        for times in (1, 2, 5, 7):
            assert column.repeats(times, own) == any(rows.count(number) >= times for number in rows)
    texts = [column.values.to_pylist() for column in block.columns(list("abcde")[: len(lines)], Kind.NUMBER)]
    assert block.distinct_texts(np.arange(len(lines))) == texts


def test_wide_is_more_columns_than_rows() -> None:
    assert is_wide(100, 99)
    assert not is_wide(100, 100)
    assert not is_wide(3, 2)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_blocks_of_a_file_become_one_block(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, end: str) -> None:
    from probfs.tables.readers import csv_blocks

    generator = np.random.default_rng(0)
    frame = pd.DataFrame(generator.integers(9, size=(20, 30)).astype(str)).assign(w="é", y="no")
    path = tmp_path / "t.csv"
    path.write_bytes(frame.to_csv(index=False, lineterminator=end).encode())
    monkeypatch.setattr(csv_blocks, "BLOCK_BYTES", 150)
    with blocks(True):
        with_block = read_table(path)
    assert sum(isinstance(column, NumberColumn) for column in with_block.columns.values()) == 30
    with blocks(False):
        assert contents(with_block) == contents(read_table(path))


@pytest.mark.parametrize("odd", ['"1"', '"1""2"', "1\n", "\ufeff"])
def test_a_later_block_that_is_no_grid_gives_up_the_block(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, odd: str
) -> None:
    from probfs.tables.readers import csv_blocks

    rows = [[str((row * column) % 7) for column in range(30)] for row in range(20)]
    rows[15][29] = odd
    lines = map(",".join, rows)
    path = tmp_path / "t.csv"
    path.write_text("\n".join([",".join(f"c{number}" for number in range(30)), *lines]) + "\n")
    monkeypatch.setattr(csv_blocks, "BLOCK_BYTES", 150)
    with blocks(True):
        with_block = read_table(path)
    with blocks(False):
        assert contents(with_block) == contents(read_table(path, ReadOptions()))


def test_a_frame_may_change_after_it_was_read() -> None:
    frame = pd.DataFrame({f"c{number}": [0.5, 1.5] for number in range(9)}).assign(y=["no", "yes"])
    with blocks(True):
        table = table_from_frame(frame)
    frame.iloc[:, :9] = 7.0
    assert table.columns["c0"].values.to_pylist() == ["0.5", "1.5"]


def test_a_compressed_stream_has_blocks_too(tmp_path: Path) -> None:
    import gzip

    path = tmp_path / "t.csv.gz"
    buffer = io.BytesIO()
    pd.DataFrame({f"c{number}": [0.5, 1.5] for number in range(9)}).to_csv(buffer, index=False)
    path.write_bytes(gzip.compress(buffer.getvalue()))
    with blocks(True):
        table = read_table(path)
    assert all(isinstance(column, NumberColumn) for column in table.columns.values())


@pytest.mark.parametrize(
    "lines",
    [
        [",a,b,c,d", "r1,1,2,3,4", "r2,5,6,7,8"],
        ["a,b,c,d", "r1,1,2,3,4", "r2,5,6,7,8", "r3,5,6,7,8"],
        ["a;b;c;d", "1;2;3;4", "5;6;7;8"],
        ['"a","b",,"d"', "1,2,3,4", "5,6,7,8", "", ""],
    ],
)
def test_headers_of_every_form_have_blocks(tmp_path: Path, lines: list[str]) -> None:
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines))
    with blocks(True):
        table = read_table(path)
    assert sum(isinstance(column, NumberColumn) for column in table.columns.values()) == 4
    with blocks(False):
        other = read_table(path)
    assert contents(table) == contents(other)
    assert (table.notes, table.left_out, table.rows) == (other.notes, other.left_out, other.rows)
    assert table.lines is not None
    assert other.lines is not None
    assert [table.lines.line(row) for row in range(2)] == [other.lines.line(row) for row in range(2)]
