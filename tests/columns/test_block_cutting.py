"""Many lines cut at once, beside the rule that cuts one column."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from probfs.columns.block_cutting import interval_codes, quantile_points, quantile_ranks
from probfs.columns.rules import Quantiles, Seen
from probfs.tables.arrow_arrays import text_array
from probfs.tables.table import Kind
from tests.support.split_numbers import SplitNumbers, split_numbers

NUMBERS = st.one_of(st.sampled_from([0.0, -1.0, 2.0, 3.0]), st.floats(-1e6, 1e6), st.just(np.nan))


@given(
    st.lists(st.lists(NUMBERS, min_size=7, max_size=7), min_size=1, max_size=4),
    st.one_of(st.none(), st.lists(st.sampled_from([1, 2, 5, 2**49]), min_size=8, max_size=8)),
    st.sampled_from([2, 3, 5, 40]),
)
def test_many_lines_are_cut_as_each_alone(lines: list[list[float]], weights: list[int] | None, intervals: int) -> None:
    # A number that all lines have, as those that are cut have some.
    numbers = np.array([[*line, 1.5] for line in lines])
    own_weights = None if weights is None else np.array(weights)
    points, counting = quantile_points(numbers, own_weights, intervals)
    codes = interval_codes(numbers, points, counting)
    for own, own_points, own_codes in zip(
        numbers, (p[c] for p, c in zip(points, counting, strict=True)), codes, strict=True
    ):
        present = ~np.isnan(own)
        counts = np.ones(len(own), dtype=np.int64) if own_weights is None else own_weights
        seen = Seen(text_array([repr(number) for number in own[present].tolist()]), counts[present], Kind.NUMBER)
        expected = Quantiles(intervals).points(seen)
        assert own_points.tolist() == expected.tolist()
        places = np.searchsorted(expected, own[present])
        assert own_codes[present].tolist() == places.tolist()
        assert (own_codes[~present] == len(expected) + 1).all()


@given(split_numbers(most_weight=10**14), st.sampled_from([2, 3, 5, 40]), st.integers(1, 30))
def test_points_found_range_by_range_are_those_of_the_whole_line(
    column: SplitNumbers, intervals: int, most_rows: int
) -> None:
    rows = column.labelled
    numbers = column.numbers[rows] + 0.0
    if np.isnan(numbers).all():
        return
    points, _ = quantile_points(numbers[None], None if column.weights is None else column.counts[rows], intervals)
    summary = column.summary(most_rows, intervals)
    assert [summary.at_rank[rank] for rank in quantile_ranks(summary.counted_numbers, intervals)] == points[0].tolist()
