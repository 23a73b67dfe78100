"""Hyperplanes of the interior-point method against LIBSVM's, on random tables."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from probfs.classifiers.svm.interior_point import HingeProblem, minimise_hinge_loss
from probfs.tables.table import Floats
from tests.support.hinge_problems import KINDS, draw_problem, objective


def fit_by_libsvm(problem: HingeProblem) -> Floats:
    """The hyperplane that LIBSVM finds with a thousandth of its usual tolerance, or when its time is up."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        svc = SVC(kernel="linear", C=1.0, tol=1e-6, max_iter=20_000)
        svc.fit(problem.cells[:, :-1], problem.signs, problem.costs)
    plane: Floats = np.append(svc.coef_[0], svc.intercept_)
    return plane


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(4, 150),
    columns=st.integers(1, 8),
    kind=st.sampled_from(KINDS),
    cost=st.sampled_from([1e-3, 0.1, 1.0, 10.0]),
    counted=st.booleans(),
)
def test_the_hyperplane_is_that_of_libsvm(
    seed: int, rows: int, columns: int, kind: str, cost: float, counted: bool
) -> None:
    problem = draw_problem(seed, rows, columns, kind, cost, counted)
    plane, converged = minimise_hinge_loss(problem, problem.pull)
    expected = fit_by_libsvm(problem)
    assert converged
    least = objective(problem, plane)
    assert least <= objective(problem, expected) * (1 + 1e-9)
    # The objective is strongly convex: this far the weights may differ, and no farther.
    apart = np.sqrt(2 * max(objective(problem, expected) - least, 0)) + 1e-4
    assert np.linalg.norm((plane - expected)[:-1]) <= apart


@pytest.mark.parametrize("cost", [0.01, 1.0])
def test_direction_intercept_and_decision_values_agree_to_four_digits(cost: float) -> None:
    problem = draw_problem(3, 300, 6, "overlapping", cost)
    (plane, _), expected = minimise_hinge_loss(problem, problem.pull), fit_by_libsvm(problem)
    cosine = plane[:-1] @ expected[:-1] / np.linalg.norm(plane[:-1]) / np.linalg.norm(expected[:-1])
    assert cosine > 1 - 1e-8
    np.testing.assert_allclose(problem.cells @ plane, problem.cells @ expected, rtol=0, atol=1e-4)
    assert plane[-1] == pytest.approx(expected[-1], abs=1e-4)


def test_the_intercept_has_no_penalty() -> None:
    """Cells moved by a constant give the same weights, however far the intercept must follow."""
    problem = draw_problem(5, 200, 3, "overlapping", 1.0)
    moved = HingeProblem(problem.cells + np.array([100.0, -40.0, 7.0, 0.0]), problem.signs, problem.costs, problem.pull)
    (plane, _), (other, _) = (minimise_hinge_loss(own, own.pull) for own in (problem, moved))
    np.testing.assert_allclose(other[:-1], plane[:-1], rtol=1e-6, atol=1e-7)
    assert other[-1] == pytest.approx(plane[-1] - plane[:-1] @ [100.0, -40.0, 7.0], rel=1e-6)


@pytest.mark.parametrize("kind", ["overlapping", "separable", "categories"])
def test_a_huge_cost_is_no_obstacle(kind: str) -> None:
    """LIBSVM gives up where the classes overlap and C is 10⁶; the optimality conditions are checked instead."""
    problem = draw_problem(1, 100, 4, kind, 1e6)
    plane, converged = minimise_hinge_loss(problem, problem.pull)
    assert converged
    best = objective(problem, plane)
    generator = np.random.default_rng(0)
    for size in (1e-2, 1e-4):
        nearby = plane + size * generator.normal(size=(200, len(plane)))
        assert min(objective(problem, other) for other in nearby) >= best * (1 - 1e-9)


def test_rows_of_a_lopsided_table_are_told_nothing_by_columns_of_noise() -> None:
    """With equal costs guessing the larger class is best: the weights are 0, not what is left of a search."""
    generator = np.random.default_rng(2)
    cells = np.column_stack([generator.normal(size=(500, 4)), np.ones(500)])
    signs = np.where(np.arange(500) < 25, 1.0, -1.0)
    plane, converged = minimise_hinge_loss(HingeProblem(cells, signs, np.full(500, 0.1), np.zeros(5)), np.zeros(5))
    assert converged
    np.testing.assert_allclose(plane, [0, 0, 0, 0, -1], rtol=0, atol=1e-6)


def test_a_problem_without_a_minimum_does_not_converge() -> None:
    """Rows of one class can be pushed beyond their margins by the intercept alone, and are pulled on forever."""
    cells = np.column_stack([np.linspace(-1, 1, 20), np.ones(20)])
    problem = HingeProblem(cells, np.ones(20), np.ones(20), np.array([0.0, 50.0]))
    assert not minimise_hinge_loss(problem, np.zeros(2)).converged
