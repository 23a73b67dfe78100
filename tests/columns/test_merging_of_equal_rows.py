"""Equal rows made one row that counts for several."""

from __future__ import annotations

from probfs.columns.distinct_rows import merge_equal_rows
from tests.support.datasets import random_dataset
from tests.support.eliminations import assert_same_rounds, eliminate_all


def test_equal_rows_are_merged_where_they_must_repeat() -> None:
    dataset = random_dataset(3_000, 4, 2, 2, seed=2)
    few = merge_equal_rows(dataset)
    assert len(few.counts) <= 3**4 * 2
    assert few.counts.sum() == 3_000
    assert few.class_rows() == dataset.class_rows()
    for estimate in ("loo", "resubstitution"):
        assert_same_rounds(eliminate_all(few, estimate), eliminate_all(dataset, estimate))


def test_rows_that_need_not_repeat_are_left_alone() -> None:
    dataset = random_dataset(3_000, 12, 4, 2, seed=2)
    assert merge_equal_rows(dataset) is dataset
