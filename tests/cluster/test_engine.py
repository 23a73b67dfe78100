"""What is ranked and selected on a cluster is what this process finds; here without Dask."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings

import probfs
from probfs.cluster import connection, counting, engine
from probfs.cluster.engine import plan_blocks, read_block
from probfs.errors import DataError, UsageError
from probfs.tables.files import Part
from probfs.tables.reading import ReadOptions
from tests.support.clusters import connect_here
from tests.support.random_tables import (
    Case,
    Cells,
    as_frame,
    assert_same_ranking,
    assert_same_selection,
    cases,
    outcome,
    write_parts,
    write_split_candidates,
    write_split_table,
)

ENGINES: tuple[Literal["local", "dask"], ...] = ("local", "dask")


@pytest.fixture(autouse=True)
def cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "connect", connect_here)


@pytest.mark.parametrize("seed", range(6))
def test_random_tables(tmp_path: Path, seed: int) -> None:
    table = write_split_table(tmp_path / "table", seed)
    expected = probfs.rank(table.folder, **table.options)
    assert_same_ranking(probfs.rank(table.folder, engine="dask", **table.options), expected)


def test_uncertainty(tmp_path: Path) -> None:
    """Samples are drawn block by block; of one block, they are those of this process."""
    table = write_split_table(tmp_path / "table", 5)
    frame = pd.concat(
        [
            pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
            for path in sorted(table.folder.iterdir())
        ]
    )
    frame.to_csv(tmp_path / "one.csv", index=False)
    local, alone, split = (
        probfs.rank(data, target="y", uncertainty=True, engine=name).features
        for data, name in zip(
            (tmp_path / "one.csv", tmp_path / "one.csv", table.folder), (*ENGINES, "dask"), strict=True
        )
    )
    for found in (alone, split):
        assert [one.feature for one in found] == [one.feature for one in local]
        assert all(one.rank_low is not None for one in found)
    for own, other in zip(alone, local, strict=True):
        assert (own.rank_low, own.rank_high) == (other.rank_low, other.rank_high)


def test_union(tmp_path: Path) -> None:
    rows = {"a": list("xyxyxyxy"), "y": list("01010110")}
    pd.DataFrame(rows).to_csv(tmp_path / "1.csv", index=False)
    pd.DataFrame({"b": list("uvvuuvvu"), **rows}).to_csv(tmp_path / "2.csv", index=False)
    expected = probfs.rank(tmp_path, target="y", union=True)
    assert_same_ranking(probfs.rank(tmp_path, target="y", union=True, engine="dask"), expected)
    with pytest.raises(DataError, match=r"2\.csv: has 1 column that .*1\.csv lacks: 'b'"):
        probfs.rank(tmp_path, target="y", engine="dask")
    with pytest.raises(DataError, match=r"2\.csv: has 1 column that .*1\.csv lacks: 'b'"):
        probfs.rank(tmp_path, target="b", engine="dask")


def test_files_without_rows(tmp_path: Path) -> None:
    for name, text in (("1", "a,y\n"), ("2", "a,y\nu,0\nv,1\nu,0\nv,1\n"), ("3", "y,a\n")):
        (tmp_path / f"{name}.csv").write_text(text)
    expected = probfs.rank(tmp_path, target="y")
    assert_same_ranking(probfs.rank(tmp_path, target="y", engine="dask"), expected)
    (tmp_path / "2.csv").unlink()
    with pytest.raises(DataError, match="none of these files has data rows"):
        probfs.rank(tmp_path, target="y", engine="dask")


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
    for name in ENGINES:
        with pytest.raises(DataError, match=r"2\.csv: lacks 1 column of .*1\.csv: 'b'"):
            probfs.rank(tmp_path / "t.csv", engine=name, **options)
    expected = probfs.rank(tmp_path / "t.csv", union=True, **options)
    assert_same_ranking(probfs.rank(tmp_path / "t.csv", union=True, engine="dask", **options), expected)
    for file in more.iterdir():
        file.write_text("a,b\n")
    for name in ENGINES:
        with pytest.raises(DataError, match="none of these files has data rows"):
            probfs.rank(tmp_path / "t.csv", engine=name, **options)
    with pytest.raises(
        UsageError, match=r'^y and feature_names= go with arrays and frames, and engine="dask" reads fil'
    ):
        probfs.rank(tmp_path / "t.csv", ["p"] * 8, engine="dask")
    frame = pd.DataFrame({"a": ["u"], "b": ["1"]})
    with pytest.raises(UsageError, match="no worker can read a DataFrame; write it to files"):
        probfs.rank(tmp_path / "t.csv", target="y", engine="dask", unlabeled=frame)


def test_notes_of_many_files_are_told_once(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number:02}.csv").write_text("a;b;y\n" + "u;1;p\nv;2;q\n" * 2)
    expected = probfs.rank(tmp_path, target="y")
    assert any("and 19 more files: cells are separated by" in note for note in expected.warnings)
    assert_same_ranking(probfs.rank(tmp_path, target="y", engine="dask"), expected)


# Files that agree with each other, or do not

MEASURED = np.arange(30) / 7
WORDS = np.array(["a", "b", "c"] * 10)


def write(folder: Path, **columns: Any) -> None:
    """A table in two files; every column is given as its cells in each of them."""
    for number in range(2):
        frame = pd.DataFrame({name: parts[number] for name, parts in columns.items()})
        frame["y"] = np.where(np.arange(len(frame)) % 2, "yes", "no")
        frame.to_parquet(folder / f"{number}.parquet", index=False)


def assert_same(folder: Path, target: str = "y", **options: Any) -> None:
    outcomes: list[Any] = []
    for name in ("dask", "local"):
        try:
            outcomes.append(probfs.rank(folder, target=target, engine=name, **options))
        except DataError as error:
            outcomes.append(str(error))
    if isinstance(outcomes[1], str):
        assert outcomes[0] == outcomes[1]
    else:
        assert_same_ranking(*outcomes)


@pytest.mark.parametrize(
    "other",
    [
        np.array(["x", "y", "z"] * 10),
        np.full(30, np.inf),
        np.array([np.inf, *MEASURED[1:]]),
        pd.Categorical(["1", "2"] * 15),
        [[1.0, 2.0]] * 30,
        np.full(30, np.nan),
        np.full(30, None, dtype=object),
        np.arange(30) + 2**60,
        MEASURED.astype(np.float32),
        np.arange(30) * 1e300,
    ],
    ids=["texts", "infinite", "one infinite", "categories", "lists", "NaN", "nothing", "long", "single", "huge"],
)
@pytest.mark.parametrize("turn", [1, -1])
def test_what_another_file_holds(tmp_path: Path, other: Any, turn: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MANY_NUMBERS", 10)
    monkeypatch.setattr(engine, "COUNTED_BINS", 12)
    write(tmp_path, a=[MEASURED, other][::turn], b=[WORDS, WORDS[::-1]])
    assert_same(tmp_path)
    assert_same(tmp_path, exclude="a")
    assert_same(tmp_path, na="inf")


def test_a_target_that_is_a_quantity(tmp_path: Path) -> None:
    write(tmp_path, a=[MEASURED, MEASURED + 0.1], b=[WORDS, WORDS])
    with pytest.raises(DataError, match="the target 'a' is a quantity"):
        probfs.rank(tmp_path, target="a", engine="dask")
    assert_same(tmp_path, target="a", cut_target=3)
    assert_same(tmp_path, na="no")
    with pytest.raises(
        DataError, match="one class only, 'yes'; two or more are needed; 30 rows without a value are no"
    ):
        probfs.rank(tmp_path, target="y", na="no", engine="dask")


def test_values_that_do_not_fit_into_memory_are_refused_before_they_are_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, key=[np.arange(30), np.arange(30) + 30], b=[WORDS, WORDS])
    monkeypatch.setattr("probfs.runtime.memory.free_memory", lambda: 4000)
    with pytest.raises(DataError, match=r"counting the values of all columns, most of them in 'key', needs about"):
        probfs.rank(tmp_path, target="y", engine="dask")


# Odd cells, which a worker reads without knowing what other files hold

Files = Sequence[dict[str, Cells]]


def write_csv(folder: Path, files: Files) -> Path:
    folder.mkdir()
    for number, cells in enumerate(files):
        with (folder / f"{number}.csv").open("w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(cells)
            writer.writerows(zip(*cells.values(), strict=True))
    return folder


def write_parquet(folder: Path, files: Files) -> Path:
    folder.mkdir()
    for number, cells in enumerate(files):
        pq.write_table(as_frame(cells).arrow, folder / f"{number}.parquet")
    return folder


@pytest.mark.parametrize("write", [write_csv, write_parquet])
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=cases())
def test_both_engines_do_the_same(write: Callable[[Path, Files], Path], case: Case) -> None:
    with tempfile.TemporaryDirectory() as folder:
        data, mapping = write(Path(folder, "table"), case.blocks()), Path(folder, "mapping.toml")
        mapping.write_text(case.mapping)
        options = {**case.choice, "mapping": mapping, "decimal": case.decimal, "na": list(case.choice["na"])}
        if case.unlabelled is not None:
            # An infinite number makes texts of a further file's column; only a cluster knows that they are numbers.
            further = {name: [cell.replace("inf", "") for cell in own] for name, own in case.unlabelled.items()}
            options["unlabeled"] = write(Path(folder, "further"), [further])
        found, wanted = outcome(data, engine="dask", **options), outcome(data, **options)
        # Of several errors, a cluster may find those of the table itself first.
        alone = outcome(data, **{**options, "unlabeled": None})
    if isinstance(found, str) or isinstance(wanted, str):
        assert found in (alone, wanted)
        return
    assert_same_ranking(found[0], wanted[0])
    assert found[1] == wanted[1]
    backgrounds = found[0].background, wanted[0].background
    assert backgrounds[0] is not None
    assert backgrounds[1] is not None
    assert backgrounds[0].inspection == backgrounds[1].inspection
    assert backgrounds[0].intervals == backgrounds[1].intervals


# Selections


@pytest.mark.parametrize("seed", range(5))
def test_selections_from_random_tables(tmp_path: Path, seed: int) -> None:
    table = write_split_candidates(tmp_path / "table", seed)
    expected = probfs.select(table.folder, **table.options)
    assert_same_selection(probfs.select(table.folder, engine="dask", **table.options), expected)


def test_columns_of_very_many_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MANY_NUMBERS", 50)
    random = np.random.default_rng(3)
    labels = random.integers(0, 3, 9000)
    cells = {f"m{j}": random.normal(size=9000) + 0.2 * j * labels for j in range(4)}
    frame = pd.DataFrame({**cells, "y": labels.astype(str)})
    write_parts(frame, [100, 5000], tmp_path)
    expected = probfs.select(tmp_path, target="y", folds=3)
    assert_same_selection(probfs.select(tmp_path, target="y", folds=3, engine="dask"), expected)


# Which files make up which block


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
