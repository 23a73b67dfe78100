"""Bins of a column's numbers, made of sketches of blocks, are enough to test it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from probfs.cluster.quantiles import MOST_BINS, bin_codes, edges_of, numbers_in_rows, quantiles_of_each, sketch
from probfs.screening.column_tests import rank_test, rank_test_of_counts
from probfs.tables.arrays import Floats, Integers
from probfs.tables.frames import table_in_memory
from tests.support.split_numbers import SplitNumbers, split_numbers


@given(split_numbers())
def test_few_different_numbers_have_a_bin_each(case: SplitNumbers) -> None:
    edges = edges_of([sketch(numbers) for numbers, _ in case.blocks()])
    present = ~np.isnan(case.numbers)
    np.testing.assert_array_equal(edges, np.unique(case.numbers[present]))
    codes = bin_codes(case.numbers, edges)
    np.testing.assert_array_equal(edges[codes[present]], case.numbers[present])
    assert (codes[~present] == len(edges)).all()


@given(split_numbers())
def test_bins_hold_all_numbers_in_their_order(case: SplitNumbers) -> None:
    edges = edges_of([sketch(numbers, 8) for numbers, _ in case.blocks()], 8)
    assert (np.diff(edges) > 0).all()
    numbers = case.numbers[~np.isnan(case.numbers)]
    codes = bin_codes(numbers, edges)
    assert (codes < len(edges)).all()
    assert (numbers <= edges[codes]).all()
    later = codes > 0
    assert (numbers[later] > edges[codes[later].astype(np.int64) - 1]).all()


def test_a_number_of_many_rows_is_alone_in_its_bin() -> None:
    random = np.random.default_rng(0)
    blocks = [np.where(random.random(90_000) < 0.1, 0.25, random.normal(size=90_000)) for _ in range(3)]
    edges = edges_of([sketch(numbers) for numbers in blocks])
    numbers = np.concatenate(blocks)
    codes = bin_codes(numbers, edges)
    heavy = codes[numbers == 0.25][0]
    assert (numbers[codes == heavy] == 0.25).all()
    assert MOST_BINS / 2 < len(edges) <= 2 * MOST_BINS
    # No other bin has many rows.
    assert np.delete(np.bincount(codes), heavy).max() < 10 * len(numbers) / MOST_BINS


def binned_p(blocks: list[Floats], labels: list[Integers], classes: int) -> float:
    edges = edges_of([sketch(numbers, quantiles_of_each(len(blocks))) for numbers in blocks])
    by_class = np.zeros((len(edges) + 1, classes))
    for numbers, own in zip(blocks, labels, strict=True):
        np.add.at(by_class, (bin_codes(numbers, edges), own), 1)
    return float(rank_test_of_counts(by_class[:-1], 0).p[0])


@pytest.mark.parametrize("seed", range(12))
def test_p_is_right_to_three_digits(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows, classes = 200_000, 2 + seed % 2
    labels = random.integers(0, classes, rows)
    numbers = random.normal(size=rows) + 0.03 * random.random() * labels
    if seed % 3 == 0:
        numbers = np.where(random.random(rows) < 0.4, 0.0, np.exp(5 * numbers))
    numbers[random.random(rows) < 0.1] = np.nan
    # Blocks of unequal size, and of sorted rows: what each knows of is not what all hold.
    order = np.argsort(numbers + random.normal(size=rows) * (seed % 2))
    parts = np.split(order, [100, 65_000])
    exact = rank_test(numbers[None], labels, classes, np.ones(rows, dtype=np.int64), 0).p[0]
    found = binned_p([numbers[own] for own in parts], [labels[own] for own in parts], classes)
    assert found == pytest.approx(exact, rel=1e-3)


def test_numbers_are_read_from_texts_and_from_numbers() -> None:
    frame = pd.DataFrame({"texts": ["2.5", "-1", None, "1e3", "-0"], "numbers": [2.5, -1, np.nan, 1000, -0.0]})
    for column in table_in_memory(frame, "data").columns.values():
        np.testing.assert_array_equal(numbers_in_rows(column), [2.5, -1, np.nan, 1000, 0])
