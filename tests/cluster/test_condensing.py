"""Columns of many different numbers that cannot be summarized are counted after all, or refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import probfs
from probfs.cluster import condensing, connection
from probfs.errors import DataError
from tests.support.file_parts import assert_same_ranking
from tests.support.in_process_cluster import connect_here


@pytest.fixture(autouse=True)
def _in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "connect", connect_here)
    monkeypatch.setattr(condensing, "MANY_NUMBERS", 10)


def write(folder: Path, **columns: Any) -> None:
    """A table in two files; every column is given as its cells in each of them."""
    for number in range(2):
        frame = pd.DataFrame({name: parts[number] for name, parts in columns.items()})
        frame["y"] = np.where(np.arange(len(frame)) % 2, "yes", "no")
        frame.to_parquet(folder / f"{number}.parquet", index=False)


def assert_same(folder: Path, **options: Any) -> None:
    outcomes: list[Any] = []
    for engine in ("dask", "local"):
        try:
            outcomes.append(probfs.rank(folder, target="y", engine=engine, **options))
        except DataError as error:
            outcomes.append(str(error))
    if isinstance(outcomes[1], str):
        assert outcomes[0] == outcomes[1]
    else:
        assert_same_ranking(*outcomes)


MEASURED = np.arange(30) / 7
WORDS = np.array(["a", "b", "c"] * 10)


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
def test_what_another_file_holds(tmp_path: Path, other: Any, turn: int) -> None:
    write(tmp_path, a=[MEASURED, other][::turn], b=[WORDS, WORDS[::-1]])
    assert_same(tmp_path)
    assert_same(tmp_path, exclude="a")


def test_infinite_numbers_that_are_missing(tmp_path: Path) -> None:
    write(tmp_path, a=[MEASURED, np.where(MEASURED > 2, np.inf, MEASURED)], b=[WORDS, WORDS])
    assert_same(tmp_path, na="inf")


def test_more_classes_than_histograms_are_worth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(condensing, "_MOST_CLASSES", 1)
    write(tmp_path, a=[MEASURED, MEASURED + 0.1], b=[WORDS, WORDS])
    assert_same(tmp_path)


def test_a_target_that_is_a_quantity(tmp_path: Path) -> None:
    write(tmp_path, a=[MEASURED, MEASURED + 0.1], b=[WORDS, WORDS])
    for engine in ("local", "dask"):
        with pytest.raises(DataError, match="the target 'a' is a quantity"):
            probfs.rank(tmp_path, target="a", engine=engine)
    assert_same_ranking(
        probfs.rank(tmp_path, target="a", cut_target=3, engine="dask"), probfs.rank(tmp_path, target="a", cut_target=3)
    )


@pytest.mark.parametrize("numbers", [[np.arange(30), np.arange(30)], [np.arange(20), np.arange(10, 30)]])
def test_very_many_whole_numbers_are_refused(
    tmp_path: Path, numbers: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(condensing, "MOST_WHOLE_NUMBERS", 29)
    write(tmp_path, key=numbers, b=[WORDS[: len(own)] for own in numbers])
    with pytest.raises(DataError, match=r"column 'key' holds more than 29 different numbers, .* with exclude="):
        probfs.rank(tmp_path, target="y", engine="dask")
    assert probfs.rank(tmp_path, target="y", exclude="key", engine="dask").features[0].feature == "b"
    monkeypatch.setattr(condensing, "MOST_WHOLE_NUMBERS", 30)
    assert_same(tmp_path)


def test_a_target_of_very_many_numbers_cannot_be_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(condensing, "MOST_WHOLE_NUMBERS", 29)
    write(tmp_path, key=[np.arange(30), np.arange(30)], b=[WORDS, WORDS])
    with pytest.raises(DataError, match=r'too many to count on a cluster; leave out engine="dask"$'):
        probfs.rank(tmp_path, target="key", cut_target=2, engine="dask")


@pytest.mark.parametrize("most", [29, 40])
def test_very_many_numbers_that_cannot_be_summarized_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(condensing, "MOST_WHOLE_NUMBERS", most)
    write(tmp_path, a=[MEASURED, np.append(MEASURED[:-1] + 10, np.inf)], b=[WORDS, WORDS])
    with pytest.raises(DataError, match=f"column 'a' holds more than {most} different numbers"):
        probfs.rank(tmp_path, target="y", engine="dask")
