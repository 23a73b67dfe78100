"""Rows that are here, without each fold of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from probfs.selection.held_out import TemperedModel
from probfs.selection.rows import LocalRows

from probfs.columns.folds import deal_folds, telling_rows_apart
from probfs.screening.number_test import CodedNumbers
from probfs.screening.screen import screen
from tests.selection.test_choice import table
from tests.support.selections import make_settings


def test_each_fold_is_left_out_once() -> None:
    dataset = table(0)
    rows = LocalRows(dataset)
    folds = list(rows.deal(3, 1))
    dealt = deal_folds(telling_rows_apart(dataset), 3, 1)
    for fold, held_out in zip(folds, dealt, strict=True):
        np.testing.assert_array_equal(fold.held_out, held_out)
        np.testing.assert_array_equal(fold.training.dataset.counts, dataset.counts - held_out)
    np.testing.assert_array_equal(sum(fold.held_out for fold in folds), dataset.counts)


def test_numbers_are_tested_without_the_fold() -> None:
    dataset = table(1)
    random = np.random.default_rng(0)
    numbers = CodedNumbers(2, random.integers(0, 30, len(dataset.labels)).astype(np.uint8), random.normal(size=30))
    fold = next(LocalRows(dataset, [numbers]).deal(3, 0))
    training = fold.training
    found = training.test_features(training.count_values(), 0)
    expected = screen(replace(dataset, counts=dataset.counts - fold.held_out), [numbers], 0)
    np.testing.assert_array_equal(found, expected.p)
    assert expected.kruskal_wallis[2] > 0


def test_held_out_rows_are_judged_by_the_others() -> None:
    """Without columns, a row is as probable as its class among the training rows."""
    dataset = table(2, classes=3)
    fold = next(LocalRows(dataset).deal(3, 0))
    counts = fold.training.count_values()
    judged = fold.judge([TemperedModel([], 1.0)] * 3, counts, make_settings(options={"smoothing": 1.0}), 1e-9)
    shares = counts.class_rows / counts.class_rows.sum()
    losses = np.repeat(-np.log(shares[dataset.labels]), fold.held_out)
    assert judged.none.rows == len(losses)
    assert judged.none.mean == pytest.approx(losses.mean())
    assert judged.none.se == pytest.approx(losses.std(ddof=1) / np.sqrt(len(losses)))
    assert judged.difference.mean == 0
