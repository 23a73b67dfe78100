"""Counts by value and class, against a loop over cells."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probfs.columns.dataset import Dataset, Feature
from probfs.errors import DataError
from probfs.rows.blocks import EVERYTHING, Block, LocalBlocks, deal_blocks
from probfs.runtime import memory
from probfs.screening import counting
from probfs.screening.counting import count_folds, count_values
from probfs.tables.arrays import text_array
from tests.support.datasets import feature_of, random_dataset
from tests.support.screening import datasets


def counted_one_by_one(dataset: Dataset) -> list[dict[tuple[int, int], int]]:
    tables = []
    for feature in dataset.features:
        table: dict[tuple[int, int], int] = {}
        for code, label, count in zip(feature.labelled.tolist(), dataset.labels, dataset.counts, strict=True):
            if code < feature.values and count:
                table[code, int(label)] = table.get((code, int(label)), 0) + int(count)
        tables.append(table)
    return tables


def as_dictionaries(dataset: Dataset) -> list[dict[tuple[int, int], int]]:
    tables: list[dict[tuple[int, int], int]] = [{} for _ in dataset.features]
    for features, counts in count_values(dataset).tables():
        for feature, value, label in np.argwhere(counts).tolist():
            tables[features[feature]][value, label] = int(counts[feature, value, label])
    return tables


@given(datasets(), st.sampled_from([1, 7, 1 << 17]))
@settings(max_examples=40)
def test_every_present_cell_is_counted(dataset: Dataset, at_a_time: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "_CELLS_AT_A_TIME", at_a_time)
        assert as_dictionaries(dataset) == counted_one_by_one(dataset)


@pytest.mark.parametrize(("values", "classes"), [(70_000, 2), (200, 300), (3, 70)])
def test_codes_and_classes_of_every_width_are_counted(values: int, classes: int) -> None:
    dataset = random_dataset(1500, features=2, values=values, classes=classes, seed=1)
    narrow = feature_of("narrow", 2, np.arange(1500) % 3)
    dataset = replace(dataset, features=(*dataset.features, narrow))
    assert as_dictionaries(dataset) == counted_one_by_one(dataset)


def test_numbers_are_not_counted_but_their_absence_is_where_it_is_a_value() -> None:
    codes = np.array([0, 1, 3, 2, 3], dtype=np.uint8)
    numbers = np.array([1.5, 2.5, 9.0])
    plain = Feature("a", text_array([]), codes, codes[:0], numbers)
    telling = replace(plain, name="b", missing_is_value=True)
    labels = np.array([0, 0, 1, 1, 0], dtype=np.int8)
    dataset = Dataset((plain, telling), ("n", "y"), labels, np.ones(5, np.int64), np.empty(0, np.int64))
    assert as_dictionaries(dataset) == [{(0, 0): 2, (0, 1): 1}, {(0, 0): 2, (0, 1): 1, (1, 0): 1, (1, 1): 1}]


def test_no_feature_and_no_row_are_no_counts() -> None:
    none = Dataset((), ("a", "b"), np.empty(0, np.int8), np.empty(0, np.int64), np.empty(0, np.int64))
    assert list(count_values(none).tables()) == []
    assert as_dictionaries(replace(none, features=(feature_of("f", 2, np.empty(0, np.int64)),))) == [{}]


def test_counts_that_do_not_fit_into_memory_are_refused_before_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_memory", lambda: 10_000_000)
    dataset = random_dataset(2_000, features=1, values=1_000, classes=1_000, seed=0)
    dealt = deal_blocks(LocalBlocks(Block(dataset)), EVERYTHING, 3, 0)
    for ask in (lambda: count_values(dataset), lambda: dealt.ask(count_folds)):
        with pytest.raises(DataError, match=r"counting 1,001 values in 1,000 classes( and 3 folds)? needs about"):
            ask()
