"""Mean and variance under shuffled labels: exactly those of all orders, in fractions; and the tail of the gamma law."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.special import gammaincc, gammainccinv

from probfs.screening.permutation_law import PermutationLaw, Projections, gamma_tail
from tests.support.screening import enumerated_p, score_relation, value_relation

FIVE_CODES = st.lists(st.integers(0, 3), min_size=5, max_size=5)


def mean_and_variance(relations: Sequence[Fraction]) -> tuple[float, float]:
    mean = sum(relations, Fraction(0)) / len(relations)
    return float(mean), float(sum((one - mean) ** 2 for one in relations) / len(relations))


def law_of(value_rows: Sequence[int], class_rows: Sequence[int]) -> PermutationLaw:
    sides = (Projections.onto_groups(np.array([sizes], dtype=np.float64)) for sizes in (value_rows, class_rows))
    return PermutationLaw.of(np.array([float(sum(value_rows))]), *sides)


def law_of_codes(values: Sequence[int], labels: Sequence[int]) -> PermutationLaw:
    return law_of(np.bincount(values).tolist(), np.bincount(labels).tolist())


@given(FIVE_CODES, FIVE_CODES)
@settings(max_examples=40)
def test_the_moments_of_x_squared_are_those_of_all_orders(values: list[int], labels: list[int]) -> None:
    wanted = mean_and_variance([value_relation(values, order) for order in set(permutations(labels))])
    law = law_of_codes(values, labels)
    assert (law.mean[0], law.variance[0]) == pytest.approx(wanted, rel=1e-12, abs=1e-14)


@given(st.lists(st.integers(-5, 9), min_size=5, max_size=5), FIVE_CODES)
@settings(max_examples=40)
def test_the_moments_of_a_score_are_those_of_all_orders(numbers: list[int], labels: list[int]) -> None:
    assume(len(set(numbers)) > 1)
    scores = [number - Fraction(sum(numbers), 5) for number in numbers]
    wanted = mean_and_variance([score_relation(scores, order) for order in set(permutations(labels))])
    powers = [np.array([float(sum(score**k for score in scores))]) for k in (2, 4)]
    rows, classes = np.array([5.0]), Projections.onto_groups(np.bincount(labels).astype(np.float64)[None])
    law = PermutationLaw.of(rows, Projections.onto_scores(rows, *powers), classes)
    assert (law.mean[0], law.variance[0]) == pytest.approx(wanted, rel=1e-12, abs=1e-14)


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
    law = law_of(values, classes)
    assert law.tail(np.array([0.7])).tolist() == [1.0]
    assert not law.varies.any()


@given(FIVE_CODES, FIVE_CODES)
@settings(max_examples=40)
def test_no_p_value_exceeds_its_bound(values: list[int], labels: list[int]) -> None:
    bound = law_of_codes(values, labels).largest_tail(np.array([float(value_relation(values, labels))]))[0]
    assert enumerated_p(value_relation, values, labels) <= bound + 1e-9


@pytest.mark.parametrize("least", range(-3, 7))
def test_the_gamma_tail_is_that_of_scipy(least: int) -> None:
    random = np.random.default_rng(least + 7)
    shape = 10 ** random.uniform(least, least + 1, 2000)
    wanted = np.concatenate([random.uniform(0, 1, 1000), 10 ** random.uniform(-290, 0, 1000)])
    x = gammainccinv(shape, wanted)
    # Far from the mean of a large shape, scipy itself is right to fewer digits: about seven below it, eleven above.
    sure = np.isfinite(x) & (x > 0) & ((shape < 200) | (np.abs(x - shape) < 4.4 * np.sqrt(shape)))
    assert np.count_nonzero(sure) > 100
    assert gamma_tail(shape[sure], x[sure]) == pytest.approx(
        gammaincc(shape[sure], x[sure]), rel=1e-9 * max(1, 10 ** (least - 4)), abs=0
    )


def test_the_ends_of_the_gamma_law() -> None:
    x = np.array([-1.0, 0.0, 1e-300, 1e6])
    assert gamma_tail(np.full(4, 0.5), x) == pytest.approx([1, 1, 1, 0])
    assert gamma_tail(np.full(4, 1e7), x).tolist() == [1, 1, 1, 1]
