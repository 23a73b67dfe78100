"""Screening a dataset: both tests together, and what must not change them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from probfs.columns.dataset import Dataset, Feature
from probfs.rows.block import EVERYTHING
from probfs.rows.blocks import deal_blocks
from probfs.screening.column_tests import chi_squared_test, rank_test
from probfs.screening.counting import CodedNumbers, NumberBlock, count_folds, count_part, count_values
from probfs.screening.screen import screen, screen_part
from probfs.tables.arrays import text_array
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
    screening = screen(dataset, [block], seed=2)
    values = chi_squared_test(count_values(dataset), 2)
    ranks = rank_test(block.numbers, dataset.labels, 2, dataset.counts, 2)
    assert screening.p[1] == values.p[1]
    assert screening.p[[0, 2]].tolist() == np.minimum(1, 2 * np.minimum(values.p[[0, 2]], ranks.p)).tolist()
    assert screening.kruskal_wallis[[0, 2]].tolist() == ranks.statistic.tolist()
    assert screening.p[0] < 0.01 < screening.p[2]


def test_coded_numbers_and_numbers_row_by_row_are_the_same() -> None:
    dataset, block = cut_numbers(1)
    parts = []
    for feature, column in zip(block.features.tolist(), block.numbers, strict=True):
        numbers, codes = np.unique(column, return_inverse=True)
        parts.append(CodedNumbers(feature, codes.astype(np.uint16), numbers[:-1]))
    whole = screen(dataset, [block])
    assert screen(dataset, parts).p.tolist() == whole.p.tolist()
    blocks = SplitBlocks.of(dataset, [7, 50], parts)
    split = screen_part(blocks, dataset, None, blocks.ask(count_part, EVERYTHING), 0)
    assert split.p.tolist() == whole.p.tolist()
    assert split.kruskal_wallis.tolist() == whole.kruskal_wallis.tolist()


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
    screening = screen(Dataset((plain, telling), ("n", "y"), labels, ones, np.empty(0, np.int64)))
    assert screening.p[0] == rank_test(column[None], labels, 2, ones, 0).p[0] > 0.05
    assert screening.p[1] < 1e-6


@given(datasets())
@settings(max_examples=25)
def test_counted_rows_are_repeated_rows(dataset: Dataset) -> None:
    counted, one_by_one = screen(dataset, seed=5), screen(repeat_rows(dataset), seed=5)
    assert counted.p.tolist() == one_by_one.p.tolist()
    assert counted.q.tolist() == one_by_one.q.tolist()


def test_a_shift_and_a_change_of_scale_are_found() -> None:
    random = np.random.default_rng(4)
    labels = np.arange(400) % 2
    numbers = random.normal(size=(3, 400))
    numbers[0] += 0.4 * labels
    numbers[1] *= 1 + 2 * labels
    codes = [np.searchsorted(np.quantile(column, [0.2, 0.4, 0.6, 0.8]), column) for column in numbers]
    screening = screen(dataset_of(codes, labels), [NumberBlock(np.arange(3), numbers)])
    assert (screening.q[:2] < 0.01).all()
    assert screening.q[2] > 0.1


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
    assert found.p[0] == pytest.approx(min(1, 2 * min(by_number.p[0], screen(plain).p[0])))
    assert (found.p[0] < 0.01) == seen
