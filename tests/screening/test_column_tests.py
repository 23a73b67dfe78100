"""Tests of columns, put together."""

from __future__ import annotations

import numpy as np
from probfs.screening.column_tests import ColumnTests


def test_tests_are_joined_and_put_in_their_places() -> None:
    some = ColumnTests(np.array([3.0]), np.array([0.1]), np.array([True]))
    joined = ColumnTests.joined([some, ColumnTests.of_nothing(1)])
    assert (joined.statistic.tolist(), joined.p.tolist(), joined.varies.tolist()) == ([3, 0], [0.1, 1], [True, False])
    everything = ColumnTests.of_nothing(3)
    everything.put(np.array([2, 0]), joined)
    assert everything.p.tolist() == [1, 1, 0.1]
    assert everything.varies.tolist() == [False, False, True]
    assert ColumnTests.joined([]).p.tolist() == []
