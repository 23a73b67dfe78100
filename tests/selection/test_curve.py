"""The losses of every number of columns against refits without each row, sharpness, and where to cut."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from probfs.classifiers.naive_bayes.classifier import FittedNaiveBayes
from probfs.classifiers.row_odds import Moments, RowOdds
from probfs.classifiers.scores import SCORES
from probfs.columns.dataset import Dataset
from probfs.ranking.elimination import eliminate
from probfs.ranking.sharpness import fit_sharpness
from probfs.selection.choice import Compare, Curve, choose_size, find_best, trace_curve
from probfs.selection.result import Size
from tests.support.datasets import dataset_of, fit_naive_bayes, problems, random_dataset, random_odds
from tests.support.exact_naive_bayes import Problem
from tests.support.plain_selection import PlainTable, judge_features, standard_error


def fit(dataset: Dataset, smoothing: float = 1.0, compiled: bool | None = None) -> FittedNaiveBayes:
    return fit_naive_bayes(dataset, "loo", 0, smoothing, 0, compiled=compiled, shrink="auto")


def trace(dataset: Dataset, smoothing: float = 1.0) -> Curve:
    classifier, names = fit(dataset, smoothing), [feature.name for feature in dataset.features]
    return trace_curve(classifier, eliminate(classifier, names, SCORES["signed"], 1))


@given(problems(), st.sampled_from([1.0, 0.3, 0.0]), st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_sizes_are_those_of_refits(problem: Problem, smoothing: float, most_copies: int) -> None:
    dataset = dataset_of(problem)
    dataset = replace(dataset, counts=np.random.default_rng(0).integers(1, most_copies + 1, len(dataset.labels)))
    curve = trace(dataset, smoothing)
    assert [point.features for point in curve.sizes] == list(range(len(dataset.features) + 1))
    apart = dataset.ungrouped()
    table, names = PlainTable.of(apart), [column.name for column in apart.features]
    for point in curve.sizes:
        columns = problem.columns_of(curve.order[: point.features])
        plain = judge_features(table, [names.index(problem.columns[column]) for column in columns], smoothing)
        assert point.log_loss == pytest.approx(plain.log_loss, abs=1e-6)
        assert point.errors == plain.errors


def test_a_curve_of_many_columns_takes_few_bytes_for_each_size() -> None:
    columns = 2_000
    classifier = fit(random_dataset(4, columns, 2, 2, seed=0))
    tracemalloc.start()
    kept = []
    for feature in range(200):
        kept.append(classifier.odds())
        classifier.drop(np.array([feature]))
    bytes_of_a_size = tracemalloc.get_traced_memory()[0] / len(kept)
    tracemalloc.stop()
    assert bytes_of_a_size < columns / 2


@pytest.mark.parametrize("smoothing", [1.0, 0.0])
def test_sizes_are_compared_row_by_row(smoothing: float) -> None:
    dataset = random_dataset(60, 5, 3, 3, seed=5)
    curve = trace(dataset, smoothing)
    best = find_best(curve.sizes)
    table = PlainTable.of(dataset)
    plain = [judge_features(table, curve.order[:k], smoothing) for k in range(6)]
    compared = list(curve.compare(best))
    assert [size for size, _ in compared] == list(reversed(curve.sizes))
    for size, difference in compared:
        expected = np.subtract(plain[size.features].losses, plain[best.features].losses)
        assert difference.rows == 60
        assert difference.mean == pytest.approx(expected.mean(), abs=1e-6)
        assert difference.se == pytest.approx(standard_error(expected.tolist()), abs=1e-6)


# Sharpness


@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(1, 60),
    classes=st.integers(2, 5),
    size=st.sampled_from([0.1, 1.0, 5.0, 300.0]),
    lead=st.floats(-1, 1),
    zeros=st.booleans(),
    start=st.floats(0, 1),
)
@settings(max_examples=60, deadline=None)
def test_no_sharpness_has_a_larger_likelihood(
    seed: int, rows: int, classes: int, size: float, lead: float, zeros: bool, start: float
) -> None:
    odds = random_odds(seed, rows, classes, size, lead, zeros)
    sharpness = fit_sharpness(odds, start)
    assert 0 <= sharpness <= 1

    def likelihood(sharpness: float) -> float:
        # With no floor to the probabilities, but that of doubles; rows that no sharpness changes are left out.
        possible = odds.against_own[0] != np.inf
        return float(odds.counts[possible] @ odds.losses(sharpness, 5e-324)[possible])

    found = minimize_scalar(likelihood, bounds=(0, 1), method="bounded", options={"xatol": 1e-12})
    best = min(found.fun, likelihood(0.0), likelihood(1.0))
    assert likelihood(sharpness) <= best + 1e-11 * odds.rows


@given(seed=st.integers(0, 10**6), sharpness=st.floats(0.01, 0.99), classes=st.integers(2, 5))
@settings(max_examples=30, deadline=None)
def test_slope_and_curvature_are_derivatives(seed: int, sharpness: float, classes: int) -> None:
    odds = random_odds(seed, 20, classes, 3.0, 0.2, zeros=False)
    step = 1e-5
    below, above = sharpness - step, sharpness + step
    slope, curvature = odds.derivatives(sharpness)
    rise = odds.sum_losses(above, 1e-300) - odds.sum_losses(below, 1e-300)
    assert rise / (2 * step) == pytest.approx(slope, rel=1e-6, abs=1e-6)
    assert (odds.derivatives(above)[0] - odds.derivatives(below)[0]) / (2 * step) == pytest.approx(
        curvature, rel=1e-6, abs=1e-6
    )


def test_a_model_that_is_too_sure_is_cooled_and_one_that_is_too_modest_stays() -> None:
    """Of odds 4 : 1 that come true in 3 of 4 cases, the right ones are 3 : 1."""
    against_own = np.log(4.0) * np.array([[-1.0, -1.0, -1.0, 1.0]])
    too_sure = fit_sharpness(RowOdds(against_own, np.ones(4), 1))
    assert too_sure == pytest.approx(np.log(3) / np.log(4), abs=1e-7)
    assert fit_sharpness(RowOdds(against_own / 2, np.ones(4), 1)) == 1.0
    wrong = RowOdds(-against_own, np.ones(4), 3)
    assert fit_sharpness(wrong) == 0.0
    assert wrong.loss(0.0) == pytest.approx(np.log(2))


def test_rows_that_no_sharpness_changes_have_the_largest_loss_and_no_say() -> None:
    impossible = RowOdds(np.array([[np.inf, -1.0, -2.0]]), np.array([5.0, 1.0, 1.0]), 5)
    possible = RowOdds(np.array([[-1.0, -2.0]]), np.ones(2), 0)
    assert fit_sharpness(impossible) == fit_sharpness(possible) == 1.0
    assert impossible.loss(1.0) == pytest.approx((2 * possible.loss(1.0) + 5 * np.log(14)) / 7)


def test_where_nothing_depends_on_the_sharpness_it_is_1() -> None:
    assert fit_sharpness(RowOdds(np.zeros((2, 3)), np.ones(3), 2), 0.3) == 1.0
    assert fit_sharpness(RowOdds(np.full((1, 3), np.inf), np.ones(3), 3), 0.3) == 1.0


# Where to cut

LOSSES = (0.7, 0.41, 0.402, 0.4, 0.4, 0.405, 0.5)
"""Of 0, 1, … 6 columns: the least with 3, and again with 4."""


def sizes(losses: tuple[float, ...] = LOSSES) -> list[Size]:
    return [Size(number, loss, 1.0, 0) for number, loss in enumerate(losses)]


def within(se: float) -> Compare:
    """A comparison in which every difference has the same standard error."""

    def compare(best: Size) -> Iterator[tuple[Size, Moments]]:
        for point in reversed(sizes()):
            yield point, Moments(2, point.log_loss - best.log_loss, 2 * se**2, 2)

    return compare


@pytest.mark.parametrize(
    ("keep", "se", "size"),
    [
        ("best", 9.0, 3),
        ("fewest", 0.0, 3),
        ("fewest", 0.002, 2),
        ("fewest", 0.0101, 1),
        ("fewest", 1.0, 0),
        ("most", 0.0, 4),
        ("most", 0.006, 5),
        ("most", 1.0, 6),
    ],
)
def test_rules(keep: str, se: float, size: int) -> None:
    assert choose_size(sizes(), keep, 0, within(se)) == size


@pytest.mark.parametrize(("keep", "least", "size"), [(0, 0, 0), (2, 0, 2), (99, 0, 6), (1, 2, 2)])
def test_a_number_is_kept_as_far_as_there_are_columns(keep: int, least: int, size: int) -> None:
    assert choose_size(sizes(), keep, least, within(0.0)) == size


def test_losses_that_differ_by_rounding_are_equal() -> None:
    assert find_best(sizes((0.7, 0.4 + 1e-16, 0.4))).features == 1
    assert find_best(sizes((0.7, 0.4 + 1e-9, 0.4))).features == 2
    assert find_best(sizes((0.0, 0.0))).features == 0
