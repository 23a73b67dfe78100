"""Tests of a column: what changes nothing, what is rare or says nothing, and the law under shuffled labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import permutations as orders_of
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaincc, gammainccinv

from probfs.columns.dataset import Dataset
from probfs.screening import column_tests, permutations
from probfs.screening.column_tests import ColumnTests, chi_squared_test, rank_test, rank_test_of_counts
from probfs.screening.counting import RankedNumbers, count_values
from probfs.screening.permutation_law import PermutationLaw, Projections, gamma_tail
from probfs.screening.permutations import MOST_DRAWS, Margins
from probfs.screening.screen import screen
from probfs.tables.arrays import Floats, Integers
from tests.support.datasets import dataset_of_codes, datasets, repeat_rows

# Values


def run_values(columns: Sequence[Integers], labels: Integers, seed: int = 0, draws: int | None = None) -> ColumnTests:
    return chi_squared_test(count_values(dataset_of_codes(columns, labels)), seed, draws)


@given(datasets(), st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_neither_order_nor_names_nor_repetition_change_anything(dataset: Dataset, random: Random) -> None:
    before = screen(dataset, seed=3)
    rows = random.sample(range(len(dataset.labels)), len(dataset.labels))
    classes = np.array(random.sample(range(len(dataset.classes)), len(dataset.classes)))
    features = []
    for feature in dataset.features:
        names = np.array([*random.sample(range(feature.values), feature.values), feature.values])
        features.append(replace(feature, labelled=names[feature.labelled][rows].astype(np.uint8)))
    columns = random.sample(range(len(features)), len(features))
    shuffled = replace(
        dataset,
        features=tuple(features[column] for column in columns),
        labels=classes[dataset.labels][rows].astype(np.int8),
        counts=dataset.counts[rows],
    )
    for same in (shuffled, repeat_rows(shuffled)):
        assert screen(same, seed=3) == pytest.approx(before[columns], rel=1e-9)


def test_a_rare_value_is_judged_by_drawn_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    # The six rows of a rare value all have the rare class: one order in C(200, 6) / C(20, 6).
    labels = (np.arange(200) < 20).astype(np.int64)
    together, apart = (np.arange(200) < 6).astype(np.int64), (np.arange(200) % 40 == 0).astype(np.int64)
    tests = run_values([together, apart], labels)
    assert tests.p[0] <= 2 / 401
    assert tests.p[1] > 0.05
    # As many tables of four cells as there is work for, but 999 at least, which could not tell of as small a p.
    for work, p in ((5_000, 1 / 1_251), (3_000, 0.00091807789)):
        monkeypatch.setattr(column_tests, "_MOST_WORK", work)
        assert run_values([together, apart], labels, 0, 99_999).p[0] == pytest.approx(p, rel=1e-8)
    doubtful = np.isin(np.arange(200), [0, 1, 2, 60, 70, 80]).astype(np.int64)
    one, same, other = (run_values([doubtful], labels, seed).p[0] for seed in (0, 0, 1))
    assert one == same != other


# Numbers


def run_numbers(numbers: Floats, labels: Integers, seed: int = 0) -> ColumnTests:
    matrix = np.atleast_2d(numbers)
    ranked = RankedNumbers.of_matrix(np.arange(len(matrix)), matrix)
    return rank_test(ranked, labels, int(labels.max(initial=0)) + 1, np.ones(len(labels)), seed, MOST_DRAWS)


def test_where_most_rows_hold_one_number_tables_are_drawn_unless_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = (np.arange(50) < 5).astype(np.int64)
    numbers = np.zeros(50)
    numbers[[0, 1, 20, 30, 40]] = [3, 2, 1, 1, 2]
    drawn = [run_numbers(numbers, labels, seed=seed).p[0] for seed in (0, 1)]
    assert drawn[0] != drawn[1]
    assert 20 / np.array(drawn) == pytest.approx(np.round(20 / np.array(drawn))), "the twentieth as large is the last"
    # Four different numbers in two classes.
    for cells, known in ((8, True), (7, False)):
        monkeypatch.setattr(column_tests, "FEW_NUMBERS", cells)
        tests = run_numbers(numbers, labels)
        assert (tests.p[0], tests.varies[0]) == (drawn[0] if known else 1.0, known)


@pytest.mark.parametrize("classes", [2, 3])
def test_what_says_nothing_has_p_1(classes: int) -> None:
    labels = np.arange(30) % classes
    first = np.arange(30) < 3
    values = [np.zeros(30, np.int64), np.arange(30), np.full(30, -1), np.where(first, labels, -1)]
    numbers = np.array([np.full(30, np.nan), np.full(30, 7.0), np.where(first, np.arange(30), np.nan)])
    for tests in (
        *(run_values(values, labels), run_numbers(numbers, labels), run_numbers(numbers, np.zeros(30, np.int64))),
        *(run_numbers(np.empty((2, 0)), labels[:0]), rank_test_of_counts(np.zeros((1, 0, 2)), 0)),
    ):
        assert set(tests.p.tolist()) == {1.0}
        assert not tests.varies.any()


# The law: moments, gamma tail, and tables that are listed or drawn

Relation = Callable[[Sequence[Any], Sequence[int]], Fraction]
FIVE_CODES = st.lists(st.integers(0, 3), min_size=5, max_size=5)
SEVEN_CODES = st.lists(st.integers(0, 2), min_size=7, max_size=7)


def value_relation(values: Sequence[int], labels: Sequence[int]) -> Fraction:
    """X² / N of two columns of codes."""
    rows = len(values)
    total = Fraction(0)
    for value in set(values):
        for label in set(labels):
            expected = Fraction(values.count(value) * labels.count(label), rows)
            seen = sum(pair == (value, label) for pair in zip(values, labels, strict=True))
            total += (seen - expected) ** 2 / expected
    return total / rows


def score_relation(scores: Sequence[Fraction], labels: Sequence[int]) -> Fraction:
    """SSB / SST of scores in classes; 0 for scores that are all the same."""
    middle = sum(scores, Fraction(0)) / len(scores)
    whole = sum(((score - middle) ** 2 for score in scores), Fraction(0))
    between = Fraction(0)
    for label in set(labels):
        own = [score - middle for score, other in zip(scores, labels, strict=True) if other == label]
        between += sum(own, Fraction(0)) ** 2 / len(own)
    return between / whole if whole else Fraction(0)


def midranks(numbers: Sequence[float]) -> list[Fraction]:
    return [sum((Fraction(x < y) + Fraction(x == y, 2) for x in numbers), Fraction(1, 2)) for y in numbers]


def enumerated_p(relation: Relation, column: Sequence[Any], labels: Sequence[int]) -> float:
    """The share of all orders of the labels whose relation is at least as large as the one seen."""
    seen = relation(column, labels)
    # Orders that look alike are equally frequent.
    orders = [relation(column, order) for order in set(orders_of(labels))]
    return sum(one >= seen for one in orders) / len(orders)


def relation_of(values: list[int], numbers: bool) -> tuple[Callable[..., Fraction], Sequence[Any]]:
    """The relation that a test is of, and the column as it takes it."""
    return (score_relation, midranks(values)) if numbers else (value_relation, values)


def law_of(value_rows: Sequence[int], class_rows: Sequence[int], scores: Sequence[Fraction] = ()) -> PermutationLaw:
    column, classes = (Projections.onto_groups(np.array([sizes], np.float64)) for sizes in (value_rows, class_rows))
    rows = np.array([float(sum(value_rows))])
    if scores:
        middle = sum(scores, Fraction(0)) / len(scores)
        column = Projections.onto_scores(
            rows, *(np.array([float(sum((score - middle) ** k for score in scores))]) for k in (2, 4))
        )
    return PermutationLaw.of(rows, column, classes)


@given(FIVE_CODES, FIVE_CODES, st.booleans())
@settings(max_examples=60)
def test_the_moments_are_those_of_all_orders_and_no_p_value_exceeds_its_bound(
    values: list[int], labels: list[int], numbers: bool
) -> None:
    relation, column = relation_of(values, numbers)
    every = [relation(column, order) for order in set(orders_of(labels))]
    mean = sum(every, Fraction(0)) / len(every)
    variance = sum((one - mean) ** 2 for one in every) / len(every)
    law = law_of(np.bincount(values).tolist(), np.bincount(labels).tolist(), column if numbers else ())
    assert (law.mean[0], law.variance[0]) == pytest.approx((float(mean), float(variance)), rel=1e-12, abs=1e-14)
    bound = law.largest_tail(np.array([float(relation(column, labels))]))[0]
    assert enumerated_p(relation, column, labels) <= bound + 1e-9


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


# P-values from tables with given margins: all of them, and drawn ones, against all orders of the labels


def margins_of(values: list[int], classes: list[int], *, numbers: bool = False) -> Margins:
    return Margins(np.array(values), np.array(classes), numbers)


@given(SEVEN_CODES, SEVEN_CODES, st.booleans())
@settings(max_examples=40)
def test_exact_p_is_the_share_of_all_orders(values: list[int], labels: list[int], numbers: bool) -> None:
    _, value_rows = np.unique(values, return_counts=True)
    _, class_rows = np.unique(labels, return_counts=True)
    relation, column = relation_of(values, numbers)
    if numbers and len(value_rows) == 1:
        return
    p = Margins(value_rows, class_rows, numbers).exact_p(np.array([float(relation(column, labels))]))
    assert p is not None
    assert p[0] == pytest.approx(enumerated_p(relation, column, labels), rel=1e-12)


@pytest.mark.parametrize(("rows", "is_exact"), [(19, True), (20, False)])
@pytest.mark.parametrize("numbers", [False, True])
def test_a_small_p_of_fewer_than_20_rows_is_exact(rows: int, is_exact: bool, numbers: bool) -> None:
    labels = np.arange(rows) % 2
    values = np.where(np.arange(rows) < 4, 1 - labels, labels)
    relation, column = relation_of(values.tolist(), numbers)
    margins = Margins(np.bincount(values), np.bincount(labels), numbers)
    exact = margins.exact_p(np.array([float(relation(column, labels.tolist()))]))
    found = run_numbers(values.astype(float), labels) if numbers else run_values([values], labels)
    assert exact is not None
    assert bool(found.p[0] == pytest.approx(exact[0], rel=1e-9)) == is_exact


def test_too_many_tables_are_not_looked_at() -> None:
    assert margins_of([1] * 18, [6, 6, 6]).exact_p(np.array([0.5])) is None


# The first draws tables, the second shuffles its rows, which are fewer than the cells; numbers are never shuffled.
@pytest.mark.parametrize(
    "margins",
    [
        margins_of([6, 3, 3], [7, 5]),
        margins_of([1, 2, 3, 2], [2, 3, 3]),
        margins_of([1, 2, 3, 2], [2, 3, 3], numbers=True),
        margins_of([9, 1, 2], [4, 8], numbers=True),
    ],
)
def test_drawn_relations_have_the_law_of_all_tables(margins: Margins, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(permutations, "_ENOUGH_AS_LARGE", 10**9)
    values, labels = (np.repeat(np.arange(len(rows)), rows) for rows in (margins.value_rows, margins.class_rows))
    random = np.random.default_rng(0)
    relation, column = relation_of(values.tolist(), margins.numbers)
    possible = {relation(column, random.permutation(labels).tolist()) for _ in range(200)}
    seen = np.array([float(one) for one in sorted(possible)])
    exact = margins.exact_p(seen)
    assert exact is not None
    draws = 20_000
    # Five standard errors of a share of one half.
    drawn = margins.drawn_p(seen, 3, draws)
    assert drawn == pytest.approx(exact, abs=5 * (0.25 / draws) ** 0.5)
    assert len(seen) > 5


def test_drawing_stops_at_the_twentieth_table_as_large() -> None:
    margins = margins_of([3, 5], [4, 4])
    seen = np.array([0.0, 0.2, 0.5, 2.0])
    p = margins.drawn_p(seen, 7, 9_999)
    assert p[0] == 1
    tables = 20 / p[1:3]
    assert tables == pytest.approx(tables.round())
    exact = margins.exact_p(seen[1:3])
    assert p[1:3] == pytest.approx(exact, rel=1)
    # Nothing is as large as 2, and the table that was seen counts as well.
    assert p[3] == 1 / 10_000
    assert margins.drawn_p(seen[2:3], 7, 9_999)[0] == p[2] != margins.drawn_p(seen[2:3], 8, 9_999)[0]
