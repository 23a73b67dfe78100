"""Mean and variance under shuffled labels: exactly those of all orders, in fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from probfs.screening.permutation_law import (
    Projections,
    largest_probabilities,
    shuffled_moments,
    sum_in_order,
    tail_probabilities,
)
from tests.support.screening import enumerated_p, score_relation, value_relation


def mean_and_variance(relations: Sequence[Fraction]) -> tuple[float, float]:
    mean = sum(relations, Fraction(0)) / len(relations)
    return float(mean), float(sum((one - mean) ** 2 for one in relations) / len(relations))


def groups(codes: Sequence[int]) -> Projections:
    return Projections.onto_groups(np.bincount(codes).astype(np.float64)[None])


CODES = st.lists(st.integers(0, 3), min_size=5, max_size=5)


@given(CODES, CODES)
@settings(max_examples=40)
def test_the_moments_of_x_squared_are_those_of_all_orders(values: list[int], labels: list[int]) -> None:
    wanted = mean_and_variance([value_relation(values, order) for order in set(permutations(labels))])
    mean, variance = shuffled_moments(np.array([5.0]), groups(values), groups(labels))
    assert (mean[0], variance[0]) == pytest.approx(wanted, rel=1e-12, abs=1e-14)


@given(st.lists(st.integers(-5, 9), min_size=5, max_size=5), CODES)
@settings(max_examples=40)
def test_the_moments_of_a_score_are_those_of_all_orders(numbers: list[int], labels: list[int]) -> None:
    assume(len(set(numbers)) > 1)
    middle = Fraction(sum(numbers), 5)
    scores = [number - middle for number in numbers]
    wanted = mean_and_variance([score_relation(scores, order) for order in set(permutations(labels))])
    powers = [np.array([float(sum(score**k for score in scores))]) for k in (2, 4)]
    rows = np.array([5.0])
    mean, variance = shuffled_moments(rows, Projections.onto_scores(rows, *powers), groups(labels))
    assert (mean[0], variance[0]) == pytest.approx(wanted, rel=1e-12, abs=1e-14)


@given(st.lists(st.integers(1, 40), min_size=2, max_size=5), st.lists(st.integers(1, 40), min_size=2, max_size=5))
def test_the_moments_of_x_squared_are_dawsons(values: list[int], classes: list[int]) -> None:
    values[0] += max(sum(classes) - sum(values), 0) + 2
    classes[0] += sum(values) - sum(classes)
    rows = sum(values)
    v, w = [], []
    for sizes in (values, classes):
        count = len(sizes)
        v.append(Fraction((rows - count) * (count - 1), rows - 1))
        w.append((rows * sum(Fraction(1, size) for size in sizes) - count**2) / (rows - 2))
    mean = Fraction(rows * (len(values) - 1) * (len(classes) - 1), rows - 1)
    variance = Fraction(2 * rows, rows - 3) * (v[0] - w[0]) * (v[1] - w[1]) + Fraction(rows**2, rows - 1) * w[0] * w[1]
    sides = [Projections.onto_groups(np.array([sizes], dtype=np.float64)) for sizes in (values, classes)]
    got_mean, got_variance = shuffled_moments(np.array([float(rows)]), *sides)
    assert got_mean[0] * rows == pytest.approx(float(mean), rel=1e-12)
    assert got_variance[0] * rows**2 == pytest.approx(float(variance), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("values", "classes"),
    [
        ([6], [3, 3]),  # one value
        ([3, 3], [6]),  # one class
        ([1] * 6, [2, 4]),  # an identifier
        ([1, 97], [49, 49]),  # the one row has a class in any order
        ([1, 2], [1, 2]),  # three rows
        ([], []),
    ],
)
def test_what_no_order_of_labels_changes_has_p_1(values: list[int], classes: list[int]) -> None:
    sides = [Projections.onto_groups(np.array([sizes], dtype=np.float64)) for sizes in (values, classes)]
    p, varies = tail_probabilities(np.array([0.7]), np.array([float(sum(values))]), *sides)
    assert p.tolist() == [1.0]
    assert not varies.any()


@given(st.permutations([0.1, 0.2, 0.3, 1e-9, 7.7, 0.0, 0.0]))
def test_a_sum_in_order_is_the_same_to_the_last_digit(terms: list[float]) -> None:
    without_zeros = np.array([[term for term in sorted(terms) if term]])
    assert sum_in_order(np.array([terms])).tolist() == sum_in_order(without_zeros).tolist()


@given(CODES, CODES)
@settings(max_examples=40)
def test_no_p_value_exceeds_its_bound(values: list[int], labels: list[int]) -> None:
    seen = np.array([float(value_relation(values, labels))])
    bound = largest_probabilities(seen, np.array([5.0]), groups(values), groups(labels))[0]
    assert enumerated_p(value_relation, values, labels)[1] <= bound + 1e-9


def test_a_strong_relation_has_a_small_bound() -> None:
    side = groups([0, 1] * 100)
    bounds = largest_probabilities(np.array([1.0, 0.5, 0.001]), np.full(3, 200.0), side, side)
    mean, variance = 1 / 199, 2 * (198 / 199) ** 2 / (200 * 197)
    assert bounds.tolist() == pytest.approx([variance / (variance + (x - mean) ** 2) for x in (1, 0.5)] + [1])
