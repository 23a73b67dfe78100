"""Donors are fair draws among the labelled rows."""

from __future__ import annotations

import numpy as np
import pytest

from probfs.classifiers.refitting.donors import draw_donors


def test_donors_are_a_permutation_when_all_rows_count_once() -> None:
    ones = np.ones(50, dtype=np.int64)
    donors = draw_donors(ones, ones, 30, np.random.default_rng(0))
    assert (np.sort(donors, axis=1) == np.arange(50)).all()
    assert len({tuple(row) for row in donors.tolist()}) == 30


def test_donors_are_drawn_as_often_as_they_count() -> None:
    counts = np.array([1, 5, 10, 84])
    donors = draw_donors(np.array([3, 1, 40]), counts, 20_000, np.random.default_rng(0))
    for column in donors.T:
        shares = np.bincount(column, minlength=4) / len(column)
        assert shares == pytest.approx(counts / 100, abs=0.02)
