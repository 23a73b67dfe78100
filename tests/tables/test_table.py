"""The table itself: its columns as numbers, counted, and some of them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from probfs.tables.arrays import text_array
from probfs.tables.cells import Kind
from probfs.tables.column import numbers_of, text_column, typed_column
from probfs.tables.table import number_matrix
from tests.support.table_content import read_csv_text


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


def test_some_columns_of_a_table_stay_in_its_own_order() -> None:
    assert list(read_csv_text("a,b,c\n1,,x\n2,y,\n").only(["c", "a", "unknown"]).columns) == ["a", "c"]


@pytest.mark.parametrize("rows", [1_000, 250_000, 250_001])
def test_cells_are_counted_by_twos_as_by_ones(rows: int) -> None:
    codes = np.random.default_rng(0).integers(0, 4, rows).astype(np.uint8)
    column = text_column("x", codes, text_array(["a", "b", "c"]))
    assert sorted(column.counts().tolist()) == sorted(np.bincount(codes, minlength=4).tolist())


def test_a_matrix_has_the_numbers_of_each_column() -> None:
    cells = [pa.array([1.5, None, float("nan")]), pa.array([1, 2, None]), pa.array([0.1, 2, 3], pa.float32())]
    columns = [typed_column(str(place), pa.chunked_array([numbers])) for place, numbers in enumerate(cells)]
    np.testing.assert_array_equal(number_matrix(columns), [[1.5, np.nan, np.nan], [1, 2, np.nan], [0.1, 2, 3]])
    np.testing.assert_array_equal(number_matrix(columns[:1] * 2), [[1.5, np.nan, np.nan]] * 2)
