"""Losses of rows at any sharpness: by hand, in numpy and by the compiled loop; and means of parts joined."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.classifiers import compiling
from probfs.classifiers.row_odds import Moments, RowOdds, least_probability
from tests.support.row_odds import random_odds


@pytest.mark.parametrize("classes", [2, 3, 30])
@pytest.mark.parametrize("rows", [1, 7, 4096, 200_000])
def test_compiled_sums_are_those_of_numpy(rows: int, classes: int) -> None:
    if rows * classes > 10**6:
        rows //= 20
    for seed, size in enumerate((0.1, 3.0, 500.0)):
        odds = random_odds(seed, rows, classes, size, 0.3, zeros=False)
        least = least_probability(odds.rows)
        compiled, plain = (odds.tempered(least, compiled=compiled) for compiled in (True, False))
        for sharpness in (0.0, 0.37, 1.0):
            found, expected = astuple(compiled(sharpness)), astuple(plain(sharpness))
            np.testing.assert_allclose(found[:3], expected[:3], rtol=1e-11, atol=1e-9 * odds.rows)
            # The higher the cumulants, the larger the terms that cancel.
            np.testing.assert_allclose(found[3:5], expected[3:5], rtol=1e-9, atol=1e-12 * odds.rows * (5 * size) ** 4)
            assert found[5] == expected[5] or rows == 1


@pytest.mark.parametrize("zeros", [True, False], ids=["classes of weight 0", "no compiler"])
def test_numpy_does_what_the_loop_cannot(zeros: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    odds = random_odds(0, 50, 3, 1.0, 0.3, zeros)
    if not zeros:
        monkeypatch.setattr(compiling, "why_not_compiled", lambda: "no compiler")
    monkeypatch.setattr(RowOdds, "_sum_losses_compiled", lambda *_: pytest.fail("the loop was used"))
    assert odds.tempered(0.01, compiled=True)(0.5) == odds.tempered(0.01)(0.5)


def test_sums_of_parts_add_up() -> None:
    odds = random_odds(0, 50, 3, 1.0, 0.3, zeros=True)
    parts = [RowOdds(odds.against_own[:, rows], odds.counts[rows], 0) for rows in (slice(20), slice(20, None))]
    first, second = (part.tempered(0.01)(0.5) for part in parts)
    assert astuple(first + second) == pytest.approx(astuple(odds.tempered(0.01)(0.5)))


def test_losses_by_hand() -> None:
    odds = RowOdds(np.log([[3.0, 1e9, 1.0], [4.0, 1.0, 1.0]]), np.ones(3), 1)
    odds.against_own[1, 2] = -np.inf
    np.testing.assert_allclose(odds.losses(1.0, 1 / 6).values, [np.log(6), np.log(6), np.log(2)])
    np.testing.assert_allclose(odds.losses(1.0, 1 / 20).values, [np.log(8), np.log(20), np.log(2)])
    np.testing.assert_allclose(odds.losses(0.5, 1 / 6).values, [np.log(3 + 3**0.5), np.log(6), np.log(2)])


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
    for part, rows in zip(np.split(values, sorted(cuts)), np.split(counts, sorted(cuts)), strict=True):
        joined += Moments.of(part, rows)
    assert (joined.rows, joined.mean) == pytest.approx((whole.rows, whole.mean), rel=1e-12, abs=1e-12)
    assert joined.squares == pytest.approx(whole.squares, rel=1e-8)
