"""The test of numbers by their ranks, against scipy, all orders of the labels, and rows told in other ways."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kruskal

from probfs.screening import column_tests
from probfs.screening.column_tests import ColumnTests, rank_test, rank_test_of_counts
from probfs.tables.arrays import Floats, Integers
from tests.support.screening import enumerated_p, midranks, score_relation


def run(numbers: Floats, labels: Integers, counts: Integers | None = None, seed: int = 0) -> ColumnTests:
    weights = np.ones(len(labels), np.int64) if counts is None else counts
    return rank_test(np.atleast_2d(numbers), labels, int(labels.max(initial=0)) + 1, weights, seed)


def counted(numbers: Floats, labels: Integers, counts: Integers) -> Floats:
    """The rows of each class that hold each number, with a number that no row holds."""
    distinct = np.unique(np.append(numbers[~np.isnan(numbers)], 0.25))
    return np.array([[counts[(numbers == one) & (labels == label)].sum() for label in range(3)] for one in distinct])


@st.composite
def blocks(draw: st.DrawFn) -> tuple[Floats, Integers, Integers]:
    """Numbers with ties and missing cells, classes, and counts, 0 among them."""
    rows, columns = draw(st.integers(1, 16)), draw(st.integers(1, 4))
    cells = st.sampled_from([np.nan, -2.5, -1.0, 0.0, 0.0, 0.0, 1.0, 1e9])
    numbers = draw(st.lists(st.lists(cells, min_size=rows, max_size=rows), min_size=columns, max_size=columns))
    labels = draw(st.lists(st.integers(0, 2), min_size=rows, max_size=rows))
    counts = draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows))
    return np.array(numbers), np.array(labels), np.array(counts)


@given(blocks(), st.integers(0, 99))
@settings(max_examples=30)
def test_counts_codes_order_and_company_change_nothing(block: tuple[Floats, Integers, Integers], seed: int) -> None:
    numbers, labels, counts = block
    random = np.random.default_rng(seed)
    wanted = rank_test(numbers, labels, 3, counts, 1)
    order = random.permutation(np.repeat(np.arange(len(labels)), counts))
    names = random.permutation(3)
    repeated = rank_test(numbers[:, order], names[labels[order]], 3, np.ones(len(order), np.int64), 1)
    everything = [repeated, rank_test(np.cbrt(numbers) * 3 + 1, labels, 3, counts, 1)]
    tests: tuple[Callable[[Floats], ColumnTests], ...] = (
        lambda column: rank_test(column[None], labels, 3, counts, 1),
        lambda column: rank_test_of_counts(counted(column, labels, counts)[None], 1),
    )
    for test in tests:
        everything.append(ColumnTests.of_nothing(len(numbers)))
        for place, column in enumerate(numbers):
            everything[-1].put(np.array([place]), test(column))
    for other in everything:
        assert other.statistic == pytest.approx(wanted.statistic, rel=1e-9, abs=1e-12)
        assert other.p == pytest.approx(wanted.p, rel=1e-9)
        assert other.varies.tolist() == wanted.varies.tolist()


def test_the_statistic_is_that_of_kruskal_and_wallis() -> None:
    random = np.random.default_rng(3)
    numbers, labels = np.round(random.normal(size=(5, 80)), 1), random.integers(0, 4, 80)
    numbers[random.random(numbers.shape) < 0.2] = np.nan
    for column, statistic in zip(numbers, run(numbers, labels).statistic, strict=True):
        groups = [column[(labels == label) & ~np.isnan(column)] for label in range(4)]
        assert statistic == pytest.approx(kruskal(*groups).statistic, rel=1e-12)


def test_p_of_few_rows_is_the_share_of_all_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where it is no claim, and the tail would do."""
    monkeypatch.setattr(column_tests, "_CLAIM_OF_FEW_ROWS", 2.0)
    random = np.random.default_rng(1)
    labels = np.array([0, 0, 0, 0, 1, 1, 1, 2])
    for _ in range(12):
        numbers = random.integers(0, 6, 8)
        tests = run(numbers.astype(np.float64), labels)
        wanted = enumerated_p(score_relation, midranks(numbers.tolist()), labels.tolist())
        assert tests.p[0] == pytest.approx(wanted, rel=1e-9)


def test_p_is_near_the_share_of_many_shuffles() -> None:
    random = np.random.default_rng(2)
    labels = np.repeat([0, 1, 2], [10, 30, 40])
    numbers = random.normal(size=80) + 0.4 * labels
    seen = run(numbers, labels)
    shuffles = run(np.array([random.permutation(numbers) for _ in range(8_000)]), labels)
    share = (shuffles.statistic >= seen.statistic[0] * (1 - 1e-9)).mean()
    assert seen.p[0] == pytest.approx(share, rel=0.25)


def test_where_most_rows_hold_one_number_tables_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = (np.arange(50) < 5).astype(np.int64)
    numbers = np.zeros(50)
    numbers[[0, 1, 20, 30, 40]] = [3, 2, 1, 1, 2]
    drawn = run(numbers, labels)
    random = np.random.default_rng(0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(column_tests, "CLAIM", 0.0)
        shuffles = run(np.array([random.permutation(numbers) for _ in range(8_000)]), labels)
    share = (shuffles.statistic >= drawn.statistic[0] * (1 - 1e-9)).mean()
    assert drawn.p[0] == pytest.approx(share, rel=0.5)
    assert drawn.p[0] != run(numbers, labels, seed=1).p[0]
    monkeypatch.setattr(column_tests, "FEW_NUMBERS", 7)
    too_many = run(numbers, labels)
    assert (too_many.p[0], too_many.varies[0]) == (1.0, False)


def test_what_says_nothing_has_p_1() -> None:
    labels = np.arange(12) % 2
    numbers = np.full((3, 12), np.nan)
    numbers[1], numbers[2, :3] = 7.0, [1, 2, 3]
    tests = run(numbers, labels)
    assert tests.p.tolist() == [1, 1, 1]
    assert not tests.varies.any()
    assert run(numbers[1:2], np.zeros(12, np.int64)).p.tolist() == [1.0]
    assert run(np.empty((2, 0)), labels[:0]).p.tolist() == [1, 1]
    assert rank_test_of_counts(np.zeros((1, 0, 2)), 0).p.tolist() == [1.0]
