"""Screening: tests of columns by values and by numbers, what must not change them, and q-values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probfs.columns.dataset import Dataset, Feature
from probfs.rows.blocks import EVERYTHING, deal_blocks
from probfs.screening import column_tests
from probfs.screening.column_tests import ColumnTests, chi_squared_test, rank_test, rank_test_of_counts
from probfs.screening.counting import CodedNumbers, NumberBlock, count_folds, count_part, count_values
from probfs.screening.screen import q_values, screen, screen_part
from probfs.tables.arrays import Floats, Integers, text_array
from tests.support.screening import SplitBlocks, dataset_of, datasets, repeat_rows


def cut_numbers(seed: int) -> tuple[Dataset, NumberBlock]:
    """Two numeric columns, the first of which follows the class, cut into five; and a column of categories."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, 2, 120)
    numbers = random.normal(size=(2, 120))
    numbers[0] += 0.8 * labels
    numbers[:, ::10] = np.nan
    points = np.nanquantile(numbers, [0.2, 0.4, 0.6, 0.8], axis=1)
    codes = [np.where(np.isnan(n), -1, np.searchsorted(p, n)) for n, p in zip(numbers, points.T, strict=True)]
    dataset = dataset_of([codes[0], random.integers(0, 3, 120), codes[1]], labels)
    return dataset, NumberBlock(np.array([0, 2]), numbers)


def test_numbers_are_tested_before_and_after_they_are_cut() -> None:
    dataset, block = cut_numbers(0)
    p = screen(dataset, [block], seed=2)
    values = chi_squared_test(count_values(dataset), 2)
    ranks = rank_test(block.numbers, dataset.labels, 2, dataset.counts, 2)
    assert p[1] == values.p[1]
    assert p[[0, 2]].tolist() == np.minimum(1, 2 * np.minimum(values.p[[0, 2]], ranks.p)).tolist()
    assert p[0] < 0.01 < p[2]


def test_coded_numbers_and_numbers_row_by_row_are_the_same() -> None:
    dataset, block = cut_numbers(1)
    parts = []
    for feature, column in zip(block.features.tolist(), block.numbers, strict=True):
        numbers, codes = np.unique(column, return_inverse=True)
        parts.append(CodedNumbers(feature, codes.astype(np.uint16), numbers[:-1]))
    whole = screen(dataset, [block])
    assert screen(dataset, parts) == pytest.approx(whole, rel=1e-9)
    blocks = SplitBlocks.of(dataset, [7, 50], parts)
    split = screen_part(blocks, dataset, None, blocks.ask(count_part, EVERYTHING), 0)
    assert split == pytest.approx(whole, rel=1e-9)


