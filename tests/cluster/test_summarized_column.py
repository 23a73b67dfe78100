"""Columns of which a few numbers are known: values between them, facts of all numbers, what cannot be summarized."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.cluster.summarized_column import between_known_numbers, numbers_by_row
from probfs.tables.column import typed_column
from tests.support.many_numbers import summarized
from tests.support.split_numbers import SPECIAL

NUMBERS = st.one_of(st.sampled_from(SPECIAL), st.floats(allow_nan=True, allow_infinity=False))


@given(st.lists(NUMBERS, max_size=30), st.lists(NUMBERS.filter(np.isfinite), min_size=1, max_size=6))
def test_numbers_between_known_ones_keep_their_place(numbers: list[float], chosen: list[float]) -> None:
    cells, known = np.array(numbers) + 0.0, np.unique(np.array(chosen) + 0.0)
    column = between_known_numbers("a", cells, known)
    found = column.by_row
    np.testing.assert_array_equal(np.isnan(found), np.isnan(cells))
    for cell, stands_in in zip(cells, found, strict=True):
        assert [cell < one for one in known] == [stands_in < one for one in known]
        assert [cell == one for one in known] == [stands_in == one for one in known]


def test_facts_of_all_numbers_and_of_those_with_a_class() -> None:
    numbers, labels = np.array([5.5, 1.5, np.nan, 2.5, 5.5, 9.5, 3.5]), ["p", "q", "p", None, "q", None, "p"]
    column = summarized(numbers, np.array([2.5, 5.5]), labels)
    assert (column.distinct(), column.rows, column.counts()[-1]) == (5, 7, 1)
    labelled = np.where(column.labelled, column.row_counts, 0)
    assert (column.distinct(labelled), column.distinct(column.row_counts)) == (3, 5)
    assert not column.knows_labelled_numbers()
    assert summarized(numbers, np.array([1.5, 3.5, 5.5]), labels).knows_labelled_numbers()


def test_known_numbers_alone() -> None:
    numbers = np.array([5.5, 1.5, np.nan, 2.5, 5.5, 9.5, 2.5])
    known = summarized(numbers, np.array([2.5, 5.5, 7.5]), ["p", "q", "p", "q", "q", "p", "p"]).of_known_numbers()
    # In the order of their first rows; no row holds 7.5.
    assert known.values.to_pylist() == ["5.5", "2.5"]
    assert known.counts().tolist() == [2, 2, 1]
    assert known.first_rows().tolist() == [0, 3, 2]
    codes, places, weights = known.coded_cells(np.arange(2), None)
    held = sorted(zip(codes.tolist(), np.arange(2)[places].tolist(), np.asarray(weights).tolist(), strict=True))
    assert held == [(0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 1), (2, 0, 1)]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (pa.array([1.5, None, -0.0, 1e300]), [1.5, np.nan, 0.0, 1e300]),
        (pa.array([0.1, None], pa.float32()), [0.1, np.nan]),
        (pa.array([3, None, 7]), [3.0, np.nan, 7.0]),
        (pa.array([None, None], pa.string()), [np.nan, np.nan]),
        (pa.array([1.5, np.inf]), None),
        (pa.array([2**60 + 1, 2**60]), None),
        (pa.array(["1.5", "2.5"]), None),
        (pa.array(["1.5", "2.5"]).dictionary_encode(), None),
        (pa.array([[1.5]]), None),
    ],
    ids=["doubles", "single", "whole", "nothing", "infinite", "long", "texts", "categories", "lists"],
)
def test_numbers_of_typed_columns(cells: pa.Array, expected: list[float] | None) -> None:
    found = numbers_by_row(typed_column("a", pa.chunked_array([cells])))
    if expected is None:
        assert found is None
    else:
        np.testing.assert_array_equal(found, expected)
