"""What is selected on a cluster is what is selected in this process; here without Dask."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import probfs
from probfs.cluster import connection, engine
from probfs.errors import DataError, UsageError
from tests.support.clusters import connect_here
from tests.support.split_tables import assert_same_selection, write_split_candidates


@pytest.fixture(autouse=True)
def cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "connect", connect_here)


@pytest.mark.parametrize("seed", range(30))
def test_random_tables(tmp_path: Path, seed: int) -> None:
    table = write_split_candidates(tmp_path / "table", seed)
    expected = probfs.select(table.folder, **table.options)
    assert_same_selection(probfs.select(table.folder, engine="dask", **table.options), expected)


def write_table(folder: Path, frame: pd.DataFrame, files: int) -> Path:
    folder.mkdir()
    for number, rows in enumerate(np.array_split(np.arange(len(frame)), files)):
        frame.iloc[rows].to_csv(folder / f"part-{number}.csv", index=False)
    return folder


def test_compiled_loops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probfs.classifiers.naive_bayes.classifier._CELLS_WORTH_COMPILING", 0)
    table = write_split_candidates(tmp_path / "table", 4)
    options = {**table.options, "keep": "fewest", "folds": 3}
    expected = probfs.select(table.folder, **options)
    assert_same_selection(probfs.select(table.folder, engine="dask", **options), expected)


def test_columns_of_very_many_values_are_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probfs.screening.redundancy._CELLS_AT_A_TIME", 50)
    table = write_split_candidates(tmp_path / "table", 3)
    options = {**table.options, "keep": 2, "folds": 3}
    expected = probfs.select(table.folder, **options)
    assert any(own.instead for own in expected.features)
    assert_same_selection(probfs.select(table.folder, engine="dask", **options), expected)


@pytest.mark.parametrize("binned", [False, True])
def test_columns_of_very_many_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, binned: bool) -> None:
    monkeypatch.setattr(engine, "MANY_NUMBERS", 50 if binned else 20_000)
    random = np.random.default_rng(3)
    labels = random.integers(0, 3, 9000)
    cells = {f"m{j}": random.normal(size=9000) + 0.2 * j * labels for j in range(4)}
    frame = pd.DataFrame({**cells, "y": labels.astype(str)})
    for number, rows in enumerate(np.split(np.arange(9000), [100, 5000])):
        frame.iloc[rows].to_parquet(tmp_path / f"part-{number}.parquet", index=False)
    expected = probfs.select(tmp_path, target="y", folds=3)
    assert_same_selection(probfs.select(tmp_path, target="y", folds=3, engine="dask"), expected)


def test_a_report(tmp_path: Path) -> None:
    table = write_split_candidates(tmp_path / "table", 1)
    options = {**table.options, "folds": 2}
    pages = (
        probfs.select(table.folder, report=True, **options).to_html(),
        probfs.select(table.folder, report=True, engine="dask", **options).to_html(),
    )
    expected, found = (page.splitlines() for page in pages if page is not None)
    different = [line for line, same in zip(found, expected, strict=True) if line != same]
    assert all("engine=" in line for line in different)


def test_mistakes_are_those_of_this_process(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": list("xyxyxyxy"), "b": list("uvvuuvvu"), "y": list("00000001")})
    folder = write_table(tmp_path / "table", frame, 2)
    for options, kind in (
        ({"always": "c"}, UsageError),
        ({"keep": 3}, UsageError),
        ({"folds": 2}, DataError),
        ({"always": "y"}, UsageError),
    ):
        with pytest.raises(kind) as expected:
            probfs.select(folder, target="y", **options)
        with pytest.raises(kind) as found:
            probfs.select(folder, target="y", engine="dask", **options)
        assert str(found.value) == str(expected.value)