@given(datasets())
@settings(max_examples=25)
def test_the_counts_of_folds_add_up_and_are_those_of_their_rows(dataset: Dataset) -> None:
    dealt = deal_blocks(SplitBlocks.of(dataset, [len(dataset.labels) // 2]), EVERYTHING, 3, 0)
    folds = dealt.ask(count_folds)
    assert np.array_equal(sum(one.by_slot for one in folds), count_values(dataset).by_slot)
    for fold, own in enumerate(folds):
        rows = dealt.each(lambda block, fold=fold: count_values(replace(block.dataset, counts=block.copies(fold))))
        assert np.array_equal(own.by_slot, sum(one.by_slot for one in rows))
        assert np.array_equal(own.class_rows, sum(one.class_rows for one in rows))


def test_a_feature_of_numbers_is_tested_by_rank_and_by_what_is_missing() -> None:
    random = np.random.default_rng(3)
    labels = (np.arange(100) % 2).astype(np.int8)
    column = random.normal(size=100)
    column[(labels == 1) & (random.random(100) < 0.5)] = np.nan
    numbers, codes = np.unique(column, return_inverse=True)
    plain = Feature("plain", text_array([]), codes.astype(np.uint8), np.empty(0, np.uint8), numbers[:-1])
    telling = replace(plain, name="telling", missing_is_value=True)
    ones = np.ones(100, np.int64)
    p = screen(Dataset((plain, telling), ("n", "y"), labels, ones, np.empty(0, np.int64)))
    assert p[0] == rank_test(column[None], labels, 2, ones, 0).p[0] > 0.05
    assert p[1] < 1e-6


@given(datasets())
@settings(max_examples=25)
def test_counted_rows_are_repeated_rows(dataset: Dataset) -> None:
    assert screen(dataset, seed=5) == pytest.approx(screen(repeat_rows(dataset), seed=5), rel=1e-9)


@pytest.mark.parametrize(("codes", "seen"), [("trend", True), ("hump", True), ("none", False)])
def test_numbers_of_few_values_are_tested_by_their_order_and_by_their_values(codes: str, seen: bool) -> None:
    random = np.random.default_rng(0)
    labels = np.arange(200) % 2
    dosage = random.integers(0, 3, 200)
    if codes == "trend":
        dosage = np.where(random.random(200) < 0.3, 2 * labels, dosage)
    elif codes == "hump":
        dosage = np.where(random.random(200) < 0.5, np.where(labels, 1, 2 * random.integers(0, 2, 200)), dosage)
    plain = dataset_of([dosage], labels)
    (feature,) = plain.features
    found = screen(replace(plain, features=(replace(feature, scale=np.arange(3.0)),)))
    by_number = rank_test(dosage[None].astype(np.float64), labels, 2, plain.counts, 0)
    assert found[0] == pytest.approx(min(1, 2 * min(by_number.p[0], screen(plain)[0])))
    assert (found[0] < 0.01) == seen


# The rate of false discoveries


def test_q_values_by_hand() -> None:
    # Sorted: .001·5/1, .02·5/2 = .05, .02·5/3 = .0333, .5·5/4 = .625, .6·5/5 = .6; each is the least from there on.
    q = q_values(np.array([0.5, 0.001, 0.02, 0.6, 0.02]))
    assert q == pytest.approx([0.6, 0.005, 0.1 / 3, 0.6, 0.1 / 3])


def test_one_column_has_its_p_as_q_and_no_column_has_none() -> None:
    assert q_values(np.array([0.03])).tolist() == [0.03]
    assert q_values(np.empty(0)).tolist() == []


@given(st.lists(st.sampled_from([0.0, 1e-5, 0.01, 0.04, 0.05, 0.3, 1.0]), min_size=1, max_size=12))
def test_the_discoveries_at_each_rate_are_those_of_the_step_up_procedure(p: list[float]) -> None:
    q = q_values(np.array(p))
    for rate in (0.01, 0.05, 0.1, 0.3):
        ranks = [k for k in range(1, len(p) + 1) if sorted(p)[k - 1] <= rate * k / len(p) * (1 + 1e-12)]
        limit = sorted(p)[max(ranks) - 1] if ranks else -1.0
        assert [one <= rate * (1 + 1e-12) for one in q] == [one <= limit for one in p]


# Tests of columns by values and by numbers: what changes nothing, what is rare, and what says nothing


def run_values(
    columns: Sequence[Integers], labels: Integers, counts: Integers | None = None, seed: int = 0
) -> ColumnTests:
    return chi_squared_test(count_values(dataset_of(columns, labels, counts)), seed)


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
        drawn = chi_squared_test(count_values(dataset_of([together, apart], labels)), 0, 99_999)
        assert drawn.p[0] == pytest.approx(p, rel=1e-8)
    doubtful = np.isin(np.arange(200), [0, 1, 2, 60, 70, 80]).astype(np.int64)
    one, same, other = (run_values([doubtful], labels, seed=seed).p[0] for seed in (0, 0, 1))
    assert one == same != other


@pytest.mark.parametrize("classes", [2, 3])
def test_what_says_nothing_has_p_1(classes: int) -> None:
    labels = np.arange(30) % classes
    columns = [np.zeros(30, np.int64), np.arange(30), np.full(30, -1), np.where(np.arange(30) < 3, labels, -1)]
    tests = run_values(columns, labels)
    assert tests.p.tolist() == [1.0] * 4
    assert not tests.varies.any()


@given(datasets(), st.randoms(use_true_random=False))
@settings(max_examples=25)
def test_neither_order_nor_names_change_anything(dataset: Dataset, random: Random) -> None:
    before = chi_squared_test(count_values(dataset), 3)
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
    after = chi_squared_test(count_values(shuffled), 3)
    assert after.p == pytest.approx(before.p[columns], rel=1e-9)


# Numbers


def run_numbers(numbers: Floats, labels: Integers, counts: Integers | None = None, seed: int = 0) -> ColumnTests:
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
        assert other.p == pytest.approx(wanted.p, rel=1e-9)
        assert other.varies.tolist() == wanted.varies.tolist()


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


def test_numbers_that_say_nothing_have_p_1() -> None:
    labels = np.arange(12) % 2
    numbers = np.full((3, 12), np.nan)
    numbers[1], numbers[2, :3] = 7.0, [1, 2, 3]
    tests = run_numbers(numbers, labels)
    assert tests.p.tolist() == [1, 1, 1]
    assert not tests.varies.any()
    assert run_numbers(numbers[1:2], np.zeros(12, np.int64)).p.tolist() == [1.0]
    assert run_numbers(np.empty((2, 0)), labels[:0]).p.tolist() == [1, 1]
    assert rank_test_of_counts(np.zeros((1, 0, 2)), 0).p.tolist() == [1.0]
