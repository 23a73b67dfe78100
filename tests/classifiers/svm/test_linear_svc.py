"""Fits that start from a nearby hyperplane end where fits from scratch do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from probfs.classifiers.svm import linear_svc
from probfs.classifiers.svm.interior_point import minimise_hinge_loss
from probfs.classifiers.svm.linear_svc import LinearSvc, solve_near
from tests.support.hinge_problems import KINDS, draw_problem, objective


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(20, 200),
    columns=st.integers(1, 6),
    kind=st.sampled_from(KINDS),
    cost=st.sampled_from([1e-3, 0.1, 10.0]),
    distance=st.sampled_from([0.0, 0.01, 0.1, 1.0, 30.0]),
)
def test_any_start_leads_to_the_best_hyperplane(
    seed: int, rows: int, columns: int, kind: str, cost: float, distance: float
) -> None:
    problem = draw_problem(seed, rows, columns, kind, cost, counted=True)
    expected, _ = minimise_hinge_loss(problem, problem.pull)
    start = expected + distance * np.random.default_rng(seed).normal(size=columns + 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linear_svc, "_LEAST_NEAR", 5)
        plane, converged = solve_near(problem, start)
    assert converged
    assert objective(problem, plane) == pytest.approx(objective(problem, expected), rel=1e-9)
    np.testing.assert_allclose(plane[:-1], expected[:-1], rtol=0, atol=1e-4)


def test_a_nearby_start_leaves_most_rows_out_of_the_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = draw_problem(0, 6_000, 3, "overlapping", 0.1)
    best, _ = minimise_hinge_loss(problem, problem.pull)
    sizes = []

    def measured(reduced, start):  # type: ignore[no-untyped-def]
        sizes.append(len(reduced.signs))
        return minimise_hinge_loss(reduced, start)

    monkeypatch.setattr(linear_svc, "minimise_hinge_loss", measured)
    plane, _ = solve_near(problem, best + 0.001)
    np.testing.assert_allclose(plane, best, rtol=0, atol=1e-6)
    assert sizes == [1_000]


def test_a_weight_is_as_good_as_copies_of_a_row() -> None:
    problem = draw_problem(4, 60, 3, "overlapping", 1.0)
    cells, labels = problem.cells[:, :-1], (problem.signs > 0).astype(np.int64)
    weights = np.random.default_rng(4).integers(1, 4, 60)
    weighted = LinearSvc(0.5).fit(cells, labels, weights.astype(np.float64))
    repeated = LinearSvc(0.5).fit(np.repeat(cells, weights, axis=0), np.repeat(labels, weights), np.ones(weights.sum()))
    np.testing.assert_allclose(weighted.plane_, repeated.plane_, rtol=0, atol=1e-6)
    np.testing.assert_allclose(
        weighted.decision_function(cells), cells @ weighted.plane_[:-1] + weighted.plane_[-1], rtol=1e-12
    )


def test_scikit_learn_can_clone_it_with_its_start() -> None:
    problem = draw_problem(4, 60, 2, "overlapping", 1.0)
    labels = (problem.signs > 0).astype(np.int64)
    started = LinearSvc(0.5).fit(problem.cells[:, :-1], labels, np.ones(60)).as_start()
    copy = clone(started)
    assert copy.C == 0.5
    np.testing.assert_array_equal(copy.start, started.start)
