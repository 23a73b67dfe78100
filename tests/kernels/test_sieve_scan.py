"""The bounds that docs/sieve.md derives, on random rows and features, with the loop's own functions in plain Python."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probfs.kernels.loops import sieve_bounds, sieve_scan
from probfs.kernels.loops.sieve_bounds import ROWS_PER_CHECK, count_checks, largest_loss, rounding_error
from probfs.kernels.loops.sieve_scan import KINDS_OF_LOSS, REMAINDERS
from probfs.tables.table import Floats


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows as the loop sees them, and one feature's e in each."""

    favour: Floats
    counts: Floats
    """Negative for rows of class 1."""
    towards: Floats
    excess: Floats

    @property
    def own(self) -> np.ndarray:
        return self.counts * self.towards > 0

    def contributions(self) -> Floats:
        """What each row adds to the signed sum, in the loop's units, by formula (2)."""
        gap = np.abs(self.favour).min()
        ratio = np.exp(-np.abs(self.favour))
        q = np.where(self.favour < 0, 1.0, ratio) / (1 + ratio)
        weight = np.abs(self.counts) * np.exp(gap - np.abs(self.favour)) / (1 + ratio) ** 2
        change: Floats = weight * self.excess / (1 + q * self.excess)
        return np.where(self.own, change, -change)

    def falls(self) -> Floats:
        """The feature's largest loss of each kind."""
        kinds = [
            -self.excess[(self.counts > 0) & self.own],
            self.excess[(self.counts > 0) & ~self.own],
            -self.excess[(self.counts < 0) & self.own],
            self.excess[(self.counts < 0) & ~self.own],
        ]
        return np.array([kind.max(initial=0.0) for kind in kinds])


@st.composite
def random_rows(draw: st.DrawFn) -> Rows:
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    rows = draw(st.integers(1, 400))
    spread, shift = draw(st.sampled_from([0.1, 3.0, 40.0])), draw(st.sampled_from([0.0, 2.0, 50.0]))
    # Most rows favour the class of their direction; some have changed sides.
    favour = (np.abs(random.normal(0, spread, rows)) + shift) * random.choice([1, 1, 1, -1], rows)
    counts = random.choice([-3.0, -1.0, 1.0, 2.0], rows)
    logs = random.normal(0, draw(st.sampled_from([0.01, 1.0, 4.0])), draw(st.integers(1, 6)))
    return Rows(favour, counts, random.choice([-1.0, 1.0], rows), np.expm1(random.choice(logs, rows)))


@settings(max_examples=60, deadline=None)
@given(random_rows())
def test_later_rows_take_no_more_than_the_largest_loss(rows: Rows) -> None:
    loop = Scan(rows)
    contributions = rows.contributions()
    for block in range(loop.blocks + 1):
        rest = contributions[block * ROWS_PER_CHECK :].sum()
        bound = largest_loss(KINDS_OF_LOSS, rows.falls(), 0, loop.remaining, block)
        assert rest >= -bound * (1 + 1e-6) - 1e-25


@settings(max_examples=60, deadline=None)
@given(random_rows(), st.booleans())
def test_sums_in_single_precision_are_within_their_rounding_error(rows: Rows, absolute: bool) -> None:
    loop = Scan(rows)
    estimate = np.zeros(1)
    for block in range(loop.blocks):
        sieve_scan._add_block(
            loop.cells,
            1,
            np.zeros(1, np.int64),
            np.zeros(1, np.int64),
            loop.tables,
            loop.q,
            loop.weight,
            absolute,
            block,
            0,
            estimate,
        )
    contributions = rows.contributions()
    exact = np.abs(contributions).sum() if absolute else contributions.sum()
    # The largest e in the tables of either direction.
    largest = max(rows.excess.max(), (1 / (1 + rows.excess) - 1).max(), 0.0)
    falls = np.zeros(KINDS_OF_LOSS) if absolute else rows.falls()
    rounding = np.array([2.0**-16 * (1 + largest)])
    error = rounding_error(estimate[0], rounding, KINDS_OF_LOSS, falls, 0, loop.remaining, 0.0)
    assert abs(estimate[0] - exact) <= 0.7 * error + 1e-25


@pytest.mark.parametrize(("wanted", "nth"), [(1, -1.0), (2, 2.0), (3, 2.0), (4, 3.0)])
def test_the_nth_lowest_of_numbers_with_ties(wanted: int, nth: float) -> None:
    assert sieve_bounds._find_nth_lowest(np.array([3.0, 2.0, -1.0, 2.0]), 4, wanted) == nth


class Scan:
    """The scratch space of the loop after its first two steps, and cells that look the rows' own 1/e up."""

    def __init__(self, rows: Rows) -> None:
        size = len(rows.favour)
        self.blocks = count_checks(size)
        padded = self.blocks * ROWS_PER_CHECK
        self.q, self.weight, self.loss = np.zeros((3, padded), dtype=np.float32)
        self.remaining = np.zeros((self.blocks + 1) * REMAINDERS)
        favour = np.empty(size)
        sieve_scan._compute_row_terms(
            np.arange(size),
            rows.favour * rows.towards,
            rows.towards,
            rows.counts,
            size,
            padded,
            favour,
            self.q,
            self.weight,
            self.loss,
        )
        sieve_scan._sum_remaining_losses(rows.counts, size, self.blocks, self.weight, self.loss, self.remaining)
        self.cells = np.zeros(padded, dtype=np.int64)
        self.cells[:size] = np.arange(size)
        with np.errstate(divide="ignore"):
            self.tables = (1 / rows.excess).astype(np.float32)
