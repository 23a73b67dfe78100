"""Columns of many different numbers are ranked on a cluster as on one machine, though no one sees all of their values."""

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
from probfs.cluster import condensing, many_numbers
from probfs.columns.inspection import Inspection
from probfs.screening import number_test
from probfs.tables.readers import number_columns
from probfs.tables.summarized_column import SummarizedColumn
from tests.support.ranked_in_process import rank_in_process


@st.composite
def frames(draw: st.DrawFn) -> pd.DataFrame:
    """Measurements with missing cells, ties and frequent numbers, a class, perhaps none in some rows, and counts."""
    rows, classes = draw(st.integers(8, 80)), draw(st.integers(2, 3))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    labels = random.integers(0, classes, rows)
    columns: dict[str, Any] = {}
    for number in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(["different", "tied", "zeros tell", "close", "wide", "nearly whole"]))
        numbers = random.normal(labels * draw(st.sampled_from([0.0, 1.0])), 1.0)
        numbers = {
            "different": numbers,
            "tied": np.round(numbers, 1),
            "zeros tell": np.where((labels == 0) ^ (random.random(rows) < 0.02), 0.0, numbers),
            "close": 1.7e9 + np.round(numbers, 3),
            "wide": numbers * 10.0 ** random.integers(-300, 300, rows),
            "nearly whole": np.where(random.random(rows) < 0.1, numbers, np.arange(rows) * 7.0),
        }[kind]
        numbers[random.random(rows) < draw(st.sampled_from([0.0, 0.1]))] = np.nan
        if draw(st.sampled_from([False, False, True])):
            numbers[labels == classes - 1] = np.nan
        columns[f"x{number}"] = numbers
    columns["word"] = random.choice(["a", "b", "c"], rows)
    columns["n"] = random.integers(0, 4, rows)
    names = np.array([f"class {label}" for label in range(classes)], dtype=object)[labels]
    if draw(st.booleans()):
        names[random.random(rows) < 0.5] = None
    return pd.DataFrame({**columns, "y": names})


@pytest.fixture(autouse=True)
def _few_are_many() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(condensing, "MANY_NUMBERS", 4)
        patch.setattr(many_numbers, "_ROWS_OF_A_RANGE", 16)
        patch.setattr(number_columns, "LONG", 6)
        patch.setattr(number_columns, "_SAMPLE", 6)
        yield


def outcome(ranked: Any, *data: Any, **options: Any) -> Any:
    """A ranking as plain data, or why there is none."""
    notes: list[str] = []
    try:
        ranking = ranked(*data, on_note=notes.append, report=True, **options)
    except probfs.ProbfsError as error:
        return str(error)
    return ranking, notes


def assert_same(found: Any, wanted: Any) -> None:
    if isinstance(wanted, str):
        assert found == wanted
        return
    (own, own_notes), (other, other_notes) = found, wanted
    assert own_notes == other_notes
    assert [one.feature for one in own.features] == [one.feature for one in other.features]
    for one, two in zip(own.features, other.features, strict=True):
        assert (one.p, one.q) == pytest.approx((two.p, two.q), rel=1e-9)
        assert (one.initial_s_a, one.initial_s_s) == pytest.approx((two.initial_s_a, two.initial_s_s), rel=1e-9)
    assert own.background.intervals == other.background.intervals
    assert without_ties(own.background.inspection) == without_ties(other.background.inspection)


def without_ties(inspection: Inspection) -> Inspection:
    """Of several numbers in equally many rows, any may be named as the most frequent."""
    return replace(inspection, columns=tuple(replace(own, most_frequent=None) for own in inspection.columns))


def write_parts(frame: pd.DataFrame, cuts: list[int], folder: str) -> list[Path]:
    paths = []
    edges = [0, *sorted(cut for cut in set(cuts) if 0 < cut < len(frame)), len(frame)]
    for number, (first, end) in enumerate(zip(edges[:-1], edges[1:], strict=True)):
        paths.append(Path(folder, f"part-{number}.parquet"))
        frame.iloc[first:end].to_parquet(paths[-1], index=False)
    return paths


@given(
    frames(),
    st.lists(st.integers(1, 79), max_size=4),
    st.fixed_dictionaries(
        {},
        optional={
            "count": st.just("n"),
            "bins": st.sampled_from([2, 7]),
            "missing": st.sampled_from(["auto", "value"]),
            "na": st.sampled_from(["0", "0.1"]),
            "min_class": st.sampled_from([1, 20]),
            "include": st.just(["x0"]),
        },
    ),
)
def test_a_cluster_ranks_as_one_machine(frame: pd.DataFrame, cuts: list[int], options: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        paths = write_parts(frame, cuts, folder)
        wanted = outcome(probfs.rank, paths, target="y", **options)
        assert_same(outcome(rank_in_process, paths, target="y", **options), wanted)
