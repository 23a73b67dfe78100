"""The mean of rows, of all at once and of parts joined."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.classifiers.moments import Moments


def test_rows_that_count_for_several_are_several_rows() -> None:
    values, counts = np.array([1.0, 2.0, 4.0]), np.array([1.0, 3.0, 2.0])
    repeated = np.repeat(values, counts.astype(int))
    moments = Moments.of(values, counts)
    assert moments.mean == pytest.approx(repeated.mean())
    assert moments.se == pytest.approx(repeated.std(ddof=1) / np.sqrt(6))
    assert Moments.of(np.array([3.0]), np.ones(1)) == Moments(1.0, 3.0, 0.0)
    assert Moments(1.0, 3.0, 0.0).se == 0


@given(st.integers(0, 10**6), st.lists(st.integers(0, 20), max_size=4), st.sampled_from([0.0, 1e6]))
def test_parts_joined_are_all_rows(seed: int, cuts: list[int], far: float) -> None:
    random = np.random.default_rng(seed)
    values, counts = random.normal(size=20) + far, random.integers(1, 4, 20).astype(np.float64)
    whole = Moments.of(values, counts)
    joined = Moments(0.0, 0.0, 0.0)
    for own, rows in zip(np.split(values, sorted(cuts)), np.split(counts, sorted(cuts)), strict=True):
        joined += Moments.of(own, rows)
    assert (joined.rows, joined.mean) == pytest.approx((whole.rows, whole.mean), rel=1e-12, abs=1e-12)
    assert joined.squares == pytest.approx(whole.squares, rel=1e-8)
