"""Columns of many different numbers are ranked on a cluster as on one machine, though nobody sees all their values."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import probfs
from probfs import Ranking
from probfs.cluster import condensing, connection, many_numbers
from probfs.cluster.summarized_column import SummarizedColumn
from probfs.columns.choice import CUT_ABOVE
from probfs.columns.inspect import Inspection
from probfs.notes import Note
from probfs.screening import column_tests
from tests.support.file_parts import assert_same_ranking
from tests.support.in_process_cluster import connect_here
from tests.support.many_numbers import KINDS, measured, measurements, write_parts

OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "count": st.just("n"),
        "bins": st.sampled_from([2, 7]),
        "missing": st.sampled_from(["auto", "value"]),
        "na": st.sampled_from(["0.1", "2.0"]),
        "min_class": st.sampled_from([1, 20]),
        "exclude": st.just(["x0"]),
        "score": st.just("unlabeled"),
    },
)


@pytest.fixture(autouse=True)
def _in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "connect", connect_here)


@pytest.fixture
def few_are_many() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(condensing, "MANY_NUMBERS", 4)
        patch.setattr(many_numbers, "_ROWS_OF_A_RANGE", 16)
        yield


@pytest.fixture
def none_are_few() -> Iterator[None]:
    """Few rows are judged by the tail alone, as very many are, by both engines."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(many_numbers, "FEW_NUMBERS", CUT_ABOVE)
        patch.setattr(column_tests, "FEW_ROWS", 0)
        patch.setattr(column_tests, "FEW_NUMBERS", 0)
        yield


@pytest.fixture
def summarized(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of columns that were summarized."""
    names: list[str] = []
    original = SummarizedColumn.of

    def of(column: Any, *facts: Any) -> SummarizedColumn:
        names.append(column.name)
        return original(column, *facts)

    monkeypatch.setattr(SummarizedColumn, "of", of)
    return names


def outcome(data: Any, **options: Any) -> tuple[Ranking, list[Note]] | str:
    """A ranking and its notes, or why there is none."""
    notes: list[Note] = []
    try:
        ranking = probfs.rank(data, target="y", on_note=notes.append, report=True, **options)
    except probfs.ProbfsError as error:
        return str(error)
    return ranking, notes


def assert_same(data: Any, p_within: float = 1e-9, **options: Any) -> None:
    """Both engines do the same."""
    found, wanted = outcome(data, engine="dask", **options), outcome(data, **options)
    if isinstance(wanted, str) or isinstance(found, str):
        assert found == wanted
        return
    assert_same_ranking(found[0], wanted[0], p_within=p_within)
    assert found[1] == wanted[1]
    backgrounds = found[0].background, wanted[0].background
    assert backgrounds[0] is not None
    assert backgrounds[1] is not None
    assert backgrounds[0].intervals == backgrounds[1].intervals
    assert without_ties(backgrounds[0].inspection) == without_ties(backgrounds[1].inspection)


def without_ties(inspection: Inspection) -> Inspection:
    """Of several numbers in equally many rows, another one may be named as the most frequent."""
    return replace(inspection, columns=tuple(replace(own, most_frequent=None) for own in inspection.columns))


@pytest.mark.usefixtures("few_are_many")
@given(measurements(), st.lists(st.integers(0, 80), max_size=4), OPTIONS)
def test_a_cluster_ranks_as_one_machine(frame: pd.DataFrame, cuts: list[int], options: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert_same(write_parts(frame, cuts, Path(folder)), **options)


@pytest.mark.usefixtures("few_are_many", "none_are_few")
@given(measurements(), st.lists(st.integers(0, 80), max_size=4), OPTIONS)
def test_numbers_that_are_not_listed(frame: pd.DataFrame, cuts: list[int], options: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert_same(write_parts(frame, cuts, Path(folder)), **options)


@pytest.mark.usefixtures("few_are_many", "none_are_few")
def test_a_number_that_gives_the_class_away_though_another_is_in_more_rows(tmp_path: Path) -> None:
    rows = np.arange(200)
    # Neither the first number, nor the most frequent one, nor one where the column is cut.
    numbers = np.where(rows % 5 == 3, 50.5, np.where(rows % 2, 0.0, rows / 7))
    frame = pd.DataFrame({"a": numbers, "b": rows % 3, "y": np.where(rows % 5 == 3, "p", "q")})
    paths = write_parts(frame, [90], tmp_path)
    assert_same(paths, bins=2)
    found = outcome(paths, engine="dask", bins=2)
    assert not isinstance(found, str)
    assert any("'50.5' or not tells 'p'" in note for note in found[1])


@pytest.mark.usefixtures("few_are_many", "none_are_few")
def test_further_rows_and_rules(tmp_path: Path, summarized: list[str]) -> None:
    random = np.random.default_rng(3)
    labels = random.integers(0, 2, 200)
    frame = pd.DataFrame({kind: measured(random, labels, kind) for kind in KINDS}).assign(y=labels.astype(str))
    paths = write_parts(frame, [50, 120], tmp_path)
    (tmp_path / "more").mkdir()
    more = write_parts(frame.drop(columns="y").sample(90, random_state=1), [30], tmp_path / "more")
    mapping = tmp_path / "mapping.toml"
    mapping.write_text('[columns]\ndifferent = {quantiles = 9}\ntied = {cut = [0.0, 1.0]}\nwide = "numeric"\n')
    assert_same(paths, unlabeled=[more], mapping=mapping, score="unlabeled")
    assert set(summarized) == {"different", "zeros tell", "close", "nearly whole", "rare"}


@pytest.mark.parametrize("labelled", [1.0, 0.05])
def test_many_rows(tmp_path: Path, summarized: list[str], labelled: float) -> None:
    random = np.random.default_rng(4)
    rows = 100_000
    labels = random.integers(0, 3, rows)
    frame = pd.DataFrame({kind: measured(random, labels, kind) for kind in KINDS}).assign(id=np.arange(rows))
    frame.loc[random.random(rows) < 0.1, "different"] = np.nan
    names = np.array(["a", "b", "c"], dtype=object)[labels]
    names[random.random(rows) > labelled] = None
    parts = write_parts(frame.assign(n=random.integers(0, 3, rows), y=names), [60_000], tmp_path)
    assert_same(parts, p_within=1e-3, count="n")
    # The others are too few different numbers in one block.
    assert set(summarized) == {"different", "wide", "zeros tell", "nearly whole"}


@pytest.mark.usefixtures("few_are_many", "none_are_few")
def test_the_most_frequent_number_is_known(tmp_path: Path) -> None:
    different = (np.arange(40) * 7 + 5) % 40 / 4 + 3
    frame = pd.DataFrame({"all different": different, "y": ["a", "b"] * 20})
    frame["a frequent one"] = np.where(np.arange(40) % 4 == 1, -2.5, different)
    found = outcome(write_parts(frame, [20], tmp_path), engine="dask")
    assert not isinstance(found, str)
    assert found[0].background is not None
    columns = {own.column: own for own in found[0].background.inspection.columns}
    assert (columns["all different"].most_frequent, columns["all different"].frequency) == ("4.25", 1)
    assert (columns["a frequent one"].most_frequent, columns["a frequent one"].frequency) == ("-2.5", 10)
