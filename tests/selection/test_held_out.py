"""Rows judged by models, of all rows at once and of parts added up."""

from __future__ import annotations

from functools import reduce
from operator import add

import numpy as np
import pytest
from probfs.selection.held_out import JudgedRows, TemperedModel

from probfs.classifiers.row_odds import RowOdds
from tests.support.row_odds import random_odds

MODELS = [TemperedModel([0], 0.5), TemperedModel([0, 1], 0.9), TemperedModel([], 1.0)]


def part_of(odds: RowOdds, rows: slice) -> RowOdds:
    """Some of the rows, each of which is taken for half an error."""
    counts = odds.counts[rows]
    return RowOdds(odds.against_own[:, rows], counts, counts.sum() / 2)


def test_losses_are_those_of_the_rows() -> None:
    every = [random_odds(seed, 50, 3, 2.0, 0.3, zeros=True) for seed in range(3)]
    judged = JudgedRows.of(MODELS, every, 0.01)
    losses = [odds.losses(model.temperature, 0.01).values for odds, model in zip(every, MODELS, strict=True)]
    for own, values, odds in zip((judged.kept, judged.every, judged.none), losses, every, strict=True):
        assert own.mean == pytest.approx(np.average(values, weights=odds.counts))
    difference = np.average(losses[0] - losses[1], weights=every[0].counts)
    assert judged.difference.mean == pytest.approx(difference)
    assert judged.errors == tuple(odds.errors for odds in every)


def test_parts_add_up() -> None:
    every = [part_of(random_odds(seed, 50, 3, 2.0, 0.3, zeros=True), slice(None)) for seed in range(3)]
    whole = JudgedRows.of(MODELS, every, 0.01)
    cuts = [slice(0, 0), slice(0, 10), slice(10, 11), slice(11, None)]
    joined = reduce(add, (JudgedRows.of(MODELS, [part_of(odds, own) for odds in every], 0.01) for own in cuts))
    assert joined.errors == pytest.approx(whole.errors)
    for name in ("kept", "every", "none", "difference"):
        own, same = getattr(joined, name), getattr(whole, name)
        assert (own.rows, own.mean, own.se) == pytest.approx((same.rows, same.mean, same.se))
