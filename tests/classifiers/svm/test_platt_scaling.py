"""Sigmoids that decrease, and fits that do not converge."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import probfs
from probfs.classifiers.svm.platt_scaling import _balance_sides


@pytest.mark.parametrize("tables", [12, pytest.param(50, marks=pytest.mark.slow)])
def test_a_weak_table_is_not_turned_upside_down(tables: int) -> None:
    ranks, inverted, machines = [], 0, 0
    for seed in range(tables):
        generator = np.random.default_rng(seed)
        shifted = np.arange(40) % 2
        cells = generator.normal(size=(40, 20))
        cells[:, 7] += 1.2 * shifted
        frame = pd.DataFrame(cells, columns=[f"f{column:02}" for column in range(20)]).assign(y=shifted.astype(str))
        ranking = probfs.rank(frame, target="y", classifier="svm", score="signed", seed=seed)
        ranks.append(next(feature.rank for feature in ranking.features if feature.feature == "f07"))
        for warning in ranking.warnings:
            if "came out decreasing" in warning:
                some, _, all_, *_ = warning.removeprefix("in ").split()
                inverted, machines = inverted + int(some), machines + int(all_)
    print(f"weak tables: ranks {sorted(ranks)}; {inverted} of {machines} sigmoids inverted in the tables that had any")
    assert np.median(ranks) == 1
    assert max(ranks) < 20
    assert inverted > 0, "no sigmoid came out decreasing, so nothing was tested"


def test_a_refit_that_knows_nothing_does_not_make_its_column_matter() -> None:
    """Retrain compares models: a noise column without which the sigmoid decreases must not outscore other noise."""
    generator = np.random.default_rng(0)
    tables = []
    for _ in range(6):
        cells = generator.normal(size=(40, 12))
        shifted = np.arange(40) % 2
        cells[:, 3] += 0.9 * shifted
        tables.append(pd.DataFrame(cells, columns=[f"f{n:02}" for n in range(12)]).assign(y=shifted.astype(str)))
    fell = 0
    for frame in tables:
        ranking = probfs.rank(frame, target="y", classifier="svm", removal="retrain", eliminate=False, jobs=1)
        fell += sum("came out decreasing" in warning for warning in ranking.warnings)
        noise = [feature.s_s for feature in ranking.features if feature.feature != "f03"]
        assert max(noise) < 8 * np.median(noise) + 0.05
    assert fell, "no sigmoid came out decreasing, so nothing was tested"


def test_counts_beyond_what_converges_end_and_are_noted(mixed: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probfs.classifiers.svm.platt_scaling.MOST_ITERATIONS", 1000)
    ranking = probfs.rank(
        mixed.assign(n=10**9), target="sick", classifier="svm", count="n", exclude=["site"], eliminate=False
    )
    (note,) = [warning for warning in ranking.warnings if "did not converge" in warning]
    assert note.endswith("so their scores are rough; a smaller C= or count= would help")


def test_the_larger_side_costs_no_more_than_the_smaller() -> None:
    weights = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    for members in (np.array([1, 1, 0, 0, 0]), np.array([0, 0, 1, 1, 1])):
        costs = _balance_sides(members, weights)
        assert costs[members == 1].sum() == pytest.approx(costs[members == 0].sum()) == pytest.approx(3)
        assert (costs[:2] == weights[:2]).all()


def test_equal_sides_keep_their_costs_to_the_last_digit() -> None:
    weights = np.array([1.0, 3.0, 2.0, 2.0])
    assert (_balance_sides(np.array([1, 1, 0, 0]), weights) == weights).all()
