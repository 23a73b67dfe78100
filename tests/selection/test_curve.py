"""The losses of every number of columns, against refits without each row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probfs.classifiers.naive_bayes.classifier import FittedNaiveBayes
from probfs.classifiers.row_odds import RowLosses
from probfs.classifiers.scores import SCORES
from probfs.columns.dataset import Dataset
from probfs.selection.curve import losses_along, trace_curve
from tests.support.datasets import dataset_of, problems, random_dataset
from tests.support.exact_naive_bayes import Problem
from tests.support.plain_selection import PlainTable, judge_features


def fit(dataset: Dataset, smoothing: float = 1.0, compiled: bool | None = None) -> FittedNaiveBayes:
    return FittedNaiveBayes(dataset, "loo", 0, smoothing, 0, compiled=compiled, shrink="auto")


def names_of(dataset: Dataset) -> list[str]:
    return [feature.name for feature in dataset.features]


@given(problems(), st.sampled_from([1.0, 0.3, 0.0]), st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_sizes_are_those_of_refits(problem: Problem, smoothing: float, most_copies: int) -> None:
    dataset = dataset_of(problem)
    dataset = replace(dataset, counts=np.random.default_rng(0).integers(1, most_copies + 1, len(dataset.labels)))
    curve = trace_curve(fit(dataset, smoothing), names_of(dataset), SCORES["signed"])
    assert [point.features for point in curve.points] == list(range(len(dataset.features) + 1))
    order = [own.feature for own in curve.order]
    table = PlainTable.of(dataset)
    for point in curve.points:
        plain = judge_features(table, order[: point.features], smoothing)
        assert point.log_loss == pytest.approx(plain.log_loss, abs=1e-6)
        assert point.errors == plain.errors


@pytest.mark.parametrize("classes", [2, 3])
def test_compiled_loops_change_nothing(classes: int) -> None:
    dataset = random_dataset(500, 12, 3, classes, seed=1)
    plain, compiled = (
        trace_curve(fit(dataset, compiled=loops), names_of(dataset), SCORES["signed"]) for loops in (False, True)
    )
    assert [own.feature for own in plain.order] == [own.feature for own in compiled.order]
    for one, other in zip(plain.points, compiled.points, strict=True):
        assert one.log_loss == pytest.approx(other.log_loss, rel=1e-10)
        assert one.temperature == pytest.approx(other.temperature, abs=1e-6)
        assert one.errors == other.errors


def test_protected_features_leave_last_and_the_others_as_if_alone_with_them() -> None:
    dataset = random_dataset(200, 8, 3, 2, seed=3)
    free = trace_curve(fit(dataset), names_of(dataset), SCORES["signed"])
    worst = [own.feature for own in free.order[-2:]]
    held = trace_curve(fit(dataset), names_of(dataset), SCORES["signed"], worst)
    assert sorted(own.feature for own in held.order[:2]) == sorted(worst)
    assert held.points[-1] == free.points[-1]
    assert held.points[0].log_loss == pytest.approx(free.points[0].log_loss)


def test_a_table_without_features_has_one_size() -> None:
    dataset = replace(random_dataset(30, 1, 2, 3, seed=0), features=())
    curve = trace_curve(fit(dataset), [], SCORES["signed"])
    assert curve.order == ()
    (point,) = curve.points
    plain = judge_features(PlainTable.of(dataset), (), 1.0)
    assert point.log_loss == pytest.approx(plain.log_loss, abs=1e-7)
    assert point.errors == plain.errors


@pytest.mark.parametrize("smoothing", [1.0, 0.0])
def test_losses_along_a_curve_have_its_means(smoothing: float) -> None:
    dataset = random_dataset(60, 5, 3, 3, seed=5)
    curve = trace_curve(fit(dataset, smoothing), names_of(dataset), SCORES["signed"])
    along = list(losses_along(curve, lambda: fit(dataset, smoothing)))
    assert [point for point, _ in along] == list(reversed(curve.points))
    for point, losses in along:
        assert isinstance(losses, RowLosses)
        assert losses.values.mean() == pytest.approx(point.log_loss)
