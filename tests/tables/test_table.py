"""The table itself: its columns as numbers, and what is known of each."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.tables.arrays import text_array
from probfs.tables.cells import Kind
from probfs.tables.column import Column, number_column, numbers_of, text_column, typed_column, unusable_column
from probfs.tables.table import Profile, number_matrix, profile_columns
from tests.support.wide_tables import columns_together


@pytest.mark.parametrize(
    ("texts", "kind", "expected"),
    [
        (["1", " 2.5 ", "-3e2"], Kind.TEXT, [1.0, 2.5, -300.0]),
        (["1", "x"], Kind.TEXT, None),
        (["007", "1"], Kind.TEXT, None),
        (["007", "1"], Kind.NUMBER, [7.0, 1.0]),
        (["nan"], Kind.NUMBER, None),
        (["1970-01-02 00:00:01"], Kind.DATE, [86401.0]),
        *((["1970-01-02", text], Kind.DATE, None) for text in ("tomorrow", "now", "today", "NaT")),
        ([], Kind.TEXT, []),
    ],
)
def test_texts_are_numbers_if_that_loses_nothing(texts: list[str], kind: Kind, expected: list[float] | None) -> None:
    numbers = numbers_of(text_array(texts), kind)
    assert (None if numbers is None else numbers.tolist()) == expected


def test_a_matrix_has_the_numbers_of_each_column() -> None:
    cells = [pa.array([1.5, None, float("nan")]), pa.array([1, 2, None]), pa.array([0.1, 2, 3], pa.float32())]
    columns = [typed_column(str(place), pa.chunked_array([numbers])) for place, numbers in enumerate(cells)]
    np.testing.assert_array_equal(number_matrix(columns), [[1.5, np.nan, np.nan], [1, 2, np.nan], [0.1, 2, 3]])
    np.testing.assert_array_equal(number_matrix(columns[:1] * 2), [[1.5, np.nan, np.nan]] * 2)


CELLS = st.sampled_from([None, 0.0, -0.0, 1.0, 2.0, 2.5, 1e300, float("inf")])


def profile_by_definition(cells: list[float | None], weights: list[int] | None, times: int) -> Profile:
    counted = [(cell, weight) for cell, weight in zip(cells, weights or [1] * len(cells), strict=True) if weight > 0]
    rows = Counter(cell for cell, _ in counted if cell is not None)
    missing = sum(weight for cell, weight in counted if cell is None)
    whole = all(cell == float("inf") or cell.is_integer() for cell in rows)
    return Profile(len(rows), missing, whole, max(rows.values(), default=0) >= times, float("inf") in rows)


@st.composite
def cells_and_weights(draw: st.DrawFn) -> tuple[list[list[float | None]], list[int] | None]:
    rows = draw(st.integers(1, 9))
    columns = draw(st.lists(st.lists(CELLS, min_size=rows, max_size=rows), min_size=1, max_size=4))
    return columns, draw(st.one_of(st.none(), st.lists(st.integers(0, 3), min_size=rows, max_size=rows)))


@pytest.mark.parametrize("together", [True, False])
@given(cells_and_weights(), st.integers(1, 4))
def test_columns_of_numbers_are_profiled_as_cell_by_cell(
    together: bool, table: tuple[list[list[float | None]], list[int] | None], times: int
) -> None:
    columns, weights = table
    as_numbers = [number_column(str(place), np.array(cells, dtype=float)) for place, cells in enumerate(columns)]
    with columns_together(together):
        found = profile_columns(as_numbers, None if weights is None else np.array(weights), times)
    assert found == {str(place): profile_by_definition(cells, weights, times) for place, cells in enumerate(columns)}


@pytest.mark.parametrize("rows", [10_000, 10_001])
def test_numbers_that_repeat_in_many_rows_are_profiled_alike(rows: int) -> None:
    few = np.where(np.arange(rows) % 7 == 6, np.nan, np.arange(rows) % 7 * 0.5)
    columns = {"few": few, "many": np.arange(rows) / 2, "zeros": np.where(np.arange(rows) % 2, 0.0, -0.0)}
    found = profile_columns([number_column(name, numbers) for name, numbers in columns.items()], None, 2)
    assert found == {
        "few": Profile(6, rows // 7, False, True),
        "many": Profile(rows, 0, False, False),
        "zeros": Profile(1, 0, True, True),
    }


def test_columns_of_other_kinds_are_profiled_by_their_values() -> None:
    dates = pa.chunked_array([pa.array([datetime(2020, 1, 1), None, datetime(2020, 1, 1), datetime(2021, 1, 1)])])
    spelled = pa.chunked_array([pa.array(["1", "1.0", "9007199254740993", None]).dictionary_encode()])
    columns = [
        text_column("text", np.array([0, 1, 1, 2], np.uint8), text_array(["x", "y"])),
        typed_column("date", dates),
        Column("spelled", spelled, Kind.NUMBER),
        unusable_column("list", np.array([True, False, False, True]), Kind.NESTED, "holds lists"),
    ]
    assert profile_columns(columns, None) == {
        "text": Profile(2, 1, True, True),
        "date": Profile(2, 1, True, True),
        "spelled": Profile(2, 1, True, True),
        "list": Profile(1, 2, True, True),
    }
    assert profile_columns(columns[:2], np.array([3, 2, 0, 1])) == {
        "text": Profile(2, 1, True, True),
        "date": Profile(2, 2, True, False),
    }
